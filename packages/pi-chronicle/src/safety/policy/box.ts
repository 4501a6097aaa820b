// What policies ask of the sandbox. The sandbox itself is in `../sandbox`; policies know only these types.

/** What a command may change: the project, only what git ignores in it, or only temporary files. */
export type BoxScope = "project" | "ignored" | "temporary";

/** How the shell command of a call has to be contained. */
export interface BoxNeed {
	readonly scope: BoxScope;
	/** The network where the user has chosen none. */
	readonly network: "open" | "off";
}

/** A command that is contained. */
export interface ConfinedCommand {
	/** Runs it, for the shell that pi starts. */
	readonly command: string;
	/** Call it once the command has ended. Returns what its reader should know; `undefined`: nothing. */
	ended(failed: boolean): string | undefined;
}

/** The sandbox of a session or worker. */
export interface Box {
	confine(command: string, need: BoxNeed): Promise<ConfinedCommand>;
}

const scopes: readonly BoxScope[] = ["project", "ignored", "temporary"];

/** The need that meets both. */
export function strictestNeed(one: BoxNeed | undefined, other: BoxNeed | undefined): BoxNeed | undefined {
	if (!one || !other) return one ?? other;
	const scope = scopes[Math.max(scopes.indexOf(one.scope), scopes.indexOf(other.scope))] ?? "temporary";
	return { scope, network: one.network === "off" || other.network === "off" ? "off" : "open" };
}

/** The text of a call's shell command, if the sandbox can contain it. */
export function shellCommand({
	tool,
	input,
}: {
	readonly tool: string;
	readonly input?: Readonly<Record<string, unknown>>;
}): string | undefined {
	return tool === "bash" && typeof input?.command === "string" ? input.command : undefined;
}
