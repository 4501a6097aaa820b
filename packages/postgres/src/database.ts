// Connections to the engine's Postgres. Every statement and every transaction has a time limit, so that a partition is noticed on both sides. The
// address is never shown with its password.
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "@pi-chronicle/core/ports";
import pg from "pg";
import { type ConstructorOptions as BossOptions, PgBoss } from "pg-boss";
import { OWN_COMMAND } from "pi-chronicle/local";
import { isOutage } from "./database-failure.ts";

/** Runs statements, on any connection or inside one transaction. */
export interface Sql {
	/** Runs one statement; gives its rows, and how many rows it returned or changed. */
	query<Row extends object>(
		text: string,
		values?: readonly unknown[],
	): Promise<{ readonly rows: Row[]; readonly count: number }>;
	/** The same, as pg-boss wants it. */
	executeSql(text: string, values?: unknown[]): Promise<{ rows: never[] }>;
}

export interface Database extends Sql {
	/** Host, port and database, without user and password. */
	readonly name: string;
	/** Precedes the commands that a failure names, with the options that choose project and engine. */
	readonly shell: string;
	/**
	 * Runs one statement on a connection of its own, for at most `ms` milliseconds. A connection that does not answer by then is given up, so that
	 * the next call has a new one: it may be open on this side only.
	 */
	queryWithin<Row extends object>(
		ms: number,
		text: string,
		values: readonly unknown[],
	): Promise<{ readonly rows: Row[] }>;
	/** The queue: only its public functions are used, with a transaction as their `db`. Started on first use. */
	boss(): Promise<PgBoss>;
	/** Starts to send the jobs of schedules at their times; one process of all does it at a time. Gives the function that stops it. */
	startCron(): Promise<() => Promise<void>>;
	installJobs(): Promise<void>;
	/** Commits when `work` resolves, rolls back when it rejects. */
	transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
	/** Calls `listener` with every notification, and with `undefined` after a reconnection, when some may have been missed. */
	listen(listener: (payload: string | undefined) => void): Promise<() => void>;
	/** Number of statements that have failed, or were not answered in time. */
	readonly failedStatements: number;
	close(): Promise<void>;
}

/**
 * The channel of all notifications: `job <queue>` (it has a new job), `wake <run>` (it may need a job), `post <run>`, `child <parent>` (one of
 * its children was given back).
 */
export const CHANNEL = "chronicle";
/** The payload that says that a notice was recorded. */
export const NOTICE = "notice";

/** A text of others without the character that Postgres has in no text. */
export const storable = (text: string): string => text.replaceAll("\0", "\ufffd");

/** Notifies all listeners, once the transaction of `sql` is committed. */
export async function notify(sql: Sql, payload: string): Promise<void> {
	await sql.query("SELECT pg_notify($1, $2)", [CHANNEL, payload]);
}

/** The schema of pg-boss's tables. */
export const JOBS_SCHEMA = "chronicle_jobs";

const statementMs = 15_000;
/** Milliseconds after which the server ends a transaction whose client is silent: it may be gone, and must not keep its locks. */
const silentMs = 8000;
const connectMs = 5000;
const reconnectMs = 1000;
const closeMs = 1000;
/** Milliseconds between two questions whether the connection of notifications still answers, and for the answer. */
const probeMs = 5000;
const probeTimeoutMs = 3000;
/** Milliseconds of silence after which the system asks whether the other side is there. */
const keepAliveMs = 10_000;

type QueryConfig = import("pg").QueryConfig;

