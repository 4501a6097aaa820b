// The vocabulary of a coverage rehearsal: what can be covered, the runs that are to cover it, and what the runs have shown.
// Coverage is measured from what happened in a run, never from its plan.
import type { Cue, PersonAnswer, Script } from "../scenario.ts";

export type Group = "transition" | "approval" | "limit" | "tools";

/** One thing that a definition promises: a transition, one answer to an approval, a limit, the tool limits of one place. */
export interface Item {
	/** Unique in its plan; the evidence of a run names items by it. */
	readonly id: string;
	readonly group: Group;
	/** For people, in a few words. */
	readonly text: string;
}

/** An item that no run can cover, and why. */
export interface Excluded extends Item {
	readonly why: string;
}

/** One run of the definition from its start. */
export interface PlannedRun {
	/** For people: the path, or the limit that is tried. */
	readonly title: string;
	/** Ids of the items that this run is for. It may show others as well. */
	readonly covers: readonly string[];
	readonly script: Script;
	/** Answer to a question that comes before any message of the understudy. */
	readonly atStart?: PersonAnswer;
}

export interface CoveragePlan {
	readonly items: readonly Item[];
	/** Cannot be covered by any rehearsal. */
	readonly unreachable: readonly Excluded[];
	/** Could be covered by a longer search or run than a rehearsal makes. */
	readonly skipped: readonly Excluded[];
	readonly runs: readonly PlannedRun[];
}

/** How a run ended that left no trace. */
export const NOT_STARTED = "it did not start";

/** What one run has shown. */
export interface Evidence {
	/** Ids of items that happened, or were enforced. */
	readonly covered: ReadonlySet<string>;
	/** Ids of limits that did not hold, with what happened instead. */
	readonly broken: ReadonlyMap<string, string>;
	/** How the run ended, in a few words. */
	readonly end: string;
}

/** One message without a call or exit; `over` gives the fields that matter. */
export function cue(over: Partial<Cue>): Cue {
	return { say: "", calls: [], exit: undefined, waitMs: 0, fail: undefined, person: undefined, ...over };
}
