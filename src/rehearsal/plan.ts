// From a person's words to what can be played: `[workflow | chronicle] <name> [task]`, over both kinds of definitions.
import { resolve } from "node:path";
import { didYouMean } from "../definition/index.ts";
import { chronicleNames, planChronicle, planChronicleRuns } from "./chronicle.ts";
import type { Coverable, Place, Playable, Unplayable, Wish } from "./program.ts";
import { readScenarioFile } from "./scenario-file.ts";
import { planWorkflow, planWorkflowRuns, workflowNames } from "./workflow.ts";

export type Kind = "workflow" | "chronicle";

export function isKind(word: string | undefined): word is Kind {
	return word === "workflow" || word === "chronicle";
}

/**
 * Finds what `wish` names, of one kind or of either. Of a name that both kinds have, that is meant which the scenario is for that was named;
 * without such a hint a person must say which.
 */
export function plan(wish: Wish, kind: Kind | undefined, place: Place): Playable | Unplayable {
	return choose(wish, kind, place, { workflow: planWorkflow, chronicle: planChronicle });
}

/** The same for a rehearsal that covers every edge. */
export function planCoverage(wish: Wish, kind: Kind | undefined, place: Place): Coverable | Unplayable {
	return choose(wish, kind, place, { workflow: planWorkflowRuns, chronicle: planChronicleRuns });
}

function choose<T>(
	wish: Wish,
	kind: Kind | undefined,
	place: Place,
	planners: Record<Kind, (wish: Wish, place: Place) => T | Unplayable | undefined>,
): T | Unplayable {
	const workflow = kind === "chronicle" ? undefined : planners.workflow(wish, place);
	const chronicle = kind === "workflow" ? undefined : planners.chronicle(wish, place);
	if (workflow && chronicle) {
		const meant = kindOfScenario(wish, place);
		if (meant !== undefined) return meant === "workflow" ? workflow : chronicle;
		const message = `There is a workflow ${wish.name} and a chronicle ${wish.name}. Say which: rehearse workflow ${wish.name}, or rehearse chronicle ${wish.name}.`;
		return { kind: "unplayable", message, diagnostics: [], choices: ["workflow", "chronicle"] };
	}
	return workflow ?? chronicle ?? notFound(wish.name, kind, place);
}

/** The kind of definition that the scenario is for which `wish` names: one has scripts for phases, the other for states. */
function kindOfScenario({ scenario: named }: Wish, { cwd }: Place): Kind | undefined {
	if (named === undefined) return undefined;
	const { scenario } = readScenarioFile(resolve(cwd, named));
	const hasPhases = (scenario?.phases.size ?? 0) > 0;
	const hasStates = (scenario?.states.size ?? 0) > 0;
	if (hasPhases === hasStates) return undefined;
	return hasPhases ? "workflow" : "chronicle";
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
