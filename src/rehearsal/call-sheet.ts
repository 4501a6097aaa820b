// What the processes of one rehearsal need to know, in a file that an environment variable names: pi, and every worker that pi or the
// supervisor starts, inherits it. Without the variable nothing of a rehearsal is ever loaded.
import { readFileSync, writeFileSync } from "node:fs";
import type { Script } from "./scenario.ts";

/** Holds the absolute path of the call sheet. */
export const callSheetVariable = "PI_CHRONICLE_REHEARSAL";

export interface CallSheet {
	/** Absolute path of a scenario file for whatever runs; without it the project's own scenario of the definition counts. */
	readonly scenario?: string;
	/** Absolute path of the journal that the rehearsal is followed by; without it nothing is recorded. */
	readonly journal?: string;
	/** For a rehearsal with a person watching. */
	readonly welcome?: Welcome;
	/** Tokens per second that the understudy "streams" at; without it at once. */
	readonly tokensPerSecond?: number;
	/** A planned script, in place of all scenarios. A visit that it does not name does nothing. */
	readonly script?: Script;
	/** The way a chronicle is to take: states in order. */
	readonly route?: readonly string[];
}

export interface Welcome {
	/** Lines above the editor. */
	readonly hint: readonly string[];
	/** What to try, in order: each stands ready in the editor when the workflow before it is over. */
	readonly ready: readonly string[];
}

/** Writes the call sheet to `path` (absolute). */
export function writeCallSheet(path: string, sheet: CallSheet): void {
	writeFileSync(path, `${JSON.stringify(sheet, null, "\t")}\n`, { mode: 0o600 });
}

/** Reads what `writeCallSheet` wrote. Throws when the file is missing or torn: a rehearsal without it must not go on. */
export function readCallSheet(path: string): CallSheet {
	return JSON.parse(readFileSync(path, "utf8")) as CallSheet;
}
