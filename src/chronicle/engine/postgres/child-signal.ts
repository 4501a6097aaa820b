// When a host gives a child back that its parent believes to wait for the user, the parent is signaled: the user has answered the child since then, and may
// have been cut off before the parent was signaled.
import type { Run } from "../../core/index.ts";
import { postText } from "../ledger/index.ts";
import type { Database, Sql } from "./database.ts";
import { addPost } from "./posts.ts";
import { findRow, loadRow } from "./rows.ts";

/** Whether the run has recorded that the child `id` waits, and would follow it again. */
function countsAsWaiting({ children, stage, hold }: Run, id: string): boolean {
	const child = children?.children.find((one) => one.id === id);
	if (child?.status !== "parked") return false;
	return stage.kind === "children" || (stage.kind === "waiting" && hold?.cause === "children");
}

/** Posts the signal in the transaction that gives the child back. The row of the parent is locked, and was so before that of the child. */
export async function signalParent(
	database: Database,
	tx: Sql,
	{ id, parent, at }: { readonly id: string; readonly parent: string; readonly at: number },
): Promise<void> {
	const row = await findRow(tx, parent);
	const run = row && (await loadRow(tx, row));
	const body = postText({ kind: "child_signaled", child: id });
	if (!row || !run || typeof run === "string" || body === undefined || !countsAsWaiting(run, id)) return;
	await addPost(database, { run: parent, body, at, refused: undefined }, tx);
}
