// Words of printed commands, quoted so that a shell, and `/chronicle` in pi, read each as one word. Pure.

/** A word as it stands in a printed command: as it is, or in single quotes. */
export function commandWord(text: string): string {
	return /^[\p{L}\p{N}_@+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word of a command as it was typed, and where it is. */
interface TypedWord {
	readonly text: string;
	readonly start: number;
	readonly end: number;
}

/** The words of a line: separated by white space; what {@link commandWord} has quoted is one word, other quotes are text. */
export function typedWords(line: string): TypedWord[] {
	return [...line.matchAll(/(?<!\S)'(?:[^']|'\\'')*'(?!\S)|\S+/g)].map(({ 0: written, index }) => ({
		text: unquoted(written),
		start: index,
		end: index + written.length,
	}));
}

function unquoted(written: string): string {
	return /^'(?:[^']|'\\'')*'$/.test(written) ? written.slice(1, -1).replaceAll("'\\''", "'") : written;
}
