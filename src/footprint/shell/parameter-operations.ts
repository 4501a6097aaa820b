// The operations of `${name…}` on known values: lengths, defaults, prefixes, replacements, slices, letter case.
// Defaults and assignments need the word's own expansion and stay in `words.ts`; here are the operations on plain texts.

import { isKnown, UNKNOWN_VALUE } from "../text.ts";
import { compileGlob, hasGlob, unescapeGlob } from "./globs.ts";

/** Texts longer than this are not searched for patterns: the work grows with the square of their length, or the cube. */
const MAX_REMOVED = 500;
const MAX_REPLACED = 40;

/** What a removal costs at worst, in units of the record's budget: the pattern is tried at every length. */
export function costOfRemoval(text: string, pattern: string): number {
	return text.length > MAX_REMOVED ? 1 : (text.length * text.length * pattern.length) / 1000;
}

/** What a replacement costs at worst, in units of the record's budget: the pattern is tried at every place and length. */
export function costOfReplacement(text: string, pattern: string): number {
	if (!hasGlob(pattern)) return text.length / 100;
	return text.length > MAX_REPLACED ? 1 : (text.length ** 3 * pattern.length) / 2000;
}

/** `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`; a placeholder if the result is unknown. */
export function removeAffix(operator: "#" | "##" | "%" | "%%", text: string, pattern: string): string {
	if (!isKnown(text) || !isKnown(pattern) || text.length > MAX_REMOVED) return removeUnknown(operator, text, pattern);
	const front = operator.startsWith("#");
	const longest = operator.length === 2;
	const matches = compileGlob(pattern);
	for (let step = 0; step <= text.length; step++) {
		const size = longest ? text.length - step : step;
		if (matches(front ? text.slice(0, size) : text.slice(text.length - size)))
			return front ? text.slice(size) : text.slice(0, text.length - size);
	}
	return text;
}

/** A known end stays known if the other end is cut: `${f%.ts}.js` with `f=src/$x` is still below `src/`. */
function removeUnknown(operator: string, text: string, pattern: string): string {
	if (!isKnown(pattern) || hasGlob(pattern)) return UNKNOWN_VALUE;
	const literal = unescapeGlob(pattern);
	if (operator.startsWith("%")) {
		if (literal !== "" && text.endsWith(literal)) return text.slice(0, text.length - literal.length);
		return text.endsWith(UNKNOWN_VALUE) ? text : UNKNOWN_VALUE;
	}
	if (literal !== "" && text.startsWith(literal)) return text.slice(literal.length);
	return UNKNOWN_VALUE;
}

/** `${x/p/r}` and similar; a placeholder if the result is unknown. */
export function replace(
	operator: "/" | "//" | "/#" | "/%",
	text: string,
	pattern: string,
	replacement: string,
): string {
	if (!isKnown(text) || !isKnown(pattern)) return UNKNOWN_VALUE;
	if (pattern === "") return text;
	if (!hasGlob(pattern)) return replaceLiteral(operator, text, unescapeGlob(pattern), replacement);
	if (text.length > MAX_REPLACED || pattern.length > MAX_REPLACED) return UNKNOWN_VALUE;
	const matches = compileGlob(pattern);
	switch (operator) {
		case "/#": {
			const end = longestMatch(text, 0, matches);
			return end === undefined ? text : replacement + text.slice(end);
		}
		case "/%":
			return replaceEnd(text, matches, replacement);
		case "/":
		case "//":
			return replaceMatches(text, matches, replacement, operator === "/" ? 1 : text.length);
	}
}

type Test = (text: string) => boolean;

/** Where the longest match that begins at `start` ends. */
function longestMatch(text: string, start: number, matches: Test): number | undefined {
	for (let end = text.length; end > start; end--) if (matches(text.slice(start, end))) return end;
	return undefined;
}

/** Replaces the longest match at the end. */
function replaceEnd(text: string, matches: Test, replacement: string): string {
	for (let start = 0; start < text.length; start++)
		if (matches(text.slice(start))) return text.slice(0, start) + replacement;
	return text;
}

/** Replaces the first `max` matches. */
function replaceMatches(text: string, matches: Test, replacement: string, max: number): string {
	let result = "";
	let at = 0;
	for (let count = 0; at < text.length && count < max; ) {
		const end = longestMatch(text, at, matches);
		result += end === undefined ? text[at] : replacement;
		if (end !== undefined) count++;
		at = end ?? at + 1;
	}
	return result + text.slice(at);
}

function replaceLiteral(
	operator: "/" | "//" | "/#" | "/%",
	text: string,
	literal: string,
	replacement: string,
): string {
	switch (operator) {
		case "//":
			return text.replaceAll(literal, () => replacement);
		case "/":
			return text.replace(literal, () => replacement);
		case "/#":
			return text.startsWith(literal) ? replacement + text.slice(literal.length) : text;
		case "/%":
			return text.endsWith(literal) ? text.slice(0, text.length - literal.length) + replacement : text;
	}
}

/** `${x:offset:length}`; a placeholder if the result is unknown. */
export function slice(text: string, offset: string, length: string | undefined): string {
	const from = wholeNumber(offset);
	const count = length === undefined ? undefined : wholeNumber(length);
	if (!isKnown(text) || from === undefined || (length !== undefined && count === undefined)) return UNKNOWN_VALUE;
	const start = from < 0 ? text.length + from : from;
	if (start < 0 || start > text.length) return "";
	if (count === undefined) return text.slice(start);
	const end = count < 0 ? text.length + count : start + count;
	return end < start ? UNKNOWN_VALUE : text.slice(start, end);
}

function wholeNumber(text: string): number | undefined {
	const trimmed = text.trim();
	return /^[+-]?\s*\d{1,9}$/.test(trimmed) ? Number(trimmed.replace(/\s/g, "")) : undefined;
}

/** `${x^}`, `${x^^}`, `${x,}`, `${x,,}` without a pattern. */
export function changeCase(operator: "^" | "^^" | "," | ",,", text: string): string {
	if (!isKnown(text)) return UNKNOWN_VALUE;
	const change = operator.startsWith("^") ? (part: string) => part.toUpperCase() : (part: string) => part.toLowerCase();
	return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1);
}
