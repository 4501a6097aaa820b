// What one part of a word yields: pieces of text that know whether they were quoted, and breaks between arguments.
// Splitting and globbing of the pieces is in `words.ts`.
import type {
	ArithmeticExpression,
	ParameterExpansionPart,
	ParsedScript,
	ProcessSubstitutionPart,
	Word,
	WordPart,
} from "unbash";
import type { HostEnvironment } from "../footprint.ts";
import { everyAccess } from "../record.ts";
import { combine, distinct, isKnown, SOME_NAME, UNKNOWN_VALUE, unmarked } from "../text.ts";
import { evaluateArithmetic } from "./arithmetic.ts";
import { held } from "./lists.ts";
import { changeCase, costOfRemoval, costOfReplacement, removeAffix, replace, slice } from "./parameters.ts";
import { lookUp, type State, textValue, unknownVariable, type Value } from "./state.ts";
import { type Expansion, expandPattern, expandText } from "./words.ts";

/** An end of one argument inside a word (`"$@"`, `"${a[@]}"`). */
export const BREAK = Symbol("break");

export type WordFragment =
	| typeof BREAK
	| {
			readonly text: string;
			/** Neither split nor globbed. */
			readonly quoted: boolean;
			/** A glob character that stands in the word itself: globbed, not split. */
			readonly active?: true;
	  };

/** What the walk does for an expansion, and what an expansion tells the walk. */
export interface ExpansionHost {
	readonly host: HostEnvironment;
	/** Walks the commands of `$(…)` and answers their output, trailing newlines off. */
	substitute(script: ParsedScript | undefined, state: State): string;
	/** Walks the commands of `<(…)` or `>(…)` and answers the path that stands for it. */
	connect(part: ProcessSubstitutionPart, state: State): string;
	/** A variable is assigned by an expansion (`${x:=v}`, `$((x=1))`). */
	assigned(name: string, value: Value): void;
}

type Pieces = readonly WordFragment[];

