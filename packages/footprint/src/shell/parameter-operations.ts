// The operations of `${name…}` on known values: lengths, defaults, prefixes, replacements, slices, letter case.
import { isKnown, UNKNOWN_VALUE } from "../text.ts";
import { compileGlob, hasGlob, unescapeGlob } from "./globs.ts";

/** Texts longer than this are not searched for patterns: the work grows with the square of their length, or the cube. */
const MAX_REMOVED = 500;

/** What a removal costs at worst, in units of the record's budget: the pattern is tried at every length. */
export function costOfRemoval(text: string, pattern: string): number {
	return text.length > MAX_REMOVED ? 1 : (text.length * text.length * pattern.length) / 1000;
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
	if (!isKnown(text) || !isKnown(pattern) || hasGlob(pattern)) return UNKNOWN_VALUE;
	const literal = unescapeGlob(pattern);
	if (literal === "") return text;
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
