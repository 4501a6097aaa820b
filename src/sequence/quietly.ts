// What may be said to a session that is gone.

/** Does what only a session that is still there can do: one that is gone has taken its screen with it. */
export function quietly(work: () => void): void {
	try {
		work();
	} catch {
		// Stale: the session was left, and the notice was given when it was.
	}
}
