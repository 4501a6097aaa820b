// Formats diagnostics and quoted user text: one line each, safe to print in a terminal.
import { isAbsolute, relative, sep } from "node:path";
import type { Diagnostic, Place } from "./diagnostic.ts";
import { sortDiagnostics } from "./report.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what takes them out.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** `file:line:column message — remedy`; a file inside `base` (an absolute directory) is shown relative to it. */
export function formatDiagnostic(diagnostic: Diagnostic, base?: string): string {
	return diagnosticLine(diagnostic, diagnostic.severity === "warning" ? "warning: " : "", base);
}

/** A line for each, in the order of {@link sortDiagnostics}: `file:line:column error: message — remedy`. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], base?: string): string[] {
	return sortDiagnostics(diagnostics).map((diagnostic) => diagnosticLine(diagnostic, `${diagnostic.severity}: `, base));
}

function diagnosticLine(diagnostic: Diagnostic, kind: string, base: string | undefined): string {
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

/** A text of at most `max` characters; a longer one is cut and ends in `…`. No surrogate pair is split. */
export function truncate(text: string, max: number): string {
	return text.length > max ? `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** The text as the end of a sentence. */
export function asSentence(words: string): string {
	return /[.!?…:]\s*$/.test(words) ? words : `${words}.`;
}

/** A number with its noun: `1 step`, `2 steps`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
	return `${number} ${number === 1 ? noun : plural}`;
}

/** Replaces characters that would break the line or control the terminal. */
export function singleLine(text: string): string {
	return text.replace(unprintable, (character) => (character === "\n" || character === "\t" ? " " : "\ufffd"));
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "`": "'" };

/** Escapes text for a quoted label. Quotes and markup characters become entities that both pi's renderer and Mermaid support. */
export function mermaidLabel(text: string): string {
	return singleLine(text).replace(/[&<>"`]/g, (character) => entities[character] ?? character);
}

const maxNames = 15;

/** `There is only X.`, `There are X, Y and Z.`, or `none` if `names` is empty. Lists at most fifteen names, formatted as code. */
export function thereAre(names: readonly string[], none: string): string {
	const [first] = names;
	if (first === undefined) return none;
	if (names.length === 1) return `There is only ${quoted(first)}.`;
	const shown = names.slice(0, maxNames).map((name) => quoted(name));
	const last = names.length > maxNames ? `${names.length - maxNames} more` : shown.pop();
	return `There are ${shown.join(", ")} and ${last}.`;
}
