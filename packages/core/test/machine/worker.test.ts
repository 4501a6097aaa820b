// Workers: how they end, how often they are retried, what they spend, and what outlives them.
import { describe, expect, it } from "vitest";
import {
	allowanceOf,
	type EventBody,
	outboxOfLaunch,
	type TurnSettled,
	type WorkerOutcome,
} from "../../src/machine/index.ts";
import { EMPTY_SNAPSHOT, type FileChange } from "../../src/snapshot/index.ts";
import {
	ask,
	crash,
	definition,
	go,
	here,
	newTree,
	open,
	refold,
	reopen,
	rest,
	since,
	spend,
	start,
	type TestRun,
	where,
} from "./test-run.ts";

const template = (more: object = {}, state: object = {}) =>
	definition({ a: { persona: "A", next: ["b"], ...state }, b: { persona: "B", next: ["done"] } }, more);
const settle = (testRun: TestRun, stop: TurnSettled["stop"] = "finished") =>
	testRun.say({ kind: "turn_settled", ...here(testRun), stop });
const use = (testRun: TestRun, tokens: number, cost = 0) =>
	testRun.say({ kind: "used", ...here(testRun), spend: spend(tokens, cost) });
const end = (testRun: TestRun, outcome: WorkerOutcome) => {
	const { stage } = testRun.run;
	if (!("launch" in stage) || !stage.launch) throw new Error("no worker");
	return testRun.say({ kind: "worker_ended", ...stage.launch, outcome });
};

describe("a worker that stops without a transition", () => {
	it.each(["finished", "length", "aborted"] as const)(
		"is reminded twice in the same conversation, then the run pauses (%s)",
		(stop) => {
			const testRun = start(open(template()));
			for (let n = 1; n <= 2; n += 1) {
				settle(testRun, stop);
				const { text, message } = testRun.due("send");
				expect(text).toContain("workflow_transition");
				expect(text).toContain('"b"');
				testRun.say({ kind: "delivered", message });
			}
			settle(testRun, stop);
			rest(testRun);
			expect(where(testRun)).toBe("paused a 1.1.1");
			expect(testRun.run.hold?.cause).toBe("no_transition");
			expect(testRun.run.history).toEqual([]);
			testRun.say({ kind: "resumed", answers: since(testRun), words: "finish it" });
			expect(testRun.due("work")).toMatchObject({ because: "resumed", conversation: { kind: "continue", key: "1.1" } });
			expect(testRun.run.visitRecord.nudges).toBe(0);
		},
	);
	it("never moves by its text: only the tool call counts", () => {
		const testRun = start(open(template({ limits: { nudges: 0 } })));
		settle(testRun);
		expect(rest(testRun).run).toMatchObject({ state: "a", status: "paused" });
	});
});

describe("a worker that ends by itself", () => {
	it.each<WorkerOutcome>([
		{ kind: "exited", code: 0 },
		{ kind: "exited", code: 1 },
		{ kind: "killed", signal: "SIGKILL" },
		{ kind: "timed_out", limit: "idle" },
	])("is never a success: %j is retried once in the same conversation, then the run pauses", (outcome) => {
		const testRun = start(open(template()));
		use(testRun, 10);
		rest(end(testRun, outcome));
		expect(where(testRun)).toBe("running a 1.2.1");
		expect(testRun.due("work").conversation).toEqual({ kind: "continue", key: "1.1", optional: false });
		start(testRun);
		rest(end(testRun, outcome));
		expect(where(testRun)).toBe("paused a 1.2.1");
		expect(testRun.run.history).toEqual([]);
		testRun.say({ kind: "resumed", answers: since(testRun) });
		rest(crash(start(testRun)));
		expect(where(testRun)).toBe("running a 1.4.1");
	});
	it("retries can be disabled", () => {
		expect(where(rest(crash(start(open(template({ limits: { retries: 0 } }))))))).toBe("paused a 1.1.1");
	});
	it("pauses at its wall-clock limit, and the conversation continues afterwards", () => {
		const testRun = start(open(template()));
		use(testRun, 10);
		rest(end(testRun, { kind: "timed_out", limit: "wall" }));
		expect(testRun.run.hold).toMatchObject({ cause: "timeout" });
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(testRun.due("work").conversation).toMatchObject({ kind: "continue", key: "1.1" });
	});
	it("a repeated report is counted once", () => {
		const testRun = crash(start(open(template())));
		const { run } = testRun;
		testRun.say({ kind: "worker_ended", visit: 1, attempt: 1, launch: 1, outcome: { kind: "exited", code: 1 } });
		expect(testRun.refusal).toBe("stale");
		expect(testRun.run).toBe(run);
	});
});

