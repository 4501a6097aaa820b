// Waiting out a provider: when it is tried again, and when the run gives up; what the run does meanwhile, with an injected clock.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../pi-chronicle/test/harness/runs.ts";
import type { EventBody } from "../../../src/machine/index.ts";
import { decodeRun, encodeRun, foldEvent } from "../../../src/machine/index.ts";
import { type ProviderWait, waitAfter } from "../../../src/machine/run/provider-wait.ts";
import { definition, open, resume, type TestRun } from "../test-run.ts";

const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2030, 0, 1);
const iso = (ms: number): string => new Date(ms).toISOString();
const ms = (at: string): number => Date.parse(at);

/** Fails again and again, each time when the run tries. */
function failures(
	named: readonly (number | undefined)[],
	settings: { firstMs?: number; maxMs?: number } = {},
	own?: number,
) {
	const waits: ProviderWait[] = [];
	let at = start;
	let wait: ProviderWait | null = null;
	for (const one of named) {
		const retryAt = one === undefined ? {} : { retryAt: iso(at + one) };
		const next = waitAfter(wait, { at: iso(at), detail: "529 Overloaded", ...retryAt, waits: settings }, own);
		if ("kind" in next) return { waits, over: next.detail };
		waits.push(next);
		wait = next;
		at = ms(next.next);
	}
	return { waits, over: undefined };
}

const gaps = ({ waits }: ReturnType<typeof failures>): number[] =>
	waits.map(({ next }, index) => (ms(next) - (index === 0 ? start : ms(waits[index - 1]?.next ?? ""))) / minute);
const silent = (count: number): undefined[] => Array.from({ length: count }, () => undefined);

describe("the tries of a provider that fails", () => {
	it("follow after 1, 2, 4, 8, 16 and then each 30 minutes, for 12 hours", () => {
		const tried = failures(silent(60));
		expect(gaps(tried).slice(0, 8)).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
		expect(ms(tried.waits.at(-1)?.next ?? "")).toBe(start + 12 * hour);
		expect(tried.over).toBe("The provider has failed for 12h: 529 Overloaded");
	});

	it("follow at the moment that the provider names, which does not count as a step", () => {
		expect(gaps(failures([20 * minute, undefined, 90_000]))).toEqual([20, 2, 1.5]);
		expect(failures([20 * minute]).waits[0]).toMatchObject({ named: true, tries: 1, since: iso(start) });
	});

	it("stop at once where the moment is later than the wait may last, or there is no wait", () => {
		expect(failures([13 * hour])).toMatchObject({
			waits: [],
			over: expect.stringMatching(/2030-01-01 13:00 UTC, later than provider_wait \(12h\)/),
		});
		expect(failures([undefined], { maxMs: 0 }).over).toBe("The provider fails: 529 Overloaded");
		expect(failures([undefined], { maxMs: 0 }, hour).over).toBeUndefined();
		expect(failures([2 * hour], { maxMs: 12 * hour }, hour).over).toMatch(/\(1h\)/);
	});

	it("are later each time, never after the end, and never closer than a second", () => {
		const moment = fc.option(fc.integer({ min: -hour, max: 13 * hour }), { nil: undefined });
		const settings = fc.record({
			firstMs: fc.integer({ min: 0, max: hour }),
			maxMs: fc.integer({ min: 0, max: 48 * hour }),
		});
		fc.assert(
			fc.property(fc.array(moment, { maxLength: 40 }), settings, (named, of) => {
				const { waits } = failures(named, of);
				let before = start;
				for (const [index, { next, until, since, tries }] of waits.entries()) {
					expect([since, tries, ms(until)]).toEqual([iso(start), index + 1, start + of.maxMs]);
					expect(ms(next)).toBeLessThanOrEqual(start + of.maxMs);
					expect(ms(next) - before).toBeGreaterThanOrEqual(Math.min(1000, start + of.maxMs - before));
					before = ms(next);
				}
			}),
			{ numRuns: runs(2) },
		);
	});
});

const template = definition({ a: { persona: "A", next: ["done"] } }, { limits: { attempts: 2, retries: 0 } });

/** A run whose worker is at work. */
function working(of: object = template): TestRun {
	const run = open(of);
	run.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "t0" });
	return begin(run);
}
function begin(run: TestRun): TestRun {
	const { launch } = run.due("work");
	return run.say({ kind: "worker_started", ...launch, pid: 1, model: "p/m", conversation: "new" });
}
function fail(run: TestRun, more: Partial<Extract<EventBody, { kind: "turn_settled" }>> = {}): TestRun {
	const { visit, attempt } = run.run;
	return run.say({
		kind: "turn_settled",
		visit,
		attempt,
		stop: "transient",
		detail: "529 Overloaded",
		waits: {},
		...more,
	});
}
/** Stops the worker, so that the wait begins. */
function rest(run: TestRun): TestRun {
	const { launch } = run.due("end_worker");
	run.say({ kind: "worker_ended", ...launch, outcome: { kind: "stopped" } });
	return run.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: "t1", changes: [] });
}
const due = (run: TestRun): TestRun => run.say({ kind: "provider_due", visit: 1 });

