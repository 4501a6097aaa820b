// The user's settings about tools of other packages: `"chronicle": { "tools": { "read_symbol": "read" } }` in pi's settings file.
// Invariants: only the file in pi's agent folder counts, never a project's; it is read once per session, so that nothing in the session
// loosens it; an invalid value counts as `unknown`, the strictest.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { type KnownTools, type ToolEffect, toolEffects } from "@pi-chronicle/footprint";
import { aboutTool, userSettings, userSettingsFile } from "../pi/index.ts";

export interface ToolSettings extends KnownTools {
	/** Problems of the setting, one sentence each. */
	readonly problems: readonly string[];
}

/** Reads the user's table; the authors' hints about their tools come from pi. */
export async function readToolSettings(pi: ExtensionAPI): Promise<ToolSettings> {
	const { table, problems } = readTable();
	const { isListed } = table.size === 0 ? { isListed: () => false } : await import("@pi-chronicle/core/definition");
	const names = [...table.keys()];
	return {
		problems,
		effectOf(tool) {
			const exact = names.find((name) => name.toLowerCase() === tool.toLowerCase());
			// The longest of several globs is the most specific.
			const [glob] = names.filter((name) => isListed([name], tool)).sort((a, b) => b.length - a.length);
			const name = exact ?? glob;
			return name === undefined ? undefined : table.get(name);
		},
		annotationsOf: (tool) => aboutTool(pi, tool)?.annotations,
	};
}

function readTable(): {
	readonly table: ReadonlyMap<string, ToolEffect>;
	readonly problems: readonly string[];
} {
	const file = userSettingsFile();
	const table = new Map<string, ToolEffect>();
	const problems: string[] = [];
	const { tools } = userSettings();
	if (tools === undefined) return { table, problems };
	if (typeof tools !== "object" || tools === null || Array.isArray(tools)) {
		return { table, problems: [`"chronicle.tools" in ${file} is not a table of tools, so it is ignored.`] };
	}
	for (const [name, value] of Object.entries(tools)) {
		const effect = toolEffects.find((known) => known === value);
		if (!effect)
			problems.push(
				`"chronicle.tools.${name}" in ${file} is not one of ${toolEffects.join(", ")}, so the tool counts as unknown.`,
			);
		table.set(name, effect ?? "unknown");
	}
	return { table, problems };
}
