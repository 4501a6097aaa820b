// Finds the processes that a run left behind, by the tag in their environment, with all their descendants and sessions, and stops them.
// Linux reads /proc; other Unixes ask `ps` for environments. Windows shows no other process's environment, so only process trees end there.
// The calling process and its ancestors are never among them; every signal goes to a process whose start was checked just before.
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

const commandLength = 200;

/**
 * Finds the living processes that carry `RUN_TAG=<run>` and everything below them or in their sessions, except the process `spared` with
 * everything below it or in its session.
 */
export function findOrphans(run: string, spared?: number): Orphan[] {
	if (process.platform === "linux") return orphansFromProc(run, spared);
	if (process.platform === "win32") return [];
	return orphansFromPs(run, spared);
}

/** The runs that living processes are tagged with, except this process and its ancestors; child sessions are not runs. */
export function runsWithProcesses(): ReadonlySet<string> {
	const tag = `${RUN_TAG}=`;
	if (process.platform === "win32") return new Set();
	if (process.platform !== "linux") {
		const found = psRows().flatMap(({ command }) => new RegExp(` ${tag}(\\S+) `).exec(`${command} `)?.[1] ?? []);
		return new Set(found);
	}
	const boot = bootId();
	const rows = readdirSync("/proc").flatMap((name) =>
		/^\d+$/.test(name) ? (processRow(Number(name), boot) ?? []) : [],
	);
	const self = selfAndAncestors(new Map(rows.map(({ pid, parent }) => [pid, parent])));
	const others = rows.filter(({ pid }) => !self.has(pid));
	return new Set(
		others.flatMap(({ pid }) => {
			const entry = environmentOf(pid).find((each) => each.startsWith(tag));
			return entry === undefined ? [] : [entry.slice(tag.length)];
		}),
	);
}

export interface OrphanStop {
	readonly stopped: readonly Orphan[];
	/** Alive after SIGKILL: a process of another user, or one stuck in the kernel. */
	readonly remaining: readonly Orphan[];
}

const killMs = 1000;
const maxRounds = 5;
const maxLooks = 10;

/**
 * Stops everything that `findOrphans` finds: SIGTERM, up to `graceMs` milliseconds, then SIGKILL. They are frozen until all of them are found and
 * signaled, so that none forks meanwhile and no shell continues with its next command because the previous one died.
 */
export async function stopOrphans(run: string, graceMs = 1000, spared?: number): Promise<OrphanStop> {
	const stopped = new Map<string, Orphan>();
	for (let round = 0; round < maxRounds; round++) {
		const found = freezeOrphans(run, spared);
		// Usually, reading the process table once is enough.
		if (found.length === 0) return { stopped: [...stopped.values()], remaining: [] };
		for (const orphan of found) stopped.set(orphanKey(orphan), orphan);
		if (round === 0) await signalAll(found, ["SIGTERM", "SIGCONT"], graceMs);
		await signalAll(found.filter(isAlive), ["SIGKILL"], killMs);
	}
	const remaining = findOrphans(run, spared);
	for (const orphan of remaining) stopped.delete(orphanKey(orphan));
	return { stopped: [...stopped.values()], remaining };
}

/** Freezes the orphans, until a scan finds no new one. */
function freezeOrphans(run: string, spared: number | undefined): Orphan[] {
	const frozen = new Map<string, Orphan>();
	for (let look = 0; look < maxLooks; look++) {
		const fresh = findOrphans(run, spared).filter((orphan) => !frozen.has(orphanKey(orphan)));
		if (fresh.length === 0) break;
		for (const orphan of fresh) {
			frozen.set(orphanKey(orphan), orphan);
			signalProcess(orphan, "SIGSTOP");
		}
	}
	return [...frozen.values()];
}

function orphanKey({ pid, started }: Orphan): string {
	return `${pid} ${started}`;
}

function isAlive({ pid, started }: Orphan): boolean {
	return isSameProcess(pid, started);
}

