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
 * tick of `/proc`; elsewhere the start time that `ps` prints, to the second. `unknown` for one that lives and whose start cannot be read now.
 */
export function processStart(pid: number): string | undefined {
	if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
	if (process.platform === "linux") {
		try {
			return readRow(pid, bootId())?.started;
		} catch {
			// Too many open files, or a /proc that is closed to us: no sign that it is gone.
			return isAlive(pid) ? "unknown" : undefined;
		}
	}
	if (process.platform === "win32") return isAlive(pid) ? "unknown" : undefined;
	const shown = spawnSync("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" });
	if (shown.error) return isAlive(pid) ? "unknown" : undefined;
	const [stat, ...start] = (shown.stdout ?? "").trim().split(/\s+/);
	return stat && !stat.startsWith("Z") ? start.join(" ") : undefined;
}

/** Whether the process that had this number and start mark still lives. */
export function isSameProcess(pid: number, started: string): boolean {
	return processStart(pid) === started;
}

/** One row of Linux's process table; `undefined` for a process that is gone, a zombie, or where there is no `/proc`. `boot`: see `bootId`. */
export function processRow(pid: number, boot?: string): ProcessRow | undefined {
	try {
		return readRow(pid, boot ?? bootId());
	} catch {
		return undefined;
	}
}

/** The same; throws where the row is there and cannot be read. */
function readRow(pid: number, boot: string): ProcessRow | undefined {
	let stat: string;
	try {
		stat = readFileSync(`/proc/${pid}/stat`, "latin1");
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		if (["ENOENT", "ESRCH", "ENOTDIR"].includes(code)) return undefined;
		throw error;
	}
	// The name stands in parentheses and may hold blanks and parentheses itself: fields count from the last one.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const [state, parent, , session] = fields;
	const ticks = fields[19];
	if (!state || !parent || !session || !ticks || state === "Z" || state === "X") return undefined;
	return { pid, parent: Number(parent), session: Number(session), started: `${boot}:${ticks}` };
}

/** What tells one start of the machine from another, on Linux. Throws where no file can be opened now. */
export function bootId(): string {
	try {
		return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		// Without it a process that lives would look like another one of the same number.
		if (code === "EMFILE" || code === "ENFILE") throw error;
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
