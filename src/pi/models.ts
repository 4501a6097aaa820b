// The models that can be used now, listed by a pi started for this purpose (0.4 s). Inside pi, its own registry is the better source.
import { askPi } from "./ask-pi.ts";
import type { PiCommand } from "./pi-command.ts";
import type { RpcLink, RpcResponse } from "./rpc-link.ts";

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

/** The message to the next model. */
export const takeoverText =
	"[From pi-chronicle, not from the user]\nThe previous model cannot be reached. The conversation is complete up to here: continue the task.";

/**
 * Switches the pi behind `link` to the first of `models` (`provider/id`) that it accepts, and removes that one and those before it from the
 * list. Returns the model's name; `undefined` if none is left.
 */
export async function takeNextModel(link: RpcLink, models: string[]): Promise<string | undefined> {
	for (let name = models.shift(); name !== undefined; name = models.shift()) {
		const slash = name.indexOf("/");
		const model = { provider: name.slice(0, slash), modelId: name.slice(slash + 1) };
		if ((await link.send({ type: "set_model", ...model })).ok) return name;
	}
	return undefined;
}