/** Sends each signal to all, then waits up to `ms` milliseconds for all to end. */
async function signalAll(orphans: readonly Orphan[], signals: readonly NodeJS.Signals[], ms: number): Promise<void> {
	for (const signal of signals) for (const orphan of orphans) signalProcess(orphan, signal);
	const until = performance.now() + ms;
	while (orphans.some(isAlive) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Signals a process unless its number now belongs to another one. Ignores processes that have exited or belong to another user. */
function signalProcess(orphan: Orphan, signal: NodeJS.Signals): void {
	if (!isAlive(orphan)) return;
	try {
		process.kill(orphan.pid, signal);
	} catch {}
}

function orphansFromProc(run: string, spared: number | undefined): Orphan[] {
	const rows = new Map<number, ProcessRow>();
	const boot = bootId();
	for (const name of readdirSync("/proc")) {
		const row = /^\d+$/.test(name) ? processRow(Number(name), boot) : undefined;
		if (row) rows.set(row.pid, row);
	}
	const self = selfAndAncestors(new Map([...rows].map(([pid, { parent }]) => [pid, parent])));
	const own = rows.get(process.pid)?.session;
	const tag = Buffer.from(`\0${RUN_TAG}=${run}\0`);
	const tagged = new Set<number>();
	for (const { pid } of rows.values()) if (!self.has(pid) && environmentHas(pid, tag)) tagged.add(pid);
	const sessions = new Set([...tagged].map((pid) => rows.get(pid)?.session).filter((session) => session !== own));

	const isBelow = (row: ProcessRow, isTop: (pid: number) => boolean): boolean => {
		const seen = new Set<number>();
		for (let at: ProcessRow | undefined = row; at && !seen.has(at.pid); at = rows.get(at.parent)) {
			if (isTop(at.pid)) return true;
			seen.add(at.pid);
		}
		return false;
	};
	const isSpared = (row: ProcessRow): boolean =>
		spared !== undefined && (row.session === spared || isBelow(row, (pid) => pid === spared));
	return [...rows.values()]
		.filter((row) => !self.has(row.pid) && (sessions.has(row.session) || isBelow(row, (pid) => tagged.has(pid))))
		.filter((row) => !isSpared(row))
		.map(({ pid, started }) => ({ pid, started, command: commandLine(pid) }));
}

/** The numbers of this process, its ancestors, and 0. */
function selfAndAncestors(parents: ReadonlyMap<number, number>): Set<number> {
	const found = new Set<number>([0]);
	for (let at: number | undefined = process.pid; at && !found.has(at); at = parents.get(at)) found.add(at);
	return found;
}

function environmentOf(pid: number): readonly string[] {
	try {
		return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
	} catch {
		return [];
	}
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
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim().slice(0, commandLength);
	} catch {
		return "";
	}
}

/** All processes with their command lines and environments, except this one and its ancestors. */
function psRows(): readonly { readonly pid: number; readonly parent: number; readonly command: string }[] {
	const shown = spawnSync("/bin/ps", ["-A", "-E", "-ww", "-o", "pid=,ppid=,command="], {
		encoding: "utf8",
		maxBuffer: 64 * 1024 * 1024,
	});
	const rows = (shown.stdout ?? "").split("\n").flatMap((line) => {
		const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
		return pid && parent && command ? [{ pid: Number(pid), parent: Number(parent), command }] : [];
	});
	const self = selfAndAncestors(new Map(rows.map(({ pid, parent }) => [pid, parent])));
	return rows.filter(({ pid }) => !self.has(pid));
}

function orphansFromPs(run: string, spared: number | undefined): Orphan[] {
	const others = psRows();
	const found = new Set(
		others.filter(({ command }) => `${command} `.includes(` ${RUN_TAG}=${run} `)).map(({ pid }) => pid),
	);
	if (spared !== undefined) found.delete(spared);
	for (let size = -1; size < found.size; ) {
		size = found.size;
		for (const { pid, parent } of others) if (found.has(parent) && pid !== spared) found.add(pid);
	}
	return others.flatMap(({ pid, command }) => {
		const started = found.has(pid) ? processStart(pid) : undefined;
		if (started === undefined) return [];
		return [{ pid, started, command: command.split(` ${RUN_TAG}=`)[0]?.slice(0, commandLength) ?? "" }];
	});
}
