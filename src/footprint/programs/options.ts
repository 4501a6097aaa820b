// Parses a command line by a program's description: clusters, attached values, long options and their abbreviations, `--`.
// O1 every word ends up as an option, an option's value or an operand; O2 operands keep their order.
import { UNKNOWN_VALUE } from "../text.ts";
import type { Item, ProgramSpec } from "./program-spec.ts";

/** The options of a program, by every spelling. */
export interface Shape {
	readonly takesValue: ReadonlyMap<string, string>;
	readonly attached: ReadonlySet<string>;
	/** Long spellings, for abbreviations. */
	readonly longs: readonly string[];
}

/** Prepares a description's options for parsing. */
export function shapeOf(program: ProgramSpec): Shape {
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

/** Parses arguments (the program's name not among them). */
export function parseOptions(program: ProgramSpec, args: readonly string[]): readonly Item[] {
	const shape = shapeOf(program);
	const items: Item[] = [];
	let at = 0;
	const next = (): string | undefined => (at < args.length ? args[at++] : undefined);
	const option = (name: string, value?: string) => void items.push({ kind: "option", name, value });
	const operandsFrom = (index: number) => {
		for (const word of args.slice(index)) items.push({ kind: "operand", word });
		at = args.length;
	};
	while (at < args.length) {
		const word = args[at++] ?? "";
		if (word === "--") operandsFrom(at);
		else if (!word.startsWith("-") || word === "-") {
			if (program.optionsFirst) operandsFrom(at - 1);
			else items.push({ kind: "operand", word });
		} else if (word.startsWith("--") || program.dashes === "one") {
			const equals = word.indexOf("=");
			const written = equals < 0 ? word : word.slice(0, equals);
			const name = program.abbreviates ? unabbreviated(written, shape) : written;
			if (equals >= 0) option(name, word.slice(equals + 1));
			else if (shape.takesValue.has(name)) option(name, next() ?? "");
			else option(name);
		} else cluster(word, shape, option, next);
	}
	return items;
}

function cluster(
	word: string,
	shape: Shape,
	option: (name: string, value?: string) => void,
	next: () => string | undefined,
): void {
	// `-name`-like options of programs that also cluster are listed whole.
	if (shape.takesValue.has(word) && word.length > 2) {
		option(word, next() ?? "");
		return;
	}
	if (shape.attached.has(word) && word.length > 2) {
		option(word);
		return;
	}
	for (let at = 1; at < word.length; at++) {
		const name = `-${word[at]}`;
		const rest = word.slice(at + 1);
		if (word[at] === UNKNOWN_VALUE) {
			option(UNKNOWN_VALUE, word.slice(at));
			return;
		}
		if (shape.takesValue.has(name)) {
			option(name, rest === "" ? (next() ?? "") : rest.replace(/^=/, ""));
			return;
		}
		if (shape.attached.has(name)) {
			option(name, rest === "" ? undefined : rest);
			return;
		}
		option(name);
	}
}

function unabbreviated(written: string, shape: Shape): string {
	if (written.length < 3 || shape.takesValue.has(written) || shape.longs.includes(written)) return written;
	const candidates = shape.longs.filter((long) => long.startsWith(written));
	return candidates[0] ?? written;
}
