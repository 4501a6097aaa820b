// Values of an agent file's fields: texts and lists of words in every form that people write them. Pure.
import { describeNode, type Node, type Report, type Source } from "../definition/index.ts";

export interface ListWord {
	readonly text: string;
	/** Offset in the source. */
	readonly start: number;
}

/** More than anybody lists. Aliases can repeat a short list millions of times. */
const mostWords = 500;

/**
 * The words of a list: a YAML list (block or flow), one text with commas, or one without. Blanks alone separate words where there is no
 * comma and no word is in quotes: `read grep`. Nothing (`~`, an empty value) is an empty list; anything else is reported and left out, and
 * so is what comes after 500 words.
 */
export function readWordList(node: Node, key: string, source: Source, report: Report): ListWord[] {
	const words: ListWord[] = [];
	for (const word of wordsOf(node, key, source, report)) {
		if (words.length === mostWords) {
			report.error(source.place(node.start), {
				code: "too-many-words",
				message: `\`${key}\` lists more than ${mostWords} words.`,
				remedy: "List each word once.",
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
		// `tools: {read: true, write: false}`: the form of some other agents.
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
			message: `An entry of \`${key}\` is ${describeNode(item)} instead of a word, so it is ignored.`,
			remedy: "Write one word per entry.",
		});
}

/** The trimmed word; nothing for blanks. */
function word(text: string, start: number): readonly ListWord[] {
	const trimmed = text.trim();
	return trimmed === "" ? [] : [{ text: trimmed, start }];
}

/** A text of one field; `undefined` where there is none. A list of one text is that text. */
export function readText(node: Node): string | undefined {
	if (node.kind === "scalar")
		return node.value === null ? undefined : scalarText(node.value, node.written).trim() || undefined;
	const [only, ...rest] = node.kind === "list" ? node.items : [];
	return only && rest.length === 0 ? readText(only) : undefined;
}

/** `3` and `yes` are words where words are wanted: as written, not as YAML reads them. */
function scalarText(value: unknown, written: string): string {
	return typeof value === "string" ? value : written;
}

/** Splits at commas that stand outside parentheses: `Bash(git add:*, git commit:*), Read` has two parts. */
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
