// A host's worker: it takes jobs of its projects while it has free slots, and supervises their runs.
// K1 a host that cannot prove that it lives stops its runs before another may take them; K2 a job that cannot be done here now goes back
// visibly; K3 a run that was given up is parked with its reason; K4 after `drain` nothing is taken, and each run is given back at its next state.
import { setTimeout as sleep } from "node:timers/promises";
import { openRedaction } from "../../../safety/index.ts";
import type { Failure, Run } from "../../core/index.ts";
import { systemClock } from "../project/index.ts";
import { openCrashPoints } from "../supervisor/index.ts";
import { Checkout } from "./checkout.ts";
import { CronClock } from "./cron-clock.ts";
import type { Database, Sql } from "./database.ts";
import type { PostgresLedger } from "./held.ts";
import type { Host } from "./host.ts";
import { completeJob, deadQueue, isServed, type JobAttempt, type JobData } from "./jobs.ts";
import { parkDeadRuns } from "./park.ts";
import { LimitReached } from "./quota.ts";
import { labelsInQueue, queueName } from "./routing.ts";
import { ScheduledRuns } from "./scheduled-run.ts";
import { type RunSegment, type ServedProject, startSegment } from "./segment.ts";
import { cancelReplaced, handOver, postpone, reapRuns } from "./settle.ts";
import { type Slot, Slots } from "./slots.ts";
import { LabelsMissing, openPostgresStore, type PostgresStore } from "./store.ts";

export interface WorkerOptions {
	readonly database: Database;
	readonly host: Host;
	readonly projects: readonly ServedProject[];
	/** Queues that it takes jobs from, the most urgent first. */
	readonly queues: readonly string[];
	/** What this host has; jobs that ask for other labels are left. */
	readonly labels: readonly string[];
	readonly slots: number;
	/** Folder for mirrors and working folders. */
	readonly data: string;
	readonly report: (text: string) => void;
}

/** A project with what this host has of it. */
interface Served {
	readonly project: ServedProject;
	readonly checkout: Checkout;
	readonly store: PostgresStore;
	readonly dead: string;
	readonly scheduled: ScheduledRuns;
}

/** Milliseconds between two looks for jobs, where no notification comes. */
const pollMs = 5000;
/** Milliseconds between two searches for dead hosts, by all hosts together where they are many, and by one at least. */
const reapMs = 1000;
const minReapMs = 2000;
/** How many hosts look for a job when one is sent: with a thousand of them, the rest would ask the database in vain. */
const lookers = 8;
/** Milliseconds between two local checks of the own lease; no statement. */
const watchMs = 250;
/** Seconds after which a job that a limit holds back is tried again. */
const limitSeconds = 2;
/** How many jobs that their provider's limit holds back are passed before the queue is left alone for that time. */
const maxPassed = 20;
const newerSeconds = 60;
/** Milliseconds between two maintenances of the queue's tables; pg-boss lets one host at a time do them. */
const maintainMs = 5 * 60_000;

export class EngineWorker {
	readonly #options: WorkerOptions;
	readonly #served: readonly Served[];
	readonly #running = new Map<string, { segment?: RunSegment }>();
	/** By run: the segment that has not ended yet, with everything that it publishes. */
	readonly #segments = new Map<string, Promise<void>>();
	/** Runs that are being started or settled take a slot too; those that wait for their children have none. */
	readonly #slots: Slots;
	/** Jobs that are being taken, and segments that have not ended. */
	#busy = 0;
	#draining = false;
	#stopping = false;
	#taking: Promise<void> | undefined;
	#again = false;
	/** By queue: until when a limit keeps it closed, by `performance.now`. */
	readonly #closed = new Map<string, number>();
	/** By queue: how many jobs in a row a limit of their provider held back. */
	readonly #passed = new Map<string, number>();
	#wake: () => void = () => {};
	readonly #crashAt = openCrashPoints();
	#reaping = false;
	#reapAt = 0;
	/** Number of hosts of the engine, from the last renewal of the lease. */
	#hosts = 1;
	#maintainedAt = Number.NEGATIVE_INFINITY;
	/** It has not proved to be alive in time. */
	#late = false;
	readonly #cron: CronClock;

