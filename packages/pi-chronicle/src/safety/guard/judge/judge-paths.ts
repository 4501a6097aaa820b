// Judges the paths that a call reads and changes: by path rules, and by the built-in protection of the agent's own rules and records.
import { basename, dirname } from "node:path";
import type { FileAccess, Footprint } from "@pi-chronicle/footprint";
import { isTemporary } from "../../places.ts";
import { isWithin, placeName, quoteRedacted, type ToolCall, type Verdict } from "../../policy/index.ts";
import type { CompiledRules, PathMatcher } from "../match/index.ts";
import { findProtected, openTreeWalks, selectsByName, type TreeWalks } from "../match/index.ts";
import type { PathRule } from "../rules/index.ts";
import { builtInVerdict, effectVerdict, pathVerdict } from "./verdicts.ts";

const shells = new Set(["bash", "powershell"]);
/** pi's search tools, whose results are filtered, so that they may search folders with protected paths. */
const filtered = new Set(["grep", "find", "ls"]);

/** Judges every access by the path rules, both by its name and by its real path. */
export function judgePaths(call: ToolCall, footprint: Footprint, compiled: CompiledRules): Verdict[] {
	const { paths, rules } = compiled;
	if (rules.paths.length === 0) return [];
	const verdicts: Verdict[] = [];
	const seen = openTreeWalks({ relevantAmong: paths.mayMatch, tracked: compiled.tracked });
	for (const access of footprint.accesses) {
		const passing = isTemporary(access, compiled.temporary);
		if (isFilledIn(access, compiled)) continue;
		const forbidden = (rule: PathRule) =>
			forbids(rule, access, call, footprint) && !(passing && isOfTheProject(rule, access));
		const direct = rulesAt(access, paths, compiled.host).filter(forbidden);
		for (const rule of direct) verdicts.push(pathVerdict(decided(rule, access), access, compiled.host));
		if (direct.length > 0 || !access.recursive || filtered.has(call.tool) || isImageContext(access)) continue;
		if (passing && access.kind !== "read" && access.kind !== "list") continue;
		verdicts.push(...judgeTree(access, compiled, forbidden, seen));
	}
	return verdicts;
}

/** `cp .env.example .env`, where there is none: a copy of an example holds no secrets, and nothing is lost. */
function isFilledIn({ kind, by, path, real }: FileAccess, { host, paths }: CompiledRules): boolean {
	if (kind !== "write" || (path !== real && host.kind(path) === "link")) return false;
	const [, option = "", source = ""] = /^cp (-n |--no-clobber |--update=none )?(\S+) \S+$/.exec(by) ?? [];
	const isExample = /(?:^|\.|[-_])(?:example|sample|template|dist|default)s?(?:\.|$)/i.test(basename(source));
	return isExample && (option !== "" || host.kind(path) === undefined) && paths.rulesFor(source, "read").length === 0;
}

/** Whether a rule that protects the project's files by a name at any depth is applied to a path outside the project. */
function isOfTheProject({ limit, pattern, syntax, base }: PathRule, { path, real }: FileAccess): boolean {
	if (limit === "zero" || syntax === "regex" || /^(?:[~/\\$%]|\.\/|[A-Za-z]:)/.test(pattern)) return false;
	return !isWithin(path, base) && !isWithin(real, base);
}

/** A container build reads files into the image, not for the model; `.dockerignore` excludes files. */
function isImageContext({ by, kind }: FileAccess): boolean {
	return (
		kind === "read" && /^(?:docker|podman|nerdctl|buildah)(?:-compose)? (?:\S+ )*(?:build|bud|buildx|up)\b/.test(by)
	);
}

/** The rules for a path, by its name and by its real path. */
function rulesAt(access: FileAccess, paths: PathMatcher, { kind }: CompiledRules["host"]): readonly PathRule[] {
	const use = access.kind === "read" || access.kind === "list" ? "read" : "change";
	const rulesOf = (path: string) =>
		access.kind === "list" && kind(path) !== "directory" ? listingRules(path, paths) : paths.rulesFor(path, use);
	const named = rulesOf(access.path);
	if (access.real === access.path) return named;
	return [...new Set([...named, ...rulesOf(access.real)])];
}

