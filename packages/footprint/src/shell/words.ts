// Turns a word of shell text into arguments: braces, expansions, splitting, globs, in bash's order.
// Every argument that the shell could produce is among the alternatives, or a placeholder represents it; substitutions are walked in
// the order of execution.
import { parse, type Word } from "unbash";
import { type FootprintRecord, footprintLimits } from "../record.ts";
import { bounded, combine, isKnown, UNKNOWN_VALUE } from "../text.ts";
import { expandBraces } from "./braces.ts";
import { BREAK, type Expansion, type Fragments } from "./expansion.ts";
import { fragmentsInWord, partsToExpand, patternText, plainText } from "./fragments.ts";
import { compileGlob, expandGlob, hasGlob, unescapeGlob } from "./globs.ts";
import { boundedLists } from "./lists.ts";
import { lookUp } from "./state.ts";

/** Alternatives of argument lists; there is at least one. */
export type ArgumentLists = readonly (readonly string[])[];

const unknownList: ArgumentLists = [[UNKNOWN_VALUE]];

/** The arguments that a word may become. */
export function expandWord(word: Word, expansion: Expansion): ArgumentLists {
	const parts = partsToExpand(word, expansion);
	if (parts === "too many") return unknownList;
	if (!parts) return [[plainText(word, expansion)]];
	if (parts.some((part) => part.type === "BraceExpansion")) {
		const expanded = expandBraced(word.text, expansion);
		if (expansion.state.dialect === "bash") return expanded;
		return distinctLists([...expanded, ...expandUnbraced(word, expansion)]);
	}
	return argumentLists(combine(parts.map((part, index) => fragmentsInWord(part, index, word, expansion))), expansion);
}

/** Splits and globs each alternative of a word's fragments; `rows` is `undefined` if there are too many. */
function argumentLists(rows: readonly (readonly Fragments[])[] | undefined, expansion: Expansion): ArgumentLists {
	if (!rows) return unknownList;
	const alternatives = rows.flatMap((row): ArgumentLists => {
		const fields = split(row.flat(), expansion);
		if (fields === undefined) return unknownList;
		const lists = fields.map((field) => globbed(field, expansion));
		return combine(lists)?.map((list) => list.flat()) ?? unknownList;
	});
	return distinctLists(boundedLists(alternatives, expansion.record));
}

function expandBraced(text: string, expansion: Expansion): ArgumentLists {
	const words = expandBraces(text);
	if (!words) expansion.record.overflow("more words than can be judged");
	if (!words || !expansion.record.spend(words.length)) return unknownList;
	const rows = combine(words.map((source) => expandSource(source, expansion)));
	if (!rows) return unknownList;
	const lists = rows.map((row) => row.flat());
	return distinctLists(boundedLists(lists, expansion.record));
}

/** Expands the text of one word that brace expansion made. */
function expandSource(source: string, expansion: Expansion): ArgumentLists {
	if (source === "") return [[]];
	if (/^[\w./@%+=:,-]+$/.test(source)) return [[source]];
	const statement = parse(`_ ${source}`).commands[0];
	const word = statement?.command.type === "Command" ? statement.command.args[0] : undefined;
	if (word?.type !== "Word") return unknownList;
	const braced = word.parts?.some((part) => part.type === "BraceExpansion");
	return braced ? expandUnbraced(word, expansion) : expandWord(word, expansion);
}

/** A word in which the grammar still sees a brace group that expands to itself (`{a}`): its text is taken literally. */
function expandUnbraced(word: Word, expansion: Expansion): ArgumentLists {
	const rows = combine(
		(word.parts ?? []).map((part, index): readonly Fragments[] =>
			part.type === "BraceExpansion"
				? [[{ text: part.text, quoted: true }]]
				: fragmentsInWord(part, index, word, expansion),
		),
	);
	return argumentLists(rows, expansion);
}

function distinctLists(alternatives: ArgumentLists): ArgumentLists {
	if (alternatives.length === 1) return alternatives;
	return [...new Map(alternatives.map((list) => [list.join("\u0001"), list])).values()];
}

/** One argument before globbing: its text, and its pattern with everything quoted escaped. */
interface Field {
	readonly text: string;
	readonly pattern: string;
}

/** The fields of a word while they are split: those that are complete, and the open one. */
class FieldSplitter {
	readonly fields: Field[] = [];
	private open: { text: string; pattern: string } | undefined;

