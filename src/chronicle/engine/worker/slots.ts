// Bounds what all runs on this machine have together, workers or standbys: each has a file in one folder while it lives.
// B1 a file whose process is gone counts as none and is removed; B2 two that ask at once may both be refused, never both admitted beyond the bound.
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isSameProcess, processStart } from "../../../process/index.ts";

/** `taken`: all are; `unusable`: the folder cannot be written, so it bounds nothing. */
export type SlotRefusal = "taken" | "unusable";

/** Takes a place among at most `most`; the returned function gives it back. */
export function takeSlot(folder: string, most: number): (() => void) | SlotRefusal {
	const started = processStart(process.pid) ?? "unknown";
	const file = join(folder, [hostname(), String(process.pid), started, randomUUID()].map(encodeURIComponent).join("~"));
	const release = (): void => {
		rmSync(file, { force: true });
		removeIfEmpty(folder);
	};
	if (!makeFile(folder, file)) return "unusable";
	if (livingSlots(folder) <= most) return release;
	release();
	return "taken";
}

/** Another process may remove the empty folder meanwhile. */
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

/** Removes the places of processes that are gone. */
export function sweepSlots(folder: string): void {
	try {
		livingSlots(folder);
		removeIfEmpty(folder);
	} catch {
		// There is no folder.
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