describe("a provider that fails", () => {
	it.each(["quota", "auth"] as const)("%s pauses the run without another launch", (stop) => {
		const testRun = settle(start(open(template())), stop);
		rest(testRun);
		expect(testRun.run).toMatchObject({ status: "paused", hold: { cause: stop } });
		expect(testRun.events.filter(({ kind }) => kind === "attempt_reserved").length).toBe(1);
	});
	it("an unknown fault is retried once", () => {
		const testRun = settle(start(open(template())), "provider_error");
		rest(testRun);
		expect(testRun.due("work")).toMatchObject({ because: "provider_error", delayMs: 0 });
		settle(start(testRun), "provider_error");
		expect(rest(testRun).run).toMatchObject({ status: "paused", hold: { cause: "provider" } });
	});
});

describe("a launch that fails", () => {
	const fail = (testRun: TestRun, reason: Extract<EventBody, { kind: "launch_failed" }>["reason"]) => {
		if (testRun.run.stage.kind === "baselining")
			testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose: "baseline", tree: "t" });
		return testRun.say({
			kind: "launch_failed",
			...testRun.due("work").launch,
			reason,
			detail: `because of ${reason}`,
		});
	};
	it.each([
		["rules", "guard"],
		["persona", "launch"],
		["model", "launch"],
		["tools", "launch"],
		["handshake", "launch"],
	] as const)("%s pauses the run and never advances it", (reason, cause) => {
		const testRun = fail(open(template()), reason);
		expect(where(testRun)).toBe("paused a 1.1.1");
		expect(testRun.run.hold).toMatchObject({ cause, detail: `because of ${reason}` });
		expect(testRun.run.history).toEqual([]);
	});
	it("a process that could not be started is retried once", () => {
		const testRun = fail(open(template()), "spawn");
		expect(where(testRun)).toBe("running a 1.2.1");
		expect(where(fail(testRun, "spawn"))).toBe("paused a 1.2.1");
	});
	it("a lost conversation is replaced by the next attempt, with a notice", () => {
		const testRun = start(open(template()));
		use(testRun, 5);
		rest(crash(testRun));
		fail(testRun, "session_lost");
		expect(where(testRun)).toBe("running a 1.3.1");
		expect(testRun.due("work")).toMatchObject({ because: "session_lost", conversation: { kind: "new", key: "1.3" } });
		expect(testRun.run.notices.at(-1)).toBe("because of session_lost");
		use(start(testRun), 7);
		expect(testRun.run.totals.tokens).toBe(12);
	});
});

