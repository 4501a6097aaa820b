// Resolves a model's name among the available models.
import { didYouMean, type Problem, quoted } from "@pi-chronicle/core/definition";
import { chooseModel } from "../../persona/index.ts";
import { listModels, packageRoot } from "../../pi/index.ts";
import type { Project } from "./project.ts";

/** `provider/id`, or the problem with the name. May start a pi that lists its models. */
export async function resolveModel({ place }: Pick<Project, "place">, name: string): Promise<string | Problem> {
	// With this package, so that a rehearsal's stand-in is among the models.
	const asked = () => listModels(place.pi, place.cwd, place.env ?? process.env, [packageRoot()]);
	const models = await (place.models ?? asked)();
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
