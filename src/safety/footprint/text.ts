// Shell text with holes: a string in which one character stands for "something unknown". Words, values and outputs are such strings.
// T1 a hole is a character of the private use area; a command that itself holds it is unknown there, which is on the safe side;
// T2 a text without a hole is exactly what the shell would make; T3 a hole stays a hole when text is parsed again (`sh -c`, `eval`).

/** Stands for any text at all, the empty one too. */
export const HOLE = "\uE000";

export function isKnown(text: string): boolean {
	return !text.includes(HOLE);
}

/** Texts longer than this are not carried on: they become holes. */
const MAX_TEXT = 70_000;

export function bounded(text: string): string {
	return text.length > MAX_TEXT ? HOLE : text;
}

/** At most this many values of one word or variable are kept apart. */
const MAX_ALTERNATIVES = 64;

/** The alternatives without doubles; one hole where there are too many. */
export function distinct(alternatives: readonly string[]): readonly string[] {
	if (alternatives.length === 1) return alternatives;
	const set = new Set(alternatives);
	return set.size > MAX_ALTERNATIVES ? [HOLE] : [...set];
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

/** A word as a person would write it for the shell: quoted only where needed, holes as `$?`. */
export function spell(word: string): string {
	if (word === HOLE) return "$?";
	if (word === "") return "''";
	if (/^[\w@%+=:,./~^-]+$/.test(word)) return word;
	if (isKnown(word)) return word.includes("'") ? `"${word.replace(/[\\"$`]/g, "\\$&")}"` : `'${word}'`;
	return word
		.split(HOLE)
		.map((part) => (/^[\w@%+=:,./~^-]*$/.test(part) ? part : spell(part)))
		.join("$?");
}
