// `find` and `fd`: the folders that they search, the names that they select, and the effects of their actions.
import type { AccessDetail } from "../record.ts";
import { isKnown, UNKNOWN_VALUE } from "../text.ts";
import { describeFields } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** Tests that take a value. */
const valued = new Set(
	"-amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype -printf -D -newermt -newerat -newerct -files0-from".split(
		" ",
	),
);

/** `find` with its roots and the position in its expression. */
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
		removeMatches(search);
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

function removeMatches({ call, roots, expression, detail }: Search): void {
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

/** `fd pattern folders…`; `-x` runs a command on what is found. */
function findByPattern(call: Call): void {
	const skips: ("hidden" | "ignored")[] = [];
	if (!call.has("-H --hidden -u --unrestricted")) skips.push("hidden");
	if (!call.has("-I --no-ignore -u --unrestricted")) skips.push("ignored");
	const endings = call.values("-e --extension").map((ending) => `*.${ending}`);
	const detail = { skips, ...(endings.length > 0 && { only: endings }) };
	const at = call.args.findIndex((arg) => /^(?:-[xX]|--exec(?:-batch)?(?:=.*)?)$/s.test(arg));
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
	const attached = /=(.*)/s.exec(call.args[at] ?? "")?.[1];
	const given = attached === undefined ? [] : [attached];
	const words = [...given, ...call.args.slice(at + 1)].filter((word) => word !== ";");
	for (const place of found) {
		const placed = words.map((word) => word.replace(/\{[./]*\}/g, () => place));
		call.run(placed.some((word, index) => word !== words[index]) ? placed : [...words, place]);
	}
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
	const only = selectedNames(expression);
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

/**
 * Globs of the names that an expression may select: those of `-name`, if every alternative has one, without those of `! -name` and
 * `! -path`. Brackets are not told apart, which selects more, not less.
 */
function selectedNames(expression: readonly string[]): readonly string[] {
	const first: (string | undefined)[] = [undefined];
	const except: string[] = [];
	for (let at = 0; at < expression.length; at++) {
		const [word = "", value = "", more] = expression.slice(at, at + 3);
		if (isAlternative.test(word)) {
			if (isPruned(expression, at)) first.pop();
			first.push(undefined);
		} else if (/^(!|-not)$/.test(word)) except.push(...leftOut(value, more));
		else first.push(first.pop() ?? testGlob(word, value));
		at = endOfTest(expression, at);
	}
	const names = first.flatMap((name) => name ?? []);
	if (/(^| )(!|-not) \( /.test(expression.join(" "))) return [];
	if (first.length === 1) return [...names, ...except];
	return names.length < first.length ? [] : names;
}

/** Whether the alternative that ends at an index is passed over: it ends in `-prune`. Without an action, it is printed itself. */
function isPruned(expression: readonly string[], end: number): boolean {
	return expression[end - 1] === "-prune" && expression.some((word) => acts.test(word));
}

const isAlternative = /^(-o|-or|,)$/;
const acts = /^-(print0?|exec|execdir|ok|okdir|ls|delete)$/;

/** Index of the last word of the test or action that begins at an index. */
function endOfTest(expression: readonly string[], at: number): number {
	const word = expression[at] ?? "";
	if (runsCommand.test(word)) return endOfCommand(expression, at + 1);
	if (/^(!|-not)$/.test(word)) return endOfTest(expression, at + 1);
	return valued.has(word) ? at + 1 : at;
}

/** The glob of `-name` and `-iname`. */
function testGlob(test: string, value: string): string | undefined {
	if (!/^-i?name$/.test(test) || !isKnown(value)) return undefined;
	return test === "-name" ? value : inAnyCase(value);
}

function inAnyCase(glob: string): string {
	return glob.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/** The globs that `! -name x`, `! -path '*\/x/*'` and `! -path '*\/x*'` exclude, if the name is that of a file or of all in a folder. */
function leftOut(test = "", value = ""): readonly string[] {
	if (test === "-name") return /^[\w*-]+(\.[\w*-]+)*\.[\w-]+$/.test(value) ? [`!${value}`] : [];
	if (!/^-(?:path|wholename|ipath)$/.test(test)) return [];
	const folder = /^(?:\.|\*)\/([\w.@-]+)\/\*$/.exec(value)?.[1];
	if (folder !== undefined) return [`!${folder}/`];
	const [, start, inner] = /^\*(\/?)([\w.@-]+)\*$/.exec(value) ?? [];
	return inner === undefined ? [] : [`!${start === "/" ? "" : "*"}${inner}*`];
}

export const find = describeFields("dash @findByExpression | -exec -execdir -ok -okdir !", { findByExpression });

export const fd = describeFields(
	`@findByPattern | -e --extension -t --type -d --max-depth --min-depth --exact-depth -E --exclude -S --size --changed-within \
		--changed-before -c --color -j --threads --owner --max-results --base-directory --search-path: text | --ignore-file: read`,
	{ findByPattern },
);
