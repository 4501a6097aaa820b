// Limits the number of concurrent workers of all runs on this machine: a launch waits for a free slot.
// B1 a worker holds its slot from its launch to its end; B2 launches of one launcher get slots in order; B3 if slots cannot be stored, there is
// no limit.
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkerLauncher } from "../../core/index.ts";
import { unlessAborted } from "./greeting.ts";
import { takeSlot } from "./slots.ts";
import { canceled } from "./start-process.ts";

export interface WorkerBound {
	/** The folder of the slots, shared by all runs of the machine. */
	readonly folder: string;
	readonly max: number;
}

/** Milliseconds between two attempts; slightly random, so that two processes do not keep refusing each other. */
const lookMs = 100;

/** The launcher with a limit on concurrent workers. */
export function boundWorkers(launcher: WorkerLauncher, bound: WorkerBound): WorkerLauncher {
	const queue = new Queue(bound);
	return {
		...launcher,
		async launch(order, host, signal) {
			const release = await queue.take(signal, () =>
				host.waits(
					`A worker waits for a free slot: at most ${bound.max} ${bound.max === 1 ? "worker runs" : "workers run"} on this machine (chronicle.maxWorkers).`,
				),
			);
			if (!release) return canceled;
			const launched = await launcher.launch(order, host, signal).catch((error: unknown) => {
				release();
				throw error;
			});
			if (launched.ok) void launched.value.ended.then(release);
			else release();
			return launched;
		},
	};
}

class Queue {
	readonly #bound: WorkerBound;
	#last: Promise<unknown> = Promise.resolve();
	#waiting = 0;

	constructor(bound: WorkerBound) {
		this.#bound = bound;
	}

	/** Waits for a slot; `undefined` once the signal aborts. Calls `waits` once if none is free. */
	async take(signal: AbortSignal, waits: () => void): Promise<(() => void) | undefined> {
		const isFirst = this.#waiting === 0;
		this.#waiting += 1;
		if (!isFirst) waits();
		const mine = this.#last.then(() => this.#wait(signal, isFirst ? waits : () => {}));
		this.#last = mine;
		const place = await unlessAborted(mine, signal);
		this.#waiting -= 1;
		// Aborted just when it was its turn.
		if (!place) void mine.then((late) => late?.());
		return place;
	}

	async #wait(signal: AbortSignal, waits: () => void): Promise<(() => void) | undefined> {
		const { folder, max } = this.#bound;
		for (let notified = false; !signal.aborted; notified = true) {
			const slot = takeSlot(folder, max);
			if (slot === "unusable") return () => {};
			if (slot !== "taken") return slot;
			if (!notified) waits();
			await unlessAborted(sleep(lookMs * (1 + Math.random())), signal);
		}
		return undefined;
	}
}
