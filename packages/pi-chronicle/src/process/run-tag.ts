// Tells whether this process belongs to a chronicle's run: a worker starts no chronicles, workflows or further agents.
import { RUN_TAG } from "./orphans.ts";

/** Prefix of a child session's tag: its processes belong to the user's session, not to a run. */
export const childTagPrefix = "spawn-";

/** The run that this process belongs to; `undefined` outside of one. Every process of a run inherits the tag. */
export function enclosingRun(env: NodeJS.ProcessEnv): string | undefined {
	const tag = env[RUN_TAG];
	return tag === undefined || tag === "" || tag.startsWith(childTagPrefix) ? undefined : tag;
}
