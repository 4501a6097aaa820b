// Delivers posts in passes, one at a time: a request during a pass leads to one more pass. After a failed pass, delivery stops until the next request.

export interface DeliveryLoop {
	/** Requests a pass, or one more after the current one. Resolves once everything is delivered. */
	look(): Promise<void>;
	/** Stops after the current post. */
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
