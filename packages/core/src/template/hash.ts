// Hashes that identify a template and its commands.
import { createHash } from "node:crypto";
import { TESTS } from "./command-fields.ts";
import type { CleanupCommand, StatePlan, Template } from "./template.ts";

/** SHA-256 (hex) of a definition's content: comments, whitespace and notation do not matter, the order of keys does. */
export function hashDefinition(definition: unknown): string {
	return sha256(JSON.stringify(definition));
}

/**
 * SHA-256 (hex) of all commands of a template with their states and settings; `undefined` if there are none. An approval names this
 * hash, so any change invalidates it.
 */
export function hashCommands(template: Template): string | undefined {
	const commands = commandsOf(template);
	return commands.length === 0 ? undefined : sha256(JSON.stringify(commands));
}

/** A command that needs approval, with its state. */
interface TemplateCommand {
	readonly state: string;
	/** `timeoutMs`, and of a cleanup or set-up command `onFailure`. */
	readonly command: Pick<CleanupCommand, "command" | "timeoutMs"> & Partial<CleanupCommand>;
}

/** Every command of a template and of those written in it, in order: of states that are one, for set-up and for cleanup; not `{tests}`. */
export function commandsOf(template: Template): TemplateCommand[] {
	return [...template.states.values()].flatMap(({ name, cleanup, children, command }) => [
		...ownCommand(name, command),
		...(children?.setup ?? []).map((command) => ({ state: name, command })),
		...(children?.branches ?? []).flatMap((branch) =>
			branch.template.kind === "named"
				? []
				: commandsOf(branch.template.template).map(({ state, command }) => ({ state: `${name}/${state}`, command })),
		),
		...cleanup.map((command) => ({ state: name, command })),
	]);
}

function ownCommand(state: string, command: StatePlan["command"]): TemplateCommand[] {
	return command && command.line !== TESTS
		? [{ state, command: { command: command.line, timeoutMs: command.timeoutMs } }]
		: [];
}

function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
