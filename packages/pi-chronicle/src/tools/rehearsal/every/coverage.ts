// The data of a coverage rehearsal: items to cover, planned runs, and the evidence of played runs. Coverage is measured from evidence, never
// from the plan.
import type { Script, UserAnswer } from "../scenario.ts";

export type Group = "transition" | "approval" | "question" | "tools";

/** One promise of a definition: a transition, a way out of a command, one answer to an approval, a worker's question, the tool limits of a phase or state. */
export interface CoverageItem {
	/** Unique in its plan; the evidence of a run names items by it. */
	readonly id: string;
	readonly group: Group;
	/** A short text for display. */
	readonly text: string;
}

/** An item that no run can cover, and why. */
export interface Excluded extends CoverageItem {
	readonly why: string;
}

/** One run of the definition from its start. */
export interface PlannedRun {
	/** For display: the path. */
	readonly title: string;
	/** Ids of the items that this run is for. It may show others as well. */
	readonly covers: readonly string[];
	readonly script: Script;
	/** Answer to a question that is asked before the understudy's first message. */
	readonly atStart?: UserAnswer;
}

export interface CoveragePlan {
	readonly items: readonly CoverageItem[];
	/** Cannot be covered by any rehearsal. */
	readonly unreachable: readonly Excluded[];
	/** Could be covered by a longer run than a rehearsal makes. */
	readonly skipped?: readonly Excluded[];
	readonly runs: readonly PlannedRun[];
}

/** Several plans as one. */
export function joinPlans(plans: readonly CoveragePlan[]): CoveragePlan {
	return {
		items: plans.flatMap(({ items }) => items),
		unreachable: plans.flatMap(({ unreachable }) => unreachable),
		skipped: plans.flatMap(({ skipped = [] }) => skipped),
		runs: plans.flatMap(({ runs }) => runs),
	};
}

/** The end of a run without evidence. */
export const NOT_STARTED = "it did not start";

/** The evidence of one run. */
export interface Evidence {
	/** Ids of items that happened, or were enforced. */
	readonly covered: ReadonlySet<string>;
	/** Ids of what should have been refused, with what happened instead. */
	readonly broken: ReadonlyMap<string, string>;
	/** How the run ended, in a short clause. */
	readonly end: string;
}

/** The user's rejection in planned runs. */
export const rejection = { kind: "reject", words: "Not like this." } as const satisfies UserAnswer;
