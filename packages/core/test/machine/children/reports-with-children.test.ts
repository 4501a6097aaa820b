// Every stage of a state that is done by children × every report about a child or about the join of their files.
import { describe, expect, it } from "vitest";
import type { EventBody } from "../../../src/machine/index.ts";
import { childOutcomeOf, childStages } from "../child-stages.ts";
import { childAt, conflict, ended, total } from "../child-steps.ts";
import { newTree, type TestRun } from "../test-run.ts";

const nobody = { id: "none", index: 0 };
const child = (testRun: TestRun, number: number) => (testRun.run.children ? childAt(testRun, number) : nobody);
const parked = ({ run }: TestRun, { id }: { id: string }, visit = run.visit): EventBody => ({
	...{ kind: "child_parked", visit, child: id, status: "paused", detail: "asks" },
});
const spent = ({ run }: TestRun, { id }: { id: string }, tokens: number, visit = run.visit): EventBody => ({
	...{ kind: "child_spent", visit, child: id, ...total(tokens) },
});
const joined = ({ run }: TestRun, paths: readonly string[] = [], visit = run.visit): EventBody => {
	const conflicts = paths.map((path) => conflict(path));
	return { kind: "joined", visit, before: newTree(), tree: newTree(), conflicts };
};

const all: Readonly<Record<string, (testRun: TestRun) => EventBody>> = {
	"child 1 parks": (of) => parked(of, child(of, 1)),
	"child 2 parks": (of) => parked(of, child(of, 2)),
	"child 2 of another visit parks": (of) => parked(of, child(of, 2), 9),
	"child 2 spends": (of) => spent(of, child(of, 2), 5),
	"child 2 spends too much": (of) => spent(of, child(of, 2), 1e12),
	"child 2 of another visit spends": (of) => spent(of, child(of, 2), 5, 9),
	"child 1 is done": (of) => ended(of, child(of, 1)),
	"child 2 is done": (of) => ended(of, child(of, 2)),
	"child 3 is done": (of) => ended(of, child(of, 3)),
	"child 3 fails": (of) => ended(of, child(of, 3), "failed"),
	"child 3 is aborted": (of) => ended(of, child(of, 3), "aborted"),
	"child 3 of another visit is done": (of) => ended(of, child(of, 3), "done", { visit: 9 }),
	"no child is done": (of) => ended(of, nobody),
	"files are merged": (of) => joined(of),
	"files conflict": (of) => joined(of, ["f"]),
	"files of another visit are merged": (of) => joined(of, [], 9),
	"the merge fails": ({ run }) => ({ kind: "join_failed", visit: run.visit, detail: "x" }),
	"the merge of another visit fails": () => ({ kind: "join_failed", visit: 9, detail: "x" }),
	"files are written": ({ run }) => ({ kind: "join_applied", visit: run.visit, tree: "t" }),
	"files of another visit are written": () => ({ kind: "join_applied", visit: 9, tree: "t" }),
};

