// What the hosts of an engine offer, and why a job waits that only some of them may take. Readers ask when they look: hosts come and go.

import type { Sql } from "./database.ts";
import { type JobRouting, labelsInQueue, nextQueue } from "./jobs.ts";

/** What a host that is up takes runs of. */
export interface HostOffer {
	readonly projects: readonly string[];
	readonly queues: readonly string[];
	readonly labels: readonly string[];
}

/** The hosts that are up and not draining. */
export async function readOffers(sql: Sql): Promise<readonly HostOffer[]> {
	const { rows } = await sql.query<HostOffer>(
		`SELECT projects, queues, labels FROM chronicle.host
		WHERE slots > 0 AND NOT draining AND beat_at > now() - lease_ms * interval '1 millisecond'`,
	);
	return rows;
}

/** Why nobody has taken the job of a run yet, in one sentence; `missing`: no host that is up could. */
export function explainWait(
	row: JobRouting,
	offers: readonly HostOffer[],
): { readonly text: string; readonly missing: boolean } {
	const queue = nextQueue(row);
	const labels = labelsInQueue(queue);
	if (labels.length === 0) return { text: "Waits for a host of the engine.", missing: false };
	const [project = "", name = ""] = queue.split("/");
	const serving = offers.filter(({ projects, queues }) => projects.includes(project) && queues.includes(name));
	const text = `Waits for a host with the ${labels.length === 1 ? "label" : "labels"} ${labels.join(", ")}`;
	if (serving.some((offer) => labels.every((label) => offer.labels.includes(label))))
		return { text: `${text}.`, missing: false };
	const lacking = labels.filter((label) => !serving.some((offer) => offer.labels.includes(label)));
	const what = lacking.length > 0 ? lacking.join(", ") : "all of them";
	return { text: `${text}: no host that is up offers ${what}.`, missing: true };
}
