// Facts derived from the text of a regular expression: a bound of its work, texts that every match contains, the word it starts with.
// Not a parser: a complex expression has no bound, no required text and no first word.
// Invariants: the bound is never too low; no match lacks a required text or starts with another word.

/** A private-use character; it represents an unknown character. */
const ANY = "\ue000";
/** Represents any blank. */
const BLANK = "\ue001";

/** More repetitions of a group than this count as unlimited. */
const MAX_PASSES = 8;

/**
 * Bounds the work of an expression: it takes about `length ** exponent` steps over a text without two blanks in a row. `Infinity` if the
 * work may explode or isn't known.
 */
export function costExponent(source: string): number {
	if (refersBack(source)) return Number.POSITIVE_INFINITY;
	let text = outline(forcedGroups.reduce((shorter, form) => shorter.replace(form, ".+"), source));
	for (let found = group.exec(text); found; found = group.exec(text)) {
		const [whole, body = "", star, min, comma, max] = found;
		const endless = star !== undefined || (comma === "," && max === "");
		const passes = endless ? Number.POSITIVE_INFINITY : Number(max || (min ?? 1));
		if (passes > MAX_PASSES && body.length > 1) return Number.POSITIVE_INFINITY;
		const repeats = passes > MAX_PASSES ? 1 : passes * countRepeats(body);
		text = text.replace(whole, () => ANY + "*".repeat(repeats));
	}
	// A match may start at every place of the text.
	return 1 + countRepeats(text);
}

const group = /\((?:\?(?::|<?[=!]|<\w+>))?([^()]*)\)(?:([*+])|\{(\d+)(,?)(\d*)\})?\??/;

/**
 * Repeated groups that cut a text into passes in only one way: one character marks where a pass starts or ends, and the rest of the group
 * excludes it.
 */
const forcedGroups: readonly RegExp[] = [
	// (/[^/]+)*
	/\((?:\?:)?(?:\\([^\w\s])|([/:,;=@~#%-]))\[\^\\?\1\2\][*+]\)[*+]/g,
	// ([^/]+/)*
	/\((?:\?:)?\[\^\\?([/:,;=@~#%-])\][*+]\\?\1\)[*+]/g,
	// (-\S+\s+)*
	/\((?:\?:)?-{0,2}(?:\\S|\[\^\\s\])\+(?:\\s| )\+?\)[*+]/g,
	// (\s+-\S+)*
	/\((?:\?:)?(?:\\s| )\+?-{0,2}(?:\\S|\[\^\\s\])\+\)[*+]/g,
];

/** Repetitions that may have to try many lengths, in the alternative that has most. A run of blanks has one length. */
function countRepeats(text: string): number {
	const counts = text
		.replaceAll(/[ \ue001][*+]/g, BLANK)
		.split("|")
		.map((option) => option.match(/[*+]|\{\d*,\}|\{(?:\d+,)?\d{3,}\}/g)?.length ?? 0);
	return Math.max(...counts);
}

/** Texts that every match contains: if one of them is missing, the expression need not be tried. */
export function requiredTexts(source: string): string[] {
	const text = withoutGroups(outline(source));
	if (text.includes("|") || refersBack(source)) return [];
	return text
		.replaceAll(/.(?:[*?]|\{[^}]*\})\??/gs, ANY)
		.split(/[\ue000\ue001.^$+]+/)
		.filter((part) => part.length > 1);
}

/** The word that every match starts with, closed by a blank or a word boundary; `undefined` if a match may start otherwise. */
export function leadingWord(source: string): string | undefined {
	if (withoutGroups(outline(source)).includes("|")) return undefined;
	const found = /^(?:\^|\\b)*([A-Za-z](?:[\w-]|\\[.+])*)(?=\\[bs]| |\$|\(\?[=!]|\[(?: |\\[st])+\])/.exec(source);
	return found?.[1]?.replaceAll("\\", "");
}

function refersBack(source: string): boolean {
	return /\\[1-9k]/.test(source);
}

function withoutGroups(text: string): string {
	let rest = text;
	while (group.test(rest)) rest = rest.replace(group, ANY);
	return rest;
}

/** The expression with every class and escape as one character; assertions about words are left out. */
function outline(source: string): string {
	return source.replaceAll(/\\b|\\B|\[(?:\\.|[^\]\\])*\]|\\(?:x[\da-f]{2}|u[\da-f]{4}|c[a-z]|.)/gis, (unit) => {
		if (/^\\b$/i.test(unit)) return "";
		if (/^(?:\\s|\[(?: |\\[stnr])+\])$/.test(unit)) return BLANK;
		return /^\\[^\w.*+?^${}()|[\]\\]$/.test(unit) ? unit.slice(1) : ANY;
	});
}
