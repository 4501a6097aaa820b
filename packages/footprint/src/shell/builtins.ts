// Builtins that change the shell's state: variables, functions, the next command.
// Builtins that only print or test are in the program table.
import { parse } from "unbash";
import type { Effect } from "../effects.ts";
import { absolutePaths } from "../places.ts";
import { findProgram } from "../programs/index.ts";
import { isKnown, isOpen, spellCommand, UNKNOWN_VALUE } from "../text.ts";
import { recordCall } from "./call.ts";
import { changeDirectory, popDirectory, pushDirectory } from "./directories.ts";
import { recordHistoryOff } from "./environment.ts";
import { errexitAfter } from "./errexit.ts";
import { evaluateText } from "./evaluated-text.ts";
import { printed } from "./output.ts";
import { assign, type State, textValue, unknownVariable, type Value, withExported, withIntegers } from "./state.ts";
import { type Builtin, type CommandOutcome, type ShellWalk, settled } from "./walk.ts";

const declarations = ["export", "declare", "typeset", "local", "readonly"];

/** Whether a command's assignment words persist afterwards. */
export function isDeclaration(name: string, args: readonly string[]): boolean {
	return declarations.includes(name) && !(name !== "export" && args.some(changesValue));
}

/** Attributes of a variable that make of a value something else: a number, another case, another variable. */
function changesValue(option: string): boolean {
	return /^[-+]\w*[iuln]/.test(option);
}

