// Jumps of the wall clock while a worker works: sleep of the machine, or a changed clock.

import type { Clock } from "@pi-chronicle/core/ports";
import { expect, it } from "vitest";
import { openClockJumps } from "../../../src/local/supervisor/clock-jumps.ts";

/** A clock in which `sleep` passes for the wall only. */
function openClock() {
	const state = { wall: 1_000_000, awake: 0, open: 0 };
	const clock: Clock = {
		now: () => state.wall,
		sleep: async () => {},
		awake() {
			state.open += 1;
			return {
				now: () => state.awake,
				close() {
					state.open -= 1;
				},
			};
		},
	};
	const work = (ms: number) => {
		state.wall += ms;
		state.awake += ms;
	};
	const jump = (ms: number) => {
		state.wall += ms;
	};
	return { clock, state, work, jump };
}

it.each([
	[0, 0],
	[1999, 0],
	[-1999, 0],
	[2000, 2000],
	[-2000, -2000],
	[3_600_000, 3_600_000],
])("a jump of %d ms counts as %d", (ms, counted) => {
	const { clock, work, jump } = openClock();
	const jumps = openClockJumps(clock);
	jumps.watch(true);
	work(5000);
	jump(ms);
	expect([jumps.take(), jumps.take()]).toEqual([counted, 0]);
});

it("a jump while no worker runs does not count, and no timer runs then", () => {
	const { clock, state, jump } = openClock();
	const jumps = openClockJumps(clock);
	expect([jumps.take(), state.open]).toEqual([0, 0]);
	jumps.watch(true);
	jumps.watch(true);
	expect(state.open).toBe(1);
	jumps.watch(false);
	jump(60_000);
	expect([jumps.take(), state.open]).toEqual([0, 0]);
	jumps.watch(true);
	expect(jumps.take()).toBe(0);
	jump(60_000);
	expect(jumps.take()).toBe(60_000);
});

it("without a clock that detects sleep there are no jumps", () => {
	const jumps = openClockJumps({ now: Date.now, sleep: async () => {} });
	jumps.watch(true);
	expect(jumps.take()).toBe(0);
});
