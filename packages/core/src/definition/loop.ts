// Finds definitions that refer to themselves, directly or through others. Pure.

/**
 * The shortest path from `key` back to itself, as a list of keys that begins and ends with it; `undefined` if there is none. `references`
 * returns the keys that a key refers to.
 */
export function loopFrom(key: string, references: (key: string) => readonly string[]): string[] | undefined {
	const reachedFrom = new Map<string, string>();
	const queue = [key];
	for (const source of queue)
		for (const target of references(source)) {
			if (target === key) return [...wayTo(source, reachedFrom), key];
			if (reachedFrom.has(target)) continue;
			reachedFrom.set(target, source);
			queue.push(target);
		}
	return undefined;
}

function wayTo(key: string, reachedFrom: ReadonlyMap<string, string>): string[] {
	const way: string[] = [];
	for (let at: string | undefined = key; at !== undefined; at = reachedFrom.get(at)) way.push(at);
	return way.reverse();
}