/** Closes a connection that may be open on this side only: nothing is sent, and nothing awaited. */
function abandon(client: pg.Client): void {
	(client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream.destroy();
}

/**
 * Opens the database at `url` (`postgres://…`; TLS options such as `sslmode=verify-full` belong to it). Nothing is connected yet. `shell`
 * precedes the commands that a failure names.
 */
export async function openDatabase(url: string, shell = OWN_COMMAND): Promise<Result<Database>> {
	const parsed = URL.canParse(url) ? new URL(url) : undefined;
	if (!parsed || !/^postgres(?:ql)?:$/.test(parsed.protocol) || parsed.host.includes(","))
		return {
			ok: false,
			failure: {
				reason: "usage",
				message: "The engine's address is not the URL of one Postgres server.",
				remedy: "Write it as postgres://user@host:5432/database; for a failover, name a host that follows the primary.",
			},
		};
	const address = withTlsFiles(parsed, process.env) ?? url;
	return { ok: true, value: new PostgresDatabase(address, { name: `${parsed.host}${parsed.pathname}`, shell }) };
}

/** Files for TLS that libpq takes from the environment, and `pg` only from the address. */
const tlsFiles = { sslrootcert: "PGSSLROOTCERT", sslcert: "PGSSLCERT", sslkey: "PGSSLKEY" } as const;

/** The address with the files that the environment names and it does not; `undefined`: there are none. */
function withTlsFiles(url: URL, env: Readonly<Record<string, string | undefined>>): string | undefined {
	const mode = url.searchParams.get("sslmode") ?? env.PGSSLMODE;
	const named = Object.entries(tlsFiles).filter(([name, variable]) => env[variable] && !url.searchParams.has(name));
	if (named.length === 0 || mode === "disable") return undefined;
	const all = new URL(url);
	for (const [name, variable] of named) all.searchParams.set(name, env[variable] ?? "");
	// `pg` ignores the variable for an address that names files.
	if (mode !== undefined) all.searchParams.set("sslmode", mode);
	return all.href;
}

class PostgresDatabase implements Database {
	readonly name: string;
	readonly shell: string;
	readonly #url: string;
	readonly #pool: pg.Pool;
	readonly #listeners = new Set<(payload: string | undefined) => void>();
	#listening: Promise<void> | undefined;
	#listener: pg.Client | undefined;
	#leaseConnection: Promise<pg.Client> | undefined;
	#boss: Promise<PgBoss> | undefined;
	#closed = false;
	#failed = 0;

	constructor(url: string, { name, shell }: Pick<Database, "name" | "shell">) {
		this.name = name;
		this.shell = shell;
		this.#url = url;
		this.#pool = new pg.Pool({
			connectionString: url,
			max: 10,
			connectionTimeoutMillis: connectMs,
			query_timeout: statementMs,
			statement_timeout: statementMs,
			keepAlive: true,
			keepAliveInitialDelayMillis: keepAliveMs,
			allowExitOnIdle: true,
			application_name: "pi-chronicle",
		});
		// A connection that breaks while it is idle is replaced by the pool.
		this.#pool.on("error", () => {});
		this.#pool.on("connect", (client) => void client.on("error", () => {}));
	}

	get failedStatements(): number {
		return this.#failed;
	}

	async #counted<T>(statement: Promise<T>): Promise<T> {
		try {
			return await statement;
		} catch (error) {
			this.#failed += 1;
			throw error;
		}
	}

	async query<Row extends object>(text: string, values: readonly unknown[] = []) {
		const { rows, rowCount } = await this.#counted(this.#pool.query<Row>(text, [...values]));
		return { rows, count: rowCount ?? 0 };
	}

	async executeSql(text: string, values?: unknown[]): Promise<{ rows: never[] }> {
		return this.#counted(this.#pool.query<never>(text, values));
	}

	async queryWithin<Row extends object>(ms: number, text: string, values: readonly unknown[]) {
		const began = performance.now();
		this.#leaseConnection ??= this.#connect("pi-chronicle lease", ms);
		const opened = this.#leaseConnection;
		try {
			const client = await opened;
			const left = Math.max(1, ms - (performance.now() - began));
			return await client.query<Row>({ text, values: [...values], query_timeout: left } as QueryConfig);
		} catch (error) {
			this.#failed += 1;
			if (this.#leaseConnection === opened) this.#leaseConnection = undefined;
			opened.then(abandon, () => {});
			throw error;
		}
	}

	/** Opens a connection that keeps no process alive. */
	async #connect(name: string, ms: number): Promise<pg.Client> {
		const client = new pg.Client({
			connectionString: this.#url,
			connectionTimeoutMillis: ms,
			keepAlive: true,
			keepAliveInitialDelayMillis: keepAliveMs,
			application_name: name,
		});
		client.on("error", () => {});
		try {
			await client.connect();
		} catch (error) {
			abandon(client);
			throw error;
		}
		(client as unknown as { unref(): void }).unref();
		return client;
	}

	async transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
		const client = await this.#pool.connect();
		let broken: Error | undefined;
		try {
			await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${silentMs}`);
			const done = await work({
				query: async (text, values = []) => {
					const { rows, rowCount } = await this.#counted(client.query(text, [...values]));
					return { rows, count: rowCount ?? 0 };
				},
				executeSql: (text, values) => this.#counted(client.query(text, values)),
			});
			await client.query("COMMIT");
			return done;
		} catch (error) {
			// On a connection that does not answer, a rollback would wait as long again; the server does it when the connection is gone.
			if (isOutage(error)) broken = error as Error;
			else
				await client.query("ROLLBACK").catch((failed: Error) => {
					broken = failed;
				});
			throw error;
		} finally {
			client.release(broken);
		}
	}

	boss(): Promise<PgBoss> {
		this.#boss ??= this.#startBoss().catch((error: unknown) => {
			this.#boss = undefined;
			throw error;
		});
		return this.#boss;
	}

	async startCron(): Promise<() => Promise<void>> {
		const boss = await this.#startBoss({
			schedule: true,
			cronMonitorIntervalSeconds: 30,
			cronWorkerIntervalSeconds: 5,
		});
		return () => boss.stop({ graceful: false, close: false });
	}

	async installJobs(): Promise<void> {
		const boss = await this.#startBoss({ migrate: true, createSchema: true });
		await boss.stop({ graceful: false, close: false });
	}

	async #startBoss(options: Partial<BossOptions> = {}): Promise<PgBoss> {
		const boss = new PgBoss({
			db: { executeSql: (text, values) => this.executeSql(text, values) },
			schema: JOBS_SCHEMA,
			migrate: false,
			createSchema: false,
			supervise: false,
			schedule: false,
			registerInstance: false,
			...options,
		});
		boss.on("error", () => {});
		return boss.start();
	}

	async listen(listener: (payload: string | undefined) => void): Promise<() => void> {
		this.#listeners.add(listener);
		this.#listening ??= this.#connectListener();
		await this.#listening;
		return () => void this.#listeners.delete(listener);
	}

	/** Resolves after the first try; connects again for as long as the database is open. */
	async #connectListener(): Promise<void> {
		let client: pg.Client | undefined;
		let probe: NodeJS.Timeout | undefined;
		let gone = false;
		const again = (): void => {
			if (gone || this.#closed) return;
			gone = true;
			clearInterval(probe);
			if (client) abandon(client);
			setTimeout(() => void this.#connectListener(), reconnectMs).unref();
		};
		try {
			client = await this.#connect("pi-chronicle listener", connectMs);
			const live = client;
			const query = (text: string) => live.query({ text, query_timeout: probeTimeoutMs } as QueryConfig);
			client.on("error", again);
			client.on("end", again);
			client.on("notification", ({ payload = "" }) => this.#notify(payload));
			await query(`LISTEN ${CHANNEL}`);
			this.#listener = client;
			probe = setInterval(() => query("SELECT").catch(again), probeMs).unref();
			this.#notify(undefined);
		} catch {
			again();
		}
	}

	#notify(payload: string | undefined): void {
		for (const listener of this.#listeners) listener(payload);
	}

	async close(): Promise<void> {
		if (this.#closed) return;
		this.#closed = true;
		const boss = await this.#boss?.catch(() => undefined);
		// Connections that don't keep the process alive must not delay its exit when they close either.
		const own = this.#leaseConnection?.then((client) => client.end());
		const ended = [boss?.stop({ graceful: false, close: false }), own, this.#listener?.end(), this.#pool.end()];
		await Promise.race([Promise.allSettled(ended), sleep(closeMs)]);
	}
}
