// pi's facts about this session's tools.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Annotations } from "@pi-chronicle/footprint";
import { isOwnFile } from "../package/own-package.ts";

export interface ToolFacts {
	/** The author's claims about its effects, as in MCP's tool annotations. Not verified. */
	readonly annotations: Annotations | undefined;
	/** It belongs to this package, or it is a tool of pi that only calls other tools. */
	readonly own: boolean;
}

/** pi's tools that only call other tools; those calls are judged one by one. */
const orchestrators = new Set(["codemode", "tool_search"]);

/** The facts about a tool; `undefined` if pi does not know it. */
export function aboutTool(pi: ExtensionAPI, name: string): ToolFacts | undefined {
	const tool = pi.getAllTools().find((known) => known.name === name);
	if (!tool) return undefined;
	return {
		annotations: tool.annotations,
		own: tool.sourceInfo.source === "builtin" ? orchestrators.has(name) : isOwnFile(tool.sourceInfo.path),
	};
}

/** Why a call that ends something is refused: it was written before the results of the failed calls beside it were known. */
export function failedBesideText(tools: readonly string[]): string {
	return `in the same message, ${[...new Set(tools)].join(" and ")} failed, and you had not read why. Read it above and do what it needs.`;
}
