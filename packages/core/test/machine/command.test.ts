// The command of a state: where the run goes by its outcome, repetition, an unknown outcome.
import { describe, expect, it } from "vitest";
import { shortTime } from "../../src/definition/index.ts";
import type { CommandEnded, EventBody } from "../../src/machine/index.ts";
import { definition, type OpenOptions, open, type TestRun } from "./test-run.ts";

const test = { command: "npm test", next: ["review", "build"] };
const others = {
	review: { persona: "R", next: ["build", "done"] },
	build: { persona: "B", next: ["test"] },
	done: {},
	failed: {},
};

/** A run whose command is about to start. */
function due(state: object = test, more: object = {}, options: OpenOptions = {}): TestRun {
	const run = open(definition({ test: state, ...others }, more), options);
	return measured(run, "baseline", "t0");
}

function measured(run: TestRun, purpose: "baseline" | "changes", tree: string): TestRun {
	const { stage, visit } = run.run;
	return run.say({
		kind: "files_measured",
		visit: stage.kind === "stopping" ? stage.visit : visit,
		purpose,
		tree,
		...(purpose === "changes" ? { changes: [] } : {}),
	});
}

const here = ({ run: { visit, attempt, launch } }: TestRun) => ({ visit, attempt, launch });

const started = (run: TestRun): TestRun =>
	run.say({ kind: "command_started", ...here(run), command: "npm test", file: "/f.log" });

const ended = (run: TestRun, result: CommandEnded["result"], more: Partial<CommandEnded> = {}): TestRun =>
	run.say({ kind: "command_ended", ...here(run), result, ms: 1000, bytes: 3, output: "out", print: "p1", ...more });

const code = (code: number) => ({ kind: "exited", code }) as const;

const goes = (state: object, result: CommandEnded["result"], more: Partial<CommandEnded> = {}): TestRun =>
	ended(started(due(state)), result, more);

/** `next` that goes to `target` where the comparison holds, else to `build`. */
const comparison = (when: string, target: string): object =>
	JSON.parse(JSON.stringify({ when, target, else: "build" }).replace('"target"', '"then"'));

