// The data of the run view: one run, live or not, with its events, changes and conversations. The view only reads.
import type { LedgerEvent, Run } from "../../core/index.ts";

/** The changes of a visit, or why they are unknown. */
export type VisitDiff =
	| {
			readonly kind: "diff";
			/** `3 files changed, +12 −4:`, then the files. */
			readonly summary: readonly string[];
			/** Unified diff. */
			readonly text: string;
			/** The diff was truncated. */
			readonly cut: boolean;
	  }
	| { readonly kind: "none"; readonly reason: string };

export interface ViewSource {
	/** The current run. */
	run(): Run;
	/** Calls `listener` when the run has changed; the returned function unsubscribes. */
	watch(listener: () => void): () => void;
	events(after: number): AsyncIterable<LedgerEvent>;
	/** The changes of a visit, up to now if it is still in progress. */
	diff(visit: number): Promise<VisitDiff>;
	/** pi's session file of a conversation; `undefined` if there is none. */
	transcript(conversation: string): string | undefined;
	/** The data of a child run; `undefined` if it has not begun, or cannot be read. */
	child(id: string): Promise<ViewSource | undefined>;
}
