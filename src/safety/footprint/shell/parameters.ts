// What `${name…}` makes of known values: lengths, defaults, prefixes, replacements, slices, letter case.
// Defaults and assignments need the word's own expansion and stay in `words.ts`; here are the operations on plain texts.

import { HOLE, isKnown } from "../text.ts";
import { compileGlob, hasGlob, unescapeGlob } from "./globs.ts";

/** Texts longer than this are not searched for patterns. */
const MAX_SEARCHED = 2000;

/** `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`; a hole where it cannot be told. */
export function remove(operator: "#" | "##" | "%" | "%%", text: string, pattern: string): string {
	if (!isKnown(text) || !isKnown(pattern) || text.length > MAX_SEARCHED) return removeUnknown(operator, text, pattern);
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

/** A known end survives what is taken off the other end: `${f%.ts}.js` with `f=src/$x` is still below `src/`. */
function removeUnknown(operator: string, text: string, pattern: string): string {
	if (!isKnown(pattern) || hasGlob(pattern)) return HOLE;
	const literal = unescapeGlob(pattern);
	if (operator.startsWith("%")) {
		if (literal !== "" && text.endsWith(literal)) return text.slice(0, text.length - literal.length);
		return text.endsWith(HOLE) ? text : HOLE;
	}
	if (literal !== "" && text.startsWith(literal)) return text.slice(literal.length);
	return HOLE;
}

/** `${x/p/r}` and its kin; a hole where it cannot be told. */
export function replace(
	operator: "/" | "//" | "/#" | "/%",
	text: string,
	pattern: string,
	replacement: string,
): string {
	if (!isKnown(text) || !isKnown(pattern)) return HOLE;
	if (text.length > MAX_SEARCHED || pattern.length > 200) return HOLE;
	if (pattern === "") return text;
	if (operator === "//" && !hasGlob(pattern)) return text.replaceAll(unescapeGlob(pattern), () => replacement);
	if (text.length > 300) return HOLE;
	const matches = compileGlob(pattern);
	const longestAt = (start: number): number | undefined => {
		for (let end = text.length; end > start; end--) if (matches(text.slice(start, end))) return end;
		return undefined;
	};
	if (operator === "/#") {
		const end = longestAt(0);
		return end === undefined ? text : replacement + text.slice(end);
	}
	if (operator === "/%") {
		for (let start = 0; start < text.length; start++)
			if (matches(text.slice(start))) return text.slice(0, start) + replacement;
		return text;
	}
	let result = "";
	for (let at = 0; at < text.length; ) {
		const end = longestAt(at);
		if (end === undefined) {
			result += text[at++];
			continue;
		}
		result += replacement;
		at = end;
		if (operator === "/") return result + text.slice(at);
	}
	return result;
}

/** `${x:offset:length}`; a hole where it cannot be told. */
export function slice(text: string, offset: string, length: string | undefined): string {
	const from = wholeNumber(offset);
	const count = length === undefined ? undefined : wholeNumber(length);
	if (!isKnown(text) || from === undefined || (length !== undefined && count === undefined)) return HOLE;
	const start = from < 0 ? text.length + from : from;
	if (start < 0 || start > text.length) return "";
	if (count === undefined) return text.slice(start);
	const end = count < 0 ? text.length + count : start + count;
	return end < start ? HOLE : text.slice(start, end);
}

function wholeNumber(text: string): number | undefined {
	const trimmed = text.trim();
	return /^[+-]?\s*\d{1,9}$/.test(trimmed) ? Number(trimmed.replace(/\s/g, "")) : undefined;
}

/** `${x^}`, `${x^^}`, `${x,}`, `${x,,}` without a pattern. */
export function changeCase(operator: "^" | "^^" | "," | ",,", text: string): string {
	if (!isKnown(text)) return HOLE;
	const change = operator.startsWith("^") ? (part: string) => part.toUpperCase() : (part: string) => part.toLowerCase();
	return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1);
}