	constructor(options: WorkerOptions) {
		this.#options = options;
		this.#cron = new CronClock(options.database, options.report);
		const { database, host, data, queues } = options;
		this.#slots = new Slots(options.slots, () => this.#look());
		this.#served = options.projects.map((project) => {
			const checkout = new Checkout({ data: `${data}/${project.name}`, remote: project.remote });
			const store = openPostgresStore({
				...{ database, host, clock: systemClock, redact: openRedaction(process.env), project: project.name },
				folderOf: (run) => checkout.folderOf(run),
				queue: queueName(project.name, queues[0] ?? ""),
				creates: { kind: "held" },
			});
			const scheduled = new ScheduledRuns({ database, host, project, checkout, report: options.report });
			return { project, checkout, store, dead: deadQueue(project.name), scheduled };
		});
	}

	/** Runs that it supervises now. */
	get running(): readonly string[] {
		return [...this.#running.keys()];
	}

	/** Works until `stop` has been called and every run is given back. Gives the reason where it stopped by itself. */
	async work(): Promise<Failure | undefined> {
		const { host, database } = this.#options;
		let failure: Failure | undefined;
		await host.register();
		host.onBeat((beat) => {
			if ("outdated" in beat) {
				failure = beat.outdated;
				this.stop();
			} else if ("failure" in beat) this.#options.report(beat.failure);
			else {
				this.#hosts = beat.hosts;
				this.#cron.run(beat.scheduled && !this.#draining);
				if (beat.draining) this.drain();
			}
		});
		const unlisten = await database.listen((payload) => {
			if (payload === undefined || (payload.startsWith("job ") && this.#looksFor(payload.slice(4)))) this.#look();
		});
		for (let polledAt = 0; !(this.#stopping && this.#busy === 0); ) {
			this.#watchLease();
			const now = performance.now();
			if (now - polledAt >= pollMs) {
				polledAt = now;
				this.#look();
			}
			void this.#reap(now);
			this.#maintain(now);
			await Promise.race([sleep(watchMs), new Promise<void>((resolve) => (this.#wake = resolve))]);
		}
		unlisten();
		await this.#taking;
		for (const { scheduled } of this.#served) await scheduled.settle();
		await this.#cron.stop();
		await host.leave();
		return failure;
	}

	/** Whether it looks for a job that was sent. Few hosts have the labels of a queue: each of them does. */
	#looksFor(queue: string): boolean {
		const isMine = this.#served.some(({ project, dead }) => queue === dead || this.#serves(project.name, queue));
		return isMine && (labelsInQueue(queue).length > 0 || Math.random() * this.#hosts < lookers);
	}

	#serves(project: string, queue: string): boolean {
		const { queues, labels } = this.#options;
		return isServed(queue, { project, queues, labels });
	}

	/**
	 * The queues of a project, the most urgent first, and of those for hosts with labels the most particular first: fewer hosts take their
	 * jobs. Those with labels are made when they are needed.
	 */
	async #queuesOf(project: string): Promise<readonly string[]> {
		const { database, queues, labels } = this.#options;
		const plain = queues.map((queue) => queueName(project, queue));
		if (labels.length === 0) return plain;
		const boss = await database.boss();
		const narrow = (await boss.getQueues())
			.map(({ name }) => name)
			.filter((name) => labelsInQueue(name).length > 0 && this.#serves(project, name))
			.sort((one, other) => labelsInQueue(other).length - labelsInQueue(one).length);
		return plain.flatMap((queue) => [...narrow.filter((name) => name.startsWith(`${queue}/`)), queue]);
	}

	/** Takes no more jobs; each run is given back when its present state ends. The worker ends then. */
	drain(): void {
		if (this.#draining) return;
		this.#draining = true;
		this.#stopping = true;
		const { database, host } = this.#options;
		database.query("UPDATE chronicle.host SET draining = true WHERE id = $1", [host.id]).catch(() => {});
		this.#options.report("Draining: no more runs are taken; each is returned when its state ends.");
		for (const { segment } of this.#running.values()) if (segment) stopAtMove(segment);
	}

	/** Stops every run at once and gives it back. */
	stop(): void {
		this.#draining = true;
		this.#stopping = true;
		for (const { segment } of this.#running.values()) void segment?.supervision.stop();
		this.#wake();
	}

	/** Without a sign of life in time another host may take the runs: they must have stopped here before. */
	#watchLease(): void {
		const { host, report } = this.#options;
		const late = performance.now() - host.provedAt() >= host.leaseMs * 0.9;
		const known = this.#late;
		this.#late = late;
		if (!late || known || this.#running.size === 0) return;
		report("The database was unreachable for longer than a lease: all runs stop here.");
		for (const { segment } of this.#running.values()) void segment?.supervision.stop();
	}

	async #reap(now: number): Promise<void> {
		const { host, database, report } = this.#options;
		// After an outage all leases look expired: a host evicts others only after a full lease time of its own.
		if (this.#reaping || now < this.#reapAt || now - host.steadySince() < host.leaseMs) return;
		if (now - host.provedAt() > host.leaseMs) return;
		this.#reaping = true;
		this.#reapAt = now + Math.max(minReapMs, reapMs * this.#hosts * (0.5 + Math.random()));
		const reaped = await reapRuns(database).catch((): readonly string[] => []);
		for (const id of reaped) report(`Run ${id.slice(0, 8)}: its host is dead; another continues it.`);
		this.#reaping = false;
	}

	/** Deletes old jobs, and hosts that have long been dead. */
	#maintain(now: number): void {
		if (now - this.#maintainedAt < maintainMs) return;
		this.#maintainedAt = now;
		const { database, report } = this.#options;
		const maintained = database
			.query("DELETE FROM chronicle.host WHERE beat_at < now() - interval '1 day'")
			.then(() => database.query("DELETE FROM chronicle.claim WHERE at < now() - interval '1 minute'"))
			.then(() => database.boss())
			.then((boss) => boss.supervise());
		maintained.catch((error: unknown) => report(`The queue was not maintained: ${(error as Error).message}`));
	}

	// ── taking jobs ──

	#look(): void {
		this.#again = true;
		this.#taking ??= this.#takeAll()
			.catch((error: unknown) => this.#options.report(`No jobs could be taken: ${(error as Error).message}`))
			.finally(() => {
				this.#taking = undefined;
			});
	}

	async #takeAll(): Promise<void> {
		do {
			this.#again = false;
			for (const served of this.#served) await this.#takeOf(served);
		} while (this.#again && this.#free() > 0);
	}

	async #takeOf(served: Served): Promise<void> {
		if (this.#free() > 0)
			for (const queue of await this.#queuesOf(served.project.name)) await this.#take(served, queue);
		if (this.#draining) return;
		await parkDeadRuns(this.#options.database, served, this.#options.report);
		if (this.#cron.isWanted) served.scheduled.look();
	}

	#free(): number {
		return this.#draining ? 0 : this.#slots.free;
	}

	/** Takes jobs of one queue until none is left, no slot is free, or a limit is reached. */
	async #take(served: Served, queue: string): Promise<void> {
		while (this.#free() > 0 && (this.#closed.get(queue) ?? 0) <= performance.now()) {
			this.#busy += 1;
			const slot = this.#slots.take();
			const taken = await this.#takeOne(served, queue).catch((error: unknown) => {
				this.#closed.set(queue, performance.now() + limitSeconds * 1000);
				this.#options.report(`No job of ${queue} could be taken: ${(error as Error).message}`);
				return undefined;
			});
			if (taken && taken !== "left") this.#begin(served, taken, slot);
			else {
				this.#busy -= 1;
				slot.putBack();
			}
			if (!taken) return;
		}
	}

	/** Fetches a job and takes the lease of its run, in one transaction: a host that dies meanwhile has taken neither. */
	#takeOne({ store }: Served, queue: string): Promise<PostgresLedger | "left" | undefined> {
		const { database } = this.#options;
		return database.transaction(async (tx) => {
			const boss = await database.boss();
			await tx.query("SAVEPOINT fetched");
			const [job] = await boss.fetch<JobData>(queue, { batchSize: 1, db: tx });
			if (!job) return undefined;
			this.#crashAt("job is taken");
			const attempt: JobAttempt = { id: job.id, queue, retryCount: job.retryCount };
			const claimed = await store.claim(tx, job.data.run, attempt).catch((error: unknown) => {
				if (error instanceof LimitReached || error instanceof LabelsMissing) return error;
				throw error;
			});
			if (claimed instanceof LabelsMissing) {
				await handOver(database, tx, job.data.run, attempt, claimed.need);
				return "left";
			}
			if (claimed instanceof LimitReached) {
				await this.#holdBack(tx, job.data.run, attempt, claimed);
				return "left";
			}
			if (claimed.ok) return claimed.value;
			await this.#leave(tx, job.data.run, attempt, claimed.failure);
			return "left";
		});
	}

	/**
	 * Leaves a job that a limit holds back. One of its project or queue holds back the whole queue: the job keeps its place, and the queue is left
	 * alone for a while. One of a provider lets the jobs behind it pass, a number of them at a time.
	 */
	async #holdBack(tx: Sql, run: string, attempt: JobAttempt, { kind, message }: LimitReached): Promise<void> {
		const { queue } = attempt;
		const passed = kind === "provider" ? (this.#passed.get(queue) ?? 0) + 1 : maxPassed;
		this.#passed.set(queue, passed % maxPassed);
		if (passed >= maxPassed) this.#closed.set(queue, performance.now() + limitSeconds * 1000);
		if (kind === "provider")
			return postpone(this.#options.database, tx, run, attempt, { seconds: limitSeconds, why: message });
		await tx.query("ROLLBACK TO SAVEPOINT fetched");
		await tx.query("UPDATE chronicle.run SET waits = $2 WHERE id = $1 AND waits IS DISTINCT FROM $2", [run, message]);
	}

	#begin(served: Served, ledger: PostgresLedger, slot: Slot): void {
		this.#crashAt("run is claimed");
		const { id } = ledger.run;
		// The segment before may still publish, or remove the folder.
		const before = this.#segments.get(id) ?? Promise.resolve();
		const done = before
			.then(() => this.#runSegment(served, ledger, slot))
			.catch((error: unknown) => this.#options.report(`Run ${id.slice(0, 8)}: ${(error as Error).message}`))
			.finally(() => {
				if (this.#segments.get(id) === done) this.#segments.delete(id);
				this.#busy -= 1;
				slot.release();
				this.#wake();
			});
		this.#segments.set(id, done);
	}

	async #runSegment({ project, checkout, store }: Served, ledger: PostgresLedger, slot: Slot): Promise<void> {
		const run = ledger.run.id;
		const entry: { segment?: RunSegment } = {};
		this.#running.set(run, entry);
		const { database, host, labels } = this.#options;
		const report = (text: string): void => this.#options.report(`Run ${run.slice(0, 8)}: ${text}`);
		try {
			await cancelReplaced(database, run);
			const segment = await startSegment(ledger, {
				...{ database, host, slot, project, checkout, store, labels, report },
			});
			entry.segment = segment;
			if (this.#draining) void segment.supervision.stop();
			const end = await segment.ended;
			this.#crashAt("segment is over");
			report(end.kind === "failed" ? `given back: ${end.failure.message}` : `${end.kind}, ${end.run.status}`);
			if (end.kind === "failed") await ledger.settle({ kind: "failed", reason: end.failure.message });
			else await ledger.settle({ kind: end.kind === "parked" ? "parked" : "again" });
		} catch (error) {
			const { message } = error as Error;
			report(message);
			await ledger.settle({ kind: "failed", reason: message });
		} finally {
			this.#running.delete(run);
		}
	}

	/** A job whose run cannot be taken here now. */
	async #leave(
		tx: Sql,
		run: string,
		attempt: JobAttempt,
		{ reason, message }: { readonly reason: string; readonly message: string },
	): Promise<void> {
		const { database, report } = this.#options;
		if (reason === "unknown") return completeJob(database, tx, attempt);
		report(`Run ${run.slice(0, 8)}: ${message}`);
		await postpone(database, tx, run, attempt, { seconds: newerSeconds, why: message });
	}
}

/**
 * Gives the run of a segment back as soon as its present state has ended, or while its children work. The next attempt is not reserved yet
 * then: it would count as interrupted.
 */
function stopAtMove({ supervision }: RunSegment): void {
	const stopBetween = ({ stage }: Run): void => {
		if (stage.kind === "baselining" || stage.kind === "children") void supervision.stop();
	};
	supervision.watch(stopBetween);
	stopBetween(supervision.run);
}
