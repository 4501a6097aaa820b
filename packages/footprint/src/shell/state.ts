// What a shell knows at one point of a script: working directory, variables, functions. Immutable; every change is a new state.
// Merging two states keeps every possibility of both; an unknown value is a placeholder or `undefined`, never a guess.
import type { CompoundCommand, CompoundList, Redirected } from "unbash";
import type { HostEnvironment } from "../footprint.ts";
import { distinct, UNKNOWN_VALUE } from "../text.ts";

/** The possible values of a variable; an array variable has its items in order. */
export type Value =
	| { readonly kind: "text"; readonly options: readonly string[] }
	| { readonly kind: "array"; readonly items: readonly string[] };

export type FunctionBody = CompoundCommand | Redirected | CompoundList;

export interface State {
	/** Possible working directories, absolute; `undefined` if unknown. */
	readonly cwd: readonly string[] | undefined;
	readonly variables: ReadonlyMap<string, Value>;
	/** A name may have several bodies (defined in branches); `undefined` among them: perhaps not defined. */
	readonly functions: ReadonlyMap<string, readonly (FunctionBody | undefined)[]>;
	/** The possible lists of `$1 …`; `undefined` if not even their number is known. */
	readonly parameters: readonly (readonly string[])[] | undefined;
	/** Variables that a child shell sees too, for certain or perhaps; those that the environment already has need not be listed. */
	readonly exported: ReadonlyMap<string, "surely" | "perhaps">;
	/** Something unseen (`source`, unknown text) may have set variables: one that is not set here is unknown, not empty. */
	readonly lost: boolean;
	/** `any`: the shell may be one that knows less than bash does, such as `dash`. */
	readonly dialect: "bash" | "any";
	/** `shopt` switches that change how globs match. */
	readonly globbing: "plain" | "changed";
	/** The command runs on another machine or in a container. */
	readonly elsewhere: boolean;
	/** It runs in a container that has no folder of this machine. */
	readonly isolated: boolean;
	/** `set -e`: a failed command ends the shell. */
	readonly errexit: boolean;
	/** The shell has ended, so nothing that follows runs. */
	readonly ended: boolean;
}

export const unknownVariable: Value = { kind: "text", options: [UNKNOWN_VALUE] };

const MAX_VARIABLES = 256;

export function openState(host: HostEnvironment): State {
	return {
		cwd: [host.cwd],
		variables: new Map(),
		functions: new Map(),
		parameters: [[]],
		exported: new Map(),
		dialect: "bash",
		lost: false,
		globbing: "plain",
		elsewhere: false,
		isolated: false,
		errexit: false,
		ended: false,
	};
}

export function textValue(...options: readonly string[]): Value {
	return { kind: "text", options: distinct(options) };
}

export function assign(state: State, name: string, value: Value): State {
	const before = state.variables.get(name);
	if (before && sameValue(before, value)) return state;
	if (!before && state.variables.size >= MAX_VARIABLES) return { ...state, lost: true };
	return { ...state, variables: new Map(state.variables).set(name, value) };
}

/** Name of the variable that holds the names of integer variables; no shell name can be like it. */
const INTEGERS = "integer variables";
const ownIntegers = /^(?:SECONDS|RANDOM|SRANDOM|OPTIND|LINENO|HISTCMD|BASHPID|PPID|E?UID)$/;

/** Whether bash evaluates what is assigned to a variable. */
export function isInteger(name: string, { variables }: State): boolean {
	const named = variables.get(INTEGERS);
	return (
		ownIntegers.test(name) || (named?.kind === "text" && named.options.some((list) => list.split(" ").includes(name)))
	);
}

/** The state after `declare -i`. */
export function withIntegers(state: State, names: readonly string[]): State {
	const named = state.variables.get(INTEGERS);
	const lists = named?.kind === "text" ? named.options : [""];
	return assign(state, INTEGERS, textValue(...lists.map((list) => [list, ...names].join(" "))));
}

/** Variables that bash itself sets, or that change while it runs. */
const shellOwn =
	/^(BASH\w*|RANDOM|SRANDOM|SECONDS|EPOCH\w+|LINENO|PPID|E?UID|GROUPS|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|SHLVL|DIRSTACK|FUNCNAME|OPTIND|OPTARG|PIPESTATUS|REPLY|MAPFILE|COPROC|_)$/;

/** The value of a variable; `undefined` if it is not set. */
export function lookUp(state: State, name: string, host: HostEnvironment): Value | undefined {
	const assigned = state.variables.get(name);
	if (assigned) return assigned;
	if (name === "PWD") return state.cwd ? textValue(...state.cwd) : unknownVariable;
	if (name === "OLDPWD" || shellOwn.test(name) || host.isVolatile?.(name)) return unknownVariable;
	if (state.elsewhere) return unknownVariable;
	if (name === "IFS") return textValue(" \t\n");
	if (name === "HOME") return textValue(host.home);
	const set = host.env(name);
	if (set === undefined) return state.lost ? unknownVariable : undefined;
	return textValue(set);
}

/** What a child shell starts with: exported variables, the same directory; functions perhaps. */
export function childState(state: State, host: HostEnvironment): State {
	const variables = new Map<string, Value>();
	for (const [name, value] of state.variables) {
		const own = name === "HOME" || name === "OLDPWD" || host.env(name) !== undefined;
		const exported = own ? "surely" : state.exported.get(name);
		if (exported === "surely") variables.set(name, value);
		else if (exported) variables.set(name, value.kind === "text" ? textValue("", ...value.options) : unknownVariable);
	}
	const functions = new Map([...state.functions].map(([name, bodies]) => [name, [...bodies, undefined]] as const));
	return { ...state, variables, functions, parameters: [[]], globbing: "plain", errexit: false };
}

