// Puts the package's only gate in front of every tool call of a session. Loads the gate at the first call that a policy has to judge.
// Invariant: without a policy nothing is loaded; if the gate cannot be loaded, every call is refused.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Gate, GateOptions } from "./gate.ts";

export function registerGate(pi: ExtensionAPI, options: GateOptions): void {
	let gate: Gate | undefined;
	const open = async (): Promise<Gate> => {
		const { openGate } = await import("./gate.ts");
		gate ??= openGate(pi, options);
		return gate;
	};
	pi.on("tool_call", async (event, ctx) => {
		if (options.policies.size === 0) return undefined;
		let judging: Gate;
		try {
			judging = gate ?? (await open());
		} catch {
			return { block: true, reason: "Refused: the code that judges calls could not be loaded. Try /reload." };
		}
		return judging.judge(event, ctx);
	});
	pi.on("tool_result", (event) => gate?.screen(event));
	pi.on("tool_execution_end", ({ toolCallId }) => gate?.ended(toolCallId));
	pi.on("agent_settled", () => gate?.settle());
}
