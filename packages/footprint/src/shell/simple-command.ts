// Simple commands of the grammar: assignments, words and redirections are expanded, then every possible command is run.
import type { Assignment, Command, CommandArgument, Word } from "unbash";
import { footprintLimits } from "../record.ts";
import { bounded, combine, spellCommand, UNKNOWN_VALUE } from "../text.ts";
import { isDeclaration } from "./builtins.ts";
import { recordEnvironment, recordOwnVariables } from "./environment.ts";
import { evaluateText } from "./evaluated-text.ts";
import type { Expansion } from "./expansion.ts";
import { expandText } from "./fragments.ts";
import { invoke } from "./invoke.ts";
import { boundedList, boundedTexts } from "./lists.ts";
import { applyRedirects } from "./redirects.ts";
import {
	assign,
	isInteger,
	lookUp,
	type State,
	textValue,
	unknownVariable,
	type Value,
	withExported,
} from "./state.ts";
import { afterExpansions, type CommandOutcome, either, mapStates, type ShellWalk, settled } from "./walk.ts";
import { type ArgumentLists, expandWord } from "./words.ts";

type Assignments = readonly (readonly [string, Value])[];

/** Walks a simple command of the grammar. */
export function runSimple(walk: ShellWalk, parsed: Command, state: State, stdin: string): CommandOutcome {
	const node = withSubstitutedValues(parsed);
	const words = commandWords(walk, node);
	if (!walk.record.spend(2 + words.length / 2)) return settled(state, UNKNOWN_VALUE);
	const declared: Assignments[number][] = [];
	const lists = expandArguments(walk, words, walk.expansion(state, stdin), declared);
	const rows = combine(lists);
	const assigned = prefixAssignments(walk, node, walk.expansion(state, stdin));
	const expanded = afterExpansions(walk, state);
	const name = lists[0]?.[0]?.[0];
	evaluateNumbers(lists, declared, walk.expansion(state, stdin));
	const declares = name !== undefined && isDeclaration(name, []);
	recordOwnVariables(walk, declares ? [...assigned, ...declared] : assigned, expanded);
	const by = name === undefined ? "redirection" : spellCommand(lists.flatMap((list) => list[0] ?? []));
	const streams = applyRedirects(walk, node.redirects, expanded, stdin, by);
	const now = afterExpansions(walk, expanded);
	if (lists.length === 0) {
		streams.keep("");
		return assignOnly(walk, node, assigned, now, streams.stdin);
	}
	const alternatives = rows?.map((row) => row.flat()) ?? [firstOfEach(lists)];
	let outcome = runAlternatives(walk, alternatives, assignForCommand(walk, assigned, now), streams.stdin);
	streams.keep(outcome.output);
	if (declared.length > 0 && name !== undefined && isDeclaration(name, alternatives[0]?.slice(1) ?? [])) {
		if (name === "export") recordEnvironment(walk, declared, now);
		outcome = mapStates(outcome, (end) => assignAll(end, declared));
	}
	if (assigned.length > 0) outcome = mapStates(outcome, (end) => restoreAssigned(end, now, assigned));
	return streams.stdout === "captured" ? outcome : { ...outcome, output: "" };
}

/** The grammar parses `NAME=<(…)` as an empty assignment and a directly following word `<(…)`: joins them. */
function withSubstitutedValues(node: Command): Command {
	const { name: first, type, pos, end, redirects, suffix } = node;
	const items = [...node.prefix.filter(isAssignment), ...(first ? [first] : []), ...node.args];
	if (!items.some((item, at) => valueBehind(items[at - 1], item))) return node;
	const joined: CommandArgument[] = [];
	for (const item of items) {
		const value = valueBehind(joined.at(-1), item);
		joined.push(value ? assignmentOf(joined.pop() as Assignment, value) : item);
	}
	const at = joined.findIndex((item) => !isAssignment(item));
	const [name, ...args] = at < 0 ? [] : joined.slice(at);
	const prefix = joined.slice(0, at < 0 ? undefined : at).filter(isAssignment);
	return { type, pos, end, redirects, suffix, prefix, name: name as Word | undefined, args };
}

function isAssignment(item: { readonly type?: string }): item is Assignment {
	return item.type === "Assignment";
}

/** The word, if it follows an assignment without a blank. */
function valueBehind(before: CommandArgument | undefined, item: CommandArgument): Word | undefined {
	return before && isAssignment(before) && before.end === item.pos && !isAssignment(item) ? item : undefined;
}

/** The grammar's nodes have getters, which a spread would not copy. */
function assignmentOf({ type, pos, text, name, append, index }: Assignment, value: Word): Assignment {
	return { type, pos, end: value.end, text: text + value.text, name, append, index, value };
}

/** The words of a command, at most as many as can be judged. */
function commandWords(walk: ShellWalk, node: Command): readonly CommandArgument[] {
	const words = node.name ? [node.name, ...node.args] : [];
	if (words.length <= footprintLimits.words) return words;
	walk.record.overflow("more words than can be judged");
	return words.slice(0, footprintLimits.words);
}

/** The assignments before a command's name. */
function prefixAssignments(walk: ShellWalk, node: Command, expansion: Expansion): Assignments {
	return node.prefix.filter(isAssignment).map((item) => [item.name, assignedValue(walk, item, expansion)]);
}

/** A command without a name: its assignments persist. */
function assignOnly(
	walk: ShellWalk,
	node: Command,
	assigned: Assignments,
	state: State,
	stdin: string,
): CommandOutcome {
	// What the environment has already, as it always has PATH, stays exported.
	const isInherited = (name: string) => name === "PATH" || walk.host.env(name) !== undefined;
	const exported = assigned.filter(([name]) => state.exported.has(name) || isInherited(name));
	recordEnvironment(walk, exported, state);
	// `$(< file)` is the file's text.
	const reads = node.redirects.some((redirect) => redirect.type === "Redirect" && redirect.operator === "<");
	return settled(assignAll(state, assigned), reads && assigned.length === 0 ? stdin : "");
}