describe("totals", () => {
	it("counts a conversation's usage once, however reports repeat, arrive late or get lost", () => {
		const testRun = start(open(template()));
		use(testRun, 10, 0.1);
		use(testRun, 10, 0.1);
		use(testRun, 30, 0.3);
		use(testRun, 20, 0.2);
		expect(testRun.run.totals).toMatchObject({ tokens: 30, costUsd: 0.3 });
		rest(crash(testRun));
		// The next worker continues the conversation and reports all of its usage, including what was never reported.
		use(start(testRun), 50, 0.5);
		expect(testRun.run.totals).toMatchObject({ tokens: 50, costUsd: 0.5, attempts: 2 });
		go(testRun, "b");
		expect(testRun.run.history.at(-1)?.metrics).toMatchObject({ attempts: 2, tokens: 50, costUsd: 0.5 });
		use(start(testRun), 8, 0.01);
		expect(testRun.run.totals).toMatchObject({ tokens: 58, costUsd: 0.51 });
		expect(testRun.run.states).toMatchObject({ a: { tokens: 50, attempts: 2 }, b: { tokens: 8, attempts: 1 } });
	});
	it("what a worker spends after its move counts for the state that it left", () => {
		const testRun = start(open(template()));
		use(testRun, 10);
		ask(testRun, "b");
		testRun.say({ kind: "used", visit: 1, attempt: 1, spend: spend(15) });
		testRun.say({ kind: "used", visit: 1, attempt: 1, spend: spend(15) });
		rest(testRun);
		expect(testRun.run.totals.tokens).toBe(15);
		expect(testRun.run.states).toMatchObject({ a: { tokens: 15 }, b: { tokens: 0 } });
		expect(testRun.run.history.at(-1)?.metrics.tokens).toBe(15);
		start(testRun);
		testRun.say({ kind: "used", visit: 1, attempt: 1, spend: spend(99) });
		expect(testRun.refusal).toBe("stale");
	});
	it("count time while a worker runs, not while the run waits", () => {
		const testRun = start(open(template()));
		settle(testRun.wait(9000));
		go(testRun.wait(1000), "b");
		const { activeMs } = testRun.run.totals;
		expect(activeMs).toBe(12_000);
		testRun.wait(3_600_000).say({ kind: "told", text: "x" });
		expect(testRun.run.totals.activeMs).toBe(activeMs);
		expect(testRun.run.history.at(-1)?.metrics.activeMs).toBe(activeMs);
	});
	it("counts tool calls and keeps the last of them", () => {
		const testRun = start(open(template()));
		for (let n = 1; n <= 30; n += 1) {
			testRun.say({
				kind: "tool_started",
				...here(testRun),
				call: `c${n}`,
				tool: "bash",
				args: `{"command":"step ${n}"}`,
			});
			testRun.say({
				kind: "tool_ended",
				...here(testRun),
				call: `c${n}`,
				tool: "bash",
				ms: 1,
				bytes: 2,
				hash: "0",
				...(n === 30 ? { error: true } : {}),
			});
		}
		expect(testRun.run.totals.toolCalls).toBe(30);
		expect(testRun.run.calls.recent.length).toBe(8);
		expect(testRun.run.calls.recent.at(-1)).toEqual({ tool: "bash", args: '{"command":"step 30"}', failed: true });
	});
});

