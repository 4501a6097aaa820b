// A state as it is written, and a reporter of problems in it.
import type { MapNode, Problem, ReadContext } from "../definition/index.ts";

/** A state that is written as an object. */
export interface StateNode {
	readonly keyStart: number;
	readonly node: MapNode;
}

/** Reports a problem at a field of a state. */
export type StateReporter = (severity: "error" | "warn", key: string, problem: Problem) => void;

/** A reporter of problems in the state at `at`: at the field `key`, or at the state's name where it has no such field. */
export function reporterAt({ node, keyStart }: StateNode, { report, source }: ReadContext): StateReporter {
	return (severity, key, problem) =>
		report[severity](source.place(node.entries.get(key)?.keyStart ?? keyStart), problem);
}
