// Decides which hosts may take the next job of a run: the name of its queue contains the labels that they must offer. Explains why a job
// waits, computed when it is read, because hosts come and go.
import type { Sql } from "./database.ts";

/** The name in pg-boss of a project's queue; hosts take jobs only from the queues that they name. `labels`: what the host must have. */
export function queueName(project: string, queue: string, labels: readonly string[] = []): string {
	return [project, queue, ...[...labels].sort()].join("/");
}

/** The labels that the hosts of a queue have. */
export function labelsInQueue(name: string): readonly string[] {
	return name.split("/").slice(2);
}

/** The queue of the same name for jobs that any host may take. */
export function plainQueue(name: string): string {
	return name.split("/").slice(0, 2).join("/");
}

/** What decides which hosts may take the next job of a run. */
export interface JobRouting {
	/** The queue that it was submitted to, with the labels that all its jobs need. */
	readonly queue: string;
	/** The labels that its present state needs. */
	readonly needs: readonly string[];
	/** Whether also commands need them. */
	readonly bound: boolean;
	/** A command waits to be recorded. */
	readonly waiting: boolean;
	/** A command that ends the run waits. */
	readonly aborting: boolean;
}

/** The queue of a run's next job: its own, or that of hosts that have the labels too. A command that starts nothing goes to any host. */
export function nextQueue({ queue, needs, bound, waiting }: JobRouting): string {
	return waiting && !bound ? queue : narrowedQueue(queue, needs);
}

/** The queue for hosts that have the labels `needs` too. */
export function narrowedQueue(queue: string, needs: readonly string[]): string {
	if (needs.length === 0) return queue;
	const [project = "", name = "", ...own] = queue.split("/");
	return queueName(project, name, [...new Set([...own, ...needs])]);
}

/** What a host that is up takes runs of. */
export interface HostOffer {
	readonly name: string;
	readonly projects: readonly string[];
	readonly queues: readonly string[];
	readonly labels: readonly string[];
	/** Bytes that are free for working folders; null: unknown. */
	readonly free: number | null;
}

/** Free bytes below which a host takes no runs. */
export const minFreeBytes = 32_000_000;

/** The hosts that are up and not draining. */
export async function readOffers(sql: Sql): Promise<readonly HostOffer[]> {
	const { rows } = await sql.query<HostOffer>(
		`SELECT name, projects, queues, labels, (figures->>'diskFree')::float8 AS free FROM chronicle.host
		WHERE slots > 0 AND NOT draining AND beat_at > now() - lease_ms * interval '1 millisecond'`,
	);
	return rows;
}

/** Why a run waits for a host. */
export interface WaitReason {
	readonly text: string;
	/** No host that is up could take it. */
	readonly missing: boolean;
	/** What changes that: a command of this package, or a sentence. */
	readonly help?: { readonly command: string } | { readonly text: string };
}

/** Why nobody has taken the job of a run yet. */
export function explainWait(row: JobRouting, offers: readonly HostOffer[]): WaitReason {
	const queue = nextQueue(row);
	const labels = labelsInQueue(queue);
	const [project = "", name = ""] = queue.split("/");
	const serving = offers.filter(({ projects, queues }) => projects.includes(project) && queues.includes(name));
	const able = serving.filter((offer) => labels.every((label) => offer.labels.includes(label)));
	const what =
		labels.length === 0 ? "of the engine" : `with the ${labels.length === 1 ? "label" : "labels"} ${labels.join(", ")}`;
	const text = `Waits for a host ${what}`;
	if (able.some(({ free }) => free === null || free >= minFreeBytes)) return { text: `${text}.`, missing: false };
	if (able.length > 0) {
		const full = able.map((offer) => offer.name).join(", ");
		return {
			text: `${text}. The disk of ${full} is full.`,
			missing: true,
			help: { text: `Free some space on ${full}.` },
		};
	}
	const options = [
		...(name === "runs" ? [] : [`--queues ${name}`]),
		...(labels.length > 0 ? [`--labels ${labels.join(",")}`] : []),
	];
	const help = { command: ["engine worker", ...options].join(" ") };
	if (labels.length === 0)
		return { text: `${text}. None that is up takes runs of ${project}/${name}.`, missing: true, help };
	const lacking = labels.filter((label) => !serving.some((offer) => offer.labels.includes(label)));
	const named = lacking.length > 0 ? lacking.join(", ") : "all of them";
	return { text: `${text}: no host that is up offers ${named}.`, missing: true, help };
}

/** The queue that a run's next job goes to. What ends the run may be done anywhere while no host has the labels: else nothing could end it. */
export async function routeJob(sql: Sql, row: JobRouting): Promise<string> {
	const queue = nextQueue(row);
	if (!row.aborting || labelsInQueue(queue).length === 0) return queue;
	if (!explainWait(row, await readOffers(sql)).missing) return queue;
	return plainQueue(queue);
}
