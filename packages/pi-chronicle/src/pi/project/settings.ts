// The package's settings: the object under "chronicle" in pi's own settings files; the project overrides the global one, as pi merges them.

import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { isRecord, propertiesOf } from "@pi-chronicle/core/definition";
import { jsonObject } from "../../disk/index.ts";
import { agentFolder } from "./agent-folder.ts";

/** The settings object as written; empty if there is none. Readers check the types of the fields they use. */
export function chronicleSettings(pi: Pick<ExtensionAPI, "getSettings">): Readonly<Record<string, unknown>> {
	return ownSettings(pi.getSettings());
}

/** The user's own settings file. */
export function userSettingsFile(): string {
	return join(agentFolder(), "settings.json");
}

/** The user's own settings object, for settings that a project must not control; empty if there is none or the file cannot be read. */
export function userSettings(file = userSettingsFile()): Readonly<Record<string, unknown>> {
	// pi itself reports a settings file that it cannot read.
	return ownSettings(jsonObject(file));
}

function ownSettings(settings: object | undefined): Readonly<Record<string, unknown>> {
	const { chronicle } = propertiesOf(settings);
	return isRecord(chronicle) ? chronicle : {};
}
