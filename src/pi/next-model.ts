// Another model in the same conversation, where the provider of the one before fails.
import type { RpcLink } from "./rpc-link.ts";

/** What the model reads that goes on. */
export const takeoverText =
	"The model that worked on this before cannot be reached. The conversation is whole up to here: go on with the task.";

/**
 * Makes the pi behind `link` use the first of `models` (`provider/id`) that it can, and takes that and those before it from the list. Gives
 * its name; `undefined` where none is left.
 */
export async function takeNextModel(link: RpcLink, models: string[]): Promise<string | undefined> {
	for (let name = models.shift(); name !== undefined; name = models.shift()) {
		const slash = name.indexOf("/");
		const model = { provider: name.slice(0, slash), modelId: name.slice(slash + 1) };
		if ((await link.send({ type: "set_model", ...model })).ok) return name;
	}
	return undefined;
}
