// Shortens and redacts a call's arguments for records and messages: enough to recognize the call, but no contents.
// Invariants: a result has at most `limit` characters; bodies (file contents, edits) show only their size.
import { isSecretName, redacted, redactSecrets } from "./secrets.ts";

const bodies = new Set("content contents text oldText newText edits old_string new_string data".split(" "));

/** Cuts `text` to `limit` characters on one line, without secrets. */
export function redactText(text: string, limit: number): string {
	// The margin allows recognizing a secret that the limit cuts in two.
	const line = redactSecrets(text.slice(0, limit + 400).replaceAll(/\s+/g, " "));
	return line.length > limit || text.length > limit + 400 ? `${line.slice(0, limit - 1)}…` : line;
}

/** A command or an argument of the model, quoted in a message: short, on one line, without secrets. */
export function quoteRedacted(text: string): string {
	return `\`${redactText(text, 160).replaceAll("`", "'")}\``;
}

/** The arguments of a call as one line `key=value key=value`. */
export function redactInput(input: Readonly<Record<string, unknown>>, limit: number): string {
	const parts: string[] = [];
	let length = 0;
	for (const [key, value] of Object.entries(input)) {
		if (length > limit) break;
		const part = `${redactText(key, 40)}=${redactValue(key, value, limit)}`;
		parts.push(part);
		length += part.length;
	}
	return redactText(parts.join(" "), limit);
}

/**
 * The arguments of a call for the user who decides about it: whole texts with their line breaks, without secrets; invisible characters are
 * written as \u{…}. Bodies show their size; of more than 64 KB in all, the rest is counted.
 */
export function showInput(input: Readonly<Record<string, unknown>>): string {
	const entries = Object.entries(input);
	const lines = entries.map(([key, value]) => {
		if (typeof value !== "string" || bodies.has(key) || isSecretName(key))
			return `${redactText(key, 40)}=${redactValue(key, value, 320)}`;
		const text = redactSecrets(value.slice(0, MAX_SHOWN)).replaceAll(invisible, escaped);
		const rest = value.length > MAX_SHOWN ? `\n… and ${value.length - MAX_SHOWN} more characters` : "";
		return `${key === "command" && entries.length === 1 ? "" : `${redactText(key, 40)}=`}${text}${rest}`;
	});
	return lines.join("\n");
}

const MAX_SHOWN = 65_536;
/** Control and format characters but for line breaks and tabs. */
const invisible = /(?![\n\t])[\p{Cc}\p{Cf}]/gu;
const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

function redactValue(key: string, value: unknown, limit: number): string {
	if (isSecretName(key)) return redacted;
	if (bodies.has(key)) return `(${sizeWords(value)})`;
	if (typeof value === "string") return redactText(value, limit);
	if (value === null || typeof value !== "object") return String(value);
	return `(${sizeWords(value)})`;
}

function sizeWords(value: unknown): string {
	if (typeof value === "string") return `${value.length} characters`;
	if (Array.isArray(value)) return `${value.length} items`;
	return `${Object.keys(value ?? {}).length} fields`;
}
