// Delivers posts one pass at a time: a look during a pass leads to one more pass. A pass that fails ends until the next look.

export interface DeliveryLoop {
	/** Starts a pass, or one more after the current one. Resolves once nothing is left to deliver. */
	look(): Promise<void>;
	/** Ends after the post that is being delivered. */
	close(): Promise<void>;
}

/** `deliverAll` delivers the pending messages, and stops early once `isClosed` returns true. */
export function openDeliveryLoop(deliverAll: (isClosed: () => boolean) => Promise<void>): DeliveryLoop {
	let closed = false;
	let again = false;
	let delivering: Promise<void> | undefined;
	const deliver = async (): Promise<void> => {
		do {
			again = false;
			await deliverAll(() => closed);
		} while (again && !closed);
	};
	return {
		look() {
			again = true;
			delivering ??= deliver()
				.catch(() => {})
				.finally(() => {
					delivering = undefined;
				});
			return delivering;
		},
		async close() {
			closed = true;
			await delivering;
		},
	};
}
