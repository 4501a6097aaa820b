// From a word of shell text to the arguments it becomes: quotes, variables, substitutions, splitting, globs. In bash's own order.
// W1 every argument that the shell could make is among the alternatives, or a hole stands for it; W2 the walk order of substitutions is kept.
import { parse, type Word, type WordPart } from "unbash";
import type { HostEnvironment } from "../footprint.ts";
import { type FootprintRecord, footprintLimits } from "../record.ts";
import { bounded, combine, distinct, isKnown, UNKNOWN_VALUE } from "../text.ts";
import { expandBraces } from "./braces.ts";
import { compileGlob, escapeGlob, expandGlob, hasGlob, unescapeGlob } from "./globs.ts";
import { heldAll, heldTexts } from "./lists.ts";
import { BREAK, type ExpansionHost, piecesOfPart, type WordFragment } from "./pieces.ts";
import { lookUp, type State } from "./state.ts";

/** What expansion needs beside the state. */
export interface Expansion extends ExpansionHost {
	readonly host: HostEnvironment;
	readonly record: FootprintRecord;
}

/** The arguments that a word may become: alternatives of lists. There is at least one alternative. */
export function expandWord(word: Word, state: State, expansion: Expansion): readonly (readonly string[])[] {
	if (isTooIntricate(word)) return [[UNKNOWN_VALUE]];
	const { parts } = word;
	if (!parts) return [[plainText(word, state, expansion)]];
	if (parts.length > footprintLimits.parts || !expansion.record.spend(1 + parts.length / 2)) return [[UNKNOWN_VALUE]];
	if (parts.some((part) => part.type === "BraceExpansion")) {
		const expanded = expandBraced(word.text, state, expansion);
		return state.dialect === "bash" ? expanded : dedupe([...expanded, ...expandUnbraced(word, state, expansion)]);
	}
	const rows = combine(parts.map((part, index) => piecesOf(part, index, word, state, expansion)));
	if (!rows) return [[UNKNOWN_VALUE]];
	return argumentLists(rows, state, expansion);
}

/** Splits and globs each alternative of a word's pieces. */
function argumentLists(
	rows: readonly (readonly (readonly WordFragment[])[])[],
	state: State,
	expansion: Expansion,
): readonly (readonly string[])[] {
	const alternatives = rows.flatMap((row): readonly (readonly string[])[] => {
		const fields = split(row.flat(), state, expansion);
		if (fields === undefined) return [[UNKNOWN_VALUE]];
		const lists = fields.map((field) => globbed(field, state, expansion));
		return combine(lists)?.map((list) => list.flat()) ?? [[UNKNOWN_VALUE]];
	});
	return dedupe(heldAll(alternatives, expansion.record));
}

/** A long word of many expansions: the grammar alone takes too long over it. */
function isTooIntricate({ text }: Word): boolean {
	return text.length > 8192 && text.split("$").length > 100;
}

/** The single text that a word becomes where neither splitting nor globs apply: assignments, `case`, here-strings, `[[`. */
export function expandText(word: Word, state: State, expansion: Expansion): readonly string[] {
	if (isTooIntricate(word)) return [UNKNOWN_VALUE];
	const { parts } = word;
	if (!parts) return [plainText(word, state, expansion)];
	if (parts.length > footprintLimits.parts || !expansion.record.spend(1 + parts.length / 2)) return [UNKNOWN_VALUE];
	return joinParts(parts, word, state, expansion);
}

/** The text of a here-document's body. */
export function expandBody(parts: readonly WordPart[], state: State, expansion: Expansion): readonly string[] {
	return joinParts(parts, undefined, state, expansion);
}

/** A pattern (of `case`, `${x#…}`): active globs stay active, quoted characters are escaped. */
export function expandPattern(word: Word, state: State, expansion: Expansion): readonly string[] {
	const { parts } = word;
	if (!parts) return [escapeGlob(plainText(word, state, expansion))];
	const rows = combine(parts.map((part, index) => piecesOf(part, index, word, state, expansion)));
	if (!rows) return [UNKNOWN_VALUE];
	return distinct(rows.map((row) => bounded(row.flat().map(patternText).join(""))));
}

function joinParts(
	parts: readonly WordPart[],
	word: Word | undefined,
	state: State,
	expansion: Expansion,
): readonly string[] {
	const rows = combine(parts.map((part, index) => piecesOf(part, index, word, state, expansion)));
	if (!rows) return [UNKNOWN_VALUE];
	const texts = rows.map((row) =>
		bounded(
			row
				.flat()
				.map((piece) => (piece === BREAK ? " " : piece.text))
				.join(""),
		),
	);
	return distinct(heldTexts(texts, expansion.record));
}

