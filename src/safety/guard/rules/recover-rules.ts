// Recovers rules line by line from a rule file that is not valid YAML, so that one wrong line does not disable the others.
// Invariants: only rules that forbid are recovered; the file still counts as unreadable.
import { type Node, openReport, type Source } from "../../../definition/index.ts";
import { readKey } from "./keys.ts";
import { readCommandRules, readPathRules } from "./read-lists.ts";
import type { RuleTarget } from "./rule-set-builder.ts";

interface Item {
	readonly text: string;
	/** Offset of its line: a rule's origin names no column. */
	readonly start: number;
}

const MAX_LINES = 20_000;

/** Reads lists of expressions and paths from the lines that look like entries. */
export function recoverRules(source: Source, platform: string, into: RuleTarget): void {
	for (const { key, items } of listsOf(source.text)) {
		const known = readKey(key);
		if (!known || items.length === 0) continue;
		// The problems of the file have been reported already.
		const reading = { source, report: openReport(), path: key, platform };
		const value = listOf(items);
		if (known.meaning.kind === "commands") readCommandRules(value, known.meaning.decision, reading, into);
		else if (known.meaning.kind === "paths") readPathRules(value, known.meaning, reading, into);
		else if (known.meaning.kind === "path-group")
			readPathRules(value, { kind: "paths", limit: "read-only", decision: "deny" }, reading, into);
	}
}

/** Top-level keys with the entries below them. */
function listsOf(text: string): { readonly key: string; readonly items: readonly Item[] }[] {
	const lists: { key: string; items: Item[] }[] = [];
	let offset = 0;
	for (const line of text.split("\n").slice(0, MAX_LINES)) {
		const [, key, rest = ""] = /^["']?([A-Za-z$][\w-]*)["']?\s*:(.*)$/.exec(line) ?? [];
		if (key !== undefined) lists.push({ key, items: inlineItems(rest, offset) });
		else {
			const [, entry] = /^\s*-\s+(.*)$/.exec(line) ?? [];
			const item = entry === undefined ? undefined : itemOf(entry, offset);
			if (item) lists.at(-1)?.items.push(item);
		}
		offset += line.length + 1;
	}
	return lists;
}

/** `key: [a, "b"]`, closed or not. */
function inlineItems(text: string, start: number): Item[] {
	const inner = /^\s*\[(.*)$/.exec(text)?.[1];
	return inner === undefined
		? []
		: inner
				.replace(/\]\s*(?:#.*)?$/, "")
				.split(",")
				.flatMap((part) => itemOf(part, start) ?? []);
}

/** One entry: a string, in quotes or not, or the field of a rule that contains it. */
function itemOf(entry: string, start: number): Item | undefined {
	const field = /^\s*\{?\s*["']?(?:pattern|path|regex|glob|command)["']?\s*:\s*(.*)$/.exec(entry)?.[1];
	// Another field of a rule, such as its reason, is not an entry.
	if (field === undefined && /^\s*\{?\s*\w+\s*:\s/.test(entry)) return undefined;
	const written = (field ?? entry).trim();
	const quoted = /^'((?:[^']|'')*)'/.exec(written)?.[1]?.replaceAll("''", "'") ?? doubleQuoted(written);
	const text = (quoted ?? written.replace(/\s+#.*$/, "").replace(/^["'`]|["'`]$/g, "")).trim();
	return text === "" || text === "~" || text === "null" ? undefined : { text, start };
}

function doubleQuoted(written: string): string | undefined {
	const inner = /^"((?:[^"\\]|\\.)*)"/.exec(written)?.[1];
	// A backslash that starts no YAML escape sequence makes the file invalid; here it is literal.
	return inner?.replace(/\\(["\\/])/g, "$1");
}

function listOf(items: readonly Item[]): Node {
	const [first] = items;
	const start = first?.start ?? 0;
	return {
		kind: "list",
		items: items.map(({ text, start: at }) => ({ kind: "scalar", value: text, written: text, start: at, end: at })),
		start,
		end: start,
	};
}