/** The outcome: the run, its children (see {@link letters}) and the pending actions. What is not listed is refused as `stale`. */
const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	"with children at work": {
		"child 1 parks": "running children a 1: p.. run 2 run 3",
		"child 2 parks": "running children a 1: .p. run 1 run 3",
		"child 2 spends": "running children a 1: ... run 1 run 2",
		"child 2 spends too much": "running children a 1, held: budget: ... pause 1 pause 2 pause 3",
		"child 1 is done": "running children a 1: d.. run 2 run 3",
		"child 2 is done": "running children a 1: .d. run 1 run 3",
		"child 3 is done": "running children a 1: ..d run 1 run 2",
		"child 3 fails": "running children a 1: ..f run 1 run 2",
		"child 3 is aborted": "running children a 1: ..a run 1 run 2",
	},
	"with one child parked": {
		"child 2 parks": "running children a 1: pp. run 3",
		"child 2 spends": "running children a 1: p.. run 2 run 3",
		"child 2 spends too much": "running children a 1, held: budget: p.. pause 2 pause 3",
		"child 1 is done": "running children a 1: d.. run 2 run 3",
		"child 2 is done": "running children a 1: pd. run 3",
		"child 3 is done": "running children a 1: p.d run 2",
		"child 3 fails": "running children a 1: p.f run 2",
		"child 3 is aborted": "running children a 1: p.a run 2",
	},
	"pausing its children": {
		"child 2 parks": "running children a 1, held: person: pp. pause 3",
		"child 2 spends": "running children a 1, held: person: p.. pause 2 pause 3",
		"child 2 spends too much": "running children a 1, held: person: p.. pause 2 pause 3",
		"child 1 is done": "running children a 1, held: person: d.. pause 2 pause 3",
		"child 2 is done": "running children a 1, held: person: pd. pause 3",
		"child 3 is done": "running children a 1, held: person: p.d pause 2",
		"child 3 fails": "running children a 1, held: person: p.f pause 2",
		"child 3 is aborted": "running children a 1, held: person: p.a pause 2",
	},
	"aborting its children": {
		"child 2 parks": "running children a 1: pp. abort 1 abort 2 abort 3",
		"child 2 spends": "running children a 1: p.. abort 1 abort 2 abort 3",
		"child 2 spends too much": "running children a 1: p.. abort 1 abort 2 abort 3",
		"child 1 is done": "running children a 1: d.. abort 2 abort 3",
		"child 2 is done": "running children a 1: pd. abort 1 abort 3",
		"child 3 is done": "running children a 1: p.d abort 1 abort 2",
		"child 3 fails": "running children a 1: p.f abort 1 abort 2",
		"child 3 is aborted": "running children a 1: p.a abort 1 abort 2",
	},
	"stopping at a ceiling": {
		"child 1 parks": "running children a 1, held: budget: p.. pause 2 pause 3",
		"child 2 parks": "running children a 1, held: budget: .p. pause 1 pause 3",
		"child 2 spends": "running children a 1, held: budget: ... pause 1 pause 2 pause 3",
		"child 2 spends too much": "running children a 1, held: budget: ... pause 1 pause 2 pause 3",
		"child 1 is done": "running children a 1, held: budget: d.. pause 2 pause 3",
		"child 2 is done": "running children a 1, held: budget: .d. pause 1 pause 3",
		"child 3 is done": "running children a 1, held: budget: ..d pause 1 pause 2",
		"child 3 fails": "running children a 1, held: budget: ..f pause 1 pause 2",
		"child 3 is aborted": "running children a 1, held: budget: ..a pause 1 pause 2",
	},
	"waiting for parked children": {
		"child 2 spends": "paused waiting a 1, held: children: dpp",
		"child 2 spends too much": "paused waiting a 1, held: children: dpp",
		"child 2 is done": "paused waiting a 1, held: children: ddp",
		"child 3 is done": "paused waiting a 1, held: children: dpd",
		"child 3 fails": "paused waiting a 1, held: children: dpf",
		"child 3 is aborted": "paused waiting a 1, held: children: dpa",
	},
	"waiting for a child's approval": {
		"child 2 spends": "awaiting_approval waiting a 1, held: children: ddp",
		"child 2 spends too much": "awaiting_approval waiting a 1, held: children: ddp",
		"child 3 is done": "running children a 1: ddd merge files",
		"child 3 fails": "paused waiting a 1, held: children: ddf",
		"child 3 is aborted": "paused waiting a 1, held: children: dda",
	},
	"waiting after a failed child": {
		"child 2 spends": "paused waiting a 1, held: children: ddf",
		"child 2 spends too much": "paused waiting a 1, held: children: ddf",
	},
	"merging the children's files": {
		"child 2 spends": "running children a 1: ddd merge files",
		"child 2 spends too much": "running children a 1: ddd merge files",
		"files are merged": "running children a 1: ddd apply join",
		"files conflict": "awaiting_approval asking a 1: ddd ask approval",
		"the merge fails": "paused waiting a 1, held: children: ddd",
	},
	"writing the merged files": {
		"child 2 spends": "running children a 1: ddd apply join",
		"child 2 spends too much": "running children a 1: ddd apply join",
		"files are merged": "running children a 1: ddd apply join",
		"files conflict": "awaiting_approval asking a 1: ddd ask approval",
		"the merge fails": "paused waiting a 1, held: children: ddd",
		"files are written": "running stopping (boundary, then enter) b 2: measure files",
	},
	"asking about conflicts": {
		"child 2 spends": "awaiting_approval asking a 1: ddd ask approval",
		"child 2 spends too much": "awaiting_approval asking a 1: ddd ask approval",
	},
	"having conflicts resolved by a child": {
		"child 2 spends": "running children a 1: ddd. run 4",
		"child 2 spends too much": "running children a 1, held: budget: ddd. pause 4",
	},
	"leaving the state": {},
};

describe.each(Object.entries(childStages))("a run that is %s", (name, bring) => {
	it.each(Object.entries(all))("%s", (report, of) => {
		const testRun = bring();
		const before = testRun.run;
		const outcome = childOutcomeOf(testRun, of(testRun));
		expect(outcome).toBe(expected[name]?.[report] ?? "refused: stale");
		if (outcome.startsWith("refused")) expect(testRun.run).toBe(before);
	});
});
