// Requests of the user or a new supervisor, as events, and the run after each.
import type { EventBody } from "../../src/machine/index.ts";
import { EMPTY_SNAPSHOT } from "../../src/snapshot/index.ts";
import type { TestRun } from "./test-run.ts";

export const pause: EventBody = { kind: "pause_requested", cause: "person", detail: "lunch" };
export const rewind: EventBody = {
	...{ kind: "rewind_requested", to: 1, state: "a", tree: "t", snapshot: EMPTY_SNAPSHOT, pairMoves: {} },
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

/** All requests. An answer names what the run waits for, if it waits. */
export const requests: Readonly<Record<string, (run: TestRun["run"]) => EventBody>> = {
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

/** What came of an event: the refusal, or status, stage and place of the run; also what a stopped worker is followed by. */
export function outcomeOf(testRun: TestRun, event: EventBody): string {
	const { refusal, run } = testRun.say(event);
	if (refusal !== "") return `refused: ${refusal}`;
	const { stage, status, state, visit, outbox, hold } = run;
	const after = stage.kind === "stopping" ? ` (${stage.how}, then ${stage.after.kind})` : "";
	const more = `${outbox.length > 0 ? `, ${outbox.length} queued` : ""}${hold ? `, held: ${hold.cause}` : ""}`;
	return `${status} ${stage.kind}${after} in ${state} ${visit}${more}`;
}
