// pi's agent folder, for processes that are not pi. Inside pi, pi's own `getAgentDir` is asked.
import { homedir } from "node:os";
import { join } from "node:path";

/** Absolute path of `~/.pi/agent`, or what `PI_CODING_AGENT_DIR` names; as in pi, an empty variable counts as unset and `~` is expanded. */
export function agentFolder(env: NodeJS.ProcessEnv = process.env, home = homedir()): string {
	const named = env.PI_CODING_AGENT_DIR;
	if (!named) return join(home, ".pi", "agent");
	if (named === "~") return home;
	return /^~[\\/]/.test(named) ? join(home, named.slice(2)) : named;
}
