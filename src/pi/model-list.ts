// The models that can be used now, listed by a pi started for this purpose (0.4 s). Inside pi, its own registry is the better source.
import { askPi } from "./ask-pi.ts";
import type { PiCommand } from "./pi-command.ts";
import type { RpcResponse } from "./rpc-link.ts";

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
	extensions: readonly string[],
	signal?: AbortSignal,
): Promise<readonly ListedModel[]> {
	const loaded = extensions.flatMap((path) => ["-e", path]);
	const args = ["-ne", "-ns", "-np", "--no-themes", "-nc", ...loaded];
	return askPi({ pi, args, cwd, env, ms: 20_000, signal }, async (link) =>
		modelsIn(await link.send({ type: "get_available_models" })),
	);
}

/** The models of pi's answer to `get_available_models`. */
export function modelsIn(response: RpcResponse): readonly ListedModel[] {
	const listed = response.ok ? (response.data as { models?: unknown } | undefined)?.models : undefined;
	return (Array.isArray(listed) ? listed : []).flatMap(({ provider, id, name }) =>
		typeof provider === "string" && typeof id === "string" ? [{ provider, id, name: String(name ?? id) }] : [],
	);
}
