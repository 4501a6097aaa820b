// Limits the number of concurrent children, first come, first served. A slot is released exactly once; an aborted waiter takes none.

export interface Queue {
	/** Number of waiting children. */
	readonly waiting: number;
	/**
	 * Resolves with the function that releases the slot, as soon as fewer than `places` are taken; with `undefined` if `signal` aborts first.
	 */
	enter(places: number, signal: AbortSignal | undefined): Promise<(() => void) | undefined>;
}

/** Opens the queue of one session. */
export function openQueue(): Queue {
	const line: { readonly places: number; readonly go: () => void }[] = [];
	let taken = 0;

	const take = (): (() => void) => {
		taken++;
		let given = false;
		return () => {
			if (given) return;
			given = true;
			taken--;
			const [next] = line;
			if (next && taken < next.places) line.shift()?.go();
		};
	};

	return {
		get waiting() {
			return line.length;
		},
		async enter(places, signal) {
			if (signal?.aborted) return undefined;
			if (taken < places && line.length === 0) return take();
			return new Promise((resolve) => {
				const leave = () => {
					line.splice(line.indexOf(one), 1);
					resolve(undefined);
				};
				const one = {
					places,
					go: () => {
						signal?.removeEventListener("abort", leave);
						resolve(take());
					},
				};
				signal?.addEventListener("abort", leave, { once: true });
				line.push(one);
			});
		},
	};
}
