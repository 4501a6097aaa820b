// What the run view looks at: one run, live or not, and what belongs to it. The view only reads.
import type { LedgerEvent, Run } from "../../core/index.ts";

/** What a visit has changed, or why that cannot be said. */
export type VisitDiff =
	| {
			readonly kind: "diff";
			/** `3 files changed, +12 −4:`, then the files. */
			readonly summary: readonly string[];
			/** Unified diff. */
			readonly text: string;
			/** There is more of it. */
			readonly cut: boolean;
	  }
	| { readonly kind: "none"; readonly reason: string };

export interface ViewSource {
	/** The run as it is now. */
	run(): Run;
	/** Calls `listener` when the run has changed; the returned function ends that. */
	watch(listener: () => void): () => void;
	events(after: number): AsyncIterable<LedgerEvent>;
	/** What has changed in a visit, up to now where it is still going on. */
	diff(visit: number): Promise<VisitDiff>;
	/** pi's session file of a conversation, `undefined` where there is none. */
	transcript(conversation: string): string | undefined;
}
