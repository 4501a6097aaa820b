// How far a worker is that was told to end.
import type { Run } from "../../core/index.ts";

/** What the end of the present worker waits for, in a few words; `undefined` where none is ending. */
export function endingWords({ stage, hold, calls }: Run): string | undefined {
	if (stage.kind !== "stopping" || stage.launch === null) return undefined;
	if (stage.how === "now" || !hold) return "stopping the worker";
	return calls.open.length > 0 ? "waiting for the call to end" : "waiting for the message to end";
}