function piecesOf(
	part: WordPart,
	index: number,
	word: Word | undefined,
	state: State,
	expansion: Expansion,
): readonly (readonly WordFragment[])[] {
	if (part.type === "Literal" && word) {
		const next = word.parts?.[index + 1];
		const tilde = expandTildes(part.text, part.value, index === 0, next === undefined, state, expansion);
		if (tilde !== undefined) return [[{ text: tilde, quoted: true }]];
	}
	return piecesOfPart(part, false, state, expansion);
}

function plainText(word: Word, state: State, expansion: Expansion): string {
	const { text } = word;
	if (!text.includes("~")) return word.value;
	return expandTildes(text, word.value, true, true, state, expansion) ?? word.value;
}

const tildeAtStart = /^~([\w.+-]*)(?=\/|$)/;
const tildeAfterAssignment = /^[A-Za-z_]\w*\+?=/;

/** A literal with its tildes expanded, at the start and, in what looks like an assignment, after `=` and `:`; `undefined` where there are none. */
function expandTildes(
	source: string,
	value: string,
	first: boolean,
	last: boolean,
	state: State,
	expansion: Expansion,
): string | undefined {
	if (!source.includes("~")) return undefined;
	const open = (text: string, rest: string): string | undefined => {
		const found = tildeAtStart.exec(text);
		// `~$x` and `~"x"`: the user's name is not all literal, so bash leaves it alone.
		if (!found || (found[0].length === text.length && !last)) return undefined;
		const home = homeOf(found[1] ?? "", state, expansion.host);
		return home === undefined ? undefined : home + rest.slice(found[0].length);
	};
	if (first && source.startsWith("~")) return open(source, value);
	const name = first ? tildeAfterAssignment.exec(source)?.[0] : undefined;
	if (!name || source.includes("\\")) return undefined;
	const parts = source.slice(name.length).split(":");
	return name + parts.map((part) => (part.startsWith("~") ? (open(part, part) ?? part) : part)).join(":");
}

function homeOf(user: string, state: State, host: HostEnvironment): string | undefined {
	if (user === "") {
		const home = lookUp(state, "HOME", host);
		const only = home?.kind === "text" && home.options.length === 1 ? home.options[0] : undefined;
		return only ?? UNKNOWN_VALUE;
	}
	if (user === "+") return state.cwd?.length === 1 ? state.cwd[0] : UNKNOWN_VALUE;
	if (user === "-") return UNKNOWN_VALUE;
	return state.elsewhere ? UNKNOWN_VALUE : host.homeOf(user);
}

function expandBraced(text: string, state: State, expansion: Expansion): readonly (readonly string[])[] {
	const words = expandBraces(text);
	if (!words || !expansion.record.spend(words.length)) return [[UNKNOWN_VALUE]];
	const lists = words.map((source): readonly (readonly string[])[] => {
		if (source === "") return [[]];
		if (/^[\w./@%+=:,-]+$/.test(source)) return [[source]];
		const statement = parse(`_ ${source}`).commands[0];
		const arg = statement?.command.type === "Command" ? statement.command.args[0] : undefined;
		if (arg?.type !== "Word") return [[UNKNOWN_VALUE]];
		if (arg.parts?.some((part) => part.type === "BraceExpansion")) return expandUnbraced(arg, state, expansion);
		return expandWord(arg, state, expansion);
	});
	const rows = combine(lists);
	return rows
		? dedupe(
				heldAll(
					rows.map((row) => row.flat()),
					expansion.record,
				),
			)
		: [[UNKNOWN_VALUE]];
}

/** A word in which the grammar still sees a brace group that expands to itself (`{a}`): its text is taken literally. */
function expandUnbraced(word: Word, state: State, expansion: Expansion): readonly (readonly string[])[] {
	const rows = combine(
		(word.parts ?? []).map((part, index): readonly (readonly WordFragment[])[] =>
			part.type === "BraceExpansion"
				? [[{ text: part.text, quoted: true }]]
				: piecesOf(part, index, word, state, expansion),
		),
	);
	return rows ? argumentLists(rows, state, expansion) : [[UNKNOWN_VALUE]];
}

function dedupe(alternatives: readonly (readonly string[])[]): readonly (readonly string[])[] {
	if (alternatives.length === 1) return alternatives;
	return [...new Map(alternatives.map((list) => [list.join("\u0001"), list])).values()];
}

/** One argument in the making: its text, and its pattern with everything quoted escaped. */
interface Field {
	readonly text: string;
	readonly pattern: string;
}

