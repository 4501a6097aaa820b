// What a child on another host may still use, as its row says it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Run } from "../../../../src/chronicle/core/index.ts";
import { ceilingsText, remainder } from "../../../../src/chronicle/engine/postgres/child-ceilings.ts";
import { runs } from "../../../harness/runs.ts";
import { open } from "../../core/machine/test-run.ts";

const template = { states: { a: { persona: "A", next: ["done"] } } };
const { run } = open(template);
const spent = (costUsd: number, tokens: number, cacheRead: number, activeMs: number): Run => ({
	...run,
	totals: { ...run.totals, costUsd, tokens: tokens + cacheRead, cacheRead, activeMs },
});
const amount = fc.integer({ min: 0, max: 1_000_000 });

describe("the ceilings of a child on another host", () => {
	it("are what the tree has left, less what the child has used since that was counted, and never negative", () => {
		fc.assert(
			fc.property(amount, amount, amount, amount, (left, counted, more, cached) => {
				const known = spent(counted, counted, cached, counted);
				const now = spent(counted + more, counted + more, cached, counted + more);
				const text = ceilingsText({ costUsd: left, tokens: left, activeMs: left }, known);
				const rest = Math.max(0, left - more);
				expect(remainder(text, now)).toEqual({ costUsd: rest, tokens: rest, activeMs: rest });
			}),
			{ numRuns: runs(1) },
		);
	});

	it("are none where the tree has none, and only those that it has", () => {
		expect(ceilingsText({}, run)).toBe(null);
		expect(ceilingsText({ requests: 3 }, run)).toBe(null);
		expect(remainder(null, run)).toEqual({});
		expect(remainder(ceilingsText({ tokens: 5 }, run), run)).toEqual({ tokens: 5 });
	});
});
