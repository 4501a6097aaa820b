// What pi knows of the tools of this session.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export interface ToolHints {
	readonly readOnlyHint?: boolean;
	readonly destructiveHint?: boolean;
}

/** What a tool's author says that it does, in the meaning of MCP's tool annotations; `undefined` where nothing is said. Not verified. */
export function toolHints(pi: ExtensionAPI, name: string): ToolHints | undefined {
	const said = pi.getAllTools().find((tool) => tool.name === name)?.annotations;
	if (said?.readOnlyHint === undefined && said?.destructiveHint === undefined) return undefined;
	return {
		...(said.readOnlyHint === undefined ? {} : { readOnlyHint: said.readOnlyHint }),
		...(said.destructiveHint === undefined ? {} : { destructiveHint: said.destructiveHint }),
	};
}
