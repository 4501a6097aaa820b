// The ledger store of an engine: the runs of one project in Postgres, for any number of hosts. A run and its first event begin in one transaction.
// One host holds a run at a time, under a fence that only grows. Who sends a run or a command sends no job: a host does, which hears of it, or looks
// for it (see `settle.ts`).

import { isNumber, isText, object, only } from "@pi-chronicle/core/definition";
import {
	type Created,
	type HostNeed,
	hostNeed,
	missingLabels,
	type Run,
	SCHEMA_VERSION,
	type UserEvent,
} from "@pi-chronicle/core/machine";
import type { LedgerEntry, LedgerStore, ReadLedger, Result, RunSummary, StoreFailure } from "@pi-chronicle/core/ports";
import {
	fetchedConversations,
	isRunId,
	parseUntrusted,
	postText,
	postTooLong,
	redactEvent,
	resolveRunId,
	storeFailure,
} from "pi-chronicle/local";
import { beginChild, type ChildStart, refuseUnneeded } from "./child-rows.ts";
import { notify, type Sql, storable } from "./database.ts";
import { databaseFailure, unsureMs } from "./database-failure.ts";
import { LeasedRun, type PostgresLedger } from "./held.ts";
import type { Host } from "./host.ts";
import { insertRun, providerOf } from "./insert-run.ts";
import type { JobAttempt, QueuedRun } from "./jobs.ts";
import { describeLeftovers } from "./leftovers.ts";
import { addPostOnce, answeredBefore, refuseAnswer, refusedPost, refusePosts } from "./posts.ts";
import { admitRun } from "./quota.ts";
import { explainWait, type HostOffer, labelsInQueue, nextQueue, readOffers } from "./routing.ts";
import {
	type FamilyRow,
	familyText,
	findRow,
	holderOf,
	loadRow,
	lockRow,
	type RunRow,
	readEventRows,
	runColumns,
	runTables,
} from "./rows.ts";
import type { PostgresStoreOptions } from "./store-options.ts";
import { MustBeAlone } from "./suspects.ts";

export interface PostgresStore extends LedgerStore {
	open(id: string): Promise<Result<PostgresLedger, StoreFailure>>;
	/**
	 * The same for a run whose job was fetched in the transaction `tx`: both count, or neither. An earlier attempt at the job has lost the run.
	 * Rejects with `LimitReached` where a limit holds the run back, with `LabelsMissing` where the run is for other hosts, with `MustBeAlone` where
	 * the host has other runs (`isIdle` is `false`) and this one must be alone, and with the database's errors.
	 */
	claim(tx: Sql, id: string, job: JobAttempt, isIdle?: boolean): Promise<Result<PostgresLedger, StoreFailure>>;
	/** Begins a child of a run that this host holds, or finds the one that exists: it is left to the hosts. Gives its run. */
	beginChild(first: Created, start: ChildStart): Promise<Result<Run, StoreFailure>>;
	/** `patienceMs`: how long to find out whether the post was added where the connection was lost before that was confirmed. */
	post(id: string, event: UserEvent, patienceMs?: number): ReturnType<LedgerStore["post"]>;
	/** A run and all runs below it, each before its children. */
	family(id: string): Promise<readonly FamilyRow[]>;
	/** Asks the hosts to look whether the run needs a job. */
	wake(id: string): Promise<Result<void, StoreFailure>>;
}

const unknown = (id: string) => storeFailure("unknown", `No run has the id "${id}".`, "See the list of runs.");

