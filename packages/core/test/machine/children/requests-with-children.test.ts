// Every stage of a state that is done by children × every request of the user or a new supervisor.
import { describe, expect, it } from "vitest";
import type { EventBody } from "../../../src/machine/index.ts";
import { childOutcomeOf, childStages } from "../child-stages.ts";
import { childAt } from "../child-steps.ts";
import { requests } from "../requests.ts";
import type { TestRun } from "../test-run.ts";

const approval =
	(choice: "ours" | "worker") =>
	(testRun: TestRun): EventBody =>
		({ ...requests.approve?.(testRun.run), choice }) as EventBody;
const ofChild =
	(kind: "child_signaled" | "child_dropped", number: number) =>
	(testRun: TestRun): EventBody => ({
		kind,
		child: testRun.run.children ? childAt(testRun, number).id : "none",
	});

const all: Readonly<Record<string, (testRun: TestRun) => EventBody>> = {
	...Object.fromEntries(Object.entries(requests).map(([name, of]) => [name, ({ run }: TestRun) => of(run)])),
	"approve with the earlier side": approval("ours"),
	"approve with a worker": approval("worker"),
	"send a command to child 1": ofChild("child_signaled", 1),
	"send a command to child 3": ofChild("child_signaled", 3),
	"send a command to no child": () => ({ kind: "child_signaled", child: "none" }),
	"drop child 1": ofChild("child_dropped", 1),
	"drop child 3": ofChild("child_dropped", 3),
	"drop no child": () => ({ kind: "child_dropped", child: "none" }),
};

/** The outcome in every stage that does not list it. */
const usual: Readonly<Record<string, string>> = {
	tell: "refused: unexpected",
	"tell an earlier visit": "refused: earlier",
	"limit nowhere": "refused: unknown_state",
	"send a command to no child": "refused: unexpected",
	"drop no child": "refused: unexpected",
};

/** Changes of settings, and a new supervisor: the run stays as it is. */
const unaffected = (as: string) => ({
	"raise tokens": as,
	"limit moves": as,
	"change the model": as,
	"take over": as,
});

/** Every child has ended. */
const settled = {
	"send a command to child 1": "refused: over",
	"send a command to child 3": "refused: over",
	"drop child 1": "refused: over",
	"drop child 3": "refused: over",
};

