// The progress of a worker that is being stopped.
import type { Run } from "../../core/index.ts";

/** The reason for waiting while the current worker is being stopped; `undefined` if none is. */
export function endingText({ stage, hold, calls }: Run): string | undefined {
	if (stage.kind !== "stopping" || stage.launch === null) return undefined;
	if (stage.how === "now" || !hold) return "stopping the worker";
	return calls.open.length > 0 ? "waiting for the call to end" : "waiting for the message to end";
}
