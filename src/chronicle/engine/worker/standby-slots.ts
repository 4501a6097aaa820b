// Bounds the standbys of all runs on this machine: each has a file in one folder while it lives.
// B1 a file whose process is gone counts as none and is removed; B2 two that ask at once may both be refused, never both admitted beyond the bound.
import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isSameProcess, processStart } from "../../../process/index.ts";

/** Takes a place among at most `most`; the returned function gives it back. `undefined`: all are taken. `name` is unique in this process. */
export function takeSlot(folder: string, most: number, name: string): (() => void) | undefined {
	const started = processStart(process.pid) ?? "unknown";
	const file = join(folder, [hostname(), String(process.pid), started, name].map(encodeURIComponent).join("~"));
	const release = (): void => {
		rmSync(file, { force: true });
		removeIfEmpty(folder);
	};
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		writeFileSync(file, "", { mode: 0o600 });
		if (livingSlots(folder) <= most) return release;
	} catch {
		// A folder that cannot be written bounds nothing, so there is no standby.
	}
	release();
	return undefined;
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
