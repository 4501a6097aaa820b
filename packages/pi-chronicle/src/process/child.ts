// One child process in its own group, and how it ends. pi's protocol is in rpc-link.ts.
// No shell; the outcome is a value, and only `exited` with code 0 can be a success; every wait is bounded; stderr is kept bounded.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ByteTail } from "./byte-tail.ts";
import { isSameProcess, processStart } from "./process-identity.ts";
import { within } from "./within.ts";

export type ChildExit =
	| { readonly kind: "exited"; readonly code: number }
	| { readonly kind: "killed"; readonly signal: NodeJS.Signals }
	/** It never ran: the file is missing or not executable, or the folder does not exist. */
	| {
			/** `error`: of the system, if it has one; for a person, see `errorMessage`. */ readonly kind: "unstarted";
			readonly error: unknown;
	  };

export interface ChildSpec {
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
}

export interface Child {
	/** `undefined` if it did not start. */
	readonly pid: number | undefined;
	/** Start mark of the process, see `processStart`. */
	readonly started: string | undefined;
	/** Resolves once it has ended and its output is read (output is waited for at most one second longer). Never rejects. */
	readonly exited: Promise<ChildExit>;
	/** Called with stdout as it comes. Set before the first await after `startChild`. */
	onOutput(listener: (chunk: Buffer) => void): void;
	/** The same for stderr. */
	onError(listener: (chunk: Buffer) => void): void;
	/** Writes to stdin; `false` if it is closed. Waits for a full pipe to drain. */
	write(text: string): Promise<boolean>;
	/** Closes stdin. */
	endInput(): void;
	/** The last 16 KiB of stderr, as text. */
	stderr(): string;
	/** SIGTERM to it, up to `graceMs`, then SIGKILL to its whole group. Idempotent; resolves with the exit. */
	stop(graceMs?: number): Promise<ChildExit>;
	/** SIGKILL to its whole group at once. */
	kill(): Promise<ChildExit>;
}

const STDERR_BYTES = 16 * 1024;

/** Starts a process in its own group (and session, on Unix). A failure to start is its exit, not an exception. */
export function startChild(spec: ChildSpec): Child {
	let spawned: ChildProcess;
	try {
		spawned = spawn(spec.command, [...spec.args], {
			cwd: spec.cwd,
			env: spec.env,
			stdio: ["pipe", "pipe", "pipe"],
			detached: process.platform !== "win32",
			windowsHide: true,
		});
	} catch (error) {
		return unstarted(error);
	}
	// Before anything that can throw: an error event without a listener would end this process.
	const failed = new Promise<Error>((resolve) => spawned.once("error", resolve));
	if (!hasStreams(spawned)) return unstarted(undefined, failed);
	const child = spawned;
	const { pid } = child;
	const started = pid === undefined ? undefined : processStart(pid);
	const listeners: ((chunk: Buffer) => void)[] = [];
	const stderr = new ByteTail(STDERR_BYTES);
	child.stdout.on("data", (chunk: Buffer) => {
		for (const listener of listeners) listener(chunk);
	});
	const errorListeners: ((chunk: Buffer) => void)[] = [];
	child.stderr.on("data", (chunk: Buffer) => {
		stderr.add(chunk);
		for (const listener of errorListeners) listener(chunk);
	});
	// Pipe errors are ignored: the exit reports the outcome.
	for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});

	const exited = exitOf(child, failed);
	let over = false;
	void exited.then(() => {
		over = true;
	});
	const kill = async (): Promise<ChildExit> => {
		if (!over && pid !== undefined) killGroup(pid, started);
		return exited;
	};
	const stop = async (graceMs: number): Promise<ChildExit> => {
		if (over || pid === undefined) return exited;
		child.stdin.end();
		if (process.platform !== "win32") child.kill("SIGTERM");
		const timer = setTimeout(() => void kill(), graceMs);
		try {
			return await exited;
		} finally {
			clearTimeout(timer);
		}
	};
	let stopping: Promise<ChildExit> | undefined;
	return {
		pid,
		started,
		exited,
		onOutput: (listener) => void listeners.push(listener),
		onError: (listener) => void errorListeners.push(listener),
		async write(text) {
			if (over || !child.stdin.writable) return false;
			if (!child.stdin.write(text)) await Promise.race([once(child.stdin, "drain").catch(() => {}), exited]);
			return !over;
		},
		endInput: () => void child.stdin.end(),
		stderr: () => stderr.text(),
		stop(graceMs = 5000) {
			stopping ??= stop(graceMs);
			return stopping;
		},
		kill,
	};
}

/** How a child ends, once its output is read. */
function exitOf(child: ChildProcessWithoutNullStreams, failed: Promise<Error>): Promise<ChildExit> {
	return new Promise((resolve) => {
		void failed.then((error) => {
			if (child.pid === undefined) resolve({ kind: "unstarted", error });
		});
		child.once("exit", (code, signal) => {
			const exit: ChildExit = signal
				? { kind: "killed", signal }
				: code === null
					? { kind: "unstarted", error: "It ended without an exit code or a signal." }
					: { kind: "exited", code };
			void outputRead(child).then(() => resolve(exit));
		});
	});
}

/** Kills a process group (on Windows the process tree), if its leader is still the process that was started. */
function killGroup(pid: number, started: string | undefined): void {
	if (started !== undefined && !isSameProcess(pid, started)) return;
	if (process.platform === "win32") {
		const taskkill = join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
		spawnSync(taskkill, ["/PID", String(pid), "/T", "/F"], { windowsHide: true });
		return;
	}
	try {
		process.kill(-pid, "SIGKILL");
	} catch {}
}

/** Waits for the end of stdout and stderr, at most a second: a grandchild may hold them open forever. */
async function outputRead(child: ChildProcessWithoutNullStreams): Promise<void> {
	const ended = [child.stdout, child.stderr].map((stream) =>
		stream.readableEnded || stream.destroyed ? undefined : once(stream, "close").catch(() => {}),
	);
	await within(1000, Promise.all(ended));
	for (const stream of [child.stdout, child.stderr]) stream.destroy();
}

/** Without free file descriptors Node makes none of the streams and reports the error a moment later. */
function hasStreams(child: ChildProcess): child is ChildProcessWithoutNullStreams {
	return Boolean(child.stdin && child.stdout && child.stderr);
}

function unstarted(error: unknown, failed?: Promise<Error>): Child {
	const exited: Promise<ChildExit> = failed
		? failed.then((later) => ({ kind: "unstarted", error: later }))
		: Promise.resolve({ kind: "unstarted", error });
	return {
		pid: undefined,
		started: undefined,
		exited,
		onOutput() {},
		onError() {},
		write: async () => false,
		endInput() {},
		stderr: () => "",
		stop: () => exited,
		kill: () => exited,
	};
}
