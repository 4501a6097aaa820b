// Workers: how they end, how often they are retried, what they spend, and what outlives them.
import { describe, expect, it } from "vitest";
import {
	allowanceOf,
	type EventBody,
	outboxOfLaunch,
	type TurnSettled,
	type WorkerOutcome,
} from "../../../../src/chronicle/core/machine/index.ts";
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
	type Theatre,
	where,
} from "./theatre.ts";

const template = (more: object = {}, state: object = {}) =>
	definition({ a: { persona: "A", next: ["b"], ...state }, b: { persona: "B", next: ["done"] } }, more);
const settle = (theatre: Theatre, stop: TurnSettled["stop"] = "finished") =>
	theatre.say({ kind: "turn_settled", ...here(theatre), stop });
const use = (theatre: Theatre, tokens: number, cost = 0) =>
	theatre.say({ kind: "used", ...here(theatre), spend: spend(tokens, cost) });
const end = (theatre: Theatre, outcome: WorkerOutcome) => {
	const { stage } = theatre.run;
	if (!("launch" in stage) || !stage.launch) throw new Error("no worker");
	return theatre.say({ kind: "worker_ended", ...stage.launch, outcome });
};

describe("a worker that stops without a transition", () => {
	it.each(["finished", "length", "aborted"] as const)(
		"is reminded twice in the same conversation, then the run pauses (%s)",
		(stop) => {
			const theatre = start(open(template()));
			for (let n = 1; n <= 2; n += 1) {
				settle(theatre, stop);
				const { text, message } = theatre.due("send");
				expect(text).toContain("workflow_transition");
				expect(text).toContain('"b"');
				theatre.say({ kind: "delivered", message });
			}
			settle(theatre, stop);
			rest(theatre);
			expect(where(theatre)).toBe("paused a 1.1.1");
			expect(theatre.run.hold?.cause).toBe("no_transition");
			expect(theatre.run.history).toEqual([]);
			theatre.say({ kind: "resumed", answers: since(theatre), words: "finish it" });
			expect(theatre.due("work")).toMatchObject({ because: "resumed", conversation: { kind: "continue", key: "1.1" } });
			expect(theatre.run.visitRecord.nudges).toBe(0);
		},
	);
	it("never moves by its text: only the tool call counts", () => {
		const theatre = start(open(template({ limits: { nudges: 0 } })));
		settle(theatre);
		expect(rest(theatre).run).toMatchObject({ state: "a", status: "paused" });
	});
});

describe("a worker that ends by itself", () => {
	it.each<WorkerOutcome>([
		{ kind: "exited", code: 0 },
		{ kind: "exited", code: 1 },
		{ kind: "killed", signal: "SIGKILL" },
		{ kind: "timed_out", limit: "idle" },
	])("is never a success: %j is retried once in the same conversation, then the run pauses", (outcome) => {
		const theatre = start(open(template()));
		use(theatre, 10);
		rest(end(theatre, outcome));
		expect(where(theatre)).toBe("running a 1.2.1");
		expect(theatre.due("work").conversation).toEqual({ kind: "continue", key: "1.1", optional: false });
		start(theatre);
		rest(end(theatre, outcome));
		expect(where(theatre)).toBe("paused a 1.2.1");
		expect(theatre.run.history).toEqual([]);
		theatre.say({ kind: "resumed", answers: since(theatre) });
		rest(crash(start(theatre)));
		expect(where(theatre)).toBe("running a 1.4.1");
	});
	it("retries can be disabled", () => {
		expect(where(rest(crash(start(open(template({ limits: { retries: 0 } }))))))).toBe("paused a 1.1.1");
	});
	it("pauses at its wall-clock limit, and the conversation continues afterwards", () => {
		const theatre = start(open(template()));
		use(theatre, 10);
		rest(end(theatre, { kind: "timed_out", limit: "wall" }));
		expect(theatre.run.hold).toMatchObject({ cause: "timeout" });
		theatre.say({ kind: "resumed", answers: since(theatre) });
		expect(theatre.due("work").conversation).toMatchObject({ kind: "continue", key: "1.1" });
	});
	it("a repeated report is counted once", () => {
		const theatre = crash(start(open(template())));
		const { run } = theatre;
		theatre.say({ kind: "worker_ended", visit: 1, attempt: 1, launch: 1, outcome: { kind: "exited", code: 1 } });
		expect(theatre.refusal).toBe("stale");
		expect(theatre.run).toBe(run);
	});
});