describe("ceilings", () => {
	it("stops the worker at the end of the message that crosses it, keeps its work, launches nothing more", () => {
		const testRun = start(open(template({ limits: { cost_usd: 1 } })));
		use(testRun, 10, 0.5);
		expect(testRun.run.stage.kind).toBe("working");
		use(testRun, 20, 1.2);
		expect(testRun.due("end_worker").how).toBe("boundary");
		rest(testRun);
		expect(where(testRun)).toBe("budget_exceeded a 1.1.1");
		expect(testRun.run.hold?.detail).toContain("$1.20 of $1.00");
		expect(testRun.actions).toEqual([]);
	});
	it("the user raises one above the spending, and the same conversation continues", () => {
		const testRun = start(open(template({ limits: { cost_usd: 1 } })));
		rest(use(testRun, 20, 1.2));
		const answers = since(testRun);
		testRun.say({ kind: "resumed", answers });
		expect(testRun.refusal).toBe("limit");
		for (const costUsd of [1, 1.2]) {
			testRun.say({ kind: "limits_changed", limits: { costUsd } });
			expect(testRun.refusal).toBe("limit");
		}
		testRun.say({ kind: "limits_changed", limits: { costUsd: 3 } });
		testRun.say({ kind: "resumed", answers });
		expect(testRun.due("work")).toMatchObject({
			because: "resumed",
			conversation: { kind: "continue", key: "1.1" },
			allowance: { costUsd: 1.8 },
		});
		expect(testRun.run.visit).toBe(1);
	});
	it("a move requested in the crossing message counts, and the run stops before the next launch", () => {
		const testRun = start(open(template({ limits: { tokens: 100 } })));
		use(testRun, 120);
		go(testRun, "b");
		expect(where(testRun)).toBe("budget_exceeded b 2.0.0");
		const last = start(open(definition({ a: { persona: "A", next: ["done"] } }, { limits: { tokens: 100 } })));
		use(last, 120);
		expect(go(last, "done").run.status).toBe("done");
	});
	it("an allowance is the rest of the tighter ceiling, reserved before the launch", () => {
		const testRun = open(template({ limits: { tokens: 100, minutes: 2 } }, { limits: { tokens: 30 } }));
		testRun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "t" });
		expect(testRun.events.at(-1)?.kind).toBe("attempt_reserved");
		expect(testRun.due("work").allowance).toMatchObject({ tokens: 30, activeMs: 120_000 });
		start(testRun);
		use(testRun, 25);
		rest(crash(testRun));
		expect(testRun.due("work").allowance.tokens).toBe(5);
	});
	it("spending after a move, time and revisits count too: nothing is launched at a limit", () => {
		const late = start(open(template({ limits: { tokens: 100 } })));
		use(late, 60);
		ask(late, "b");
		late.say({ kind: "used", visit: 1, attempt: 1, spend: spend(120) });
		rest(late);
		expect(where(late)).toBe("budget_exceeded b 2.0.0");
		const slow = start(open(template({ limits: { minutes: 1 } })));
		go(slow.wait(61_000), "b");
		expect(where(slow)).toBe("budget_exceeded b 2.0.0");
		const again = start(
			open(
				definition({
					a: { persona: "A", next: ["b"], limits: { tokens: 30 } },
					b: { persona: "B", next: ["a"] },
				}),
			),
		);
		use(again, 30);
		ask(again, "b");
		rest(again);
		again.say({ kind: "resumed", answers: since(again) });
		go(start(again), "a");
		expect(where(again)).toBe("budget_exceeded a 3.0.0");
	});
	it("after a change of the ceilings a worker's allowance excludes the time it has already used", () => {
		const testRun = start(open(template({ limits: { minutes: 10, cost_usd: 1 } })));
		use(testRun.wait(8 * 60_000), 10, 0.25);
		const { at } = testRun.events.at(-1) ?? { at: "" };
		testRun.say({ kind: "limits_changed", limits: { costUsd: 2 } });
		expect(allowanceOf(testRun.run, at)).toMatchObject({ costUsd: 1.75, activeMs: 2 * 60_000 });
	});
	it("a ceiling of a state stops the run in that state only", () => {
		const testRun = start(open(template({}, { limits: { tokens: 30 } })));
		rest(use(testRun, 30));
		expect(testRun.run.hold?.detail).toContain("tokens of a");
		testRun.say({ kind: "limits_changed", limits: { tokens: 40 }, state: "a" });
		testRun.say({ kind: "resumed", answers: since(testRun) });
		go(start(testRun), "b");
		use(start(testRun), 1000);
		expect(testRun.run.stage.kind).toBe("working");
	});
	it("a token ceiling bounds a model without a price, and can exclude cache reads", () => {
		const testRun = start(open(template({ limits: { tokens: 100, cache_reads: "ignore" } })));
		const cached = { ...spend(0), cacheRead: 5000, tokens: 5050, unmeteredTokens: 5050 };
		testRun.say({ kind: "used", ...here(testRun), spend: cached });
		expect(testRun.run.stage.kind).toBe("working");
		expect(testRun.run.totals).toMatchObject({ costUsd: 0, unmeteredTokens: 5050 });
		testRun.say({ kind: "used", ...here(testRun), spend: { ...cached, tokens: 5100 } });
		expect(testRun.run.stage.kind).toBe("stopping");
	});
	it("a time ceiling stops the run", () => {
		const testRun = start(open(template({ limits: { minutes: 1 } })));
		rest(end(testRun.wait(61_000), { kind: "timed_out", limit: "budget" }));
		expect(where(testRun)).toBe("budget_exceeded a 1.1.1");
	});
	it("a warning is given once before the ceiling, and again after it is raised", () => {
		const testRun = start(open(template({ limits: { cost_usd: 1 } })));
		use(testRun, 1, 0.79);
		expect(testRun.run.notices).toEqual([]);
		use(testRun, 1, 0.8);
		use(testRun, 1, 0.9);
		expect(testRun.run.notices).toEqual(["80 % of the limit on cost is used ($0.80 of $1.00)."]);
		testRun.say({ kind: "limits_changed", limits: { costUsd: 1.05 } });
		use(testRun, 1, 0.95);
		expect(testRun.run.notices.length).toBe(2);
	});
	it("a ceiling of zero is not reached by a model that costs nothing", () => {
		const testRun = start(open(template({ limits: { cost_usd: 0 } })));
		use(testRun, 1000, 0);
		expect(testRun.run.stage.kind).toBe("working");
		use(testRun, 1001, 0.001);
		expect(testRun.run.stage.kind).toBe("stopping");
	});
	it("a ceiling of zero on time lets no worker start", () => {
		const testRun = open(template({ limits: { minutes: 0 } }));
		testRun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: newTree() });
		expect(where(testRun)).toBe("budget_exceeded a 1.0.0");
		expect(testRun.run.hold?.detail).toBe("The limit on time is 0, so nothing may be spent.");
	});
	it("a worker whose model costs more than the rest does not start, and the run waits with budget_exceeded", () => {
		const testRun = open(template({ limits: { cost_usd: 0 } }));
		testRun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: newTree() });
		const { launch } = testRun.due("work");
		testRun.say({ kind: "launch_failed", ...launch, reason: "budget", detail: "Nothing may be spent." });
		expect(where(testRun)).toBe("budget_exceeded a 1.1.1");
	});
});

