// One child process in its own group, and how it ends. Not pi's protocol: that is rpc-link.ts.
// C1 no shell; C2 the outcome is a value and only `exited` with code 0 can be a success; C3 every wait has a bound; C4 stderr is kept bounded.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { isSameProcess, processStart } from "./process-identity.ts";

export type ChildExit =
	| { readonly kind: "exited"; readonly code: number }
	| { readonly kind: "killed"; readonly signal: NodeJS.Signals }
	/** It never ran: the file is missing, not executable, or the folder is gone. */
	| { readonly kind: "unstarted"; readonly reason: string };

export interface ChildSpec {
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
}

export interface Child {
	/** `undefined` where it did not start. */
	readonly pid: number | undefined;
	/** Start mark of the process, see `processStart`. */
	readonly started: string | undefined;
	/** Resolves once it has ended and its output is read (output is waited for at most one second longer). Never rejects. */
	readonly exited: Promise<ChildExit>;
	/** Called with stdout as it comes. Set before the first await after `startChild`. */
	onOutput(listener: (chunk: Buffer) => void): void;
	/** Writes to stdin; `false` where that is closed. Waits for a full pipe to drain. */
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
		return unstarted(error instanceof Error ? error.message : String(error));
	}
	// Before anything that can throw: an error without a listener ends this process.
	const failed = new Promise<Error>((resolve) => spawned.once("error", resolve));
	if (!hasStreams(spawned)) return unstarted("", failed);
	const process_ = spawned;
	const { pid } = process_;
	const started = pid === undefined ? undefined : processStart(pid);
	const listeners: ((chunk: Buffer) => void)[] = [];
	let tail = Buffer.alloc(0);
	process_.stdout.on("data", (chunk: Buffer) => {
		for (const listener of listeners) listener(chunk);
	});
	process_.stderr.on("data", (chunk: Buffer) => {
		tail = Buffer.concat([tail, chunk]).subarray(-STDERR_BYTES);
	});
	// A pipe whose reader is gone reports here; the exit tells the story.
	for (const stream of [process_.stdin, process_.stdout, process_.stderr]) stream.on("error", () => {});

	const exited = new Promise<ChildExit>((resolve) => {
		void failed.then((error) => {
			if (process_.pid === undefined) resolve({ kind: "unstarted", reason: error.message });
		});
		process_.once("exit", (code, signal) => {
			const exit: ChildExit = signal
				? { kind: "killed", signal }
				: code === null
					? { kind: "unstarted", reason: "It ended without a code or a signal." }
					: { kind: "exited", code };
			void outputRead(process_).then(() => resolve(exit));
		});
	});
	let over = false;
	void exited.then(() => {
		over = true;
	});

	let stopping: Promise<ChildExit> | undefined;
	const kill = async (): Promise<ChildExit> => {
		if (!over && pid !== undefined) killGroup(pid, started);
		return exited;
	};
	return {
		pid,
		started,
		exited,
		onOutput: (listener) => void listeners.push(listener),
		async write(text) {
			const { stdin } = process_;
			if (over || !stdin.writable) return false;
			if (!stdin.write(text)) await Promise.race([once(stdin, "drain").catch(() => {}), exited]);
			return !over;
		},
		endInput: () => void process_.stdin.end(),
		stderr: () => tail.toString("utf8"),
		stop(graceMs = 5000) {
			stopping ??= (async () => {
				if (over || pid === undefined) return exited;
				process_.stdin.end();
				if (process.platform !== "win32") process_.kill("SIGTERM");
				const timer = setTimeout(() => void kill(), graceMs);
				try {
					return await exited;
				} finally {
					clearTimeout(timer);
				}
			})();
			return stopping;
		},
		kill,
	};
}

/** Ends a process group by force. On Windows the process tree. Only while its leader is still the process that was started. */
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

/** Waits until stdout and stderr are at their end; a grandchild may hold them open for ever, so at most a second. */
async function outputRead(child: ChildProcessWithoutNullStreams): Promise<void> {
	const ended = [child.stdout, child.stderr].map((stream) =>
		stream.readableEnded || stream.destroyed ? undefined : once(stream, "close").catch(() => {}),
	);
	let timer: NodeJS.Timeout | undefined;
	const bound = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, 1000);
	});
	await Promise.race([Promise.all(ended), bound]);
	clearTimeout(timer);
	for (const stream of [child.stdout, child.stderr]) stream.destroy();
}

/** Where file descriptors run out Node makes none of the streams, and reports the error a moment later. */
function hasStreams(child: ChildProcess): child is ChildProcessWithoutNullStreams {
	return Boolean(child.stdin && child.stdout && child.stderr);
}

function unstarted(reason: string, failed?: Promise<Error>): Child {
	const exited: Promise<ChildExit> = failed
		? failed.then(({ message }) => ({ kind: "unstarted", reason: message }))
		: Promise.resolve({ kind: "unstarted", reason });
	return {
		pid: undefined,
		started: undefined,
		exited,
		onOutput() {},
		write: async () => false,
		endInput() {},
		stderr: () => "",
		stop: () => exited,
		kill: () => exited,
	};
}
