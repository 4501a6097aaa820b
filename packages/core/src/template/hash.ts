// Hashes that identify a template and its cleanup commands.
import { createHash } from "node:crypto";
import type { CleanupCommand, Template } from "./template.ts";

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

/** Every cleanup and set-up command of a template and of those written in it, with its state, in order. */
export function cleanupOf(template: Template): { readonly state: string; readonly command: CleanupCommand }[] {
	return [...template.states.values()].flatMap(({ name, cleanup, children }) => [
		...(children?.setup ?? []).map((command) => ({ state: name, command })),
		...(children?.branches ?? []).flatMap((branch) =>
			branch.template.kind === "named"
				? []
				: cleanupOf(branch.template.template).map(({ state, command }) => ({ state: `${name}/${state}`, command })),
		),
		...cleanup.map((command) => ({ state: name, command })),
	]);
}

function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
