// A run brought to each point of a state that is done by three children with folders of their own, two of them at a time.
import { pendingActions } from "../../src/machine/index.ts";
import { applyJoin, conflict, end, join, letters, parentTemplate, park, plan, spent, total } from "./child-steps.ts";
import { outcomeOf, pause } from "./requests.ts";
import type { TestRun } from "./test-run.ts";

const working = (fields: object = {}, more: object = {}) => plan(parentTemplate({ max_parallel: 2, ...fields }, more));
const allDone = (fields: object = {}) => end(end(end(working(fields), 1), 2), 3);

export const childStages: Readonly<Record<string, () => TestRun>> = {
	"with children at work": working,
	"with one child parked": () => park(working(), 1),
	"pausing its children": () => park(working(), 1).say(pause),
	"aborting its children": () => park(working(), 1).say({ kind: "abort_requested" }),
	"stopping at a ceiling": () => spent(working({}, { limits: { tokens: 100 } }), 1, total(100)),
	"waiting for parked children": () => park(park(end(working(), 1), 2), 3),
	"waiting for a child's approval": () => park(end(end(working(), 1), 2), 3, "awaiting_approval"),
	"waiting after a failed child": () => end(end(end(working(), 1), 2), 3, "failed"),
	"merging the children's files": allDone,
	"writing the merged files": () => join(allDone()),
	"asking about conflicts": () => join(allDone(), [conflict("f.txt")]),
	"having conflicts resolved by a child": () => join(allDone({ merge_by: "M" }), [conflict("f.txt")]),
	"leaving the state": () => applyJoin(join(allDone())),
};

/** What came of an event, with the children and the pending actions: `run 2` is the child whose run is supervised. */
export function childOutcomeOf(testRun: TestRun, event: Parameters<TestRun["say"]>[0]): string {
	const outcome = outcomeOf(testRun, event);
	if (outcome.startsWith("refused")) return outcome;
	const actions = pendingActions(testRun.run).map((action) => {
		switch (action.kind) {
			case "run_child":
				return `run ${action.child.index}`;
			case "stop_child":
				return `${action.how} ${action.child.index}`;
			default:
				return action.kind.replaceAll("_", " ");
		}
	});
	return `${outcome.replace(" in ", " ")}: ${[letters(testRun), ...actions].filter(Boolean).join(" ")}`.replace(
		/: $/,
		"",
	);
}
