// Pathname expansion: a pattern against the names on disk, as bash does it without `extglob`. A backslash escapes the next character.
// G1 matching is polynomial whatever the pattern; G2 where the disk cannot tell (too many names, unreadable), the answer says so.
import type { HostEnvironment } from "../footprint.ts";
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
interface Class {
	readonly kind: "class";
	readonly negated: boolean;
	readonly ranges: readonly (readonly [string, string])[];
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
	for (let at = 0; at < pattern.length; at++) {
		const char = charAt(pattern, at);
		if (char === "\\" && at + 1 < pattern.length) {
			const escaped = charAt(pattern, ++at);
			tokens.push({ kind: "char", char: escaped });
			at += escaped.length - 1;
		} else if (char === "*") {
			if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
		} else if (char === "?") tokens.push({ kind: "any" });
		else if (char === "[") {
			const bracket = readClass(pattern, at);
			if (bracket) {
				tokens.push(bracket.token);
				at = bracket.end;
			} else tokens.push({ kind: "char", char });
		} else {
			tokens.push({ kind: "char", char });
			at += char.length - 1;
		}
	}
	return tokens;
}

/** The character at an index, whole where it takes two code units. */
function charAt(text: string, at: number): string {
	const code = text.codePointAt(at);
	return code === undefined ? "" : String.fromCodePoint(code);
}

function readClass(pattern: string, start: number): { token: Class; end: number } | undefined {
	let at = start + 1;
	const negated = pattern[at] === "!" || pattern[at] === "^";
	if (negated) at++;
	const ranges: [string, string][] = [];
	const named: RegExp[] = [];
	const first = at;
	for (; at < pattern.length; at++) {
		let char = charAt(pattern, at);
		if (char === "]" && at > first) return { token: { kind: "class", negated, ranges, named }, end: at };
		if (char === "[" && pattern[at + 1] === ":") {
			const close = pattern.indexOf(":]", at + 2);
			const name = close < 0 ? undefined : namedClasses[pattern.slice(at + 2, close)];
			if (name) {
				named.push(name);
				at = close + 1;
				continue;
			}
		}
		if (char === "\\") char = charAt(pattern, ++at);
		at += char.length - 1;
		if (pattern[at + 1] === "-" && pattern[at + 2] !== "]" && at + 2 < pattern.length) {
			const last = charAt(pattern, at + 2);
			ranges.push([char, last]);
			at += 1 + last.length;
		} else ranges.push([char, char]);
	}
	return undefined;
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
 * The paths that a pattern stands for, spelled as the shell would: relative where the pattern is. Sorted by name within a directory.
 * An empty list: nothing matches (bash then keeps the pattern as it is). `undefined`: it cannot be told.
 */
export function expandGlob(pattern: string, cwd: string, record: FootprintRecord): readonly string[] | undefined {
	const { host } = record;
	const rules = pathRules(host);
	const parts = pattern.split("/");
	let found: string[] = [""];
	for (const [index, part] of parts.entries()) {
		const last = index === parts.length - 1;
		const glue = last ? "" : "/";
		if (!hasGlob(part)) {
			const text = unescapeGlob(part);
			found = found.map((prefix) => prefix + text + glue);
			continue;
		}
		const matches = compileGlob(part);
		const dots = part.startsWith(".") || part.startsWith("\\.");
		const next: string[] = [];
		for (const prefix of found) {
			const directory = rules.resolve(cwd, prefix);
			if (record.changed(directory)) return undefined;
			const names = host.names(directory);
			if (names === undefined) continue;
			// A name costs by the pattern that is tried on it, and a folder a look at the disk.
			if (!record.spend(8 + (names.length * (1 + part.length / 30)) / 4)) return undefined;
			// Before its version 5.2, bash found these two as well.
			const own = part.startsWith(".") ? [".", ".."].filter(matches) : [];
			const others = names.filter((name) => (dots || !name.startsWith(".")) && matches(name)).sort();
			for (const name of [...own, ...others]) {
				if (!last && !record.spend(4)) return undefined;
				if (!last && !isDirectory(rules.join(directory, name), host)) continue;
				next.push(prefix + name + glue);
				if (next.length > MAX_RESULTS) return undefined;
			}
		}
		found = next;
	}
	// What follows the last glob need not exist.
	const trailing = parts.at(-1) ?? "";
	return hasGlob(trailing) ? found : found.filter((path) => isThere(rules.resolve(cwd, path), host));
}

function isThere(path: string, host: HostEnvironment): boolean {
	return host.kind(path) !== undefined;
}
