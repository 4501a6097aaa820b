// Which known word was probably meant: one edit distance for every "did you mean" of the package.

/**
 * The candidate nearest to `word`, or `undefined` where none is near: at most one slip in words up to five letters, two in longer
 * ones; a swap of neighbours, a difference in case or in `-`, `_` and spaces is one slip or none. Ties go to the earlier candidate.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
	if (word.length > 80) return undefined;
	const wanted = plain(word);
	let best: string | undefined;
	let least = 3;
	for (const candidate of candidates) {
		const offered = plain(candidate);
		const allowed =
			Math.min(wanted.length, offered.length) <= 2 ? 0 : Math.max(wanted.length, offered.length) <= 5 ? 1 : 2;
		if (Math.abs(wanted.length - offered.length) > allowed) continue;
		const distance = editDistance(wanted, offered);
		if (distance <= allowed && distance < least) {
			best = candidate;
			least = distance;
		}
	}
	return best;
}

/** ` Did you mean …?` or nothing, to be put behind a sentence. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
	const near = nearest(word, candidates);
	return near === undefined ? "" : ` Did you mean \`${near}\`?`;
}

function plain(word: string): string {
	return word.toLowerCase().replace(/[-_\s]/g, "");
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment). */
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
