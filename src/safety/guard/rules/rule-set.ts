// What the guard's rule files say, parsed: exact, plain JSON data that can be frozen, hashed and sent to another process.
// R1 a rule set holds no functions and no compiled expressions; R2 the same files give the same hash on every machine with the same
// home and project folders.
import { createHash } from "node:crypto";
import type { Diagnostic } from "../../../definition/index.ts";
import type { Effect } from "../../../footprint/index.ts";
import type { Origin } from "../../policy/index.ts";

interface Rule {
	/** Short stable name, shown to people and counted: the pattern as written. */
	readonly name: string;
	readonly reason: string;
	readonly decision: "ask" | "deny";
	/** On trial: recorded, not carried out. */
	readonly dryRun: boolean;
	readonly origin: Origin;
}

/** A regular expression over commands. */
export interface CommandRule extends Rule {
	readonly kind: "command";
	readonly pattern: string;
	/** Subset of `imsu`. */
	readonly flags: string;
}

/**
 * `zero` no access of any kind · `read-only` no change of any kind · `no-delete` no removal, moving away or emptying · `generated` made by a
 * build: not edited by hand, but removed and made again.
 */
export type PathLimit = "zero" | "read-only" | "no-delete" | "generated";

export interface PathRule extends Rule {
	readonly kind: "path";
	readonly limit: PathLimit;
	readonly pattern: string;
	/** `glob` as documented in path-rule.ts; `regex` from dialects that write paths as regular expressions. */
	readonly syntax: "glob" | "regex";
	/** Absolute directory that `./` patterns start from. */
	readonly base: string;
}

/** Takes places out of the path rules of the same file; those of a global file also out of project files. */
export interface PathException {
	readonly pattern: string;
	readonly base: string;
	/** `read` only lets reading and listing through. */
	readonly access: "read" | "all";
	/** `zero`: what may be read only, or changed only, stays so. */
	readonly limits: "zero" | "all";
	/** Files that it applies to: one, or every file for exceptions of a global file. */
	readonly of: "every-file" | { readonly file: string };
	readonly origin: Origin;
}

/** What a command does, whatever its spelling. */
export interface EffectRule extends Rule {
	readonly kind: "effect";
	readonly effect: Effect;
	/** Commands whose touched paths all match one of these are let through. */
	readonly except: readonly string[];
	readonly base: string;
}

/** How the built-in protections decide; only a global file may weaken them. */
export type BuiltIn = "deny" | "ask" | "off";

export interface RuleSet {
	readonly commands: readonly CommandRule[];
	readonly paths: readonly PathRule[];
	readonly exceptions: readonly PathException[];
	readonly effects: readonly EffectRule[];
	/** Ask for whatever cannot be known. */
	readonly strict: boolean;
	/** Ask when a script is written whose text would not pass as a command. */
	readonly scanWrites: boolean;
	/** `substring`: path patterns match anywhere in a path, as the first guard of this kind did. */
	readonly matching: "segments" | "substring";
	/** Fold upper and lower case in paths; `undefined`: where the system does. */
	readonly foldCase: boolean | undefined;
	readonly selfProtection: BuiltIn;
	readonly nestedAgents: BuiltIn;
	/** Files that were read, in the order global, then project from the outermost folder inwards. */
	readonly files: readonly RuleFile[];
	readonly diagnostics: readonly Diagnostic[];
	/** A file could not be read as it was meant: whatever writes or runs something needs a person's yes. */
	readonly closed: boolean;
}

export interface RuleFile {
	readonly file: string;
	readonly tier: "global" | "project";
	/** Name of the dialect it is written in. */
	readonly dialect: string;
	readonly count: number;
}

/** Sixteen hexadecimal digits over everything that can change a verdict. Lines, reasons and diagnostics count: what people see is pinned too. */
export function hashRules(rules: RuleSet): string {
	return createHash("sha256").update(serializeRules(rules)).digest("hex").slice(0, 16);
}

/** The rule set as JSON text, the same for the same rules. */
export function serializeRules(rules: RuleSet): string {
	return JSON.stringify(rules, (_key, value: unknown) =>
		value !== null && typeof value === "object" && !Array.isArray(value)
			? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
			: value,
	);
}

/** Reads what `serializeRules` wrote and checks its hash. Throws where the text is not what was frozen. */
export function deserializeRules(text: string, hash: string): RuleSet {
	const rules = JSON.parse(text) as RuleSet;
	if (hashRules(rules) !== hash) throw new Error("The frozen rules do not have the hash that was promised.");
	return rules;
}

export const emptyRuleSet: RuleSet = {
	commands: [],
	paths: [],
	exceptions: [],
	effects: [],
	strict: false,
	scanWrites: false,
	matching: "segments",
	foldCase: undefined,
	selfProtection: "deny",
	nestedAgents: "deny",
	files: [],
	diagnostics: [],
	closed: false,
};
