// Resolves a model's name among the available models, and says when there is none.

import { join } from "node:path";
import { didYouMean, type Problem, quoted } from "@pi-chronicle/core/definition";
import { jsonObject } from "../../disk/index.ts";
import { chooseModel, type Model } from "../../persona/index.ts";
import { listModels, packageRoot, surveyPi } from "../../pi/index.ts";
import type { Project } from "./project.ts";

const surveyMs = 20_000;

/** Variables of the environment in which pi finds the key of a provider with models of its own; pi knows more of them. */
export const KEY_VARIABLES: readonly string[] =
	"ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY OPENROUTER_API_KEY MISTRAL_API_KEY GROQ_API_KEY XAI_API_KEY DEEPSEEK_API_KEY".split(
		" ",
	);

/**
 * That no model can be used, because pi has no key; `undefined` if one can, or pi does not say. Starts a pi only if neither a file of pi nor a
 * usual variable names a key.
 */
export async function findNoModel({ place }: Pick<Project, "place">): Promise<Problem | undefined> {
	const { pi, cwd, env = process.env, agentFolder } = place;
	if (
		place.models
			? (await place.models()).length > 0
			: KEY_VARIABLES.some((name) => env[name]) || ["auth.json", "models.json"].some(namesKeys)
	)
		return undefined;
	if (!place.models) {
		if ((await listModels(pi, cwd, env, [packageRoot()])).length > 0) return undefined;
		// Extensions of the user may provide models.
		const survey = await surveyPi({ pi, cwd, env, ms: surveyMs });
		if (survey.kind === "silent" || survey.models.length > 0) return undefined;
	}
	return {
		code: "no-model",
		message: "Nothing was started: pi has a key for no model.",
		remedy: "Start pi and enter /login, or set the key of a provider, such as ANTHROPIC_API_KEY.",
	};

	function namesKeys(name: string): boolean {
		return Object.keys(jsonObject(join(agentFolder, name)) ?? {}).length > 0;
	}
}

/** The models that have a key. May start a pi that lists them. */
export function usableModels({ models, pi, cwd, env = process.env }: Project["place"]): Promise<readonly Model[]> {
	// With this package, so that a rehearsal's stand-in is among the models.
	return models ? models() : listModels(pi, cwd, env, [packageRoot()]);
}

/** `provider/id`, or the problem with the name. May start a pi that lists its models. */
export async function resolveModel({ place }: Pick<Project, "place">, name: string): Promise<string | Problem> {
	const models = await usableModels(place);
	const { model, notice } = chooseModel([name], models, undefined);
	if (model && !notice) return `${model.provider}/${model.id}`;
	const near = didYouMean(
		name,
		models.flatMap(({ provider, id }) => [`${provider}/${id}`, id]),
	);
	return {
		code: "model-not-available",
		message: `The model ${quoted(name)} is not available.${near}`,
		remedy: "`pi --list-models` shows them.",
	};
}
