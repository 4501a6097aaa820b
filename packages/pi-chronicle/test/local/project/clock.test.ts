// The system's clock: a sleep lasts, and an abort ends it.
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/local/project/clock.ts";

describe("the clock", () => {
	it("sleeps, and wakes at once when its signal aborts, before or during the sleep", async () => {
		const began = systemClock.now();
		await systemClock.sleep(30, new AbortController().signal);
		expect(systemClock.now() - began).toBeGreaterThanOrEqual(25);
		const control = new AbortController();
		const sleeping = systemClock.sleep(60_000, control.signal);
		control.abort();
		await sleeping;
		await systemClock.sleep(60_000, control.signal);
		expect(systemClock.now() - began).toBeLessThan(10_000);
	});
});