/** The alternatives of pieces that a part yields; `quoted` inside double quotes. */
export function piecesOfPart(part: WordPart, quoted: boolean, state: State, expansion: Expansion): readonly Pieces[] {
	switch (part.type) {
		case "Literal":
			return [[{ text: part.value, quoted: true }]];
		case "SingleQuoted":
			return [[{ text: part.value, quoted: true }]];
		case "AnsiCQuoted": {
			const pieces: Pieces[] = [[{ text: unmarked(part.value), quoted: true }]];
			// A shell that does not know this quoting keeps the dollar sign and reads the rest as plain quotes.
			if (state.dialect === "any") pieces.push([{ text: `$${part.text.slice(2, -1)}`, quoted: true }]);
			return pieces;
		}
		case "DoubleQuoted":
		case "LocaleString": {
			const rows = combine(part.parts.map((child) => piecesOfPart(child, true, state, expansion)));
			if (!rows) return [[{ text: UNKNOWN_VALUE, quoted: true }]];
			// `"$@"` without parameters is no argument at all; every other quoted text is one, empty or not.
			const list = part.parts.length === 1 && isList(part.parts[0]);
			return rows.map((row) => (list ? row.flat() : [{ text: "", quoted: true }, ...row.flat()]));
		}
		case "Glob":
			if (
				part.kind === "bracket" &&
				part.parts.some((child) => child.type !== "Literal" || /["'\\$`]/.test(child.text))
			)
				return [[{ text: UNKNOWN_VALUE, quoted: true }]];
			return [[{ text: part.text, quoted: false, active: true }]];
		case "ExtendedGlob":
			// Matches less than `*` does: walking what `*` finds is walking everything it could find.
			return [[{ text: "*", quoted: false, active: true }]];
		case "SimpleExpansion":
			return ofParameter(part.text.slice(1), quoted, state, expansion);
		case "ParameterExpansion":
			if (!expansion.record.spend(part.text.length / 50)) return [[{ text: UNKNOWN_VALUE, quoted }]];
			return ofExpansion(part, quoted, state, expansion);
		case "CommandExpansion":
			// Looking at the script parses it: nested ones cost their whole text each time.
			if (!expansion.record.spend(part.text.length / 20)) return [[{ text: UNKNOWN_VALUE, quoted }]];
			return [[{ text: expansion.substitute(part.script, state), quoted }]];
		case "ArithmeticExpansion":
			return [[{ text: arithmetic(part.expression, state, expansion), quoted }]];
		case "ProcessSubstitution":
			if (!expansion.record.spend(part.text.length / 20)) return [[{ text: UNKNOWN_VALUE, quoted: true }]];
			return [[{ text: expansion.connect(part, state), quoted: true }]];
		case "BraceExpansion":
			return [[{ text: part.text, quoted: true }]];
	}
}

function isList(part: WordPart | undefined): boolean {
	if (part?.type === "SimpleExpansion") return part.text === "$@";
	return part?.type === "ParameterExpansion" && (part.parameter === "@" || part.index?.text === "@");
}

/** Walks an arithmetic expression; its value, or a hole. */
export function arithmetic(expression: ArithmeticExpression | undefined, state: State, expansion: Expansion): string {
	return evaluateArithmetic(expression, {
		variable: (name) => {
			const value = lookUp(state, name, expansion.host);
			if (!value) return "";
			const only = value.kind === "text" && value.options.length === 1 ? value.options[0] : undefined;
			return only !== undefined && isKnown(only) ? only : undefined;
		},
		assigned: (name) => expansion.assigned(name, unknownVariable),
		substitute: (script) => void expansion.substitute(script, state),
	});
}

/** `$1`, `$@`, `$#`, `$name`, … */
function ofParameter(name: string, quoted: boolean, state: State, expansion: Expansion): readonly Pieces[] {
	if (name === "@" || name === "*") {
		if (!state.parameters) return [[{ text: UNKNOWN_VALUE, quoted }]];
		const { parameters } = state;
		if (!parameters.every((list) => held(list, expansion.record))) return [[{ text: UNKNOWN_VALUE, quoted }]];
		if (name === "*" && quoted) return parameters.map((list) => [{ text: list.join(" "), quoted }]);
		return parameters.map((list) => listPieces(list, quoted));
	}
	return textsOf(name, state, expansion.host).map((text) => [{ text, quoted }]);
}

function listPieces(items: readonly string[], quoted: boolean): WordFragment[] {
	return items.flatMap((text, index): WordFragment[] => (index === 0 ? [{ text, quoted }] : [BREAK, { text, quoted }]));
}

/** The possible texts of a parameter; an unset one is empty. */
function textsOf(name: string, state: State, host: HostEnvironment): readonly string[] {
	return setTextsOf(name, state, host) ?? [""];
}

/** Numbers that the shell makes up. */
const madeUp: ReadonlySet<string> = new Set([
	"BASHPID",
	"PPID",
	"RANDOM",
	"SRANDOM",
	"SECONDS",
	"EPOCHSECONDS",
	"UID",
	"EUID",
]);

function setTextsOf(name: string, state: State, host: HostEnvironment): readonly string[] | undefined {
	if (/^\d+$/.test(name)) {
		if (name === "0") {
			const self = state.variables.get(name);
			return self?.kind === "text" ? self.options : [UNKNOWN_VALUE];
		}
		if (!state.parameters) return [UNKNOWN_VALUE];
		const texts = state.parameters.map((list) => list[Number(name) - 1]);
		return texts.every((text) => text === undefined) ? undefined : distinct(texts.map((text) => text ?? ""));
	}
	if (name === "#")
		return state.parameters ? distinct(state.parameters.map((list) => String(list.length))) : [UNKNOWN_VALUE];
	if (name === "$" || name === "!") return [SOME_NAME];
	if (!/^[A-Za-z_]\w*$/.test(name)) return [UNKNOWN_VALUE];
	if (madeUp.has(name) && !state.variables.has(name)) return [SOME_NAME];
	const value = lookUp(state, name, host);
	if (!value) return undefined;
	return value.kind === "text" ? value.options : [value.items[0] ?? ""];
}

function ofExpansion(
	part: ParameterExpansionPart,
	quoted: boolean,
	state: State,
	expansion: Expansion,
): readonly Pieces[] {
	const { parameter, index, operation } = part;
	const hole: readonly Pieces[] = [[{ text: UNKNOWN_VALUE, quoted }]];
	if (part.prefix === "#") {
		if (index || operation) return hole;
		return textsOf(parameter, state, expansion.host).map((text) => [
			{ text: isKnown(text) && /^\w+$/.test(parameter) ? String([...text].length) : UNKNOWN_VALUE, quoted },
		]);
	}
	if (part.prefix === "!") return ofIndirection(part, quoted, state, expansion);
	const list = listOf(part, state, expansion.host);
	if (list === "unknown" || (list && !held(list, expansion.record))) return hole;
	if (list) {
		if (!operation)
			return [
				(index?.text ?? parameter) === "*" && quoted ? [{ text: list.join(" "), quoted }] : listPieces(list, quoted),
			];
		if (operation.type === "Default")
			return ofDefault(part, list.length > 0 ? list : undefined, quoted, state, expansion);
		// Each item has its pattern expanded and compared anew.
		if (!expansion.record.spend(list.length * 2)) return hole;
		const changed = list.map((text) => operate(part, text, state, expansion));
		const rows = combine(changed);
		return rows ? rows.map((row) => listPieces(row, quoted)) : hole;
	}
	const texts = index ? elementOf(part, state, expansion) : setTextsOf(parameter, state, expansion.host);
	if (operation?.type === "Default") return ofDefault(part, texts, quoted, state, expansion);
	const results = (texts ?? [""]).flatMap((text) => operate(part, text, state, expansion));
	return distinct(results).map((text) => [{ text, quoted }]);
}

function ofIndirection(
	part: ParameterExpansionPart,
	quoted: boolean,
	state: State,
	expansion: Expansion,
): readonly Pieces[] {
	if (part.operation || part.index) return [[{ text: UNKNOWN_VALUE, quoted }]];
	const names = textsOf(part.parameter, state, expansion.host);
	return distinct(
		names.flatMap((name) => (isKnown(name) ? textsOf(name, state, expansion.host) : [UNKNOWN_VALUE])),
	).map((text) => [{ text, quoted }]);
}

/** The items of `$@`, `${a[@]}` and their kin; `undefined` where the expansion is of one text. */
function listOf(
	part: ParameterExpansionPart,
	state: State,
	host: HostEnvironment,
): readonly string[] | "unknown" | undefined {
	if (part.parameter === "@" || part.parameter === "*")
		return state.parameters?.length === 1 ? state.parameters[0] : "unknown";
	if (part.index?.text !== "@" && part.index?.text !== "*") return undefined;
	const value = lookUp(state, part.parameter, host);
	if (!value) return [];
	if (value.kind === "array") return value.items;
	return value.options.length === 1 && value.options[0] !== UNKNOWN_VALUE ? value.options : "unknown";
}

function elementOf(part: ParameterExpansionPart, state: State, expansion: Expansion): readonly string[] | undefined {
	const value = lookUp(state, part.parameter, expansion.host);
	const index = part.index ? expandText(part.index, state, expansion) : [];
	if (!value) return undefined;
	const only = index.length === 1 ? (index[0] ?? "") : UNKNOWN_VALUE;
	if (!/^-?\d{1,6}$/.test(only)) return [UNKNOWN_VALUE];
	if (value.kind === "text") return only === "0" ? value.options : undefined;
	const item = value.items.at(Number(only));
	return item === undefined ? undefined : [item];
}

function ofDefault(
	part: ParameterExpansionPart,
	texts: readonly string[] | undefined,
	quoted: boolean,
	state: State,
	expansion: Expansion,
): readonly Pieces[] {
	const { operation } = part;
	if (operation?.type !== "Default") return [[{ text: UNKNOWN_VALUE, quoted }]];
	const emptyCounts = operation.operator.startsWith(":");
	const maybeUnset =
		!texts ||
		texts.some((text) => !isKnown(text) || (text === "" && (emptyCounts || state.variables.has(part.parameter))));
	const maybeSet = texts?.some((text) => text !== "" || !emptyCounts) ?? false;
	const present = (texts ?? []).map((text): Pieces => [{ text, quoted }]);
	const operand = (): readonly Pieces[] => operandPieces(operation.operand, quoted, state, expansion);
	switch (operation.operator) {
		case "+":
		case ":+":
			return [...(maybeSet ? operand() : []), ...(maybeUnset ? [[]] : [])];
		case "?":
		case ":?":
			operand();
			return present.length > 0 ? present : [[]];
		default: {
			const other = maybeUnset ? operand() : [];
			if (operation.operator.endsWith("=") && maybeUnset) {
				const value = distinct([
					...(texts ?? []).filter((text) => text !== ""),
					...expandText(operation.operand, state, expansion),
				]);
				expansion.assigned(part.parameter, textValue(...value));
			}
			return [...(maybeSet ? present.filter((pieces) => !(emptyCounts && isEmpty(pieces))) : []), ...other];
		}
	}
}

function isEmpty(pieces: Pieces): boolean {
	return pieces.every((piece) => piece !== BREAK && piece.text === "");
}

function operandPieces(word: Word, quoted: boolean, state: State, expansion: Expansion): readonly Pieces[] {
	if (!word.parts) return expandText(word, state, expansion).map((text) => [{ text, quoted }]);
	const rows = combine(
		word.parts.map((part): readonly Pieces[] =>
			// An unquoted default is split where it is unquoted: `${x:-a b}` is two arguments.
			part.type === "Literal" ? [[{ text: part.value, quoted }]] : piecesOfPart(part, quoted, state, expansion),
		),
	);
	return rows ? rows.map((row) => row.flat()) : [[{ text: UNKNOWN_VALUE, quoted }]];
}

function operate(part: ParameterExpansionPart, text: string, state: State, expansion: Expansion): readonly string[] {
	const { operation } = part;
	if (!operation) return [text];
	switch (operation.type) {
		case "Remove":
			return expandPattern(operation.operand, state, expansion).map((pattern) =>
				expansion.record.spend(costOfRemoval(text, pattern))
					? removeAffix(operation.operator, text, pattern)
					: UNKNOWN_VALUE,
			);
		case "Replace": {
			const patterns = expandPattern(operation.pattern, state, expansion);
			const replacements = expandText(operation.replacement, state, expansion);
			return patterns.flatMap((pattern) =>
				replacements.map((by) =>
					expansion.record.spend(costOfReplacement(text, pattern))
						? replace(operation.operator, text, pattern, by)
						: UNKNOWN_VALUE,
				),
			);
		}
		case "Slice": {
			const offsets = expandText(operation.offset, state, expansion);
			const lengths = operation.length ? expandText(operation.length, state, expansion) : [undefined];
			return offsets.flatMap((offset) => lengths.map((length) => slice(text, offset, length)));
		}
		case "CaseModification":
			return [operation.operand ? UNKNOWN_VALUE : changeCase(operation.operator, text)];
		case "Transform":
			// `@P` expands the text as a prompt, and a prompt may hold commands.
			if (operation.operand.text === "P" && /[$`\uE000]/.test(text))
				expansion.record.unknown({ what: "script", text: part.text, may: everyAccess });
			return [["Q", "E", "P", "A", "a"].includes(operation.operand.text) ? UNKNOWN_VALUE : text];
		case "Default":
		case "Names":
		case "Unknown":
			return [UNKNOWN_VALUE];
	}
}