describe("time", () => {
	const hour = 3_600_000;
	it("that the clock skipped does not count, in either direction", () => {
		for (const ms of [12 * hour, -hour]) {
			const testRun = start(open(template({ limits: { minutes: 600 } })));
			testRun.wait(60_000);
			use(testRun, 1);
			testRun.wait(ms).say({ kind: "clock_jumped", ms });
			expect(testRun.run.notices).toHaveLength(1);
			use(testRun.wait(60_000), 2);
			expect(testRun.run.stage.kind).toBe("working");
			crash(testRun.wait(60_000));
			expect(testRun.run.totals.activeMs).toBe(180_000);
			expect(refold(testRun.events)).toEqual(testRun.run);
		}
	});
	it("in which the user is asked does not count, even with a clock jump in it or without an answer", () => {
		const asked = () => {
			const testRun = start(open(template()));
			return testRun.wait(10_000).say({ kind: "ask_opened", ...here(testRun), title: "May it?", text: "" });
		};
		const answered = asked();
		answered.wait(hour).say({ kind: "clock_jumped", ms: hour / 2 });
		answered.wait(hour).say({ kind: "ask_answered", answers: answered.run.questions[0]?.id ?? 0, verdict: "allowed" });
		crash(answered.wait(5000));
		expect(answered.run.totals.activeMs).toBe(15_000);
		const open_ = asked();
		rest(open_.wait(hour).say({ kind: "pause_requested", cause: "person", detail: "x" }));
		expect(open_.run.totals.activeMs).toBe(10_000);
	});
});

describe("cleanup", () => {
	const withCleanup = template({}, { cleanup: ["one", { command: "two", on_failure: "pause" }] });
	const cleaned = (testRun: TestRun) => testRun.events.filter(({ kind }) => kind === "cleanup_ended").length;
	it.each<[string, (testRun: TestRun) => TestRun]>([
		["a move", (testRun) => ask(testRun, "b")],
		["a repetition", (testRun) => ask(testRun, "a")],
		["a crash", crash],
		["a time limit", (testRun) => end(testRun, { kind: "timed_out", limit: "wall" })],
		["an abort", (testRun) => testRun.say({ kind: "abort_requested" })],
		["a pause", (testRun) => testRun.say({ kind: "pause_requested", cause: "person", detail: "x" })],
		["a ceiling", (testRun) => use(testRun, 60_000_000)],
		["no transition", (testRun) => settle(settle(settle(testRun)))],
		["a dead supervisor", reopen],
	])("runs after %s, before anything else", (_, happen) => {
		const testRun = happen(start(open(withCleanup)));
		rest(testRun);
		expect(cleaned(testRun)).toBe(2);
		const kinds = testRun.events.map(({ kind }) => kind);
		expect(kinds.indexOf("cleanup_ended")).toBeGreaterThan(kinds.indexOf("worker_ended"));
		expect(
			kinds.lastIndexOf("attempt_reserved") > kinds.lastIndexOf("cleanup_ended") ||
				testRun.run.stage.kind !== "launching",
		).toBe(true);
	});
	it("a failure is reported and the run continues, or pauses if the template says so", () => {
		const testRun = ask(start(open(withCleanup)), "b");
		end(testRun, { kind: "stopped" });
		testRun.say({ kind: "cleanup_ended", visit: 1, index: 0, result: { kind: "timed_out" } });
		expect(testRun.run.hold).toBeNull();
		expect(testRun.run.notices.at(-1)).toContain("its time limit");
		testRun.say({ kind: "cleanup_ended", visit: 1, index: 1, result: { kind: "exited", code: 3 } });
		rest(testRun);
		expect(where(testRun)).toBe("paused b 2.0.0");
		expect(testRun.run.hold).toMatchObject({ cause: "cleanup" });
	});
	it("nothing runs without approval of the exact commands", () => {
		const testRun = ask(start(open(withCleanup, { approve: false })), "b");
		end(testRun, { kind: "stopped" });
		expect(testRun.due("measure_files").purpose).toBe("changes");
	});
	it("is pending again after a crash, from the first command that is not recorded", () => {
		const testRun = ask(start(open(withCleanup)), "b");
		end(testRun, { kind: "stopped" });
		testRun.say({ kind: "cleanup_ended", visit: 1, index: 0, result: { kind: "exited", code: 0 } });
		reopen(testRun);
		expect(testRun.due("clean_up").index).toBe(1);
	});
});

