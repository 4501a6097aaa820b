// Shell text with placeholders, characters that represent unknown text. Words, values and outputs are such strings.
// T1 placeholders are in the private use area; if a command itself contains one, that part is unknown, which is safe;
// T2 a text without a placeholder is exactly what the shell would produce; T3 a placeholder stays a placeholder when text is parsed again
// (`sh -c`, `eval`).

/** Represents any text, including the empty one. */
export const UNKNOWN_VALUE = "\uE000";

/**
 * Represents any path below the preceding directory, as a search prints it; the next character identifies the search (see
 * `FootprintRecord.found`).
 */
export const SEARCH_RESULT = "\uE001";
/** First code of the characters after `SEARCH_RESULT`. */
export const FIRST_SEARCH = 0xe100;

/** Represents one word without blanks and slashes that the user cannot choose: a process id, a date, a generated name. */
export const SOME_NAME = "\uE002";

/** Represents shell text that an installed program prints to set up the calling shell, as `ssh-agent -s` does. */
export const SHELL_SETUP = "\uE003";

/** Represents the whole content of a file that was already on disk. Running it is no more unknown than running the file by its name. */
export const FILE_TEXT = "\uE004";

/** Represents the ids of processes that were found by name. */
export const PROCESS_IDS = "\uE005";

const placeholders = /\uE000|\uE001[\uE100-\uF8FF]?|[\uE002-\uE005]/g;

export function isKnown(text: string): boolean {
	return !/[\uE000-\uE005]/.test(text);
}

/** Replaces characters in external text that only this analysis may write; those positions become unknown. */
export function unmarked(text: string): string {
	return /[\uE002-\uE005]/.test(text) ? text.replace(/[\uE002-\uE005]/g, UNKNOWN_VALUE) : text;
}

/** Whether a text is only what programs print to set up a shell; a surrounding `set -- …` only names parameters. */
export function isShellSetup(text: string): boolean {
	return /^(?:set -- )?\s*\uE003\s*$/.test(text);
}

/** Whether a part of it may be any text, as opposed to one name. */
export function isOpen(text: string): boolean {
	return /[\uE000\uE004]/.test(text);
}

/** Whether a text is only the content of files on disk. */
export function isFileText(text: string): boolean {
	return /^\s*\uE004[\s\uE004]*$/.test(text);
}

/** The start of the first unknown part and the end of the last one; `undefined` for a known text. */
export function unknownSpan(text: string): { readonly start: number; readonly end: number } | undefined {
	let span: { start: number; end: number } | undefined;
	for (const match of text.matchAll(placeholders)) {
		const end = match.index + match[0].length;
		span = span ? { start: span.start, end } : { start: match.index, end };
	}
	return span;
}

/** The text with its unknown parts as `…`, for messages. */
export function displayText(text: string): string {
	return isKnown(text) ? text : text.replace(placeholders, "…");
}

/** Whether the known parts of a text are only blanks. */
export function isBlank(text: string): boolean {
	return text.replace(placeholders, "").trim() === "";
}

/** Texts longer than this become placeholders. */
const MAX_TEXT = 70_000;

/** The text, or a placeholder if it is too long; adjacent placeholders are merged. */
export function bounded(text: string): string {
	if (text.length > MAX_TEXT) return UNKNOWN_VALUE;
	return text.includes(UNKNOWN_VALUE + UNKNOWN_VALUE) ? text.replace(/\uE000+/g, UNKNOWN_VALUE) : text;
}

/** Maximum number of alternative values kept for one word or variable. */
const MAX_ALTERNATIVES = 64;

/** The alternatives without duplicates; one placeholder if there are too many. */
export function distinct(alternatives: readonly string[]): readonly string[] {
	if (alternatives.length === 1) return alternatives;
	const set = new Set(alternatives);
	return set.size > MAX_ALTERNATIVES ? [UNKNOWN_VALUE] : [...set];
}

/** Every combination of one alternative per part, in order; `undefined` if there are more than `max`. */
export function combine<T>(parts: readonly (readonly T[])[], max = MAX_ALTERNATIVES): T[][] | undefined {
	let rows: T[][] = [[]];
	for (const part of parts) {
		const only = part.length === 1 ? part[0] : undefined;
		if (only !== undefined) {
			for (const row of rows) row.push(only);
			continue;
		}
		if (rows.length * part.length > max) return undefined;
		rows = rows.flatMap((row) => part.map((item) => [...row, item]));
	}
	return rows;
}

/** A word in shell syntax: quoted only if needed, placeholders as `…`. */
export function spell(word: string): string {
	if (word === "") return "''";
	if (/^[\w@%+=:,./~^-]+$/.test(word)) return word;
	if (isKnown(word)) return word.includes("'") ? `"${word.replace(/[\\"$`]/g, "\\$&")}"` : `'${word}'`;
	const known = word.replace(placeholders, "");
	return /^[\w@%+=:,./~^-]*$/.test(known) ? displayText(word) : `"${displayText(word.replace(/[\\"$`]/g, "\\$&"))}"`;
}

/** A word in single quotes, which the grammar reads back as the same text, placeholders kept. */
export function quoteWord(word: string): string {
	return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The value of a JSON text; `undefined` if it is none. */
export function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Quoted command lines in a value, as in `commands=["…"]`. */
export function quotedIn(value: string): readonly string[] {
	return /^\s*[\w.-]*\s*[=[{]/.test(value)
		? [...value.matchAll(/"([^"\n]{3,500})"|'([^'\n]{3,500})'/g)]
				.slice(0, 20)
				.map((match) => match[1] ?? match[2] ?? "")
		: [];
}

/** The part of a word after its last slash. */
export function baseName(word: string): string {
	return word.slice(word.lastIndexOf("/") + 1);
}

const escapes: { readonly [letter: string]: string } = { n: "\n", t: "\t", r: "\r" };

/** The text of a string literal with the usual escapes, in most languages. */
export function unescapeLiteral(text: string): string {
	return text.replace(/\\(.)/gs, (_all, letter: string) => escapes[letter] ?? letter);
}

/** Arguments in the form of `CommandRun`: `null` for each unknown one. */
export function knownWords(args: readonly string[]): readonly (string | null)[] {
	return args.map((arg) => (isKnown(arg) ? arg : null));
}

const MAX_SPELLED = 2000;

/** Name and arguments in normalized spelling, placeholders as `…`, at most 2000 characters. */
export function spellCommand(words: readonly string[]): string {
	let text = "";
	for (const word of words) {
		if (text.length > MAX_SPELLED) break;
		// Long text is rendered only up to the visible length.
		text += `${text === "" ? "" : " "}${spell(word.length > MAX_SPELLED ? word.slice(0, MAX_SPELLED + 1) : word)}`;
	}
	return text.length > MAX_SPELLED ? `${text.slice(0, MAX_SPELLED - 1)}…` : text;
}
