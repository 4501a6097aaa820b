// Hashes that identify a template and its cleanup commands.
import { createHash } from "node:crypto";
import type { StatePlan, Template } from "./template.ts";

/** SHA-256 (hex) of a definition's content: comments, whitespace and notation do not matter, the order of keys does. */
export function hashDefinition(definition: unknown): string {
	return sha256(JSON.stringify(definition));
}

/**
 * SHA-256 (hex) of all cleanup commands of a template with their states and settings; `undefined` if there are none. An approval names this
 * hash, so any change invalidates it.
 */
export function hashCleanup(template: Template): string | undefined {
	const commands = cleanupOf(template);
	return commands.length === 0 ? undefined : sha256(JSON.stringify(commands));
}

/** Every cleanup command of a template with the state that it belongs to, in order. */
export function cleanupOf(
	template: Template,
): { readonly state: string; readonly command: StatePlan["cleanup"][number] }[] {
	return [...template.states.values()].flatMap((state) =>
		state.cleanup.map((command) => ({ state: state.name, command })),
	);
}

function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
