// What is opened when it is first asked for, and then kept.

/** The same of `open`'s results for everybody who asks. One that fails is not kept: whoever asks next tries again. */
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
