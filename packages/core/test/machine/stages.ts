// A run brought to each stage.
import { pause, rewind } from "./requests.ts";
import { ask, definition, go, newTree, open, reopen, rest, start, type TestRun } from "./test-run.ts";

const template = (approval: unknown = false, more: object = {}) =>
	definition(
		{ a: { persona: "A", next: ["b"], requires_approval: approval }, b: { persona: "B", next: ["a", "done"] } },
		more,
	);
const measured = (testRun: TestRun) =>
	testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose: "baseline", tree: newTree() });

export const stages: Readonly<Record<string, () => TestRun>> = {
	baselining: () => open(template()),
	launching: () => measured(open(template())),
	working: () => start(open(template())),
	"stopping at a boundary": () => start(open(template())).say(pause),
	"stopping at once": () => start(open(template())).say(pause).say(pause),
	"leaving by a move": () => ask(start(open(template())), "b"),
	"asking to leave": () => go(start(open(template(true))), "b"),
	"asking to enter": () => measured(open(template("entry"))),
	"asking again": () => reopen(go(start(open(template(true))), "b")),
	paused: () => rest(start(open(template())).say(pause)),
	"at a ceiling": () => measured(open(template(false, { limits: { minutes: 0 } }))),
	"at a cap": () => go(start(go(start(open(template(false, { limits: { pair_moves: 1 } }))), "b")), "a"),
	"with a person": () => go(start(open(template())), "human_intervention"),
	restoring: () => rest(start(open(template())).say(pause)).say(rewind),
	over: () => rest(start(open(template())).say({ kind: "abort_requested" })),
};
