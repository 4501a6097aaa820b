// What must outlive a worker, kept at a bounded size: what falls out of here stays in the event log.
// K1 at most 16 KB as JSON; K2 ids are never used twice; K3 a later value for a key replaces the earlier one, which is kept behind it.
import type { FileChange } from "./files.ts";

export interface Snapshot {
	readonly findings: readonly Finding[];
	readonly pendingTasks: readonly Finding[];
	/** Files that differ from the start of the run's visits, as measured; the newest change of a path. */
	readonly files: readonly (FileChange & { readonly visit: number })[];
	/** How visits ended, newest last. */
	readonly summaries: readonly Summary[];
	/** Number of the next id. */
	readonly nextId: number;
	/** What had to be left out; it is in the event log. */
	readonly dropped: {
		readonly findings: number;
		readonly pendingTasks: number;
		readonly files: number;
		readonly summaries: number;
	};
}

export interface Finding {
	/** `f12` for a finding, `t12` for a pending task. */
	readonly id: string;
	readonly key?: string;
	readonly text: string;
	readonly visit: number;
	readonly state: string;
	/** The text is longer in the event log. */
	readonly cut?: boolean;
	/** Earlier texts of the same key, newest first. */
	readonly earlier?: readonly string[];
}

export interface Summary {
	readonly state: string;
	readonly visit: number;
	readonly text: string;
}

/** What an agent asks to be remembered, checked and redacted; see `data.ts`. */
export interface SnapshotData {
	readonly findings?: readonly { readonly key?: string; readonly text: string }[];
	readonly pendingTasks?: readonly { readonly key?: string; readonly text: string }[];
	/** Ids or keys of entries that are done or wrong. */
	readonly resolve?: readonly string[];
}
