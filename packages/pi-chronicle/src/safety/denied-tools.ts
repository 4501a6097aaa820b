// The policy of tools that a worker's agent file forbids: calls of them that a gateway passes on. Direct calls have no such tool.
import { isListed, quoted } from "@pi-chronicle/core/definition";
import type { Policy } from "./policy/index.ts";

/** Refuses calls whose arguments name a tool in `denied` (names and patterns) to be called. */
export function deniedToolsPolicy(denied: readonly string[]): Policy {
	return {
		name: "state",
		judge(_call, footprint) {
			const name = footprint().calls?.find((each) => isListed(denied, each));
			if (name === undefined) return undefined;
			return {
				decision: "deny",
				policy: "state",
				rule: "denied-tool",
				reason: `The agent file of this state forbids the tool ${quoted(name)}, also through another tool.`,
				repeats: "unasked",
			};
		},
		forbidsTool: (name) => isListed(denied, name),
	};
}
