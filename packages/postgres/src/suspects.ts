// Runs that may be why a host died. A death counts for a run that was alone on the host; where it had several, each of them is a suspect: it then
// runs alone, until it has got further, so that the next death shows which one it was. A death does not count for an innocent run. One that kills its
// hosts is given up after as many deaths as it is on its own.
import type { Database, Sql } from "./database.ts";

/** A condition: the host `h` of a run is dead. */
export const deadHolder = "(h.id IS NULL OR h.beat_at < now() - h.lease_ms * interval '1 millisecond')";

/** Notes which runs were together on a host that is dead. To be called before any of them is taken back. */
export async function markSuspects(sql: Sql): Promise<void> {
	await sql.query(`UPDATE chronicle.run r SET suspect = r.fence FROM (
		SELECT r.id, r.fence, count(*) OVER (PARTITION BY r.holder) AS beside FROM chronicle.run r LEFT JOIN chronicle.host h ON h.id = r.holder
		WHERE r.holder IS NOT NULL AND NOT r.delegates AND ${deadHolder}
	) dead WHERE dead.id = r.id AND dead.fence = r.fence AND dead.beside > 1 AND r.suspect IS NULL`);
}

/** Whether the death of its host counts for a run: it was alone there, also because it has been a suspect since an earlier death. */
export function isCounted({ suspect, fence }: { readonly suspect: number | null; readonly fence: number }): boolean {
	return suspect === null || suspect < fence;
}

/** A run must be alone on its host, and others are there. */
export class MustBeAlone extends Error {
	constructor() {
		super("Waits until a host has no other runs: one died while it had this run and others.");
	}
}

/** Whether a suspect still waits for a host. */
export async function isSuspectQueued(database: Database, run: string): Promise<boolean> {
	const text = "SELECT FROM chronicle.run WHERE id = $1 AND suspect IS NOT NULL AND holder IS NULL AND job IS NOT NULL";
	return (await database.query(text, [run])).count > 0;
}
