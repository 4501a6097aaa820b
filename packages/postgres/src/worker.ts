// A host's worker: it takes jobs of its projects while it has free slots, and supervises their runs. A host that cannot prove that it lives stops its
// runs before another may take them. A job that cannot be done here now goes back visibly. A run that was given up is parked with its reason. After
// `drain` nothing is taken, and each run is given back at its next state. A run that this host holds and does nothing for is given back.

import { setTimeout as sleep } from "node:timers/promises";
import { errorMessage } from "@pi-chronicle/core/definition";
import type { Failure } from "@pi-chronicle/core/ports";
import { Checkout, FailureError, openCrashPoints, openRedaction, systemClock } from "pi-chronicle/local";
import { isDelegatingQueued } from "./child-rows.ts";
import { type Database, NOTICE } from "./database.ts";
import { openDiskCheck } from "./disk-check.ts";
import type { PostgresLedger } from "./held.ts";
import type { Host, RunClaim } from "./host.ts";
import { deadQueue } from "./jobs.ts";
import { type HostLog, withFields } from "./log.ts";
import { type NoticeSending, Notices } from "./notices.ts";
import { parkDeadRuns } from "./park.ts";
import { labelsInQueue, queueName } from "./routing.ts";
import { ScheduledRuns } from "./scheduled-run.ts";
import { type RunSegment, type ServedProject, startSegment, stopAtMove } from "./segment.ts";
import { failedOn, returnRun, secondsToWait } from "./settle.ts";
import { type Slot, Slots } from "./slots.ts";
import { removeStale } from "./stale-folders.ts";
import { openPostgresStore, type PostgresStore } from "./store.ts";
import { isSuspectQueued } from "./suspects.ts";
import { JobTaker, limitSeconds } from "./take-jobs.ts";
import { Upkeep } from "./upkeep.ts";
import { withWorkEnvironment } from "./work-environment.ts";

export interface WorkerOptions {
	readonly database: Database;
	readonly host: Host;
	readonly projects: readonly ServedProject[];
	readonly queues: readonly string[];
	/** What this host has; jobs that ask for other labels are left. */
	readonly labels: readonly string[];
	readonly slots: number;
	readonly data: string;
	readonly report: HostLog;
	/** Absent: it sends no notices. */
	readonly notices?: NoticeSending | undefined;
}

interface Served {
	readonly project: ServedProject;
	readonly checkout: Checkout;
	readonly store: PostgresStore;
	readonly dead: string;
	readonly scheduled: ScheduledRuns;
}

/** Milliseconds between two looks for jobs, where no notification comes. */
const pollMs = 5000;
/** Milliseconds between two local checks of the own lease; no statement. */
const watchMs = 250;

export class EngineWorker {
	readonly #options: WorkerOptions;
	readonly #served: readonly Served[];
	readonly #running = new Map<string, { segment?: RunSegment }>();
	/** By run: the segment that has not ended yet, with everything that it publishes. */
	readonly #segments = new Map<string, Promise<void>>();
	/** Runs that are being started or settled take a slot too; those that wait for their children have none. */
	readonly #slots: Slots;
	readonly #jobs: JobTaker;
	readonly #isFull: () => Promise<boolean>;
	/** Jobs that are being taken, and segments that have not ended. */
	#busy = 0;
	#draining = false;
	#stopping = false;
	#taking: Promise<void> | undefined;
	#again = false;
	#turn = 0;
	/** Runs that must be alone here, and have not got further yet. */
	readonly #alone = new Set<string>();
	/** A run for which it becomes idle, and when its job is due, by `performance.now`. */
	#cleared: { readonly run: string; readonly dueAt: number } | undefined;
	#wake: () => void = () => {};
	readonly #crashAt = openCrashPoints();
	readonly #upkeep: Upkeep;
	readonly #notices: Notices | undefined;
	#late = false;
	/** Stops the clock that sends the jobs of schedules; absent: it does not run. */
	#cron: Promise<() => Promise<void>> | undefined;