	add(text: string, pattern: string): void {
		this.open = this.open ? { text: this.open.text + text, pattern: this.open.pattern + pattern } : { text, pattern };
	}

	close(): void {
		if (this.open) this.fields.push({ text: bounded(this.open.text), pattern: this.open.pattern });
		this.open = undefined;
	}

	/** Splits unquoted text at the characters of `ifs`: blanks collapse, other separators delimit empty fields. */
	addSplit(text: string, ifs: string): void {
		let start = 0;
		let afterSeparator = false;
		for (let at = 0; at <= text.length; at++) {
			const char = text[at];
			if (char !== undefined && !ifs.includes(char)) continue;
			const separates = char !== undefined && !/\s/.test(char);
			if (at > start) {
				const part = text.slice(start, at);
				this.add(part, part);
			} else if (separates && (afterSeparator || at === 0)) this.add("", "");
			if (char !== undefined) this.close();
			afterSeparator = separates;
			start = at + 1;
		}
	}
}

/** Splits fragments into fields: at breaks, and in unquoted expansions at the characters of `IFS`; `undefined` if there are too many. */
function split(fragments: Fragments, expansion: Expansion): readonly Field[] | undefined {
	const splitter = new FieldSplitter();
	let ifs: string | undefined;
	for (const fragment of fragments) {
		if (fragment === BREAK) splitter.close();
		else if (fragment.quoted || fragment.active) splitter.add(fragment.text, patternText(fragment));
		else {
			ifs ??= separators(expansion);
			if (!splitUnquoted(splitter, fragment.text, ifs, expansion)) return undefined;
		}
	}
	splitter.close();
	return splitter.fields;
}

/** False if the fields become too many or cost too much. */
function splitUnquoted(splitter: FieldSplitter, text: string, ifs: string, { record }: Expansion): boolean {
	// Every field is globbed and combined separately: a long text costs more than reading it.
	if (text.length > 200 && !record.spend(text.length / 8)) return false;
	if (ifs === UNKNOWN_VALUE) splitter.add(UNKNOWN_VALUE, UNKNOWN_VALUE);
	else splitter.addSplit(text, ifs);
	return splitter.fields.length <= footprintLimits.words;
}

function separators({ state, host }: Expansion): string {
	const value = lookUp(state, "IFS", host);
	if (!value) return " \t\n";
	return value.kind === "text" && value.options.length === 1 ? (value.options[0] ?? UNKNOWN_VALUE) : UNKNOWN_VALUE;
}

/** The paths that match a field, as alternatives of lists; with placeholders for its globs if the disk gives no answer. */
function globbed(field: Field, { state, record }: Expansion): ArgumentLists {
	if (!hasGlob(field.pattern)) return [[field.text]];
	const cwd = field.text.startsWith("/") ? "/" : state.cwd?.length === 1 ? state.cwd[0] : undefined;
	const plain = !state.elsewhere && state.globbing === "plain" && isKnown(field.text) && field.text.length <= 4096;
	const found = cwd !== undefined && plain ? expandGlob(field.pattern, cwd, record) : undefined;
	if (!found) return [[unresolvedGlob(field.pattern, record)]];
	if (found.length === 0) return [[field.text]];
	// Before its version 5.2, bash found `.` and `..` too.
	const named = found.filter((path) => !/(^|\/)\.{1,2}$/.test(path));
	if (named.length === found.length) return [found];
	return [named.length > 0 ? named : [field.text], found];
}

/** The pattern as text, with a placeholder for every active glob. */
function unresolvedGlob(pattern: string, record: FootprintRecord): string {
	// A glob in the last segment alone finds names in a known directory.
	const slash = pattern.lastIndexOf("/") + 1;
	const [folder, name] = [pattern.slice(0, slash), pattern.slice(slash)];
	const plain = isKnown(pattern) && !hasGlob(folder) && !/^-|[\\=]|\[:/.test(name);
	if (plain && ![".", ".."].some(compileGlob(name))) return unescapeGlob(folder) + record.found({ only: [name] });
	const text = pattern.replace(/\\(.)|[*?]|\[.[^\]]*\]/gs, (_glob, escaped?: string) => escaped ?? UNKNOWN_VALUE);
	return text.replaceAll(UNKNOWN_VALUE + UNKNOWN_VALUE, UNKNOWN_VALUE);
}
