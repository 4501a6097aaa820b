// When the database last confirmed that this host holds a run. For a moment it need not be asked again: nobody can take the run before the
// host's own lease, which is checked separately, has expired.

/** Milliseconds for which it counts that a statement has found the run held by this host. */
const provedMs = 250;

/** A statement that found the run held. */
export interface LeaseProof {
	isFresh(): boolean;
}

export const noProof: LeaseProof = { isFresh: () => false };

/** The proof of a statement that begins now. */
export function proofNow(): LeaseProof {
	const [ran, clock] = [performance.now(), Date.now()];
	// One of the clocks includes the time for which the machine was suspended.
	return { isFresh: () => Math.max(performance.now() - ran, Math.abs(Date.now() - clock)) < provedMs };
}
