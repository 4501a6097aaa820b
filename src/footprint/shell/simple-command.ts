// One simple command: its words expanded, its redirections and assignments applied, then whatever its first word names.
// C1 a first word that is not known is recorded as such, always; C2 a function or alias that may be defined is walked as well.
import type { Assignment, Command, CommandArgument } from "unbash";
import { pathRules, windowsDrivePath } from "../paths.ts";
import { absolutePaths, accessWord } from "../places.ts";
import { dropsData, findProgram, publishesByTask } from "../programs/index.ts";
import { everyAccess, footprintLimits } from "../record.ts";
import { bounded, combine, isKnown, spellCommand, UNKNOWN_VALUE } from "../text.ts";
import { builtins, declares } from "./builtins.ts";
import { recordCall } from "./call.ts";
import { isDownloaded, isProgramFile } from "./contents.ts";
import { foundOnPath, isOnPath, recordEnvironment, recordOwnVariables } from "./environment.ts";
import { held, heldTexts } from "./lists.ts";
import { printed } from "./output.ts";
import { applyRedirects } from "./redirects.ts";
import { assign, lookUp, merge, type State, textValue, unknownVariable, type Value, withExported } from "./state.ts";
import { knownWords, recordOperands, recordUnlisted, recordWithin } from "./unlisted.ts";
import { afterExpansions, type CommandOutcome, type ShellWalk, settled } from "./walk.ts";
import { expandText, expandWord } from "./words.ts";

/** Walks a simple command of the grammar. */
export function runSimple(walk: ShellWalk, node: Command, state: State, stdin: string): CommandOutcome {
	const all = node.name ? [node.name, ...node.args] : [];
	const words = all.length > footprintLimits.words ? all.slice(0, footprintLimits.words) : all;
	if (words.length < all.length) walk.record.overflow("more words than can be judged");
	if (!walk.record.spend(2 + words.length / 2)) return settled(state, UNKNOWN_VALUE);
	const declared: (readonly [string, Value])[] = [];
	const lists = expandArguments(walk, words, state, stdin, declared);
	const rows = combine(lists);
	const several = rows ? undefined : variableOfMany(node, state);
	if (several) return runForEach(walk, node, several, state, stdin);
	const assigned = node.prefix
		.filter((item): item is Assignment => item.type === "Assignment")
		.map((item) => [item.name, assignedValue(walk, item, state, stdin)] as const);
	const expanded = afterExpansions(walk, state);
	const name = lists[0]?.[0]?.[0];
	const by = name === undefined ? "redirection" : spellCommand(lists.flatMap((list) => list[0] ?? []));
	recordOwnVariables(walk, name !== undefined && declares(name, []) ? [...assigned, ...declared] : assigned, expanded);
	const streams = applyRedirects(walk, node.redirects, expanded, stdin, by);
	const now = afterExpansions(walk, expanded);
	if (lists.length === 0) {
		streams.keep("");
		recordEnvironment(
			walk,
			assigned.filter(([variable]) => now.exported.has(variable)),
			now,
		);
		// `$(< file)` is the file's text.
		const reads = node.redirects.some((redirect) => redirect.type === "Redirect" && redirect.operator === "<");
		return settled(assignAll(now, assigned), reads && assigned.length === 0 ? streams.stdin : "");
	}
	const alternatives = rows ?? [lists.map((list) => (list.length === 1 ? (list[0] ?? []) : [UNKNOWN_VALUE]))];
	const names = assigned.map(([variable]) => variable);
	const environment = assigned.length > 0 ? withExported(assignAll(now, assigned), names) : now;
	if (assigned.length > 0) recordEnvironment(walk, assigned, now);
	let outcome = settled(environment, "");
	for (const [index, row] of alternatives.entries()) {
		if (index > 0 && !walk.record.spend(4)) break;
		const one = invoke(walk, row.flat(), environment, streams.stdin);
		outcome = index === 0 ? one : either(walk, outcome, one);
	}
	streams.keep(outcome.output);
	if (declared.length > 0 && name !== undefined && declares(name, alternatives[0]?.flat().slice(1) ?? [])) {
		if (name === "export") recordEnvironment(walk, declared, now);
		outcome = mapStates(outcome, (end) => assignAll(end, declared));
	}
	if (assigned.length > 0) outcome = mapStates(outcome, (end) => restore(end, now, names));
	return streams.stdout === "captured" ? outcome : { ...outcome, output: "" };
}