describe("a supervisor that takes over", () => {
	it("continues the same attempt and its conversation, and knows the calls in flight", () => {
		const testRun = start(open(template()));
		use(testRun, 10);
		testRun.say({
			kind: "tool_started",
			...here(testRun),
			call: "c1",
			tool: "bash",
			args: '{"command":"make deploy"}',
		});
		reopen(testRun);
		expect(testRun.due("end_worker").how).toBe("now");
		rest(end(testRun, { kind: "lost" }));
		expect(where(testRun)).toBe("running a 1.1.2");
		expect(testRun.due("work")).toMatchObject({
			because: "interrupted",
			conversation: { kind: "continue", key: "1.1", optional: false },
		});
		expect(testRun.run.calls.interrupted.calls).toEqual([
			{ call: "c1", tool: "bash", args: '{"command":"make deploy"}' },
		]);
		start(testRun);
		expect(testRun.run.calls.interrupted.calls.length).toBe(1);
		use(testRun, 20);
		expect(testRun.run.calls.interrupted.calls).toEqual([]);
		expect(testRun.run.totals.attempts).toBe(1);
	});
	it("a worker that had not reported anything may start its conversation over, with all its messages", () => {
		const testRun = open(template());
		testRun.say({ kind: "told", text: "mind the gap" });
		start(testRun);
		expect(testRun.run.outbox).toMatchObject([{ given: true }]);
		reopen(testRun);
		rest(end(testRun, { kind: "lost" }));
		const { conversation, delayMs } = testRun.due("work");
		expect(conversation).toEqual({ kind: "continue", key: "1.1", optional: true });
		expect(delayMs, "nothing failed that needs a wait").toBe(0);
		expect(testRun.run.outbox.length).toBe(1);
		use(start(testRun), 5);
		expect(testRun.run.outbox).toEqual([]);
	});
	it("honors an accepted move: no worker of the old state is launched again", () => {
		const testRun = start(open(template()));
		ask(testRun, "b");
		reopen(testRun);
		rest(end(testRun, { kind: "lost" }));
		expect(where(testRun)).toBe("running b 2.1.1");
		expect(testRun.run.history.length).toBe(1);
	});
	it("does nothing while the run waits", () => {
		const testRun = rest(crash(start(open(template({ limits: { retries: 0 } })))));
		const before = { ...testRun.run, seq: 0, updatedAt: "" };
		reopen(testRun);
		expect({ ...testRun.run, seq: 0, updatedAt: "" }).toEqual(before);
	});
});

