// Runs one command line in the system's shell, in its own process group, within a time limit.
import { ByteTail } from "./byte-tail.ts";
import { type ChildExit, startChild } from "./child.ts";

export interface ShellCommandOptions {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	readonly timeoutMs: number;
	/** Kills the command. */
	readonly signal?: AbortSignal;
	/** Called with its output as it comes, in order of arrival. */
	readonly onOutput?: (chunk: Buffer, from: "stdout" | "stderr") => void;
}

export interface ShellCommandEnd {
	readonly exit: ChildExit;
	/** It was killed after its time. */
	readonly late: boolean;
	/** The ends of stdout and stderr, one after the other, not redacted. */
	readonly output: string;
}

/** Bytes of stdout that are kept. */
const tailBytes = 16 * 1024;

/** Runs `command` without input. Resolves when it has ended, however it ended. */
export async function runShellCommand(
	command: string,
	{ cwd, env, timeoutMs, signal, onOutput }: ShellCommandOptions,
): Promise<ShellCommandEnd> {
	const child = startChild({ ...shellOf(command, env), cwd, env });
	child.endInput();
	const tail = new ByteTail(tailBytes);
	child.onOutput((chunk) => tail.add(chunk));
	if (onOutput) {
		child.onOutput((chunk) => onOutput(chunk, "stdout"));
		child.onError((chunk) => onOutput(chunk, "stderr"));
	}
	let late = false;
	const timer = setTimeout(() => {
		late = true;
		void child.kill();
	}, timeoutMs);
	const stop = (): void => void child.kill();
	signal?.addEventListener("abort", stop, { once: true });
	if (signal?.aborted) stop();
	const exit = await child.exited;
	clearTimeout(timer);
	signal?.removeEventListener("abort", stop);
	const output = [tail.text(), child.stderr()].filter((text) => text.trim() !== "").join("\n");
	return { exit, late, output: output.trim() };
}

/** The system's shell: `/bin/sh`, on Windows `cmd`. */
function shellOf(
	command: string,
	env: NodeJS.ProcessEnv,
): { readonly command: string; readonly args: readonly string[] } {
	if (process.platform === "win32") return { command: env.ComSpec ?? "cmd.exe", args: ["/d", "/s", "/c", command] };
	return { command: "/bin/sh", args: ["-c", command] };
}
