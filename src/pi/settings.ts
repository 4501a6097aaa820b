// The package's settings: the object under "chronicle" in pi's own settings files; the project overrides the global one, as pi merges them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { agentFolder } from "./agent-folder.ts";

/** The settings object as written; empty if there is none. Readers check the types of the fields they use. */
export function chronicleSettings(pi: Pick<ExtensionAPI, "getSettings">): Readonly<Record<string, unknown>> {
	const found = (pi.getSettings() as { chronicle?: unknown }).chronicle;
	return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : {};
}

/** The user's own settings file. */
export function userSettingsFile(): string {
	return join(agentFolder(), "settings.json");
}

/** The user's own settings object, for settings that a project must not control; empty if there is none or the file cannot be read. */
export function userSettings(file = userSettingsFile()): Readonly<Record<string, unknown>> {
	try {
		const read = JSON.parse(readFileSync(file, "utf8").replace(/^\ufeff/, "")) as { chronicle?: unknown } | null;
		const { chronicle } = read ?? {};
		return typeof chronicle === "object" && chronicle !== null ? (chronicle as Record<string, unknown>) : {};
	} catch {
		// pi itself reports a settings file that it cannot read.
		return {};
	}
}