describe("a provider that fails", () => {
	it.each(["quota", "auth"] as const)("%s pauses the run without another launch", (stop) => {
		const theatre = settle(start(open(template())), stop);
		rest(theatre);
		expect(theatre.run).toMatchObject({ status: "paused", hold: { cause: stop } });
		expect(theatre.events.filter(({ kind }) => kind === "attempt_reserved").length).toBe(1);
	});
	it("a transient fault is retried after a delay, a limited number of times", () => {
		const theatre = settle(start(open(template())), "transient");
		rest(theatre);
		const work = theatre.due("work");
		expect(work.delayMs).toBeGreaterThan(0);
		expect(work.because).toBe("provider_error");
		settle(start(theatre), "transient");
		expect(rest(theatre).run).toMatchObject({ status: "paused", hold: { cause: "provider" } });
	});
});

describe("a launch that fails", () => {
	const fail = (theatre: Theatre, reason: Extract<EventBody, { kind: "launch_failed" }>["reason"]) => {
		if (theatre.run.stage.kind === "baselining")
			theatre.say({ kind: "files_measured", visit: theatre.run.visit, purpose: "baseline", tree: "t" });
		return theatre.say({
			kind: "launch_failed",
			...theatre.due("work").launch,
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
		const theatre = fail(open(template()), reason);
		expect(where(theatre)).toBe("paused a 1.1.1");
		expect(theatre.run.hold).toMatchObject({ cause, detail: `because of ${reason}` });
		expect(theatre.run.history).toEqual([]);
	});
	it("a process that could not be started is retried once", () => {
		const theatre = fail(open(template()), "spawn");
		expect(where(theatre)).toBe("running a 1.2.1");
		expect(where(fail(theatre, "spawn"))).toBe("paused a 1.2.1");
	});
	it("a lost conversation is replaced by the next attempt, with a notice", () => {
		const theatre = start(open(template()));
		use(theatre, 5);
		rest(crash(theatre));
		fail(theatre, "session_lost");
		expect(where(theatre)).toBe("running a 1.3.1");
		expect(theatre.due("work")).toMatchObject({ because: "session_lost", conversation: { kind: "new", key: "1.3" } });
		expect(theatre.run.notices.at(-1)).toBe("because of session_lost");
		use(start(theatre), 7);
		expect(theatre.run.totals.tokens).toBe(12);
	});
});

describe("totals", () => {
	it("counts a conversation's usage once, however reports repeat, arrive late or get lost", () => {
		const theatre = start(open(template()));
		use(theatre, 10, 0.1);
		use(theatre, 10, 0.1);
		use(theatre, 30, 0.3);
		use(theatre, 20, 0.2);
		expect(theatre.run.totals).toMatchObject({ tokens: 30, costUsd: 0.3 });
		rest(crash(theatre));
		// The next worker goes on with the conversation and reports it whole, what was never reported included.
		use(start(theatre), 50, 0.5);
		expect(theatre.run.totals).toMatchObject({ tokens: 50, costUsd: 0.5, attempts: 2 });
		go(theatre, "b");
		expect(theatre.run.history.at(-1)?.metrics).toMatchObject({ attempts: 2, tokens: 50, costUsd: 0.5 });
		use(start(theatre), 8, 0.01);
		expect(theatre.run.totals).toMatchObject({ tokens: 58, costUsd: 0.51 });
		expect(theatre.run.states).toMatchObject({ a: { tokens: 50, attempts: 2 }, b: { tokens: 8, attempts: 1 } });
	});
	it("what a worker spends after its move counts for the state that it left", () => {
		const theatre = start(open(template()));
		use(theatre, 10);
		ask(theatre, "b");
		theatre.say({ kind: "used", visit: 1, attempt: 1, spend: spend(15) });
		theatre.say({ kind: "used", visit: 1, attempt: 1, spend: spend(15) });
		rest(theatre);
		expect(theatre.run.totals.tokens).toBe(15);
		expect(theatre.run.states).toMatchObject({ a: { tokens: 15 }, b: { tokens: 0 } });
		expect(theatre.run.history.at(-1)?.metrics.tokens).toBe(15);
		start(theatre);
		theatre.say({ kind: "used", visit: 1, attempt: 1, spend: spend(99) });
		expect(theatre.refusal).toBe("stale");
	});
	it("count time while a worker runs, not while the run waits", () => {
		const theatre = start(open(template()));
		settle(theatre.wait(9000));
		go(theatre.wait(1000), "b");
		const { activeMs } = theatre.run.totals;
		expect(activeMs).toBe(12_000);
		theatre.wait(3_600_000).say({ kind: "told", text: "x" });
		expect(theatre.run.totals.activeMs).toBe(activeMs);
		expect(theatre.run.history.at(-1)?.metrics.activeMs).toBe(activeMs);
	});
	it("counts tool calls and keeps the last of them", () => {
		const theatre = start(open(template()));
		for (let n = 1; n <= 30; n += 1) {
			theatre.say({
				kind: "tool_started",
				...here(theatre),
				call: `c${n}`,
				tool: "bash",
				args: `{"command":"step ${n}"}`,
			});
			theatre.say({
				kind: "tool_ended",
				...here(theatre),
				call: `c${n}`,
				tool: "bash",
				ms: 1,
				bytes: 2,
				hash: "0",
				...(n === 30 ? { error: true } : {}),
			});
		}
		expect(theatre.run.totals.toolCalls).toBe(30);
		expect(theatre.run.calls.recent.length).toBe(8);
		expect(theatre.run.calls.recent.at(-1)).toEqual({ tool: "bash", args: '{"command":"step 30"}', failed: true });
	});
});

describe("ceilings", () => {
	it("stops the worker at the end of the message that crosses it, keeps its work, launches nothing more", () => {
		const theatre = start(open(template({ limits: { cost_usd: 1 } })));
		use(theatre, 10, 0.5);
		expect(theatre.run.stage.kind).toBe("working");
		use(theatre, 20, 1.2);
		expect(theatre.due("end_worker").how).toBe("boundary");
		rest(theatre);
		expect(where(theatre)).toBe("budget_exceeded a 1.1.1");
		expect(theatre.run.hold?.detail).toContain("$1.20 of $1.00");
		expect(theatre.actions).toEqual([]);
	});
	it("the user raises one above the spending, and the same conversation continues", () => {
		const theatre = start(open(template({ limits: { cost_usd: 1 } })));
		rest(use(theatre, 20, 1.2));
		const answers = since(theatre);
		theatre.say({ kind: "resumed", answers });
		expect(theatre.refusal).toBe("limit");
		for (const costUsd of [1, 1.2]) {
			theatre.say({ kind: "limits_changed", limits: { costUsd } });
			expect(theatre.refusal).toBe("limit");
		}
		theatre.say({ kind: "limits_changed", limits: { costUsd: 3 } });
		theatre.say({ kind: "resumed", answers });
		expect(theatre.due("work")).toMatchObject({
			because: "resumed",
			conversation: { kind: "continue", key: "1.1" },
			allowance: { costUsd: 1.8 },
		});
		expect(theatre.run.visit).toBe(1);
	});
	it("a move requested in the crossing message counts, and the run stops before the next launch", () => {
		const theatre = start(open(template({ limits: { tokens: 100 } })));
		use(theatre, 120);
		go(theatre, "b");
		expect(where(theatre)).toBe("budget_exceeded b 2.0.0");
		const last = start(open(definition({ a: { persona: "A", next: ["done"] } }, { limits: { tokens: 100 } })));
		use(last, 120);
		expect(go(last, "done").run.status).toBe("done");
	});
	it("an allowance is the rest of the tighter ceiling, reserved before the launch", () => {
		const theatre = open(template({ limits: { tokens: 100, minutes: 2 } }, { limits: { tokens: 30 } }));
		theatre.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "t" });
		expect(theatre.events.at(-1)?.kind).toBe("attempt_reserved");
		expect(theatre.due("work").allowance).toMatchObject({ tokens: 30, activeMs: 120_000 });
		start(theatre);
		use(theatre, 25);
		rest(crash(theatre));
		expect(theatre.due("work").allowance.tokens).toBe(5);
	});
	it("spending after a move, time and revisits count too: nothing is launched at a ceiling", () => {
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
		const theatre = start(open(template({ limits: { minutes: 10, cost_usd: 1 } })));
		use(theatre.wait(8 * 60_000), 10, 0.25);
		const { at } = theatre.events.at(-1) ?? { at: "" };
		theatre.say({ kind: "limits_changed", limits: { costUsd: 2 } });
		expect(allowanceOf(theatre.run, at)).toMatchObject({ costUsd: 1.75, activeMs: 2 * 60_000 });
	});
	it("a ceiling of a state stops the run in that state only", () => {
		const theatre = start(open(template({}, { limits: { tokens: 30 } })));
		rest(use(theatre, 30));
		expect(theatre.run.hold?.detail).toContain("tokens of a");
		theatre.say({ kind: "limits_changed", limits: { tokens: 40 }, state: "a" });
		theatre.say({ kind: "resumed", answers: since(theatre) });
		go(start(theatre), "b");
		use(start(theatre), 1000);
		expect(theatre.run.stage.kind).toBe("working");
	});
	it("a token ceiling bounds a model without a price, and can exclude cache reads", () => {
		const theatre = start(open(template({ limits: { tokens: 100, cache_reads: "ignore" } })));
		const cached = { ...spend(0), cacheRead: 5000, tokens: 5050, unmeteredTokens: 5050 };
		theatre.say({ kind: "used", ...here(theatre), spend: cached });
		expect(theatre.run.stage.kind).toBe("working");
		expect(theatre.run.totals).toMatchObject({ costUsd: 0, unmeteredTokens: 5050 });
		theatre.say({ kind: "used", ...here(theatre), spend: { ...cached, tokens: 5100 } });
		expect(theatre.run.stage.kind).toBe("stopping");
	});
	it("a time ceiling stops the run", () => {
		const theatre = start(open(template({ limits: { minutes: 1 } })));
		rest(end(theatre.wait(61_000), { kind: "timed_out", limit: "budget" }));
		expect(where(theatre)).toBe("budget_exceeded a 1.1.1");
	});
	it("a warning is given once before the ceiling, and again after it is raised", () => {
		const theatre = start(open(template({ limits: { cost_usd: 1 } })));
		use(theatre, 1, 0.79);
		expect(theatre.run.notices).toEqual([]);
		use(theatre, 1, 0.8);
		use(theatre, 1, 0.9);
		expect(theatre.run.notices).toEqual(["80 % of the ceiling on cost is used ($0.8000 of $1.00)."]);
		theatre.say({ kind: "limits_changed", limits: { costUsd: 1.05 } });
		use(theatre, 1, 0.95);
		expect(theatre.run.notices.length).toBe(2);
	});
	it("a ceiling of zero is not reached by a model that costs nothing", () => {
		const theatre = start(open(template({ limits: { cost_usd: 0 } })));
		use(theatre, 1000, 0);
		expect(theatre.run.stage.kind).toBe("working");
		use(theatre, 1001, 0.001);
		expect(theatre.run.stage.kind).toBe("stopping");
	});
	it("a ceiling of zero on time lets no worker start", () => {
		const theatre = open(template({ limits: { minutes: 0 } }));
		theatre.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: newTree() });
		expect(where(theatre)).toBe("budget_exceeded a 1.0.0");
		expect(theatre.run.hold?.detail).toBe("The ceiling on time is 0, so nothing may be spent.");
	});
	it("a worker whose model costs more than the rest does not start, and the run waits with budget_exceeded", () => {
		const theatre = open(template({ limits: { cost_usd: 0 } }));
		theatre.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: newTree() });
		const { launch } = theatre.due("work");
		theatre.say({ kind: "launch_failed", ...launch, reason: "budget", detail: "Nothing may be spent." });
		expect(where(theatre)).toBe("budget_exceeded a 1.1.1");
	});
});

