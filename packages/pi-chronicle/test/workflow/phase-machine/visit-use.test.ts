// Usage limits of a visit: applicable ceilings, counts that a move keeps, and when nothing is counted.

import { VISIT_DEFAULTS } from "@pi-chronicle/core/bounds";
import { describe, expect, it } from "vitest";
import type { LiveWorkflowRun, WorkflowRun } from "../../../src/workflow/phase-machine/index.ts";
import { samePlace } from "../../../src/workflow/phase-machine/index.ts";
import { begin, type Draft, drafts, happen, type Told } from "../definition-builder.ts";

function applied(run: WorkflowRun, ...events: readonly Told[]): WorkflowRun {
	return events.reduce((before, event) => happen(before, event).run, run);
}

const asked = { kind: "asked" } as const;
const called = (...fingerprints: string[]): Told => ({ kind: "called", fingerprints });
const next = (message = "m") => ({ kind: "next", at: 2000, message }) as const;
const loop = (message = "m") => ({ kind: "loop", at: 2000, message }) as const;

/** How many of `event` a run takes before it is paused. */
function paused(run: WorkflowRun, event: (index: number) => Told, most = 1000): number {
	let current = run;
	for (let count = 1; count <= most; count++) {
		current = happen(current, event(count)).run;
		if (current.status.kind === "paused") return count;
	}
	return Number.POSITIVE_INFINITY;
}

const different = (index: number) => called(`call ${index}`);

describe("ceilings of a visit", () => {
	const nested = (outer: object, inner: object, phase: object): LiveWorkflowRun =>
		begin(
			drafts({ w: { entries: ["@s"], ...outer } as Draft, s: { entries: [{ id: "a", ...phase }], ...inner } }),
			"w",
		);

	it.each([
		["the phase's, before those of the enclosing workflows", { requests: 9 }, { requests: 8 }, { requests: 3 }, 3],
		["the inner workflow's, before those of the outer one", { requests: 9 }, { requests: 4 }, {}, 4],
		["the outer workflow's, where nothing inside has any", { requests: 5 }, {}, {}, 5],
		["the inner workflow's, where the phase limits calls alone", { requests: 9 }, { requests: 6 }, { calls: 2 }, 6],
	])("are %s", (_whose, outer, inner, phase, most) => {
		const run = nested({ limits: outer }, { limits: inner }, { limits: phase });
		expect(paused(run, () => asked)).toBe(most);
	});

	it("have defaults", () => {
		expect(paused(begin(drafts({ w: ["a"] }), "w"), () => asked)).toBe(VISIT_DEFAULTS.requests);
		expect(paused(begin(drafts({ w: ["a"] }), "w"), different)).toBe(VISIT_DEFAULTS.calls);
	});

	it("count each call of a message", () => {
		const run = nested({ limits: { calls: 4 } }, {}, {});
		expect(paused(run, (index) => called(`a${index}`, `b${index}`))).toBe(2);
	});

	it("start again with the next phase, with a loop, and after a resume", () => {
		const limits = { requests: 3, calls: undefined };
		const run = begin(drafts({ w: { entries: ["a", "b"], limits } }), "w");
		for (const way of [next(), loop()]) expect(paused(applied(run, asked, asked, way), () => asked)).toBe(3);
		const stopped = applied(run, asked, asked, asked);
		expect(stopped.status).toMatchObject({ kind: "paused", by: "bounds" });
		expect(paused(applied(stopped, { kind: "resume" }), () => asked)).toBe(3);
	});
});

