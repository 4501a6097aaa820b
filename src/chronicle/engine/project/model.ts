// Which model a person means by a word, among those that can be used now.
import { didYouMean, type Problem, quoted } from "../../../definition/index.ts";
import { chooseModel } from "../../../persona/index.ts";
import { listModels, packageRoot } from "../../../pi/index.ts";
import type { Project } from "./project.ts";

/** `provider/id`, or what is wrong with the word. May start a pi to ask it for its models. */
export async function resolveModel({ place }: Pick<Project, "place">, word: string): Promise<string | Problem> {
	// A pi is started with this package, so that a rehearsal's stand-in is among its models.
	const asked = () => listModels(place.pi, place.cwd, place.env ?? process.env, [packageRoot()]);
	const models = await (place.models ?? asked)();
	const { model, notice } = chooseModel([word], models, undefined);
	if (model && !notice) return `${model.provider}/${model.id}`;
	const near = didYouMean(
		word,
		models.flatMap(({ provider, id }) => [`${provider}/${id}`, id]),
	);
	return {
		code: "model-not-available",
		message: `There is no model ${quoted(word)} that can be used here.${near}`,
		remedy: "`pi --list-models` shows them.",
	};
}
