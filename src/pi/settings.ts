// The package's settings: the object under "chronicle" in pi's own settings files; the project overrides the global one, as pi merges them.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** The settings object as written; empty if there is none. Readers check the types of the fields they use. */
export function chronicleSettings(pi: Pick<ExtensionAPI, "getSettings">): Readonly<Record<string, unknown>> {
	const found = (pi.getSettings() as { chronicle?: unknown }).chronicle;
	return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : {};
}
