// Processes that a run left behind: found by the tag in their environment, with all their descendants and sessions, and stopped.
// Linux reads /proc; other Unixes ask `ps` for environments; Windows shows no foreign environment, so there only process trees end.
// T1 the calling process and its ancestors are never among them; T2 every signal goes to a process whose start was checked just before.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { bootId, isSameProcess, type ProcessRow, processRow, processStart } from "./process-identity.ts";

/** The variable that every process of a run carries; its value is the run's id. */
export const RUN_TAG = "PI_CHRONICLE_RUN";

export interface Orphan {
	readonly pid: number;
	/** See `processStart`. */
	readonly started: string;
	/** Its command line, at most 200 characters. */
	readonly command: string;
}

/** Finds the living processes that carry `RUN_TAG=<run>` and everything below them or in their sessions. */
export function findOrphans(run: string): Orphan[] {
	if (process.platform === "linux") return orphansFromProc(run);
	if (process.platform === "win32") return [];
	return orphansFromPs(run);
}

export interface OrphanStop {
	readonly stopped: readonly Orphan[];
	/** Still there after SIGKILL: a process of another user or one stuck in the kernel. */
	readonly remaining: readonly Orphan[];
}

/**
 * Ends everything that `findOrphans` finds: SIGTERM, up to `graceMs` milliseconds, then SIGKILL. They are frozen while they are looked for
 * and told, so that none forks meanwhile and no shell goes on to its next command because the one before it has died.
 */
export async function stopOrphans(run: string, graceMs = 1000): Promise<OrphanStop> {
	const stopped = new Map<string, Orphan>();
	for (let round = 0; round < 5; round++) {
		const found = freeze(run);
		// The usual case: one look at the processes is all that it costs.
		if (found.length === 0) return { stopped: [...stopped.values()], remaining: [] };
		for (const orphan of found) stopped.set(keyOf(orphan), orphan);
		if (round === 0) {
			for (const orphan of found) signalProcess(orphan, "SIGTERM");
			for (const orphan of found) signalProcess(orphan, "SIGCONT");
			await gone(found, graceMs);
		}
		const left = found.filter((orphan) => isSameProcess(orphan.pid, orphan.started));
		for (const orphan of left) signalProcess(orphan, "SIGKILL");
		await gone(left, 1000);
	}
	const remaining = findOrphans(run);
	for (const orphan of remaining) stopped.delete(keyOf(orphan));
	return { stopped: [...stopped.values()], remaining };
}

/** Stops the orphans where they are, until a look finds no new one. */
function freeze(run: string): Orphan[] {
	const frozen = new Map<string, Orphan>();
	for (let look = 0; look < 10; look++) {
		const fresh = findOrphans(run).filter((orphan) => !frozen.has(keyOf(orphan)));
		if (fresh.length === 0) break;
		for (const orphan of fresh) {
			frozen.set(keyOf(orphan), orphan);
			signalProcess(orphan, "SIGSTOP");
		}
	}
	return [...frozen.values()];
}

function keyOf({ pid, started }: Orphan): string {
	return `${pid} ${started}`;
}

/** Sends a signal to a process if it is still the one that was found; a process that is gone or not ours is left in peace. */
function signalProcess(orphan: Orphan, signal: NodeJS.Signals): void {
	if (!isSameProcess(orphan.pid, orphan.started)) return;
	try {
		process.kill(orphan.pid, signal);
	} catch {}
}

async function gone(orphans: readonly Orphan[], ms: number): Promise<void> {
	const until = performance.now() + ms;
	while (orphans.some((orphan) => isSameProcess(orphan.pid, orphan.started)) && performance.now() < until) {
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

function orphansFromProc(run: string): Orphan[] {
	const rows = new Map<number, ProcessRow>();
	const boot = bootId();
	for (const name of readdirSync("/proc")) {
		const row = /^\d+$/.test(name) ? processRow(Number(name), boot) : undefined;
		if (row) rows.set(row.pid, row);
	}
	const self = lineage(rows);
	const own = rows.get(process.pid)?.session;
	const tag = Buffer.from(`\0${RUN_TAG}=${run}\0`);
	const tagged = new Set<number>();
	for (const { pid } of rows.values()) if (!self.has(pid) && environmentHas(pid, tag)) tagged.add(pid);
	const sessions = new Set([...tagged].map((pid) => rows.get(pid)?.session).filter((session) => session !== own));

	const below = (row: ProcessRow): boolean => {
		const seen = new Set<number>();
		for (let at: ProcessRow | undefined = row; at && !seen.has(at.pid); at = rows.get(at.parent)) {
			if (tagged.has(at.pid)) return true;
			seen.add(at.pid);
		}
		return false;
	};
	return [...rows.values()]
		.filter((row) => !self.has(row.pid) && (sessions.has(row.session) || below(row)))
		.map(({ pid, started }) => ({ pid, started, command: commandLine(pid) }));
}

/** The numbers of this process and its ancestors. */
function lineage(rows: ReadonlyMap<number, ProcessRow>): Set<number> {
	const line = new Set([0, process.pid]);
	for (let at = rows.get(process.pid); at && !line.has(at.parent); at = rows.get(at.parent)) line.add(at.parent);
	return line;
}

function environmentHas(pid: number, tag: Buffer): boolean {
	try {
		const environment = readFileSync(`/proc/${pid}/environ`);
		return Buffer.concat([Buffer.of(0), environment, Buffer.of(0)]).includes(tag);
	} catch {
		return false;
	}
}

function commandLine(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim().slice(0, 200);
	} catch {
		return "";
	}
}

function orphansFromPs(run: string): Orphan[] {
	const shown = spawnSync("/bin/ps", ["-A", "-E", "-ww", "-o", "pid=,ppid=,command="], {
		encoding: "utf8",
		maxBuffer: 64 * 1024 * 1024,
	});
	const rows = (shown.stdout ?? "").split("\n").flatMap((line) => {
		const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
		return pid && parent && command ? [{ pid: Number(pid), parent: Number(parent), command }] : [];
	});
	const parents = new Map(rows.map(({ pid, parent }) => [pid, parent]));
	const self = new Set<number>([0]);
	for (let at: number | undefined = process.pid; at && !self.has(at); at = parents.get(at)) self.add(at);
	const found = new Set(
		rows
			.filter(({ pid, command }) => !self.has(pid) && `${command} `.includes(` ${RUN_TAG}=${run} `))
			.map((row) => row.pid),
	);
	for (let grown = true; grown; ) {
		grown = false;
		for (const { pid, parent } of rows) {
			if (!found.has(pid) && !self.has(pid) && found.has(parent)) {
				found.add(pid);
				grown = true;
			}
		}
	}
	return rows.flatMap(({ pid, command }) => {
		const started = found.has(pid) ? processStart(pid) : undefined;
		return started === undefined
			? []
			: [{ pid, started, command: command.split(` ${RUN_TAG}=`)[0]?.slice(0, 200) ?? "" }];
	});
}
