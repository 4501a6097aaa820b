// Filters between a list of names and the command that takes it: which lines they pass.
// F1 the result contains at least everything that the filter itself passes; F2 an unsupported filter yields a placeholder.
import type { FootprintRecord } from "../record.ts";
import { isKnown, isOpen, SEARCH_RESULT } from "../text.ts";
import { compileGlob } from "./globs.ts";

/** Filters that pass some or all lines unchanged, in any order. */
const passing: { readonly [name: string]: RegExp } = {
	head: /^(-\d+|-n|-n-?\d+|--lines(=-?\d+)?|-q|-?\d+)$/,
	tail: /^(-\d+|-n|-n[-+]?\d+|--lines(=[-+]?\d+)?|-q|-r|[-+]?\d+)$/,
	sort: /^(-[bdfghinMrRsuVz]+|--(unique|reverse|numeric-sort|version-sort|ignore-case|random-sort))$/,
	uniq: /^(-[udiz]+|--unique|--repeated|--ignore-case)$/,
	tac: /^$/,
	shuf: /^(-n|-n\d+|\d+)$/,
};

/** The output of a filter for the text on its standard input; `undefined` if it is not a filter. */
export function filtered(
	name: string,
	args: readonly string[],
	stdin: string,
	record: FootprintRecord,
): string | undefined {
	if (name === "tr") return exchanged(args, stdin);
	if (/^[ef]?grep$|^rg$/.test(name)) return matching(name, args, stdin, record);
	const plain = Object.hasOwn(passing, name) ? passing[name] : undefined;
	return plain && args.every((arg) => plain.test(arg)) ? stdin : undefined;
}

const characters: { readonly [written: string]: string } = {
	"\\n": "\n",
	"\\t": "\t",
	"\\0": "\0",
	"\\000": "\0",
	"\\r": "\r",
};

/** `tr a b` of single characters that separate, as in `tr '\n' ' '`. */
function exchanged(args: readonly string[], stdin: string): string | undefined {
	const [from = "", to = ""] = args.map((arg) => characters[arg] ?? arg);
	if (args.length !== 2 || !/^\s$|^[\0,:;]$/.test(from) || !/^\s$|^[\0,:;]$/.test(to)) return undefined;
	return stdin.replaceAll(from, to);
}

interface Search {
	readonly patterns: readonly string[];
	readonly inverted: boolean;
	readonly ignoreCase: boolean;
	readonly whole: boolean;
	readonly syntax: "basic" | "extended" | "fixed";
}

/** `grep pattern` on standard input. */
function matching(name: string, args: readonly string[], stdin: string, record: FootprintRecord): string | undefined {
	const search = readSearch(name, args);
	if (!search || isOpen(stdin)) return undefined;
	const alternatives = search.patterns.map((pattern) => alternativesOf(pattern, search));
	const known = alternatives.flatMap((globs) => globs ?? []);
	if (alternatives.includes(undefined) || known.length === 0) return undefined;
	const fold = (text: string) => (search.ignoreCase ? text.toLowerCase() : text);
	const tests = known.map((glob) => compileGlob(fold(glob)));
	const lines = stdin.replace(/\n$/, "").split("\n");
	if (!record.spend((lines.length * tests.length * Math.min(stdin.length, 200)) / 4000)) return undefined;
	const kept: string[] = [];
	for (const line of lines) {
		if (isKnown(line)) {
			if (tests.some((test) => test(fold(line))) !== search.inverted) kept.push(line);
			continue;
		}
		const narrowed = narrow(line, known, search, record);
		if (narrowed === undefined) return undefined;
		kept.push(narrowed);
	}
	return kept.length === 0 ? "" : `${kept.join("\n")}\n`;
}

/** Long options of grep as letters; an option without effect on this analysis has none. */
const longOptions: { readonly [option: string]: string } = {
	"--invert-match": "v",
	"--ignore-case": "i",
	"--line-regexp": "x",
	"--extended-regexp": "E",
	"--fixed-strings": "F",
	"--line-buffered": "",
	"--no-messages": "",
	"--text": "",
};

/** The letters of a supported option; `undefined` for any other. */
function lettersOf(option: string): string | undefined {
	if (/^-[vixEFashG]+$/.test(option)) return option.slice(1);
	if (/^--colou?r(=.*)?$/.test(option)) return "";
	return Object.hasOwn(longOptions, option) ? longOptions[option] : undefined;
}

function readSearch(name: string, args: readonly string[]): Search | undefined {
	const patterns: string[] = [];
	let letters = "";
	let at = 0;
	for (; /^-./.test(args[at] ?? ""); at++) {
		const option = args[at] ?? "";
		if (option === "-e" || option === "--regexp") {
			patterns.push(args[++at] ?? "");
			continue;
		}
		const more = lettersOf(option);
		if (more === undefined) return undefined;
		letters += more;
	}
	const operands = args.slice(at);
	if (patterns.length === 0) patterns.push(...operands.splice(0, 1));
	// With files as operands, standard input is not read.
	if (operands.length > 0 || patterns.length === 0 || !patterns.every(isKnown)) return undefined;
	return {
		patterns,
		inverted: letters.includes("v"),
		ignoreCase: letters.includes("i"),
		whole: letters.includes("x"),
		syntax: syntaxOf(name, letters),
	};
}