describe("the user's messages and stops", () => {
	it("a message reaches a running worker at once, otherwise the next one", () => {
		const testRun = start(open(template()));
		testRun.say({ kind: "told", text: "use tabs" });
		const { message, text } = testRun.due("send");
		expect(text).toBe("use tabs");
		testRun.say({ kind: "delivered", message });
		testRun.say({ kind: "delivered", message });
		expect(testRun.refusal).toBe("stale");
		expect(testRun.run.outbox).toEqual([]);
		rest(crash(testRun));
		testRun.say({ kind: "told", text: "later" });
		expect(testRun.actions.some(({ kind }) => kind === "send")).toBe(false);
		start(testRun);
		expect(testRun.due("send").text).toBe("later");
	});
	it("a message is part of a launch's first message or is sent after it, never both", () => {
		const testRun = open(template());
		testRun.say({ kind: "told", text: "early" });
		testRun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "t" });
		testRun.say({ kind: "told", text: "late" });
		expect(testRun.run.stage.kind).toBe("launching");
		expect(outboxOfLaunch(testRun.run).map(({ text }) => text)).toEqual(["early"]);
		start(testRun);
		expect(testRun.due("send").text).toBe("late");
	});
	it("queued messages are limited", () => {
		const testRun = open(template());
		for (let n = 0; n < 30; n += 1) testRun.say({ kind: "told", text: `${n}` });
		expect(testRun.refusal).toBe("limit");
		expect(testRun.run.outbox.length).toBe(20);
		const other = open(template());
		other.say({ kind: "told", text: "x".repeat(8001) });
		expect(other.refusal).toBe("limit");
	});
	it("a pause stops the worker at its boundary, a second one at once, as does a pause while it starts", () => {
		const testRun = start(open(template()));
		const pause = { kind: "pause_requested", cause: "person", detail: "lunch" } as const;
		testRun.say(pause);
		expect(testRun.due("end_worker").how).toBe("boundary");
		testRun.say(pause);
		expect(testRun.due("end_worker").how).toBe("now");
		expect(where(rest(testRun))).toBe("paused a 1.1.1");
		testRun.say({ kind: "resumed", answers: since(testRun) });
		testRun.say(pause);
		expect(testRun.due("end_worker").how).toBe("now");
		testRun.say({ kind: "launch_failed", ...testRun.due("end_worker").launch, reason: "spawn", detail: "stopped" });
		expect(where(rest(testRun))).toBe("paused a 1.2.1");
	});
	it("an abort replaces every pending action", () => {
		for (const before of [
			(testRun: TestRun) => testRun,
			(testRun: TestRun) => ask(testRun, "b"),
			(testRun: TestRun) => ask(testRun, "a"),
			(testRun: TestRun) => crash(testRun),
			(testRun: TestRun) => use(testRun, 60_000_000),
			(testRun: TestRun) => testRun.say({ kind: "pause_requested", cause: "person", detail: "x" }),
		]) {
			const testRun = before(start(open(template())));
			rest(testRun.say({ kind: "abort_requested", words: "stop" }));
			expect(testRun.run.status).toBe("aborted");
			expect(testRun.actions).toEqual([]);
		}
	});
});

