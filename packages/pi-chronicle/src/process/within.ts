// A bound for what may never come.
/** The result of `work`; `undefined` if it takes longer than `ms`. */
export async function within<Made>(ms: number, work: Promise<Made>): Promise<Made | undefined> {
	const { promise: late, resolve } = Promise.withResolvers<undefined>();
	const timer = setTimeout(() => resolve(undefined), ms);
	return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
