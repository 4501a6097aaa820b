// A rule set: the contents of the rule files as plain JSON data that can be serialized, hashed and sent to another process.
// Invariants: it has no functions and no compiled expressions; the same files give the same hash on every machine with the same home and
// project folders.
import { canonicalJson, digest } from "@pi-chronicle/core/bounds";
import type { Diagnostic } from "@pi-chronicle/core/definition";
import type { Effect } from "@pi-chronicle/footprint";
import type { Origin } from "../../policy/index.ts";

interface Rule {
	/** The pattern as written: shown to the user, and used to count repetitions. */
	readonly name: string;
	readonly reason: string;
	readonly decision: "ask" | "deny";
	/** On trial: its decision is recorded, not carried out. */
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
 * `zero`: no access of any kind · `read-only`: no change · `no-delete`: no removal, moving or emptying · `generated` by a build: not edited by
 * hand, but may be removed and regenerated.
 */
export type PathLimit = "zero" | "read-only" | "no-delete" | "generated";

export interface PathRule extends Rule {
	readonly kind: "path";
	readonly limit: PathLimit;
	readonly pattern: string;
	/** `glob` as in `path-pattern.ts`; `regex` from guards that write paths as regular expressions. */
	readonly syntax: "glob" | "regex";
	/** Absolute directory that `./` patterns start from. */
	readonly base: string;
}

/** Excludes paths from the path rules of the same file; an exception in a global file also from those of project files. */
export interface PathException {
	readonly pattern: string;
	readonly base: string;
	/** `read` allows reading and listing only. */
	readonly access: "read" | "all";
	/** `zero`: the exception does not apply to read-only and other limits. */
	readonly limits: "zero" | "all";
	/** The files whose rules it applies to. */
	readonly of: "every-file" | { readonly file: string };
	readonly origin: Origin;
}

/** A rule about an effect of commands, in any spelling. */
export interface EffectRule extends Rule {
	readonly kind: "effect";
	readonly effect: Effect;
	/** Allows commands that only access these paths, or that match one of these commands. */
	readonly except: readonly string[];
	readonly base: string;
}

/** Decision of a built-in protection; only a global file may weaken it. */
export type BuiltIn = "deny" | "ask" | "off";

export interface RuleSet {
	readonly commands: readonly CommandRule[];
	readonly paths: readonly PathRule[];
	readonly exceptions: readonly PathException[];
	readonly effects: readonly EffectRule[];
	/** Ask about everything unknown. */
	readonly strict: boolean;
	/** Ask when a script is written whose commands would be refused. */
	readonly scanWrites: boolean;
	/** `substring`: path patterns match anywhere in a path, as in the original guard. */
	readonly matching: "segments" | "substring";
	/** Ignore case in paths; `undefined`: as the system does. */
	readonly foldCase: boolean | undefined;
	readonly selfProtection: BuiltIn;
	readonly nestedAgents: BuiltIn;
	/** A tree with more files than are looked at for protected ones passes; absent: it is asked about, unless `effects` has a rule. */
	readonly largeTree?: "off";
	/** The files: global first, then the project's from the outermost folder inwards. */
	readonly files: readonly RuleFile[];
	readonly diagnostics: readonly Diagnostic[];
	/** A file could not be read correctly: every call that writes or runs something needs approval. */
	readonly closed: boolean;
}

interface RuleFile {
	readonly file: string;
	readonly tier: "global" | "project";
	/** Name of the dialect. */
	readonly dialect: string;
	readonly count: number;
}

/** Hashes the rule set to 16 hexadecimal digits. Lines, reasons and diagnostics count too: what the user sees is pinned. */
export function hashRules(rules: RuleSet): string {
	return digest(serializeRules(rules));
}

/** The rule set as JSON text with sorted keys. */
export function serializeRules(rules: RuleSet): string {
	return canonicalJson(rules);
}

/** Reads what `serializeRules` wrote. Throws if it does not have the hash. */
export function deserializeRules(text: string, hash: string): RuleSet {
	const rules = JSON.parse(text) as RuleSet;
	if (hashRules(rules) !== hash) throw new Error("The rules do not have the expected hash.");
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
