// Output to a session that may have ended.

/** Runs `work`; ignores the error of a session that has ended, because its screen is gone. */
export function quietly(work: () => void): void {
	try {
		work();
	} catch {
		// The session was left; the notice was shown then.
	}
}
