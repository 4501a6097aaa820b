// Finds the known word closest to a misspelled one. All "did you mean" suggestions of the package use this edit distance.

/**
 * The candidate nearest to `word`, or `undefined` if none is near: at most one edit in words of up to five letters (none in words of one
 * or two), two in longer ones. A swap of adjacent letters is one edit; case, `-`, `_`, and spaces are ignored. Of equally near
 * candidates, the first wins.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
	if (word.length > 80) return undefined;
	const wanted = withoutSeparators(word);
	let best: string | undefined;
	let smallest = 3;
	for (const candidate of candidates) {
		const offered = withoutSeparators(candidate);
		const allowed =
			Math.min(wanted.length, offered.length) <= 2 ? 0 : Math.max(wanted.length, offered.length) <= 5 ? 1 : 2;
		if (Math.abs(wanted.length - offered.length) > allowed) continue;
		const distance = editDistance(wanted, offered);
		if (distance <= allowed && distance < smallest) {
			best = candidate;
			smallest = distance;
		}
	}
	return best;
}

/**
 * The candidate that `word` probably means: the nearest one, or else the one whose words are all in `word`, or that has all words of `word`:
 * `max_cost_usd` means `cost_usd`. Of several, the one that shares the most letters wins.
 */
export function likely(word: string, candidates: Iterable<string>): string | undefined {
	const all = [...candidates];
	const near = nearest(word, all);
	if (near !== undefined || word.length > 80) return near;
	const wanted = wordsOfName(word);
	let best: string | undefined;
	let most = minShared - 1;
	for (const candidate of all) {
		const offered = wordsOfName(candidate);
		const [fewer, more] = offered.length <= wanted.length ? [offered, wanted] : [wanted, offered];
		const shared = fewer.every((part) => more.includes(part)) ? fewer.join("").length : 0;
		if (shared > most) [best, most] = [candidate, shared];
	}
	return best;
}

/** Letters that two names must share where one contains the words of the other. */
const minShared = 4;

/** `maxCostUsd`, `max_cost-usd` → `max`, `cost`, `usd`. */
function wordsOfName(name: string): string[] {
	return name
		.replace(/([a-z\d])([A-Z])/g, "$1 $2")
		.toLowerCase()
		.split(/[-_\s]+/)
		.filter((part) => part !== "");
}

/** ` Did you mean …?`, to append to a sentence; empty without a near candidate. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
	const meant = nearest(word, candidates);
	return meant === undefined ? "" : ` Did you mean \`${meant}\`?`;
}

function withoutSeparators(word: string): string {
	return word.toLowerCase().replace(/[-_\s]/g, "");
}

/** Number of insertions, deletions, replacements, and adjacent swaps that turn `a` into `b` (optimal string alignment distance). */
export function editDistance(a: string, b: string): number {
	let before: number[] = [];
	let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let i = 1; i <= a.length; i += 1) {
		const row = [i];
		for (let j = 1; j <= b.length; j += 1) {
			const same = a[i - 1] === b[j - 1];
			let cost = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
				cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
			row.push(cost);
		}
		before = previous;
		previous = row;
	}
	return previous[b.length] ?? 0;
}
