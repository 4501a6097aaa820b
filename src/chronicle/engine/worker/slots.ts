// Limits the number of workers or standbys of all runs on this machine: each holds a slot, a file in one folder, while it lives.
// B1 a file whose process has exited does not count and is removed; B2 of two concurrent requests both may be refused, but never both admitted
// beyond the limit.
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isSameProcess, processStart } from "../../../process/index.ts";

/** `taken`: no slot is free; `unusable`: the folder cannot be written, so there is no limit. */
export type SlotRefusal = "taken" | "unusable";

/** Takes one of at most `max` slots; the returned function releases it. */
export function takeSlot(folder: string, max: number): (() => void) | SlotRefusal {
	const started = processStart(process.pid) ?? "unknown";
	const file = join(folder, [hostname(), String(process.pid), started, randomUUID()].map(encodeURIComponent).join("~"));
	const release = (): void => {
		rmSync(file, { force: true });
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
	try {
		livingSlots(folder);
		removeIfEmpty(folder);
	} catch {
		// The folder does not exist.
	}
}

function removeIfEmpty(folder: string): void {
	try {
		rmdirSync(folder);
	} catch {
		// Others are in it.
	}
}

function livingSlots(folder: string): number {
	return readdirSync(folder).filter((name) => {
		const [host = "", pid = "", started = ""] = name.split("~").map(decodeURIComponent);
		if (host !== hostname()) return false;
		if (isSameProcess(Number(pid), started)) return true;
		rmSync(join(folder, name), { force: true });
		return false;
	}).length;
}