/** The state that a command with these assignments before its name starts with. */
function assignForCommand(walk: ShellWalk, assigned: Assignments, state: State): State {
	if (assigned.length === 0) return state;
	recordEnvironment(walk, assigned, state);
	return withExported(
		assignAll(state, assigned),
		assigned.map(([name]) => name),
	);
}

/** Represents too many possible commands by one: words with several possible values become unknown. */
function firstOfEach(lists: readonly ArgumentLists[]): readonly string[] {
	return lists.flatMap((list) => (list.length === 1 ? (list[0] ?? []) : [UNKNOWN_VALUE]));
}

/** Runs every command that the words may expand to. */
function runAlternatives(
	walk: ShellWalk,
	alternatives: readonly (readonly string[])[],
	state: State,
	stdin: string,
): CommandOutcome {
	let outcome: CommandOutcome | undefined;
	for (const words of alternatives) {
		if (outcome && !walk.record.spend(4)) break;
		const one = invoke(walk, words, state, stdin);
		outcome = outcome ? either(walk, outcome, one) : one;
	}
	return outcome ?? settled(state, "");
}

function assignAll(state: State, values: Assignments): State {
	return values.reduce((now, [name, value]) => assign(now, name, value), state);
}

/** Undoes the assignments that applied to one command only. */
function restoreAssigned(state: State, before: State, assigned: Assignments): State {
	const variables = new Map(state.variables);
	for (const [name] of assigned) {
		const value = before.variables.get(name);
		if (value) variables.set(name, value);
		else variables.delete(name);
	}
	return { ...state, variables, exported: before.exported };
}

/** The arguments that the words may expand to, at most as many as can be judged; `declared` collects the assignments among them. */
function expandArguments(
	walk: ShellWalk,
	words: readonly CommandArgument[],
	expansion: Expansion,
	declared: Assignments[number][],
): readonly ArgumentLists[] {
	let count = 0;
	let text = 0;
	return words.map((word) => {
		if (count > footprintLimits.words || text > footprintLimits.text) {
			walk.record.overflow("more words than can be judged");
			return [[UNKNOWN_VALUE]];
		}
		const lists =
			word.type === "Word" ? expandWord(word, expansion) : expandDeclaration(walk, word, expansion, declared);
		for (const list of lists) {
			count += list.length;
			for (const item of list) text += item.length;
		}
		return lists;
	});
}

/** An assignment among the arguments, as in `export x=1`. */
function expandDeclaration(
	walk: ShellWalk,
	word: Assignment,
	expansion: Expansion,
	declared: Assignments[number][],
): ArgumentLists {
	const value = assignedValue(walk, word, expansion);
	declared.push([word.name, value]);
	if (value.kind !== "text") return [[`${word.name}=${UNKNOWN_VALUE}`]];
	return value.options.map((text) => [`${word.name}=${text}`]);
}

/** `declare -i a=(…)`, `declare -n a=…`: what is assigned is evaluated. */
function evaluateNumbers(lists: readonly ArgumentLists[], declared: Assignments, expansion: Expansion): void {
	if (!isDeclaration(lists[0]?.[0]?.[0] ?? "", []) || !lists.some((list) => /^-\w*[in]/.test(list[0]?.[0] ?? "")))
		return;
	for (const [, value] of declared) evaluateValue(value, expansion);
}

function evaluateValue(value: Value, expansion: Expansion): void {
	for (const text of value.kind === "text" ? value.options : value.items) evaluateText(text, expansion);
}

function assignedValue(walk: ShellWalk, node: Assignment, expansion: Expansion): Value {
	const before = node.append ? lookUp(expansion.state, node.name, walk.host) : undefined;
	if (node.value.type === "ArrayValue") {
		const value = arrayValue(walk, node.value.elements, before, expansion);
		if (isInteger(node.name, expansion.state)) evaluateValue(value, expansion);
		return value;
	}
	const texts = expandText(node.value, expansion);
	if (node.index) {
		for (const index of expandText(node.index, expansion)) evaluateText(index, expansion);
		return unknownVariable;
	}
	if (isInteger(node.name, expansion.state)) evaluateValue(textValue(...texts), expansion);
	if (!before) return textValue(...texts);
	const joined = before.kind === "text" ? combine([before.options, texts]) : undefined;
	if (!joined) return unknownVariable;
	const appended = joined.map((pair) => bounded(pair.join("")));
	return textValue(...boundedTexts(appended, walk.record));
}

/** The value of `a=(…)`, or of `a+=(…)` if there is a value `before`. */
function arrayValue(
	walk: ShellWalk,
	elements: readonly Word[],
	before: Value | undefined,
	expansion: Expansion,
): Value {
	const rows = combine(elements.map((element) => expandWord(element, expansion)));
	for (const { text } of elements)
		if (text.startsWith("[")) evaluateText(text.slice(1, Math.max(1, text.indexOf("]="))), expansion);
	const items = rows?.length === 1 ? rows[0]?.flat() : undefined;
	// `[key]=value` items: the positions of items are not tracked.
	if (!items || elements.some((element) => element.text.startsWith("["))) return unknownVariable;
	if (before && before.kind !== "array") return unknownVariable;
	const all = boundedList(before ? [...before.items, ...items] : items, walk.record);
	return all ? { kind: "array", items: all } : unknownVariable;
}
