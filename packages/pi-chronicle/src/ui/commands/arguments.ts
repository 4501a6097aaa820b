// Splits the arguments of a command into options, names and text. Pure.
// Text is for an agent: options precede or follow it, but are not recognized inside it; `--` ends the options. Unknown arguments are errors, never
// guessed.

import { didYouMean } from "@pi-chronicle/core/definition";
import type { OptionKinds } from "../option-usage.ts";

export interface CommandGrammar {
	readonly options: OptionKinds;
	/** The options of all commands. */
	readonly others?: OptionKinds;
	/** Number of names before the text; `undefined`: there is no text, and options may be anywhere. */
	readonly textAfter?: number;
	/** Whether an argument after `names` is another name before the text. */
	readonly isName?: (word: string, names: readonly string[]) => boolean;
	/** Maximum number of names without text; `undefined`: any number. */
	readonly maxNames?: number;
}

export interface ParsedArguments {
	readonly flags: ReadonlySet<string>;
	readonly values: Readonly<Record<string, string>>;
	readonly names: readonly string[];
	readonly text: readonly string[];
	/** Index of the first argument of the text. */
	readonly textAt: number;
}

interface GivenOption {
	readonly name: string;
	/** `undefined`: a flag. */
	readonly value: string | undefined;
	/** Number of arguments that it consumes. */
	readonly words: number;
}

