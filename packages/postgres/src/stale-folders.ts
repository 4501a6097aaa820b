// Removes what a host keeps for runs that it no longer works on: those that were removed or are over, wherever they ended, and those that another
// host has had for long. Folders with files that are nowhere else stay until their run is removed. Folders of runs that this host supervises stay.
import type { Checkout } from "pi-chronicle/local";
import type { Database } from "./database.ts";
import { GIVEN_PROJECTS } from "./rights.ts";

export interface StaleFolders {
	readonly checkout: Checkout;
	readonly project: string;
	readonly host: string;
	/** Whether this host supervises the run, or is creating it. */
	isBusy(run: string): boolean;
}

/** Milliseconds for which the folder of a run that another host has is kept, in case the run comes back. */
const elsewhereMs = 86_400_000;

/** No rows for a user who does not see the runs of the project: all of them would seem removed. */
const standingText = `
SELECT k AS id, CASE WHEN r.id IS NULL THEN 'removed' WHEN r.holder IS NULL AND r.status IN ('done', 'failed', 'aborted') THEN 'over'
	WHEN r.holder <> $3 THEN 'elsewhere' ELSE 'open' END AS standing
FROM unnest($1::text[]) k LEFT JOIN chronicle.run r ON r.id::text = k
WHERE NOT row_security_active('chronicle.run') OR $2 IN (${GIVEN_PROJECTS})`;

/** Removes the folders of a project that are stale. */
export async function removeStale(
	database: Database,
	{ checkout, project, host, isBusy }: StaleFolders,
): Promise<void> {
	const here = await checkout.runsHere();
	if (here.length === 0) return;
	const { rows } = await database.query<{
		readonly id: string;
		readonly standing: "removed" | "over" | "elsewhere" | "open";
	}>(standingText, [here, project, host]);
	for (const { id, standing } of rows) {
		if (isBusy(id)) continue;
		if (standing === "removed") {
			await checkout.removeAll(id);
			await checkout.removeRefs(id);
		} else if (standing === "over" || (standing === "elsewhere" && (await checkout.idleMs(id)) > elsewhereMs))
			await checkout.remove(id);
	}
}