describe("a run whose provider fails", () => {
	it("waits without a worker and without active time, then continues in the same conversation and attempt", () => {
		const run = rest(fail(working()));
		expect(run.run).toMatchObject({ status: "awaiting_provider", stage: { kind: "awaiting_provider" }, hold: null });
		expect(run.run.providerWait).toMatchObject({ tries: 1, detail: "529 Overloaded" });
		const before = run.run.totals.activeMs;
		const action = run.due("await_provider");
		expect(action.until).toBe(run.run.providerWait?.next);
		run.wait(hour);
		due(run);
		const work = run.due("work");
		expect(work).toMatchObject({
			launch: { visit: 1, attempt: 1, launch: 2 },
			because: "provider_error",
			conversation: { kind: "continue", key: "1.1" },
		});
		expect([run.run.status, run.run.totals.activeMs]).toEqual(["running", before]);
		begin(run).say({ kind: "tool_started", visit: 1, attempt: 1, call: "c", tool: "bash", args: "" });
		expect(run.run.providerWait).toBeNull();
	});

	it("counts no attempt, crash or reminder, however often it tries, and pauses after the limit", () => {
		const run = working();
		for (let n = 0; n < 12; n += 1) {
			rest(fail(run));
			expect(run.run.status).toBe("awaiting_provider");
			begin(due(run));
		}
		expect(run.run.visitRecord).toMatchObject({ tries: 1, crashes: 0, nudges: 0 });
		run.wait(13 * hour);
		rest(fail(run));
		expect(run.run).toMatchObject({ status: "paused", hold: { cause: "provider" } });
		expect(run.run.hold?.detail).toContain("12h");
	});

	it("keeps since when across supervisors and checkpoints, and tries at the same moment", () => {
		const run = rest(fail(working(), { retryAt: iso(start + 20 * minute) }));
		const { providerWait } = run.run;
		const opened = resume(run.events).say({ kind: "opened", host: "h", pid: 2, started: "s" });
		expect(opened.run).toMatchObject({ status: "awaiting_provider", providerWait });
		expect(opened.due("await_provider").until).toBe(providerWait?.next);
		const stored = decodeRun(JSON.parse(JSON.stringify(encodeRun(run.run))));
		expect(stored?.providerWait).toEqual(providerWait);
		expect(
			stored && foldEvent(stored, { kind: "provider_due", visit: 1, seq: 1e6, at: iso(start + hour) }).status,
		).toBe("running");
	});

	it.each<[string, Partial<Extract<EventBody, { kind: "turn_settled" }>>, string]>([
		["credentials", { stop: "auth", detail: "401" }, "auth"],
		["credit", { stop: "quota", detail: "insufficient_quota" }, "quota"],
		["another error, twice", { stop: "provider_error", detail: "400" }, "provider"],
	])("asks the user at once about %s", (_, more, cause) => {
		const run = rest(fail(working(), more));
		expect(run.run).toMatchObject({ status: "paused", hold: { cause }, providerWait: null });
	});

	it("waits for a quota that is filled again at a known moment", () => {
		const run = rest(fail(working(), { stop: "quota", retryAt: iso(start + hour) }));
		expect(run.run.status).toBe("awaiting_provider");
		expect(run.due("await_provider").until).toBe(iso(start + hour));
	});

	it("takes the template's limit, otherwise that of the settings", () => {
		const never = rest(fail(working(definition({ a: { persona: "A", next: ["done"] } }, { provider_wait: 0 }))));
		expect(never.run.status).toBe("paused");
		const some = rest(
			fail(working(definition({ a: { persona: "A", next: ["done"] } }, { provider_wait: "90m" })), {
				waits: { maxMs: 0 },
			}),
		);
		expect(ms(some.run.providerWait?.until ?? "") - ms(some.run.providerWait?.since ?? "")).toBe(90 * minute);
	});

	it.each<[string, EventBody, string]>([
		["resume: tries at once", { kind: "resumed", answers: -1 }, "running"],
		["pause", { kind: "pause_requested", cause: "person", detail: "p" }, "paused"],
		["abort", { kind: "abort_requested" }, "aborted"],
		["release to a state", { kind: "released", answers: -1, to: "a" }, "running"],
	])("takes the user's %s", (_, event, status) => {
		const run = rest(fail(working()));
		const { stage } = run.run;
		const since = stage.kind === "awaiting_provider" ? stage.since : 0;
		run.say("answers" in event ? { ...event, answers: since } : event);
		expect([run.refusal, run.run.status]).toEqual(["", status]);
		expect(due(run).refusal).not.toBe("");
	});

	it("is paused during its shutdown: it waits for the user then, and starts to wait anew after that", () => {
		const run = fail(working()).say({ kind: "pause_requested", cause: "person", detail: "p" });
		rest(run);
		expect(run.run.status).toBe("paused");
		const { stage } = run.run;
		run.say({ kind: "resumed", answers: stage.kind === "waiting" ? stage.since : 0 });
		expect(run.run).toMatchObject({ status: "running", providerWait: null });
	});
});
