// The configuration of one rehearsal, in a file that an environment variable names. pi and every worker inherit the variable; without it no
// code of a rehearsal is ever loaded.
import { readFileSync, writeFileSync } from "node:fs";
import type { PlannedEnds } from "../../local/index.ts";
import type { Script } from "./scenario.ts";

/** Holds the absolute path of the file. */
export const configVariable = "PI_CHRONICLE_REHEARSAL";

export interface RehearsalConfig {
	/** Absolute path of a scenario file for every definition; without it each definition has the project's own scenario. */
	readonly scenario?: string;
	/** Absolute path of the journal; without it nothing is recorded. */
	readonly journal?: string;
	/** Tokens per second of the simulated stream; without it answers come at once. */
	readonly tokensPerSecond?: number;
	/** A planned script, instead of all scenarios. A visit that it does not name does nothing. */
	readonly script?: Script;
	/** A player answers every request, through the mailbox next to the journal; no scenario is used. */
	readonly byHand?: true;
	/** How the commands of a chronicle's states end. */
	readonly commands?: PlannedEnds;
	/** The path that a chronicle takes: states in order. */
	readonly path?: readonly string[];
}

/** Writes the file at `path` (absolute). */
export function writeConfig(path: string, config: RehearsalConfig): void {
	writeFileSync(path, `${JSON.stringify(config, null, "\t")}\n`, { mode: 0o600 });
}

/** Reads the configuration. Throws if the file is missing or incomplete: a rehearsal must not run without it. */
export function readConfig(path: string): RehearsalConfig {
	return JSON.parse(readFileSync(path, "utf8")) as RehearsalConfig;
}
