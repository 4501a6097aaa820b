// Rewords errors of the YAML parser for the author of the file, and repairs one frequent mistake: an unquoted string that contains `: `.
// Offsets refer to the parsed text.
import { type Document, isMap, isScalar, isSeq } from "yaml";
import { quoted } from "./format.ts";
import type { Problem } from "./report.ts";

export interface Explained {
	readonly offset: number;
	readonly severity: "error" | "warning";
	readonly problem: Problem;
}

interface Flaw {
	readonly code: string;
	readonly message: string;
	readonly pos: readonly [number, number];
}

export interface Repair {
	/** The text with inner colons replaced by `standIn`; all offsets stay the same. */
	readonly text: string;
	/** One UTF-16 code unit that the original text does not contain. */
	readonly standIn: string;
	readonly warnings: readonly { readonly offset: number; readonly problem: Problem }[];
}

/** The reworded errors and warnings of a parsed document, at most one per line. */
export function explainYaml(text: string, document: Document): Explained[] {
	const explained: Explained[] = [];
	const seen = new Set<number>();
	const tell = (flaw: Flaw, severity: Explained["severity"]): void => {
		const offset = flaw.message.startsWith("Missing closing") ? openingQuote(document, flaw.pos[0]) : flaw.pos[0];
		const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
		if (seen.has(lineStart)) return;
		seen.add(lineStart);
		explained.push({ offset, severity, problem: explain(text, flaw, lineStart) });
	};
	for (const flaw of document.errors) tell(flaw, "error");
	for (const flaw of document.warnings) tell(flaw, "warning");
	return explained;
}

