// The builtins cd, pushd and popd.
import { isDirectory, isTooLong, pathRules } from "../paths.ts";
import { absolutePaths, withoutSlash } from "../places.ts";
import { isKnown, SOME_NAME, UNKNOWN_VALUE } from "../text.ts";
import { assign, lookUp, type State, textValue, unknownVariable, type Value } from "./state.ts";
import { type Builtin, type ShellWalk, settled } from "./walk.ts";

/** Name of the variable that holds the directory stack of `pushd`; no shell name can be like it. */
const STACK = "directory stack";
/** Folders deeper in the stack are forgotten: the target of `popd` is then unknown. */
const MAX_STACK = 64;

export const changeDirectory: Builtin = (walk, args, state) => {
	const operands = args.filter((arg) => !/^-[LPe@]+$/.test(arg) && arg !== "--");
	const before = state.cwd && state.cwd.length === 1 ? textValue(...state.cwd) : unknownVariable;
	const arrive = (cwd: State["cwd"]): State => assign({ ...state, cwd }, "OLDPWD", before);
	const word = operands[0] ?? firstValue(lookUp(state, "HOME", walk.host));
	if (word === "") return settled(state, "");
	const target = word === "-" ? firstValue(lookUp(state, "OLDPWD", walk.host)) : word;
	if (state.elsewhere) return settled(arrive(undefined), "");
	const folders = /^\.{0,2}(\/|$)/.test(target) ? "" : firstValue(lookUp(state, "CDPATH", walk.host));
	const paths = folders === "" ? absolutePaths(target, state.cwd, walk.record) : searched(walk, target, folders, state);
	if (!paths || paths.some(isTooLong)) return { success: arrive(undefined), failure: state, output: UNKNOWN_VALUE };
	const rules = pathRules(walk.host);
	const physical = args.includes("-P");
	const there = [
		...new Set(paths.map((path) => withoutSlash(physical ? walk.record.real(path) : rules.normalize(path)))),
	];
	const succeeds = there.every(
		(path) => !walk.record.removed(path) && (isDirectory(path, walk.host) || isMadeTemporary(walk, path, target)),
	);
	const yes = arrive(there);
	return { success: yes, failure: succeeds ? yes : state, output: word === "-" ? UNKNOWN_VALUE : "" };
};

/** Whether the script itself has made a directory in an existing folder for temporary files, by `mktemp` or `mkdir`. */
function isMadeTemporary({ host, record }: ShellWalk, path: string, word: string): boolean {
	const above = pathRules(host).dirname(path);
	const isMade = word.includes(SOME_NAME) || record.wasPut(path, (by) => by.startsWith("mkdir "));
	const isTemporary = [host.temp, "/tmp", "/var/tmp"].some((folder) => `${above}/`.startsWith(`${folder}/`));
	return isTemporary && isMade && host.kind(path) === undefined && isDirectory(above, host);
}

/** Where `cd` may arrive that looks in the folders of `CDPATH`: every one that has such a directory, and the current one. */
function searched(walk: ShellWalk, target: string, folders: string, state: State): readonly string[] | undefined {
	// Every folder is a question to the disk.
	if (!isKnown(folders) || !walk.record.spend(16 + folders.length / 100)) return undefined;
	const here = absolutePaths(target, state.cwd, walk.record);
	const others = folders
		.split(":")
		.slice(0, 16)
		.flatMap((folder) => (folder === "" ? [] : (absolutePaths(`${folder}/${target}`, state.cwd, walk.record) ?? [])));
	const there = others.filter((path) => isDirectory(path, walk.host));
	return here && [...there, ...here];
}

function firstValue(value: Value | undefined): string {
	if (!value) return "";
	return value.kind === "text" && value.options.length === 1 ? (value.options[0] ?? "") : UNKNOWN_VALUE;
}

function stackOf(state: State): readonly string[] {
	const value = state.variables.get(STACK);
	return value?.kind === "array" ? value.items : [];
}

export const pushDirectory: Builtin = (walk, args, state, stdin) => {
	const operand = args.find((arg) => !arg.startsWith("-"));
	if (operand === undefined || operand.startsWith("+")) return settled({ ...state, cwd: undefined }, UNKNOWN_VALUE);
	const here = state.cwd?.length === 1 ? (state.cwd[0] ?? UNKNOWN_VALUE) : UNKNOWN_VALUE;
	const outcome = changeDirectory(walk, [operand], state, stdin);
	const stack: Value = { kind: "array", items: [here, ...stackOf(state)].slice(0, MAX_STACK) };
	const yes = assign(outcome.success, STACK, stack);
	const fails = state.dialect === "any" ? state : outcome.failure;
	return { success: yes, failure: fails === outcome.success ? yes : fails, output: UNKNOWN_VALUE };
};

export const popDirectory: Builtin = (_walk, args, state) => {
	const [top, ...rest] = stackOf(state);
	const plain = args.every((arg) => arg === "-n") && top !== undefined && isKnown(top);
	const yes = assign({ ...state, cwd: plain ? [top] : undefined }, STACK, { kind: "array", items: rest });
	return { success: yes, failure: state.dialect === "any" ? state : yes, output: UNKNOWN_VALUE };
};
