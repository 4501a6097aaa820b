// pi's agent folder, for processes other than pi. Inside pi, use pi's own `getAgentDir`.
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Absolute path of `~/.pi/agent`, or the value of `PI_CODING_AGENT_DIR`. As in pi, an empty variable counts as unset and `~` is expanded.
 */
export function agentFolder(): string {
	const named = process.env.PI_CODING_AGENT_DIR || join("~", ".pi", "agent");
	return /^~(?=[\\/]|$)/.test(named) ? join(homedir(), named.slice(1)) : named;
}
