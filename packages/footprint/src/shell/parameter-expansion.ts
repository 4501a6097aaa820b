// What `$name` and `${name…}` yield. The words inside (defaults, patterns, offsets) are expanded by `Expansion.words`, operations on plain texts
// are in `parameter-operations.ts`.
import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash";
import { combine, distinct, isKnown, SOME_NAME, UNKNOWN_VALUE } from "../text.ts";
import { evaluateText } from "./evaluated-text.ts";
import { BREAK, type Expansion, type Fragment, type Fragments, unknownFragment } from "./expansion.ts";
import { boundedList } from "./lists.ts";
import { changeCase, costOfRemoval, removeAffix, replace, slice } from "./parameter-operations.ts";
import { lookUp, type State, textValue } from "./state.ts";

/** `$1`, `$@`, `$#`, `$name`, … */
export function parameterFragments(name: string, quoted: boolean, expansion: Expansion): readonly Fragments[] {
	if (name !== "@" && name !== "*") return variableTexts(name, expansion).map((text) => [{ text, quoted }]);
	const { parameters } = expansion.state;
	if (!parameters?.every((list) => boundedList(list, expansion.record))) return unknownFragment(quoted);
	if (name === "*" && quoted) return parameters.map((list) => [{ text: list.join(" "), quoted }]);
	return parameters.map((list) => listFragments(list, quoted));
}

/** `${…}` in all its forms. */
export function expandParameter(
	part: ParameterExpansionPart,
	quoted: boolean,
	expansion: Expansion,
): readonly Fragments[] {
	const index = subscriptOf(part, expansion);
	if (part.prefix === "#") return lengthOf(part, quoted, expansion);
	if (part.prefix === "!") return indirection(part, quoted, expansion);
	const list = listValue(part, expansion);
	if (list === "unknown" || (list && !boundedList(list, expansion.record))) return unfollowed(part, quoted, expansion);
	if (list) return expandList(part, list, quoted, expansion);
	const texts = part.index ? elementOf(part, index, expansion) : setTextsOf(part.parameter, expansion);
	if (part.operation?.type === "Default") return withDefault(part, texts, quoted, expansion);
	const results = (texts ?? [""]).flatMap((text) => operate(part, text, expansion));
	return distinct(results).map((text) => [{ text, quoted }]);
}

/** The texts of a subscript. */
function subscriptOf({ index }: ParameterExpansionPart, expansion: Expansion): readonly string[] {
	return !index || index.text === "@" || index.text === "*" ? [] : evaluated(index, expansion);
}

/** The texts of a word that bash evaluates once more. */
function evaluated(word: Word, expansion: Expansion): readonly string[] {
	const texts = expansion.words.texts(word, expansion);
	for (const text of texts) evaluateText(text, expansion);
	return texts;
}

/** An expansion whose value is not followed: the commands in its words are walked all the same. */
function unfollowed(
	{ operation }: ParameterExpansionPart,
	quoted: boolean,
	expansion: Expansion,
): readonly Fragments[] {
	const { operand, pattern, replacement, offset, length } = (operation ?? {}) as {
		readonly [name: string]: Word | undefined;
	};
	for (const word of [operand, pattern, replacement]) if (word) expansion.words.texts(word, expansion);
	for (const word of [offset, length]) if (word) evaluated(word, expansion);
	return unknownFragment(quoted);
}

function listFragments(items: readonly string[], quoted: boolean): Fragment[] {
	return items.flatMap((text, index): Fragment[] => (index === 0 ? [{ text, quoted }] : [BREAK, { text, quoted }]));
}

/** The possible texts of a parameter; an unset one is empty. */
function variableTexts(name: string, expansion: Expansion): readonly string[] {
	return setTextsOf(name, expansion) ?? [""];
}

/** Numbers that the shell makes up. */
const generated: ReadonlySet<string> = new Set("BASHPID PPID RANDOM SRANDOM SECONDS EPOCHSECONDS UID EUID".split(" "));

