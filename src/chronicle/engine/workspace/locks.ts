// Locks of a private store. The supervisor holds the run's lease and runs one operation at a time, so a lock that exists when an operation begins
// was left by a git that is dead, or by one that outlived its supervisor, which is killed first.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const names = ["index.lock", "index.goal", "index.goal.lock", "HEAD.lock", "config.lock", "packed-refs.lock"];

/** Removes the locks of the store in `folder`. */
export async function removeLocks(folder: string): Promise<void> {
	await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
}

const pidFile = "git.pid";

/** Writes down which git works on the store, for the next supervisor after a crash. */
export function noteGit(folder: string, pid: number): void {
	try {
		writeFileSync(join(folder, pidFile), `${pid}\n`, { mode: 0o600 });
	} catch {
		// The folder does not exist yet, so nothing is locked either.
	}
}

const termMs = 2000;
const killMs = 1000;

/** Kills the git that an earlier, dead supervisor left working on the store in `folder`. */
export async function killOrphanedGit(folder: string): Promise<void> {
	const pid = Number.parseInt(await readFile(join(folder, pidFile), "utf8").catch(() => ""), 10);
	if (!Number.isSafeInteger(pid) || pid <= 1) return;
	const isOurs = (): boolean => commandLine(pid).includes(`--git-dir=${folder}`);
	for (const [signal, ms] of [
		["SIGTERM", termMs],
		["SIGKILL", killMs],
	] as const) {
		if (!isOurs()) return;
		try {
			process.kill(pid, signal);
		} catch {
			return;
		}
		for (const end = Date.now() + ms; Date.now() < end && isOurs(); ) await wait(20);
	}
}

/** The command line of a process; empty where it is gone. */
function commandLine(pid: number): string {
	if (process.platform !== "linux")
		return spawnSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? "";
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8");
	} catch {
		return "";
	}
}
