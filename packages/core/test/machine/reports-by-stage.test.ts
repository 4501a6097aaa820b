// Every stage of a run × every report of a worker: what is accepted, and the run after it.
import { describe, expect, it } from "vitest";
import type { EventBody } from "../../src/machine/index.ts";
import { ask, crash, definition, here, newTree, open, reopen, rest, spend, start, type TestRun } from "./test-run.ts";

const template = definition({
	a: { persona: "A", next: ["b"], requires_approval: false },
	b: { persona: "B", next: ["a", "done"] },
});
const approving = definition({ a: { persona: "A", next: ["b"], requires_approval: true } });
const pause: EventBody = { kind: "pause_requested", cause: "person", detail: "lunch" };
const measured = (testRun: TestRun) =>
	testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose: "baseline", tree: newTree() });

/** A run brought to each stage. */
const stages: Readonly<Record<string, () => TestRun>> = {
	baselining: () => open(template),
	launching: () => measured(open(template)),
	working: () => start(open(template)),
	"stopped while starting": () => measured(open(template)).say(pause),
	"stopping at a boundary": () => start(open(template)).say(pause),
	"stopping at once": () => start(open(template)).say(pause).say(pause),
	"taken over": () => reopen(start(open(template))),
	"leaving by a move": () => ask(start(open(template)), "b"),
	"leaving to ask": () => ask(start(open(approving)), "b"),
	"repeating the state": () => ask(start(open(template)), "a"),
	measuring: () => crash(start(open(template))),
	asking: () => rest(ask(start(open(approving)), "b")),
	paused: () => rest(start(open(template)).say(pause)),
	over: () => rest(start(open(template)).say({ kind: "abort_requested" })),
};

type Where = { readonly visit: number; readonly attempt: number };
const launch = 1;

/** What is reported. Each names the current launch, or the first one where there is none. */
const reports: Readonly<Record<string, (where: Where) => EventBody>> = {
	starts: (where) => ({ kind: "worker_started", ...where, launch, pid: 1, model: "m", conversation: "new" }),
	"another launch starts": (where) => ({
		kind: "worker_started",
		...where,
		launch: 2,
		pid: 1,
		model: "m",
		conversation: "new",
	}),
	"cannot start": (where) => ({ kind: "launch_failed", ...where, launch, reason: "model", detail: "x" }),
	"another launch cannot start": (where) => ({
		kind: "launch_failed",
		...where,
		launch: 2,
		reason: "model",
		detail: "x",
	}),
	"calls a tool": (where) => ({ kind: "tool_started", ...where, call: "c", tool: "t", args: "" }),
	"calls a tool in another attempt": ({ visit }) => ({
		kind: "tool_started",
		visit,
		attempt: 9,
		call: "c",
		tool: "t",
		args: "",
	}),
	"calls a tool in another visit": ({ attempt }) => ({
		kind: "tool_started",
		visit: 9,
		attempt,
		call: "c",
		tool: "t",
		args: "",
	}),
	"ends a call": (where) => ({ kind: "tool_ended", ...where, call: "c", tool: "t", ms: 1, bytes: 1, hash: "" }),
	spends: (where) => ({ kind: "used", ...where, spend: spend(5) }),
	"switches its model": (where) => ({ kind: "model_switched", ...where, from: "m", to: "n", detail: "x" }) as EventBody,
	"stops without a transition": (where) => ({ kind: "turn_settled", ...where, stop: "finished" }),
	"meets a quota": (where) => ({ kind: "turn_settled", ...where, stop: "quota" }),
	"saves data": (where) => ({ kind: "snapshot_updated", ...where, by: "worker", data: { findings: [{ text: "f" }] } }),
	"asks for b": (where) => ({ kind: "move_requested", ...where, target: "b", summary: "s" }),
	"asks for its own state": (where) => ({ kind: "move_requested", ...where, target: "a", summary: "s" }),
	"asks for nowhere": (where) => ({ kind: "move_requested", ...where, target: "nowhere", summary: "s" }),
	ends: (where) => ({ kind: "worker_ended", ...where, launch, outcome: { kind: "exited", code: 1 } }),
	"of another launch ends": (where) => ({ kind: "worker_ended", ...where, launch: 2, outcome: { kind: "stopped" } }),
	"is out of time": (where) => ({
		kind: "worker_ended",
		...where,
		launch,
		outcome: { kind: "timed_out", limit: "wall" },
	}),
	"is silent": (where) => ({ kind: "worker_ended", ...where, launch, outcome: { kind: "timed_out", limit: "idle" } }),
	"has its files measured": ({ visit }) => ({ kind: "files_measured", visit, purpose: "changes", tree: "t" }),
	"has other files measured": () => ({ kind: "files_measured", visit: 9, purpose: "changes", tree: "t" }),
	"has its first files measured": ({ visit }) => ({ kind: "files_measured", visit, purpose: "baseline", tree: "t" }),
	"has its cleanup ended": ({ visit }) => ({
		kind: "cleanup_ended",
		visit,
		index: 0,
		result: { kind: "exited", code: 0 },
	}),
	"has its files restored": () => ({ kind: "files_restored", tree: "t", before: "u" }),
};

