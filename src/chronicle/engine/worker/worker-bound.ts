// Bounds the workers that run at the same time, of all runs on this machine: a launch waits until there is a place.
// B1 a worker holds its place from its launch to its end; B2 launches of one launcher take places in the order in which they came; B3 where
// places cannot be kept, nothing is bounded.
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkerLauncher } from "../../core/index.ts";
import { unlessAborted } from "./greeting.ts";
import { takeSlot } from "./slots.ts";
import { canceled } from "./start-process.ts";

export interface WorkerBound {
	/** Where places are kept; the same for all runs of the machine. */
	readonly folder: string;
	readonly most: number;
}

/** Milliseconds between two looks; somewhat random, so that two processes do not keep refusing each other. */
const lookMs = 100;

/** The launcher, with at most so many workers at a time. */
export function boundWorkers(launcher: WorkerLauncher, bound: WorkerBound): WorkerLauncher {
	const queue = new Queue(bound);
	return {
		...launcher,
		async launch(order, host, signal) {
			const release = await queue.take(signal, () =>
				host.waits(`A worker waits for a place: at most ${bound.most} run on this machine (chronicle.maxWorkers).`),
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

	/** Waits for a place; `undefined` once the signal aborts. `waits` is called once if there is none now. */
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
		const { folder, most } = this.#bound;
		for (let told = false; !signal.aborted; told = true) {
			const slot = takeSlot(folder, most);
			if (slot === "unusable") return () => {};
			if (slot !== "taken") return slot;
			if (!told) waits();
			await unlessAborted(sleep(lookMs * (1 + Math.random())), signal);
		}
		return undefined;
	}
}
