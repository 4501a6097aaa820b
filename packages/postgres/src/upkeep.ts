// What hosts look for from time to time, all together: runs of dead hosts, runs that need a job and have none, old rows of the queue. A host that may
// be the late one itself takes no run from another.
import { errorMessage } from "@pi-chronicle/core/definition";
import type { Database } from "./database.ts";
import type { Host } from "./host.ts";
import type { HostLog } from "./log.ts";
import { forgetChannels } from "./notices.ts";
import { reapRuns, wakeRun, wakeRuns } from "./settle.ts";

export interface UpkeepOptions {
	readonly database: Database;
	readonly host: Host;
	readonly report: HostLog;
	/** Called with each maintenance of the queue's tables. */
	readonly onMaintained: () => Promise<unknown>;
}

/** Milliseconds between two searches, by all hosts together where they are many, and by one at least. */
const searchMs = 1000;
const minSearchMs = 2000;
/** How many hosts act on a notification that is for all: with a thousand of them, the rest would ask the database in vain. */
const maxLookers = 8;
/** Milliseconds between two maintenances of the queue's tables; pg-boss lets one host at a time do them. */
const maintainMs = 5 * 60_000;

export class Upkeep {
	readonly #options: UpkeepOptions;
	/** By search: when it is next due, by `performance.now`. */
	readonly #due = new Map<() => Promise<void>, number>();
	readonly #running = new Set<Promise<void>>();
	/** Number of hosts of the engine, from the last renewal of the lease. */
	hosts = 1;

	constructor(options: UpkeepOptions) {
		this.#options = options;
	}

	/** Whether this host acts on a notification. */
	isLooker(): boolean {
		return Math.random() * this.hosts < maxLookers;
	}

	/** Does what is due; never rejects. Waits for nothing. */
	run(now: number): void {
		for (const search of [this.#reap, this.#wake, this.#maintain]) {
			if ((this.#due.get(search) ?? 0) > now) continue;
			this.#due.set(search, Number.POSITIVE_INFINITY);
			const between = search === this.#maintain ? maintainMs : this.#untilNext();
			const done = search().finally(() => {
				this.#due.set(search, performance.now() + between);
				this.#running.delete(done);
			});
			this.#running.add(done);
		}
	}

	/** Waits for the searches that have begun. */
	async settle(): Promise<void> {
		await Promise.all(this.#running);
	}

	/** A run was submitted, or a command to it: some hosts look whether it needs a job. */
	wakeOne(run: string): void {
		// What fails now is found by the next search.
		if (this.isLooker()) wakeRun(this.#options.database, run).catch(() => {});
	}

	#untilNext(): number {
		return Math.max(minSearchMs, searchMs * this.hosts * (0.5 + Math.random()));
	}

	readonly #reap = async (): Promise<void> => {
		const { host, database, report } = this.#options;
		const now = performance.now();
		// After an outage all leases look expired: a host evicts others only after a full lease time of its own.
		if (now - host.steadySince() < host.leaseMs || now - host.provedAt() > host.leaseMs) return;
		const reaped = await reapRuns(database).catch((): readonly string[] => []);
		host.figures.takeovers += reaped.length;
		for (const run of reaped) report("Its host is dead; another continues it.", { level: "warn", run });
	};

	readonly #wake = async (): Promise<void> => {
		await wakeRuns(this.#options.database).catch(() => {});
	};

	readonly #maintain = async (): Promise<void> => {
		const { database, report, onMaintained } = this.#options;
		try {
			await database.query("DELETE FROM chronicle.host WHERE beat_at < now() - interval '1 day'");
			await database.query("DELETE FROM chronicle.claim WHERE at < now() - interval '1 minute'");
			await forgetChannels(database);
			await (await database.boss()).supervise();
			await onMaintained();
		} catch (error) {
			report(`The queue was not maintained: ${errorMessage(error)}`, { level: "error" });
		}
	};
}