/** The outcome: the run, its children (see {@link letters}) and the pending actions. What is listed nowhere is refused as `answered`. */
const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	"with children at work": {
		pause: "running children a 1, held: person: ... pause 1 pause 2 pause 3",
		"pause for a quota": "running children a 1, held: quota: ... pause 1 pause 2 pause 3",
		abort: "running children a 1: ... abort 1 abort 2 abort 3",
		rewind: "running children a 1: ... abort 1 abort 2 abort 3",
		...unaffected("running children a 1: ... run 1 run 2"),
		"send a command to child 1": "running children a 1: ... run 1 run 2",
		"send a command to child 3": "running children a 1: ... run 1 run 2",
		"drop child 1": "refused: unexpected",
		"drop child 3": "refused: unexpected",
	},
	"with one child parked": {
		pause: "running children a 1, held: person: p.. pause 2 pause 3",
		"pause for a quota": "running children a 1, held: quota: p.. pause 2 pause 3",
		abort: "running children a 1: p.. abort 1 abort 2 abort 3",
		rewind: "running children a 1: p.. abort 1 abort 2 abort 3",
		...unaffected("running children a 1: p.. run 2 run 3"),
		"send a command to child 1": "running children a 1: ... run 1 run 2",
		"send a command to child 3": "running children a 1: p.. run 2 run 3",
		"drop child 1": "running children a 1: -.. run 2 run 3",
		"drop child 3": "refused: unexpected",
	},
	"pausing its children": {
		pause: "running children a 1, held: person: p.. pause 2 pause 3",
		"pause for a quota": "running children a 1, held: person: p.. pause 2 pause 3",
		abort: "running children a 1, held: person: p.. abort 1 abort 2 abort 3",
		rewind: "running children a 1: p.. abort 1 abort 2 abort 3",
		...unaffected("running children a 1, held: person: p.. pause 2 pause 3"),
		"send a command to child 1": "running children a 1, held: person: ... pause 1 pause 2 pause 3",
		"send a command to child 3": "running children a 1, held: person: p.. pause 2 pause 3",
		"drop child 1": "running children a 1, held: person: -.. pause 2 pause 3",
		"drop child 3": "refused: unexpected",
	},
	"aborting its children": {
		pause: "running children a 1, held: person: p.. abort 1 abort 2 abort 3",
		"pause for a quota": "running children a 1, held: quota: p.. abort 1 abort 2 abort 3",
		abort: "running children a 1: p.. abort 1 abort 2 abort 3",
		rewind: "running children a 1: p.. abort 1 abort 2 abort 3",
		...unaffected("running children a 1: p.. abort 1 abort 2 abort 3"),
		"send a command to child 1": "running children a 1: ... abort 1 abort 2 abort 3",
		"send a command to child 3": "running children a 1: p.. abort 1 abort 2 abort 3",
		"drop child 1": "running children a 1: -.. abort 2 abort 3",
		"drop child 3": "refused: unexpected",
	},
	"stopping at a ceiling": {
		pause: "running children a 1, held: budget: ... pause 1 pause 2 pause 3",
		"pause for a quota": "running children a 1, held: budget: ... pause 1 pause 2 pause 3",
		abort: "running children a 1, held: budget: ... abort 1 abort 2 abort 3",
		rewind: "running children a 1: ... abort 1 abort 2 abort 3",
		...unaffected("running children a 1, held: budget: ... pause 1 pause 2 pause 3"),
		"send a command to child 1": "running children a 1, held: budget: ... pause 1 pause 2 pause 3",
		"send a command to child 3": "running children a 1, held: budget: ... pause 1 pause 2 pause 3",
		"drop child 1": "refused: unexpected",
		"drop child 3": "refused: unexpected",
	},
	"waiting for parked children": {
		resume: "running children a 1: d.. run 2 run 3",
		release: "refused: unexpected",
		"release to b": "running children a 1, held: children: dpp abort 2 abort 3",
		"release to nowhere": "refused: unknown_state",
		"release as done": "running children a 1, held: children: dpp abort 2 abort 3",
		pause: "refused: unexpected",
		"pause for a quota": "refused: unexpected",
		abort: "running children a 1, held: children: dpp abort 2 abort 3",
		rewind: "running children a 1: dpp abort 2 abort 3",
		...unaffected("paused waiting a 1, held: children: dpp"),
		"send a command to child 1": "refused: over",
		"send a command to child 3": "running children a 1: dp. run 3",
		"drop child 1": "refused: over",
		"drop child 3": "paused waiting a 1, held: children: dp-",
	},
	"waiting for a child's approval": {
		resume: "running children a 1: dd. run 3",
		release: "refused: unexpected",
		"release to b": "running children a 1, held: children: ddp abort 3",
		"release to nowhere": "refused: unknown_state",
		"release as done": "running children a 1, held: children: ddp abort 3",
		pause: "refused: unexpected",
		"pause for a quota": "refused: unexpected",
		abort: "running children a 1, held: children: ddp abort 3",
		rewind: "running children a 1: ddp abort 3",
		...unaffected("awaiting_approval waiting a 1, held: children: ddp"),
		"send a command to child 1": "refused: over",
		"send a command to child 3": "running children a 1: dd. run 3",
		"drop child 1": "refused: over",
		"drop child 3": "running children a 1: dd- merge files",
	},
	"waiting after a failed child": {
		resume: "paused waiting a 1, held: children: ddf",
		release: "refused: unexpected",
		"release to b": "running stopping (now, then enter) b 2: measure files",
		"release to nowhere": "refused: unknown_state",
		"release as done": "running stopping (now, then finish) a 1, held: children: measure files",
		pause: "refused: unexpected",
		"pause for a quota": "refused: unexpected",
		abort: "running stopping (now, then finish) a 1, held: children: measure files",
		rewind: "running stopping (now, then rewind) a 1: measure files",
		...unaffected("paused waiting a 1, held: children: ddf"),
		"send a command to child 1": "refused: over",
		"send a command to child 3": "running children a 1: dd. run 3",
		"drop child 1": "refused: over",
		"drop child 3": "running children a 1: dd- merge files",
	},
	"merging the children's files": {
		pause: "running children a 1, held: person: ddd merge files",
		"pause for a quota": "running children a 1, held: quota: ddd merge files",
		abort: "running stopping (now, then finish) a 1: measure files",
		rewind: "running stopping (now, then rewind) a 1: measure files",
		...unaffected("running children a 1: ddd merge files"),
		...settled,
	},
	"writing the merged files": {
		pause: "running children a 1, held: person: ddd apply join",
		"pause for a quota": "running children a 1, held: quota: ddd apply join",
		abort: "running stopping (now, then finish) a 1: measure files",
		rewind: "running stopping (now, then rewind) a 1: measure files",
		...unaffected("running children a 1: ddd apply join"),
		...settled,
	},
	"asking about conflicts": {
		approve: "refused: illegal",
		reject: "paused waiting a 1, 1 queued, held: person: ddd",
		release: "refused: unexpected",
		"release to b": "running stopping (now, then enter) b 2: measure files",
		"release to nowhere": "refused: unknown_state",
		"release as done": "running stopping (now, then finish) a 1: measure files",
		pause: "refused: unexpected",
		"pause for a quota": "refused: unexpected",
		abort: "running stopping (now, then finish) a 1: measure files",
		rewind: "running stopping (now, then rewind) a 1: measure files",
		...unaffected("awaiting_approval asking a 1: ddd ask approval"),
		"approve with the earlier side": "running children a 1: ddd merge files",
		"approve with a worker": "running children a 1: ddd. run 4",
		...settled,
	},
	"having conflicts resolved by a child": {
		pause: "running children a 1, held: person: ddd. pause 4",
		"pause for a quota": "running children a 1, held: quota: ddd. pause 4",
		abort: "running children a 1: ddd. abort 4",
		rewind: "running children a 1: ddd. abort 4",
		...unaffected("running children a 1: ddd. run 4"),
		...settled,
	},
	"leaving the state": {
		pause: "running stopping (now, then enter) b 2, held: person: measure files",
		"pause for a quota": "running stopping (now, then enter) b 2, held: quota: measure files",
		abort: "running stopping (now, then finish) b 2: measure files",
		rewind: "running stopping (now, then rewind) b 2: measure files",
		tell: "running stopping (boundary, then enter) b 2, 1 queued: measure files",
		...unaffected("running stopping (boundary, then enter) b 2: measure files"),
		"limit moves": "refused: limit",
		"send a command to child 1": "refused: unexpected",
		"send a command to child 3": "refused: unexpected",
		"drop child 1": "refused: unexpected",
		"drop child 3": "refused: unexpected",
	},
};

describe.each(Object.entries(childStages))("a run that is %s", (name, bring) => {
	it.each(Object.entries(all))("%s", (request, of) => {
		const testRun = bring();
		const before = testRun.run;
		const outcome = childOutcomeOf(testRun, of(testRun));
		expect(outcome).toBe(expected[name]?.[request] ?? usual[request] ?? "refused: answered");
		if (outcome.startsWith("refused")) expect(testRun.run).toBe(before);
	});
});
