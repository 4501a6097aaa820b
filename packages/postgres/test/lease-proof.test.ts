// How long the database's confirmation that this host holds a run stays valid.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { noProof, proofNow } from "../src/lease-proof.ts";

describe("the proof of a lease", () => {
	beforeEach(() => {
		vi.useFakeTimers({ toFake: ["Date", "performance"] });
	});
	afterEach(() => {
		vi.useRealTimers();
	});

	it("is valid for a short time from the start of its statement", () => {
		const proof = proofNow();
		vi.advanceTimersByTime(249);
		expect(proof.isFresh()).toBe(true);
		vi.advanceTimersByTime(1);
		expect(proof.isFresh()).toBe(false);
		expect(noProof.isFresh()).toBe(false);
	});

	it.each([1000, -1000])("is invalid once the clock has jumped by %i ms, as after a suspension", (ms) => {
		const proof = proofNow();
		vi.setSystemTime(Date.now() + ms);
		expect(proof.isFresh()).toBe(false);
	});
});
