// The statement that appends events to a held run: it does nothing unless the lease is still the host's, and the event before is the last.
import { foldedColumns } from "./rows.ts";
import { insertSnapshotsText } from "./snapshot-rows.ts";

const [, ...changing] = foldedColumns;
const parentParameter = `$${changing.length + 10}::text`;
const statement = (more = ""): string => `
WITH soon AS (SELECT CASE WHEN $4 THEN set_config('synchronous_commit', 'off', true) END),
held AS (
	UPDATE chronicle.run SET head = COALESCE($5, head), head_parent = CASE WHEN $5::text IS NULL THEN head_parent ELSE ${parentParameter} END, seq = $9, ${changing.map((name, index) => `${name} = $${index + 10}`).join(", ")}
	FROM soon WHERE id = $1 AND holder = $2 AND fence = $3 AND seq = $6 RETURNING id
)${more}
INSERT INTO chronicle.event (run, seq, body)
SELECT held.id, added.seq, added.body FROM held, unnest($7::int[], $8::text[]) AS added (seq, body)`;
/** Values: run, holder, fence, whether it need not be on disk yet, head, last event, numbers, texts, folded columns, parent of the head. */
export const appendText = statement();
/** The same, and then those of the snapshots. */
export const appendWithSnapshotsText = statement(`, ${insertSnapshotsText(changing.length + 11, 9)}`);