export function withExported(state: State, names: readonly string[]): State {
	if (names.every((name) => state.exported.get(name) === "surely")) return state;
	return { ...state, exported: new Map([...state.exported, ...names.map((name) => [name, "surely"] as const)]) };
}

function sameValue(a: Value, b: Value): boolean {
	if (a === b) return true;
	if (a.kind === "text") return b.kind === "text" && sameList(a.options, b.options);
	return b.kind === "array" && sameList(a.items, b.items);
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
	return a.length === b.length && a.every((item, index) => item === b[index]);
}

function mergeValues(a: Value | undefined, b: Value | undefined): Value {
	if (a && b) {
		if (sameValue(a, b)) return a;
		if (a.kind === "text" && b.kind === "text") return textValue(...a.options, ...b.options);
		return unknownVariable;
	}
	const set = a ?? b;
	return set?.kind === "text" ? textValue("", ...set.options) : unknownVariable;
}

const MAX_DIRECTORIES = 16;

/** The state after either of two: everything that could be true in one of them. One in which the shell has ended leads nowhere. */
export function merge(a: State, b: State, host: HostEnvironment): State {
	if (a === b) return a;
	if (a.ended !== b.ended) return a.ended ? b : a;
	return {
		...a,
		cwd: mergeDirectories(a.cwd, b.cwd),
		variables: a.variables === b.variables ? a.variables : mergeVariables(a, b, host),
		functions: a.functions === b.functions ? a.functions : mergeFunctions(a, b),
		parameters: a.parameters === b.parameters ? a.parameters : mergeParameters(a.parameters, b.parameters),
		exported: a.exported === b.exported ? a.exported : mergeExported(a.exported, b.exported),
		lost: a.lost || b.lost,
		globbing: a.globbing === "changed" || b.globbing === "changed" ? "changed" : "plain",
		errexit: a.errexit && b.errexit,
	};
}

function mergeDirectories(a: State["cwd"], b: State["cwd"]): State["cwd"] {
	if (a === undefined || b === undefined) return undefined;
	if (sameList(a, b)) return a;
	const all = new Set([...a, ...b]);
	return all.size > MAX_DIRECTORIES ? undefined : [...all];
}

const MAX_PARAMETER_LISTS = 24;

function mergeParameters(a: State["parameters"], b: State["parameters"]): State["parameters"] {
	if (a === undefined || b === undefined) return undefined;
	const lists = [...a, ...b.filter((list) => !a.some((other) => sameList(other, list)))];
	return lists.length > MAX_PARAMETER_LISTS ? undefined : lists;
}

function mergeVariables(a: State, b: State, host: HostEnvironment): State["variables"] {
	const merged = new Map(a.variables);
	for (const [name, value] of a.variables)
		if (!b.variables.has(name)) merged.set(name, mergeValues(value, lookUp(b, name, host)));
	for (const [name, value] of b.variables)
		merged.set(name, mergeValues(a.variables.get(name) ?? lookUp(a, name, host), value));
	return merged;
}

function mergeExported(a: State["exported"], b: State["exported"]): State["exported"] {
	const merged = new Map<string, "surely" | "perhaps">();
	for (const name of [...a.keys(), ...b.keys()])
		merged.set(name, a.get(name) === "surely" && b.get(name) === "surely" ? "surely" : "perhaps");
	return merged;
}

function mergeFunctions(a: State, b: State): State["functions"] {
	const merged = new Map<string, readonly (FunctionBody | undefined)[]>();
	for (const name of new Set([...a.functions.keys(), ...b.functions.keys()])) {
		const bodies = [...(a.functions.get(name) ?? [undefined]), ...(b.functions.get(name) ?? [undefined])];
		merged.set(name, [...new Set(bodies)]);
	}
	return merged;
}

/** Whether everything that `small` allows, `large` allows too: walking once more from `small` would find nothing new. */
export function covers(large: State, small: State): boolean {
	if (large === small || (small.ended && !large.ended)) return true;
	return (
		(small.errexit || !large.errexit) &&
		(large.lost || !small.lost) &&
		(!large.cwd || (small.cwd?.every((path) => large.cwd?.includes(path)) ?? false)) &&
		coversParameters(large.parameters, small.parameters) &&
		small.functions === large.functions &&
		small.globbing === large.globbing &&
		(small.exported === large.exported || coversExported(large.exported, small.exported)) &&
		(small.variables === large.variables ||
			[...small.variables].every(([name, value]) => coversValue(large.variables.get(name), value)))
	);
}

function coversParameters(large: State["parameters"], small: State["parameters"]): boolean {
	if (!large || large === small) return true;
	return small?.every((list) => large.some((other) => sameList(other, list))) ?? false;
}

function coversValue(large: Value | undefined, small: Value): boolean {
	if (!large) return false;
	if (sameValue(large, small)) return true;
	if (large.kind !== "text") return false;
	if (large.options[0] === UNKNOWN_VALUE) return true;
	return small.kind === "text" && small.options.every((option) => large.options.includes(option));
}

function coversExported(large: State["exported"], small: State["exported"]): boolean {
	return [...large, ...small].every(([name]) => large.get(name) === "perhaps" || large.get(name) === small.get(name));
}

/** Makes every variable in which two states differ unknown, and the directory and parameters too: the end of a loop that keeps changing them. */
export function widen(before: State, after: State, host: HostEnvironment): State {
	let state = merge(before, after, host);
	for (const [name, value] of after.variables) {
		const first = before.variables.get(name);
		if (!first || !sameValue(first, value)) state = assign(state, name, unknownVariable);
	}
	if (before.parameters !== after.parameters) state = { ...state, parameters: undefined };
	if (!before.cwd || !after.cwd || !sameList(before.cwd, after.cwd)) state = { ...state, cwd: undefined };
	return state;
}
