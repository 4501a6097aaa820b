// Shell text with placeholders: characters that stand for text that is unknown. Words, values and outputs are such strings.
// T1 placeholders are of the private use area; a command that itself holds one is unknown there, which is on the safe side;
// T2 a text without a placeholder is exactly what the shell would make; T3 a placeholder stays a placeholder when text is parsed again (`sh -c`, `eval`).

/** Stands for any text at all, the empty one too. */
export const UNKNOWN_VALUE = "\uE000";

/** Stands for any path below the directory before it, as a search prints them; the character after it says which search (see `FootprintRecord.found`). */
export const SEARCH_RESULT = "\uE001";
/** The characters after `SEARCH_RESULT` begin here. */
export const FIRST_SEARCH = 0xe100;

/** Stands for one word without blanks and slashes that nobody chooses: a process id, a date, a made-up name. */
export const SOME_NAME = "\uE002";

/** Stands for shell text with which an installed program sets up the shell it is asked from, as `ssh-agent -s` prints it. */
export const SHELL_SETUP = "\uE003";

/** Stands for all that is in a file which was on disk before: run as a program, it is no more unknown than the file run by its name. */
export const FILE_TEXT = "\uE004";

const placeholders = /\uE000|\uE001[\uE100-\uF8FF]?|[\uE002-\uE004]/g;

export function isKnown(text: string): boolean {
	return !/[\uE000-\uE004]/.test(text);
}

/** Text from outside without the characters that only this analysis may write: where they are, nothing is known. */
export function unmarked(text: string): string {
	return /[\uE002-\uE004]/.test(text) ? text.replace(/[\uE002-\uE004]/g, UNKNOWN_VALUE) : text;
}

/** Whether a text is nothing but what programs print to set up a shell; `set -- …` around it only names parameters. */
export function isShellSetup(text: string): boolean {
	return /^(?:set -- )?\s*\uE003\s*$/.test(text);
}

/** Whether any text at all may stand in a part of it, as opposed to one name. */
export function isOpen(text: string): boolean {
	return /[\uE000\uE004]/.test(text);
}

/** Whether a text is nothing but what files on disk hold. */
export function isFileText(text: string): boolean {
	return /^\s*\uE004[\s\uE004]*$/.test(text);
}

/** Where the first unknown part begins and the last one ends; `undefined` in a known text. */
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

/** Whether nothing of a text is known but blanks. */
export function isBlank(text: string): boolean {
	return text.replace(placeholders, "").trim() === "";
}

/** Texts longer than this become placeholders. */
const MAX_TEXT = 70_000;

/** The text, or a placeholder where it is too long; adjacent placeholders are one. */
export function bounded(text: string): string {
	if (text.length > MAX_TEXT) return UNKNOWN_VALUE;
	return text.includes(UNKNOWN_VALUE + UNKNOWN_VALUE) ? text.replace(/\uE000+/g, UNKNOWN_VALUE) : text;
}

/** At most this many values of one word or variable are kept apart. */
const MAX_ALTERNATIVES = 64;

/** The alternatives without doubles; one placeholder where there are too many. */
export function distinct(alternatives: readonly string[]): readonly string[] {
	if (alternatives.length === 1) return alternatives;
	const set = new Set(alternatives);
	return set.size > MAX_ALTERNATIVES ? [UNKNOWN_VALUE] : [...set];
}

/** Every combination of one alternative each, joined in order; `undefined` where there are more than `most`. */
export function combine<T>(parts: readonly (readonly T[])[], most = MAX_ALTERNATIVES): T[][] | undefined {
	let rows: T[][] = [[]];
	for (const part of parts) {
		const only = part.length === 1 ? part[0] : undefined;
		if (only !== undefined) {
			for (const row of rows) row.push(only);
			continue;
		}
		if (rows.length * part.length > most) return undefined;
		rows = rows.flatMap((row) => part.map((item) => [...row, item]));
	}
	return rows;
}

/** A word as one would write it for the shell: quoted only where needed, placeholders as `…`. */
export function spell(word: string): string {
	if (word === "") return "''";
	if (/^[\w@%+=:,./~^-]+$/.test(word)) return word;
	if (isKnown(word)) return word.includes("'") ? `"${word.replace(/[\\"$`]/g, "\\$&")}"` : `'${word}'`;
	const known = word.replace(placeholders, "");
	return /^[\w@%+=:,./~^-]*$/.test(known) ? displayText(word) : `"${displayText(word.replace(/[\\"$`]/g, "\\$&"))}"`;
}

/** Arguments as a `CommandRun` has them: `null` where one is not known. */
export function knownWords(args: readonly string[]): readonly (string | null)[] {
	return args.map((arg) => (isKnown(arg) ? arg : null));
}

const MAX_SPELLED = 2000;

/** Name and arguments in normal spelling, placeholders as `…`, at most 2000 characters. */
export function spellCommand(words: readonly string[]): string {
	let text = "";
	for (const word of words) {
		if (text.length > MAX_SPELLED) break;
		// Of a long word no more is spelled than is shown.
		text += `${text === "" ? "" : " "}${spell(word.length > MAX_SPELLED ? word.slice(0, MAX_SPELLED + 1) : word)}`;
	}
	return text.length > MAX_SPELLED ? `${text.slice(0, MAX_SPELLED - 1)}…` : text;
}
