// Starts a pi in RPC mode, sends it requests, and stops it. Its dialogs are dismissed.
import { type Child, startChild } from "../../process/index.ts";
import type { PiCommand } from "./pi-command.ts";
import { linkRpc, type RpcLink } from "./rpc-link.ts";

export interface AskedPi {
	readonly pi: PiCommand;
	/** Options in addition to `--mode rpc --no-session`. */
	readonly args: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** Milliseconds until it is killed; missing answers are then failures. */
	readonly ms: number;
	readonly signal?: AbortSignal | undefined;
}

/** Resolves to the result of `ask` once the process has exited. */
export async function askPi<T>(
	{ pi, args, cwd, env, ms, signal }: AskedPi,
	ask: (link: RpcLink, child: Child) => Promise<T>,
): Promise<T> {
	const child = startChild({
		command: pi.command,
		args: [...pi.args, "--mode", "rpc", "--no-session", ...args],
		cwd,
		env,
	});
	const link = linkRpc(child, {
		activity() {},
		event() {},
		dialog: (dialog) => void link.answer(dialog, undefined),
		oversized() {},
	});
	const kill = (): void => void child.kill();
	const timer = setTimeout(kill, ms);
	signal?.addEventListener("abort", kill, { once: true });
	if (signal?.aborted) kill();
	try {
		return await ask(link, child);
	} finally {
		clearTimeout(timer);
		signal?.removeEventListener("abort", kill);
		await child.stop(1000);
	}
}
