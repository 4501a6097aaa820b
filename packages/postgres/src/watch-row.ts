// Polls the row of one run for a viewer. Hosts send no notification of events: one in each append would make all hosts commit one after
// another.
import type { Database } from "./database.ts";

/** Milliseconds between two polls; longer while nothing happens. */
const activeMs = 700;
const quietMs = 2000;
const quietAfter = 20;

const rowText = `
SELECT r.seq, r.holder, r.job, r.waits, h.beat_at > now() - h.lease_ms * interval '1 millisecond' AS alive
FROM chronicle.run r LEFT JOIN chronicle.host h ON h.id = r.holder WHERE r.id = $1`;

/** Calls `listener` when the row of run `id` has changed, until the returned function is called. Keeps no process alive. */
export function watchRow(database: Database, id: string, listener: () => void): () => void {
	let timer: NodeJS.Timeout | undefined;
	let ended = false;
	let known: string | undefined;
	let unchanged = 0;
	const look = async (): Promise<void> => {
		// A row that cannot be read now is read at the next poll.
		const found = await database.query(rowText, [id]).catch(() => undefined);
		if (ended) return;
		const now = found ? JSON.stringify(found.rows) : known;
		unchanged = now === known ? unchanged + 1 : 0;
		if (known !== undefined && now !== known) listener();
		known = now;
		timer = setTimeout(() => void look(), unchanged < quietAfter ? activeMs : quietMs);
		timer.unref();
	};
	void look();
	return () => {
		ended = true;
		clearTimeout(timer);
	};
}
