// Timers of a scope whose session may end without the event that closes the scope.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openScope } from "../../../src/pi/session/scope.ts";

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

describe("a timer of a scope whose session has ended", () => {
	it.each(["after", "every"] as const)("%s: does no work, and closes the scope once", async (kind) => {
		let isGone = false;
		const done: string[] = [];
		const asked = vi.fn(() => isGone);
		const scope = openScope(asked);
		scope.own(() => void done.push("closed"));
		scope[kind](1000, () => void done.push("work"));
		const other = vi.fn();
		scope.every(700, other);
		isGone = true;
		await vi.advanceTimersByTimeAsync(5000);
		expect(done).toEqual(["closed"]);
		expect(other).not.toHaveBeenCalled();
		expect(scope.closed).toBe(true);
		// Its timers are gone: none asks whether the session lives.
		asked.mockClear();
		await vi.advanceTimersByTimeAsync(5000);
		expect(asked).not.toHaveBeenCalled();
	});

	it("works as long as the session lives", async () => {
		const scope = openScope(() => false);
		const work = vi.fn();
		scope.every(1000, work);
		scope.after(1000, work);
		await vi.advanceTimersByTimeAsync(2500);
		expect(work).toHaveBeenCalledTimes(3);
		await scope.close();
		await vi.advanceTimersByTimeAsync(2500);
		expect(work).toHaveBeenCalledTimes(3);
	});
});
