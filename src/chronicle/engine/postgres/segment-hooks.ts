// What a segment adds to the ledger that it holds.
import type { ConditionChanged, EventBody, LedgerEvent, Run, StoreFailure } from "../../core/index.ts";
import type { RecordedSnapshot, RunSnapshot } from "./run-snapshot.ts";

/** A snapshot by its tree and the commit that it is on. */
export type SnapshotName = Pick<RunSnapshot, "tree" | "parent">;

/** What a segment adds to a held ledger. */
export interface SegmentHooks {
	/**
	 * `head`: the snapshot that holds the files of what is appended next; `undefined`: as before. `staged`: snapshots that are recorded with
	 * it, because they are not on the remote yet.
	 */
	files(): { readonly head: SnapshotName | undefined; readonly staged: readonly RecordedSnapshot[] };
	/** Called before the events are recorded, with the run after them; a failure is the append's. */
	beforeAppend(bodies: readonly EventBody[], next: Run): Promise<StoreFailure | undefined>;
	/** Changes of what hinders the run that its supervision has not recorded: they are recorded when the run is settled. */
	conditions(): readonly ConditionChanged[];
	/** Called once the events are recorded, with the snapshots that were recorded with them. */
	afterAppend(events: readonly LedgerEvent[], now: Run, staged: readonly RecordedSnapshot[]): void;
}
