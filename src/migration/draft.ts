// The result of importing one definition: its files, and notes on the parts of the original without a counterpart. Also the names of both.
// D1 a name from a file becomes a path only through `fileSlug`, so no name leads out of a folder.
import { singleLine } from "../definition/index.ts";

export interface ImportFile {
	/** Relative to the project, with `/`. */
	readonly path: string;
	readonly text: string;
}

/** A part of the original without a counterpart. */
export interface ImportNote {
	/** Its place in the original, such as the name of a step; empty for the file as a whole. */
	readonly where: string;
	/** One line. */
	readonly what: string;
}

export interface ImportDraft {
	readonly kind: "workflow" | "chronicle template" | "agent" | "rule file" | "team";
	readonly name: string;
	/** The original, absolute. */
	readonly from: string;
	/** Its format with the article. */
	readonly format: string;
	readonly files: readonly ImportFile[];
	readonly notes: readonly ImportNote[];
	/** Further files that are part of it, absolute. */
	readonly parts?: readonly string[];
	/** Whether the original is in a format of this package. */
	readonly copied?: true;
}

/** Why a file cannot be imported; the message is a sentence. */
export class ImportRefusal extends Error {}

/** Device names of Windows, which no file can have. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const longestSlug = 40;

/** `text` as a name for files, states and commands: lower-case letters, digits and dashes, never empty. */
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

/** Makes names unique. */
export class UniqueNames {
	readonly #taken: Set<string>;

	constructor(taken: Iterable<string> = []) {
		this.#taken = new Set(taken);
	}

	/** `wanted`, with a number appended if it is taken. */
	take(wanted: string): string {
		let name = wanted;
		for (let number = 2; this.#taken.has(name); number += 1) name = `${wanted}-${number}`;
		this.#taken.add(name);
		return name;
	}
}

/** A note of one line. */
export function importNote(where: string, what: string): ImportNote {
	return { where: singleLine(where), what: singleLine(what).replaceAll(/\s+/g, " ").trim() };
}

/** A note about an agent or a skill that does not exist where the definition will be. */
export function missingNote(where: string, kind: "agent" | "skill", name: string): ImportNote {
	return importNote(where, `there is no ${kind} \`${name}\` here${meaning[kind]}`);
}

const meaning = { agent: ", so its name is used as a role in words", skill: "" };
const missing = /^there is no (agent|skill) `(.*?)` here/;

/** The same notes with one for all missing agents and one for all missing skills. */
export function withoutRepetition(notes: readonly ImportNote[]): readonly ImportNote[] {
	const names = { agent: new Set<string>(), skill: new Set<string>() };
	const others = notes.filter(({ what }) => {
		const [, kind, name = ""] = missing.exec(what) ?? [];
		if (kind === "agent" || kind === "skill") names[kind].add(name);
		return kind === undefined;
	});
	const listed = (["agent", "skill"] as const).flatMap((kind) => {
		const [first, ...more] = names[kind];
		if (first === undefined) return [];
		if (more.length === 0) return [missingNote("", kind, first)];
		const all = [first, ...more].map((name) => `\`${name}\``).join(", ");
		const words = kind === "agent" ? "; their names are used as roles in words" : "";
		return [importNote("", `there are no ${kind}s ${all} here${words}`)];
	});
	return [...listed, ...others];
}

const longestComment = 2000;

/** The comment at the top of an imported file: its origin, and the parts without a counterpart. */
export function originComment(base: string, format: string, notes: readonly ImportNote[]): string {
	const listed = notes.map(
		({ where, what }) => `#   ${where === "" ? "" : `${where}: `}${what.slice(0, longestComment)}`,
	);
	const head = `# Imported from ${singleLine(base)}, ${format}.`;
	return [head, ...(listed.length === 0 ? [] : ["# Without a counterpart here:", ...listed]), ""].join("\n");
}
