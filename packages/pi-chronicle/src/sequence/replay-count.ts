// Parses the number of runs. Pure.

/** More runs than this require confirmation. */
export const manyRuns = 100;

/**
 * Whether a word is meant as a number of runs, valid or not (`0`, `-1`, `1.5`, `1e9`, `0x10`, `1,000`, `∞`). Arguments do not look like
 * that.
 */
export function looksLikeNumber(word: string): boolean {
	if (word === "") return false;
	return (
		!Number.isNaN(Number(word)) || /^[-+]?\p{Number}[\p{Number}.,'_]*$/u.test(word) || /^[-+]?(∞|nan)$/i.test(word)
	);
}

/** Parses the answer: empty means 1; otherwise only whole numbers from 1 are valid. */
export function parseRunCount(answer: string): { kind: "count"; count: number } | { kind: "refused"; reason: string } {
	const text = answer.trim();
	if (text === "") return { kind: "count", count: 1 };
	const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
	if (count >= 1) return { kind: "count", count };
	return { kind: "refused", reason: `"${text}" is not a number of runs: a whole number from 1 to 999999.` };
}
