// Reads a program's description for one command line: what its options add, which role an operand has, which subcommand is meant.
import type { Behavior, Item, Positions, ProgramSpec, Role } from "../programs/index.ts";

/** What a description says for the options given: the base, changed by each option that matches. */
export function gather(program: ProgramSpec, items: readonly Item[]): Behavior {
	let does: Behavior = program;
	let harmless = false;
	let unchanged = false;
	for (const [spellings, more] of Object.entries(program.when ?? {})) {
		const list = spellings.split(" ");
		const given = items.filter((item) => item.kind === "option" && list.includes(item.name));
		if (given.length === 0) continue;
		// `--dry-run=none` is no dry run.
		if ((more.harmless || more.unchanged) && given.every(isSwitchedOff)) continue;
		if (more.harmless) harmless = true;
		if (more.unchanged) unchanged = true;
		does = {
			...does,
			...more,
			effects: [...(does.effects ?? []), ...(more.effects ?? [])],
			changes: [...(does.changes ?? []), ...(more.changes ?? [])],
		};
	}
	if (unchanged) does = { ...does, changes: [] };
	if (!harmless) return does;
	const { opaque: _opaque, ...calm } = does;
	return { ...calm, effects: [], changes: [] };
}

function isSwitchedOff(item: Item): boolean {
	return item.kind === "option" && item.value !== undefined && /^(none|false|no|off|0|never)$/i.test(item.value);
}

/** The role of an option's value. */
export function optionRole(program: ProgramSpec, name: string): Role | undefined {
	for (const [spellings, role] of Object.entries(program.options ?? {}))
		if (spellings === name || spellings.split(" ").includes(name)) return role;
	return undefined;
}

/** Roles by position, with room for a destination that an option names. */
export function positionsOf(operands: Role | Positions | undefined): Positions & { destination: string | undefined } {
	if (typeof operands === "string") return { rest: operands, destination: undefined };
	return { ...operands, destination: undefined };
}

/** The role of the operand at an index, of so many. */
export function roleAt(positions: Positions, index: number, count: number): Role | undefined {
	const first = positions.first?.[index];
	if (first) return first;
	if (positions.last && index === count - 1) return positions.last;
	return positions.rest;
}

/** The description of a subcommand by its name. */
export function findSubcommand(
	subcommands: { readonly [names: string]: ProgramSpec },
	name: string,
): ProgramSpec | undefined {
	if (Object.hasOwn(subcommands, name)) return subcommands[name];
	for (const [names, program] of Object.entries(subcommands)) if (names.split(" ").includes(name)) return program;
	return subcommands["*"];
}

/** Whether a program does nothing with its operands but to read them. */
export function readsOnly(does: Behavior, program: ProgramSpec): boolean {
	return (does.operands === "read" || does.operands === "list") && program.subcommands === undefined;
}

const outputs =
	/^--?(?:[\w-]+-)?(?:out(?:put|file)?|write|save|log(?:file)?|export|in-?place|edit|overwrite)(?:-(?:to|file|path|dir|directory))?$/;

/** Whether an option that the description does not know has the name of one that names an output. */
export function mayName(item: Item, program: ProgramSpec): boolean {
	if (item.kind !== "option" || !outputs.test(item.name)) return false;
	const known = [
		...Object.keys(program.options ?? {}),
		...Object.keys(program.when ?? {}),
		program.attached ?? "",
		program.flags ?? "",
	];
	return !known.some((spellings) => spellings.split(" ").includes(item.name));
}
