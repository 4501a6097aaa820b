// From a person's words to what can be played: `[workflow | chronicle] <name> [task]`, over both kinds of definitions.
import { didYouMean } from "../definition/index.ts";
import { chronicleNames, planChronicle } from "./chronicle.ts";
import type { Place, Playable, Unplayable, Wish } from "./program.ts";
import { planWorkflow, workflowNames } from "./workflow.ts";

export type Kind = "workflow" | "chronicle";

export function isKind(word: string | undefined): word is Kind {
	return word === "workflow" || word === "chronicle";
}

/** Finds what `wish` names, of one kind or of either. A name that both kinds have must be told apart. */
export function plan(wish: Wish, kind: Kind | undefined, place: Place): Playable | Unplayable {
	const workflow = kind === "chronicle" ? undefined : planWorkflow(wish, place);
	const chronicle = kind === "workflow" ? undefined : planChronicle(wish, place);
	if (workflow && chronicle) {
		const message = `There is a workflow ${wish.name} and a chronicle ${wish.name}: put the word workflow or chronicle before the name.`;
		return { kind: "unplayable", message, diagnostics: [] };
	}
	return workflow ?? chronicle ?? notFound(wish.name, kind, place);
}

/** What there is, in words. */
export function whatThereIs(place: Place, kind?: Kind): string {
	const workflows = kind === "chronicle" ? [] : workflowNames(place);
	const chronicles = kind === "workflow" ? [] : chronicleNames(place);
	const parts = [
		...(workflows.length > 0 ? [`Workflows here: ${workflows.join(", ")}.`] : []),
		...(chronicles.length > 0 ? [`Chronicles here: ${chronicles.join(", ")}.`] : []),
	];
	return parts.length > 0 ? parts.join(" ") : "There is none here.";
}

/** The words that can stand behind `/rehearse`: names, and the kinds where a name needs one. */
export function completions(place: Place): string[] {
	const workflows = workflowNames(place);
	const chronicles = chronicleNames(place);
	const both = workflows.filter((name) => chronicles.includes(name));
	return [
		...[...workflows, ...chronicles].filter((name) => !both.includes(name)),
		...both.flatMap((name) => [`workflow ${name}`, `chronicle ${name}`]),
	].sort();
}

/** Splits `[workflow | chronicle] <name> [task]`. */
export function splitWords(words: string): { kind: Kind | undefined; name: string; task: string } {
	const [, kind, name = "", task = ""] = /^\s*(?:(workflow|chronicle)\s+(?=\S))?(\S*)\s*([\s\S]*)$/.exec(words) ?? [];
	return { kind: kind as Kind | undefined, name, task };
}

function notFound(name: string, kind: Kind | undefined, place: Place): Unplayable {
	const known = [
		...(kind === "chronicle" ? [] : workflowNames(place)),
		...(kind === "workflow" ? [] : chronicleNames(place)),
	];
	const what = kind ?? "workflow and no chronicle";
	const message = `There is no ${what} ${name}.${didYouMean(name, known)} ${whatThereIs(place, kind)}`;
	return { kind: "unplayable", message, diagnostics: [] };
}
