// Limits of one visit: calls and requests are bounded, repetition is detected in time, and useful work is not stopped.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../pi-chronicle/test/harness/cpu.ts";
import { within } from "../../../pi-chronicle/test/harness/patience.ts";
import {
	callFingerprint,
	judgeUse,
	NO_USE,
	outcomeFingerprint,
	resultDigest,
	useCall,
	useMessage,
	useRequests,
	type VisitLimits,
	type VisitVerdict,
} from "../../src/bounds/index.ts";

const limits: VisitLimits = { requests: 400, calls: 800, polling: false };

/** Plays calls until the visit is stopped; returns the message after each call, counted from 1. */
function play(prints: Iterable<string>, of = limits): { nudges: number[]; stop?: { at: number; cause: string } } {
	let use = NO_USE;
	const nudges: number[] = [];
	let at = 0;
	for (const print of prints) {
		at += 1;
		const next = useCall(use, print);
		const verdict: VisitVerdict = judgeUse(use, next, of);
		use = next;
		// Constant memory, also on its way through JSON.
		expect(JSON.stringify(use).length).toBeLessThan(500);
		if (verdict.kind === "nudge") nudges.push(at);
		if (verdict.kind === "stop") return { nudges, stop: { at, cause: verdict.cause } };
	}
	return { nudges };
}

const word = fc.integer({ min: 0, max: 1e9 }).map((n) => callFingerprint("bash", { command: `c${n}` }));
const different = fc.uniqueArray(word, { minLength: 1, maxLength: 120 });

describe("a visit", () => {
	it("with only different calls is never warned or stopped", () => {
		fc.assert(
			fc.property(different, (prints) => {
				expect(play(prints)).toEqual({ nudges: [] });
			}),
		);
	});

	it("whose messages repeat the same calls is stopped after 6, regardless of the order in which the calls end", () => {
		const calls = fc.uniqueArray(word, { minLength: 2, maxLength: 9 });
		fc.assert(
			fc.property(
				calls.chain((prints) =>
					fc.array(fc.shuffledSubarray(prints, { minLength: prints.length }), { minLength: 12, maxLength: 12 }),
				),
				(messages) => {
					let use = NO_USE;
					const stopped = messages.findIndex((prints) => {
						const next = useMessage(use, prints);
						const verdict = judgeUse(use, next, limits);
						use = next;
						return verdict.kind === "stop";
					});
					expect(stopped).toBeLessThanOrEqual(5);
					expect(stopped).toBeGreaterThanOrEqual(0);
				},
			),
		);
	});

	it("that repeats a cycle of 1 to 4 calls is warned after 3 rounds and stopped after 6, regardless of earlier calls", () => {
		fc.assert(
			fc.property(
				different,
				fc.uniqueArray(word, { minLength: 5, maxLength: 9 }),
				fc.integer({ min: 1, max: 4 }),
				(before, cycle, period) => {
					const own = cycle.slice(0, period).map((print) => `cycle ${print}`);
					const prints = [...before, ...Array.from({ length: 60 }, (_, at) => own[at % period] ?? "")];
					const played = play(prints);
					expect(played.nudges).toEqual([before.length + 3 * period]);
					expect(played.stop).toEqual({ at: before.length + 6 * period, cause: "circling" });
				},
			),
		);
	});

	it("that repeats a cycle whose calls change order, as parallel calls do, is warned and stopped too", () => {
		fc.assert(
			fc.property(
				different,
				fc.integer({ min: 2, max: 4 }).chain((period) => {
					const cycle = Array.from({ length: period }, (_, at) => `cycle ${at}`);
					const order = fc.shuffledSubarray(cycle, { minLength: period });
					return fc.record({ period: fc.constant(period), rounds: fc.array(order, { minLength: 8, maxLength: 8 }) });
				}),
				(before, { period, rounds }) => {
					const played = play([...before, ...rounds.flat()]);
					expect(played.stop).toEqual({ at: before.length + 6 * period, cause: "circling" });
					expect(played.nudges).toEqual([before.length + 3 * period]);
				},
			),
		);
	});

	it("is bounded in calls and requests regardless of what it calls, and only in calls when it polls", () => {
		fc.assert(
			fc.property(fc.array(fc.nat(5), { minLength: 60, maxLength: 80 }), fc.boolean(), (picks, polling) => {
				const played = play(picks.map(String), { requests: 5, calls: 50, polling });
				expect(played.stop?.at).toBeLessThanOrEqual(50);
				if (polling) expect(played).toEqual({ nudges: [], stop: { at: 50, cause: "ceiling" } });
			}),
		);
		let use = NO_USE;
		for (let n = 1; n < 5; n++) {
			const next = useRequests(use, 1);
			expect(judgeUse(use, next, { requests: 5, calls: 50, polling: false })).toEqual({ kind: "fine" });
			use = next;
		}
		expect(judgeUse(use, useRequests(use, 1), { requests: 5, calls: 50, polling: false })).toMatchObject({
			kind: "stop",
		});
	});

	it("a different call or a different result ends a round", () => {
		const same = callFingerprint("bash", { command: "npm test" });
		const edits = Array.from({ length: 80 }, (_, n) => [outcomeFingerprint(same, "failed"), `edit ${n}`]).flat();
		expect(play(edits)).toEqual({ nudges: [] });
		expect(play(Array.from({ length: 80 }, (_, n) => outcomeFingerprint(same, `result ${n}`)))).toEqual({ nudges: [] });
		expect(play(Array.from({ length: 80 }, () => outcomeFingerprint(same, "failed"))).stop?.at).toBe(6);
	});

	it("a call without a known fingerprint ends a round and is counted", () => {
		let use = NO_USE;
		for (let n = 0; n < 5; n++) use = useCall(use, "same");
		use = useCall(use, undefined);
		expect([use.calls, judgeUse(NO_USE, useCall(use, "same"), limits).kind]).toEqual([6, "fine"]);
	});
});

