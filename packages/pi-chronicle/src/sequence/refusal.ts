// Refuses steps, including arguments that the package's own commands would refuse. Pure.

import { truncate } from "@pi-chronicle/core/definition";
import { notebookMistake } from "../companions/index.ts";
import type { ResolvedStep, StepRefusal } from "./step.ts";

/** Refuses arguments that the command would refuse at run time. */
export function checkOwnCommand(step: Extract<ResolvedStep, { kind: "command" }>): typeof step | StepRefusal {
	const { raw, name, args } = step;
	if (name === "handoff" && args === "")
		return refuseStep(raw, "needs a direction.", "Add what the next context should work on.");
	if (name === "readonly" && !/^(on|off)?$/i.test(args))
		return refuseStep(raw, "is unknown.", "Use /readonly, /readonly on or /readonly off.");
	if (name === "notebook") {
		const wrong = notebookMistake(args);
		if (wrong !== undefined) return refuseStep(raw, "is unknown.", wrong);
	}
	if (name === "workflow" || name === "chronicle") return checkRun(step, name);
	return step;
}

/** Verbs that open a screen or ask for confirmation; a sequence may run unattended. */
const screens = {
	workflow: new Set(["show", "--show"]),
	chronicle: new Set(["view", "show", "diff", "remove", "prune", "repair"]),
} as const;

function checkRun(
	step: Extract<ResolvedStep, { kind: "command" }>,
	name: keyof typeof screens,
): typeof step | StepRefusal {
	const [word = ""] = step.args.split(/\s+/, 1);
	if (word === "") return refuseStep(step.raw, "starts nothing.", `Write /${name} <name> <task>.`);
	if (screens[name].has(word)) return refuseStep(step.raw, "opens a dialog.", "A sequence cannot answer dialogs.");
	return step;
}

/** Builds the refusal of a step from its problem (`what`) and the `remedy`. */
export function refuseStep(raw: string, what: string, remedy: string): StepRefusal {
	return { kind: "refused", raw, reason: `Unsupported step: ${firstLine(raw.trim())} ${what}\n${remedy}` };
}

/** The first line of `text`, at most 60 characters. */
export function firstLine(text: string): string {
	return truncate(text.split("\n", 1)[0] ?? "", 60);
}