/** Matches `key: value` with an unquoted value; captures the key with its colon, and the value. */
const colonLine = /^([ \t]*(?:- +)*[^\s:#'"[\]{}&*!|>%@`,-][^:#\n]*:[ \t]+)([^\s'"[{&*!|>%@`#][^\n]*)$/;
const innerColon = /:(?=[ \t]|$)/g;

/**
 * Rewrites lines such as `description: Use when: asked`, which YAML rejects although only one reading makes sense.
 * `undefined` if no error is of that kind.
 */
export function hideInnerColons(text: string, flaws: readonly Flaw[]): Repair | undefined {
	const standIn = ["\ue000", "\ue001", "\ue002"].find((unit) => !text.includes(unit));
	if (standIn === undefined) return undefined;
	let repaired = text;
	const warnings: Repair["warnings"][number][] = [];
	const lines = new Set<number>();
	for (const flaw of flaws) {
		if (!isNestedMapping(flaw)) continue;
		const start = text.lastIndexOf("\n", flaw.pos[0] - 1) + 1;
		const line = lineAt(text, start);
		const parts = colonLine.exec(line);
		const [, key = "", value = ""] = parts ?? [];
		if (lines.has(start) || !parts || !/:(?=[ \t]|$)/.test(value)) continue;
		lines.add(start);
		const hidden = key + value.replace(innerColon, standIn);
		repaired = repaired.slice(0, start) + hidden + repaired.slice(start + line.length);
		warnings.push({
			offset: start + key.length,
			problem: {
				code: "unquoted-colon",
				message: `The value ${quoted(value)} contains a colon but has no quotes; it is read as one string.`,
				remedy: "Put the value in quotes: other YAML readers reject the line.",
			},
		});
	}
	return lines.size > 0 ? { text: repaired, standIn, warnings } : undefined;
}

/** Problems that do not depend on the line, by the parser's error code. */
const fixedProblems: Readonly<Record<string, Problem>> = {
	TAB_AS_INDENT: {
		code: "tab-indent",
		message: "The line is indented with a tab.",
		remedy: "Indent with spaces: YAML forbids tabs.",
	},
	BAD_ALIAS: {
		code: "needs-quotes",
		message: "In YAML, a leading `*` or `&` has a special meaning.",
		remedy: "Put the value in quotes.",
	},
	MULTIPLE_DOCS: {
		code: "second-document",
		message: "A line `---` starts a second document here.",
		remedy: "Remove that line; a file contains one document.",
	},
	RESOURCE_EXHAUSTION: {
		code: "too-deep",
		message: "Lists and objects are nested too deeply.",
		remedy: "Reduce the nesting.",
	},
};

function explain(text: string, flaw: Flaw, lineStart: number): Problem {
	const line = lineAt(text, lineStart);
	return (
		fixedProblems[flaw.code] ??
		explainFlaw(text, flaw, line) ?? {
			code: "yaml",
			message: `Invalid YAML: ${lowerFirst(flaw.message.replace(/\s+/g, " "))}.`,
			remedy: "Compare the line and the one before it with the examples in the documentation.",
		}
	);
}

function explainFlaw(text: string, flaw: Flaw, line: string): Problem | undefined {
	const value = quoted(text.slice(flaw.pos[0], Math.max(flaw.pos[1], flaw.pos[0] + 1)));
	switch (flaw.code) {
		case "UNEXPECTED_TOKEN":
			return unexpectedToken(flaw, line);
		case "BLOCK_AS_IMPLICIT_KEY":
			return nestedBlock(flaw, line);
		case "BAD_INDENT":
			if (!flaw.message.startsWith("Flow")) return undefined;
			return {
				code: "unclosed",
				message: `A ${flaw.message.startsWith("Flow map") ? "`{`" : "`[`"} before this position is not closed.`,
				remedy: "Close it, and indent every line inside it deeper than its key.",
			};
		case "MISSING_CHAR":
			if (flaw.message.startsWith("Missing closing"))
				return { code: "unclosed-quote", message: "The quote that starts here is never closed.", remedy: "Close it." };
			return noColon(line, `The line ${quoted(line)} is not a \`key: value\` pair.`);
		case "MULTILINE_IMPLICIT_KEY":
			return noColon(line, `The line ${quoted(line)} has no colon, so it continues in the next line.`);
		case "BAD_SCALAR_START":
			return needsQuotes(value);
		case "BAD_DQ_ESCAPE":
			return {
				code: "bad-escape",
				message: `The backslash in ${quoted(line)} starts no known escape sequence.`,
				remedy: "Use single quotes, or write two backslashes.",
			};
		case "TAG_RESOLVE_FAILED":
			return {
				code: "unknown-tag",
				message: `The tag ${value} has no effect; its value is read literally.`,
				remedy: "Remove the tag, or put the value in quotes if it starts with `!`.",
			};
		default:
			return undefined;
	}
}

function unexpectedToken(flaw: Flaw, line: string): Problem | undefined {
	if (flaw.message.includes("block-seq-ind on same line")) return listOnOneLine(line);
	if (!/^[^:]*:[ \t]+["'[{]/.test(line)) return undefined;
	return {
		code: "needs-quotes",
		message: `Nothing may follow a quoted string, a list or an object on its line: ${quoted(line)}.`,
		remedy: "Quote everything after the colon, or remove what follows.",
	};
}

function nestedBlock(flaw: Flaw, line: string): Problem {
	if (/:[ \t]+\?([ \t]|$)/.test(line)) return needsQuotes("`?`");
	if (isNestedMapping(flaw) && /:[ \t]+\S.*:([ \t]|$)/.test(line))
		return {
			code: "unquoted-colon",
			message: `A value with a colon needs quotes: ${quoted(line)}.`,
			remedy: 'Quote everything after the first colon: `key: "some: text"`.',
		};
	return {
		code: "bad-indent",
		message: "The indentation of the lines below this one matches no entry.",
		remedy: "Indent the entries of one level by the same number of spaces, deeper than their key.",
	};
}

/** Characters that look like a space or a colon but are neither in YAML. */
const lookalike = /[\u00a0\u2000-\u200b\u202f\u205f\u3000\ufe55\uff1a]/;

function noColon(line: string, message: string): Problem {
	const remedy =
		"Put a colon and a space after the key; for a value of several lines, write `key: |` and indent the lines.";
	if (!lookalike.test(line)) return { code: "no-colon", message, remedy };
	return {
		code: "no-colon",
		message: `The line ${quoted(line)} contains a character that only looks like a colon or a space.`,
		remedy: "Retype the colon and the spaces of the line.",
	};
}

function needsQuotes(start: string): Problem {
	return {
		code: "needs-quotes",
		message: `A value that starts with ${start} needs quotes.`,
		remedy: "Put the value in quotes.",
	};
}

function listOnOneLine(line: string): Problem {
	const [, key = "key", rest = ""] = /^[ \t-]*([^:]*):[ \t]*-[ \t]*(.*)$/.exec(line) ?? [];
	const items = rest
		.split(/[ \t]+-[ \t]+/)
		.map((item) => item.trim())
		.filter((item) => item !== "");
	return {
		code: "list-on-one-line",
		message: `A list with dashes cannot start on the line of its key ${quoted(key)}.`,
		remedy: `Write ${quoted(`${key}: [${items.join(", ")}]`, 120)}, or put each item on a separate line below the key.`,
	};
}

function isNestedMapping(flaw: Flaw): boolean {
	return flaw.code === "BLOCK_AS_IMPLICIT_KEY" && flaw.message.startsWith("Nested mappings");
}

function lineAt(text: string, start: number): string {
	const end = text.indexOf("\n", start);
	return end === -1 ? text.slice(start) : text.slice(start, end);
}

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Offset of the unclosed quoted string, which is the last one of the document; `otherwise` if none is found. */
function openingQuote(document: Document, otherwise: number): number {
	let at: number | undefined;
	let node: unknown = document.contents;
	while (node) {
		if (isScalar(node)) {
			if (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE") at = node.range?.[0];
			break;
		}
		const last: unknown = isSeq(node) || isMap(node) ? node.items.at(-1) : undefined;
		node = isMap(node) ? ((last as { value: unknown; key: unknown } | undefined)?.value ?? null) : last;
	}
	return at ?? otherwise;
}
