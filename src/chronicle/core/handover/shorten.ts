// Shortens texts so that they fit together: the longest first, all to the same length. Pure.
import { cutText } from "../snapshot/index.ts";

export interface Shortened {
	readonly texts: readonly string[];
	/** How many are shortened or left out. */
	readonly cut: number;
	readonly bytes: number;
}

/** Bytes below which a shortened text says too little. */
const leastBytes = 80;

/** The texts in at most `bytes` bytes, with a newline each. If even short ones do not fit, the first ones are left out. */
export function shortenTexts(texts: readonly string[], bytes: number): Shortened {
	const lengths = texts.map((text) => Buffer.byteLength(text) + 1);
	const total = sum(lengths);
	if (total <= bytes) return { texts, cut: 0, bytes: total };
	const most = lengthThatFits(lengths, bytes);
	if (most < leastBytes && texts.length > 0) {
		const kept = Math.floor(bytes / leastBytes);
		const rest = kept === 0 ? { texts: [], cut: 0, bytes: 0 } : shortenTexts(texts.slice(-kept), bytes);
		if (kept < texts.length) return { ...rest, cut: rest.cut + texts.length - kept };
	}
	const short = texts.map((text) => cutText(text, most - 1).text);
	return { texts: short, cut: lengths.filter((length) => length > most).length, bytes: sum(short.map(byteLength)) };
}

/** The greatest length to which all can be cut so that they fit. */
function lengthThatFits(lengths: readonly number[], bytes: number): number {
	let left = bytes;
	const sorted = lengths.toSorted((one, other) => one - other);
	for (const [index, length] of sorted.entries()) {
		const share = Math.floor(left / (sorted.length - index));
		if (length > share) return share;
		left -= length;
	}
	return Number.POSITIVE_INFINITY;
}

function byteLength(text: string): number {
	return Buffer.byteLength(text) + 1;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}
