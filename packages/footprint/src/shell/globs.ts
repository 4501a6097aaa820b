// Pathname expansion: a pattern against the names on disk, as bash does it without `extglob`. A backslash escapes the next character.
// Matching is polynomial for every pattern; if the disk gives no answer (too many names, unreadable), the result is unknown.
import { isDirectory, pathRules } from "../paths.ts";
import type { FootprintRecord } from "../record.ts";

/** Whether a pattern holds an active `*`, `?` or `[`. */
export function hasGlob(pattern: string): boolean {
	for (let at = 0; at < pattern.length; at++) {
		const char = pattern[at];
		if (char === "\\") at++;
		else if (char === "*" || char === "?" || char === "[") return true;
	}
	return false;
}

export function escapeGlob(text: string): string {
	return text.replace(/[\\*?[\]]/g, "\\$&");
}

export function unescapeGlob(pattern: string): string {
	return pattern.replace(/\\(.)/gs, "$1");
}

type Token = { readonly kind: "char"; readonly char: string } | { readonly kind: "any" | "star" } | Class;
/** The first and the last character. */
type CharacterRange = readonly [string, string];
interface Class {
	readonly kind: "class";
	readonly negated: boolean;
	readonly ranges: readonly CharacterRange[];
	readonly named: readonly RegExp[];
}

