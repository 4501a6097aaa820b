// Usage figures: each is counted in every total, and time is only the time in which a worker works.
import { describe, expect, it } from "vitest";
import { workedMs } from "../../../src/machine/budget/worked-time.ts";
import {
	addSpend,
	allowanceOf,
	type EventBody,
	liveTotals,
	measures,
	NO_SPEND,
	type Spend,
} from "../../../src/machine/index.ts";
import { greaterSpend, spendBeyond } from "../../../src/machine/run/spend.ts";
import { ask, crash, definition, go, here, open, rest, start, type TestRun } from "../test-run.ts";

const one: Spend = {
	...{ input: 1, output: 2, cacheRead: 3, cacheWrite: 4, tokens: 10, costUsd: 0.1, unmeteredTokens: 5 },
};
const two: Spend = {
	...{ input: 10, output: 1, cacheRead: 30, cacheWrite: 3, tokens: 44, costUsd: 0.2, unmeteredTokens: 4 },
};
const template = (more: object = {}, state: object = {}) =>
	definition({ a: { persona: "A", next: ["b"], ...state }, b: { persona: "B", next: ["a", "done"] } }, more);
const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, seconds)).toISOString();
const use = (testRun: TestRun, spend: Spend, more: object = {}) =>
	testRun.say({ kind: "used", ...here(testRun), spend, ...more } as EventBody);

describe("spend", () => {
	it("starts at zero, and is added, compared and subtracted field by field", () => {
		expect(Object.values(NO_SPEND)).toEqual([0, 0, 0, 0, 0, 0, 0]);
		expect(addSpend(one, two)).toEqual({
			...{ input: 11, output: 3, cacheRead: 33, cacheWrite: 7, tokens: 54, costUsd: 0.3, unmeteredTokens: 9 },
		});
		expect(greaterSpend(one, two)).toEqual({
			...{ input: 10, output: 2, cacheRead: 30, cacheWrite: 4, tokens: 44, costUsd: 0.2, unmeteredTokens: 5 },
		});
		expect(spendBeyond(two, one)).toEqual({
			...{ input: 9, output: 0, cacheRead: 27, cacheWrite: 0, tokens: 34, costUsd: 0.1, unmeteredTokens: 0 },
		});
	});

	it("of a worker is in the totals of the run, its state and its visit, and stays with the visit after the move", () => {
		const testRun = start(open(template()));
		use(testRun, one);
		expect(testRun.run.totals).toMatchObject(one);
		expect(testRun.run.states.a).toMatchObject({ visits: 1, attempts: 1, tokens: 10, costUsd: 0.1, cacheRead: 3 });
		expect(testRun.run.visitRecord).toMatchObject({ attempts: 1, tokens: 10, costUsd: 0.1 });
		ask(testRun, "b");
		use(testRun, addSpend(one, two));
		rest(testRun);
		expect(testRun.run.totals).toMatchObject(addSpend(one, two));
		expect(testRun.run.states).toMatchObject({ a: { tokens: 54, costUsd: 0.3, cacheRead: 33 }, b: { tokens: 0 } });
		expect(testRun.run.history[0]?.metrics).toMatchObject({ attempts: 1, tokens: 54, costUsd: 0.3 });
		expect(testRun.run.visitRecord).toMatchObject({ attempts: 1, tokens: 0, costUsd: 0, activeMs: 0, toolCalls: 0 });
	});

	it("of a call that ends after the move counts for the visit that it was made in", () => {
		const testRun = start(open(template()));
		const call = (kind: "tool_started" | "tool_ended"): EventBody =>
			({ kind, ...here(testRun), call: "c", tool: "t", args: "", ms: 1, bytes: 1, hash: "" }) as EventBody;
		testRun.say(call("tool_started")).say(call("tool_ended"));
		expect(testRun.run.visitRecord.toolCalls).toBe(1);
		ask(testRun.say(call("tool_started")), "b").say(call("tool_ended"));
		expect(testRun.run.totals.toolCalls).toBe(2);
		expect(testRun.run.history[0]?.metrics.toolCalls).toBe(2);
		expect(testRun.run.visitRecord.toolCalls).toBe(0);
	});

	it("of a refused call is a call, and counts as refused", () => {
		const testRun = start(open(template()));
		const end = (more: object) =>
			testRun
				.say({ kind: "tool_started", ...here(testRun), call: "c", tool: "bash", args: "" })
				.say({ kind: "tool_ended", ...here(testRun), call: "c", tool: "bash", ms: 1, bytes: 1, hash: "", ...more });
		end({ error: true });
		expect(testRun.run.totals).toMatchObject({ toolCalls: 1 });
		expect(testRun.run.totals).not.toHaveProperty("refused");
		end({ error: true, blocked: "guard: publish" });
		end({ error: true, blocked: "state: shell-writes" });
		expect(testRun.run.totals).toMatchObject({ toolCalls: 3, refused: 2 });
		use(testRun, one);
		expect(testRun.run.totals).toMatchObject({ refused: 2 });
	});
});