/** A variable of several possible values that a command names: too many combinations of words become few when it has one value at a time. */
function variableOfMany(node: Command, state: State): string | undefined {
	const source = [node.name?.text ?? "", ...node.args.map((word) => word.text)].join(" ");
	for (const [name, value] of state.variables)
		if (value.kind === "text" && value.options.length > 1 && new RegExp(`\\$\\{?[!#]?${name}\\b`).test(source))
			return name;
	return undefined;
}

function runForEach(walk: ShellWalk, node: Command, name: string, state: State, stdin: string): CommandOutcome {
	const value = state.variables.get(name);
	let outcome: CommandOutcome | undefined;
	for (const option of value?.kind === "text" ? value.options : []) {
		if (!walk.record.spend(4)) break;
		const one = runSimple(walk, node, assign(state, name, textValue(option)), stdin);
		outcome = outcome ? either(walk, outcome, one) : one;
	}
	return mapStates(outcome ?? settled(state, UNKNOWN_VALUE), (end) =>
		end.variables.get(name)?.kind === "text" && value ? assign(end, name, value) : end,
	);
}

function either(walk: ShellWalk, a: CommandOutcome, b: CommandOutcome): CommandOutcome {
	return {
		success: merge(a.success, b.success, walk.host),
		failure: merge(a.failure, b.failure, walk.host),
		output: a.output === b.output ? a.output : UNKNOWN_VALUE,
	};
}

function mapStates(outcome: CommandOutcome, change: (state: State) => State): CommandOutcome {
	const yes = change(outcome.success);
	return {
		success: yes,
		failure: outcome.failure === outcome.success ? yes : change(outcome.failure),
		output: outcome.output,
	};
}

function assignAll(state: State, values: readonly (readonly [string, Value])[]): State {
	return values.reduce((now, [name, value]) => assign(now, name, value), state);
}

/** Takes assignments back that were made for one command only. */
function restore(state: State, before: State, names: readonly string[]): State {
	const variables = new Map(state.variables);
	for (const name of names) {
		const value = before.variables.get(name);
		if (value) variables.set(name, value);
		else variables.delete(name);
	}
	return { ...state, variables, exported: before.exported };
}

/** The words of one command, each as alternatives of lists, no more of them than can be judged. */
function expandArguments(
	walk: ShellWalk,
	words: readonly CommandArgument[],
	state: State,
	stdin: string,
	declared: (readonly [string, Value])[],
): readonly (readonly (readonly string[])[])[] {
	let count = 0;
	let text = 0;
	return words.map((word) => {
		if (count > footprintLimits.words || text > footprintLimits.text) {
			walk.record.overflow("more words than can be judged");
			return [[UNKNOWN_VALUE]];
		}
		const lists = expandArgument(walk, word, state, stdin, declared);
		for (const list of lists) {
			count += list.length;
			for (const item of list) text += item.length;
		}
		return lists;
	});
}

function expandArgument(
	walk: ShellWalk,
	word: CommandArgument,
	state: State,
	stdin: string,
	declared: (readonly [string, Value])[],
): readonly (readonly string[])[] {
	if (word.type === "Word") return expandWord(word, state, walk.expansion(stdin));
	const value = assignedValue(walk, word, state, stdin);
	declared.push([word.name, value]);
	return value.kind === "text"
		? value.options.map((text) => [`${word.name}=${text}`])
		: [[`${word.name}=${UNKNOWN_VALUE}`]];
}

