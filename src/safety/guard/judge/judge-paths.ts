// What the rules say about the places that a call touches, and about the files that the agent itself is judged by.
import { basename, dirname } from "node:path";
import type { FileAccess, Footprint } from "../../../footprint/index.ts";
import { isWithin, placeName, type ToolCall, type Verdict } from "../../policy/index.ts";
import { isTemporary } from "../../temporary-places.ts";
import type { CompiledRules, PathMatcher } from "../match/index.ts";
import { findProtected, openTreeWalks, selectsByName, type TreeWalks } from "../match/index.ts";
import type { PathRule } from "../rules/index.ts";
import { builtInVerdict, pathVerdict, shown } from "./verdicts.ts";

const shells = new Set(["bash", "powershell"]);
/** Searches of pi whose results are filtered, so that they may go through a folder that holds something protected. */
const filtered = new Set(["grep", "find", "ls"]);

/** What the path rules say about every place that the call touches, by name and by where it really is. */
export function judgePaths(call: ToolCall, footprint: Footprint, ready: CompiledRules): Verdict[] {
	const { paths, rules } = ready;
	if (rules.paths.length === 0) return [];
	const verdicts: Verdict[] = [];
	const seen = openTreeWalks((path) => paths.rulesFor(path, "change").length > 0);
	for (const touch of footprint.accesses) {
		const passing = isTemporary(touch, ready.temporary);
		const forbidden = (rule: PathRule) =>
			forbids(rule, touch, call, footprint) && !(passing && isOfTheProject(rule, touch));
		const direct = rulesAt(touch, paths, ready.host).filter(forbidden);
		for (const rule of direct) verdicts.push(pathVerdict(decided(rule, touch), touch, ready.host));
		if (direct.length > 0 || !touch.recursive || filtered.has(call.tool) || isImageContext(touch)) continue;
		if (passing && touch.kind !== "read" && touch.kind !== "list") continue;
		verdicts.push(...judgeTree(touch, ready, forbidden, seen));
	}
	return verdicts;
}

/** Whether a rule that keeps files as they are speaks, by a name at any depth, of the project's files, and this is none of them. */
function isOfTheProject({ limit, pattern, syntax, base }: PathRule, { path, real }: FileAccess): boolean {
	if (limit === "zero" || syntax === "regex" || /^(?:[~/\\$%]|\.\/|[A-Za-z]:)/.test(pattern)) return false;
	return !isWithin(path, base) && !isWithin(real, base);
}

/** What a build of a container image reads goes into the image, not to the model; `.dockerignore` says what. */
function isImageContext({ by, kind }: FileAccess): boolean {
	return (
		kind === "read" && /^(?:docker|podman|nerdctl|buildah)(?:-compose)? (?:\S+ )*(?:build|bud|buildx|up)\b/.test(by)
	);
}

/** Rules for the place by its name and by where it really is. */
function rulesAt(touch: FileAccess, paths: PathMatcher, { kind }: CompiledRules["host"]): readonly PathRule[] {
	const access = touch.kind === "read" || touch.kind === "list" ? "read" : "change";
	const rulesOf = (path: string) =>
		touch.kind === "list" && kind(path) !== "directory" ? listingRules(path, paths) : paths.rulesFor(path, access);
	const named = rulesOf(touch.path);
	if (touch.real === touch.path) return named;
	return [...new Set([...named, ...rulesOf(touch.real)])];
}

/** Rules against looking whether a file is there: its name is no secret, unless it is one of the contents of a closed folder. */
function listingRules(path: string, paths: PathMatcher): readonly PathRule[] {
	return paths.rulesFor(dirname(path), "read");
}

function forbids({ limit }: PathRule, touch: FileAccess, call: ToolCall, footprint: Footprint): boolean {
	const { kind } = touch;
	switch (limit) {
		case "zero":
			return true;
		case "read-only":
			return kind === "write" || kind === "delete";
		case "no-delete":
			// pi's own `write` replaces a file's text by other text: a change, not a removal.
			return kind === "delete" || (touch.replaces === true && shells.has(call.tool) && leavesNothing(touch, footprint));
		case "generated":
			return kind === "write" && (!shells.has(call.tool) || editsByHand(touch, footprint));
	}
}

/** Whether a shell command leaves nothing where something was: a bare `>`, a copy of `/dev/null`, an `echo` without words. */
function leavesNothing({ by, empties }: FileAccess, { runs }: Footprint): boolean {
	if (empties) return true;
	const makers = runs.filter(({ program, text }) => text === by || program === by);
	return (
		makers.length === 0 || makers.some(({ program, args }) => emptying.has(program ?? "") || saysNothing(program, args))
	);
}

const emptying: ReadonlySet<string> = new Set([
	":",
	"true",
	"false",
	"truncate",
	"shred",
	"unlink",
	"ln",
	"clear-content",
	"clc",
	"clear-item",
	"cli",
]);

function saysNothing(program: string | null, args: readonly (string | null)[]): boolean {
	const words = args.filter((word) => word === null || !/^-\w+$/.test(word));
	switch (program) {
		case "echo":
		case "printf":
			return words.every((word) => word !== null && word.trim() === "");
		case "cat":
		case "cp":
		case "dd":
		case "head":
		case "tail":
		case "install":
		case "tee":
			return words.some((word) => word === "/dev/null" || word === "if=/dev/null");
		default:
			return false;
	}
}