describe("rewind", () => {
	const rewind = (testRun: TestRun, to: number, state: string, tree: string) =>
		testRun.say({
			kind: "rewind_requested",
			to,
			state,
			tree,
			snapshot: refold(testRun.events.slice(0, 3)).snapshot,
			pairMoves: {},
		});
	it("stops the worker, restores the files, opens a new visit there and waits", () => {
		const testRun = start(open(template()), "first".padEnd(40, "0"));
		testRun.say({ kind: "snapshot_updated", ...here(testRun), by: "worker", data: { findings: [{ text: "fact" }] } });
		go(testRun, "b");
		start(testRun);
		rewind(testRun, 1, "a", "first".padEnd(40, "0"));
		rest(testRun);
		expect(testRun.due("restore_files").tree).toBe("first".padEnd(40, "0"));
		testRun.say({ kind: "files_restored", tree: "first".padEnd(40, "0"), before: "f".repeat(40) });
		expect(where(testRun)).toBe("paused a 3.0.0");
		expect(testRun.run).toMatchObject({
			hold: { cause: "rewound" },
			pairMoves: {},
			baseline: { tree: "first".padEnd(40, "0") },
		});
		expect(testRun.run.snapshot.findings).toEqual([]);
		expect(testRun.run.snapshot.nextId).toBe(2);
		expect(testRun.run.history.at(-1)).toMatchObject({ from: "b", to: "a", cause: "rewind" });
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(testRun.due("work")).toMatchObject({
			state: "a",
			launch: { visit: 3, attempt: 1 },
			conversation: { kind: "new" },
		});
	});
	it("is possible after the end, and refused to an unknown visit or state", () => {
		const testRun = go(start(open(definition({ a: { persona: "A", next: ["done"] } }))), "done");
		rewind(testRun, 9, "a", "t");
		expect(testRun.refusal).toBe("illegal");
		rewind(testRun, 1, "nowhere", "t");
		expect(testRun.refusal).toBe("unknown_state");
		rewind(testRun, 1, "a", "t");
		testRun.say({ kind: "files_restored", tree: "t", before: "u" });
		expect(where(testRun)).toBe("paused a 3.0.0");
	});
	it.each<[string, (testRun: TestRun) => TestRun]>([
		["a pause", (testRun) => rest(testRun.say({ kind: "pause_requested", cause: "person", detail: "x" }))],
		["an end", (testRun) => rest(testRun.say({ kind: "abort_requested" }))],
		["a question", (testRun) => rest(ask(testRun, "b"))],
	])("that fails leaves the run where it was: %s", (_, bring) => {
		const testRun = bring(start(open(template({}, { requires_approval: true }))));
		const { seq: _seq, updatedAt: _at, notices: _notices, ...before } = testRun.run;
		rewind(testRun, 1, "a", "t");
		testRun.due("restore_files");
		testRun.say({ kind: "files_unrestored", tree: "t", detail: "no space" });
		expect(testRun.run).toMatchObject(before);
		expect(testRun.run.notices.at(-1)).toContain("no space");
	});
	it("that fails after stopping the worker leaves the run paused in its state", () => {
		const testRun = start(open(template()));
		rest(rewind(testRun, 1, "a", "t"));
		testRun.say({ kind: "files_unrestored", tree: "t", detail: "no space" });
		expect(testRun.run).toMatchObject({ status: "paused", state: "a", visit: 1, hold: { cause: "workspace" } });
	});
});

it.each<[changes: FileChange[] | undefined, more: number, said: string]>([
	[undefined, 0, ""],
	[[], 0, " No file had to be changed."],
	[[{ path: "a", change: "M" }], 0, " 1 file changed: a."],
	[
		[
			{ path: "b", from: "a", change: "R" },
			{ path: "c", change: "D" },
		],
		3,
		" 5 files changed: a → b, c and 3 more.",
	],
])("a rewind names the files that it has changed: %j and %d more", (changes, more, said) => {
	const testRun = rest(start(open(template())).say({ kind: "pause_requested", cause: "person", detail: "" }));
	testRun.say({ kind: "rewind_requested", to: 1, state: "a", tree: "t", snapshot: EMPTY_SNAPSHOT, pairMoves: {} });
	testRun.say({ kind: "files_restored", tree: "t", before: "u", ...(changes ? { changes } : {}), more });
	expect(testRun.run.hold?.detail).toBe(`Files and run are back at the start of visit 1.${said}`);
});

describe("what a rewind did not bring back", () => {
	const file = (n: number) => ({ path: `f${n}`, why: "busy" });
	it.each<[left: number, more: number, said: string]>([
		[0, 0, ""],
		[1, 0, "f1 (busy)"],
		[2, 0, "f1 (busy), f2 (busy)"],
		[6, 0, "f1 (busy), f2 (busy), f3 (busy), f4 (busy), f5 (busy) and 1 more"],
		[1, 3, "f1 (busy) and 3 more"],
	])("%d files and %d unlisted ones are named or counted", (left, more, said) => {
		const testRun = rest(start(open(template())).say({ kind: "pause_requested", cause: "person", detail: "" }));
		testRun.say({ kind: "rewind_requested", to: 1, state: "a", tree: "t", snapshot: EMPTY_SNAPSHOT, pairMoves: {} });
		const files = Array.from({ length: left }, (_, n) => file(n + 1));
		testRun.say({ kind: "files_restored", tree: "t", before: "u", left: files, leftMore: more });
		expect(testRun.run.hold?.detail).toBe(
			`Files and run are back at the start of visit 1.${said && ` Not brought back: ${said}.`}`,
		);
		expect(testRun.run.notices).toEqual(said ? [`Not brought back by the rewind: ${said}`] : []);
	});
});
