// `/guard sandbox on` and `off`: whether all shell commands of the session run in the sandbox.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Policies } from "../policy/index.ts";
import type { SessionBox } from "../session-box.ts";

export interface BoxSwitch {
	readonly on: boolean;
	/** Returns what to tell the user; `undefined`: no sandbox works here. */
	turn(on: boolean, ctx: ExtensionContext): Promise<string | undefined>;
	/** One sentence about the sandbox of the session. */
	status(ctx: ExtensionContext): Promise<string>;
}

const need = { scope: "project", network: "open" } as const;

/** Opens the switch; it is off. */
export function openBoxSwitch(policies: Policies, box: () => SessionBox): BoxSwitch {
	let remove: (() => void) | undefined;
	const status = async (ctx: ExtensionContext): Promise<string> => {
		const opened = await box().of(ctx);
		if (!opened) return "No sandbox works here, or the settings turn it off: commands are judged by their text.";
		if (!remove)
			return "The sandbox works. Commands of this session run in it in readonly mode and in phases that do not change the project; `/guard sandbox on` runs all of them in it.";
		return `Every shell command runs in a sandbox. ${opened.describe(need)} MCP servers and tools of other extensions run outside.`;
	};
	return {
		get on() {
			return remove !== undefined;
		},
		status,
		async turn(on, ctx) {
			if (!on) {
				remove?.();
				remove = undefined;
				return "The sandbox is off for this session's commands.";
			}
			const opened = await box().of(ctx);
			if (!opened) return undefined;
			const { sandboxPolicy } = await import("../sandbox/index.ts");
			remove ??= policies.add(sandboxPolicy(opened, "project", () => need));
			return status(ctx);
		},
	};
}
