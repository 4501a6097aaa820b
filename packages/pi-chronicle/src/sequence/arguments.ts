// Arguments of a sequence and of a prompt template. They follow pi's own rules for splitting and substituting, because a step must mean the
// same in a sequence as when typed (pi documentation, "prompt-templates"). Pure.

/**
 * Splits the text after a command into arguments. White space separates; a quote opens only at the start of an argument; within quotes, a
 * backslash before the same quote keeps it; an unclosed quote is text.
 */
export function splitArguments(text: string): string[] {
	const found: string[] = [];
	let at = 0;
	while (at < text.length) {
		if (/\s/.test(text.charAt(at))) {
			at++;
			continue;
		}
		const quoted = readQuoted(text, at);
		let word = quoted?.value ?? "";
		at = quoted?.end ?? at;
		while (at < text.length && !/\s/.test(text.charAt(at))) word += text.charAt(at++);
		found.push(word);
	}
	return found;
}

/** Reads quoted text that starts at `start`; `undefined` if no quote opens there or it is not closed. */
function readQuoted(text: string, start: number): { value: string; end: number } | undefined {
	const quote = text.charAt(start);
	if (quote !== '"' && quote !== "'") return undefined;
	let value = "";
	for (let at = start + 1; at < text.length; at++) {
		if (text.charAt(at) === "\\" && text.charAt(at + 1) === quote) {
			value += quote;
			at++;
		} else if (text.charAt(at) === quote) {
			return { value, end: at + 1 };
		} else {
			value += text.charAt(at);
		}
	}
	return undefined;
}

const placeholder = /\$\{(\d+|ARGUMENTS|@):-([^}]*)\}|\$\{@:(\d+)(?::(\d+))?\}|\$(ARGUMENTS|@|\d+)/g;

/** Whether a placeholder of `text` has no default and would become empty without arguments. */
export function needsArguments(text: string): boolean {
	return [...text.matchAll(placeholder)].some(([, target]) => target === undefined);
}

const wholeWord = /^\$(?:@|ARGUMENTS|\{@:(\d+)(?::(\d+))?\})$/;

/**
 * Splits `text` into arguments and replaces the placeholders in each one, so that an argument with white space stays one argument: `$@`
 * alone becomes as many arguments as there are. Empty arguments in the middle are kept; empty ones at the end are dropped.
 */
export function substituteWords(text: string, args: readonly string[]): string[] {
	const words = splitArguments(text).flatMap((word) => {
		const list = wholeWord.exec(word);
		if (list === null) return [substituteArguments(word, args)];
		return sliceFrom(args, list[1] ?? "1", list[2]);
	});
	while (words.at(-1) === "") words.pop();
	return words;
}

/** Whether `text` has a placeholder that `substituteArguments` would replace. `costs $5` counts: pi's syntax has no escape. */
export function hasPlaceholder(text: string): boolean {
	return text.search(placeholder) !== -1;
}

/** `${@:from:length}`: counted from 1. */
function sliceFrom(args: readonly string[], from: string, length: string | undefined): readonly string[] {
	const start = Math.max(0, Number(from) - 1);
	return args.slice(start, length === undefined ? undefined : start + Number(length));
}

/** Replaces `$1 $@ $ARGUMENTS ${1:-default} ${@:2} ${@:2:3}` in one pass; values are not expanded again. */
export function substituteArguments(text: string, args: readonly string[]): string {
	const all = args.join(" ");
	return text.replace(placeholder, (_whole, target, fallback, from, length, simple) => {
		if (target !== undefined) {
			const value = target === "@" || target === "ARGUMENTS" ? all : args[Number(target) - 1];
			return value || fallback;
		}
		if (from !== undefined) return sliceFrom(args, from, length).join(" ");
		return simple === "@" || simple === "ARGUMENTS" ? all : (args[Number(simple) - 1] ?? "");
	});
}

/** Splits text into its first word and the rest. */
export function firstWord(text: string): [string, string] {
	const [, first = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
	return [first, rest];
}
