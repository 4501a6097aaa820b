// The models that can be used now, listed by a pi started for this purpose (0.4 s). Inside pi, its own registry is the better source.
import { askPi } from "./ask-pi.ts";
import type { PiCommand } from "./pi-command.ts";
import type { RpcLink, RpcResponse } from "./rpc-link.ts";

export interface ListedModel {
	readonly provider: string;
	readonly id: string;
	readonly name: string;
	/** What pi cannot count of it: no `usage` figures come with its answers, or it has no `price`; absent: nothing, or unknown. */
	readonly uncounted?: "usage" | "price";
	/** A session starts with it, unless it names another one. */
	readonly isDefault?: true;
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
	return askPi({ pi, args, cwd, env, ms: 20_000, signal }, async (link) => {
		const models = modelsIn(await link.send({ type: "get_available_models" }));
		const state = await link.send({ type: "get_state" });
		return markDefault(models, state.ok ? (state.data as { model?: unknown } | undefined)?.model : undefined);
	});
}

/** `models` with a mark on the one that a session starts with. */
export function markDefault(models: readonly ListedModel[], current: unknown): readonly ListedModel[] {
	const { provider, id } = (current ?? {}) as { readonly provider?: unknown; readonly id?: unknown };
	return models.map((model) =>
		model.provider === provider && model.id === id ? { ...model, isDefault: true } : model,
	);
}

/** The models of pi's answer to `get_available_models`. */
export function modelsIn(response: RpcResponse): readonly ListedModel[] {
	const listed = response.ok ? (response.data as { models?: unknown } | undefined)?.models : undefined;
	return (Array.isArray(listed) ? listed : []).flatMap((model) => listedModel(model) ?? []);
}

/** One of pi's models; `undefined` if it has no name. Source of the shape: pi's docs/models.md. */
export function listedModel(model: unknown): ListedModel | undefined {
	const { provider, id, name, cost, compat } = (model ?? {}) as {
		readonly [field in keyof ListedModel | "cost" | "compat"]?: unknown;
	};
	if (typeof provider !== "string" || typeof id !== "string") return undefined;
	const isFree = typeof cost === "object" && cost !== null && Object.values(cost).every((price) => price === 0);
	const { supportsUsageInStreaming } = (compat ?? {}) as { readonly supportsUsageInStreaming?: unknown };
	const uncounted = supportsUsageInStreaming === false ? "usage" : isFree ? "price" : undefined;
	return { provider, id, name: String(name ?? id), ...(uncounted ? { uncounted } : {}) };
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
