// When the database last said that this host holds a run. For a moment after that it need not be asked again: nobody can take the run while
// the host's own lease, which is checked apart from this, has not expired.

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
	// The time that a machine is suspended for is in one of the clocks.
	return { isFresh: () => Math.max(performance.now() - ran, Math.abs(Date.now() - clock)) < provedMs };
}
