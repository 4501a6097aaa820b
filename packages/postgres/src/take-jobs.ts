// How a host takes jobs: from the queues that it serves, as far as limits and its labels allow. A job and the lease of its run are taken together, or
// neither. A job that cannot be done here now goes back visibly.
import type { StoreFailure } from "@pi-chronicle/core/ports";
import type { CrashPoint } from "pi-chronicle/local";
import type { Database, Sql } from "./database.ts";
import type { PostgresLedger } from "./held.ts";
import { completeJob, isServed, type JobAttempt, type JobData } from "./jobs.ts";
import type { HostLog } from "./log.ts";
import { LimitReached, lockLimits } from "./quota.ts";
import { labelsInQueue, queueName } from "./routing.ts";
import { isDelegated } from "./rows.ts";
import { handOver, postpone } from "./settle.ts";
import { LabelsMissing, type PostgresStore } from "./store.ts";
import { MustBeAlone } from "./suspects.ts";
import { runOfJob } from "./untrusted.ts";

/** Seconds after which a job that a limit holds back is tried again. */
export const limitSeconds = 2;
/** How many jobs that their provider's limit holds back are passed before the queue is left alone for that time. */
const maxPassed = 20;
const newerSeconds = 60;

interface TakerOptions {
	readonly database: Database;
	/** Queues that the host takes jobs from, the most urgent first. */
	readonly queues: readonly string[];
	readonly labels: readonly string[];
	/** Whether the host has no run but the one that it is about to take. */
	readonly isIdle: () => boolean;
	/** Called with a run that must be alone, and was left because the host is not idle. */
	readonly onSuspect: (run: string) => void;
	readonly report: HostLog;
}

export class JobTaker {
	readonly #options: TakerOptions;
	readonly #crashAt: CrashPoint;
	/** By queue: until when a limit keeps it closed, by `performance.now`. */
	readonly #closed = new Map<string, number>();
	/** By queue: how many jobs in a row a limit of their provider held back. */
	readonly #passed = new Map<string, number>();

	constructor(options: TakerOptions, crashAt: CrashPoint) {
		this.#options = options;
		this.#crashAt = crashAt;
	}

	isOpen(queue: string): boolean {
		return (this.#closed.get(queue) ?? 0) <= performance.now();
	}

	close(queue: string): void {
		this.#closed.set(queue, performance.now() + limitSeconds * 1000);
	}

	/** Whether this host takes jobs of the queue for the project. */
	serves(project: string, queue: string): boolean {
		const { queues, labels } = this.#options;
		return isServed(queue, { project, queues, labels });
	}

	/**
	 * The queues of a project, the most urgent first, and of those for hosts with labels the most particular first: fewer hosts take their
	 * jobs. Those with labels are made when they are needed.
	 */
	async queuesOf(project: string): Promise<readonly string[]> {
		const { database, queues, labels } = this.#options;
		const plain = queues.map((queue) => queueName(project, queue));
		if (labels.length === 0) return plain;
		const boss = await database.boss();
		const narrow = (await boss.getQueues())
			.map(({ name }) => name)
			.filter((name) => labelsInQueue(name).length > 0 && this.serves(project, name))
			.sort((one, other) => labelsInQueue(other).length - labelsInQueue(one).length);
		return plain.flatMap((queue) => [...narrow.filter((name) => name.startsWith(`${queue}/`)), queue]);
	}

	/**
	 * Fetches a job and takes the lease of its run, in one transaction: a host that dies meanwhile has taken neither. `left`: the run must wait, or is
	 * for other hosts. Rejects if it may take only a run that waits for its children, and the first job is of another.
	 */
	take(store: PostgresStore, queue: string, which: "any" | "delegating"): Promise<PostgresLedger | "left" | undefined> {
		const { database, report } = this.#options;
		return database.transaction(async (tx) => {
			const boss = await database.boss();
			await lockLimits(tx);
			await tx.query("SAVEPOINT fetched");
			const [job] = await boss.fetch<JobData>(queue, { batchSize: 1, db: tx });
			if (!job) return undefined;
			this.#crashAt("job is taken");
			const attempt: JobAttempt = { id: job.id, queue, retryCount: job.retryCount };
			const run = runOfJob(job.data);
			if (run === undefined) {
				report(`A job of ${queue} names no run, so it was dropped.`, { level: "warn" });
				await completeJob(database, tx, attempt);
				return "left";
			}
			const claimed = await store.claim(tx, run, attempt, this.#options.isIdle()).catch((error: unknown) => {
				if (error instanceof LimitReached || error instanceof LabelsMissing || error instanceof MustBeAlone)
					return error;
				throw error;
			});
			if (claimed instanceof Error) {
				await this.#passOver(tx, run, attempt, claimed);
				return "left";
			}
			const mayTake = which === "any" || (claimed.ok && isDelegated(claimed.value.run));
			if (!mayTake) throw new Error("No slot is free for the first job of the queue.");
			if (claimed.ok) return claimed.value;
			await this.#leave(tx, run, attempt, claimed.failure);
			return "left";
		});
	}

	/** Leaves a job whose run is for other hosts, or must wait. */
	async #passOver(
		tx: Sql,
		run: string,
		attempt: JobAttempt,
		why: LabelsMissing | MustBeAlone | LimitReached,
	): Promise<void> {
		const { database, onSuspect } = this.#options;
		if (why instanceof LabelsMissing) return handOver(database, tx, run, attempt, why.need);
		if (why instanceof LimitReached) return this.#holdBack(tx, run, attempt, why);
		onSuspect(run);
		return postpone(database, tx, run, attempt, { seconds: limitSeconds, why: why.message });
	}

	/**
	 * Leaves a job that a limit holds back. One of its project or queue holds back the whole queue: the job keeps its place, and the queue is left
	 * alone for a while. One of a provider lets the jobs behind it pass, a number of them at a time.
	 */
	async #holdBack(tx: Sql, run: string, attempt: JobAttempt, { kind, message }: LimitReached): Promise<void> {
		const { queue } = attempt;
		const passed = kind === "provider" ? (this.#passed.get(queue) ?? 0) + 1 : maxPassed;
		this.#passed.set(queue, passed % maxPassed);
		if (passed >= maxPassed) this.close(queue);
		if (kind === "provider")
			return postpone(this.#options.database, tx, run, attempt, { seconds: limitSeconds, why: message });
		await tx.query("ROLLBACK TO SAVEPOINT fetched");
		await tx.query("UPDATE chronicle.run SET waits = $2 WHERE id = $1 AND waits IS DISTINCT FROM $2", [run, message]);
	}

	/** A job whose run cannot be taken here now. */
	async #leave(tx: Sql, run: string, attempt: JobAttempt, { reason, message }: StoreFailure): Promise<void> {
		const { database, report } = this.#options;
		if (reason === "unknown") return completeJob(database, tx, attempt);
		report(message, { level: "warn", run });
		await postpone(database, tx, run, attempt, { seconds: newerSeconds, why: message });
	}
}