describe("the next state of a command", () => {
	const codes = { command: "x", next: { 0: "review", 3: "failed", 127: "build", else: "build" } };
	const only = { command: "x", next: ["review"] };
	it.each<[string, object, CommandEnded["result"], string | RegExp]>([
		["success", test, code(0), "review"],
		["failure", test, code(1), "build"],
		["a signal", test, { kind: "killed", signal: "SIGSEGV", code: 139 }, "build"],
		["a listed code", codes, code(3), "failed"],
		["another code", codes, code(4), "build"],
		["a listed code that shells use", codes, code(127), "build"],
		["a program that is not found", test, code(127), /not found \(exit code 127\)/],
		["a program that is not executable", test, code(126), /not executable/],
		["a failure without a state for it", only, code(1), /`next` names no state for that/],
		["a time limit", test, { kind: "timed_out" }, /took longer than 10m/],
		["no start", test, { kind: "unstarted", detail: "ENOENT" }, /could not be started: ENOENT/],
		["a refusal", test, { kind: "refused", detail: "no" }, /may not run: no/],
	])("%s", (_, state, result, target) => {
		const { run } = goes(state, result);
		if (typeof target === "string") expect(run.state).toBe(target);
		else {
			expect(run.state).toBe("test");
			expect(run.hold?.detail).toMatch(target);
			expect(run.hold?.status).toBe("paused");
		}
	});

	it("is decided by the data that it prints; data that does not fit is no success", () => {
		const output = { type: "object" };
		const next = JSON.parse(`{ "when": "{output.test.failed} == 0", "then": "review", "else": {
			"when": "{output.test.kind} != \\"flaky\\"", "then": "build", "else": "failed" } }`);
		const state = { command: "x", parse: "json", output, next };
		const by = (data: unknown, exit = 0) => goes(state, code(exit), { data }).run.state;
		expect(by({ failed: 0 })).toBe("review");
		expect(by({ failed: 0 }, 1)).toBe("review");
		expect(by({ failed: "0", kind: "real" }, 1)).toBe("build");
		expect(by({ failed: 2, kind: "flaky" }, 1)).toBe("failed");
		expect(by({ failed: 2 }, 1), "a value that is not there").toBe("failed");
		const { run } = goes(state, code(0), { problems: ["No JSON."] });
		expect(run.hold?.detail).toContain("succeeded, but its data does not fit: No JSON.");
		expect(goes(state, code(1), { problems: ["No JSON."] }).run.state).toBe("failed");
		expect(goes(state, code(0), { data: { failed: 0 } }).run.snapshot.outputs).toMatchObject([
			{ state: "test", data: { failed: 0 } },
		]);
	});

	it("is not decided by the data of an earlier visit", () => {
		const next = comparison("{output.test.failed} == 0", "test");
		const state = { command: "x", parse: "json", output: { type: "object" }, next };
		const once = measured(goes(state, code(0), { data: { failed: 0 } }), "changes", "t1");
		expect(once.due("run_command").launch).toEqual({ visit: 1, attempt: 2, launch: 1 });
		expect(ended(started(once), code(1), { problems: ["No JSON."] }).run.state).toBe("build");
	});

	it("a last state ends the run: as done, or as failed with the exit code", () => {
		const last = (result: CommandEnded["result"]) =>
			measured(ended(started(due({ command: "x", next: [] })), result), "changes", "t0").run;
		expect(last(code(0))).toMatchObject({ status: "done", state: "test" });
		expect(last(code(2))).toMatchObject({ status: "failed", state: "test" });
		expect(last(code(2)).notices.at(-1)).toContain("failed with exit code 2");
	});

	it("hands over the command, its end, its time and the end of its output", () => {
		const { run } = goes(test, code(1), { ms: 12_300, bytes: 5000, output: "1 failed", isCut: true });
		expect(run.snapshot.summaries).toMatchObject([
			{
				state: "test",
				visit: 1,
				text: "`npm test` failed with exit code 1 after 12.3s. The last 8 of 5000 bytes of its output:\n1 failed",
			},
		]);
		expect(run.totals.activeMs).toBe(1000);
		// All of it, without the end of its last line.
		const whole = goes(test, code(1), { ms: 12_300, bytes: 9, output: "1 failed" }).run;
		expect(whole.snapshot.summaries[0]?.text).toMatch(/ Its output:\n1 failed$/);
	});
});

describe("another try", () => {
	it("is made as often as `attempts` says, after a timeout or a failed start, and again once the user resumes", () => {
		let run = due({ ...test, attempts: 2 });
		for (const result of [{ kind: "timed_out" }, code(127)] as const) {
			run = measured(ended(started(run), result), "changes", "t0");
			expect(run.run.state).toBe("test");
		}
		expect(run.run).toMatchObject({ status: "paused", attempt: 2, hold: { cause: "command" } });
		const { stage } = run.run;
		run = run.say({ kind: "resumed", answers: stage.kind === "waiting" ? stage.since : 0, by: "person" } as EventBody);
		expect(run.due("run_command").launch).toEqual({ visit: 1, attempt: 3, launch: 1 });
		expect(ended(started(run), code(0)).run.state).toBe("review");
	});
});

describe("a command that follows itself", () => {
	const retried = (count: number, limits: object, state: object = {}): TestRun => {
		let run = due({ command: "x", next: ["review", "test"], ...state }, { limits });
		for (let round = 1; round <= count; round += 1)
			run = measured(ended(started(run), code(1), { print: `p${round}` }), "changes", `t${round}`);
		return run;
	};
	it("is tried as often as a worker, whatever its `attempts` for a failed start", () => {
		expect(retried(4, {}).run).toMatchObject({ state: "test", attempt: 5 });
		expect(retried(5, {}).run).toMatchObject({ state: "human_intervention", refused: { cause: "attempt_limit" } });
		expect(retried(5, { attempts: 7 }).run).toMatchObject({ state: "test", attempt: 6 });
		expect(retried(5, {}, { limits: { attempts: 9 } }).run).toMatchObject({ state: "test", attempt: 6 });
		const slow = retried(2, {}, { attempts: 2 });
		expect(measured(ended(started(slow), { kind: "timed_out" }), "changes", "t3").run).toMatchObject({ attempt: 4 });
	});
});

