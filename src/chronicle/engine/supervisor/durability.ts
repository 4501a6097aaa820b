// Which events must be on disk before anything depends on them, and which may lag: only what can be had again from the worker's session.
import type { EventBody } from "../../core/index.ts";

/** `soon`: reports of a worker's calls and spend, thousands a run; whatever is durable after them takes them along. */
export function durabilityOf(body: EventBody): "durable" | "soon" {
	switch (body.kind) {
		case "tool_started":
		case "tool_ended":
		case "used":
			return "soon";
		default:
			return "durable";
	}
}