describe("repetition", () => {
	const definitions = drafts({ w: ["a", "b", { id: "c", polling: true }] });
	const same = () => called("the same");
	const run = begin(definitions, "w");
	const limit = paused(run, same);

	it("pauses the run after a number of equal calls, and nudges the model once before", () => {
		expect(limit).toBeLessThan(10);
		let current: WorkflowRun = run;
		const nudges: number[] = [];
		for (let count = 1; count < limit; count++) {
			const result = happen(current, same());
			if (result.actions.some(({ kind }) => kind === "nudge")) nudges.push(count);
			current = result.run;
		}
		expect(nudges).toEqual([3]);
	});

	it.each([
		["the model's own next", next(), 1],
		["the model's own loop", loop(), 1],
		["an advance by the user", { kind: "advance", at: 2000 }, undefined],
		["a skip by the user", { kind: "skip", at: 2000 }, undefined],
		["a message of the user", { kind: "spoken" }, undefined],
	] as const)("keeps its count over %s only if the model moves by itself", (_what, event, left) => {
		const almost = applied(run, ...Array.from({ length: limit - 1 }, same), event);
		expect(paused(almost, same)).toBe(left ?? limit);
	});

	it("restarts its count after the user's `back`", () => {
		const second = applied(run, next());
		const almost = applied(second, ...Array.from({ length: limit - 1 }, same), { kind: "back", at: 3000 });
		expect(paused(almost, same)).toBe(limit);
	});

	it("does not pause loops that `maxLoops` allows, with equal calls in each of them, but does within one of them and without a limit", () => {
		const rounds = (definition: object, inner: object): number => {
			let current: WorkflowRun = begin(
				drafts({ w: { entries: ["a", "@s"], ...definition } as Draft, s: { entries: ["b", "c"], ...inner } as Draft }),
				"w",
			);
			current = applied(current, next("in"));
			for (let round = 1; round <= 30; round++) {
				for (const event of [same(), next(`n${round}`), called("step"), loop(`l${round}`), called("step")]) {
					current = happen(current, event).run;
					if (current.status.kind === "paused") return round;
				}
			}
			return 30;
		};
		expect(rounds({}, { maxLoops: 30 })).toBe(30);
		expect(rounds({ maxLoops: 5 }, { maxLoops: 30 })).toBe(30);
		for (const unbounded of [{}, { maxLoops: undefined }]) expect(rounds({ maxLoops: 30 }, unbounded)).toBeLessThan(10);
		const bounded = begin(drafts({ w: { entries: ["a"], maxLoops: 30 } as Draft }), "w");
		expect(paused(applied(bounded, loop()), same)).toBe(limit);
	});

	it("does not pause a phase that polls", () => {
		expect(paused(applied(run, next("m1"), next("m2")), same, 50)).toBe(Number.POSITIVE_INFINITY);
	});

	it("is not counted while the run is paused, or without its definition, or for a message without calls", () => {
		for (const still of [
			applied(run, { kind: "pause", by: "person" }),
			{ ...run, kind: "stale", missing: "w", phaseId: "a" },
		] as WorkflowRun[]) {
			expect(happen(still, same())).toEqual({ run: still, actions: [] });
			expect(happen(still, asked)).toEqual({ run: still, actions: [] });
		}
		expect(happen(run, called())).toEqual({ run, actions: [] });
	});
});

describe("two positions", () => {
	const at = (...path: [string, number, number?][]) =>
		path.map(([workflowKey, phaseIndex, loops = 0]) => ({ workflowKey, phaseIndex, loops }));

	it.each([
		["with equal values", at(["w", 1]), at(["w", 1]), true],
		["with one looped more often", at(["w", 1, 0]), at(["w", 1, 3]), true],
		["another phase", at(["w", 1]), at(["w", 2]), false],
		["another workflow", at(["w", 1]), at(["v", 1]), false],
		["the second deeper", at(["w", 1]), at(["w", 1], ["s", 0]), false],
		["the first deeper", at(["w", 1], ["s", 0]), at(["w", 1]), false],
		["another phase further in", at(["w", 1], ["s", 0]), at(["w", 1], ["s", 1]), false],
	])("are the same place: %s", (_what, a, b, same) => {
		expect(samePlace(a, b)).toBe(same);
	});
});
