// Brace expansion: `{a,b}` and `{1..3}` in the text of a word, before anything else is expanded. Purely textual, as in bash.
// Quotes, `${…}`, `$(…)` and backquotes are left alone; the number and size of results are bounded.

const MAX_WORDS = 256;
const MAX_SIZE = 40_000;
const MAX_GROUPS = 40;

/** The words that a word's source text expands to, in order; `undefined` if there are too many. */
export function expandBraces(text: string): readonly string[] | undefined {
	if (text.length > MAX_SIZE || text.split("{").length > MAX_GROUPS) return undefined;
	const budget = { words: MAX_WORDS, size: MAX_SIZE };
	return expandText(text, budget);
}

interface Budget {
	words: number;
	size: number;
}

function expandText(text: string, budget: Budget): string[] | undefined {
	for (let open = nextOpen(text, 0); open >= 0; open = nextOpen(text, open + 1)) {
		const group = readGroup(text, open);
		if (!group) continue;
		const choices = choicesOf(group.items, budget);
		if (choices === "too many") return undefined;
		if (!choices) continue;
		const tails = expandText(text.slice(group.end), budget);
		return tails && joinItems(text.slice(0, open), choices, tails, budget);
	}
	return [text];
}

/** The alternatives of a group; `undefined` if bash does not treat it as a group (`{a}`). */
function choicesOf(items: readonly string[], budget: Budget): readonly string[] | "too many" | undefined {
	const [only = ""] = items;
	if (items.length === 1) return sequence(only);
	const expanded = items.map((item) => expandText(item, budget));
	return expanded.every((words) => words !== undefined) ? expanded.flat() : "too many";
}

/** Every choice between a head and each tail. */
function joinItems(
	head: string,
	choices: readonly string[],
	tails: readonly string[],
	budget: Budget,
): string[] | undefined {
	const words: string[] = [];
	for (const choice of choices)
		for (const tail of tails) {
			words.push(head + choice + tail);
			budget.size -= head.length + choice.length + tail.length;
			if (words.length > budget.words || budget.size < 0) return undefined;
		}
	return words;
}

/** Index of the next `{` that is not quoted or part of an expansion, from `at` on; -1 if there is none. */
function nextOpen(text: string, from: number): number {
	let at = from;
	while (at < text.length) {
		if (text[at] === "{") return at;
		at = skip(text, at);
	}
	return -1;
}

/** The index after one unit: a character, an escaped one, a quoted or substituted stretch. */
function skip(text: string, at: number): number {
	const char = text[at];
	if (char === "\\") return at + 2;
	if (char === "'") return after(text, "'", at + 1);
	if (char === '"' || char === "`") return closing(text, char, at + 1);
	if (char === "$") {
		const next = text[at + 1];
		if (next === "'") return closing(text, "'", at + 2);
		if (next === "{") return balanced(text, at + 1, "{", "}");
		if (next === "(") return balanced(text, at + 1, "(", ")");
	}
	return at + 1;
}

function after(text: string, mark: string, from: number): number {
	const found = text.indexOf(mark, from);
	return found < 0 ? text.length : found + 1;
}

function closing(text: string, mark: string, from: number): number {
	for (let at = from; at < text.length; at++) {
		if (text[at] === "\\") at++;
		else if (text[at] === mark) return at + 1;
	}
	return text.length;
}

function balanced(text: string, from: number, open: string, close: string): number {
	let depth = 0;
	for (let at = from; at < text.length; ) {
		if (text[at] === open) depth++;
		else if (text[at] === close && --depth === 0) return at + 1;
		at = text[at] === open || text[at] === close ? at + 1 : skip(text, at);
	}
	return text.length;
}

function readGroup(text: string, open: number): { items: string[]; end: number } | undefined {
	const items: string[] = [];
	let depth = 0;
	let start = open + 1;
	for (let at = open + 1; at < text.length; ) {
		const char = text[at];
		if (char === "{") depth++;
		else if (char === "}") {
			if (depth === 0) {
				items.push(text.slice(start, at));
				return { items, end: at + 1 };
			}
			depth--;
		} else if (char === "," && depth === 0) {
			items.push(text.slice(start, at));
			start = at + 1;
		}
		at = char === "{" || char === "}" || char === "," ? at + 1 : skip(text, at);
	}
	return undefined;
}

function sequence(text: string): string[] | "too many" | undefined {
	const numbers = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?$/.exec(text);
	if (numbers) {
		const [from, to] = [Number(numbers[1]), Number(numbers[2])];
		const step = Math.abs(Number(numbers[3] ?? 1)) || 1;
		if (Math.abs(to - from) / step > MAX_WORDS) return "too many";
		const width = [numbers[1], numbers[2]].some((end) => /^-?0\d/.test(end ?? ""))
			? Math.max(numbers[1]?.length ?? 0, numbers[2]?.length ?? 0)
			: 0;
		return range(from, to, step).map((value) =>
			value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0"),
		);
	}
	const letters = /^([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?\d{1,9}))?$/.exec(text);
	if (!letters) return undefined;
	const step = Math.abs(Number(letters[3] ?? 1)) || 1;
	return range(letters[1]?.charCodeAt(0) ?? 0, letters[2]?.charCodeAt(0) ?? 0, step).map((code) =>
		String.fromCharCode(code),
	);
}

function range(from: number, to: number, step: number): number[] {
	const values: number[] = [];
	if (from <= to) for (let value = from; value <= to; value += step) values.push(value);
	else for (let value = from; value >= to; value -= step) values.push(value);
	return values;
}