describe("a command that is stopped at its time", () => {
	const stopped = (minutes: number) =>
		ended(started(due(test, { limits: { minutes } })).wait(60_000), { kind: "timed_out" }).run;
	it("counts its last try once toward the limit of the run", () => {
		expect(stopped(1.5).hold?.cause).toBe("timeout");
		const { hold, totals } = stopped(1);
		expect(totals.activeMs).toBeLessThan(100_000);
		expect(hold?.detail).toBe(`The limit on time is reached: ${shortTime(totals.activeMs)} of 1m00s.`);
	});
});

describe("the same failure with the same files", () => {
	const failing = (
		count: number,
		more: (round: number) => Partial<CommandEnded> & { tree?: string },
		state: object = test,
	): TestRun => {
		let run = due(state, { limits: { pair_moves: 40, moves: 40 } });
		for (let round = 1; round <= count && run.run.state === "test"; round += 1) {
			const { tree = "t0", ...fields } = more(round);
			const { visit } = run.run;
			run = ended(started(run), code(1), fields);
			run = run.say({ kind: "files_measured", visit, purpose: "changes", tree, changes: [] });
			if (run.run.state !== "build") return run;
			const worker = here(run);
			run = run.say({ kind: "worker_started", ...worker, pid: 1, model: "m", conversation: "new" });
			run = run.say({ kind: "move_requested", ...worker, target: "test", summary: `round ${round}` });
			run = run.say({ kind: "worker_ended", ...worker, outcome: { kind: "stopped" } });
			run = run.say({ kind: "files_measured", visit: worker.visit, purpose: "changes", tree, changes: [] });
		}
		return run;
	};
	it("sends the run to the user after `no_progress` times", () => {
		expect(failing(5, () => ({})).run).toMatchObject({
			state: "human_intervention",
			refused: { from: "test", to: "build", cause: "no_progress" },
		});
		expect(failing(2, () => ({})).run.state).toBe("test");
	});
	it("is none if the output or the files differ, or the state is polling", () => {
		expect(failing(5, (round) => ({ print: `p${round}` })).run.state).toBe("test");
		expect(failing(5, (round) => ({ tree: `t${round}` })).run.state).toBe("test");
		expect(failing(5, () => ({}), { ...test, polling: true }).run.state).toBe("test");
	});
});