function patternText(piece: WordFragment): string {
	if (piece === BREAK) return " ";
	return piece.quoted ? escapeGlob(piece.text) : piece.text;
}

/** Splits pieces into fields: at breaks, and in unquoted expansions at the characters of `IFS`; `undefined` where that is too much. */
function split(pieces: readonly WordFragment[], state: State, expansion: Expansion): readonly Field[] | undefined {
	const fields: Field[] = [];
	let open: { text: string; pattern: string } | undefined;
	const close = () => {
		if (open) fields.push({ text: bounded(open.text), pattern: open.pattern });
		open = undefined;
	};
	const add = (text: string, pattern: string) => {
		open = open ? { text: open.text + text, pattern: open.pattern + pattern } : { text, pattern };
	};
	let ifs: string | undefined;
	for (const piece of pieces) {
		if (piece === BREAK) close();
		else if (piece.quoted || piece.active) add(piece.text, patternText(piece));
		else {
			ifs ??= separators(state, expansion.host);
			// Every field is a word of its own to glob and to combine: a long text costs more than its reading.
			if (piece.text.length > 200 && !expansion.record.spend(piece.text.length / 8)) return undefined;
			if (ifs === UNKNOWN_VALUE) add(UNKNOWN_VALUE, UNKNOWN_VALUE);
			else splitText(piece.text, ifs, add, close);
			if (fields.length > footprintLimits.words) return undefined;
		}
	}
	close();
	return fields;
}

function separators(state: State, host: HostEnvironment): string {
	const value = lookUp(state, "IFS", host);
	if (!value) return " \t\n";
	return value.kind === "text" && value.options.length === 1 ? (value.options[0] ?? UNKNOWN_VALUE) : UNKNOWN_VALUE;
}

function splitText(text: string, ifs: string, add: (text: string, pattern: string) => void, close: () => void): void {
	let start = 0;
	let afterSeparator = false;
	for (let at = 0; at <= text.length; at++) {
		const char = text[at];
		if (char !== undefined && !ifs.includes(char)) continue;
		if (at > start) {
			const part = text.slice(start, at);
			add(part, part);
		} else if (char !== undefined && !/\s/.test(char) && (afterSeparator || at === 0)) add("", "");
		if (char !== undefined) close();
		afterSeparator = char !== undefined && !/\s/.test(char);
		start = at + 1;
	}
}

/** The paths that match a field, as alternatives of lists. Where that cannot be told, its globs become holes. */
function globbed(field: Field, state: State, expansion: Expansion): readonly (readonly string[])[] {
	if (!hasGlob(field.pattern)) return [[field.text]];
	const cwd = field.text.startsWith("/") ? "/" : state.cwd?.length === 1 ? state.cwd[0] : undefined;
	const plain = !state.elsewhere && state.globbing === "plain" && isKnown(field.text) && field.text.length <= 4096;
	const found = cwd !== undefined && plain ? expandGlob(field.pattern, cwd, expansion.record) : undefined;
	if (!found) return [[holed(field.pattern, expansion.record)]];
	if (found.length === 0) return [[field.text]];
	// Before its version 5.2, bash found `.` and `..` too.
	const named = found.filter((path) => !/(^|\/)\.{1,2}$/.test(path));
	if (named.length === found.length) return [found];
	return [named.length > 0 ? named : [field.text], found];
}

/** The pattern as a text in which every active glob is a hole. */
function holed(pattern: string, record: FootprintRecord): string {
	// A glob in the last segment alone finds names in a known directory.
	const slash = pattern.lastIndexOf("/") + 1;
	const [folder, name] = [pattern.slice(0, slash), pattern.slice(slash)];
	const plain = isKnown(pattern) && !hasGlob(folder) && !/^-|[\\=]|\[:/.test(name);
	if (plain && ![".", ".."].some(compileGlob(name))) return unescapeGlob(folder) + record.found({ only: [name] });
	let text = "";
	for (let at = 0; at < pattern.length; at++) {
		const char = pattern[at] ?? "";
		if (char === "\\" && at + 1 < pattern.length) text += pattern[++at];
		else if (char === "*" || char === "?") text += UNKNOWN_VALUE;
		else if (char === "[") {
			const end = pattern.indexOf("]", at + 2);
			text += end < 0 ? char : UNKNOWN_VALUE;
			if (end >= 0) at = end;
		} else text += char;
	}
	return text.replaceAll(UNKNOWN_VALUE + UNKNOWN_VALUE, UNKNOWN_VALUE);
}