function assignedValue(walk: ShellWalk, node: Assignment, state: State, stdin: string): Value {
	const expansion = walk.expansion(stdin);
	const before = node.append ? lookUp(state, node.name, walk.host) : undefined;
	if (node.value.type === "ArrayValue") {
		const rows = combine(node.value.elements.map((element) => expandWord(element, state, expansion)));
		const items = rows?.length === 1 ? rows[0]?.flat() : undefined;
		// `[key]=value` items: which item is where is not followed.
		if (!items || node.value.elements.some((element) => element.text.startsWith("["))) return unknownVariable;
		if (before && before.kind !== "array") return unknownVariable;
		const all = held(before ? [...before.items, ...items] : items, walk.record);
		return all ? { kind: "array", items: all } : unknownVariable;
	}
	const texts = expandText(node.value, state, expansion);
	if (node.index) {
		expandText(node.index, state, expansion);
		return unknownVariable;
	}
	if (!before) return textValue(...texts);
	if (before.kind === "array") return unknownVariable;
	const joined = combine([before.options, texts]);
	return joined
		? textValue(
				...heldTexts(
					joined.map((pair) => bounded(pair.join(""))),
					walk.record,
				),
			)
		: unknownVariable;
}

/** Runs a command given as words: a function, an alias, a builtin, a program. */
export function invoke(walk: ShellWalk, words: readonly string[], state: State, stdin: string): CommandOutcome {
	if (words.length > footprintLimits.words) walk.record.overflow("more words than can be judged");
	return invokeBounded(walk, words.slice(0, footprintLimits.words), state, stdin);
}

function invokeBounded(walk: ShellWalk, words: readonly string[], state: State, stdin: string): CommandOutcome {
	const [name, ...args] = words;
	if (name === undefined) return settled(state, "");
	if (!walk.record.spend(4 + words.length / 12)) return settled(state, UNKNOWN_VALUE);
	if (!isKnown(name)) return unknownCommand(walk, name, args, state, stdin);
	const bodies = state.functions.get(name);
	if (bodies) {
		let outcome: CommandOutcome | undefined;
		for (const body of bodies) {
			const one = body ? walk.callFunction(name, body, args, state, stdin) : invokeProgram(walk, words, state, stdin);
			outcome = outcome ? either(walk, outcome, one) : one;
		}
		if (outcome) return outcome;
	}
	const alias = state.aliases.get(name);
	if (alias !== undefined) {
		// Whether aliases are expanded depends on the shell: both readings are walked.
		walk.record.spend(state.aliases.size / 8);
		const plain = { ...state, aliases: new Map([...state.aliases].filter(([other]) => other !== name)) };
		const outcome = walk.runText(`${alias} ${args.map(quote).join(" ")}`, plain, stdin, new Set());
		return either(walk, outcome, invokeProgram(walk, words, state, stdin));
	}
	return invokeProgram(walk, words, state, stdin);
}

