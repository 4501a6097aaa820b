// Expands the parts of a word into fragments: pieces of text that know whether they were quoted, and breaks between arguments.
// Splitting, globbing and braces come after this, in `words.ts`.
import { parse, type Word, type WordPart } from "unbash";
import { footprintLimits } from "../record.ts";
import { bounded, combine, distinct, UNKNOWN_VALUE, unmarked } from "../text.ts";
import { evaluateExpression } from "./evaluated-text.ts";
import {
	BREAK,
	type Expansion,
	type Fragment,
	type Fragments,
	unknownFragment,
	type WordExpansion,
} from "./expansion.ts";
import { escapeGlob } from "./globs.ts";
import { boundedTexts } from "./lists.ts";
import { expandParameter, parameterFragments } from "./parameter-expansion.ts";
import { lookUp } from "./state.ts";

/** The single text of a word to which neither splitting nor globs apply: assignments, `case`, here-strings, `[[`. */
export function expandText(word: Word, expansion: Expansion): readonly string[] {
	const parts = partsToExpand(word, expansion);
	if (parts === "too many") return [UNKNOWN_VALUE];
	if (!parts) return [plainText(word, expansion)];
	return joinParts(parts, word, expansion);
}

/** The text of a here-document's body. */
export function expandBody(parts: readonly WordPart[], expansion: Expansion): readonly string[] {
	return joinParts(parts, undefined, expansion);
}

/** Expands a known or partly known text as if it stood in double quotes; returns what it may become. */
export function expandAgain(text: string, expansion: Expansion): readonly string[] {
	// A backslash only delays an expansion.
	const plain = text.replaceAll(END, "").replaceAll("\\", "");
	const [statement] = parse(`: <<${END}\n${plain}\n${END}`).commands;
	const [document] = statement?.command.type === "Command" ? statement.command.redirects : [];
	const parts = document?.type === "HereDoc" ? document.body.parts : undefined;
	return parts ? expandBody(parts, expansion).map((each) => each.replace(/\n$/, "")) : [plain];
}

/** Ends a here-document: a character that its text does not contain. */
const END = "\u0001";

/** A pattern (of `case`, `${x#…}`): active globs stay active, quoted characters are escaped. */
export function expandPattern(word: Word, expansion: Expansion): readonly string[] {
	const { parts } = word;
	if (!parts) return [escapeGlob(plainText(word, expansion))];
	const rows = combine(parts.map((part, index) => fragmentsInWord(part, index, word, expansion)));
	if (!rows) return [UNKNOWN_VALUE];
	return distinct(rows.map((row) => bounded(row.flat().map(patternText).join(""))));
}

/** The text of a word without parts. */
export function plainText(word: Word, expansion: Expansion): string {
	const { text } = word;
	if (!text.includes("~")) return word.value;
	return expandTildes({ source: text, value: word.value, first: true, last: true }, expansion) ?? word.value;
}

/** A fragment as a pattern: everything quoted is escaped. */
export function patternText(fragment: Fragment): string {
	if (fragment === BREAK) return " ";
	return fragment.quoted ? escapeGlob(fragment.text) : fragment.text;
}

/** The parts of a word, if there are not more than can be judged; the record overflows otherwise. */
export function partsToExpand(word: Word, { record }: Expansion): readonly WordPart[] | "too many" | undefined {
	// Long and full of expansions: the grammar alone takes too long for it.
	const isIntricate = word.text.length > 8192 && word.text.split("$").length > 100;
	const parts = isIntricate ? undefined : word.parts;
	if (isIntricate || (parts && parts.length > footprintLimits.parts)) {
		record.overflow("a word of more parts than can be judged");
		return "too many";
	}
	return parts && !record.spend(1 + parts.length / 2) ? "too many" : parts;
}

function joinParts(parts: readonly WordPart[], word: Word | undefined, expansion: Expansion): readonly string[] {
	const rows = combine(parts.map((part, index) => fragmentsInWord(part, index, word, expansion)));
	if (!rows) return [UNKNOWN_VALUE];
	const texts = rows.map((row) => {
		const fragments = row.flat().map((fragment) => (fragment === BREAK ? " " : fragment.text));
		return bounded(fragments.join(""));
	});
	return distinct(boundedTexts(texts, expansion.record));
}

/** The alternatives of the part at `index` of a word, tildes expanded. */
export function fragmentsInWord(
	part: WordPart,
	index: number,
	word: Word | undefined,
	expansion: Expansion,
): readonly Fragments[] {
	if (part.type === "Literal" && word) {
		const last = word.parts?.[index + 1] === undefined;
		const tilde = expandTildes({ source: part.text, value: part.value, first: index === 0, last }, expansion);
		if (tilde !== undefined) return [[{ text: tilde, quoted: true }]];
	}
	return fragmentsOf(part, false, expansion);
}

