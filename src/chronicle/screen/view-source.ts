// What the run view looks at: one run, live or not, and what belongs to it. The view only reads.
import type { LedgerEvent, Run } from "../machine/index.ts";

export interface ViewSource {
	/** The run as it is now. */
	run(): Run;
	/** Calls `listener` when the run has changed; the returned function ends that. A run that nobody supervises never changes. */
	watch(listener: () => void): () => void;
	events(after: number): AsyncIterable<LedgerEvent>;
	/** Unified diff between two kept states of the files, or the reason why there is none. */
	patch(from: string, to: string): Promise<string>;
	/** pi's session file of a conversation, `undefined` where there is none. */
	transcript(conversation: string): string | undefined;
}
