// One scope per session owns everything that outlives a handler: timers, children, widgets, subscriptions.
// No module owns anything; closing runs every closer once, newest first, and a failing closer does not stop the others;
// after closing, `own` closes immediately and timers do not start; a timer whose session has ended closes the scope instead of doing its
// work: a host may dispose of a session without the event that closes its scope.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

type Closer = () => void | Promise<void>;

export interface Scope {
	readonly closed: boolean;
	/** Registers a closer. The returned function runs it now, once, and unregisters it. */
	own(closer: Closer): () => Promise<void>;
	/** Runs `work` once after `ms` milliseconds unless the scope closes first. The returned function cancels it. */
	after(ms: number, work: () => void): () => void;
	/** Runs `work` every `ms` milliseconds until the scope closes. The returned function stops it. */
	every(ms: number, work: () => void): () => void;
	/** Runs all closers; resolves when they have finished. */
	close(): Promise<void>;
}

/** Opens a scope that belongs to no session, unless `isGone` says when its session has ended; its creator closes it. */
export function openScope(isGone: () => boolean = () => false): Scope {
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

	const close = async (): Promise<void> => {
		if (closed) return;
		closed = true;
		const newestFirst = [...closers].reverse();
		closers.clear();
		await Promise.allSettled(newestFirst.map(async (closer) => closer()));
	};

	const timer = (
		start: (act: () => void) => NodeJS.Timeout,
		stop: (handle: NodeJS.Timeout) => void,
		work: () => void,
	): (() => void) => {
		if (closed) return () => {};
		const handle = start(() => (isGone() ? void close() : work()));
		const release = own(() => stop(handle));
		return () => void release();
	};

	return {
		get closed() {
			return closed;
		},
		own,
		after(ms, work) {
			const cancel = timer(
				(act) => setTimeout(act, ms),
				clearTimeout,
				() => {
					cancel();
					work();
				},
			);
			return cancel;
		},
		every: (ms, work) => timer((act) => setInterval(act, ms), clearInterval, work),
		close,
	};
}

/** Opens the scope of the session that `pi` belongs to; it closes in `session_shutdown`. */
export function openSessionScope(pi: ExtensionAPI): Scope {
	const scope = openScope(() => {
		try {
			pi.getFlag("");
			return false;
		} catch {
			return true;
		}
	});
	pi.on("session_shutdown", () => scope.close());
	return scope;
}