const declare: Builtin = (walk, args, state) => {
	const options = args.filter((arg) => /^[-+]\w/.test(arg));
	const operands = args.filter((arg) => !options.includes(arg));
	const isNumber = options.some((option) => /^-\w*[in]/.test(option));
	// `declare 'a[…]=1'`, `declare -a 'a=($(…))'`, `declare -i n='a[…]'`: names, lists and numbers are evaluated once more.
	for (const operand of operands)
		if (isNumber || /^[A-Za-z_]\w*(?:\[|\+?=\()/.test(operand)) evaluateText(operand, walk.expansion(state, ""));
	const numbers = options.some((option) => /^-\w*i/.test(option))
		? operands.map((operand) => operand.replace(/\W.*/s, ""))
		: [];
	const next = operands.reduce((now, operand) => declareName(now, operand, options), withIntegers(state, numbers));
	return settled(next, options.includes("-p") || args.length === 0 ? UNKNOWN_VALUE : "");
};

/** The state after `declare name` or `declare name=value`. */
function declareName(state: State, operand: string, options: readonly string[]): State {
	const [, name, value] = /^([A-Za-z_]\w*)\+?(?:=(.*))?$/s.exec(operand) ?? [];
	// `local -` makes the options of `set` local, too.
	if (operand === "-") return { ...state, lost: true };
	if (!name) return isKnown(operand) ? state : { ...state, lost: true };
	const refers = options.some((option) => /^-\w*n/.test(option));
	// From here on the two names are one variable: neither is followed.
	const now = refers && value !== undefined ? assignNamed(state, value, unknownVariable) : state;
	if (options.some(changesValue)) return assign(now, name, unknownVariable);
	return value === undefined ? now : assign(now, name, textValue(value));
}

/** The state after a variable got a value; one with an unknown name may be any. */
function assignNamed(state: State, name: string, value: Value): State {
	return /^[A-Za-z_]\w*$/.test(name) ? assign(state, name, value) : { ...state, lost: true };
}

const exportNames: Builtin = (walk, args, state, stdin) => {
	const names = args.flatMap((arg) => /^([A-Za-z_]\w*)/.exec(arg)?.[1] ?? []);
	const outcome = declare(
		walk,
		args.filter((arg) => arg !== "-n"),
		state,
		stdin,
	);
	// Exporting copies the known values.
	walk.record.spend(state.exported.size / 8);
	return settled(withExported(outcome.success, names), outcome.output);
};

const evaluate: Builtin = (walk, args, state, stdin) => {
	const text = args.filter((arg, index) => !(index === 0 && arg === "--")).join(" ");
	const outcome = runHere(walk, "eval", text, state, stdin);
	return isKnown(text)
		? outcome
		: { ...outcome, success: { ...outcome.success, lost: true }, failure: { ...outcome.failure, lost: true } };
};

/** Walks text in this very shell; unknown text is recorded as a run of `name`. */
function runHere(walk: ShellWalk, name: string, text: string, state: State, stdin: string): CommandOutcome {
	const effects = new Set<Effect>();
	const outcome = walk.runText(text, state, stdin, effects);
	if (effects.has("run-unknown-text") && walk.record.wasFetched()) effects.add("run-download");
	if (effects.size > 0) walk.record.run({ program: name, args: [UNKNOWN_VALUE], text: `${name} …`, effects });
	return outcome;
}

const source: Builtin = (walk, args, state, stdin) => {
	const [file, ...parameters] = args.filter((arg, index) => !(index === 0 && arg === "--"));
	if (file === undefined) return settled(state, "");
	const inner = parameters.length > 0 ? { ...state, parameters: [parameters] } : state;
	const connected = walk.connected(file) ?? (file === "/dev/stdin" ? stdin : undefined);
	if (connected !== undefined) return runHere(walk, "source", connected, inner, stdin);
	const text = spellCommand(["source", ...args]);
	const paths = absolutePaths(file, state.cwd, walk.record);
	for (const path of paths ?? []) walk.record.access("read", path, text);
	walk.record.unknown({ what: "file", text });
	walk.record.run({
		program: "source",
		args,
		text,
	});
	const written = paths?.length === 1 && paths[0] ? walk.written(paths[0]) : undefined;
	if (written !== undefined) return runHere(walk, "source", written, inner, stdin);
	return settled({ ...state, lost: true }, UNKNOWN_VALUE);
};

const trap: Builtin = (walk, args, state, stdin) => {
	const operands = args.filter((arg) => arg !== "--" && !/^-[lp]$/.test(arg));
	const text = operands[0];
	if (text === undefined || operands.length < 2 || text === "-" || text === "") return settled(state, "");
	runHere(walk, "trap", text, state, stdin);
	walk.addTrap(text);
	return settled(state, "");
};

const readVariables: Builtin = (walk, args, state, stdin) => {
	const names = builtinOperands(args, "dnNptui");
	evaluateNames(walk, names, state);
	const array = args.some((arg) => /^-\w*a/.test(arg));
	const lines = isOpen(stdin) || stdin.length > 4000 ? undefined : stdin.split("\n");
	let next = state;
	for (const name of names.length > 0 ? names : ["REPLY"]) {
		// The position of a loop in the file is not tracked: any line is possible.
		const simple =
			lines && lines.length <= 40 && names.length <= 1 && !array && args.every((arg) => !/^-\w*[dnN]/.test(arg));
		next = assignNamed(next, name, simple ? textValue(...lines.map((line) => line.trim()), "") : unknownVariable);
	}
	return settled(next, "");
};

const readLinesBuiltin: Builtin = (walk, args, state, stdin) => {
	for (const [at, arg] of args.entries()) {
		const callback = /^-\w*?C(.*)$/s.exec(arg)?.[1];
		if (callback !== undefined) runHere(walk, "mapfile", callback || (args[at + 1] ?? ""), state, stdin);
	}
	const name = builtinOperands(args, "dnOsuCc")[0] ?? "MAPFILE";
	evaluateNames(walk, [name], state);
	const items = stdin.replace(/\n$/, "").split("\n");
	const simple = !isOpen(stdin) && args.includes("-t") && items.length <= 200;
	return settled(assignNamed(state, name, simple ? { kind: "array", items } : unknownVariable), "");
};

/** Walks the commands in names of variables, whose subscripts are evaluated. */
function evaluateNames(walk: ShellWalk, names: readonly string[], state: State): void {
	for (const name of names) evaluateText(name, walk.expansion(state, ""));
}

/** Operands, with the options that take a value (as single letters) skipped. */
function builtinOperands(args: readonly string[], valued: string): readonly string[] {
	const operands: string[] = [];
	for (let at = 0; at < args.length; at++) {
		const arg = args[at] ?? "";
		if (!arg.startsWith("-") || arg === "-") operands.push(arg);
		else if (valued.includes(arg.at(-1) ?? "?") && arg.length === 2) at++;
	}
	return operands;
}

const unset: Builtin = (walk, args, state) => {
	evaluateNames(walk, args, state);
	let next = state;
	if (args.some((arg) => /^(?:HISTFILE|HISTSIZE|SAVEHIST)$/.test(arg)))
		recordHistoryOff(walk, `unset ${args.join(" ")}`);
	for (const arg of args) {
		if (arg.startsWith("-")) continue;
		if (!isKnown(arg)) next = { ...next, lost: true };
		else if (args.includes("-f") || (next.functions.has(arg) && !next.variables.has(arg)))
			next = { ...next, functions: new Map([...next.functions].filter(([name]) => name !== arg)) };
		else {
			const name = arg.replace(/\[.*/s, "");
			const exported = new Map(next.exported);
			exported.delete(name);
			next = { ...assign(next, name, textValue("")), exported };
		}
	}
	return settled(next, "");
};

/** Whether aliases are expanded depends on the shell: a name may mean the alias from now on. */
const alias: Builtin = (walk, args, state) => {
	// Defining copies the known functions.
	if (!walk.record.spend(state.functions.size / 8)) return settled(state, UNKNOWN_VALUE);
	const functions = new Map(state.functions);
	for (const arg of args) {
		const [, name, text] = /^([^=]+)=(.+)$/s.exec(arg) ?? [];
		if (name === undefined) continue;
		const body = parse(`{ ${text} "$@"\n}`).commands[0]?.command;
		if (body?.type === "BraceGroup") functions.set(name, [body, undefined]);
	}
	return settled({ ...state, functions }, "");
};

/** `hash -p path name`: from now on, the name refers to that file. */
const hash: Builtin = (walk, args, state, stdin) => {
	const [path, name] = args[0] === "-p" ? args.slice(1) : [];
	return path === undefined || name === undefined
		? settled(state, UNKNOWN_VALUE)
		: alias(walk, [`${name}=${path}`], state, stdin);
};

const command: Builtin = (walk, args, state, stdin) => {
	let at = 0;
	let asks = false;
	for (; /^-[pvV]+$/.test(args[at] ?? ""); at++) asks ||= /[vV]/.test(args[at] ?? "");
	if (args[at] === "--") at++;
	const names = args.slice(at);
	if (!asks) return walk.runProgram(names, state, stdin);
	const own = names.some((name) => state.functions.has(name));
	return settled(
		state,
		own || args.some((arg) => /^-\w*V/.test(arg)) ? UNKNOWN_VALUE : printed(walk, "which", names, state, ""),
	);
};

const execute: Builtin = (walk, args, state, stdin) => {
	let at = 0;
	for (; /^-[cla]+$/.test(args[at] ?? ""); at++) if (args[at]?.endsWith("a")) at++;
	if (args[at] === "--") at++;
	return settled(state, walk.runProgram(args.slice(at), state, stdin).output);
};

const setOptions: Builtin = (walk, args, state) => {
	if (args.some((arg, at) => arg === "history" && /^\+\w*o$/.test(args[at - 1] ?? "")))
		recordHistoryOff(walk, "set +o history");
	const dashes = args.indexOf("--");
	const errexit = errexitAfter(args, state.errexit);
	const now = errexit === state.errexit ? state : { ...state, errexit };
	if (dashes >= 0) return settled({ ...now, parameters: [args.slice(dashes + 1)] }, "");
	const first = args.findIndex((arg, index) => !/^[-+]/.test(arg) && !/^[-+]\w*o$/.test(args[index - 1] ?? ""));
	if (first >= 0) return settled({ ...now, parameters: [args.slice(first)] }, "");
	return settled(now, args.length === 0 ? UNKNOWN_VALUE : "");
};

const shift: Builtin = (_walk, args, state) => {
	const count = Number(args[0] ?? "1");
	if (!Number.isInteger(count) || count < 0) return settled({ ...state, parameters: undefined }, "");
	// Where there are not that many, they stay, and the command fails.
	const parameters = state.parameters?.map((list) => (list.length < count ? list : list.slice(count)));
	return settled({ ...state, parameters }, "");
};

const shellSwitch: Builtin = (_walk, args, state) => {
	const globs = args.some(
		(arg) => /^(dotglob|globstar|nocaseglob|failglob|globasciiranges)$/.test(arg) || !isKnown(arg),
	);
	const now = args.some((arg) => arg === "errexit" || !isKnown(arg)) ? { ...state, errexit: false } : state;
	return settled(globs ? { ...now, globbing: "changed" } : now, args.length > 1 ? "" : UNKNOWN_VALUE);
};

const assignNames: Builtin = (walk, args, state) => {
	evaluateNames(walk, args, state);
	let next = state;
	for (const arg of args) {
		const name = /^([A-Za-z_]\w*)/.exec(arg)?.[1];
		if (name) next = assign(next, name, unknownVariable);
	}
	return settled(next, "");
};

const formatInto: Builtin = (walk, args, state, stdin) => {
	const name = args[0] === "-v" ? args[1] : /^-v(.+)$/s.exec(args[0] ?? "")?.[1];
	if (name === undefined) return settled(state, printed(walk, "printf", args, state, stdin));
	evaluateNames(walk, [name], state);
	const text = printed(walk, "printf", args.slice(args[0] === "-v" ? 2 : 1), state, stdin);
	return settled(assignNamed(state, name, textValue(text)), "");
};

/** `umask 000`: from now on, new files are writable by everyone. */
const maskModes: Builtin = (walk, args, state) => {
	const mode = args.find((arg) => !arg.startsWith("-"));
	if (mode === undefined) return settled(state, UNKNOWN_VALUE);
	const open = /^[0-7]+$/.test(mode) ? (Number(mode.at(-1)) & 2) === 0 : /(^|,)[ug]*[oa]+[ug]*[=+][rx]*w/.test(mode);
	const text = spellCommand(["umask", ...args]);
	walk.record.run({ program: "umask", args, text, effects: open ? ["open-permissions"] : [] });
	return settled(state, "");
};

/** `exit` with one status; with more arguments it fails. What `trap` has set still runs. */
const leave: Builtin = (walk, args, state) =>
	settled(args.length > 1 || !args.every(isKnown) || walk.hasTraps ? state : { ...state, ended: true }, "");

const quiet: Builtin = (_walk, _args, state) => settled(state, "");

/** `test -v 'a[…]'` evaluates the subscript. */
const testOperands: Builtin = (walk, args, state, stdin) => {
	evaluateNames(
		walk,
		args.filter((_arg, at) => /^-[vR]$/.test(args[at - 1] ?? "")),
		state,
	);
	const program = findProgram("test");
	return settled(state, (program && recordCall(walk, program, "test", args, state, stdin)) ?? "");
};

/** `jobs -x command` runs a command. */
const listJobs: Builtin = (walk, args, state, stdin) =>
	args[0] === "-x" ? walk.runWords(args.slice(1), state, stdin) : settled(state, UNKNOWN_VALUE);

/** Builtins by name. Those that run their arguments or text come first. */
export const builtins: { readonly [name: string]: Builtin } = {
	eval: evaluate,
	source,
	".": source,
	trap,
	command,
	builtin: (walk, args, state, stdin) => walk.runProgram(args, state, stdin),
	exec: execute,
	cd: changeDirectory,
	chdir: changeDirectory,
	pushd: pushDirectory,
	popd: popDirectory,
	export: exportNames,
	declare,
	typeset: declare,
	local: declare,
	readonly: declare,
	read: readVariables,
	mapfile: readLinesBuiltin,
	readarray: readLinesBuiltin,
	unset,
	alias,
	unalias: quiet,
	hash,
	set: setOptions,
	shift,
	shopt: shellSwitch,
	let: assignNames,
	getopts: (walk, args, state, stdin) => assignNames(walk, args.slice(1, 2), state, stdin),
	printf: formatInto,
	":": quiet,
	return: quiet,
	exit: leave,
	break: quiet,
	continue: quiet,
	// `wait -p name`
	wait: assignNames,
	test: testOperands,
	"[": testOperands,
	jobs: listJobs,
	times: quiet,
	umask: maskModes,
	ulimit: quiet,
};
