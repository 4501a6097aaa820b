// The text of one file, with conversion of offsets to lines and columns. Offsets count UTF-16 code units of `text`.
// `text` has no byte order mark and only LF line endings, so offsets are the same on every system.
import type { Place } from "./diagnostic.ts";

export interface Source {
	/** Absolute path. */
	readonly file: string;
	readonly text: string;
	/** Line and column of an offset; an offset past the end counts as the end. */
	place(offset: number): Place;
}

/** Creates a source from decoded text. Normalizes line endings and removes a byte order mark. */
export function openSource(file: string, raw: string): Source {
	const text = uniform(raw);
	let starts: number[] | undefined;
	return {
		file,
		text,
		place(offset) {
			starts ??= lineStarts(text);
			const at = Math.max(0, Math.min(offset, text.length));
			let low = 0;
			let high = starts.length - 1;
			while (low < high) {
				const middle = (low + high + 1) >> 1;
				if ((starts[middle] ?? 0) <= at) low = middle;
				else high = middle - 1;
			}
			return { file, line: low + 1, column: at - (starts[low] ?? 0) + 1 };
		},
	};
}

function uniform(raw: string): string {
	const text = raw.charCodeAt(0) === 0xfeff ? raw.slice(1) : raw;
	return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

function lineStarts(text: string): number[] {
	const starts = [0];
	for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
	return starts;
}