/** Rules against asking whether a file exists: its name is not secret, unless its folder is closed. */
function listingRules(path: string, paths: PathMatcher): readonly PathRule[] {
	return paths.rulesFor(dirname(path), "read");
}

function forbids({ limit }: PathRule, access: FileAccess, call: ToolCall, footprint: Footprint): boolean {
	const { kind } = access;
	switch (limit) {
		case "zero":
			return true;
		case "read-only":
			return kind === "write" || kind === "delete";
		case "no-delete":
			// pi's own `write` replaces a file's text with other text: a change, not a removal.
			return kind === "delete" || isEmptied(access, call, footprint);
		case "generated":
			return kind === "write" && (!shells.has(call.tool) || editsByHand(access, footprint));
	}
}

/** Whether a call of a shell empties a file. */
export function isEmptied(access: FileAccess, call: ToolCall, footprint: Footprint): boolean {
	const { kind, replaces, by } = access;
	const rewrites = replaces === true || /^(?:sed|perl|g?awk) /.test(by);
	return rewrites && kind === "write" && shells.has(call.tool) && leavesNothing(access, footprint);
}

/** Whether a shell command leaves nothing in a file: a bare `>`, a copy of `/dev/null`, an `echo` without arguments. */
function leavesNothing({ by, empties }: FileAccess, { runs }: Footprint): boolean {
	if (empties) return true;
	const makers = runs.filter(({ program, text }) => text === by || program === by);
	return (
		makers.length === 0 || makers.some(({ program, args }) => emptying.has(program ?? "") || saysNothing(program, args))
	);
}

const emptying: ReadonlySet<string> = new Set(
	": true false truncate shred unlink ln clear-content clc clear-item cli".split(" "),
);

function saysNothing(program: string | null, args: readonly (string | null)[]): boolean {
	const words = args.filter((word) => word === null || !/^-\w+$/.test(word));
	switch (program) {
		case "echo":
		case "printf":
			return words.every((word) => word !== null && word.trim() === "");
		case "sed":
			return args.some((word) => word !== null && /^(?:1,\$)?d$/.test(word));
		case "perl":
		case "awk":
		case "gawk":
			return args.some((word) => word === "" || word === "{}");
		case "cat":
		case "cp":
		case "dd":
		case "head":
		case "tail":
		case "install":
		case "tee":
			return words.some((word) => word === "/dev/null" || /^if=\/dev\/(null|zero|u?random)$/.test(word ?? ""));
		default:
			return false;
	}
}

/** Whether the command writes text into a file, as opposed to building, copying or unpacking it. */
function editsByHand({ by }: FileAccess, { runs }: Footprint): boolean {
	const makers = runs.filter(({ program, text }) => text === by || program === by);
	return makers.length === 0 || makers.some(({ program }) => program === null || editors.has(program));
}

const editors: ReadonlySet<string> = new Set(
	"echo printf cat tee sed perl awk gawk ed ex vi vim nano patch truncate dd python python3 node ruby : true set-content sc add-content ac out-file clear-content write-output".split(
		" ",
	),
);

/** Emptying a file that must not be removed may be intended, so the user decides. */
function decided(rule: PathRule, access: FileAccess): PathRule {
	return rule.limit === "no-delete" && access.kind === "write" && rule.decision === "deny"
		? { ...rule, decision: "ask" }
		: rule;
}

/** Whether a search selects by name, so that its output reveals that such files exist. */
function listsByName({ kind, only = [] }: FileAccess): boolean {
	return kind === "list" && only.some((glob) => !glob.startsWith("!"));
}

const nothing: ReadonlySet<string> = new Set();
/** Folders that a build or an installation regenerates: removing them loses no work. */
const regenerable: ReadonlySet<string> = new Set(
	"node_modules dist build out target coverage __pycache__ .venv venv .next .nuxt .output .turbo .cache .pytest_cache .mypy_cache .gradle tmp".split(
		" ",
	),
);