/** Opens the store of a project. Nothing is read or written before the first call. */
export function openPostgresStore(given: PostgresStoreOptions): PostgresStore {
	const { database, project } = given;
	const options = { ...given, redact: (text: string) => storable(given.redact(text)) };
	const guarded = async <T>(
		id: string,
		work: () => Promise<Result<T, StoreFailure>>,
	): Promise<Result<T, StoreFailure>> => {
		if (!isRunId(id)) return unknown(id);
		try {
			return await work();
		} catch (error) {
			return { ok: false, failure: databaseFailure(error, database) };
		}
	};
	const find = async (name: string): Promise<Result<string, StoreFailure>> => {
		const pattern = name === "last" ? "%" : `${name.replace(/[^0-9a-f-]/g, "_")}%`;
		const { rows } = await database.query<{ id: string }>(
			"SELECT id::text FROM chronicle.run WHERE project = $1 AND id::text LIKE $2 ORDER BY updated_hour DESC, updated_at DESC LIMIT 100",
			[project, name === "" ? "" : pattern],
		);
		return resolveRunId(
			name,
			rows.map(({ id }) => id),
			database.shell,
		);
	};
	const listed = (which: Listed): Promise<LedgerEntry[]> =>
		listRuns(options, which).catch((error: unknown) => [
			{ kind: "unreadable", id: "all runs", failure: databaseFailure(error, database) },
		]);
	return {
		create: (first) => guarded(first.id, () => insertRun(options, first)),
		beginChild: (first, start) => guarded(first.id, () => beginChild(options, first, start)),
		family: async (id) => (await database.query<FamilyRow>(familyText, [id])).rows,
		open: (id) => guarded(id, () => database.transaction((tx) => claimRun(options, tx, id, undefined))),
		claim: (tx, id, job, isIdle) => claimRun(options, tx, id, job, isIdle),
		read: (id) => guarded(id, () => readRun(options, id)),
		list: () => listed({}),
		recent: (count) => listed({ firstRuns: count }),
		ids: async () => (await listed({})).map(({ id }) => id),
		entry: async (id) => (isRunId(id) ? (await listed({ id }))[0] : undefined),
		find: (name) => find(name).catch((error: unknown) => ({ ok: false, failure: databaseFailure(error, database) })),
		post: (id, event, patienceMs = unsureMs) =>
			guarded(id, async () => {
				const text = postText(redactEvent(event, options.redact));
				if (text === undefined) return postTooLong;
				const row = await findRow(database, id, project);
				if (!row) return unknown(id);
				const at = options.clock.now();
				const refused = (await refuseUnneeded(database, row)) ?? (await refuseAnswer(database, row, event, at));
				const post = await addPostOnce(database, { run: id, body: text, at, refused }, patienceMs);
				if (post) return { ok: true, value: post };
				const first = "answers" in event ? await answeredBefore(database, id, event.answers) : undefined;
				return { ok: true, value: refusedPost(first ?? "Another answer came first.") };
			}),
		wake: (id) =>
			guarded(id, async () => {
				if (!(await findRow(database, id, project))) return unknown(id);
				await notify(database, `wake ${id}`);
				return { ok: true, value: undefined };
			}),
		remove: (id) => guarded(id, () => removeRun(options, id)),
	};
}

/** The failure where the run of a row cannot be taken now. */
function refuseClaim(
	row: RunRow,
	host: Host,
	job: JobAttempt | undefined,
): { readonly ok: false; readonly failure: StoreFailure } | undefined {
	if (job && row.job !== job.id) return storeFailure("unknown", "Another job of the run is current.", "Nothing to do.");
	const holder = holderOf(row);
	// A job that the queue gave up after a day, while its host works on, does not take the run from that host.
	if (!holder || (job && row.holder === host.id && row.attempt === job.retryCount)) return undefined;
	return storeFailure(
		"held",
		`The run belongs to process ${holder.pid} on ${holder.host}.`,
		"Send it commands from here.",
	);
}

/** The run is for hosts that have other labels. */
export class LabelsMissing extends Error {
	readonly need: HostNeed;

	constructor(need: HostNeed) {
		super(`The run needs a host with ${need.labels.join(", ")}.`);
		this.need = need;
	}
}

/** Throws where the host lacks labels that the run needs now: it may have been moved since its job was sent. */
function checkLabels(row: QueuedRun, run: Run, { labels }: Host): void {
	if (row.aborting) return;
	const need = hostNeed(run);
	const queue = nextQueue({ ...row, needs: need.labels, bound: need.commandsToo });
	if (missingLabels(labelsInQueue(queue), labels).length > 0) throw new LabelsMissing(need);
}

async function claimRun(
	options: PostgresStoreOptions,
	tx: Sql,
	id: string,
	job: JobAttempt | undefined,
	isIdle = true,
): Promise<Result<PostgresLedger, StoreFailure>> {
	const { host, project } = options;
	await host.register();
	const row = await lockRow(tx, project, id);
	if (!row) return unknown(id);
	const refused = refuseClaim(row, host, job);
	if (refused) return refused;
	const unneeded = await refuseUnneeded(tx, row);
	if (unneeded !== undefined) {
		await tx.query("UPDATE chronicle.run SET job = NULL, waits = NULL WHERE id = $1", [id]);
		await refusePosts(tx, id, unneeded);
		return storeFailure("unknown", unneeded, "Nothing to do.");
	}
	const run = await loadRow(tx, row);
	if (typeof run === "string") return unreadable(run, id);
	const provider = row.fence === 0 ? (providerOf(run) ?? null) : row.provider;
	if (job) {
		checkLabels(row, run, host);
		if (row.suspect !== null && !row.delegates && !isIdle) throw new MustBeAlone();
		// A run and its children count as one. Its provider follows from its events: the sender may have written another one into the row.
		if (row.parent === null) await admitRun(tx, { ...row, provider });
	}
	const fence = row.fence + 1;
	await tx.query(
		"UPDATE chronicle.run SET fence = $2, holder = $3, attempt = $4, claimed_visit = visit, provider = $5, waits = NULL WHERE id = $1",
		[id, fence, host.id, job?.retryCount ?? row.attempt, provider],
	);
	return { ok: true, value: new LeasedRun({ ...options, row, run, fence, job }) };
}

