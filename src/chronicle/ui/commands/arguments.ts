// Words of a command line into options, names and text. Pure.
// H1 text is what a person says to an agent: in the midst of it nothing is taken for an option; H2 options come before it or behind it; `--`
// ends them for good; H3 what cannot be understood is an error, never a guess.
import { didYouMean } from "../../../definition/index.ts";

export type OptionKind = "flag" | "value";

export interface VerbGrammar {
	readonly options: Readonly<Record<string, OptionKind>>;
	/** How many names have to come before the text; `undefined`: there is no text, and options may stand anywhere. */
	readonly textAfter?: number;
	/** Whether a word is one more name, which may stand before the text. */
	readonly isName?: (word: string) => boolean;
	/** How many names there may be where there is no text; `undefined`: any number. */
	readonly most?: number;
}

export interface ParsedArguments {
	readonly flags: ReadonlySet<string>;
	readonly values: Readonly<Record<string, string>>;
	readonly names: readonly string[];
	readonly text: readonly string[];
	/** Where in the words the text begins. */
	readonly textAt: number;
}

interface Taken {
	readonly name: string;
	/** `undefined`: a flag. */
	readonly value: string | undefined;
	/** Words that it has. */
	readonly words: number;
}

/** Parses the words behind a verb. */
export function parseArguments(
	args: readonly string[],
	grammar: VerbGrammar,
): ParsedArguments | { readonly error: string } {
	const { options, textAfter, isName } = grammar;
	const taken: Taken[] = [];
	const names: string[] = [];
	let named = false;
	let text: readonly string[] = [];
	let textAt = args.length;
	let closed = false;
	for (let at = 0; at < args.length; ) {
		const word = args[at] ?? "";
		if (word === "--") {
			const rest = args.slice(at + 1);
			const missing = textAfter === undefined ? rest.length : Math.max(0, textAfter - names.length);
			names.push(...rest.slice(0, missing));
			text = rest.slice(missing);
			textAt = at + 1 + missing;
			closed = true;
			break;
		}
		const option = takeOption(args.slice(at), options);
		if (option && "error" in option) return option;
		if (option) {
			taken.push(option);
			at += option.words;
			continue;
		}
		const mayBeText = textAfter !== undefined && names.length >= textAfter;
		if (looksLikeOption(word)) {
			const near = didYouMean(word.replace(/^-+/, "").replace(/=.*/s, ""), Object.keys(options)).replace("`", "`--");
			if (!mayBeText) return { error: `Unknown option: ${word}.${near}` };
			// Text may begin with a dash; a slip in an option must not become text.
			if (near !== "") return { error: `Unknown option: ${word}.${near} If it begins the text, put -- before it.` };
		}
		if (mayBeText && !(isName?.(word) && !named)) {
			text = args.slice(at);
			textAt = at;
			break;
		}
		named ||= mayBeText;
		names.push(word);
		at += 1;
	}
	for (let at = 1; at < text.length && !closed; at += 1) {
		const behind = optionsAlone(text.slice(at), options);
		if (behind.length === 0) continue;
		taken.push(...behind);
		text = text.slice(0, at);
	}
	const foreign = closed ? undefined : optionOfAnother(text, options);
	if (foreign !== undefined)
		return { error: `This command has no option ${foreign}. If it belongs to the text, put -- before the text.` };
	const surplus = names[grammar.most ?? names.length];
	if (surplus !== undefined) return { error: `Too many arguments: "${surplus}".` };
	return {
		flags: new Set(taken.filter(({ value }) => value === undefined).map(({ name }) => name)),
		values: Object.fromEntries(taken.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
		names,
		text,
		textAt,
	};
}

/** Every option of this program, whichever verb has it. */
const everyOption: VerbGrammar["options"] = {
	cwd: "value",
	json: "flag",
	pi: "value",
	approve: "flag",
	"no-approve": "flag",
	help: "flag",
	run: "value",
	model: "value",
	"approve-cleanup": "flag",
	"without-cleanup": "flag",
	stat: "flag",
	out: "value",
	cost: "value",
	tokens: "value",
	minutes: "value",
	moves: "value",
	visit: "value",
	answers: "value",
	state: "value",
	done: "flag",
	scenario: "value",
	keep: "flag",
};

/** An option of this program at the end of a text that this verb does not have: it was hardly meant for an agent. */
function optionOfAnother(text: readonly string[], options: VerbGrammar["options"]): string | undefined {
	const isForeign = (word: string) => isOptionOf(word, everyOption) && !isOptionOf(word, options);
	const last = text.at(-1) ?? "";
	if (text.length > 1 && isForeign(last)) return last;
	for (let at = 1; at < text.length; at += 1) {
		const tail = text.slice(at);
		if (optionsAlone(tail, { ...everyOption, ...options }).length > 0) return tail.find(isForeign);
	}
	return undefined;
}

function isOptionOf(word: string, options: VerbGrammar["options"]): boolean {
	const [, long] = /^--([a-z][a-z-]*)(?:=[\s\S]*)?$/.exec(word) ?? [];
	return long !== undefined && Object.hasOwn(options, long);
}

/** The option that `words` begins with, if it does. */
function takeOption(
	[word = "", next]: readonly string[],
	options: VerbGrammar["options"],
): Taken | { readonly error: string } | undefined {
	const [, long, given] = /^--([a-z][a-z-]*)(?:=([\s\S]*))?$/.exec(word === "-h" ? "--help" : word) ?? [];
	if (long === undefined || !Object.hasOwn(options, long)) return undefined;
	if (options[long] === "flag")
		return given === undefined ? { name: long, value: undefined, words: 1 } : { error: `--${long} takes no value.` };
	const value = given ?? next;
	const isOption = given === undefined && (value === "--" || Object.hasOwn(options, value?.replace(/^--/, "") ?? ""));
	if (value === undefined || value.trim() === "" || (isOption && value.startsWith("--")))
		return { error: `--${long} needs a value.` };
	return { name: long, value, words: given === undefined ? 2 : 1 };
}

/** The options that `words` is made of; none where it holds anything else. */
function optionsAlone(words: readonly string[], options: VerbGrammar["options"]): readonly Taken[] {
	const taken: Taken[] = [];
	for (let at = 0; at < words.length; ) {
		const option = takeOption(words.slice(at), options);
		if (!option || "error" in option) return [];
		taken.push(option);
		at += option.words;
	}
	return taken;
}

/** `-x`, `--word`, `--word=value`; not `-`, not `-5`, not a sentence that begins with a dash. */
function looksLikeOption(word: string): boolean {
	return /^--?[A-Za-z]\S*$/.test(word);
}