/** Parses the arguments of a command. */
export function parseArguments(
	args: readonly string[],
	grammar: CommandGrammar,
): ParsedArguments | { readonly error: string } {
	const split = splitArguments(args, grammar);
	if ("error" in split) return split;
	const { names, textAt, closed } = split;
	const { text, taken } = closed ? split : takeTrailingOptions(split, grammar.options);
	const foreign = closed ? undefined : optionOfAnother(text, grammar);
	if (foreign !== undefined)
		return { error: `This command has no option ${foreign}. If it is part of the text, put -- before the text.` };
	const surplus = names[grammar.maxNames ?? names.length];
	if (surplus !== undefined) return { error: `Too many arguments: "${surplus}".` };
	return {
		flags: new Set(taken.filter(({ value }) => value === undefined).map(({ name }) => name)),
		values: Object.fromEntries(taken.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
		names,
		text,
		textAt,
	};
}

interface Split extends Pick<ParsedArguments, "names" | "text" | "textAt"> {
	readonly taken: readonly GivenOption[];
	/** `--` precedes the text: nothing in it is an option. */
	readonly closed: boolean;
}

/** Options and names, up to the start of the text. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one pass over the arguments, whose parts have functions already
function splitArguments(args: readonly string[], grammar: CommandGrammar): Split | { readonly error: string } {
	const { options, textAfter, isName } = grammar;
	const taken: GivenOption[] = [];
	const names: string[] = [];
	let named = false;
	for (let at = 0; at < args.length; ) {
		const argument = args[at] ?? "";
		if (argument === "--") return splitAtDashes(args, at, names, taken, textAfter);
		const option = takeOption(args.slice(at), options);
		if (option && "error" in option) return option;
		if (option) {
			taken.push(option);
			at += option.words;
			continue;
		}
		const mayBeText = textAfter !== undefined && names.length >= textAfter;
		const unknown = unknownOption(argument, options, mayBeText);
		if (unknown !== undefined) return { error: unknown };
		const isText = mayBeText && (named || !isName?.(argument, names));
		if (isText) return { taken, names, text: args.slice(at), textAt: at, closed: false };
		named ||= mayBeText;
		names.push(argument);
		at += 1;
	}
	return { taken, names, text: [], textAt: args.length, closed: false };
}

/** After `--`, the missing names precede the text; without a text, all are names. */
function splitAtDashes(
	args: readonly string[],
	at: number,
	names: readonly string[],
	taken: readonly GivenOption[],
	textAfter: number | undefined,
): Split {
	const rest = args.slice(at + 1);
	const missing = textAfter === undefined ? rest.length : Math.max(0, textAfter - names.length);
	return {
		taken,
		names: [...names, ...rest.slice(0, missing)],
		text: rest.slice(missing),
		textAt: at + 1 + missing,
		closed: true,
	};
}

function unknownOption(argument: string, options: OptionKinds, mayBeText: boolean): string | undefined {
	if (!looksLikeOption(argument)) return undefined;
	const name = argument.replace(/^-+/, "").replace(/=.*/s, "");
	const near = didYouMean(name, Object.keys(options)).replace("`", "`--");
	const message = `Unknown option: ${argument}.${near}`;
	if (!mayBeText) return message;
	// Text may start with a dash, but a misspelled option must not become text.
	return near === "" ? undefined : `${message} If it starts the text, put -- before it.`;
}

function takeTrailingOptions({ text, taken }: Split, options: OptionKinds): Pick<Split, "text" | "taken"> {
	for (let at = 1; at < text.length; at += 1) {
		const trailing = optionsAlone(text.slice(at), options);
		if (trailing.length > 0) return { text: text.slice(0, at), taken: [...taken, ...trailing] };
	}
	return { text, taken };
}

/** An option of another command at the end of the text: probably not meant for an agent. */
function optionOfAnother(text: readonly string[], { options, others = {} }: CommandGrammar): string | undefined {
	const isForeign = (word: string) => isOptionOf(word, others) && !isOptionOf(word, options);
	const last = text.at(-1) ?? "";
	if (text.length > 1 && isForeign(last)) return last;
	for (let at = 1; at < text.length; at += 1) {
		const tail = text.slice(at);
		if (optionsAlone(tail, { ...others, ...options }).length > 0) return tail.find(isForeign);
	}
	return undefined;
}

function isOptionOf(word: string, options: OptionKinds): boolean {
	const [, long] = /^--([a-z][a-z-]*)(?:=[\s\S]*)?$/.exec(word) ?? [];
	return long !== undefined && Object.hasOwn(options, long);
}

function takeOption(
	[word = "", next]: readonly string[],
	options: OptionKinds,
): GivenOption | { readonly error: string } | undefined {
	const [, long, given] = /^--([a-z][a-z-]*)(?:=([\s\S]*))?$/.exec(word === "-h" ? "--help" : word) ?? [];
	if (long === undefined || !Object.hasOwn(options, long)) return undefined;
	if (options[long] === "flag")
		return given === undefined ? { name: long, value: undefined, words: 1 } : { error: `--${long} takes no value.` };
	return options[long] === "path" ? takePath(long, given, next) : takeGiven(long, given, next, options);
}

function takeGiven(
	name: string,
	given: string | undefined,
	next: string | undefined,
	options: OptionKinds,
): GivenOption | { readonly error: string } {
	const value = given ?? next;
	const isOption = given === undefined && (value === "--" || Object.hasOwn(options, value?.replace(/^--/, "") ?? ""));
	if (value === undefined || value.trim() === "" || (isOption && value.startsWith("--")))
		return { error: `--${name} needs a value.` };
	return { name, value, words: given === undefined ? 2 : 1 };
}

/** An option whose value is empty unless a path follows. */
function takePath(name: string, given: string | undefined, next: string | undefined): GivenOption {
	if (given === undefined && isPath(next)) return { name, value: next, words: 2 };
	return { name, value: given ?? "", words: 1 };
}

/** Whether a word is written as a path: with a slash or a leading dot. */
function isPath(word: string | undefined): word is string {
	return word !== undefined && !word.startsWith("-") && /^[.~]|[/\\]/.test(word);
}

/** The options in `words`; none if it contains anything else. */
function optionsAlone(words: readonly string[], options: OptionKinds): readonly GivenOption[] {
	const taken: GivenOption[] = [];
	for (let at = 0; at < words.length; ) {
		const option = takeOption(words.slice(at), options);
		if (!option || "error" in option) return [];
		taken.push(option);
		at += option.words;
	}
	return taken;
}

/** `-x`, `--word`, `--word=value`; not `-`, not `-5`, not a sentence that starts with a dash. */
function looksLikeOption(word: string): boolean {
	return /^--?[A-Za-z]\S*$/.test(word);
}