/** The outcome. What is not listed is refused as stale: that worker's part of the run is over, or has not begun. */
const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	baselining: {
		"has its first files measured": "running launching in a 1.1",
	},
	launching: {
		starts: "running working in a 1.1",
		"cannot start": "paused waiting in a 1.1, held: launch, notices 1",
		ends: "running stopping (now, then again, ended) in a 1.1, notices 1",
		"is out of time": "running stopping (now, then again, ended) in a 1.1, held: timeout",
		"is silent": "running stopping (now, then again, ended) in a 1.1, notices 1",
	},
	working: {
		"calls a tool": "running working in a 1.1, open 1",
		"ends a call": "running working in a 1.1, calls 1",
		spends: "running working in a 1.1, tokens 5",
		"switches its model": "running working in a 1.1, notices 1",
		"stops without a transition": "running working in a 1.1, queued 1",
		"meets a quota": "running stopping (now, then again) in a 1.1, held: quota",
		"saves data": "running working in a 1.1, findings 1",
		"asks for b": "running stopping (boundary, then enter) in b 2.0",
		"asks for its own state": "running stopping (boundary, then repeat) in a 1.1",
		"asks for nowhere": "refused: illegal",
		ends: "running stopping (now, then again, ended) in a 1.1, notices 1",
		"is out of time": "running stopping (now, then again, ended) in a 1.1, held: timeout",
		"is silent": "running stopping (now, then again, ended) in a 1.1, notices 1",
	},
	"stopped while starting": {
		starts: "running stopping (now, then again) in a 1.1, held: person",
		"cannot start": "running stopping (now, then again, ended) in a 1.1, held: person",
		"calls a tool": "running stopping (now, then again) in a 1.1, held: person, open 1",
		"ends a call": "running stopping (now, then again) in a 1.1, held: person, calls 1",
		spends: "running stopping (now, then again) in a 1.1, held: person, tokens 5",
		"switches its model": "running stopping (now, then again) in a 1.1, held: person, notices 1",
		"saves data": "running stopping (now, then again) in a 1.1, held: person, findings 1",
		"asks for b": "refused: illegal",
		"asks for its own state": "refused: illegal",
		"asks for nowhere": "refused: illegal",
		ends: "running stopping (now, then again, ended) in a 1.1, held: person",
		"is out of time": "running stopping (now, then again, ended) in a 1.1, held: person",
		"is silent": "running stopping (now, then again, ended) in a 1.1, held: person",
	},
	"stopping at a boundary": {
		"cannot start": "running stopping (boundary, then again, ended) in a 1.1, held: person",
		"calls a tool": "running stopping (boundary, then again) in a 1.1, held: person, open 1",
		"ends a call": "running stopping (boundary, then again) in a 1.1, held: person, calls 1",
		spends: "running stopping (boundary, then again) in a 1.1, held: person, tokens 5",
		"switches its model": "running stopping (boundary, then again) in a 1.1, held: person, notices 1",
		"saves data": "running stopping (boundary, then again) in a 1.1, held: person, findings 1",
		"asks for b": "running stopping (boundary, then enter) in b 2.0, held: person",
		"asks for its own state": "running stopping (boundary, then repeat) in a 1.1, held: person",
		"asks for nowhere": "refused: illegal",
		ends: "running stopping (boundary, then again, ended) in a 1.1, held: person",
		"is out of time": "running stopping (boundary, then again, ended) in a 1.1, held: person",
		"is silent": "running stopping (boundary, then again, ended) in a 1.1, held: person",
	},
	"stopping at once": {
		"cannot start": "running stopping (now, then again, ended) in a 1.1, held: person",
		"calls a tool": "running stopping (now, then again) in a 1.1, held: person, open 1",
		"ends a call": "running stopping (now, then again) in a 1.1, held: person, calls 1",
		spends: "running stopping (now, then again) in a 1.1, held: person, tokens 5",
		"switches its model": "running stopping (now, then again) in a 1.1, held: person, notices 1",
		"saves data": "running stopping (now, then again) in a 1.1, held: person, findings 1",
		"asks for b": "refused: illegal",
		"asks for its own state": "refused: illegal",
		"asks for nowhere": "refused: illegal",
		ends: "running stopping (now, then again, ended) in a 1.1, held: person",
		"is out of time": "running stopping (now, then again, ended) in a 1.1, held: person",
		"is silent": "running stopping (now, then again, ended) in a 1.1, held: person",
	},
	"taken over": {
		"cannot start": "running stopping (now, then again, ended) in a 1.1",
		"calls a tool": "running stopping (now, then again) in a 1.1, open 1",
		"ends a call": "running stopping (now, then again) in a 1.1, calls 1",
		spends: "running stopping (now, then again) in a 1.1, tokens 5",
		"switches its model": "running stopping (now, then again) in a 1.1, notices 1",
		"saves data": "running stopping (now, then again) in a 1.1, findings 1",
		"asks for b": "refused: illegal",
		"asks for its own state": "refused: illegal",
		"asks for nowhere": "refused: illegal",
		ends: "running stopping (now, then again, ended) in a 1.1",
		"is out of time": "running stopping (now, then again, ended) in a 1.1",
		"is silent": "running stopping (now, then again, ended) in a 1.1",
	},
	"leaving by a move": {
		"cannot start": "running stopping (boundary, then enter, ended) in b 2.0",
		"calls a tool": "running stopping (boundary, then enter) in b 2.0, open 1",
		"ends a call": "running stopping (boundary, then enter) in b 2.0, calls 1",
		spends: "running stopping (boundary, then enter) in b 2.0, tokens 5",
		"switches its model": "running stopping (boundary, then enter) in b 2.0, notices 1",
		"saves data": "running stopping (boundary, then enter) in b 2.0, findings 1",
		"asks for b": "refused: illegal",
		"asks for its own state": "refused: illegal",
		"asks for nowhere": "refused: illegal",
		ends: "running stopping (boundary, then enter, ended) in b 2.0",
		"is out of time": "running stopping (boundary, then enter, ended) in b 2.0",
		"is silent": "running stopping (boundary, then enter, ended) in b 2.0",
	},
	"leaving to ask": {
		"cannot start": "running stopping (boundary, then ask, ended) in a 1.1",
		"calls a tool": "running stopping (boundary, then ask) in a 1.1, open 1",
		"ends a call": "running stopping (boundary, then ask) in a 1.1, calls 1",
		spends: "running stopping (boundary, then ask) in a 1.1, tokens 5",
		"switches its model": "running stopping (boundary, then ask) in a 1.1, notices 1",
		"saves data": "running stopping (boundary, then ask) in a 1.1, findings 1",
		"asks for b": "refused: illegal",
		"asks for its own state": "refused: illegal",
		"asks for nowhere": "refused: illegal",
		ends: "running stopping (boundary, then ask, ended) in a 1.1",
		"is out of time": "running stopping (boundary, then ask, ended) in a 1.1",
		"is silent": "running stopping (boundary, then ask, ended) in a 1.1",
	},
	"repeating the state": {
		"cannot start": "running stopping (boundary, then repeat, ended) in a 1.1",
		"calls a tool": "running stopping (boundary, then repeat) in a 1.1, open 1",
		"ends a call": "running stopping (boundary, then repeat) in a 1.1, calls 1",
		spends: "running stopping (boundary, then repeat) in a 1.1, tokens 5",
		"switches its model": "running stopping (boundary, then repeat) in a 1.1, notices 1",
		"saves data": "running stopping (boundary, then repeat) in a 1.1, findings 1",
		"asks for b": "refused: illegal",
		"asks for its own state": "refused: illegal",
		"asks for nowhere": "refused: illegal",
		ends: "running stopping (boundary, then repeat, ended) in a 1.1",
		"is out of time": "running stopping (boundary, then repeat, ended) in a 1.1",
		"is silent": "running stopping (boundary, then repeat, ended) in a 1.1",
	},
	measuring: {
		"has its files measured": "running launching in a 1.2",
	},
	asking: {},
	paused: {},
	over: {},
};