describe("time", () => {
	const hour = 3_600_000;
	it("that the clock skipped does not count, in either direction", () => {
		for (const ms of [12 * hour, -hour]) {
			const theatre = start(open(template({ limits: { minutes: 600 } })));
			theatre.wait(60_000);
			use(theatre, 1);
			theatre.wait(ms).say({ kind: "clock_jumped", ms });
			expect(theatre.run.notices).toHaveLength(1);
			use(theatre.wait(60_000), 2);
			expect(theatre.run.stage.kind).toBe("working");
			crash(theatre.wait(60_000));
			expect(theatre.run.totals.activeMs).toBe(180_000);
			expect(refold(theatre.events)).toEqual(theatre.run);
		}
	});
	it("in which the user is asked does not count, even with a clock jump in it or without an answer", () => {
		const asked = () => {
			const theatre = start(open(template()));
			return theatre.wait(10_000).say({ kind: "ask_opened", ...here(theatre), title: "May it?", text: "" });
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
	const cleaned = (theatre: Theatre) => theatre.events.filter(({ kind }) => kind === "cleanup_ended").length;
	it.each<[string, (theatre: Theatre) => Theatre]>([
		["a move", (theatre) => ask(theatre, "b")],
		["a repetition", (theatre) => ask(theatre, "a")],
		["a crash", crash],
		["a time limit", (theatre) => end(theatre, { kind: "timed_out", limit: "wall" })],
		["an abort", (theatre) => theatre.say({ kind: "abort_requested" })],
		["a pause", (theatre) => theatre.say({ kind: "pause_requested", cause: "person", detail: "x" })],
		["a ceiling", (theatre) => use(theatre, 60_000_000)],
		["no transition", (theatre) => settle(settle(settle(theatre)))],
		["a dead supervisor", reopen],
	])("runs after %s, before anything else", (_, happen) => {
		const theatre = happen(start(open(withCleanup)));
		rest(theatre);
		expect(cleaned(theatre)).toBe(2);
		const kinds = theatre.events.map(({ kind }) => kind);
		expect(kinds.indexOf("cleanup_ended")).toBeGreaterThan(kinds.indexOf("worker_ended"));
		expect(
			kinds.lastIndexOf("attempt_reserved") > kinds.lastIndexOf("cleanup_ended") ||
				theatre.run.stage.kind !== "launching",
		).toBe(true);
	});
	it("a failure is reported and the run continues, or pauses if the template says so", () => {
		const theatre = ask(start(open(withCleanup)), "b");
		end(theatre, { kind: "stopped" });
		theatre.say({ kind: "cleanup_ended", visit: 1, index: 0, result: { kind: "timed_out" } });
		expect(theatre.run.hold).toBeNull();
		expect(theatre.run.notices.at(-1)).toContain("its time limit");
		theatre.say({ kind: "cleanup_ended", visit: 1, index: 1, result: { kind: "exited", code: 3 } });
		rest(theatre);
		expect(where(theatre)).toBe("paused b 2.0.0");
		expect(theatre.run.hold).toMatchObject({ cause: "cleanup" });
	});
	it("nothing runs without approval of the exact commands", () => {
		const theatre = ask(start(open(withCleanup, { approve: false })), "b");
		end(theatre, { kind: "stopped" });
		expect(theatre.due("measure_files").purpose).toBe("changes");
	});
	it("is pending again after a crash, from the first command that is not recorded", () => {
		const theatre = ask(start(open(withCleanup)), "b");
		end(theatre, { kind: "stopped" });
		theatre.say({ kind: "cleanup_ended", visit: 1, index: 0, result: { kind: "exited", code: 0 } });
		reopen(theatre);
		expect(theatre.due("clean_up").index).toBe(1);
	});
});

describe("a supervisor that takes over", () => {
	it("continues the same attempt and its conversation, and knows the calls in flight", () => {
		const theatre = start(open(template()));
		use(theatre, 10);
		theatre.say({
			kind: "tool_started",
			...here(theatre),
			call: "c1",
			tool: "bash",
			args: '{"command":"make deploy"}',
		});
		reopen(theatre);
		expect(theatre.due("end_worker").how).toBe("now");
		rest(end(theatre, { kind: "lost" }));
		expect(where(theatre)).toBe("running a 1.1.2");
		expect(theatre.due("work")).toMatchObject({
			because: "interrupted",
			conversation: { kind: "continue", key: "1.1", optional: false },
		});
		expect(theatre.run.calls.interrupted.calls).toEqual([
			{ call: "c1", tool: "bash", args: '{"command":"make deploy"}' },
		]);
		start(theatre);
		expect(theatre.run.calls.interrupted.calls.length).toBe(1);
		use(theatre, 20);
		expect(theatre.run.calls.interrupted.calls).toEqual([]);
		expect(theatre.run.totals.attempts).toBe(1);
	});
	it("a worker that had not reported anything may start its conversation over, with all its messages", () => {
		const theatre = open(template());
		theatre.say({ kind: "told", text: "mind the gap" });
		start(theatre);
		expect(theatre.run.outbox).toMatchObject([{ given: true }]);
		reopen(theatre);
		rest(end(theatre, { kind: "lost" }));
		expect(theatre.due("work").conversation).toEqual({ kind: "continue", key: "1.1", optional: true });
		expect(theatre.run.outbox.length).toBe(1);
		use(start(theatre), 5);
		expect(theatre.run.outbox).toEqual([]);
	});
	it("honors an accepted move: no worker of the old state is launched again", () => {
		const theatre = start(open(template()));
		ask(theatre, "b");
		reopen(theatre);
		rest(end(theatre, { kind: "lost" }));
		expect(where(theatre)).toBe("running b 2.1.1");
		expect(theatre.run.history.length).toBe(1);
	});
	it("does nothing while the run waits", () => {
		const theatre = rest(crash(start(open(template({ limits: { retries: 0 } })))));
		const before = { ...theatre.run, seq: 0, updatedAt: "" };
		reopen(theatre);
		expect({ ...theatre.run, seq: 0, updatedAt: "" }).toEqual(before);
	});
});

describe("the user's messages and stops", () => {
	it("a message reaches a running worker at once, otherwise the next one", () => {
		const theatre = start(open(template()));
		theatre.say({ kind: "told", text: "use tabs" });
		const { message, text } = theatre.due("send");
		expect(text).toBe("use tabs");
		theatre.say({ kind: "delivered", message });
		theatre.say({ kind: "delivered", message });
		expect(theatre.refusal).toBe("stale");
		expect(theatre.run.outbox).toEqual([]);
		rest(crash(theatre));
		theatre.say({ kind: "told", text: "later" });
		expect(theatre.actions.some(({ kind }) => kind === "send")).toBe(false);
		start(theatre);
		expect(theatre.due("send").text).toBe("later");
	});
	it("a message is part of a launch's first message or is sent after it, never both", () => {
		const theatre = open(template());
		theatre.say({ kind: "told", text: "early" });
		theatre.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "t" });
		theatre.say({ kind: "told", text: "late" });
		expect(theatre.run.stage.kind).toBe("launching");
		expect(outboxOfLaunch(theatre.run).map(({ text }) => text)).toEqual(["early"]);
		start(theatre);
		expect(theatre.due("send").text).toBe("late");
	});
	it("queued messages are limited", () => {
		const theatre = open(template());
		for (let n = 0; n < 30; n += 1) theatre.say({ kind: "told", text: `${n}` });
		expect(theatre.refusal).toBe("limit");
		expect(theatre.run.outbox.length).toBe(20);
		const other = open(template());
		other.say({ kind: "told", text: "x".repeat(8001) });
		expect(other.refusal).toBe("limit");
	});
	it("a pause stops the worker at its boundary, a second one at once, as does a pause while it starts", () => {
		const theatre = start(open(template()));
		const pause = { kind: "pause_requested", cause: "person", detail: "lunch" } as const;
		theatre.say(pause);
		expect(theatre.due("end_worker").how).toBe("boundary");
		theatre.say(pause);
		expect(theatre.due("end_worker").how).toBe("now");
		expect(where(rest(theatre))).toBe("paused a 1.1.1");
		theatre.say({ kind: "resumed", answers: since(theatre) });
		theatre.say(pause);
		expect(theatre.due("end_worker").how).toBe("now");
		theatre.say({ kind: "launch_failed", ...theatre.due("end_worker").launch, reason: "spawn", detail: "stopped" });
		expect(where(rest(theatre))).toBe("paused a 1.2.1");
	});
	it("an abort replaces every pending action", () => {
		for (const before of [
			(theatre: Theatre) => theatre,
			(theatre: Theatre) => ask(theatre, "b"),
			(theatre: Theatre) => ask(theatre, "a"),
			(theatre: Theatre) => crash(theatre),
			(theatre: Theatre) => use(theatre, 60_000_000),
			(theatre: Theatre) => theatre.say({ kind: "pause_requested", cause: "person", detail: "x" }),
		]) {
			const theatre = before(start(open(template())));
			rest(theatre.say({ kind: "abort_requested", words: "stop" }));
			expect(theatre.run.status).toBe("aborted");
			expect(theatre.actions).toEqual([]);
		}
	});
});

describe("rewind", () => {
	const rewind = (theatre: Theatre, to: number, state: string, tree: string) =>
		theatre.say({
			kind: "rewind_requested",
			to,
			state,
			tree,
			snapshot: refold(theatre.events.slice(0, 3)).snapshot,
			pairMoves: {},
		});
	it("stops the worker, restores the files, opens a new visit there and waits", () => {
		const theatre = start(open(template()), "first".padEnd(40, "0"));
		theatre.say({ kind: "snapshot_updated", ...here(theatre), by: "worker", data: { findings: [{ text: "fact" }] } });
		go(theatre, "b");
		start(theatre);
		rewind(theatre, 1, "a", "first".padEnd(40, "0"));
		rest(theatre);
		expect(theatre.due("restore_files").tree).toBe("first".padEnd(40, "0"));
		theatre.say({ kind: "files_restored", tree: "first".padEnd(40, "0"), before: "f".repeat(40) });
		expect(where(theatre)).toBe("paused a 3.0.0");
		expect(theatre.run).toMatchObject({
			hold: { cause: "rewound" },
			pairMoves: {},
			baseline: { tree: "first".padEnd(40, "0") },
		});
		expect(theatre.run.snapshot.findings).toEqual([]);
		expect(theatre.run.snapshot.nextId).toBe(2);
		expect(theatre.run.history.at(-1)).toMatchObject({ from: "b", to: "a", cause: "rewind" });
		theatre.say({ kind: "resumed", answers: since(theatre) });
		expect(theatre.due("work")).toMatchObject({
			state: "a",
			launch: { visit: 3, attempt: 1 },
			conversation: { kind: "new" },
		});
	});
	it("is possible after the end, and refused to an unknown visit or state", () => {
		const theatre = go(start(open(definition({ a: { persona: "A", next: ["done"] } }))), "done");
		rewind(theatre, 9, "a", "t");
		expect(theatre.refusal).toBe("illegal");
		rewind(theatre, 1, "nowhere", "t");
		expect(theatre.refusal).toBe("unknown_state");
		rewind(theatre, 1, "a", "t");
		theatre.say({ kind: "files_restored", tree: "t", before: "u" });
		expect(where(theatre)).toBe("paused a 3.0.0");
	});
	it.each<[string, (theatre: Theatre) => Theatre]>([
		["a pause", (theatre) => rest(theatre.say({ kind: "pause_requested", cause: "person", detail: "x" }))],
		["an end", (theatre) => rest(theatre.say({ kind: "abort_requested" }))],
		["a question", (theatre) => rest(ask(theatre, "b"))],
	])("that fails leaves the run where it was: %s", (_, bring) => {
		const theatre = bring(start(open(template({}, { requires_approval: true }))));
		const { seq: _seq, updatedAt: _at, notices: _notices, ...before } = theatre.run;
		rewind(theatre, 1, "a", "t");
		theatre.due("restore_files");
		theatre.say({ kind: "files_unrestored", tree: "t", detail: "no space" });
		expect(theatre.run).toMatchObject(before);
		expect(theatre.run.notices.at(-1)).toContain("no space");
	});
	it("that fails after stopping the worker leaves the run paused in its state", () => {
		const theatre = start(open(template()));
		rest(rewind(theatre, 1, "a", "t"));
		theatre.say({ kind: "files_unrestored", tree: "t", detail: "no space" });
		expect(theatre.run).toMatchObject({ status: "paused", state: "a", visit: 1, hold: { cause: "workspace" } });
	});
});
