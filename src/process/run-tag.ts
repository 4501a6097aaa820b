// Whether this process belongs to a chronicle's run: workers start no chronicles, workflows or further agents.
import { RUN_TAG } from "./orphans.ts";

/** How the tag of a child session's processes begins: they belong to a person's session, not to a run. */
export const childTagPrefix = "spawn-";

/** The run that this process works for; `undefined` outside of one. Every process of a run inherits the tag. */
export function enclosingRun(env: NodeJS.ProcessEnv): string | undefined {
	const tag = env[RUN_TAG];
	return tag === undefined || tag === "" || tag.startsWith(childTagPrefix) ? undefined : tag;
}
