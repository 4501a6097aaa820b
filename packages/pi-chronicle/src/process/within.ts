// Bounds for what may never come.
/** The result of `work`; `undefined` if it takes longer than `ms`. */
export async function within<Made>(ms: number, work: Promise<Made>): Promise<Made | undefined> {
	const { promise: late, resolve } = Promise.withResolvers<undefined>();
	const timer = setTimeout(() => resolve(undefined), ms);
	return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Resolves once `signal` aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return Promise.resolve();
	return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** The result of `work`; `undefined` as soon as `signal` aborts. */
export async function unlessAborted<Made>(work: Promise<Made>, signal: AbortSignal): Promise<Made | undefined> {
	const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
	const stop = (): void => resolve(undefined);
	signal.addEventListener("abort", stop, { once: true });
	if (signal.aborted) stop();
	return Promise.race([aborted, work]).finally(() => signal.removeEventListener("abort", stop));
}
