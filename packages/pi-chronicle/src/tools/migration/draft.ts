// The result of importing one definition: its files, and notes on the parts of the original without a counterpart.
// A name from a file becomes a path only through `fileSlug`, so no name leads out of a folder.
import { basename } from "node:path";
import { singleLine } from "@pi-chronicle/core/definition";
import type { PlainRecord } from "./plain-value.ts";

export interface ImportFile {
	/** Relative to the project, with `/`. */
	readonly path: string;
	readonly text: string;
}

export interface ImportDraft {
	readonly kind: "workflow" | "chronicle template" | "agent" | "rule file" | "team" | "sequence";
	readonly name: string;
	/** The original, absolute. */
	readonly from: string;
	/** Its format with the article. */
	readonly format: string;
	readonly files: readonly ImportFile[];
	/** Parts of the original without a counterpart, one line each. */
	readonly notes: readonly string[];
	/** Further files that are part of it, absolute. */
	readonly parts?: readonly string[];
	/** Whether the original is in a format of this package. */
	readonly copied?: true;
}

/** What exists in the target project. */
export interface ImportTarget {
	/** The project, absolute. */
	readonly cwd: string;
	/** Names of agents, in lower case: those of the project, and those of the import. */
	readonly agents: ReadonlySet<string>;
}

/** Device names of Windows, which no file can have. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const longestSlug = 40;

/** `text` as a name for files and commands: lower-case letters, digits and dashes, never empty. */
export function fileSlug(text: string, fallback = "imported"): string {
	const plain = text
		.slice(0, 400)
		.normalize("NFKD")
		.toLowerCase()
		.replaceAll(/[\u0300-\u036f]/g, "")
		.replaceAll(/[^a-z0-9]+/g, "-")
		.slice(0, longestSlug)
		.replaceAll(/^-+|-+$/g, "");
	if (plain === "") return fallback;
	return devices.test(plain) || plain in {} || /^\d+$/.test(plain) ? `${fallback}-${plain}` : plain;
}

/** A note of one line. */
export function importNote(text: string): string {
	return singleLine(text).replaceAll(/\s+/g, " ").trim();
}

/** Notes on the fields that are not in `known`, with their values. */
export function notesOnRest(fields: PlainRecord, known: readonly string[], where = ""): string[] {
	return Object.entries(fields)
		.filter(([key]) => !known.includes(key))
		.map(([key, value]) => importNote(`${where}\`${key}\` ${JSON.stringify(value)}`));
}

const longestComment = 2000;

/** The comment at the top of an imported file: its origin, and the parts without a counterpart. */
export function originComment({ from, format, notes }: Pick<ImportDraft, "from" | "format" | "notes">): string {
	return [
		`# Imported from ${singleLine(basename(from))}, ${format}.`,
		...(notes.length === 0 ? [] : ["# Without a counterpart here:"]),
		...notes.map((note) => `#   ${note.slice(0, longestComment)}`),
		"",
	].join("\n");
}