/** What came of a report: the refusal, or what has changed in the run. */
function outcome(testRun: TestRun, event: EventBody): string {
	const before = testRun.run;
	const { refusal, run } = testRun.say(event);
	if (refusal !== "") return `refused: ${refusal}`;
	const { stage, status, state, visit, attempt, outbox, hold, totals, calls, snapshot, notices } = run;
	const after =
		stage.kind === "stopping" ? ` (${stage.how}, then ${stage.after.kind}${stage.launch ? "" : ", ended"})` : "";
	const counts = {
		queued: outbox.length - before.outbox.length,
		tokens: totals.tokens - before.totals.tokens,
		calls: totals.toolCalls - before.totals.toolCalls,
		open: calls.open.length - before.calls.open.length,
		findings: snapshot.findings.length - before.snapshot.findings.length,
		notices: notices.length - before.notices.length,
	};
	const changed = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`, ${name} ${count}`]));
	return `${status} ${stage.kind}${after} in ${state} ${visit}.${attempt}${hold ? `, held: ${hold.cause}` : ""}${changed.join("")}`;
}

describe.each(Object.entries(stages))("%s: a worker", (name, bring) => {
	it.each(Object.entries(reports))("%s", (word, of) => {
		const testRun = bring();
		const before = testRun.run;
		const said = outcome(testRun, of(here(testRun)));
		expect(said).toBe(expected[name]?.[word] ?? "refused: stale");
		if (said.startsWith("refused")) expect(testRun.run).toBe(before);
	});
});