describe("the digest of a result", () => {
	const same = (one: string, other: string) => resultDigest(one) === resultDigest(other);

	it.each([
		["Ran 3 tests in 0.012s", "Ran 3 tests in 1.9s"],
		[" Duration  1.23s (transform 80ms, setup 0ms)", " Duration  2.01s (transform 112ms, setup 1ms)"],
		["real\t0m1.234s", "real\t1m12.004s"],
		["done in 3 seconds", "done in 14 seconds"],
		["2026-11-28T09:47:25.123Z refused", "2026-11-28T09:47:26.001Z refused"],
		["[09:47:25] refused", "[09:48:01] refused"],
		["elapsed 0:00.41", "elapsed 0:01.02"],
	])("does not depend on times: %s", (one, other) => expect(same(one, other)).toBe(true));

	it.each([
		["3 failed, 12 passed", "2 failed, 13 passed"],
		["src/a.ts:12:34 error", "src/a.ts:13:34 error"],
		["src/a.ts:12 error", "src/a.ts:13 error"],
		["3 tests", "4 tests"],
		["version 1.2.3", "version 1.2.4"],
		["", "x"],
	])("depends on everything else: %s", (one, other) => expect(same(one, other)).toBe(false));

	it("takes time linear in the text", async () => {
		for (const text of ["1".repeat(1e6), "1.".repeat(5e5), "1s".repeat(5e5), "1:".repeat(5e5), "1 ".repeat(5e5)]) {
			expect(await cpuMs(() => resultDigest(text))).toBeLessThan(within(2000));
		}
	});
});

describe("the fingerprint of a call", () => {
	it("does not depend on the order of keys, and depends on everything else", () => {
		const objects = fc.dictionary(fc.string(), fc.jsonValue());
		fc.assert(
			fc.property(objects, (args) => {
				const turned = Object.fromEntries(Object.entries(args).reverse());
				expect(callFingerprint("t", turned)).toBe(callFingerprint("t", args));
				expect(callFingerprint("u", args)).not.toBe(callFingerprint("t", args));
				expect(callFingerprint("t", { ...args, more: Object.keys(args).length + 1, "": {} })).not.toBe(
					callFingerprint("t", args),
				);
			}),
		);
	});
});