/** The possible texts of a parameter; `undefined` if it is certainly not set. */
function setTextsOf(name: string, { state, host }: Expansion): readonly string[] | undefined {
	if (/^\d+$/.test(name)) return positional(name, state);
	if (name === "#")
		return state.parameters ? distinct(state.parameters.map((list) => String(list.length))) : [UNKNOWN_VALUE];
	if (name === "$" || name === "!") return [SOME_NAME];
	if (!/^[A-Za-z_]\w*$/.test(name)) return [UNKNOWN_VALUE];
	if (generated.has(name) && !state.variables.has(name)) return [SOME_NAME];
	const value = lookUp(state, name, host);
	if (!value) return undefined;
	return value.kind === "text" ? value.options : [value.items[0] ?? ""];
}

function positional(name: string, state: State): readonly string[] | undefined {
	if (name === "0") {
		const self = state.variables.get(name);
		return self?.kind === "text" ? self.options : [UNKNOWN_VALUE];
	}
	if (!state.parameters) return [UNKNOWN_VALUE];
	const texts = state.parameters.map((list) => list[Number(name) - 1]);
	return texts.every((text) => text === undefined) ? undefined : distinct(texts.map((text) => text ?? ""));
}

/** `${#x}` */
function lengthOf(part: ParameterExpansionPart, quoted: boolean, expansion: Expansion): readonly Fragments[] {
	const { parameter, index, operation } = part;
	if (index || operation) return unfollowed(part, quoted, expansion);
	const named = /^\w+$/.test(parameter);
	return variableTexts(parameter, expansion).map((text) => [
		{ text: named && isKnown(text) ? String([...text].length) : UNKNOWN_VALUE, quoted },
	]);
}

/** `${!x}` */
function indirection(part: ParameterExpansionPart, quoted: boolean, expansion: Expansion): readonly Fragments[] {
	for (const name of variableTexts(part.parameter, expansion)) evaluateText(name, expansion);
	if (part.operation || part.index) return unfollowed(part, quoted, expansion);
	const texts = variableTexts(part.parameter, expansion).flatMap((name) =>
		isKnown(name) ? variableTexts(name, expansion) : [UNKNOWN_VALUE],
	);
	return distinct(texts).map((text) => [{ text, quoted }]);
}

/** The items of `$@`, `${a[@]}` and similar; `undefined` if the expansion gives a single text. */
function listValue(
	part: ParameterExpansionPart,
	{ state, host }: Expansion,
): readonly string[] | "unknown" | undefined {
	if (part.parameter === "@" || part.parameter === "*")
		return state.parameters?.length === 1 ? state.parameters[0] : "unknown";
	if (part.index?.text !== "@" && part.index?.text !== "*") return undefined;
	const value = lookUp(state, part.parameter, host);
	if (!value) return [];
	if (value.kind === "array") return value.items;
	return value.options.length === 1 && value.options[0] !== UNKNOWN_VALUE ? value.options : "unknown";
}

function expandList(
	part: ParameterExpansionPart,
	list: readonly string[],
	quoted: boolean,
	expansion: Expansion,
): readonly Fragments[] {
	const { parameter, index, operation } = part;
	if (!operation) {
		const joined = (index?.text ?? parameter) === "*" && quoted;
		return [joined ? [{ text: list.join(" "), quoted }] : listFragments(list, quoted)];
	}
	if (operation.type === "Default") return withDefault(part, list.length > 0 ? list : undefined, quoted, expansion);
	// The pattern is expanded and compared for each item.
	if (!expansion.record.spend(list.length * 2)) return unknownFragment(quoted);
	const rows = combine(list.map((text) => operate(part, text, expansion)));
	return rows ? rows.map((row) => listFragments(row, quoted)) : unknownFragment(quoted);
}

/** `${a[n]}` */
function elementOf(
	part: ParameterExpansionPart,
	index: readonly string[],
	expansion: Expansion,
): readonly string[] | undefined {
	const value = lookUp(expansion.state, part.parameter, expansion.host);
	if (!value) return undefined;
	const only = index.length === 1 ? (index[0] ?? "") : UNKNOWN_VALUE;
	if (!/^-?\d{1,6}$/.test(only)) return [UNKNOWN_VALUE];
	if (value.kind === "text") return only === "0" ? value.options : undefined;
	const item = value.items.at(Number(only));
	return item === undefined ? undefined : [item];
}

