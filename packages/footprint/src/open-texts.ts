// Decodes arguments that hold other arguments as JSON text, because gateways and batch tools pass calls on that way.
// J1 bounded in size, number and depth; reaching a bound is reported, never ignored; J2 file content stays text.

import { jsonIn, unmarked } from "./text.ts";

/** Arguments that hold the content of a file, a message or a prompt. */
export const contentKeys =
	/^(content|contents|text|body|file_?(text|content)|(new|old)_?(str|string|text|content|source)|insert|message|description|prompt|task|instructions|summary|title|comment|reason|query|pattern|note|markdown|html|patch|diff)$/i;

/** Arguments that hold the arguments of another call. */
export const argumentKeys =
	/^(args|arguments|argument|params|parameters|input|inputs|tool_?(input|args|arguments|params|parameters)|payload|kwargs|options|data|request)$/i;

const MAX_DEPTH = 8;
const MAX_TEXTS = 100;
const MAX_LENGTH = 400_000;
const MAX_NODES = 20_000;

/** A copy of `input` with JSON texts replaced by their values; `complete` is false if a bound was reached. */
export function openTexts(input: unknown): { readonly value: unknown; readonly complete: boolean } {
	let texts = 0;
	let length = 0;
	let nodes = 0;
	let complete = true;
	const open = (value: unknown, key: string, depth: number): unknown => {
		if (++nodes > MAX_NODES) {
			complete = false;
			return undefined;
		}
		if (typeof value === "string") return openText(unmarked(value), key, depth);
		if (typeof value !== "object" || value === null) return value;
		if (depth > MAX_DEPTH) {
			complete = false;
			return undefined;
		}
		if (Array.isArray(value)) return value.map((item) => open(item, key, depth + 1));
		return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, open(item, name, depth + 1)]));
	};
	const openText = (value: string, key: string, depth: number): unknown => {
		if (contentKeys.test(key) || !/^\s*[[{"]/.test(value) || !/[\]}"]\s*$/.test(value)) return value;
		length += value.length;
		if (++texts > MAX_TEXTS || length > MAX_LENGTH || depth > MAX_DEPTH) {
			complete = false;
			return value;
		}
		const parsed = parseOpenText(value);
		return parsed === undefined || isOwnForm(parsed, key) ? value : open(parsed, key, depth + 1);
	};
	return { value: open(input, "", 0), complete };
}

/** Whether the value is a list of lists: only the tool knows what the positions mean, and `listedCalls` finds the calls in it. */
function isOwnForm(value: unknown, key: string): boolean {
	return (
		!argumentKeys.test(key) && Array.isArray(value) && value.length > 0 && value.every((item) => Array.isArray(item))
	);
}

/** Parses an object, a list or a string; `undefined` if the text is not JSON. */
function parseOpenText(text: string): unknown {
	const value = jsonIn(text);
	return typeof value === "object" || typeof value === "string" ? value : undefined;
}