function unreadable(why: "newer" | "corrupt", id: string): { readonly ok: false; readonly failure: StoreFailure } {
	return why === "newer"
		? storeFailure("newer", `The run ${id} was created by a newer version.`, "Update pi-chronicle on this host.")
		: storeFailure("corrupt", `The events of run ${id} cannot be read.`, "Restore the database from a backup.");
}

async function readRun(options: PostgresStoreOptions, id: string): Promise<Result<ReadLedger, StoreFailure>> {
	const { database, project, folderOf } = options;
	const row = await findRow(database, id, project);
	if (!row) return unknown(id);
	const run = await loadRow(database, row);
	if (typeof run === "string") return unreadable(run, id);
	const offers = row.job === null || holderOf(row) ? [] : await readOffers(database);
	return {
		ok: true,
		value: {
			run,
			repairs: [],
			...standingOf(row, offers),
			place: `the events of run ${id} in the database ${database.name}`,
			folder: folderOf(id),
			fetched: await fetchedConversations(folderOf(id)),
			leftOnHosts: run.stage.kind === "over" ? await describeLeftovers(database, id) : [],
			events: (after = 0) => readEventRows(database, id, after),
		},
	};
}

/** Who holds the run of a row, or what it waits for until somebody does. */
function standingOf(row: RunRow, offers: readonly HostOffer[]): Pick<ReadLedger, "holder" | "queued"> {
	const holder = holderOf(row);
	if (holder || (row.job === null && row.parked)) return { holder };
	const isLeft = row.job === null && row.parent !== null;
	const usual = isLeft ? "Waits until its parent continues." : explainWait(row, offers).text;
	return { holder, queued: row.waits ?? usual };
}

type ListRow = RunRow & {
	readonly template: string;
	readonly task: string;
	readonly status: string;
	readonly state: string;
	readonly updated_at: string;
	readonly cost_usd: number;
	readonly tokens: string;
	readonly child: string | null;
};

/** Which runs of a project are listed: one, the first runs that changed last, or all. */
interface Listed {
	readonly id?: string;
	readonly firstRuns?: number;
}

async function listRuns(
	{ database, project }: PostgresStoreOptions,
	{ id: only, firstRuns }: Listed,
): Promise<LedgerEntry[]> {
	const { rows } = await database.query<ListRow>(
		`SELECT ${runColumns}, r.template, r.task, r.status, r.state, r.updated_at, r.cost_usd, r.tokens, r.child
		FROM ${runTables} WHERE r.project = $1 AND ($2::uuid IS NULL OR r.id = $2) AND ($3::int IS NULL OR r.parent IS NULL)
		ORDER BY r.updated_hour DESC, r.updated_at DESC, r.id DESC LIMIT $3`,
		[project, only ?? null, firstRuns ?? null],
	);
	return rows.map((row): LedgerEntry => {
		const { id, template, task, state, updated_at: updatedAt, cost_usd: costUsd, tokens } = row;
		if (row.schema_version > SCHEMA_VERSION) {
			const { failure } = unreadable("newer", id);
			return { kind: "unreadable", id, failure };
		}
		const holder = holderOf(row);
		const status = statusOf(row, holder !== undefined);
		return {
			kind: "run",
			id,
			summary: { template, task, status, state, updatedAt, costUsd, tokens: Number(tokens), ...parentIn(row) },
			holder,
		};
	});
}

const placeFields = { visit: isNumber, index: isNumber, name: isText };
const isPlace = object<{ readonly visit: number; readonly index: number; readonly name: string }>(placeFields);

/** Whose child the run of a row is, as the list shows it. */
function parentIn({ parent, child }: ListRow): Pick<RunSummary, "parent"> {
	const place = parent === null || child === null ? undefined : parseUntrusted(child, isPlace);
	return parent !== null && place ? { parent: { run: parent, ...only(placeFields, place) } } : {};
}

/** A run without a holder that is not parked waits for a host; a child without a job waits for its parent. */
function statusOf({ status }: ListRow, isHeld: boolean): string {
	return status === "running" && !isHeld ? "queued" : status;
}

async function removeRun(
	options: PostgresStoreOptions,
	id: string,
): Promise<Result<{ readonly bytes: number }, StoreFailure>> {
	const { database, project } = options;
	return database.transaction(async (tx) => {
		const row = await lockRow(tx, project, id);
		if (!row) return unknown(id);
		const holder = holderOf(row);
		if (holder) return storeFailure("held", `The run belongs to ${holder.host}.`, "Abort it, or wait until it ends.");
		const sizes = await tx.query<{ bytes: string | null }>(
			"SELECT sum(octet_length(body)) AS bytes FROM chronicle.event WHERE run = $1",
			[id],
		);
		await tx.query("DELETE FROM chronicle.run WHERE id = $1", [id]);
		return { ok: true, value: { bytes: Number(sizes.rows[0]?.bytes ?? 0) } };
	});
}
