// Judges one command by its program's description (`../programs/`): its words are parsed, roles and effects of the description applied,
// subcommands followed, and the run recorded.
import { isDirectory, isTooLong, pathRules } from "../paths.ts";
import { absolutePaths } from "../places.ts";
import { recordPowerShell } from "../powershell/index.ts";
import type { Behavior, Call, ParsedArgument, ProgramSpec } from "../programs/index.ts";
import { findProgram, parseOptions, rewritesFiles } from "../programs/index.ts";
import { isKnown, UNKNOWN_VALUE } from "../text.ts";
import {
	type ActiveCommand,
	access,
	content,
	enterDirectory,
	innerState,
	openCommand,
	recordUnknown,
	runCommand,
	runFile,
	runProgramFile,
	runScript,
} from "./active-command.ts";
import { changePlaces } from "./change-places.ts";
import { copyContent } from "./contents.ts";
import { behaviorFor, findSubcommand, hasOption, namedSubcommand, optionValues } from "./description.ts";
import { applyItems, applyRole, detailOf, operandsOf } from "./roles.ts";
import { lookUp, type State } from "./state.ts";
import { recordOperands, recordTexts, recordWithin, textsAmong, wordEffects } from "./unlisted.ts";
import type { ShellWalk } from "./walk.ts";

/** Judges one command by its program's description, and records the run. Returns its output, if the description defines it. */
export function recordCall(
	walk: ShellWalk,
	program: ProgramSpec,
	name: string,
	args: readonly string[],
	state: State,
	stdin: string,
): string | undefined {
	const command = openCommand(walk, program, name, args, state, stdin);
	if (!asksForHelp(command)) followProgram(command, program, args);
	addDerivedEffects(command);
	const printed = printedBy(command);
	const { effects, changes, text } = command;
	// A pure wrapper does not count as a command; one with subcommands has arguments that rules may match.
	const wraps = command.innerOutputs.length > 0 && !program.subcommands;
	if (wraps && effects.size === 0 && changes.size === 0) return printed;
	walk.record.run({
		program: name,
		args,
		text,
		effects: [...effects],
		changes: [...changes],
		places: changePlaces(command),
		elsewhere: state.elsewhere,
	});
	return printed;
}

/** Whether a command only shows its version, or its help: after other words, `--help` may belong to a program that the command runs. */
function asksForHelp({ name, program, args }: ActiveCommand): boolean {
	if (args.at(-1) !== "--help") return args.length === 1 && args[0] === "--version";
	let described: ProgramSpec | undefined = program;
	// Each command of git reads its options before it acts.
	for (const [at, word] of args.slice(0, -1).entries())
		if (!(name === "git" && at > 0 && word.startsWith("--"))) described = described && namedSubcommand(described, word);
	return described !== undefined;
}

/** Effects derived from arguments and effects together, independent of the description. */
function addDerivedEffects(command: ActiveCommand): void {
	const { walk, name, args, effects, changes } = command;
	for (const effect of wordEffects(walk, [name, ...args], command.state, command.text)) {
		effects.add(effect);
		if (effect === "publish") changes.add("remote");
	}
	if (rewritesFiles(name, args)) {
		changes.add("worktree");
		command.changesIn ??= "directory";
	}
	// What it sends to another machine, it reads: every word that names something here.
	if (changes.has("remote")) recordOperands(walk, args, innerState(command), command.text);
	if (effects.has("nested-agent")) {
		// Another agent may change anything, anywhere.
		changes.add("worktree");
		command.changesIn = "anywhere";
	}
	if (effects.has("run-unknown-text") && walk.record.wasFetched()) effects.add("run-download");
}

function printedBy({ prints, innerOutputs }: ActiveCommand): string | undefined {
	if (prints !== undefined) return prints;
	return innerOutputs.length > 1 ? UNKNOWN_VALUE : innerOutputs[0];
}

/** Applies a description to words, then the description of the subcommand that they name. */
function followProgram(command: ActiveCommand, program: ProgramSpec, words: readonly string[]): void {
	if (program.fetches) command.walk.record.fetched();
	const outer = command.items;
	const items = parseOptions(program.subcommands ? { ...program, optionsFirst: true } : program, words);
	command.items = outer.length > 0 ? [...outer.filter((item) => item.kind === "option"), ...items] : items;
	const operands = operandsOf(items);
	const behavior = behaviorFor(program, command.items);
	command.operands = operands;
	addEffects(command, behavior, operands);
	applyItems(command, program, behavior, items);
	if (behavior.opaque) recordUnknown(command, behavior.opaque, command.text);
	searchWords(command, behavior, words);
	if (behavior.defaultRole && operands.length === 0) applyRole(command, behavior.defaultRole, ".", detailOf(behavior));
	if (program.subcommands && operands.length > 0) followSubcommand(command, program, operands, behavior);
	program.custom?.(callOf(command, items, operands, words));
	command.items = outer;
}

/** Applies the description of the subcommand that the first operand names. */
function followSubcommand(
	command: ActiveCommand,
	program: ProgramSpec,
	[name = "", ...rest]: readonly string[],
	{ operands }: Behavior,
): void {
	const subcommand = findSubcommand(program, name);
	if (subcommand) followProgram(command, program.optionsAnywhere ? withOptions(subcommand, program) : subcommand, rest);
	else if (!operands) recordUnknown(command, "program", command.text);
}

/** A subcommand that also accepts the options of its program. */
function withOptions(subcommand: ProgramSpec, { options, when }: ProgramSpec): ProgramSpec {
	return {
		...subcommand,
		options: { ...options, ...subcommand.options },
		when: { ...when, ...subcommand.when },
		...(subcommand.subcommands && { optionsAnywhere: true }),
	};
}

