// Removes the locks of a private store. The supervisor holds the run's lease and runs one operation at a time, so a lock that exists when an
// operation starts was left by a dead git, or by one that outlived its supervisor, which is killed first.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Removes the locks and temporary indexes of the store in `folder`; `recursive`: also those of its refs. */
export async function removeLocks(folder: string, recursive = false): Promise<void> {
	const names = await readdir(folder, { recursive }).catch(() => []);
	const stale = names.filter((name) => name.endsWith(".lock") || name === "index.goal");
	await Promise.all(stale.map((name) => rm(join(folder, name), { force: true })));
}

const termMs = 2000;
const killMs = 1000;

/**
 * Kills every git that an earlier, dead supervisor left working on the store in `folder`, or on a store in it. It is recognized by its command line,
 * because a supervisor may die after it has started git and before it has recorded the process number.
 */
export async function killOrphanedGit(folder: string): Promise<void> {
	for (const [signal, ms] of [
		["SIGTERM", termMs],
		["SIGKILL", killMs],
	] as const) {
		for (const end = Date.now() + ms; ; await wait(20)) {
			const found = gitsOn(folder);
			if (found.length === 0) return;
			for (const pid of found) killQuietly(pid, signal);
			if (Date.now() > end) break;
		}
	}
}

function killQuietly(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// It has already exited.
	}
}

/** Numbers of the processes whose arguments name the store in `folder`, or a store in it. */
function gitsOn(folder: string): number[] {
	return processLines()
		.filter(({ line }) => namesStore(line, folder))
		.map(({ pid }) => pid);
}

/**
 * Whether a command line names the store in `folder`, or a store in it. Its arguments are separated by NUL, or by blanks, which a path may contain too:
 * then the option that always follows shows where the path ends.
 */
export function namesStore(line: string, folder: string): boolean {
	const option = `--git-dir=${folder}`;
	return ["\0", " -c core.", "/"].some((end) => line.includes(`${option}${end}`));
}

/** The command lines of all readable processes, with a NUL after each argument where the system tells them apart, otherwise a blank. */
function processLines(): { readonly pid: number; readonly line: string }[] {
	if (process.platform !== "linux") {
		const listed = spawnSync("ps", ["-axww", "-o", "pid=,command="], { encoding: "utf8" }).stdout ?? "";
		return [...listed.matchAll(/^\s*(\d+) (.*)$/gm)].map(([, pid = "", line = ""]) => ({ pid: Number(pid), line }));
	}
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map((name) => ({ pid: Number(name), line: rawCommandLine(name) }));
}

function rawCommandLine(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8");
	} catch {
		return "";
	}
}