const namedClasses: { readonly [name: string]: RegExp } = {
	alpha: /\p{L}/u,
	digit: /[0-9]/,
	alnum: /[\p{L}0-9]/u,
	upper: /\p{Lu}/u,
	lower: /\p{Ll}/u,
	space: /\s/,
	blank: /[ \t]/,
	punct: /[!-/:-@[-`{-~]/,
	xdigit: /[0-9a-fA-F]/,
	print: /[^\p{C}]/u,
	graph: /[^\p{C}\s]/u,
	cntrl: /\p{Cc}/u,
	word: /[\w]/,
};

function tokenize(pattern: string): Token[] {
	const tokens: Token[] = [];
	for (let at = 0; at < pattern.length; ) {
		const { token, end } = readToken(pattern, at);
		// Stars in a row match what one matches.
		if (token.kind !== "star" || tokens.at(-1)?.kind !== "star") tokens.push(token);
		at = end;
	}
	return tokens;
}

/** The token at an index, and the index after it. */
function readToken(pattern: string, at: number): { readonly token: Token; readonly end: number } {
	const char = charAt(pattern, at);
	if (char === "*") return { token: { kind: "star" }, end: at + 1 };
	if (char === "?") return { token: { kind: "any" }, end: at + 1 };
	const bracket = char === "[" ? readClass(pattern, at) : undefined;
	if (bracket) return bracket;
	const escapes = char === "\\" && at + 1 < pattern.length;
	const literal = escapes ? charAt(pattern, at + 1) : char;
	return { token: { kind: "char", char: literal }, end: at + literal.length + (escapes ? 1 : 0) };
}

/** The character at an index, which may consist of two code units. */
function charAt(text: string, at: number): string {
	const code = text.codePointAt(at);
	return code === undefined ? "" : String.fromCodePoint(code);
}

/** The bracket expression that begins at `start`, and the index after it. */
function readClass(pattern: string, start: number): { token: Class; end: number } | undefined {
	const negated = pattern[start + 1] === "!" || pattern[start + 1] === "^";
	const first = start + (negated ? 2 : 1);
	const ranges: CharacterRange[] = [];
	const named: RegExp[] = [];
	for (let at = first; at < pattern.length; ) {
		if (pattern[at] === "]" && at > first) return { token: { kind: "class", negated, ranges, named }, end: at + 1 };
		const inner = readNamedClass(pattern, at);
		const span = inner ? undefined : readRange(pattern, at);
		if (inner) named.push(inner.regex);
		if (span) ranges.push(span.range);
		at = (inner ?? span)?.end ?? at + 1;
	}
	return undefined;
}

/** One character or range of a bracket expression, and the index after it. */
function readRange(pattern: string, start: number): { readonly range: CharacterRange; readonly end: number } {
	const at = pattern[start] === "\\" ? start + 1 : start;
	const from = charAt(pattern, at);
	const dash = at + from.length;
	const spans = pattern[dash] === "-" && pattern[dash + 1] !== "]" && dash + 1 < pattern.length;
	if (!spans) return { range: [from, from], end: Math.max(dash, start + 1) };
	const to = charAt(pattern, dash + 1);
	return { range: [from, to], end: dash + 1 + to.length };
}

/** `[:digit:]` and its kin at an index, and the index after it. */
function readNamedClass(pattern: string, at: number): { readonly regex: RegExp; readonly end: number } | undefined {
	if (pattern[at] !== "[" || pattern[at + 1] !== ":") return undefined;
	const close = pattern.indexOf(":]", at + 2);
	const regex = close < 0 ? undefined : namedClasses[pattern.slice(at + 2, close)];
	return regex && { regex, end: close + 2 };
}

function matchesOne(token: Token, char: string): boolean {
	switch (token.kind) {
		case "char":
			return token.char === char;
		case "any":
			return true;
		case "star":
			return false;
		case "class": {
			const inside =
				token.ranges.some(([from, to]) => from <= char && char <= to) || token.named.some((regex) => regex.test(char));
			return inside !== token.negated;
		}
	}
}

function matchTokens(tokens: readonly Token[], text: string): boolean {
	const chars: ArrayLike<string> = /[\ud800-\udfff]/.test(text) ? [...text] : text;
	let token = 0;
	let at = 0;
	let star = -1;
	let retry = 0;
	while (at < chars.length) {
		const here = tokens[token];
		if (here?.kind === "star") {
			star = token++;
			retry = at;
		} else if (here && matchesOne(here, chars[at] ?? "")) {
			token++;
			at++;
		} else if (star >= 0) {
			token = star + 1;
			at = ++retry;
		} else return false;
	}
	while (tokens[token]?.kind === "star") token++;
	return token === tokens.length;
}

/** Compiles a pattern for whole texts; `*` matches anything, `/` included (as in `case` and `${x#…}`). */
export function compileGlob(pattern: string): (text: string) => boolean {
	if (!hasGlob(pattern)) {
		const literal = unescapeGlob(pattern);
		return (text) => text === literal;
	}
	// One `*` and nothing else is by far the most frequent kind.
	const [start = "", end, ...more] = pattern.split("*");
	if (end !== undefined && more.length === 0 && !/[?[\\]/.test(pattern)) {
		return (text) => text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
	}
	const tokens = tokenize(pattern);
	return (text) => matchTokens(tokens, text);
}

const MAX_RESULTS = 1000;

/**
 * The paths that a pattern expands to, spelled as the shell would: relative if the pattern is. Sorted by name within a directory. An empty
 * list: nothing matches (bash then keeps the pattern). `undefined`: unknown.
 */
export function expandGlob(pattern: string, cwd: string, record: FootprintRecord): readonly string[] | undefined {
	const parts = pattern.split("/");
	let found: string[] = [""];
	for (const [index, part] of parts.entries()) {
		const glue = index === parts.length - 1 ? "" : "/";
		if (hasGlob(part)) {
			const next = matchingNames(part, found, glue, cwd, record);
			if (!next) return undefined;
			found = next;
		} else {
			const text = unescapeGlob(part) + glue;
			found = found.map((prefix) => prefix + text);
		}
	}
	// What follows the last glob need not exist.
	if (hasGlob(parts.at(-1) ?? "")) return found;
	const rules = pathRules(record.host);
	return found.filter((path) => record.host.kind(rules.resolve(cwd, path)) !== undefined);
}

/** The prefixes with every name below them that fits a part; only directories if `glue` follows. `undefined`: unknown. */
function matchingNames(
	part: string,
	prefixes: readonly string[],
	glue: "" | "/",
	cwd: string,
	record: FootprintRecord,
): string[] | undefined {
	const { host } = record;
	const rules = pathRules(host);
	const matches = compileGlob(part);
	const found: string[] = [];
	for (const prefix of prefixes) {
		const directory = rules.resolve(cwd, prefix);
		if (record.changed(directory)) return undefined;
		const names = host.names(directory);
		if (names === undefined) continue;
		// The cost of a name depends on the pattern, that of a folder on disk access.
		if (!record.spend(8 + (names.length * (1 + part.length / 30)) / 4)) return undefined;
		const fitting = selectNames(part, names, matches);
		if (glue !== "" && !record.spend(4 * fitting.length)) return undefined;
		const entered = glue === "" ? fitting : fitting.filter((name) => isDirectory(rules.join(directory, name), host));
		found.push(...entered.map((name) => prefix + name + glue));
		if (found.length > MAX_RESULTS) return undefined;
	}
	return found;
}

/** The names of a directory that fit a part, sorted; those with a leading dot only if the part starts with one. */
function selectNames(part: string, names: readonly string[], matches: (name: string) => boolean): readonly string[] {
	const dots = part.startsWith(".") || part.startsWith("\\.");
	// Before its version 5.2, bash found these two as well.
	const own = part.startsWith(".") ? [".", ".."].filter(matches) : [];
	return [...own, ...names.filter((name) => (dots || !name.startsWith(".")) && matches(name)).sort()];
}