describe("time", () => {
	it.each<[what: string, stage: Parameters<typeof workedMs>[0], until: string, ms: number]>([
		["of a worker", { startedAt: at(10) }, at(15), 5000],
		["of one that never started", { startedAt: "" }, at(15), 0],
		["up to nothing known", { startedAt: at(10) }, "", 0],
		["before it started", { startedAt: at(10) }, at(5), 0],
		["at its start", { startedAt: at(10) }, at(10), 0],
		["without what is not counted", { startedAt: at(10), uncountedMs: 2000 }, at(15), 3000],
		["without more than there was", { startedAt: at(10), uncountedMs: 9000 }, at(15), 0],
		["without an open question", { startedAt: at(10), askedAt: at(12) }, at(15), 2000],
		["before a question", { startedAt: at(10), askedAt: at(12) }, at(11), 1000],
		["without both", { startedAt: at(10), askedAt: at(13), uncountedMs: 1000 }, at(15), 2000],
	])("%s", (_what, stage, until, ms) => {
		expect(workedMs(stage, until)).toBe(ms);
	});

	it("of a living worker is shown before it is counted, and not once it has ended", () => {
		const testRun = start(open(template()));
		const begun = Date.parse(testRun.run.updatedAt);
		const live = (ms: number) => liveTotals(testRun.run, new Date(begun + ms).toISOString()).activeMs;
		expect([live(0), live(7000)]).toEqual([0, 7000]);
		testRun.say({ kind: "pause_requested", cause: "person", detail: "" });
		expect(live(7000)).toBe(7000);
		expect(testRun.run.totals.activeMs).toBe(0);
		testRun.wait(9000);
		rest(testRun);
		expect(live(60_000)).toBe(testRun.run.totals.activeMs);
	});

	it("of a lost worker ends with its last report, of any other with its end", () => {
		for (const [outcome, ms] of [
			[{ kind: "lost" }, 4000],
			[{ kind: "stopped" }, 64_000],
		] as const)
			for (const stopped of [false, true]) {
				const testRun = start(open(template()));
				use(testRun.wait(4000), one);
				if (stopped) testRun.wait(0).say({ kind: "pause_requested", cause: "person", detail: "" });
				testRun.wait(60_000).say({ kind: "worker_ended", ...here(testRun), launch: 1, outcome });
				expect(testRun.run.totals.activeMs).toBe(ms);
			}
	});

	it("of a lost worker does not include the time until another supervisor reads its last spend", () => {
		for (const stopped of [false, true]) {
			const testRun = start(open(template()));
			use(testRun.wait(4000), one);
			if (stopped) testRun.wait(0).say({ kind: "pause_requested", cause: "person", detail: "" });
			testRun.wait(3_600_000).say({ kind: "opened", host: "h", pid: 3, started: "u" });
			use(testRun, two, { lost: true });
			testRun.say({ kind: "worker_ended", ...here(testRun), launch: 1, outcome: { kind: "lost" } });
			expect(testRun.run.totals).toMatchObject({ activeMs: 4000, tokens: two.tokens });
		}
	});

	it("does not count while any question is open, however many there are", () => {
		const testRun = start(open(template()));
		const opened = (): EventBody => ({ kind: "ask_opened", ...here(testRun), title: "?", text: "" }) as EventBody;
		const answer = (index: number): EventBody =>
			({ kind: "ask_answered", answers: testRun.run.questions[index]?.id ?? 0, verdict: "allowed" }) as EventBody;
		testRun.wait(1000).say(opened());
		testRun.wait(10_000).say(opened());
		testRun.wait(10_000).say(answer(0));
		testRun.wait(10_000).say(answer(0));
		expect(testRun.run.questions).toEqual([]);
		testRun.wait(10_000).say(answer(0));
		testRun.wait(2000);
		crash(testRun);
		expect(testRun.run.totals.activeMs).toBe(13_000);
	});

	it("skipped by the clock is not subtracted twice if a question was open, nor from a worker that has not started", () => {
		const testRun = open(template());
		testRun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "t" });
		testRun.say({ kind: "clock_jumped", ms: 5000 });
		start(testRun);
		testRun.wait(3000).say({ kind: "clock_jumped", ms: 2000 });
		testRun.wait(1000).say({ kind: "ask_opened", ...here(testRun), title: "?", text: "" } as EventBody);
		testRun.wait(60_000).say({ kind: "clock_jumped", ms: 30_000 });
		testRun
			.wait(1000)
			.say({ kind: "ask_answered", answers: testRun.run.questions[0]?.id ?? 0, verdict: "allowed" } as EventBody);
		crash(testRun.wait(1000));
		expect(testRun.run.totals.activeMs).toBe(3000);
		expect(testRun.run.notices[0]).toContain("for 5s");
	});

	it.each([
		[90_000, "The machine slept, or the clock was set, for 1m30s while a worker worked: they do not count."],
		[-90_000, "The clock was set back by 1m30s while a worker worked; its time is counted as it passed."],
		[0, "The machine slept, or the clock was set, for 0s while a worker worked: they do not count."],
	])("a jump of %d ms is explained", (ms, text) => {
		expect(open(template()).say({ kind: "clock_jumped", ms }).run.notices).toEqual([text]);
	});
});

