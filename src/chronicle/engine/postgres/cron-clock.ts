// Runs pg-boss's cron clock on a host while there are schedules. The database lets one host at a time send their jobs.

import type { Database } from "./database.ts";
import type { HostLog } from "./log.ts";

export class CronClock {
	readonly #database: Database;
	readonly #report: HostLog;
	#wanted = false;
	/** Stops the clock that runs; starting and stopping happen one after another. */
	#stopClock: (() => Promise<void>) | undefined;
	#queue: Promise<void> = Promise.resolve();

	constructor(database: Database, report: HostLog) {
		this.#database = database;
		this.#report = report;
	}

	/** Whether it runs, or is about to. */
	get isWanted(): boolean {
		return this.#wanted;
	}

	/** Starts or stops it. */
	run(wanted: boolean): void {
		if (wanted === this.#wanted) return;
		this.#wanted = wanted;
		this.#queue = this.#queue
			.then(() => this.#settle())
			.catch((error: unknown) => {
				// Retried when the host next renews its lease.
				this.#wanted = false;
				this.#report(`Schedules are not watched here: ${(error as Error).message}`, { level: "error" });
			});
	}

	/** Resolves once it has stopped. */
	async stop(): Promise<void> {
		this.run(false);
		await this.#queue;
	}

	async #settle(): Promise<void> {
		if (this.#wanted) this.#stopClock ??= await this.#database.startCron();
		else {
			await this.#stopClock?.();
			this.#stopClock = undefined;
		}
	}
}