/** `${x:-word}`, `${x:=word}`, `${x:+word}`, `${x:?word}` and the forms without a colon. */
function withDefault(
	part: ParameterExpansionPart,
	texts: readonly string[] | undefined,
	quoted: boolean,
	expansion: Expansion,
): readonly Fragments[] {
	const { operation } = part;
	if (operation?.type !== "Default") return unknownFragment(quoted);
	const { operator } = operation;
	const emptyCounts = operator.startsWith(":");
	const { maybeSet, maybeUnset } = presence(texts, emptyCounts, expansion.state.variables.has(part.parameter));
	const present = (texts ?? []).map((text): Fragments => [{ text, quoted }]);
	const operand = () => expansion.words.fragments(operation.operand, quoted, expansion);
	if (operator.endsWith("+")) {
		const alternative = maybeSet ? operand() : [];
		return maybeUnset ? [...alternative, []] : alternative;
	}
	if (operator.endsWith("?")) {
		operand();
		return present.length > 0 ? present : [[]];
	}
	const other = maybeUnset ? operand() : [];
	if (operator.endsWith("=") && maybeUnset)
		assignDefault(part.parameter, texts, expansion.words.texts(operation.operand, expansion), expansion);
	const kept = present.filter((row) => !emptyCounts || !isEmpty(row));
	return maybeSet ? [...kept, ...other] : other;
}

/** Whether a parameter may be set, and may be not set. `emptyCounts`: an empty one counts as not set; `own`: the script assigns it. */
function presence(
	texts: readonly string[] | undefined,
	emptyCounts: boolean,
	own: boolean,
): { readonly maybeSet: boolean; readonly maybeUnset: boolean } {
	if (!texts) return { maybeSet: false, maybeUnset: true };
	return {
		maybeSet: texts.some((text) => text !== "" || !emptyCounts),
		maybeUnset: texts.some((text) => !isKnown(text) || (text === "" && (emptyCounts || own))),
	};
}

/** `${x:=word}`: the variable keeps a value that is not empty, else gets that of the word. */
function assignDefault(
	name: string,
	texts: readonly string[] = [],
	word: readonly string[],
	expansion: Expansion,
): void {
	const values = distinct([...texts.filter((text) => text !== ""), ...word]);
	expansion.assigned(name, textValue(...values));
}

function isEmpty(fragments: Fragments): boolean {
	return fragments.every((fragment) => fragment !== BREAK && fragment.text === "");
}

/** `${x:offset:length}`, whose numbers are evaluated. */
function sliced(
	{ offset, length }: Extract<ParameterOperation, { type: "Slice" }>,
	text: string,
	expansion: Expansion,
): readonly string[] {
	const offsets = evaluated(offset, expansion);
	const lengths = length ? evaluated(length, expansion) : [undefined];
	return offsets.flatMap((from) => lengths.map((count) => slice(text, from, count)));
}

/** The result of an operation on one text. */
function operate(part: ParameterExpansionPart, text: string, expansion: Expansion): readonly string[] {
	const { operation } = part;
	if (!operation) return [text];
	const { record } = expansion;
	switch (operation.type) {
		case "Remove":
			return expansion.words
				.patterns(operation.operand, expansion)
				.map((pattern) =>
					record.spend(costOfRemoval(text, pattern)) ? removeAffix(operation.operator, text, pattern) : UNKNOWN_VALUE,
				);
		case "Replace": {
			const patterns = expansion.words.patterns(operation.pattern, expansion);
			const replacements = expansion.words.texts(operation.replacement, expansion);
			const one = (pattern: string, by: string) =>
				record.spend(text.length / 100) ? replace(operation.operator, text, pattern, by) : UNKNOWN_VALUE;
			return patterns.flatMap((pattern) => replacements.map((by) => one(pattern, by)));
		}
		case "Slice":
			return sliced(operation, text, expansion);
		case "CaseModification":
			if (operation.operand) expansion.words.texts(operation.operand, expansion);
			return [operation.operand ? UNKNOWN_VALUE : changeCase(operation.operator, text)];
		case "Transform":
			// `@P` expands the text as a prompt, and a prompt may hold commands.
			if (operation.operand.text === "P" && /[$`\uE000]/.test(text)) {
				expansion.expandAgain(text);
				if (!isKnown(text)) record.unknown({ what: "script", text: part.text });
			}
			return [["Q", "E", "P", "A", "a"].includes(operation.operand.text) ? UNKNOWN_VALUE : text];
		case "Default":
		case "Names":
		case "Unknown":
			return [UNKNOWN_VALUE];
	}
}
