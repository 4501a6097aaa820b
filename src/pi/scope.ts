// One scope per session owns what outlives a handler: timers, children, widgets, subscriptions.
// S1 nothing is owned by a module; S2 closing runs every closer once, newest first, and one that fails stops no other;
// S3 after closing, `own` closes at once and timers do not start.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export type Closer = () => void | Promise<void>;

export interface Scope {
	readonly closed: boolean;
	/** Registers a closer; the returned function runs it now, once, and forgets it. */
	own(closer: Closer): () => Promise<void>;
	/** Runs `work` once after `ms` milliseconds unless the scope closes first; returns a function that cancels it. */
	after(ms: number, work: () => void): () => void;
	/** Runs `work` every `ms` milliseconds until the scope closes; returns a function that ends it. */
	every(ms: number, work: () => void): () => void;
	/** Closes everything; resolves when all closers have ended. */
	close(): Promise<void>;
}

/** Opens a scope that is bound to no session; its creator closes it. */
export function openScope(): Scope {
	const closers = new Set<Closer>();
	let closed = false;

	const own = (closer: Closer): (() => Promise<void>) => {
		if (closed) {
			void Promise.resolve(closer()).catch(() => {});
			return async () => {};
		}
		closers.add(closer);
		return async () => {
			if (closers.delete(closer)) await closer();
		};
	};

	const timer = (start: () => NodeJS.Timeout, stop: (handle: NodeJS.Timeout) => void): (() => void) => {
		if (closed) return () => {};
		const handle = start();
		const release = own(() => stop(handle));
		return () => void release();
	};

	return {
		get closed() {
			return closed;
		},
		own,
		after(ms, work) {
			let cancel = () => {};
			cancel = timer(
				() =>
					setTimeout(() => {
						cancel();
						work();
					}, ms),
				clearTimeout,
			);
			return () => cancel();
		},
		every: (ms, work) => timer(() => setInterval(work, ms), clearInterval),
		async close() {
			if (closed) return;
			closed = true;
			const newestFirst = [...closers].reverse();
			closers.clear();
			await Promise.allSettled(newestFirst.map(async (closer) => closer()));
		},
	};
}

/** Opens the scope of the session that `pi` belongs to: it closes in `session_shutdown`. */
export function openSessionScope(pi: ExtensionAPI): Scope {
	const scope = openScope();
	pi.on("session_shutdown", () => scope.close());
	return scope;
}
