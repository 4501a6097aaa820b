// Switches to another model in the same conversation after a provider failure.
import type { RpcLink } from "./rpc-link.ts";

/** The message to the next model. */
export const takeoverText =
	"The previous model cannot be reached. The conversation is complete up to here: continue the task.";

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
