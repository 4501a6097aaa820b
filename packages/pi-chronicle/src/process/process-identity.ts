// Identifies a process beyond its number: numbers are reused, start times are not. Signals nothing.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** One process in the kernel's table. */
export interface ProcessRow {
	readonly pid: number;
	readonly parent: number;
	readonly session: number;
	/** Opaque; the same for the same process, different for another that got the same number, also after a reboot. */
	readonly started: string;
}

/**
 * The start mark of a living process; `undefined` if it is gone (a zombie counts as gone). Linux: boot id and start tick of `/proc`; elsewhere the
 * start time that `ps` prints, to the second. `unknown`: it is alive, and its start cannot be read.
 */
export function processStart(pid: number): string | undefined {
	if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
	const read = startReaders[process.platform] ?? startFromPs;
	try {
		return read(pid);
	} catch {
		// Too many open files, an unreadable /proc, or a system without start times do not prove that it is gone.
		return isProcessAlive(pid) ? "unknown" : undefined;
	}
}

/** Each throws if the start cannot be read. */
const startReaders: Partial<Record<NodeJS.Platform, (pid: number) => string | undefined>> = {
	linux: (pid) => readRow(pid, bootId())?.started,
	win32: () => {
		throw new Error("Windows provides no process start times.");
	},
};

function startFromPs(pid: number): string | undefined {
	const shown = spawnSync("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" });
	if (shown.error) throw shown.error;
	const [stat, ...start] = (shown.stdout ?? "").trim().split(/\s+/);
	return stat && !stat.startsWith("Z") ? start.join(" ") : undefined;
}

/** Whether the process that had this number and start mark is still alive. */
export function isSameProcess(pid: number, started: string): boolean {
	return processStart(pid) === started;
}

/** One row of Linux's process table; `undefined` for a process that is gone, a zombie, or a system without `/proc`. `boot`: see `bootId`. */
export function processRow(pid: number, boot?: string): ProcessRow | undefined {
	try {
		return readRow(pid, boot ?? bootId());
	} catch {
		return undefined;
	}
}

/** Like `processRow`; throws where the row exists and cannot be read. */
function readRow(pid: number, boot: string): ProcessRow | undefined {
	let stat: string;
	try {
		stat = readFileSync(`/proc/${pid}/stat`, "latin1");
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		if (["ENOENT", "ESRCH", "ENOTDIR"].includes(code)) return undefined;
		throw error;
	}
	// The name is in parentheses and may contain spaces and parentheses itself: fields count from the last one.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const [state, parent, , session] = fields;
	const ticks = fields[19];
	if (!state || !parent || !session || !ticks || state === "Z" || state === "X") return undefined;
	return { pid, parent: Number(parent), session: Number(session), started: `${boot}:${ticks}` };
}

/** Identifies one boot of the machine, on Linux. Throws if no file can be opened. */
export function bootId(): string {
	try {
		return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		// Without it a living process would look like another one of the same number.
		if (code === "EMFILE" || code === "ENFILE") throw error;
		return "";
	}
}

/** Whether a process with this id runs, of any user. The id may have been reused: `isSameProcess` knows. */
export function isProcessAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
