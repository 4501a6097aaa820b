// `find` and `fd`: the folders that they search, the names that they select, and the effects of their actions.
import type { AccessDetail } from "../record.ts";
import { isKnown, UNKNOWN_VALUE } from "../text.ts";
import type { Call, ProgramSpec } from "./program-spec.ts";

/** Tests that take a value. */
const valued = new Set(
	"-amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype -printf -D -newermt -newerat -newerct -files0-from".split(
		" ",
	),
);

/** Globs that names must match, or `any`. */
type Names = readonly string[] | "any";

/** What an expression selects and excludes. */
interface Selection {
	readonly names: Names;
	/** Globs of names that are excluded at any depth. */
	readonly except: readonly string[];
}

/** A search: its roots, its selection, and the position in its expression. */
interface Search {
	readonly call: Call;
	readonly roots: readonly string[];
	readonly expression: readonly string[];
	/** How it reaches below its roots. */
	readonly detail: AccessDetail;
	/** What is found below a root, as a word. */
	readonly below: (root: string) => string;
	at: number;
}

/** `find`: roots first, then an expression whose actions may run, write or delete. */
function findByExpression(call: Call): void {
	const { args } = call;
	let at = 0;
	while (/^-([HLP]|O\d?)$/.test(args[at] ?? "")) at++;
	const start = args.findIndex((word, index) => index >= at && /^[-(!]/.test(word));
	const expression = start < 0 ? [] : args.slice(start);
	const named = args.slice(at, start < 0 ? undefined : start).map((word) => word.replace(/(.)\/+$/, "$1"));
	const roots = named.length > 0 ? named : ["."];
	const { names, except } = selectionOf(expression);
	const only = [...(names === "any" ? [] : names), ...except.map((glob) => `!${glob}`)];
	const keeps = only.length === 0 ? {} : { only };
	const recursive = !expression.includes("-maxdepth") || expression[expression.indexOf("-maxdepth") + 1] !== "0";
	const below = (root: string) => (recursive ? `${root === "/" ? "" : root}/${call.searchResult(keeps)}` : root);
	const detail = { recursive, ...keeps };
	for (const root of roots) call.access("list", root, detail);
	const search: Search = { call, roots, expression, detail, below, at: 0 };
	let prints = true;
	while (search.at < expression.length) if (act(search)) prints = false;
	if (prints) call.setOutput(roots.map(below).join("\n"));
}

const runsCommand = /^-(exec|execdir|ok|okdir)$/;

/** Carries out the next test or action. Returns whether it replaces the implicit `-print`. */
function act(search: Search): boolean {
	const { call, expression } = search;
	const word = expression[search.at++] ?? "";
	const value = expression[search.at] ?? "";
	if (runsCommand.test(word)) {
		const end = endOfCommand(expression, search.at);
		runOnFound(search, expression.slice(search.at, end));
		search.at = end + 1;
		return true;
	}
	if (word === "-delete") {
		removeFound(search);
		return true;
	}
	if (/^-(fprint|fprint0|fls|fprintf)$/.test(word)) {
		call.applyRole("replace", value);
		search.at += word === "-fprintf" ? 2 : 1;
	} else if (valued.has(word)) {
		if (/^-(newer|anewer|cnewer|samefile)$/.test(word)) call.applyRole("list", value);
		search.at++;
	}
	return word === "-printf" || word === "-ls";
}

/** Where the command of `-exec` ends: at `;`, or at the `+` behind `{}`. */
function endOfCommand(words: readonly string[], from: number): number {
	const end = words.findIndex(
		(word, at) => at >= from && (word === ";" || (word === "+" && at > from && words[at - 1] === "{}")),
	);
	return end < 0 ? words.length : end;
}

function removeFound({ call, roots, expression, detail }: Search): void {
	// Empty files and dangling links hold nothing that could be lost.
	if (findsOnlyEmpty(expression)) {
		call.change("worktree");
		return;
	}
	const isOfFiles = expression.some((word, at) => word === "-type" && expression[at + 1] !== "d");
	call.effect(isOfFiles || detail.only !== undefined ? "delete-found" : "recursive-delete");
	for (const root of roots) call.access("delete", root, detail);
}

/** Whether an expression finds only empty files or dangling links: a plain list of conditions that includes such a test. */
function findsOnlyEmpty(expression: readonly string[]): boolean {
	const plain = !expression.some((word) => /^(?:!|-not|-o|-or|,|\(|\))$/.test(word) || !isKnown(word));
	const tests = expression.slice(0, expression.indexOf("-delete"));
	return plain && (tests.includes("-empty") || tests.some((word, at) => word === "-xtype" && tests[at + 1] === "l"));
}

/** More roots than these count as an unknown path. */
const MAX_ROOTS = 100;

/** Runs the command of `-exec` on what is found below each root. */
function runOnFound({ call, roots, below }: Search, words: readonly string[]): void {
	const named = words.some((word) => word.includes("{}"));
	const places = !named ? [""] : roots.length > MAX_ROOTS ? [UNKNOWN_VALUE] : roots.map(below);
	for (const place of places) call.run(words.map((word) => word.replaceAll("{}", () => place)));
}

/** What an expression selects by `-name` and excludes by `-prune` and `-not -path`: all alternatives, and of conditions the first that limits names. */
function selectionOf(expression: readonly string[]): Selection {
	// Without an action, a pruned directory itself is still printed.
	const lone = !expression.some((word) => /^(?:-o|-or|,|-print0?|-exec|-execdir|-ok|-okdir|-ls|-delete)$/.test(word));
	return readAlternatives({ words: lone ? expression.filter((word) => word !== "-prune") : expression, at: 0 }, 0);
}

interface Reader {
	readonly words: readonly string[];
	at: number;
}

const everything: Selection = { names: "any", except: [] };

function readAlternatives(reader: Reader, depth: number): Selection {
	let all: Names = [];
	let pruned: readonly string[] = [];
	let excepts: readonly string[] | undefined;
	for (;;) {
		const { names, except, prunes } = readConditions(reader, depth);
		if (prunes) pruned = [...pruned, ...except];
		else {
			all = all === "any" || names === "any" ? "any" : [...all, ...names];
			// Excluded is only what every alternative excludes.
			excepts = excepts === undefined ? except : excepts.filter((glob) => except.includes(glob));
		}
		const word = reader.words[reader.at];
		if (word !== "-o" && word !== "-or" && word !== ",") return { names: all, except: [...pruned, ...(excepts ?? [])] };
		reader.at++;
	}
}

function readConditions(reader: Reader, depth: number): Selection & { readonly prunes: boolean } {
	let names: Names = "any";
	const except: string[] = [];
	const paths: string[] = [];
	let last = "";
	for (; reader.at < reader.words.length; ) {
		const word = reader.words[reader.at] ?? "";
		if (word === "-o" || word === "-or" || word === "," || word === ")") break;
		const place = pathWord(reader.words, reader.at);
		if (place !== undefined) paths.push(place);
		const parsed = readTest(reader, depth);
		if (names === "any") names = parsed.names;
		except.push(...parsed.except);
		last = word;
	}
	// What ends in `-prune` is passed over, not found.
	if (last === "-prune") return { names: [], except: [...paths, ...(names === "any" ? [] : names)], prunes: true };
	return { names, except, prunes: false };
}

/** The name in `-path ./name`, `-path '*\/name'` and `-path '*\/name/*'`. */
function pathWord(words: readonly string[], at: number): string | undefined {
	if (!/^-(path|wholename|ipath)$/.test(words[at] ?? "")) return undefined;
	return /^(?:\.|\*)\/([\w.@-]+)(?:\/\*)?$/.exec(words[at + 1] ?? "")?.[1];
}

function readTest(reader: Reader, depth: number): Selection {
	const word = reader.words[reader.at++] ?? "";
	if (word === "!" || word === "-not") {
		const except = leftOut(reader.words, reader.at);
		readTest(reader, depth);
		return { names: "any", except };
	}
	if (word === "(") {
		const inner = depth < 50 ? readAlternatives(reader, depth + 1) : everything;
		if (reader.words[reader.at] === ")") reader.at++;
		return inner;
	}
	if (runsCommand.test(word)) reader.at = endOfCommand(reader.words, reader.at) + 1;
	const value = valued.has(word) ? (reader.words[reader.at++] ?? "") : "";
	if (!isKnown(value) || !/^-i?name$/.test(word)) return everything;
	return { names: [word === "-name" ? value : inAnyCase(value)], except: [] };
}

function inAnyCase(glob: string): string {
	return glob.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/** Exclusions by `! -path …` and `! -name …`, if the name is that of a file, not of a folder. */
function leftOut(words: readonly string[], at: number): readonly string[] {
	const path = pathWord(words, at);
	// What lies in a folder of that name, not a file of that name.
	if (path !== undefined) return /\/\*$/.test(words[at + 1] ?? "") ? [`${path}/`] : [];
	// `-path '*/.env*'`, `-path '*.pem*'`: every path with such a name in it.
	const [, start, inner] = /^\*(\/?)([\w.@-]+)\*$/.exec(words[at + 1] ?? "") ?? [];
	if (/^-(?:path|wholename)$/.test(words[at] ?? "") && inner !== undefined)
		return [start === "/" ? `${inner}*` : `*${inner}*`];
	const name = words[at + 1] ?? "";
	return words[at] === "-name" && /^[\w*-]+(\.[\w*-]+)*\.[\w-]+$/.test(name) ? [name] : [];
}

/** `fd pattern folders…`; `-x` runs a command on what is found. */
function findByPattern(call: Call): void {
	const skips: ("hidden" | "ignored")[] = [];
	if (!call.has("-H --hidden -u --unrestricted")) skips.push("hidden");
	if (!call.has("-I --no-ignore -u --unrestricted")) skips.push("ignored");
	const endings = call.values("-e --extension").map((ending) => `*.${ending}`);
	const detail = { skips, ...(endings.length > 0 && { only: endings }) };
	const at = call.args.findIndex((arg) => ["-x", "-X", "--exec", "--exec-batch"].includes(arg));
	const operands =
		at < 0
			? call.operands
			: call.operands.slice(0, call.args.slice(0, at).filter((arg) => call.operands.includes(arg)).length);
	const folders = [...call.values("--search-path --base-directory"), ...operands.slice(1)];
	const roots = folders.length > 0 ? folders : ["."];
	for (const root of roots) call.access("list", root, { recursive: true, ...detail });
	const found = roots.map((root) => `${root.replace(/\/+$/, "")}/${call.searchResult(detail)}`);
	if (at < 0) {
		call.setOutput(found.join("\n"));
		return;
	}
	const words = call.args.slice(at + 1).filter((word) => word !== ";");
	for (const place of found) {
		const placed = words.map((word) => word.replace(/\{[./]*\}/g, () => place));
		call.run(placed.some((word, index) => word !== words[index]) ? placed : [...words, place]);
	}
}

export const find: ProgramSpec = { dashes: "one", custom: findByExpression };

export const fd: ProgramSpec = {
	options: {
		"-e --extension -t --type -d --max-depth --min-depth --exact-depth -E --exclude -S --size --changed-within --changed-before -c --color -j --threads --owner --max-results --base-directory --search-path":
			"text",
		"--ignore-file": "read",
	},
	custom: findByPattern,
};
