// Reads a program's description for one command line: what its options add, which role an operand has, which subcommand it names.
import type { Behavior, ParsedArgument, Positions, ProgramSpec, Role } from "../programs/index.ts";
import type { ActiveCommand } from "./active-command.ts";

/**
 * The behavior for the options and operands given: the base of the description, changed by each option that matches, and by `bare` without
 * operands.
 */
export function behaviorFor(program: ProgramSpec, items: readonly ParsedArgument[]): Behavior {
	const given = givenBehaviors(program, items);
	let behavior: Behavior = program;
	for (const more of given)
		behavior = {
			...behavior,
			...more,
			effects: [...(behavior.effects ?? []), ...(more.effects ?? [])],
			changes: [...(behavior.changes ?? []), ...(more.changes ?? [])],
		};
	if (given.some((more) => more.unchanged)) behavior = { ...behavior, changes: [] };
	if (given.some((more) => more.harmless)) {
		const { opaque: _opaque, ...rest } = behavior;
		const own = given.find((more) => more.harmless && more.opaque)?.opaque;
		behavior = { ...rest, effects: [], changes: [], ...(own && { opaque: own }) };
	}
	const bare = program.withoutSubcommand && !items.some((item) => item.kind === "operand");
	return bare ? { ...behavior, ...program.withoutSubcommand } : behavior;
}

/** What each given option adds. */
function givenBehaviors(program: ProgramSpec, items: readonly ParsedArgument[]): readonly Behavior[] {
	if (!program.when) return [];
	return Object.entries(program.when).flatMap(([spellings, behavior]) => {
		const list = spellings.split(" ");
		const given = items.filter((item) => item.kind === "option" && list.includes(item.name));
		// `--dry-run=none` is not a dry run.
		const switchedOff = (behavior.harmless || behavior.unchanged) && given.every(isSwitchedOff);
		return given.length === 0 || switchedOff ? [] : [behavior];
	});
}

function isSwitchedOff(item: ParsedArgument): boolean {
	return item.kind === "option" && item.value !== undefined && /^(none|false|no|off|0|never)$/i.test(item.value);
}

/** The role of an option's value. */
export function optionRole(program: ProgramSpec, name: string): Role | undefined {
	return Object.entries(program.options ?? {}).find(([spellings]) => spellings.split(" ").includes(name))?.[1];
}

/** Whether one of these options was given, possibly abbreviated if the program allows it; spellings are separated by blanks. */
export function hasOption({ items, program }: Pick<ActiveCommand, "items" | "program">, spelling: string): boolean {
	const spellings = spelling.split(" ");
	return items.some((item) => item.kind === "option" && isSpelled(spellings, item.name, program));
}

function isSpelled(spellings: readonly string[], written: string, program: ProgramSpec): boolean {
	if (spellings.includes(written)) return true;
	if (!program.abbreviates || !written.startsWith("--") || written.length < 3) return false;
	return spellings.some((spelling) => spelling.startsWith(written));
}

/** The values given to an option, in order. */
export function optionValues(items: readonly ParsedArgument[], spelling: string): readonly string[] {
	const spellings = spelling.split(" ");
	return items.flatMap((item) =>
		item.kind === "option" && spellings.includes(item.name) && item.value !== undefined ? [item.value] : [],
	);
}

export function positionsOf(operands: Role | Positions | undefined): Positions {
	return typeof operands === "string" ? { rest: operands } : (operands ?? {});
}

/** The role of the operand at an index among `count` operands. */
export function roleAt(positions: Positions, index: number, count: number): Role | undefined {
	const first = positions.first?.[index];
	if (first) return first;
	if (positions.last && index === count - 1) return positions.last;
	return positions.rest;
}

/** The description of a subcommand by its name; by default, that of all other subcommands. */
export function findSubcommand(program: ProgramSpec, name: string): ProgramSpec | undefined {
	return namedSubcommand(program, name) ?? program.subcommands?.["*"];
}

/** The description of a subcommand that has a row of its own. */
export function namedSubcommand({ subcommands = {} }: ProgramSpec, name: string): ProgramSpec | undefined {
	if (name === "*") return undefined;
	return Object.entries(subcommands).find(([names]) => names.split(" ").includes(name))?.[1];
}

/** Whether a program only reads its operands. */
export function readsOnly(does: Behavior, program: ProgramSpec): boolean {
	return (does.operands === "read" || does.operands === "list") && program.subcommands === undefined;
}

/** Options that usually name a file that is written. */
export const outputOptions =
	/^--?(?:[\w-]+-)?(?:out(?:put|file)?|write|save|log(?:file)?|export|in-?place|edit|overwrite)(?:-(?:to|file|path|dir|directory))?$/;

/** Options that usually name code, or settings that may name some. */
const loaders =
	/^--?(?:[\w-]+-)?(?:require|import|loader|load|plugins?|preload|exec|exec-path|command|cmd|run|script|hook|pager|editor|browser|viewer|askpass|helper|program|shell|rsh|eval|engine|provider|vettool|toolexec|node-options|config-env|diff-cmd|kubeconfig|userconfig|globalconfig|python|compress-program|config(?:\.[\w.-]+)?|configuration|settings|options|flags|defaults|defaults-extra|rc|init|overlay|modfile)(?:-?(?:file|path|dir|directory|option|src|content|maybe))?$/;

/** Whether an option has a typical name of one that loads or runs something. */
export function isLoader(name: string): boolean {
	return name.length > 2 && loaders.test(name) && !/^--(?:no-|dry-run$)/.test(name);
}

/** Options that usually name a file that is read. */
export const inputOptions =
	/^--(?:[\w-]+-)?(?:file|from|in|input|path|env|data|body|key|cert|identity|secrets?|source|src|vars|values|upload|attach\w*|context)$/;

/** Whether a part of the description names an option. */
export function isNamed(name: string, program: ProgramSpec): boolean {
	const known = [
		...Object.keys(program.options ?? {}),
		...Object.keys(program.when ?? {}),
		program.attached ?? "",
		program.flags ?? "",
	];
	return known.some((spellings) => spellings.split(" ").includes(name));
}
