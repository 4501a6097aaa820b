// Opens a resource on first use and keeps it.

/** Caches the result of `open`. A failure is not cached: the next call tries again. */
export function openOnce<Value>(open: () => Promise<Value>): () => Promise<Value> {
	let opened: Promise<Value> | undefined;
	return () => {
		opened ??= open().catch((error: unknown) => {
			opened = undefined;
			throw error;
		});
		return opened;
	};
}
