// What `/workflow` lists when it is typed alone: the workflows, then the verbs that apply now.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type ChoiceList, completedChoices } from "../../pi/index.ts";
import { usageNotes } from "../definitions/index.ts";
import { completeWorkflow } from "./command.ts";
import { projectContext } from "./library.ts";
import { trustHint } from "./report.ts";
import type { Workflows } from "./workflows.ts";

const abouts: Readonly<Record<string, string>> = {
	list: "all workflows and their problems",
	check: "checks the workflows",
	status: "the active workflow: phases, figures, what it waits for",
	show: "the phases of a workflow",
	init: "copies a ready-to-use workflow into the project",
	pause: "pauses the active workflow",
	resume: "continues it",
	next: "ends its phase",
	skip: "skips its phase",
	back: "goes back to an earlier phase",
	reload: "reads its definition again",
};
const takesWord = new Set(["show", "init"]);

export async function workflowChoices(workflows: Workflows, ctx: ExtensionContext): Promise<ChoiceList> {
	const place = projectContext(ctx);
	const isVerb = (words: string): boolean => Object.hasOwn(abouts, words.replace(/^--/, ""));
	const choices = await completedChoices(
		(prefix) => completeWorkflow(workflows, prefix, place),
		"",
		(words) => isVerb(words) && !takesWord.has(words.replace(/^--/, "")),
	);
	const text = [...usageNotes(workflows.library.load(place), ctx.cwd), ...trustHint(place)].join("\n").trim();
	return {
		title: "Workflows",
		text,
		choices: choices.map((choice) => ({
			...choice,
			about: choice.about === "" ? (abouts[choice.words.replace(/^--/, "")] ?? "") : choice.about,
		})),
	};
}
