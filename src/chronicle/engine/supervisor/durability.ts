// Decides which events must be on disk before anything depends on them. The others can be recovered from the worker's session.
import type { EventBody } from "../../core/index.ts";

/** Reports of a worker's calls and spend, thousands per run: the next durable write includes them. */
const deferrable: ReadonlySet<EventBody["kind"]> = new Set(["tool_started", "tool_ended", "used"]);

/** How a batch is appended. */
export function durabilityOf(events: readonly EventBody[]): "durable" | "soon" {
	return events.every(({ kind }) => deferrable.has(kind)) ? "soon" : "durable";
}
