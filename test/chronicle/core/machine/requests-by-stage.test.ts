// Every stage of a run × every request of the user or a new supervisor: what is accepted, and the run after it.
import { describe, expect, it } from "vitest";
import type { EventBody } from "../../../../src/chronicle/core/machine/index.ts";
import { EMPTY_SNAPSHOT } from "../../../../src/chronicle/core/snapshot/index.ts";
import { ask, definition, go, newTree, open, reopen, rest, start, type TestRun } from "./test-run.ts";

const template = (approval: unknown = false, more: object = {}) =>
	definition(
		{ a: { persona: "A", next: ["b"], requires_approval: approval }, b: { persona: "B", next: ["a", "done"] } },
		more,
	);
const pause: EventBody = { kind: "pause_requested", cause: "person", detail: "lunch" };
const rewind: EventBody = {
	...{ kind: "rewind_requested", to: 1, state: "a", tree: "t", snapshot: EMPTY_SNAPSHOT, pairMoves: {} },
};
const measured = (testRun: TestRun) =>
	testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose: "baseline", tree: newTree() });

/** A run brought to each stage. */
const stages: Readonly<Record<string, () => TestRun>> = {
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

const answers = ({ stage }: TestRun["run"]): number =>
	stage.kind === "asking"
		? stage.question.seq
		: stage.kind === "waiting" || stage.kind === "over"
			? stage.since
			: stage.kind === "stopping" && stage.after.kind === "ask"
				? (stage.after.earlier?.seq ?? 0)
				: 0;
const diff = ({ stage }: TestRun["run"]) => (stage.kind === "asking" ? stage.question.diff : "");

/** What can be said. An answer names what the run waits for, if it waits. */
const events: Readonly<Record<string, (run: TestRun["run"]) => EventBody>> = {
	approve: (run) => ({ kind: "approved", answers: answers(run), diff: diff(run) }),
	reject: (run) => ({ kind: "rejected", answers: answers(run), words: "no" }),
	resume: (run) => ({ kind: "resumed", answers: answers(run) }),
	release: (run) => ({ kind: "released", answers: answers(run) }),
	"release to b": (run) => ({ kind: "released", answers: answers(run), to: "b" }),
	"release to nowhere": (run) => ({ kind: "released", answers: answers(run), to: "nowhere" }),
	"release as done": (run) => ({ kind: "released", answers: answers(run), done: true }),
	reopen: (run) => ({ kind: "reopened", answers: answers(run), to: "b" }),
	"reopen nowhere": (run) => ({ kind: "reopened", answers: answers(run), to: "nowhere" }),
	pause: () => pause,
	"pause for a quota": () => ({ ...pause, cause: "quota" }) as EventBody,
	abort: () => ({ kind: "abort_requested", words: "stop" }),
	rewind: () => rewind,
	tell: () => ({ kind: "told", text: "hello" }),
	"tell an earlier visit": () => ({ kind: "told", text: "hello", seen: { visit: 9 } }) as EventBody,
	"raise tokens": () => ({ kind: "limits_changed", limits: { tokens: 1_000_000 } }),
	"limit moves": () => ({ kind: "limits_changed", limits: { moves: 1 } }),
	"limit nowhere": () => ({ kind: "limits_changed", limits: { tokens: 1 }, state: "nowhere" }),
	"change the model": () => ({ kind: "model_changed", model: "m2" }),
	"take over": () => ({ kind: "opened", host: "h", pid: 3, started: "u" }),
};

/** What comes of it. What is not listed is an answer that the stage does not wait for: `refused: answered`. */
const expected: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	baselining: {
		pause: "running baselining in a 1, held: person",
		"pause for a quota": "running baselining in a 1, held: quota",
		abort: "aborted over in a 1",
		rewind: "running restoring in a 1",
		tell: "running baselining in a 1, 1 queued",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "running baselining in a 1",
		"limit moves": "running baselining in a 1",
		"limit nowhere": "refused: unknown_state",
		"change the model": "running baselining in a 1",
		"take over": "running baselining in a 1",
	},
	launching: {
		pause: "running stopping (now, then again) in a 1, held: person",
		"pause for a quota": "running stopping (now, then again) in a 1, held: quota",
		abort: "running stopping (now, then finish) in a 1",
		rewind: "running stopping (now, then rewind) in a 1",
		tell: "running launching in a 1, 1 queued",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "running launching in a 1",
		"limit moves": "running launching in a 1",
		"limit nowhere": "refused: unknown_state",
		"change the model": "running launching in a 1",
		"take over": "running stopping (now, then again) in a 1",
	},
	working: {
		pause: "running stopping (boundary, then again) in a 1, held: person",
		"pause for a quota": "running stopping (now, then again) in a 1, held: quota",
		abort: "running stopping (now, then finish) in a 1",
		rewind: "running stopping (now, then rewind) in a 1",
		tell: "running working in a 1, 1 queued",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "running working in a 1",
		"limit moves": "running working in a 1",
		"limit nowhere": "refused: unknown_state",
		"change the model": "running working in a 1",
		"take over": "running stopping (now, then again) in a 1",
	},
	"stopping at a boundary": {
		pause: "running stopping (now, then again) in a 1, held: person",
		"pause for a quota": "running stopping (now, then again) in a 1, held: person",
		abort: "running stopping (now, then finish) in a 1, held: person",
		rewind: "running stopping (now, then rewind) in a 1, held: person",
		tell: "running stopping (boundary, then again) in a 1, 1 queued, held: person",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "running stopping (boundary, then again) in a 1, held: person",
		"limit moves": "running stopping (boundary, then again) in a 1, held: person",
		"limit nowhere": "refused: unknown_state",
		"change the model": "running stopping (boundary, then again) in a 1, held: person",
		"take over": "running stopping (now, then again) in a 1, held: person",
	},
	"stopping at once": {
		pause: "running stopping (now, then again) in a 1, held: person",
		"pause for a quota": "running stopping (now, then again) in a 1, held: person",
		abort: "running stopping (now, then finish) in a 1, held: person",
		rewind: "running stopping (now, then rewind) in a 1, held: person",
		tell: "running stopping (now, then again) in a 1, 1 queued, held: person",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "running stopping (now, then again) in a 1, held: person",
		"limit moves": "running stopping (now, then again) in a 1, held: person",
		"limit nowhere": "refused: unknown_state",
		"change the model": "running stopping (now, then again) in a 1, held: person",
		"take over": "running stopping (now, then again) in a 1, held: person",
	},
	"leaving by a move": {
		pause: "running stopping (now, then enter) in b 2, held: person",
		"pause for a quota": "running stopping (now, then enter) in b 2, held: quota",
		abort: "running stopping (now, then finish) in b 2",
		rewind: "running stopping (now, then rewind) in b 2",
		tell: "running stopping (boundary, then enter) in b 2, 1 queued",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "running stopping (boundary, then enter) in b 2",
		"limit moves": "refused: limit",
		"limit nowhere": "refused: unknown_state",
		"change the model": "running stopping (boundary, then enter) in b 2",
		"take over": "running stopping (now, then enter) in b 2",
	},
	"asking to leave": {
		approve: "running baselining in b 2",
		reject: "running launching in a 1, 1 queued",
		release: "refused: unexpected",
		"release to b": "running baselining in b 2",
		"release to nowhere": "refused: unknown_state",
		"release as done": "done over in a 1",
		pause: "refused: unexpected",
		"pause for a quota": "refused: unexpected",
		abort: "aborted over in a 1",
		rewind: "running restoring in a 1",
		tell: "awaiting_approval asking in a 1, 1 queued",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "awaiting_approval asking in a 1",
		"limit moves": "awaiting_approval asking in a 1",
		"limit nowhere": "refused: unknown_state",
		"change the model": "awaiting_approval asking in a 1",
		"take over": "awaiting_approval stopping (now, then ask) in a 1",
	},
	"asking to enter": {
		approve: "running launching in a 1",
		reject: "paused waiting in a 1, 1 queued, held: person",
		release: "refused: unexpected",
		"release to b": "running baselining in b 2",
		"release to nowhere": "refused: unknown_state",
		"release as done": "done over in a 1",
		pause: "refused: unexpected",
		"pause for a quota": "refused: unexpected",
		abort: "aborted over in a 1",
		rewind: "running restoring in a 1",
		tell: "awaiting_approval asking in a 1, 1 queued",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "awaiting_approval asking in a 1",
		"limit moves": "awaiting_approval asking in a 1",
		"limit nowhere": "refused: unknown_state",
		"change the model": "awaiting_approval asking in a 1",
		"take over": "awaiting_approval asking in a 1",
	},
	"asking again": {
		pause: "awaiting_approval stopping (now, then ask) in a 1, held: person",
		"pause for a quota": "awaiting_approval stopping (now, then ask) in a 1, held: quota",
		abort: "running stopping (now, then finish) in a 1",
		rewind: "running stopping (now, then rewind) in a 1",
		tell: "awaiting_approval stopping (now, then ask) in a 1, 1 queued",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "awaiting_approval stopping (now, then ask) in a 1",
		"limit moves": "awaiting_approval stopping (now, then ask) in a 1",
		"limit nowhere": "refused: unknown_state",
		"change the model": "awaiting_approval stopping (now, then ask) in a 1",
		"take over": "awaiting_approval stopping (now, then ask) in a 1",
	},
	paused: {
		resume: "running launching in a 1",
		release: "refused: unexpected",
		"release to b": "running baselining in b 2",
		"release to nowhere": "refused: unknown_state",
		"release as done": "done over in a 1",
		pause: "refused: unexpected",
		"pause for a quota": "refused: unexpected",
		abort: "aborted over in a 1",
		rewind: "running restoring in a 1, held: person",
		tell: "paused waiting in a 1, 1 queued, held: person",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "paused waiting in a 1, held: person",
		"limit moves": "paused waiting in a 1, held: person",
		"limit nowhere": "refused: unknown_state",
		"change the model": "paused waiting in a 1, held: person",
		"take over": "paused waiting in a 1, held: person",
	},
	"at a ceiling": {
		resume: "refused: limit",
		release: "refused: unexpected",
		"release to b": "budget_exceeded waiting in b 2, held: budget",
		"release to nowhere": "refused: unknown_state",
		"release as done": "done over in a 1",
		pause: "refused: unexpected",
		"pause for a quota": "refused: unexpected",
		abort: "aborted over in a 1",
		rewind: "running restoring in a 1, held: budget",
		tell: "budget_exceeded waiting in a 1, 1 queued, held: budget",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "budget_exceeded waiting in a 1, held: budget",
		"limit moves": "budget_exceeded waiting in a 1, held: budget",
		"limit nowhere": "refused: unknown_state",
		"change the model": "budget_exceeded waiting in a 1, held: budget",
		"take over": "budget_exceeded waiting in a 1, held: budget",
	},
	"at a cap": {
		resume: "refused: unexpected",
		release: "running baselining in a 4",
		"release to b": "running baselining in b 4",
		"release to nowhere": "refused: unknown_state",
		"release as done": "done over in human_intervention 3",
		pause: "refused: unexpected",
		"pause for a quota": "refused: unexpected",
		abort: "aborted over in human_intervention 3",
		rewind: "running restoring in human_intervention 3",
		tell: "human_intervention waiting in human_intervention 3, 1 queued",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "human_intervention waiting in human_intervention 3",
		"limit moves": "refused: limit",
		"limit nowhere": "refused: unknown_state",
		"change the model": "human_intervention waiting in human_intervention 3",
		"take over": "human_intervention waiting in human_intervention 3",
	},
	"with a person": {
		resume: "refused: unexpected",
		release: "running baselining in a 3",
		"release to b": "running baselining in b 3",
		"release to nowhere": "refused: unknown_state",
		"release as done": "done over in human_intervention 2",
		pause: "refused: unexpected",
		"pause for a quota": "refused: unexpected",
		abort: "aborted over in human_intervention 2",
		rewind: "running restoring in human_intervention 2",
		tell: "human_intervention waiting in human_intervention 2, 1 queued",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "human_intervention waiting in human_intervention 2",
		"limit moves": "human_intervention waiting in human_intervention 2",
		"limit nowhere": "refused: unknown_state",
		"change the model": "human_intervention waiting in human_intervention 2",
		"take over": "human_intervention waiting in human_intervention 2",
	},
	restoring: {
		pause: "running restoring in a 1, held: person",
		"pause for a quota": "running restoring in a 1, held: person",
		abort: "aborted over in a 1",
		rewind: "refused: unexpected",
		tell: "running restoring in a 1, 1 queued, held: person",
		"tell an earlier visit": "refused: earlier",
		"raise tokens": "running restoring in a 1, held: person",
		"limit moves": "running restoring in a 1, held: person",
		"limit nowhere": "refused: unknown_state",
		"change the model": "running restoring in a 1, held: person",
		"take over": "running restoring in a 1, held: person",
	},
	over: {
		reopen: "running baselining in b 2",
		"reopen nowhere": "refused: unknown_state",
		pause: "refused: over",
		"pause for a quota": "refused: over",
		abort: "refused: over",
		rewind: "running restoring in a 1",
		tell: "refused: over",
		"tell an earlier visit": "refused: over",
		"raise tokens": "refused: over",
		"limit moves": "refused: over",
		"limit nowhere": "refused: over",
		"change the model": "refused: over",
		"take over": "aborted over in a 1",
	},
};

/** What came of an event: the refusal, or status, stage and place of the run; also what a stopped worker is followed by. */
function outcome(testRun: TestRun, event: EventBody): string {
	const { refusal, run } = testRun.say(event);
	if (refusal !== "") return `refused: ${refusal}`;
	const { stage, status, state, visit, outbox, hold } = run;
	const after = stage.kind === "stopping" ? ` (${stage.how}, then ${stage.after.kind})` : "";
	const more = `${outbox.length > 0 ? `, ${outbox.length} queued` : ""}${hold ? `, held: ${hold.cause}` : ""}`;
	return `${status} ${stage.kind}${after} in ${state} ${visit}${more}`;
}

describe.each(Object.entries(stages))("a run that is %s", (name, bring) => {
	it.each(Object.entries(events))("%s", (word, of) => {
		const testRun = bring();
		const before = testRun.run;
		const said = outcome(testRun, of(before));
		expect(said).toBe(expected[name]?.[word] ?? "refused: answered");
		if (said.startsWith("refused")) expect(testRun.run).toBe(before);
	});
});
