// The models that can be used now, listed by a pi started for this purpose (0.4 s). Inside pi, its own registry is the better source.
import { startChild } from "../process/index.ts";
import type { PiCommand } from "./pi-command.ts";
import { linkRpc } from "./rpc-link.ts";

export interface ListedModel {
	readonly provider: string;
	readonly id: string;
	readonly name: string;
}

/**
 * Lists the models with credentials. `extensions` are loaded for the models they provide. Empty if pi does not answer within 20 s or
 * `signal` aborts.
 */
export async function listModels(
	pi: PiCommand,
	cwd: string,
	env: NodeJS.ProcessEnv,
	extensions: readonly string[] = [],
	signal?: AbortSignal,
): Promise<readonly ListedModel[]> {
	const loaded = extensions.flatMap((path) => ["-e", path]);
	const child = startChild({
		command: pi.command,
		args: [...pi.args, "--mode", "rpc", "--no-session", "-ne", "-ns", "-np", "--no-themes", "-nc", ...loaded],
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
	const timer = setTimeout(kill, 20_000);
	signal?.addEventListener("abort", kill, { once: true });
	if (signal?.aborted) kill();
	try {
		const response = await link.send({ type: "get_available_models" });
		const listed = response.ok ? (response.data as { models?: unknown } | undefined)?.models : undefined;
		return (Array.isArray(listed) ? listed : []).flatMap(({ provider, id, name }) =>
			typeof provider === "string" && typeof id === "string" ? [{ provider, id, name: String(name ?? id) }] : [],
		);
	} finally {
		clearTimeout(timer);
		signal?.removeEventListener("abort", kill);
		await child.stop(1000);
	}
}
