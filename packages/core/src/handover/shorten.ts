// Shortens texts so that they fit together: the longest first, all to the same length. Pure.
import { cutText } from "../snapshot/index.ts";

export interface Shortened {
	readonly texts: readonly string[];
	/** Indexes of those that are shortened or left out. */
	readonly cut: readonly number[];
	readonly bytes: number;
}

/** Bytes below which a shortened text says too little. */
const leastBytes = 80;

/** At most `most` characters: to the end of a line or a sentence if one ends in the second half, otherwise of a word. */
export function beginning(text: string, most: number): string {
	if (text.length <= most) return text;
	const start = text.slice(0, most);
	const sentence = Math.max(
		...[...start.matchAll(/[.!?。！？:;](?=\s)|(?=\n)/gu)].map((end) => end.index + end[0].length),
		0,
	);
	const word = Math.max(start.search(/\s\S*$/), most - 40);
	return `${start.slice(0, sentence > most / 2 ? sentence : word).trimEnd()} …`;
}

/** The first line of a text, and at least the last `bytes` bytes of it, from the beginning of a line. */
export function outputEnd(text: string, bytes: number): string {
	const head = text.indexOf("\n") + 1;
	const rest = Buffer.from(text.slice(head));
	if (rest.length <= bytes) return text;
	const line = rest.lastIndexOf("\n", rest.length - bytes) + 1;
	// Of a line that is very long, only its end.
	const from = rest.length - line > 2 * bytes ? rest.length - bytes : line;
	return `${text.slice(0, head)}…\n${rest
		.subarray(from)
		.toString("utf8")
		.replace(/^\ufffd+/, "")}`;
}

/** The texts in at most `bytes` bytes, with a newline each. If even short ones do not fit, only the `first` or `last` ones are kept. */
export function shortenTexts(texts: readonly string[], bytes: number, keeps: "first" | "last" = "last"): Shortened {
	const lengths = texts.map((text) => Buffer.byteLength(text) + 1);
	const total = sumOf(lengths);
	if (total <= bytes) return { texts, cut: [], bytes: total };
	const most = lengthThatFits(lengths, bytes);
	const kept = Math.max(0, Math.floor(bytes / leastBytes));
	if (most < leastBytes && kept < texts.length) {
		const from = keeps === "first" ? 0 : texts.length - kept;
		const rest = shortenTexts(texts.slice(from, from + kept), bytes);
		const left = [...texts.keys()].filter((at) => at < from || at >= from + kept);
		return { ...rest, cut: [...left, ...rest.cut.map((at) => at + from)] };
	}
	const short = texts.map((text) => cutText(text, most - 1).text);
	const cut = lengths.flatMap((length, at) => (length > most ? [at] : []));
	return { texts: short, cut, bytes: sumOf(short.map(byteLength)) };
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

function sumOf(numbers: readonly number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}
