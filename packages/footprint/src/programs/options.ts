// Parses a command line by a program's description: option clusters, attached values, long options, abbreviations, `--`.
// Every word ends up as an option, an option's value or an operand; operands keep their order.
import { UNKNOWN_VALUE } from "../text.ts";
import type { ParsedArgument, ProgramSpec } from "./program-spec.ts";

/** The options of a program, by every spelling. */
interface OptionShape {
	readonly takesValue: ReadonlyMap<string, string>;
	readonly attached: ReadonlySet<string>;
	/** Long spellings, for abbreviations. */
	readonly longs: readonly string[];
}

function shapeOf(program: ProgramSpec): OptionShape {
	const takesValue = new Map<string, string>();
	const longs = new Set<string>();
	const each = (spellings: string, add: (spelling: string) => void) => {
		for (const spelling of spellings.split(" ")) {
			add(spelling);
			if (spelling.startsWith("--")) longs.add(spelling);
		}
	};
	for (const spellings of Object.keys(program.options ?? {})) each(spellings, (one) => takesValue.set(one, spellings));
	for (const spellings of Object.keys(program.when ?? {})) each(spellings, () => {});
	if (program.flags) each(program.flags, () => {});
	const attached = new Set<string>();
	if (program.attached) each(program.attached, (one) => attached.add(one));
	return { takesValue, attached, longs: [...longs] };
}

interface Parser {
	readonly program: ProgramSpec;
	readonly shape: OptionShape;
	readonly args: readonly string[];
	readonly items: ParsedArgument[];
	at: number;
}

/** Parses arguments (the program's name not among them). */
export function parseOptions(program: ProgramSpec, args: readonly string[]): readonly ParsedArgument[] {
	const parser: Parser = { program, shape: shapeOf(program), args, items: [], at: 0 };
	while (parser.at < args.length) {
		const word = args[parser.at++] ?? "";
		const isOperand = !word.startsWith("-") || word === "-";
		if (word === "--") addOperands(parser, args.length);
		else if (isOperand) {
			parser.at--;
			addOperands(parser, program.optionsFirst ? args.length : parser.at + 1);
		} else if (word.startsWith("--") || program.dashes === "one") parseLong(parser, word);
		else parseCluster(parser, word);
	}
	return parser.items;
}

function addOperands(parser: Parser, end: number): void {
	for (const word of parser.args.slice(parser.at, end)) parser.items.push({ kind: "operand", word });
	parser.at = end;
}

function addOption({ items }: Parser, name: string, value?: string): void {
	items.push({ kind: "option", name, value });
}

/** The next argument as an option's value; empty at the end. */
function takeValue(parser: Parser): string {
	return parser.args[parser.at++] ?? "";
}

function parseLong(parser: Parser, word: string): void {
	const { program, shape } = parser;
	const [, written = word, attached] = /^(.*?)=(.*)$/s.exec(word) ?? [];
	const name = program.abbreviates ? unabbreviated(written, shape) : written;
	addOption(parser, name, attached ?? (shape.takesValue.has(name) ? takeValue(parser) : undefined));
}

function parseCluster(parser: Parser, word: string): void {
	const { takesValue, attached } = parser.shape;
	// `-name`-like options of programs that also cluster are listed whole.
	if (word.length > 2 && (takesValue.has(word) || attached.has(word)))
		addOption(parser, word, takesValue.has(word) ? takeValue(parser) : undefined);
	else for (let at = 1; at < word.length; at++) if (parseLetter(parser, word, at)) return;
}

/** Adds one option of a cluster. Returns whether the rest of the word belongs to it. */
function parseLetter(parser: Parser, word: string, at: number): boolean {
	const { takesValue, attached } = parser.shape;
	const name = `-${word[at]}`;
	const rest = at + 1 < word.length ? word.slice(at + 1) : undefined;
	if (word[at] === UNKNOWN_VALUE) addOption(parser, UNKNOWN_VALUE, word.slice(at));
	else if (takesValue.has(name)) addOption(parser, name, rest?.replace(/^=/, "") ?? takeValue(parser));
	else addOption(parser, name, attached.has(name) ? rest : undefined);
	return word[at] === UNKNOWN_VALUE || takesValue.has(name) || attached.has(name);
}

function unabbreviated(written: string, shape: OptionShape): string {
	if (written.length < 3 || shape.takesValue.has(written) || shape.longs.includes(written)) return written;
	const candidates = shape.longs.filter((long) => long.startsWith(written));
	return candidates[0] ?? written;
}
