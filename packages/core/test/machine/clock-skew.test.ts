// Hosts whose clocks differ: each dates the events of the time in which it has the run.
import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../pi-chronicle/test/harness/runs.ts";
import type { LedgerEvent, Run } from "../../src/machine/index.ts";
import { play, stories, templates } from "./random-runs.ts";
import { refold } from "./test-run.ts";

/** The same run, by supervisors whose clocks are ahead by these milliseconds, in turn. */
function skew(events: readonly LedgerEvent[], offsets: readonly number[]): LedgerEvent[] {
	let holder = 0;
	return events.map((event) => {
		if (event.kind === "opened") holder += 1;
		const ms = offsets[holder % offsets.length] ?? 0;
		return { ...event, at: new Date(Date.parse(event.at) + ms).toISOString() };
	});
}

const figuresOf = ({ status, state, visit, totals, states, hold, stage, notices, history }: Run) => ({
	...{ status, state, visit, totals, states, hold, notices },
	stage: stage.kind,
	moves: history.map(({ from, to, metrics }) => ({ from, to, metrics })),
});

it("a run that moves between hosts whose clocks differ by hours has the same decisions and figures", () => {
	const hours = fc.array(fc.integer({ min: -36e5, max: 36e5 }), { minLength: 2, maxLength: 4 });
	let moved = 0;
	fc.assert(
		fc.property(templates, stories, hours, (template, story, offsets) => {
			const { events, run } = play(template, story).testRun;
			if (events.some(({ kind }) => kind === "opened") && run.totals.activeMs > 0) moved += 1;
			expect(figuresOf(refold(skew(events, offsets)))).toEqual(figuresOf(run));
		}),
		{ numRuns: runs() },
	);
	expect(moved).toBeGreaterThan(runs() / 10);
});
