// The keys of rule files in the spellings of this and other guards, and their meanings. Comparison ignores case, dashes and underscores.
import type { PathLimit } from "./rule-set.ts";

export type KeyMeaning =
	| { readonly kind: "commands"; readonly decision: "deny" | "ask" }
	| { readonly kind: "paths"; readonly limit: PathLimit; readonly decision: "deny" | "ask" }
	/** An object of path lists, or one list that means `read-only`. */
	| { readonly kind: "path-group" }
	| { readonly kind: "exceptions"; readonly access: "read" | "all"; readonly limits: "zero" | "all" }
	| { readonly kind: "effects" }
	| { readonly kind: "flag"; readonly flag: "strict" | "scanWrites" | "dryRun" | "caseInsensitive" }
	| { readonly kind: "built-in"; readonly builtIn: "selfProtection" | "nestedAgents" }
	| { readonly kind: "matching" }
	| { readonly kind: "note" };

const commands = (decision: "deny" | "ask"): KeyMeaning => ({ kind: "commands", decision });
const paths = (limit: PathLimit, decision: "deny" | "ask" = "deny"): KeyMeaning => ({
	kind: "paths",
	limit,
	decision,
});
const flag = (name: "strict" | "scanWrites" | "dryRun" | "caseInsensitive"): KeyMeaning => ({
	kind: "flag",
	flag: name,
});

/** The keys of this package's own form, as the documentation spells them. */
export const ownKeys: Readonly<Record<string, KeyMeaning>> = {
	bashToolPatterns: commands("deny"),
	zeroAccessPaths: paths("zero"),
	readOnlyPaths: paths("read-only"),
	noDeletePaths: paths("no-delete"),
	generatedPaths: paths("generated"),
	zeroAccessExclusions: { kind: "exceptions", access: "all", limits: "zero" },
	allowReadPaths: { kind: "exceptions", access: "read", limits: "zero" },
	effects: { kind: "effects" },
	strict: flag("strict"),
	dryRun: flag("dryRun"),
	scanWrites: flag("scanWrites"),
	caseInsensitive: flag("caseInsensitive"),
	pathMatching: { kind: "matching" },
	selfProtection: { kind: "built-in", builtIn: "selfProtection" },
	nestedAgents: { kind: "built-in", builtIn: "nestedAgents" },
};

/** Spellings of other guards: plain form → meaning. */
const relatives: Readonly<Record<string, KeyMeaning>> = {
	bashpatterns: commands("deny"),
	commandpatterns: commands("deny"),
	blockedcommands: commands("deny"),
	blockedpatterns: commands("deny"),
	blockpatterns: commands("deny"),
	deniedcommands: commands("deny"),
	denycommands: commands("deny"),
	forbiddencommands: commands("deny"),
	dangerouscommands: commands("deny"),
	dangerouspatterns: commands("deny"),
	destructivecommands: commands("deny"),
	destructivepatterns: commands("deny"),
	askpatterns: commands("ask"),
	askcommands: commands("ask"),
	confirmcommands: commands("ask"),
	confirmpatterns: commands("ask"),
	approvalrequired: commands("ask"),
	zeroaccess: paths("zero"),
	noaccesspaths: paths("zero"),
	noaccess: paths("zero"),
	blockedpaths: paths("zero"),
	deniedpaths: paths("zero"),
	denypaths: paths("zero"),
	forbiddenpaths: paths("zero"),
	secretpaths: paths("zero"),
	sensitivepaths: paths("zero"),
	sensitivefiles: paths("zero"),
	readonly: paths("read-only"),
	readonlyfiles: paths("read-only"),
	writeprotectedpaths: paths("read-only"),
	nowritepaths: paths("read-only"),
	writeconfirmpaths: paths("read-only", "ask"),
	nodelete: paths("no-delete"),
	nodeletefiles: paths("no-delete"),
	protectedpaths: { kind: "path-group" },
	protectedfiles: { kind: "path-group" },
	pathrules: { kind: "path-group" },
	zeroaccessallowpaths: { kind: "exceptions", access: "all", limits: "zero" },
	allowedpathexceptions: { kind: "exceptions", access: "all", limits: "all" },
	allowedpaths: { kind: "exceptions", access: "all", limits: "all" },
	allowpaths: { kind: "exceptions", access: "all", limits: "all" },
	allowedreadpaths: { kind: "exceptions", access: "read", limits: "zero" },
	strictmode: flag("strict"),
	version: { kind: "note" },
	name: { kind: "note" },
	description: { kind: "note" },
	schema: { kind: "note" },
};

const byPlainForm = new Map<string, KeyMeaning>([
	...Object.entries(relatives),
	...Object.entries(ownKeys).map(([key, meaning]) => [plainForm(key), meaning] as const),
]);

/** The meaning of a top-level key or a key of a path object, and whether it is spelled as documented. */
export function readKey(key: string): { readonly meaning: KeyMeaning; readonly own: boolean } | undefined {
	const meaning = byPlainForm.get(plainForm(key));
	return meaning && { meaning, own: Object.hasOwn(ownKeys, key) || meaning.kind === "note" };
}

function plainForm(key: string): string {
	return key.toLowerCase().replaceAll(/[-_\s$]/g, "");
}

/** Fields of a rule without effect on its verdict. */
export const noteFields = new Set(
	"name id description category tags severity comment notes note example examples".split(" "),
);
