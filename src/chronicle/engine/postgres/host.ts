// This process as a host of an engine: one row, renewed while it lives. Leases belong to the host: one that has not renewed its row within
// its lease time has lost every run that it held.
// H1 only the database's clock counts; H2 a host that could not renew its row in time stops itself before another takes over.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { processStart } from "../../../process/index.ts";
import { thisHost } from "../ledger/index.ts";
import type { Database } from "./database.ts";
import { databaseFailure } from "./database-failure.ts";

export interface HostOptions {
	/** How others see it. Default: the machine's name. */
	readonly name?: string;
	readonly slots?: number;
	readonly projects?: readonly string[];
	readonly queues?: readonly string[];
	/** What it offers; states may ask for it. */
	readonly labels?: readonly string[];
	readonly version?: string;
	/** Milliseconds without a sign of life after which its runs are taken over. */
	readonly leaseMs?: number;
}

/** Result of the last renewal. */
interface Beat {
	/** Somebody wants it to take no more runs. */
	readonly draining: boolean;
	/** Runs that it holds and that have waiting posts. */
	readonly posted: readonly string[];
	/** How many hosts that take runs are alive. */
	readonly hosts: number;
	/** Whether its projects have schedules. */
	readonly scheduled: boolean;
}

const defaultLeaseMs = 8000;
/** Milliseconds between two tries while the database is out of reach. */
const retryMs = 250;

export interface Host {
	readonly id: string;
	readonly leaseMs: number;
	readonly labels: readonly string[];
	/** Writes the row, once, and renews it from then on. */
	register(): Promise<void>;
	/** When it last proved to be alive, by `performance.now`. */
	provedAt(): number;
	/** Since when it has proved that without a gap. */
	steadySince(): number;
	/** Calls `listener` after every renewal, and with the failure after one that did not succeed. */
	onBeat(listener: (beat: Beat | { readonly failure: string }) => void): void;
	/** Removes the row. */
	leave(): Promise<void>;
}

const renew = `
UPDATE chronicle.host h SET beat_at = now() WHERE id = $1
RETURNING draining, ARRAY(
	SELECT DISTINCT i.run::text FROM chronicle.run r JOIN chronicle.inbox i ON i.run = r.id AND i.state = 'waiting' WHERE r.holder = h.id
) AS posted, (
	SELECT count(*)::int FROM chronicle.host WHERE slots > 0 AND beat_at > now() - lease_ms * interval '1 millisecond'
) AS hosts, EXISTS (SELECT FROM chronicle.schedule) AS scheduled`;

/** Describes this process. Nothing is written before `register`. */
export function openHost(database: Database, options: HostOptions = {}): Host {
	const { leaseMs = defaultLeaseMs, labels = [] } = options;
	const id = randomUUID();
	const listeners = new Set<Parameters<Host["onBeat"]>[0]>();
	let registered: Promise<void> | undefined;
	let timer: NodeJS.Timeout | undefined;
	let proved = Number.NEGATIVE_INFINITY;
	let steady = 0;
	let left = false;
	let failing = false;

	const insert = (): Promise<unknown> => insertHost(database, id, { ...options, leaseMs });
	const tell = (beat: Beat | { readonly failure: string }): void => {
		for (const listener of listeners) listener(beat);
	};
	const beat = async (): Promise<void> => {
		const began = performance.now();
		try {
			const { rows } = await database.query<Beat>(renew, [id]);
			const [row] = rows;
			// Another host found the row too old and removed it.
			if (!row) await insert();
			if (began - proved > leaseMs) steady = began;
			proved = began;
			failing = false;
			tell(row ?? { draining: false, posted: [], hosts: 1, scheduled: false });
		} catch (error) {
			if (!failing) tell({ failure: databaseFailure(error, database.name).message });
			failing = true;
		}
	};
	const schedule = (): void => {
		if (left) return;
		timer = setTimeout(() => void beat().finally(schedule), failing ? retryMs : leaseMs / 3);
		timer.unref();
	};
	return {
		id,
		leaseMs,
		labels,
		register() {
			registered ??= insert().then(
				() => {
					proved = performance.now();
					steady = proved;
					schedule();
				},
				(error: unknown) => {
					registered = undefined;
					throw error;
				},
			);
			return registered;
		},
		provedAt: () => proved,
		steadySince: () => steady,
		onBeat: (listener) => void listeners.add(listener),
		async leave() {
			left = true;
			clearTimeout(timer);
			await database.query("DELETE FROM chronicle.host WHERE id = $1", [id]).catch(() => {});
		},
	};
}

async function insertHost(database: Database, id: string, options: HostOptions): Promise<void> {
	const { name = hostname(), slots = 0, projects = [], queues = [], labels = [], version = "", leaseMs } = options;
	const started = `${processStart(process.pid) ?? "unknown"} ${thisHost()}`;
	await database.query(
		`INSERT INTO chronicle.host (id, name, pid, started, version, slots, projects, queues, labels, lease_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING`,
		[id, name, process.pid, started, version, slots, projects, queues, labels, leaseMs],
	);
}
