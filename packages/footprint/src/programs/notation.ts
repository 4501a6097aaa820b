// Reads the notation of program descriptions: a row per program, its names first, then fields separated by `|`.
//
//     sort | read* | -o --output: replace | -k --key: text
//     docker | -H --host: text
//     	rm rmi | ~containers +delete-containers
//
// A row that is indented once more describes subcommands, `*` those that have no row. Words of a field:
//   read move* into    the role of the first operand, of all between, and of the last one
//   +effect ~change    a harm, a kind of change                     in:directory  where the changes take place
//   ?project           its words do not show what it does           here:list     the role of `.` without operands
//   recursive skips:hidden harmless unchanged first anywhere dash fetches   the flags of `ProgramSpec`
//   @name =name        a function for what words cannot express, another description that this one extends
// A field that begins with an option is about that option:
//   -o --output: replace   it takes a value, with a role      -r > recursive   what it adds
//   --color ?              its value is attached, or absent   --force !        it has none
// `bare > …` is what a program with subcommands does when none is given. A row named `$name` only serves for `=name`. Lines that begin with
// `#` are comments.
import { changes, effects } from "../effects.ts";
import {
	type Behavior,
	type Call,
	type Positions,
	type ProgramSpec,
	type ProgramSpecs,
	type Role,
	roles,
} from "./program-spec.ts";

/** What `@name` and `=name` refer to. */
interface References {
	readonly [name: string]: ProgramSpec | ((call: Call) => void);
}

type Mutable<T> = { -readonly [key in keyof T]: T[key] };

/**
 * The descriptions in a text. `kind`: whether long options may be abbreviated, as in GNU programs and git. Throws if a word is not part of the
 * notation.
 */
export function describe(text: string, named: References = {}, kind: "exact" | "abbreviating" = "exact"): ProgramSpecs {
	const root: Mutable<ProgramSpec> = {};
	const shared: Mutable<References> = { ...named };
	/** The rows that the next one may be below, by its depth. */
	const above: Mutable<ProgramSpec>[] = [root];
	for (const line of text.split("\n")) {
		const depth = /^\t*/.exec(line)?.[0].length ?? 0;
		const [names = "", ...fields] = line.trim().split(/\s*\|\s*/);
		if (names === "" || names.startsWith("#")) continue;
		const program: Mutable<ProgramSpec> = kind === "abbreviating" ? { abbreviates: true } : {};
		for (const field of fields) readProgramField(program, field, shared);
		const outer = above[depth];
		if (!outer) throw new Error(`A description is indented below nothing: ${line}`);
		const name = names.replace(/\s+/g, " ");
		if (names.startsWith("$")) shared[name.slice(1)] = program;
		else outer.subcommands = { ...outer.subcommands, [name]: program };
		above.splice(depth + 1, above.length, program);
	}
	return root.subcommands ?? {};
}

/** One description, given as its fields. */
export function describeFields(
	fields: string,
	named: References = {},
	kind?: Parameters<typeof describe>[2],
): ProgramSpec {
	return Object.values(describe(`_ | ${fields}`, named, kind))[0] ?? {};
}

function readProgramField(program: Mutable<ProgramSpec>, field: string, named: References): void {
	const [, option = "", sign, rest = ""] =
		/^((?:-\S+\s+)*-\S+?|bare)\s*(:(?=\s)|[>?!](?=\s|$))\s*(.*)$/s.exec(field) ?? [];
	const spelling = option.replace(/\s+/g, " ");
	switch (sign) {
		case undefined:
			readWords(program, field, named);
			return;
		case ":":
			program.options = { ...program.options, [spelling]: wordKey(roles, rest.trim()) };
			return;
		case "?":
			program.attached = spelling;
			return;
		case "!":
			program.flags = spelling;
			return;
		default: {
			const behavior: Mutable<ProgramSpec> = {};
			readWords(behavior, rest, named);
			if (spelling === "bare") program.withoutSubcommand = behavior;
			else program.when = { ...program.when, [spelling]: behavior };
		}
	}
}

const flags: { readonly [word: string]: Partial<ProgramSpec> } = {
	recursive: { recursive: true },
	harmless: { harmless: true },
	unchanged: { unchanged: true },
	first: { optionsFirst: true },
	anywhere: { optionsAnywhere: true },
	dash: { dashes: "one" },
	fetches: { fetches: true },
};

/** What a word that begins with a sign adds. */
const signs: readonly (readonly [
	sign: string,
	read: (rest: string, program: ProgramSpec, named: References) => Partial<ProgramSpec>,
])[] = [
	["+", (rest, { effects: before = [] }) => ({ effects: [...before, wordKey(effects, rest)] })],
	["~", (rest, { changes: before = [] }) => ({ changes: [...before, wordKey(changes, rest)] })],
	["?", (rest) => ({ opaque: rest as NonNullable<Behavior["opaque"]> })],
	["@", (rest, _program, named) => ({ custom: find(named, rest, "function") as (call: Call) => void })],
	["=", (rest, program, named) => extended(program, find(named, rest, "object") as ProgramSpec)],
	["in:", (rest) => ({ changesIn: rest as NonNullable<Behavior["changesIn"]> })],
	["here:", (rest) => ({ defaultRole: wordKey(roles, rest) })],
	["skips:", (rest) => ({ skips: rest.split(",") as unknown as NonNullable<Behavior["skips"]> })],
];

function readWords(program: Mutable<ProgramSpec>, field: string, named: References): void {
	const operands: string[] = [];
	for (const word of field.split(/\s+/).filter((each) => each !== "")) {
		const [sign, read] = signs.find(([each]) => word.startsWith(each)) ?? [];
		if (Object.hasOwn(flags, word)) Object.assign(program, flags[word]);
		else if (read) Object.assign(program, read(word.slice(sign?.length), program, named));
		else operands.push(word);
	}
	if (operands.length > 0) program.operands = positionsIn(operands);
}

/** Another description, with the options that this one has already. */
function extended({ options, when }: ProgramSpec, other: ProgramSpec): ProgramSpec {
	return {
		...other,
		...(options && { options: { ...other.options, ...options } }),
		...(when && { when: { ...other.when, ...when } }),
	};
}

function positionsIn(words: readonly string[]): Role | Positions {
	const at = words.findIndex((word) => word.endsWith("*"));
	const first = (at < 0 ? words : words.slice(0, at)).map((word) => wordKey(roles, word));
	if (at < 0) return { first };
	const rest = wordKey(roles, words[at]?.slice(0, -1) ?? "");
	const last = words[at + 1];
	if (first.length === 0 && last === undefined) return rest;
	return { ...(first.length > 0 && { first }), rest, ...(last !== undefined && { last: wordKey(roles, last) }) };
}

function find(named: References, name: string, type: "function" | "object"): References[string] {
	const found = named[name];
	if (typeof found !== type) throw new Error(`A description refers to an unknown ${type}: ${name}`);
	return found as References[string];
}

/** The word, if the vocabulary has it. */
function wordKey<Word extends string>(vocabulary: { readonly [word in Word]: string }, word: string): Word {
	if (!Object.hasOwn(vocabulary, word)) throw new Error(`A description has an unknown word: ${word}`);
	return word as Word;
}
