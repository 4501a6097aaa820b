// Finds processes by a tag in their environment, which children inherit: those still alive after a test. Linux only
// (`/proc`); elsewhere nothing is found. A child that was started with an emptied environment escapes.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { patient } from "./patience.ts";

/** The environment variable that carries the tag of the project a process was started for. */
export const tagVariable = "CHRONICLE_TEST_TAG";

/** One living process: its id and its command line. */
export interface TaggedProcess {
	pid: number;
	command: string;
}

/** The living processes whose environment holds `NAME=value`, this one excepted. Zombies do not count. */
export function processesWith(name: string, value: string): TaggedProcess[] {
	if (!existsSync("/proc/self/environ")) return [];
	const wanted = `${name}=${value}`;
	const found: TaggedProcess[] = [];
	for (const entry of readdirSync("/proc")) {
		const pid = Number(entry);
		if (!Number.isInteger(pid) || pid === process.pid) continue;
		try {
			if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(wanted)) continue;
			const state = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.[0];
			if (state === "Z" || state === "X") continue;
			found.push({ pid, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim() });
		} catch {
			// It ended while we looked, or belongs to someone else.
		}
	}
	return found;
}

/**
 * Waits up to `ms` for every process tagged `NAME=value` to end. Those that have not are killed, so that one leak does not
 * disturb other tests, and named in the error that is thrown.
 */
export async function assertNoProcessWith(name: string, value: string, ms = 2_000): Promise<void> {
	const deadline = Date.now() + patient(ms);
	let alive = processesWith(name, value);
	while (alive.length > 0 && Date.now() < deadline) {
		await sleep(50);
		alive = processesWith(name, value);
	}
	if (alive.length === 0) return;
	for (const { pid } of alive) killQuietly(pid);
	const list = alive.map(({ pid, command }) => `  ${pid} ${command}`).join("\n");
	throw new Error(`Processes are still alive after ${patient(ms)} ms (${name}=${value}):\n${list}`);
}

/** SIGKILL to a process that may be gone already. */
export function killQuietly(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// Already gone.
	}
}