/** The alternatives that a part yields; `quoted` inside double quotes. */
function fragmentsOf(part: WordPart, quoted: boolean, expansion: Expansion): readonly Fragments[] {
	const { record } = expansion;
	switch (part.type) {
		case "Literal":
		case "SingleQuoted":
			return [[{ text: part.value, quoted: true }]];
		case "BraceExpansion":
			return [[{ text: part.text, quoted: true }]];
		case "AnsiCQuoted":
			return ansiQuoted(part, expansion);
		case "DoubleQuoted":
		case "LocaleString":
			return doubleQuoted(part.parts, expansion);
		case "Glob":
			if (!isQuotedBracket(part)) return [[{ text: part.text, quoted: false, active: true }]];
			for (const inner of part.parts ?? []) fragmentsOf(inner, true, expansion);
			return unknownFragment(true);
		case "ExtendedGlob":
			for (const inner of part.parts ?? []) fragmentsOf(inner, true, expansion);
			// Matches less than `*` does: walking what `*` finds is walking everything it could find.
			return [[{ text: "*", quoted: false, active: true }]];
		case "SimpleExpansion":
			return parameterFragments(part.text.slice(1), quoted, expansion);
		case "ParameterExpansion":
			return record.spend(part.text.length / 50) ? expandParameter(part, quoted, expansion) : unknownFragment(quoted);
		case "CommandExpansion":
			// Reading the script parses it: nested ones cost their whole text each time.
			return record.spend(part.text.length / 20)
				? [[{ text: expansion.substitute(part.script), quoted }]]
				: unknownFragment(quoted);
		case "ArithmeticExpansion":
			return [[{ text: arithmeticNumber(part, expansion), quoted }]];
		case "ProcessSubstitution":
			return record.spend(part.text.length / 20)
				? [[{ text: expansion.connect(part), quoted: true }]]
				: unknownFragment(true);
	}
}

/** `$((…))`: known if a number is written there. */
function arithmeticNumber(part: Extract<WordPart, { type: "ArithmeticExpansion" }>, expansion: Expansion): string {
	evaluateExpression(part.expression, expansion);
	return /^\$\(\(\s*(\d{1,15})\s*\)\)$/.exec(part.text)?.[1] ?? UNKNOWN_VALUE;
}

function ansiQuoted(part: Extract<WordPart, { type: "AnsiCQuoted" }>, { state }: Expansion): readonly Fragments[] {
	const fragments: Fragments[] = [[{ text: unmarked(part.value), quoted: true }]];
	// A shell that does not know this quoting keeps the dollar sign and reads the rest as plain quotes.
	if (state.dialect === "any") fragments.push([{ text: `$${part.text.slice(2, -1)}`, quoted: true }]);
	return fragments;
}

function doubleQuoted(parts: readonly WordPart[], expansion: Expansion): readonly Fragments[] {
	const rows = combine(parts.map((child) => fragmentsOf(child, true, expansion)));
	if (!rows) return unknownFragment(true);
	// `"$@"` without parameters is no argument at all; every other quoted text is one, empty or not.
	const list = parts.length === 1 && isListPart(parts[0]);
	return rows.map((row) => (list ? row.flat() : [{ text: "", quoted: true }, ...row.flat()]));
}

function isListPart(part: WordPart | undefined): boolean {
	if (part?.type === "SimpleExpansion") return part.text === "$@";
	return part?.type === "ParameterExpansion" && (part.parameter === "@" || part.index?.text === "@");
}

/** A bracket expression with quotes or expansions inside. */
function isQuotedBracket(part: Extract<WordPart, { type: "Glob" }>): boolean {
	return part.kind === "bracket" && part.parts.some((child) => child.type !== "Literal" || /["'\\$`]/.test(child.text));
}

/** How `${x…}` expands the words inside it. */
export const wordExpansion: WordExpansion = {
	texts: expandText,
	patterns: expandPattern,
	fragments(word, quoted, expansion) {
		if (!word.parts) return expandText(word, expansion).map((text) => [{ text, quoted }]);
		const rows = combine(
			word.parts.map((part): readonly Fragments[] =>
				// An unquoted default is split where it is unquoted: `${x:-a b}` is two arguments.
				part.type === "Literal" ? [[{ text: part.value, quoted }]] : fragmentsOf(part, quoted, expansion),
			),
		);
		return rows ? rows.map((row) => row.flat()) : unknownFragment(quoted);
	},
};

const tildeAtStart = /^~([\w.+-]*)(?=\/|$)/;
const tildeAfterAssignment = /^[A-Za-z_]\w*\+?=/;

/** An unquoted literal of a word. */
interface Literal {
	/** As written. */
	readonly source: string;
	/** Without quoting. */
	readonly value: string;
	/** It begins the word. */
	readonly first: boolean;
	/** It ends the word. */
	readonly last: boolean;
}

/** A literal with its tildes expanded; `undefined` if there are none. */
function expandTildes({ source, value, first, last }: Literal, expansion: Expansion): string | undefined {
	if (!source.includes("~")) return undefined;
	const expand = (text: string, rest: string): string | undefined => {
		const found = tildeAtStart.exec(text);
		// `~$x` and `~"x"`: the user's name is not all literal, so bash leaves it alone.
		if (!found || (found[0].length === text.length && !last)) return undefined;
		const home = homeOf(found[1] ?? "", expansion);
		return home === undefined ? undefined : home + rest.slice(found[0].length);
	};
	if (first && source.startsWith("~")) return expand(source, value);
	const name = first ? tildeAfterAssignment.exec(source)?.[0] : undefined;
	if (!name || source.includes("\\")) return undefined;
	const parts = source.slice(name.length).split(":");
	return name + parts.map((part) => (part.startsWith("~") ? (expand(part, part) ?? part) : part)).join(":");
}

function homeOf(user: string, { state, host }: Expansion): string | undefined {
	if (user === "") {
		const home = lookUp(state, "HOME", host);
		const only = home?.kind === "text" && home.options.length === 1 ? home.options[0] : undefined;
		return only ?? UNKNOWN_VALUE;
	}
	if (user === "+") return state.cwd?.length === 1 ? state.cwd[0] : UNKNOWN_VALUE;
	if (user === "-") return UNKNOWN_VALUE;
	return state.elsewhere ? UNKNOWN_VALUE : host.homeOf(user);
}
