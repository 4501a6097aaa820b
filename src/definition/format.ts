// Formats diagnostics and quoted user text: one line each, safe to print in a terminal.
import { isAbsolute, relative, sep } from "node:path";
import type { Diagnostic, Place } from "./diagnostic.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what takes them out.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** `file:line:column message — remedy`; a file inside `base` (an absolute directory) is shown relative to it. */
export function formatDiagnostic(diagnostic: Diagnostic, base?: string): string {
	const kind = diagnostic.severity === "warning" ? "warning: " : "";
	return `${formatPlace(diagnostic, base)} ${kind}${singleLine(diagnostic.message)} — ${singleLine(diagnostic.remedy)}`;
}

/** `file:line:column`, without unknown parts. */
export function formatPlace(place: Place, base?: string): string {
	const line = place.line === undefined ? "" : `:${place.line}`;
	const column = place.line === undefined || place.column === undefined ? "" : `:${place.column}`;
	return `${singleLine(formatPath(place.file, base))}${line}${column}`;
}

/** The path relative to `base` if it is inside `base`, else unchanged. */
export function formatPath(file: string, base?: string): string {
	return base !== undefined && isInside(base, file) ? relative(base, file) : file;
}

/** Whether `path` is below `directory`; both absolute. A name that merely starts with two dots is an ordinary name. */
export function isInside(directory: string, path: string): boolean {
	const way = relative(directory, path);
	return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** User text quoted for a message: in backquotes, truncated to `max` characters. */
export function quoted(text: string, max = 60): string {
	const start = text
		.slice(0, 4 * max)
		.replace(/\s+/g, " ")
		.trim();
	const characters = [...start];
	const cut = characters.length > max || text.length > 4 * max;
	return `\`${(
		cut
			? `${characters
					.slice(0, max - 1)
					.join("")
					.trimEnd()}…`
			: start
	).replaceAll("`", "'")}\``;
}

/** A number with its noun: `1 step`, `2 steps`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
	return `${number} ${number === 1 ? noun : plural}`;
}

/** The message of something that was thrown. */
export function errorMessage(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Replaces characters that would break the line or control the terminal. */
export function singleLine(text: string): string {
	return text.replace(unprintable, (character) => (character === "\n" || character === "\t" ? " " : "\ufffd"));
}