function syntaxOf(name: string, letters: string): Search["syntax"] {
	if (letters.includes("F") || name === "fgrep") return "fixed";
	return letters.includes("E") || name === "egrep" || name === "rg" ? "extended" : "basic";
}

/** A simple expression as globs over the whole line, one per alternative; `undefined` if it is not simple. */
function alternativesOf(pattern: string, { syntax, whole }: Search): readonly string[] | undefined {
	if (pattern.length > 200 || pattern === "") return undefined;
	if (syntax === "fixed") return [padWithStars(pattern.replace(/[\\*?[\]]/g, "\\$&"), !whole, !whole)];
	const bar = syntax === "extended" ? "|" : "\\|";
	const globs = pattern.split(bar).map((option) => globOf(option, syntax, whole));
	return globs.every((glob) => glob !== undefined) ? globs : undefined;
}

function padWithStars(glob: string, before: boolean, after: boolean): string {
	return `${before ? "*" : ""}${glob}${after ? "*" : ""}`;
}

function globOf(option: string, syntax: "basic" | "extended", whole: boolean): string | undefined {
	const start = option.startsWith("^");
	const end = /(?<!\\)\$$/.test(option);
	const body = option.slice(start ? 1 : 0, end ? -1 : undefined);
	let glob = "";
	for (let at = 0; at < body.length; ) {
		const atom = globOfAtom(body, at, syntax);
		if (!atom) return undefined;
		glob += atom.glob;
		at = atom.end;
	}
	return padWithStars(glob, !start && !whole, !end && !whole);
}

/** The glob of one atom of an expression with its repetition, and its end; `undefined` if globs cannot express it. */
function globOfAtom(
	body: string,
	at: number,
	syntax: "basic" | "extended",
): { readonly glob: string; readonly end: number } | undefined {
	const char = body[at] ?? "";
	const next = body[at + 1] ?? "";
	if (char === "\\") return globOfEscape(next, at + 2);
	if (char === ".") return next === "*" ? { glob: "*", end: at + 2 } : { glob: "?", end: at + 1 };
	if (next === "*" || (syntax === "extended" && /[+?{]/.test(next))) return undefined;
	if (char === "[") return globOfBracket(body, at);
	const special = syntax === "extended" ? /[*$^\]()+?{}]/ : /[*$^\]]/;
	return special.test(char) ? undefined : { glob: char === "?" ? "\\?" : char, end: at + 1 };
}

function globOfEscape(char: string, end: number): { readonly glob: string; readonly end: number } | undefined {
	if (!/[.\-/*$^[\]\\]/.test(char)) return undefined;
	return { glob: /[*?[\]\\]/.test(char) ? `\\${char}` : char, end };
}

function globOfBracket(body: string, at: number): { readonly glob: string; readonly end: number } | undefined {
	const close = body.indexOf("]", at + 2);
	const repeated = /[*+?{]/.test(body[close + 1] ?? "");
	if (close < 0 || repeated || body.slice(at, close).includes("[:")) return undefined;
	return { glob: body.slice(at, close + 1), end: close + 1 };
}

/** A line of search results, restricted to matching names if globs of single names can express that. */
function narrow(line: string, globs: readonly string[], search: Search, record: FootprintRecord): string | undefined {
	const at = line.indexOf(SEARCH_RESULT);
	const detail = at >= 0 && at === line.length - 2 ? record.searchOf(line.slice(at)) : undefined;
	if (!detail) return undefined;
	const given = detail.only ?? [];
	const folded = search.ignoreCase ? globs.map(eitherCase) : globs;
	const more = search.inverted ? folded.flatMap(leftOut) : namesOf(folded, given);
	if (more.length === 0) return line;
	return line.slice(0, at) + record.found({ ...detail, only: [...given, ...more] });
}

/** Globs of names; every matching path contains a name that matches one of them. Of two conditions, only the first is kept, which is safe. */
function namesOf(globs: readonly string[], given: readonly string[]): readonly string[] {
	if (given.some((glob) => !glob.startsWith("!"))) return [];
	const names = globs.map((glob) => {
		const pieces = glob.match(/(?:\\.|\[[^\]]*\]|[^*?/\\[])+/g) ?? [];
		const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), "");
		return `*${longest}${glob.endsWith(longest) ? "" : "*"}`;
	});
	return names.includes("*") ? [] : names;
}

/** The globs that exclude paths; only if a single name expresses it. */
function leftOut(glob: string): readonly string[] {
	const name = /^\*(\??\/)?((?:\\.|[^*?/\\[])+)(\/)?\*$/.exec(glob);
	return name?.[2] === undefined ? [] : [`!${name[1] ? "" : "*"}${name[2]}${name[3] ? "" : "*"}`];
}

function eitherCase(glob: string): string {
	return glob.includes("[")
		? glob
		: glob.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}
