// Whether this process belongs to a chronicle's run: workers start no chronicles, workflows or further agents.
import { RUN_TAG } from "./strays.ts";

/** The run that this process works for; `undefined` outside of one. Every process of a run inherits the tag. */
export function enclosingRun(env: NodeJS.ProcessEnv): string | undefined {
	return env[RUN_TAG] || undefined;
}