describe("a command that was cut off", () => {
	const self = { kind: "opened", host: "h", pid: 2, started: "s" } as const;
	const cutOff = (state: object, how: { readonly setBack?: true } = {}): TestRun => {
		const run = started(due(state)).say({ ...self, ...how });
		expect(run.due("end_command").launch).toEqual(here(run));
		return measured(ended(run, { kind: "lost" }), "changes", "t0");
	};
	const answer = (run: TestRun, words: string) =>
		run.say({ kind: "ask_answered", answers: run.run.question?.seq ?? 0, verdict: "answered", words });

	it("runs again if it is repeatable, or has not started", () => {
		expect(cutOff({ ...test, repeatable: true }).due("run_command").launch).toEqual({
			visit: 1,
			attempt: 1,
			launch: 2,
		});
		const reserved = due().say(self);
		expect(measured(ended(reserved, { kind: "lost" }), "changes", "t0").due("run_command").launch.launch).toBe(2);
	});

	it("asks the user how it ended, and the ledger has the answer", () => {
		const asked = cutOff(test);
		expect(asked.run).toMatchObject({
			status: "asks",
			question: { call: "", choices: ["run again", "success", "failure"] },
		});
		const undone = "what the command changed in the files is undone";
		expect(asked.run.question?.text).not.toContain(undone);
		expect(cutOff(test, { setBack: true }).run.question?.text).toContain(undone);
		expect(asked.due("ask_user").question.text).toContain("npm test");
		expect(answer(asked, "what?").message).toContain("run again, success, failure");
		expect(answer(cutOff(test), "Run  again").due("run_command").launch.launch).toBe(2);
		const success = answer(cutOff(test), "success");
		expect(success.run).toMatchObject({ state: "review", question: null });
		expect(success.run.decisions).toMatchObject([{ did: "answered", words: "success" }]);
		expect(success.run.snapshot.summaries.at(-1)?.text).toContain("the user took it as a success");
		expect(answer(cutOff(test), "FAILURE").run.state).toBe("build");
		expect(answer(cutOff({ command: "x", next: ["review"] }), "failure").run.hold?.detail).toContain(
			"Nothing follows a failure",
		);
		const codes = cutOff({ command: "x", next: { 0: "review", 1: "failed", else: "build" } });
		expect(answer(codes, "failure").run.state, "it has no exit code").toBe("build");
		const listed = (next: object, words: string) => answer(cutOff({ command: "x", next }), words).run.state;
		expect(listed({ 0: "review", 1: "failed" }, "failure"), "nothing else to go by").toBe("failed");
		expect(listed({ 1: "failed", 3: "build" }, "success")).toBe("test");
		const last = (words: string) => measured(answer(cutOff({ command: "x", next: [] }), words), "changes", "t0").run;
		expect([last("success").status, last("failure").status]).toEqual(["done", "failed"]);
		expect(last("failure").notices.at(-1)).toMatch(/was cut off, so its outcome is unknown\.$/);
	});

	it("is no success where its data decides", () => {
		const next = comparison("{output.test.n} == 0", "review");
		const asked = cutOff({ command: "x", parse: "json", output: { type: "object" }, next });
		expect(asked.run.question).toMatchObject({ choices: ["run again", "failure"] });
		expect(asked.run.question?.text).toContain("Run it again, or take it as a failure?");
		expect(answer(asked, "success").message).toContain("Answer one of: run again, failure.");
		expect(answer(asked, "failure").run.state).toBe("build");
	});

	it("by a pause: the question comes once the user resumes; what ended meanwhile counts", () => {
		const pause = { kind: "pause_requested", cause: "person", detail: "stop" } as const;
		const paused = started(due()).say(pause);
		expect(paused.due("end_command").how).toBe("boundary");
		expect(measured(ended(paused, code(0)), "changes", "t0").run).toMatchObject({
			state: "review",
			hold: { cause: "person" },
		});
		const stopped = measured(ended(started(due()).say(pause), { kind: "stopped" }), "changes", "t0");
		expect(stopped.run).toMatchObject({ status: "paused", hold: { cause: "person" } });
		const { stage } = stopped.run;
		const resumed = stopped.say({ kind: "resumed", answers: stage.kind === "waiting" ? stage.since : 0 } as EventBody);
		expect(resumed.run).toMatchObject({ status: "asks", hold: { cause: "question" } });
	});

	it("reports of another try change nothing", () => {
		const run = started(due());
		const other = run.say({ kind: "command_ended", visit: 1, attempt: 2, launch: 1, result: code(0), ms: 1, bytes: 0 });
		expect(other.refusal).toBe("stale");
		expect(other.run.state).toBe("test");
	});
});

it("a rejected move of a command waits instead of running it again", () => {
	const run = measured(goes({ ...test, requires_approval: "exit" }, code(0)), "changes", "t0");
	const { question } = run.due("ask_approval");
	const rejected = run.say({ kind: "rejected", answers: question.seq, words: "not yet" } as EventBody);
	expect(rejected.run).toMatchObject({ status: "paused", state: "test" });
	expect(rejected.run.hold?.detail).toContain("Its command runs again when the run is resumed");
});
