// Repairs one frequent mistake in YAML: an unquoted string that contains `: `. Offsets refer to the parsed text.
import type { YAMLError } from "yaml";
import { quoted } from "./format.ts";
import type { Problem } from "./report.ts";

export interface Repair {
	/** The text with inner colons replaced by `standIn`; all offsets stay the same. */
	readonly text: string;
	/** One UTF-16 code unit that the original text does not contain. */
	readonly standIn: string;
	readonly warnings: readonly { readonly offset: number; readonly problem: Problem }[];
}

/** Matches `key: value` with an unquoted value; captures the key with its colon, and the value. */
const colonLine = /^([ \t]*(?:- +)*[^\s:#'"[\]{}&*!|>%@`,-][^:#\n]*:[ \t]+)([^\s'"[{&*!|>%@`#][^\n]*)$/;
const innerColon = /:(?=[ \t]|$)/g;

/**
 * Rewrites lines such as `description: Use when: asked`, which YAML rejects although only one reading makes sense.
 * `undefined` if no error is of that kind.
 */
export function hideInnerColons(text: string, flaws: readonly YAMLError[]): Repair | undefined {
	const standIn = ["\ue000", "\ue001", "\ue002"].find((unit) => !text.includes(unit));
	if (standIn === undefined) return undefined;
	let repaired = text;
	const warnings: Repair["warnings"][number][] = [];
	const lines = new Set<number>();
	for (const flaw of flaws) {
		if (!flaw.message.startsWith("Nested mappings")) continue;
		const start = text.lastIndexOf("\n", flaw.pos[0] - 1) + 1;
		const end = text.indexOf("\n", start);
		const line = text.slice(start, end === -1 ? text.length : end);
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
