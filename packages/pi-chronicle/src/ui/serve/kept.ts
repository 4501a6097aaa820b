// Tables of bounded size.

/** Keeps `value` as the newest, and at most `most` of all: the oldest goes. */
export function keep<K, T>(kept: Map<K, T>, key: K, value: T, most: number): void {
	kept.delete(key);
	kept.set(key, value);
	const [oldest] = kept.keys();
	if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
