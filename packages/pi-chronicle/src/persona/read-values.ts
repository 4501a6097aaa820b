// Reads field values of an agent file: strings and word lists in all common notations. Pure.
import { describeNode, type Node, type Report, type Source } from "@pi-chronicle/core/definition";

export interface ListWord {
	readonly text: string;
	/** Offset in the source. */
	readonly start: number;
}

/** A generous maximum. YAML aliases can repeat a short list millions of times. */
const maxWords = 500;

/**
 * Reads the words of a list: a YAML list (block or flow), a map of switches, or one string. A string is split at commas, semicolons, and line
 * breaks; without any of these and without parentheses, at spaces: `read grep`. A null value (`~`, an empty value) is an empty list. Other
 * entries, and everything after 500 words, are reported and omitted.
 */
export function readWordList(node: Node, key: string, source: Source, report: Report): ListWord[] {
	const words: ListWord[] = [];
	for (const word of wordsOf(node, key, source, report)) {
		if (words.length === maxWords) {
			report.error(source.place(node.start), {
				code: "too-many-words",
				message: `\`${key}\` lists more than ${maxWords} entries.`,
				remedy: "List each entry once.",
			});
			break;
		}
		words.push(word);
	}
	return words;
}

function* wordsOf(node: Node, key: string, source: Source, report: Report): Generator<ListWord> {
	if (node.kind === "list") {
		for (const item of node.items) yield* wordsOfItem(item, key, source, report);
		return;
	}
	if (node.kind === "map") {
		// `tools: {read: true, write: false}`, as some other agents write it.
		for (const [name, { value, keyStart }] of node.entries)
			if (!(value.kind === "scalar" && value.value === false)) yield { text: name.trim(), start: keyStart };
		return;
	}
	if (node.value === null) return;
	const text = scalarText(node.value, node.written);
	const parts = /[,;\n]/.test(text) ? splitOutside(text) : text.includes("(") ? [text] : text.split(/\s+/);
	for (const part of parts) yield* word(part, node.start);
}

function* wordsOfItem(item: Node, key: string, source: Source, report: Report): Generator<ListWord> {
	if (item.kind === "list") yield* wordsOf(item, key, source, report);
	else if (item.kind === "scalar" && item.value !== null) yield* word(scalarText(item.value, item.written), item.start);
	else if (item.kind === "map")
		report.warn(source.place(item.start), {
			code: "odd-word",
			message: `An entry of \`${key}\` is ${describeNode(item)} instead of a string, so it is ignored.`,
			remedy: "Write one string per entry.",
		});
}

/** The trimmed word; empty if it is blank. */
function word(text: string, start: number): readonly ListWord[] {
	const trimmed = text.trim();
	return trimmed === "" ? [] : [{ text: trimmed, start }];
}

/** The string of a field; `undefined` if it has none. A list with one string counts as that string. */
export function readText(node: Node): string | undefined {
	if (node.kind === "scalar")
		return node.value === null ? undefined : scalarText(node.value, node.written).trim() || undefined;
	const [only, ...rest] = node.kind === "list" ? node.items : [];
	return only && rest.length === 0 ? readText(only) : undefined;
}

/** Where words are expected, values such as `3` and `yes` keep their written form instead of their YAML type. */
function scalarText(value: unknown, written: string): string {
	return typeof value === "string" ? value : written;
}

/** Splits at separators outside parentheses: `Bash(git add:*, git commit:*), Read` has two parts. */
function splitOutside(text: string): string[] {
	const parts: string[] = [];
	let depth = 0;
	let from = 0;
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (character === "(") depth++;
		else if (character === ")") depth = Math.max(0, depth - 1);
		else if (depth === 0 && (character === "," || character === ";" || character === "\n")) {
			parts.push(text.slice(from, at));
			from = at + 1;
		}
	}
	return [...parts, text.slice(from)];
}
