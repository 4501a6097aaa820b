// The slots of a host: never more runs at work than slots, and no run waits for ever.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../pi-chronicle/test/harness/runs.ts";
import { type Slot, Slots } from "../src/slots.ts";

const steps = fc.array(fc.tuple(fc.constantFrom("take", "later", "release", "acquire", "abort"), fc.nat(9)), {
	maxLength: 60,
});

describe("the slots of a host", () => {
	it("are at most as many as there are, whatever runs do, and are all free at the end", async () => {
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (number, script) => {
				const slots = new Slots(number, () => {});
				const all: { slot: Slot; control: AbortController; waiting: Promise<void> | undefined }[] = [];
				const taken = () => all.filter(({ slot }) => slot.isTaken).length;
				for (const [step, index] of script) {
					const one = all[index % Math.max(all.length, 1)];
					if (step === "take" && slots.free > 0)
						all.push({ slot: slots.take(), control: new AbortController(), waiting: undefined });
					else if (step === "later")
						all.push({ slot: slots.takeLater(), control: new AbortController(), waiting: undefined });
					else if (step === "release") one?.slot.release();
					else if (step === "acquire" && one && !one.waiting)
						one.waiting = one.slot.acquire(one.control.signal).finally(() => {
							one.waiting = undefined;
						});
					else if (step === "abort" && one) {
						one.control.abort();
						one.control = new AbortController();
					}
					await new Promise<void>((resolve) => setImmediate(resolve));
					expect(taken()).toBeLessThanOrEqual(number);
					expect(taken() + slots.free).toBe(number);
					// Who waits does so only while none is free.
					expect(slots.free > 0 && all.some(({ waiting }) => waiting !== undefined)).toBe(false);
				}
				for (let some = true; some; ) {
					some = taken() > 0;
					for (const { slot } of all) slot.release();
					await new Promise<void>((resolve) => setImmediate(resolve));
				}
				expect(slots.free).toBe(number);
			}),
			{ numRuns: runs(1) },
		);
	});

	it("go to runs that continue before jobs that wait, in order, and lead to a look for jobs only if a run used them", async () => {
		let looks = 0;
		const slots = new Slots(1, () => {
			looks += 1;
		});
		const { signal } = new AbortController();
		const first = slots.take();
		const order: string[] = [];
		const [second, third] = [slots.takeLater(), slots.takeLater()];
		const both = [
			second.acquire(signal).then(() => order.push("second")),
			third.acquire(signal).then(() => order.push("third")),
		];
		first.release();
		await both[0];
		second.release();
		await both[1];
		expect([order, slots.free, looks]).toEqual([["second", "third"], 0, 0]);
		third.release();
		third.release();
		expect([slots.free, looks]).toEqual([1, 1]);
		slots.take().release(false);
		expect([slots.free, looks]).toEqual([1, 1]);
	});
});