function addEffects(command: ActiveCommand, behavior: Behavior, operands: readonly string[]): void {
	const { effects, changes } = command;
	if (behavior.changesIn && command.changesIn !== "anywhere") command.changesIn = behavior.changesIn;
	// `rm -rf ""`, with a variable that is not set, removes nothing.
	const idle = behavior.operands === "delete" && operands.length > 0 && operands.every((word) => word === "");
	for (const effect of idle ? [] : (behavior.effects ?? [])) effects.add(effect);
	for (const change of behavior.changes ?? []) changes.add(change);
}

/** Looks for commands among the words of one that runs something unknown or works on another machine. */
function searchWords(command: ActiveCommand, behavior: Behavior, words: readonly string[]): void {
	const { walk } = command;
	const { opaque } = behavior;
	if (opaque === "program" || opaque === "script" || opaque === "file") recordWithin(walk, words, innerState(command));
	else if (opaque === "project") recordWithin(walk, words, innerState(command), "named");
	if (opaque) recordTexts(walk, [...textsAmong(words), command.stdin], innerState(command), command.text);
	if (!opaque && behavior.changes?.includes("remote"))
		recordWithin(walk, words, innerState(command, "elsewhere"), "named");
}

/** The command as its description's `custom` function sees it. */
function callOf(
	command: ActiveCommand,
	items: readonly ParsedArgument[],
	operands: readonly string[],
	args: readonly string[],
): Call {
	const { name, stdin, text, walk, effects, changes } = command;
	const { host, record } = walk;
	const asked = new Map<string, boolean>();
	const isAnyPath = (word: string, test: (path: string) => boolean) =>
		absolutePaths(word, command.directories, record)?.some(test) ?? false;
	return {
		name,
		args,
		items,
		operands,
		home: host.home,
		unique: walk.host.unique ?? "",
		stdin,
		text,
		applyRole: (role, word, detail) => applyRole(command, role, word, detail),
		access: (kind, word, detail) => access(command, kind, word, detail),
		addLink: (link, target) => recordLink(command, link, target),
		effect: (...named) => {
			for (const effect of named) effects.add(effect);
		},
		change: (...named) => {
			for (const change of named) changes.add(change);
		},
		unknown: (what, about, may) => recordUnknown(command, what, about, may),
		setOutput: (output) => {
			command.prints = output;
		},
		run: (words, input, where) => runCommand(command, words, input, where),
		script: (source, detail) => runScript(command, source, detail),
		runProgramFile: (word) => runProgramFile(command, word),
		runShellFile: (word, detail) => runFile(command, word, detail),
		foreignScript: (source, dialect) => runForeign(command, source, dialect),
		absolute: (word) => absoluteOf(command, word),
		changeDirectory: (word) => enterDirectory(command, word),
		delegate: (program, words) => followProgram(command, program, words),
		has(spelling) {
			if (!asked.has(spelling)) asked.set(spelling, hasOption(command, spelling));
			return asked.get(spelling) === true;
		},
		values: (spelling) => optionValues(command.items, spelling),
		searchResult: (detail) => record.found(detail),
		content: (word) => content(command, word),
		findUp: (entry) => findUp(command, entry),
		fileText: (path) => (record.wasPut(path, () => true) ? undefined : host.text?.(path)),
		variable: (variable) => variableOf(command, variable),
		isKnownProgram: (other) => findProgram(other) !== undefined,
		isDirectory: (word) => isAnyPath(word, (path) => isDirectory(path, host)),
		exists: (word) => isAnyPath(word, (path) => host.kind(path) !== undefined),
	};
}

function runForeign(command: ActiveCommand, source: string, dialect: "powershell" | "cmd"): void {
	const { walk, directories } = command;
	const run = (words: readonly string[], cwd: ActiveCommand["directories"]) =>
		void walk.runWords(words, { ...innerState(command), cwd }, "");
	recordPowerShell(source, dialect, walk.record, { directories, run, depth: 1 });
}

/** The value of a variable, as far as it is known; `undefined` if it is not set. */
function variableOf({ walk, state }: ActiveCommand, name: string): string | undefined {
	const value = lookUp(state, name, walk.host);
	if (value === undefined) return undefined;
	return value.kind === "text" && value.options.length === 1 ? value.options[0] : UNKNOWN_VALUE;
}

/** Records that a name leads to another place from now on. */
function recordLink({ walk, state, directories, stdin }: ActiveCommand, link: string, target: string): void {
	if (state.elsewhere || !isKnown(target)) return;
	const rules = pathRules(walk.host);
	for (const path of absolutePaths(link, directories, walk.record) ?? []) {
		walk.record.link(rules.normalize(path), target);
		copyContent(walk, rules.resolve(rules.dirname(path), target), path, directories, stdin);
	}
}

function absoluteOf({ walk, directories }: ActiveCommand, word: string): string {
	const [path, ...others] = absolutePaths(word, directories, walk.record) ?? [];
	return path === undefined || others.length > 0 ? UNKNOWN_VALUE : pathRules(walk.host).normalize(path);
}

/** The nearest directory at or above the current one that has an entry of this name. */
function findUp({ walk, directories }: ActiveCommand, entry: string): string | undefined {
	const rules = pathRules(walk.host);
	const start = directories?.length === 1 ? directories[0] : undefined;
	for (let at = start; at !== undefined && !isTooLong(at); at = rules.dirname(at)) {
		if (walk.host.kind(rules.join(at, entry)) !== undefined) return at;
		if (rules.dirname(at) === at) return undefined;
	}
	return undefined;
}