	constructor(options: WorkerOptions) {
		this.#options = options;
		this.#isFull = openDiskCheck(options);
		const { database, host, data, queues } = options;
		const onMaintained = async (): Promise<void> => {
			await this.#notices?.register();
			this.#notices?.look();
			await Promise.all(this.#served.map((served) => this.#removeStale(served)));
		};
		this.#upkeep = new Upkeep({ ...options, onMaintained });
		this.#slots = new Slots(options.slots, () => this.#look());
		const suspects = {
			isIdle: () => this.#slots.free >= options.slots - 1,
			onSuspect: (run: string) => this.#clearFor(run),
		};
		this.#jobs = new JobTaker({ ...options, ...suspects }, this.#crashAt);
		this.#served = options.projects.map((served) => {
			const project = withWorkEnvironment(served, options.report);
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
		const stores = new Map(this.#served.map(({ project, store }) => [project.name, store]));
		if (options.notices && options.notices.channels.length > 0)
			this.#notices = new Notices({ ...options, sending: options.notices, stores });
	}

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
			} else if ("failure" in beat) this.#options.report(beat.failure, { level: "error" });
			else {
				this.#upkeep.hosts = beat.hosts;
				if (beat.draining) this.drain();
				this.#setCron(beat.scheduled && !this.#draining);
				void this.#returnStrays(beat.held);
			}
		});
		const unlisten = await database.listen((payload = "") => {
			const [what, name = ""] = payload.split(" ");
			if (what === "" || what === NOTICE) this.#notices?.look();
			if (what === "" || (what === "job" && this.#looksFor(name))) this.#look();
			const isOthers = (what === "wake" || what === "post") && !this.#running.has(name);
			if (isOthers && !this.#draining) this.#upkeep.wakeOne(name);
		});
		await this.#notices?.register();
		this.#notices?.look();
		for (let polledAt = 0; !(this.#stopping && this.#busy === 0); ) {
			this.#watchLease();
			const now = performance.now();
			if (now - polledAt >= pollMs) {
				polledAt = now;
				this.#look();
			}
			this.#upkeep.run(now);
			await Promise.race([sleep(watchMs), new Promise<void>((resolve) => (this.#wake = resolve))]);
		}
		unlisten();
		await this.#taking;
		await this.#upkeep.settle();
		for (const { scheduled } of this.#served) await scheduled.settle();
		await this.#notices?.close();
		await (await this.#cron)?.();
		await host.leave();
		return failure;
	}

	/** Runs the clock of schedules while it is `wanted`; the database lets one host at a time send their jobs. */
	#setCron(wanted: boolean): void {
		const { database, report } = this.#options;
		if (!wanted) {
			const running = this.#cron;
			this.#cron = undefined;
			void running?.then((stop) => stop()).catch((error: unknown) => report(errorMessage(error), { level: "error" }));
			return;
		}
		this.#cron ??= database.startCron().catch((error: unknown) => {
			// Retried when the host next renews its lease.
			this.#cron = undefined;
			report(`Schedules are not watched here: ${errorMessage(error)}`, { level: "error" });
			return async () => {};
		});
	}

	/** Whether it looks for a job that was sent. Few hosts have the labels of a queue: each of them does. */
	#looksFor(queue: string): boolean {
		const isMine = this.#served.some(({ project, dead }) => queue === dead || this.#jobs.serves(project.name, queue));
		return isMine && (labelsInQueue(queue).length > 0 || this.#upkeep.isLooker());
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
		report("The database was unreachable for longer than a lease: all runs stop here.", { level: "error" });
		for (const { segment } of this.#running.values()) void segment?.supervision.stop();
	}

	/** Gives back what this host holds and does nothing for: the connection was lost before a claim was confirmed. */
	async #returnStrays(held: readonly RunClaim[]): Promise<void> {
		const { database, host, report } = this.#options;
		const isStray = ({ id }: RunClaim): boolean => !this.#segments.has(id);
		if (!held.some(isStray)) return;
		// All claims are made there: one that is under way may be in `held`.
		await this.#taking;
		for (const run of held.filter(isStray)) {
			// What fails now is done after the next renewal.
			const isReturned = await returnRun(database, host.id, run).catch(() => false);
			if (isReturned) report("Given back: the answer to its claim was lost.", { level: "warn", run: run.id });
		}
	}

	#removeStale({ checkout, project, scheduled }: Served): Promise<void> {
		const { database, host } = this.#options;
		const isBusy = (run: string): boolean => this.#segments.has(run) || scheduled.making.has(run);
		return removeStale(database, { checkout, project: project.name, host: host.id, isBusy });
	}

	// ── taking jobs ──

	#look(): void {
		this.#again = true;
		this.#taking ??= this.#takeAll()
			.catch((error: unknown) =>
				this.#options.report(`No jobs could be taken: ${errorMessage(error)}`, { level: "error" }),
			)
			.finally(() => {
				this.#taking = undefined;
			});
	}

	async #takeAll(): Promise<void> {
		do {
			this.#again = false;
			await this.#takeInTurn();
			for (const served of this.#served) await this.#lookAfter(served);
		} while (this.#again && this.#free() > 0);
	}

	/** Takes jobs of the projects in turn, one of each, until none is left, no slot is free, or limits are reached. */
	async #takeInTurn(): Promise<void> {
		if ((await this.#isFull()) || (await this.#isClearing())) return;
		for (let without = 0; without < this.#served.length && this.#free() > 0 && !this.#cleared; ) {
			const served = this.#served[this.#turn % this.#served.length];
			this.#turn += 1;
			without = served && (await this.#takeOne(served)) ? 0 : without + 1;
		}
	}

	/** Takes the most urgent job of a project, or passes one that must wait; `false`: there is none. */
	async #takeOne(served: Served): Promise<boolean> {
		for (const queue of await this.#jobs.queuesOf(served.project.name))
			if (this.#free() > 0 && this.#jobs.isOpen(queue) && (await this.#take(served, queue))) return true;
		return false;
	}

	async #lookAfter(served: Served): Promise<void> {
		if (this.#draining) return;
		if (this.#free() === 0) await this.#takeDelegating(served);
		await parkDeadRuns(this.#options.database, served, this.#options.report);
		if (this.#cron) served.scheduled.look();
	}

	#free(): number {
		return this.#draining || this.#alone.size > 0 ? 0 : this.#slots.free;
	}

	#clearFor(run: string): void {
		this.#cleared = { run, dueAt: performance.now() + 2 * limitSeconds * 1000 };
	}

	/** Whether no job is to be taken now, because a run that must be alone waits until this host is idle. */
	async #isClearing(): Promise<boolean> {
		const { run, dueAt } = this.#cleared ?? {};
		if (run === undefined || dueAt === undefined) return false;
		const isIdle = this.#slots.free === this.#options.slots && performance.now() >= dueAt;
		if (!isIdle && (await isSuspectQueued(this.#options.database, run))) return true;
		this.#cleared = undefined;
		return false;
	}

	/** Takes the runs that wait for their children, and that no host has, although no slot is free: they need none. */
	async #takeDelegating(served: Served): Promise<void> {
		const { database } = this.#options;
		const { name } = served.project;
		for (let tookOne = true; tookOne && !this.#draining && (await isDelegatingQueued(database, name)); ) {
			tookOne = false;
			for (const queue of await this.#jobs.queuesOf(name)) {
				const taken = await this.#jobs.take(served.store, queue, "delegating").catch(() => undefined);
				if (!taken || taken === "left") continue;
				tookOne = true;
				this.#busy += 1;
				this.#begin(served, taken, this.#slots.takeLater());
			}
		}
	}

	/** Takes the first job of a queue, or passes it; `false`: there is none, or a limit holds the queue back. */
	async #take(served: Served, queue: string): Promise<boolean> {
		this.#busy += 1;
		const slot = this.#slots.take();
		const taken = await this.#jobs.take(served.store, queue, "any").catch((error: unknown) => {
			this.#jobs.close(queue);
			this.#options.report(`No job of ${queue} could be taken: ${errorMessage(error)}`, { level: "error" });
			return undefined;
		});
		if (taken && taken !== "left") this.#begin(served, taken, slot);
		else {
			this.#busy -= 1;
			slot.release(false);
		}
		return taken !== undefined;
	}

	#begin(served: Served, ledger: PostgresLedger, slot: Slot): void {
		this.#crashAt("run is claimed");
		const { id } = ledger.run;
		if (ledger.earlier.suspect !== null && slot.isTaken) this.#alone.add(id);
		// The segment before may still publish, or remove the folder.
		const before = this.#segments.get(id) ?? Promise.resolve();
		const done = before
			.then(() => this.#runSegment(served, ledger, slot))
			.catch((error: unknown) => this.#options.report(errorMessage(error), { level: "error", run: id }))
			.finally(() => {
				if (this.#segments.get(id) === done) this.#segments.delete(id);
				this.#busy -= 1;
				this.#alone.delete(id);
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
		let { visit, attempt } = ledger.run;
		const report = withFields(this.#options.report, () => ({ project: project.name, run, visit, attempt }));
		try {
			const segment = await startSegment(ledger, {
				...{ database, host, slot, project, checkout, store, labels, report },
			});
			entry.segment = segment;
			segment.supervision.watch((now, { kind }) => {
				({ visit, attempt } = now);
				if (visit > ledger.run.visit && this.#alone.delete(run)) this.#look();
				if (kind !== "attempt_reserved") return;
				host.figures.attempts += 1;
				report(`Attempt ${attempt} at ${now.state} begins.`);
			});
			if (this.#draining) void segment.supervision.stop();
			const end = await segment.ended;
			this.#crashAt("segment is over");
			if (end.kind === "failed") report(`Given back: ${end.failure.message}`, { level: "error" });
			else report(`${end.kind === "parked" ? "Parked" : "Released"}, ${end.run.status}.`);
			if (end.kind === "failed") await ledger.settle(failedOn(host.name, end.failure));
			else if (end.kind === "parked") await ledger.settle({ kind: "parked" });
			else await ledger.settle({ kind: "again", afterSeconds: secondsToWait(end.run) });
			await segment.tidyUp();
		} catch (error) {
			report(errorMessage(error), { level: "error" });
			await ledger.settle(failedOn(host.name, error instanceof FailureError ? error.failure : (error as Error)));
		} finally {
			this.#running.delete(run);
		}
	}
}
