// Limits the number of concurrent workers of all runs on this machine: a launch waits for a free slot.
// A worker holds its slot from its launch to its end; launches of one launcher get slots in order; if slots cannot be stored, there is
// no limit.

import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkerLauncher } from "@pi-chronicle/core/ports";
import { attempt } from "../../disk/index.ts";
import { isSameProcess, processStart, unlessAborted } from "../../process/index.ts";
import { canceled, removeFile } from "./start-process.ts";

export interface WorkerBound {
	/** The folder of the slots, shared by all runs of the machine. */
	readonly folder: string;
	readonly max: number;
}

/** Milliseconds between two attempts; slightly random, so that two processes do not keep refusing each other. */
const lookMs = 100;

/** The launcher with a limit on concurrent workers. */
export function boundWorkers(launcher: WorkerLauncher, bound: WorkerBound): WorkerLauncher {
	const queue = new BoundQueue(bound);
	return {
		...launcher,
		async redactSessions(folder, keep) {
			// A run that needs no further worker takes no slot, which would remove those of its killed supervisors.
			sweepSlots(bound.folder);
			await launcher.redactSessions(folder, keep);
		},
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

class BoundQueue {
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

/** `taken`: no slot is free; `unusable`: the folder cannot be written, so there is no limit. */
type SlotRefusal = "taken" | "unusable";

/** Takes one of at most `max` slots; the returned function releases it. */
export function takeSlot(folder: string, max: number): (() => void) | SlotRefusal {
	const started = processStart(process.pid) ?? "unknown";
	const file = join(folder, [hostname(), String(process.pid), started, randomUUID()].map(encodeURIComponent).join("~"));
	const release = (): void => {
		removeFile(file);
		removeIfEmpty(folder);
	};
	if (!makeFile(folder, file)) return "unusable";
	if (livingSlots(folder) <= max) return release;
	release();
	return "taken";
}

/** Another process may remove the empty folder in the meantime. */
function makeFile(folder: string, file: string): boolean {
	for (let left = 10; left > 0; left -= 1)
		try {
			mkdirSync(folder, { recursive: true, mode: 0o700 });
			writeFileSync(file, "", { mode: 0o600 });
			return true;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") return false;
		}
	return false;
}

/** Removes the slots of processes that have exited. */
export function sweepSlots(folder: string): void {
	// Without the folder there are none.
	attempt(() => livingSlots(folder));
	removeIfEmpty(folder);
}

function removeIfEmpty(folder: string): void {
	// Fails while others are in it.
	attempt(() => rmdirSync(folder));
}

function livingSlots(folder: string): number {
	return readdirSync(folder).filter((name) => {
		const [host = "", pid = "", started = ""] = name.split("~").map(decodeURIComponent);
		if (host !== hostname()) return false;
		if (isSameProcess(Number(pid), started)) return true;
		removeFile(join(folder, name));
		return false;
	}).length;
}