/** Commands that put text into a file, as opposed to those that build, copy and unpack. */
function editsByHand({ by }: FileAccess, { runs }: Footprint): boolean {
	const makers = runs.filter(({ program, text }) => text === by || program === by);
	return makers.length === 0 || makers.some(({ program }) => program === null || editors.has(program));
}

const editors: ReadonlySet<string> = new Set(
	"echo printf cat tee sed perl awk gawk ed ex vi vim nano patch truncate dd python python3 node ruby : true set-content sc add-content ac out-file clear-content write-output".split(
		" ",
	),
);

/** Emptying a file that may not be removed may be meant: a person decides. */
function decided(rule: PathRule, touch: FileAccess): PathRule {
	return rule.limit === "no-delete" && touch.kind === "write" && rule.decision === "deny"
		? { ...rule, decision: "ask" }
		: rule;
}

/** Whether a search keeps to names, so that what it shows says that they are there. */
function listsByName({ kind, only = [] }: FileAccess): boolean {
	return kind === "list" && only.some((glob) => !glob.startsWith("!"));
}

const nothing: ReadonlySet<string> = new Set();
/** What is made anew by a build or an installation: what is removed with it was not written by a person. */
const regenerable: ReadonlySet<string> = new Set(
	"node_modules dist build out target coverage __pycache__ .venv venv .next .nuxt .output .turbo .cache .pytest_cache .mypy_cache .gradle tmp".split(
		" ",
	),
);

/** A command that goes through a folder with something protected in it. */
function judgeTree(
	touch: FileAccess,
	ready: CompiledRules,
	forbidden: (rule: PathRule) => boolean,
	seen: TreeWalks,
): Verdict[] {
	const { paths, host } = ready;
	const removes = touch.kind === "delete";
	// A change of all that is below is taken to mean what nobody minds; one of files picked by name means those.
	const picks = touch.kind === "write" && selectsByName(touch);
	const moves = removes && /^(?:git )?(?:mv|move|rename|Move-Item|Rename-Item)\b/.test(touch.by);
	if (!removes && !picks && touch.kind !== "read" && !listsByName(touch)) return [];
	const wanted = (rule: PathRule) => !rule.dryRun && (removes || picks ? forbidden(rule) : rule.limit === "zero");
	if (removes && regenerable.has(basename(touch.path))) return [];
	const access = removes || picks ? "change" : "read";
	const mode = touch.kind === "list" ? "list" : access;
	const rulesSeen = (path: string) => {
		const key = `${mode} ${path}`;
		const names = touch.kind === "list" && host.kind(path) !== "directory";
		const known = seen.rules.get(key) ?? (names ? listingRules(path, paths) : paths.rulesFor(path, access));
		seen.rules.set(key, known);
		return known;
	};
	const found = findProtected({
		touch,
		places: paths.placesBelow(touch.real, (rule) => wanted(rule) && (!moves || rule.limit === "zero")),
		// A folder that only moves keeps what is in it.
		names: !moves && paths.matchesNames(wanted),
		isProtected: (path) => rulesSeen(path).some(wanted),
		passOver: removes ? regenerable : nothing,
		exists: (path) => host.kind(path) !== undefined,
		seen,
		git: ready.git,
	});
	switch (found.kind) {
		case "nothing":
			return [];
		case "protected":
			return paths
				.rulesFor(found.path, access)
				.filter(wanted)
				.map((rule) => pathVerdict(rule, touch, host, found.path));
		case "too-much":
			// Names that a search by name could show are not worth a question each time.
			if (touch.kind === "list" || picks) return [];
			return [
				builtInVerdict(
					"ask",
					"large-tree",
					`${shown(touch.by)} goes through ${placeName(touch.path, host.cwd, host.home)}, which holds too much to make sure that nothing protected is in it.`,
					"Name smaller folders, or search with the grep and find tools: their results are filtered.",
				),
			];
	}
}

/** The files that the agent itself is judged and recorded by. */
export function judgeOwn({ accesses }: Footprint, { rules, own, host, git }: CompiledRules): Verdict[] {
	const verdicts: Verdict[] = [];
	const seen = new Map<string, readonly string[]>();
	for (const touch of accesses) {
		const { kind, path, real, recursive } = touch;
		if (kind === "read" || kind === "list") continue;
		if (own.isAnswers(touch)) {
			verdicts.push(
				builtInVerdict(
					"deny",
					"answers",
					`${shown(touch.by)} changes the file of what people have allowed, which only they write.`,
					"Say what should be allowed and let the person do it.",
				),
			);
		}
		if (rules.selfProtection === "off" || kind === "link") continue;
		const covered = own.covers(path, kind, recursive) || own.covers(real, kind, recursive);
		const reaches = recursive && (kind === "delete" || selectsByName(touch));
		const below = !covered && reaches ? own.below(touch, host, seen, git) : undefined;
		if (!covered && below === undefined) continue;
		verdicts.push(
			builtInVerdict(
				rules.selfProtection,
				"self-protection",
				`${shown(touch.by)} changes ${placeName(below ?? path, host.cwd, host.home)}: rules, settings, definitions and records are not the agent's to change.`,
				"Say what should be changed there and let the person do it.",
			),
		);
	}
	return verdicts;
}