describe("ceilings", () => {
	it("are listed with what is spent, the run's and the state's, with the time of the living worker", () => {
		const limits = { limits: { cost_usd: 1, tokens: 100, minutes: 2 } };
		const testRun = start(open(template(limits, limits)));
		use(testRun, one);
		const now = new Date(Date.parse(testRun.run.updatedAt) + 5000).toISOString();
		expect(measures(testRun.run, now).map(({ name, spent, ceiling }) => [name, spent, ceiling])).toEqual([
			["cost", 0.1, 1],
			["cost of a", 0.1, 1],
			["tokens", 10, 100],
			["tokens of a", 10, 100],
			["time", 6000, 120_000],
			["time of a", 6000, 120_000],
		]);
		testRun.say({ kind: "limits_changed", limits: { tokens: 200 } });
		testRun.say({ kind: "limits_changed", limits: { tokens: 50 }, state: "a" });
		expect(allowanceOf(testRun.run, now)).toMatchObject({ costUsd: 0.9, tokens: 40, activeMs: 114_000 });
		testRun.say({ kind: "limits_changed", limits: { tokens: 30 }, state: "b" });
		expect(allowanceOf(testRun.run, now)).toMatchObject({ tokens: 40 });
	});

	it.each<[limits: object, state: string | undefined, refusal: string]>([
		[{ tokens: 10 }, undefined, "limit"],
		[{ tokens: 11 }, undefined, ""],
		[{ tokens: 10 }, "a", "limit"],
		[{ tokens: 11 }, "a", ""],
		[{ tokens: 1 }, "b", ""],
		[{ costUsd: 0.1 }, undefined, "limit"],
		[{ costUsd: 0.11 }, undefined, ""],
		[{ moves: 2 }, undefined, "limit"],
		[{ moves: 3 }, undefined, ""],
		[{ moves: 1 }, "a", ""],
	])("%j for %s: refused if that much is already spent (%s)", (limits, state, refusal) => {
		const testRun = start(go(start(go(start(open(template())), "b")), "a"));
		use(testRun, one);
		testRun.say({ kind: "limits_changed", limits, ...(state ? { state } : {}) } as EventBody);
		expect(testRun.refusal).toBe(refusal);
	});

	it.each<[figure: object, spend: Partial<Spend>, detail: string]>([
		[{ cost_usd: 0.5 }, { costUsd: 0.5 }, "The limit on cost is reached: $0.50 of $0.50."],
		[{ cost_usd: 1 }, { costUsd: 2.5 }, "The limit on cost is reached: $2.50 of $1.00."],
		[{ cost_usd: 0 }, { costUsd: 0.1 }, "The limit on cost is 0, so nothing may be spent."],
		[{ tokens: 1000 }, { tokens: 1200 }, "The limit on tokens is reached: 1,200 tokens of 1,000 tokens."],
	])("%j: reached by %j, and says how", (limits, spend, detail) => {
		const testRun = use(start(open(template({ limits }))), { ...NO_SPEND, ...spend });
		expect(testRun.run.hold).toEqual({ status: "budget_exceeded", cause: "budget", detail });
	});

	it("in time are stated in minutes and seconds", () => {
		const testRun = start(open(template({ limits: { minutes: 1.5 } })));
		use(testRun.wait(93_000), one);
		expect(testRun.run.hold?.detail).toBe("The limit on time is reached: 1m33s of 1m30s.");
	});
});
