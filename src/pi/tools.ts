// What pi knows of the tools of this session.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { isOwnFile } from "./own-package.ts";

export interface ToolHints {
	readonly readOnlyHint?: boolean;
	readonly destructiveHint?: boolean;
}

export interface ToolFacts {
	/** What its author says that it does, in the meaning of MCP's tool annotations. Not verified. */
	readonly hints: ToolHints | undefined;
	/** It is this package's, or one of pi's own that only calls other tools. */
	readonly own: boolean;
}

/** pi's tools that do nothing but call other tools; those calls are judged one by one. */
const orchestrators = new Set(["codemode", "tool_search"]);

/** What is known of a tool; `undefined` for one that pi does not know. */
export function aboutTool(pi: ExtensionAPI, name: string): ToolFacts | undefined {
	const tool = pi.getAllTools().find((known) => known.name === name);
	if (!tool) return undefined;
	const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
	const said = readOnlyHint !== undefined || destructiveHint !== undefined;
	return {
		hints: said
			? {
					...(readOnlyHint === undefined ? {} : { readOnlyHint }),
					...(destructiveHint === undefined ? {} : { destructiveHint }),
				}
			: undefined,
		own: isPiTool(tool.sourceInfo.source) ? orchestrators.has(name) : isOwnFile(tool.sourceInfo.path),
	};
}

function isPiTool(source: string): boolean {
	return source === "builtin";
}
