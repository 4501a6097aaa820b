// The visits of a run, derived from its states: times, pauses, times without pi, summaries.
import { expect, it } from "vitest";
import {
	activeTime,
	type DatedState,
	foldHistory,
	type StoredState,
} from "../../../src/workflow/phase-machine/index.ts";

/** States of the run `r`, oldest first as written here; newest first as the session gives them. */
function visits(states: readonly (Partial<StoredState> & { at: number; phase?: string })[], now: number) {
	const dated = states.map(({ at, phase = "a", ...more }): DatedState => {
		const state: StoredState = {
			active: true,
			workflowKey: "w",
			currentPath: [{ workflowKey: "w", phaseIndex: 0, phaseId: phase }],
			globalStepCount: 0,
			taskId: "r",
			taskDescription: "",
			startedAt: 100,
			completionNotified: false,
			cancelled: false,
			...more,
		};
		return { state, at };
	});
	return foldHistory(dated.reverse(), "r", now).map((visit) => ({ ...visit, active: activeTime(visit) }));
}

it("a current visit lasts until now", () => {
	expect(visits([{ at: 100, since: 100 }], 150)).toEqual([
		{ phaseId: "a", way: undefined, from: 100, to: 150, paused: 0, summary: undefined, active: 50 },
	]);
});

it("a state without a phase time counts from the start of the run", () => {
	expect(visits([{ at: 120 }], 150)).toMatchObject([{ from: 100, to: 150 }]);
});

it("a visit ends when the next phase starts, with its exit and summary", () => {
	const left = { way: "next", summary: "done" } as const;
	expect(
		visits(
			[
				{ at: 100, since: 100 },
				{ at: 130, since: 130, phase: "b", left },
			],
			170,
		),
	).toMatchObject([
		{ phaseId: "a", way: "next", from: 100, to: 130, summary: "done" },
		{ phaseId: "b", way: undefined, from: 130, to: 170 },
	]);
});

it("pauses are not active time, and end with the resume, the move or now", () => {
	const paused = { by: "person" } as const;
	expect(
		visits(
			[
				{ at: 100, since: 100 },
				{ at: 110, since: 100, paused },
				{ at: 140, since: 100 },
			],
			150,
		),
	).toMatchObject([{ paused: 30, active: 20 }]);
	expect(
		visits(
			[
				{ at: 100, since: 100 },
				{ at: 110, since: 100, paused },
			],
			150,
		),
	).toMatchObject([{ paused: 40, active: 10 }]);
	const left = { way: "skip" } as const;
	const moved = { at: 120, since: 120, phase: "b", paused, left };
	expect(
		visits([{ at: 100, since: 100 }, { at: 110, since: 100, paused }, moved, { at: 150, since: 120, phase: "b" }], 160),
	).toMatchObject([
		{ phaseId: "a", paused: 10, active: 10 },
		{ phaseId: "b", paused: 30, active: 10 },
	]);
});

it("a clock set back gives no negative pause or time", () => {
	const paused = { by: "person" } as const;
	expect(
		visits(
			[
				{ at: 100, since: 100 },
				{ at: 150, since: 100, paused },
				{ at: 120, since: 100 },
			],
			200,
		),
	).toMatchObject([{ paused: 0, active: 100 }]);
	expect(visits([{ at: 100, since: 100 }], 50)).toMatchObject([{ active: 0 }]);
});

it("time in which pi was closed counts as paused", () => {
	expect(
		visits(
			[
				{ at: 100, since: 100 },
				{ at: 190, since: 100, away: 60 },
			],
			200,
		),
	).toMatchObject([{ paused: 60, active: 40 }]);
});

it("a canceled run ends its visit at that time", () => {
	expect(
		visits(
			[
				{ at: 100, since: 100 },
				{ at: 130, since: 100, active: false, cancelled: true },
			],
			900,
		),
	).toMatchObject([{ from: 100, to: 130, way: undefined }]);
});

it("states of an earlier run are not part of this one", () => {
	const states = [
		{ at: 10, taskId: "other" },
		{ at: 100, since: 100 },
	];
	expect(visits(states, 150)).toHaveLength(1);
});
