// A fast way through the YAML that most files consist of: `key: word` lines, quoted texts without escapes, block lists of those and
// groups of those. Anything else, a mistake above all, is left to the real parser by giving up.
// Q1 where this gives a tree, the real parser gives the same tree and has nothing to say; a property test compares the two.
import type { ListNode, MapEntry, MapNode, Node, ScalarNode } from "./node.ts";

interface Line {
	readonly indent: number;
	/** Offset of the first character that is no space, and the one behind the last. */
	readonly start: number;
	readonly content: string;
}

const keyed = /^([A-Za-z_][A-Za-z0-9_-]*):(?: +(.+))?$/;
const item = /^-( +)([^-\s].*)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what the real parser has to look at.
const doubleQuoted = /^"([^"\\\u0000-\u001f\u007f-\u00a0\ufeff]*)"$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const singleQuoted = /^'([^'\u0000-\u001f\u007f-\u00a0\ufeff]*)'$/;
const plain = /^(?:[A-Za-z_]|\.{1,2}\/)[A-Za-z0-9_ .,/()+=!?;&'"*%@-]*$/;
const whole = /^(?:0|[1-9][0-9]{0,9})$/;
const mostLevels = 4;

/** The tree of `text`, which begins at offset `base` of its source; `undefined` where it is not of the simple kind. */
export function parseSimpleYaml(text: string, base: number): MapNode | undefined {
	const lines = linesOf(text, base);
	if (!lines || lines.length === 0) return undefined;
	let next = 0;

	const map = (indent: number, level: number): MapNode | undefined => {
		if (level > mostLevels) return undefined;
		const entries = new Map<string, MapEntry>();
		const { start } = lines[next] ?? { start: base };
		let end = start;
		for (let line = lines[next]; line && line.indent >= indent; line = lines[next]) {
			const parts = line.indent === indent ? keyed.exec(line.content) : null;
			const [, key = "", written] = parts ?? [];
			if (!parts || entries.has(key)) return undefined;
			next += 1;
			const value =
				written === undefined
					? below(indent, level)
					: scalar(written, line.start + line.content.length - written.length);
			if (!value) return undefined;
			entries.set(key, { keyStart: line.start, value });
			end = value.end;
		}
		return { kind: "map", entries, start, end };
	};

	/** What belongs to a key without a value on its line. */
	const below = (indent: number, level: number): Node | undefined => {
		const line = lines[next];
		if (!line || line.indent < indent) return undefined;
		if (line.content.startsWith("-")) return list(line.indent);
		return line.indent > indent ? map(line.indent, level + 1) : undefined;
	};

	const list = (indent: number): ListNode | undefined => {
		const items: ScalarNode[] = [];
		const { start } = lines[next] ?? { start: base };
		for (let line = lines[next]; line && line.indent >= indent; line = lines[next]) {
			const parts = line.indent === indent ? item.exec(line.content) : null;
			if (!parts) {
				// The list may stand at the indentation of its key; then the next key ends it.
				if (line.indent === indent && keyed.test(line.content)) break;
				return undefined;
			}
			const [, gap = "", written = ""] = parts;
			const value = scalar(written, line.start + 1 + gap.length);
			if (!value) return undefined;
			items.push(value);
			next += 1;
		}
		return { kind: "list", items, start, end: items.at(-1)?.end ?? start };
	};

	const root = lines[0]?.indent === 0 ? map(0, 1) : undefined;
	return root && next === lines.length ? root : undefined;
}

/** The lines that are neither blank nor comments; `undefined` where a tab is. */
function linesOf(text: string, base: number): Line[] | undefined {
	if (text.includes("\t")) return undefined;
	const lines: Line[] = [];
	for (let from = 0; from < text.length; ) {
		const found = text.indexOf("\n", from);
		const to = found === -1 ? text.length : found;
		let first = from;
		while (first < to && text.charCodeAt(first) === 32) first += 1;
		let last = to;
		while (last > first && text.charCodeAt(last - 1) === 32) last -= 1;
		if (last > first && text.charCodeAt(first) !== 35)
			lines.push({ indent: first - from, start: base + first, content: text.slice(first, last) });
		from = to + 1;
	}
	return lines;
}

function scalar(written: string, start: number): ScalarNode | undefined {
	const end = start + written.length;
	const quoted = doubleQuoted.exec(written) ?? singleQuoted.exec(written);
	if (quoted) return { kind: "scalar", value: quoted[1] ?? "", written: quoted[1] ?? "", start, end };
	if (whole.test(written)) return { kind: "scalar", value: Number(written), written, start, end };
	if (!plain.test(written)) return undefined;
	switch (written.toLowerCase()) {
		case "true":
		case "false":
		case "null":
			if (written !== "true" && written !== "false") return undefined;
			return { kind: "scalar", value: written === "true", written, start, end };
	}
	return { kind: "scalar", value: written, written, start, end };
}
