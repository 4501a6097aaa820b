// HTML that cannot be broken by what is put into it. Not a template language: a tagged template and a few words about texts.
// H1 a string becomes text, never markup: secrets are taken out, invisible characters shown, then it is escaped, in content and in
// attributes alike; H2 only `trusted` and the tag itself make markup.
import type { Redact } from "../../../safety/index.ts";

export interface Markup {
	readonly markup: string;
}

export type HtmlContent = string | number | Markup | undefined | readonly HtmlContent[];

/** The template tag of one report: everything that it renders is redacted and escaped. */
export interface Html {
	/** Strings are text; lists are joined; `undefined` renders nothing. */
	(parts: TemplateStringsArray, ...content: readonly HtmlContent[]): Markup;
	/** The text as it is shown, before it is escaped. */
	plain(text: string): string;
	/** At most `length` characters of it, with `…` where something is missing. Secrets are redacted before it is cut. */
	cut(text: string, length: number): string;
}

/** Markup that we have written ourselves, without any text from outside. */
export function trusted(markup: string): Markup {
	return { markup };
}

export function openHtml(redact: Redact): Html {
	const plain = (text: string): string => showHidden(redact(text.toWellFormed()));
	const write = (piece: HtmlContent): string => {
		if (piece === undefined) return "";
		if (typeof piece === "number") return String(piece);
		if (typeof piece === "string") return escapeText(plain(piece));
		return "markup" in piece ? piece.markup : piece.map(write).join("");
	};
	const render = (parts: TemplateStringsArray, ...content: readonly HtmlContent[]): Markup => ({
		markup: parts.map((part, at) => part + write(content[at])).join(""),
	});
	return Object.assign(render, { plain, cut: (text: string, length: number) => shorten(plain(text), length) });
}

/** Cuts between characters as people see them. */
export function shorten(text: string, length: number): string {
	if (text.length <= length) return text;
	// A character is rarely longer than this: what is segmented stays short, whatever the text.
	const start = [...new Intl.Segmenter("en").segment(text.slice(0, length + 24))];
	let kept = "";
	for (const { segment } of start) {
		if (kept.length + segment.length > length - 1) break;
		kept += segment;
	}
	return `${kept.trimEnd()}…`;
}

export function escapeText(text: string): string {
	return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

const entities: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/**
 * Control characters, and those that turn the direction of what follows: a text must not look other than it is. Line breaks and tabs stay.
 */
function showHidden(text: string): string {
	return (
		text
			// Colours say nothing on paper.
			// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin what is taken out
			.replace(/\u001b\[[\d;:]*m/g, "")
			.replace(/\r\n?/g, "\n")
			.replace(
				// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is shown
				/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g,
				(sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
			)
			.replace(/[\u2028\u2029]/g, "\n")
	);
}
