// HTML that is safe from injection. Not a template language: a tagged template and a few text functions.
// A string becomes text, never markup: it is redacted, invisible characters are made visible, then it is escaped, in content and in
// attributes; only `trusted` and the tag itself make markup.
import type { Redact } from "../../safety/index.ts";

export interface Markup {
	readonly markup: string;
}

export type HtmlContent = string | number | Markup | undefined | readonly HtmlContent[];

/** The template tag of one report: everything that it renders is redacted and escaped. */
export interface Html {
	/** Strings are text; lists are joined; `undefined` renders nothing. */
	(parts: TemplateStringsArray, ...content: readonly HtmlContent[]): Markup;
	/** The text as displayed, before escaping. */
	plain(text: string): string;
	/** At most `length` characters of the text, ending in `…` if it was cut. Secrets are redacted before cutting. */
	cut(text: string, length: number): string;
}

/** Marks our own markup as safe. It must not contain text from outside. */
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

/** Cuts a text between grapheme clusters. */
export function shorten(text: string, length: number): string {
	if (text.length <= length) return text;
	// A grapheme cluster is rarely longer than 24, so the segmented text stays short.
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
 * Makes control characters and changes of text direction visible: a text must not disguise its content. Line breaks and tabs stay.
 */
function showHidden(text: string): string {
	return (
		text
			// Terminal colors mean nothing in the report.
			// biome-ignore lint/suspicious/noControlCharactersInRegex: they start the removed sequences
			.replace(/\u001b\[[\d;:]*m/g, "")
			.replace(/\r\n?/g, "\n")
			.replace(
				// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are made visible
				/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g,
				(sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
			)
			.replace(/[\u2028\u2029]/g, "\n")
	);
}
