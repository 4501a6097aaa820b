// Who a process is beyond its number: numbers are used again, start times are not. Nothing here signals a process.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What the kernel says of one process. */
export interface ProcessRow {
	readonly pid: number;
	readonly parent: number;
	readonly session: number;
	/** Opaque; equal for the same process, different for another that got the same number (also after a reboot). */
	readonly started: string;
}

/**
 * The start mark of a living process, `undefined` where there is none (a zombie counts as gone). Linux: boot id and start
 * tick of `/proc`; elsewhere the start time that `ps` prints, to the second.
 */
export function processStart(pid: number): string | undefined {
	if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
	if (process.platform === "linux") return processRow(pid)?.started;
	if (process.platform === "win32") return isAlive(pid) ? "unknown" : undefined;
	const shown = spawnSync("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" });
	const [stat, ...start] = (shown.stdout ?? "").trim().split(/\s+/);
	return stat && !stat.startsWith("Z") ? start.join(" ") : undefined;
}

/** Whether the process that had this number and start mark still lives. */
export function isSameProcess(pid: number, started: string): boolean {
	return processStart(pid) === started;
}

/** One row of Linux's process table; `undefined` for a process that is gone, a zombie, or where there is no `/proc`. `boot`: see `bootId`. */
export function processRow(pid: number, boot = bootId()): ProcessRow | undefined {
	let stat: string;
	try {
		stat = readFileSync(`/proc/${pid}/stat`, "latin1");
	} catch {
		return undefined;
	}
	// The name stands in parentheses and may hold blanks and parentheses itself: fields count from the last one.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const [state, parent, , session] = fields;
	const ticks = fields[19];
	if (!state || !parent || !session || !ticks || state === "Z" || state === "X") return undefined;
	return { pid, parent: Number(parent), session: Number(session), started: `${boot}:${ticks}` };
}

/** What tells one start of the machine from another, on Linux. */
export function bootId(): string {
	try {
		return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
	} catch {
		return "";
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