/** A word in a spelling that the grammar reads back as the same text, holes kept. */
function quote(word: string): string {
	return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Runs a builtin or program, functions and aliases aside. */
export function invokeProgram(walk: ShellWalk, words: readonly string[], state: State, stdin: string): CommandOutcome {
	const [word, ...args] = words;
	if (word === undefined) return settled(state, "");
	if (!isKnown(word)) return unknownCommand(walk, word, args, state, stdin);
	const builtin = Object.hasOwn(builtins, word) ? builtins[word] : undefined;
	if (builtin) return builtin(walk, args, state, stdin);
	if (word === "") return settled(state, "");
	const early = word.includes("/") ? undefined : foundOnPath(walk, word, state);
	if (early !== undefined && !installedPrograms.test(early)) recordFile(walk, early, args, state);
	const { name, file } = locate(walk, word, state);
	const program = findProgram(name);
	if (file) recordFile(walk, word, args, state);
	const said = program ? recordCall(walk, program, name, args, state, stdin) : undefined;
	if (!program && !file) recordUnlisted(walk, name, args, state);
	if (file) return settled(state, UNKNOWN_VALUE);
	return settled(state, said ?? printed(walk, name, args, state, stdin));
}

const installedPrograms =
	/(^|\/)(node_modules\/\.bin|\.?venv\/bin|env\/bin|\.venv\/Scripts|vendor\/bin|\.local\/bin|\.cargo\/bin|go\/bin|\.bun\/bin)\/[^/]+$/;

/** The program that a command word names; `file` where it is a file of its own and not one of the system's or the project's installed programs. */
function locate(walk: ShellWalk, word: string, state: State): { name: string; file: boolean } {
	const windows = walk.host.platform === "win32";
	const base = (path: string) => {
		const name = path.slice(Math.max(path.lastIndexOf("/"), windows ? path.lastIndexOf("\\") : -1) + 1);
		return windows || /\.exe$/i.test(name) ? name.replace(/\.(exe|cmd|bat|com)$/i, "") : name;
	};
	if (!word.includes("/") && !(windows && word.includes("\\"))) return { name: base(word), file: false };
	const rules = pathRules(walk.host);
	const paths = absolutePaths(windowsDrivePath(word), state.cwd, walk.record) ?? [word];
	const known = paths.every((path) => {
		const normal = rules.normalize(path);
		return isProgramFile(normal) || installedPrograms.test(normal) || isOnPath(normal, walk);
	});
	// A link of another name to one of the system's programs.
	const [real] = known || state.elsewhere ? [] : paths.map((path) => walk.record.real(path));
	if (real !== undefined && isProgramFile(real) && findProgram(base(real))) return { name: base(real), file: false };
	return { name: base(word), file: !known && !state.elsewhere };
}

/** A file of the project or elsewhere is run as a program: what it does is not in the command. */
function recordFile(walk: ShellWalk, word: string, args: readonly string[], state: State): void {
	const text = spellCommand([word, ...args]);
	const { record } = walk;
	const paths = accessWord(record, "read", word, state.cwd, text);
	const project = projectLaunchers.test(word);
	for (const path of paths) {
		const content = walk.written(path);
		if (content !== undefined) walk.runText(content, { ...state, parameters: [args] }, "", new Set());
	}
	recordOperands(walk, args, state, text);
	recordWithin(walk, args, state);
	record.unknown({ what: project ? "project" : "script", text, may: everyAccess });
	const fetched = !state.elsewhere && isDownloaded(walk, paths);
	const base = word.slice(word.lastIndexOf("/") + 1);
	record.run({
		program: base,
		args: knownWords(args),
		text,
		effects: [
			...(fetched ? ["run-download" as const] : []),
			...(dropsData(base, args) ? ["sql-drop" as const] : []),
			...(publishesByTask(base, args) ? ["publish" as const] : []),
		],
		changes: [],
	});
}

/** Build and task launchers that projects carry with them. */
const projectLaunchers =
	/(^|\/)(gradlew|mvnw|sbt|bazelw?|configure|manage\.py|artisan|rake|bin\/(rails|rake|rspec|setup|test|console|phpunit))$/;

function unknownCommand(
	walk: ShellWalk,
	name: string,
	args: readonly string[],
	state: State,
	stdin: string,
): CommandOutcome {
	const text = spellCommand([name, ...args]);
	walk.record.unknown({ what: "command", text, may: everyAccess });
	recordOperands(walk, args, state, text);
	walk.record.run({
		program: null,
		args: knownWords(args),
		text,
		effects: [],
		changes: [],
		...(state.elsewhere && { elsewhere: true as const }),
	});
	// `$PREFIX/bin/rm`: the folder is unknown, the program most likely is not.
	const base = name.slice(name.lastIndexOf("/") + 1);
	const program = name.includes("/") && isKnown(base) ? findProgram(base) : undefined;
	if (program) recordCall(walk, program, base, args, state, stdin);
	return settled(state, UNKNOWN_VALUE);
}