/** Judges a command that walks a folder with protected paths in it. */
function judgeTree(
	access: FileAccess,
	compiled: CompiledRules,
	forbidden: (rule: PathRule) => boolean,
	seen: TreeWalks,
): Verdict[] {
	const { paths, host } = compiled;
	const removes = access.kind === "delete";
	// A change of everything below a folder is assumed to mean unprotected files; a change of files selected by name means those.
	const picks = access.kind === "write" && selectsByName(access);
	const moves = removes && /^(?:git )?(?:mv|move|rename|Move-Item|Rename-Item)\b/.test(access.by);
	if (!removes && !picks && access.kind !== "read" && !listsByName(access)) return [];
	const wanted = (rule: PathRule) => !rule.dryRun && (removes || picks ? forbidden(rule) : rule.limit === "zero");
	if (removes && regenerable.has(basename(access.path))) return [];
	const use = removes || picks ? "change" : "read";
	const mode = access.kind === "list" ? "list" : use;
	const rulesSeen = (path: string) => {
		const key = `${mode} ${path}`;
		const names = access.kind === "list" && host.kind(path) !== "directory";
		const known = seen.rules.get(key) ?? (names ? listingRules(path, paths) : paths.rulesFor(path, use));
		seen.rules.set(key, known);
		return known;
	};
	const found = findProtected({
		access,
		places: paths.placesBelow(access.real, (rule) => wanted(rule) && (!moves || rule.limit === "zero")),
		// A moved folder keeps its contents.
		names: !moves && paths.matchesNames(wanted),
		isProtected: (path) => rulesSeen(path).some(wanted),
		passOver: removes ? regenerable : nothing,
		exists: (path) => host.kind(path) !== undefined,
		seen,
		git: compiled.git,
	});
	switch (found.kind) {
		case "nothing":
			return [];
		case "protected":
			return paths
				.rulesFor(found.path, use)
				.filter(wanted)
				.map((rule) => pathVerdict(rule, access, host, found.path));
		case "too-much":
			// A search that could show only names needs no question.
			if (access.kind === "list" || picks) return [];
			return largeTree(access, compiled);
	}
}

/** The verdict on a tree with more files than are looked at: that of a rule about it, else a question. */
function largeTree({ by, path }: FileAccess, { rules, host }: CompiledRules): Verdict[] {
	const named = rules.effects.filter(({ effect }) => effect === "large-tree");
	if (named.length > 0) return named.map((rule) => effectVerdict(rule, by));
	if (rules.largeTree === "off") return [];
	return [
		builtInVerdict(
			"ask",
			"large-tree",
			`${quoteRedacted(by)} goes through ${placeName(path, host.cwd, host.home)}, which is too large to prove that it contains nothing protected.`,
			"Name smaller folders, search with `git grep`, or with the grep and find tools: their results are filtered.",
		),
	];
}

/** Judges changes of the files that judge and record the agent. */
export function judgeSelfProtection({ accesses }: Footprint, compiled: CompiledRules): Verdict[] {
	const { rules, selfProtection, host } = compiled;
	const seen = new Map<string, readonly string[]>();
	return accesses
		.filter(({ kind }) => kind !== "read" && kind !== "list")
		.flatMap((access) => {
			const verdicts: Verdict[] = [];
			if (selfProtection.isAnswers(access)) {
				const reason = `${quoteRedacted(access.by)} changes the file of the user's answers, which only the user may change.`;
				verdicts.push(builtInVerdict("deny", "answers", reason, "Tell the user what should be allowed."));
			}
			const place = rules.selfProtection === "off" ? undefined : protectedPlace(access, compiled, seen);
			if (rules.selfProtection === "off" || place === undefined) return verdicts;
			const reason = `${quoteRedacted(access.by)} changes ${placeName(place, host.cwd, host.home)}: the agent may not change rules, settings, definitions or records.`;
			const advice = "Tell the user what should be changed there.";
			return [...verdicts, builtInVerdict(rules.selfProtection, "self-protection", reason, advice)];
		});
}

/** The protected place that an access would change; `undefined` if there is none. */
function protectedPlace(
	access: FileAccess,
	{ selfProtection, host, git }: CompiledRules,
	seen: Map<string, readonly string[]>,
): string | undefined {
	const { kind, path, real, recursive } = access;
	if (kind === "link") return undefined;
	if (selfProtection.covers(path, kind, recursive) || selfProtection.covers(real, kind, recursive)) return path;
	if (!recursive || (kind !== "delete" && !selectsByName(access))) return undefined;
	return selfProtection.below(access, host, seen, git);
}
