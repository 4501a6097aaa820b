// This process as a host of an engine: one row, renewed while it lives. Leases belong to the host: one that has not renewed its row within its lease
// time has lost every run that it held. Only the database's clock counts. A host that could not renew its row in time stops itself before another
// takes over.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Failure } from "@pi-chronicle/core/ports";
import { processStart, thisHost } from "pi-chronicle/local";
import type { Database } from "./database.ts";
import { databaseFailure, isOutage } from "./database-failure.ts";
import { checkVersion, ENGINE_VERSION } from "./schema.ts";

export interface HostOptions {
	readonly name?: string;
	readonly slots?: number;
	readonly projects?: readonly string[];
	readonly queues?: readonly string[];
	/** Labels that states may ask for. */
	readonly labels?: readonly string[];
	readonly version?: string;
	/** Milliseconds without a renewal after which others take over its runs. */
	readonly leaseMs?: number;
}

/** What a host has counted since it started; it is renewed with its row. */
export interface HostFigures {
	attempts: number;
	/** Runs that it has taken from dead hosts. */
	takeovers: number;
	/** Statements that the database has not carried out. */
	statementErrors: number;
	/** Bytes that are free for working folders; absent: unknown. */
	diskFree?: number;
}

/** A run that a host holds, and the fence under which it does. */
export interface RunClaim {
	readonly id: string;
	readonly fence: number;
}

interface Beat {
	/** It was asked to take no more runs. */
	readonly draining: boolean;
	/** Runs that it holds and that have undelivered posts. */
	readonly posted: readonly string[];
	readonly held: readonly RunClaim[];
	/** Number of living hosts that take runs. */
	readonly hosts: number;
	readonly scheduled: boolean;
}

/** What a host learns at a renewal. `failure`: it did not succeed; `outdated`: the tables now have another version. */
type BeatResult = Beat | { readonly failure: string } | { readonly outdated: Failure };

const defaultLeaseMs = 8000;
/** Milliseconds between two tries while the database is out of reach. */
const retryMs = 250;

export interface Host {
	readonly id: string;
	readonly name: string;
	readonly leaseMs: number;
	readonly labels: readonly string[];
	readonly figures: HostFigures;
	/** Writes the row, once, and renews it from then on. */
	register(): Promise<void>;
	/** When the last successful renewal began, by `performance.now`. */
	provedAt(): number;
	/** Since when renewals have succeeded without a gap of a lease, by `performance.now`. */
	steadySince(): number;
	/** Calls `listener` after every renewal, and once for several in a row that did not succeed, until the returned function is called. */
	onBeat(listener: (result: BeatResult) => void): () => void;
	leave(): Promise<void>;
}

const renewText = `
UPDATE chronicle.host h SET beat_at = now(), figures = $2 WHERE id = $1
RETURNING draining, ARRAY(
	SELECT DISTINCT i.run::text FROM chronicle.run r JOIN chronicle.inbox i ON i.run = r.id AND i.state = 'waiting' WHERE r.holder = h.id
) AS posted, ARRAY(SELECT json_build_object('id', r.id, 'fence', r.fence) FROM chronicle.run r WHERE r.holder = h.id) AS held, (
	SELECT count(*)::int FROM chronicle.host WHERE slots > 0 AND beat_at > now() - lease_ms * interval '1 millisecond'
) AS hosts, EXISTS (SELECT FROM chronicle.schedule) AS scheduled, (SELECT version FROM chronicle.meta) AS version`;

/** Opens this process as a host. Nothing is written before `register`. */
export function openHost(database: Database, options: HostOptions = {}): Host {
	const { leaseMs = defaultLeaseMs, labels = [] } = options;
	const id = randomUUID();
	const figures: HostFigures = { attempts: 0, takeovers: 0, statementErrors: 0 };
	const listeners = new Set<(result: BeatResult) => void>();
	let registered: Promise<void> | undefined;
	let timer: NodeJS.Timeout | undefined;
	let proved = Number.NEGATIVE_INFINITY;
	let steady = 0;
	let left = false;
	let failing = false;

	const insert = (): Promise<unknown> => insertHost(database, id, { ...options, leaseMs });
	const tell = (result: BeatResult): void => {
		for (const listener of listeners) listener(result);
	};
	const beat = async (): Promise<void> => {
		const began = performance.now();
		figures.statementErrors = database.failedStatements;
		const result = await renewRow(database, { id, figures }, leaseMs / 3, insert).catch((error: unknown) =>
			explainFailure(database, error),
		);
		if ("draining" in result) {
			if (began - proved > leaseMs) steady = began;
			proved = began;
		}
		if (!failing || !("failure" in result)) tell(result);
		failing = "failure" in result;
	};
	const schedule = (): void => {
		if (left) return;
		timer = setTimeout(
			() =>
				void beat()
					.catch(() => {})
					.finally(schedule),
			failing ? retryMs : leaseMs / 3,
		);
		timer.unref();
	};
	return {
		id,
		name: options.name ?? hostname(),
		leaseMs,
		labels,
		figures,
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
		onBeat(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
		async leave() {
			left = true;
			clearTimeout(timer);
			await database.query("DELETE FROM chronicle.host WHERE id = $1", [id]).catch(() => {});
		},
	};
}

/** Renews the row of a host, within `ms` milliseconds: a second try is still in time then. `insert` adds it again where another host found it too old and removed it. */
async function renewRow(
	database: Database,
	{ id, figures }: Pick<Host, "id" | "figures">,
	ms: number,
	insert: () => Promise<unknown>,
): Promise<BeatResult> {
	const { rows } = await database.queryWithin<Beat & { readonly version: number }>(ms, renewText, [
		id,
		JSON.stringify(figures),
	]);
	const [row] = rows;
	const outdated = row?.version === ENGINE_VERSION ? undefined : await checkVersion(database);
	if (outdated) return { outdated };
	if (row) return row;
	await insert();
	return { draining: false, posted: [], held: [], hosts: 1, scheduled: false };
}

async function explainFailure(database: Database, error: unknown): Promise<BeatResult> {
	// Tables of another version may not have what the statement names.
	const outdated = isOutage(error) ? undefined : await checkVersion(database).catch(() => undefined);
	return outdated ? { outdated } : { failure: databaseFailure(error, database).message };
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
