// How long it counts that the database has found a run held by this host.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { noProof, proofNow } from "../../../../src/chronicle/engine/postgres/lease-proof.ts";

describe("a proof that a run is held", () => {
	beforeEach(() => {
		vi.useFakeTimers({ toFake: ["Date", "performance"] });
	});
	afterEach(() => {
		vi.useRealTimers();
	});

	it("counts for a moment from when its statement began", () => {
		const proof = proofNow();
		vi.advanceTimersByTime(249);
		expect(proof.isFresh()).toBe(true);
		vi.advanceTimersByTime(1);
		expect(proof.isFresh()).toBe(false);
		expect(noProof.isFresh()).toBe(false);
	});

	it.each([1000, -1000])("does not count once the clock has jumped by %i ms, as after a suspension", (ms) => {
		const proof = proofNow();
		vi.setSystemTime(Date.now() + ms);
		expect(proof.isFresh()).toBe(false);
	});
});
