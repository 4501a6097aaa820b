// pi's agent folder, for processes other than pi. Inside pi, use pi's own `getAgentDir`.
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Absolute path of `~/.pi/agent`, or the value of `PI_CODING_AGENT_DIR`. As in pi, an empty variable counts as unset and `~` is expanded.
 */
export function agentFolder(env: NodeJS.ProcessEnv = process.env, home = homedir()): string {
	const named = env.PI_CODING_AGENT_DIR;
	if (!named) return join(home, ".pi", "agent");
	if (named === "~") return home;
	return /^~[\\/]/.test(named) ? join(home, named.slice(2)) : named;
}
