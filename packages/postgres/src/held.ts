// A run's ledger in Postgres, held by this host: each append is one statement, which does nothing unless the lease is still this host's. Events are
// numbered without gaps, each number once. After the lease is lost nothing is written. A statement whose result was lost is repeated without writing
// twice. The run's row always agrees with its last event. Events that a crash of the database has lost, because they were only to be on disk soon,
// are written again. Snapshots are recorded with the events that name them, or neither.
import { awaitedAnswer, type EventBody, foldEvent, type LedgerEvent, type Run } from "@pi-chronicle/core/machine";
import type { HeldLedger, PostListener, Result, StoreFailure } from "@pi-chronicle/core/ports";
import type { NoticeKey, RecordedSnapshot, SnapshotName, SnapshotRecord, StoredSnapshot } from "pi-chronicle/local";
import { noticeKind, redactEvent, stampEvent, storeFailure } from "pi-chronicle/local";
import { notify, type Sql } from "./database.ts";
import { databaseFailure, outageMs, throughOutage } from "./database-failure.ts";
import type { Host } from "./host.ts";
import { ensureJob, type JobAttempt } from "./jobs.ts";
import { noProof, proofNow } from "./lease-proof.ts";
import { findAnswer, openPosts, type Posts, settlePost, signalParent, type TakenAnswer } from "./posts.ts";
import { foldedValues, lockRun, type RunRow, readEventRows, storedText } from "./rows.ts";
import { type SettledRow, type Settlement, settledColumns, settleJob } from "./settle.ts";
import { deleteSnapshots, readSnapshots, type SegmentHooks, snapshotValues } from "./snapshot-rows.ts";
import type { StoreParts } from "./store-options.ts";

export interface PostgresLedger extends HeldLedger, SnapshotRecord {
	/** To be called once, before the first append. */
	use(hooks: SegmentHooks): void;
	/** The answer to the question that the run asks, if one was posted: it is not delivered with the other posts. Call it before them. */
	takeAnswer(): Promise<TakenAnswer | undefined>;
	/**
	 * Settles the job of the finished segment, and releases the run if it is still held. `again`: any host may continue it. `failed`: the
	 * attempt counts, unless the run has reached another visit. Retried until the database confirms.
	 */
	settle(how: Settlement): Promise<void>;
	/** What the row said when the run was taken: the fence under which the holder before wrote, and what it left. */
	readonly earlier: Pick<
		RunRow,
		"fence" | "head" | "head_parent" | "folder" | "conversations" | "suspect" | "aborting"
	>;
	saveConversations(commit: string): Promise<void>;
	readonly trees: string;
	readonly base: string | null;
}

export interface LeasedRunOptions extends StoreParts {
	readonly host: Host;
	readonly row: RunRow;
	readonly run: Run;
	readonly fence: number;
	/** The job that this segment is; absent: the run was opened directly. */
	readonly job: JobAttempt | undefined;
}

/** Events after which the stored state is renewed: what has to be folded to read a run. */
const maxUnfolded = 200;

interface Addition {
	readonly events: readonly LedgerEvent[];
	readonly next: Run;
	readonly durability: "durable" | "soon";
	readonly head: SnapshotName | undefined;
	readonly staged: readonly RecordedSnapshot[];
}

const isHeld = "id = $1 AND holder = $2 AND fence = $3";
const appendText = "SELECT chronicle.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS done";

const gone = storeFailure("fenced", "The run's lease has been released.", "Open it again.");

export class LeasedRun implements PostgresLedger {
	readonly run: Run;
	readonly repairs: readonly string[] = [];
	readonly place: string;
	readonly folder: string;
	readonly fence: number;
	readonly earlier: PostgresLedger["earlier"];
	readonly trees: string;
	readonly base: string | null;
	readonly #parts: LeasedRunOptions;
	#now: Run;
	/** The snapshot that holds its files; undefined: the one of the holder before. */
	#head: SnapshotName | undefined;
	/** The last event in the stored state, as far as this host knows. */
	#savedSeq = 0;
	/** Of the last statement that found the run held by this host. */
	#proof = noProof;
	/** Appended after the last event that is surely on the database's disk. */
	#volatile: readonly LedgerEvent[] = [];
	/** By event: what it tells the user. */
	readonly #told = new Map<number, NoticeKey["kind"]>();
	#released = false;
	#queue: Promise<unknown> = Promise.resolve();
	#hooks: SegmentHooks | undefined;
	#posts: Promise<Posts> | undefined;
	/** The post that `takeAnswer` has taken. */
	#answered: string | undefined;

	constructor(parts: LeasedRunOptions) {
		this.#parts = parts;
		this.run = parts.run;
		this.#now = parts.run;
		this.fence = parts.fence;
		this.place = `the events of run ${parts.run.id} in the database ${parts.database.name}`;
		this.folder = parts.folderOf(parts.run.id);
		this.earlier = parts.row;
		this.trees = parts.row.trees;
		this.base = parts.row.base;
	}

	/** Under which this host holds the run: the values of {@link isHeld}. */
	get #lease(): readonly [id: string, host: string, fence: number] {
		return [this.run.id, this.#parts.host.id, this.fence];
	}

	use(hooks: SegmentHooks): void {
		this.#hooks = hooks;
	}

	get holder(): HeldLedger["holder"] {
		const { host } = this.#parts;
		const self = { host: host.id, pid: process.pid, started: "", fence: this.fence, alive: "yes" } as const;
		return this.#released ? undefined : self;
	}

	events(after = 0): AsyncIterable<LedgerEvent> {
		return readEventRows(this.#parts.database, this.run.id, after);
	}

	async holdsLease(): Promise<boolean> {
		const { database, host } = this.#parts;
		if (this.#released || performance.now() - host.provedAt() > host.leaseMs) return false;
		// Nobody else can have taken the run in the meantime: the host's own lease has not expired.
		if (this.#proof.isFresh()) return true;
		const asked = proofNow();
		try {
			const text = `SELECT FROM chronicle.run WHERE ${isHeld}`;
			const held = await throughOutage(host.leaseMs / 2, () => database.query(text, this.#lease));
			if (held.count !== 1 || performance.now() - host.provedAt() > host.leaseMs) return false;
			this.#proof = asked;
			return true;
		} catch {
			// What cannot be seen must not be acted on.
			return false;
		}
	}

	async leaseLoss(): Promise<StoreFailure> {
		return this.#released ? gone.failure : this.#explainLoss();
	}

	async #explainLoss(): Promise<StoreFailure> {
		const { database, host } = this.#parts;
		const isLate = performance.now() - host.provedAt() > host.leaseMs;
		const message = isLate
			? "This host could not renew its lease in time, so others may continue the run."
			: "Another host has taken over the run.";
		const fenced = storeFailure("fenced", message, "Continue there: engine status shows it.").failure;
		return database.query("SELECT FROM chronicle.run WHERE id = $1", [this.run.id]).then(
			() => fenced,
			(error: unknown) => databaseFailure(error, database),
		);
	}

	append(
		bodies: readonly EventBody[],
		durability: "durable" | "soon",
	): Promise<Result<readonly LedgerEvent[], StoreFailure>> {
		return this.#enqueue(async () => {
			if (this.#released) return gone;
			const { database } = this.#parts;
			const { events, next } = this.#stamp(bodies);
			const refused = await this.#hooks?.beforeAppend(bodies, next);
			if (refused) return { ok: false, failure: refused };
			const { head, staged } = this.#hooks?.files() ?? { head: undefined, staged: [] };
			// What a crash of the database may lose is written again without snapshots.
			const sure = staged.length > 0 ? "durable" : durability;
			try {
				if (!(await this.#write({ events, next, durability: sure, head, staged })))
					return { ok: false, failure: await this.#explainLoss() };
			} catch (error) {
				return { ok: false, failure: databaseFailure(error, database) };
			}
			this.#now = next;
			this.#head = head;
			this.#hooks?.afterAppend(events, next, staged);
			return { ok: true, value: events };
		});
	}

	/** The events that follow, and the run after them. */
	#stamp(bodies: readonly EventBody[]): Pick<Addition, "events" | "next"> {
		const { clock, redact } = this.#parts;
		const at = new Date(clock.now()).toISOString();
		let next = this.#now;
		const events = bodies.map((body) => {
			const event = stampEvent(redactEvent(body, redact), { seq: next.seq + 1, at, fence: this.fence });
			const before = next;
			next = foldEvent(before, event);
			const kind = noticeKind(next, event, before);
			if (kind !== undefined) this.#told.set(event.seq, kind);
			return event;
		});
		return { events, next };
	}

	/** Records changes of what hinders the run after its supervision has ended; does nothing where the lease is lost. */
	async #recordConditions(how: Settlement): Promise<void> {
		const given =
			how.kind !== "parked" && how.hindered
				? [{ kind: "condition_changed", condition: "host", ...how.hindered } as const]
				: [];
		const bodies = [...(this.#hooks?.conditions() ?? []), ...given];
		if (bodies.length === 0) return;
		const { events, next } = this.#stamp(bodies);
		if (!(await this.#write({ events, next, durability: "durable", head: this.#head, staged: [] }))) return;
		this.#now = next;
		this.#hooks?.afterAppend(events, next, []);
	}

	/** `false`: the lease is lost, and nothing was written. */
	async #write(addition: Addition): Promise<boolean> {
		const { events, next, durability } = addition;
		let tries = 0;
		const written = await throughOutage(outageMs, async () => {
			tries += 1;
			if (await this.#insert(this.#now.seq, addition)) return true;
			if (tries > 1 && (await this.#isWritten(next.seq, JSON.stringify(events.at(-1))))) return true;
			return (await this.#recover()) && this.#insert(this.#now.seq, addition);
		});
		this.#volatile = durability === "durable" ? [] : [...this.#volatile, ...events];
		return written;
	}

	/** Adds events after event `seq`; `false`: that is not the last one, or the lease is lost. */
	async #insert(seq: number, { events, next, durability, head, staged }: Addition): Promise<boolean> {
		const { database } = this.#parts;
		const asked = proofNow();
		const { rows } = await database.query<{ done: boolean }>(appendText, [
			...[...this.#lease, durability === "soon", seq, head?.tree ?? null, head?.parent ?? null],
			...[this.#foldedText(next, events), events.map((event) => JSON.stringify(event))],
			...(staged.length > 0 ? snapshotValues(staged) : [null, null]),
		]);
		if (rows[0]?.done !== true) return false;
		this.#proof = asked;
		return true;
	}

	/** The columns that follow from the events, and the notices of these. */
	#foldedText(next: Run, events: readonly LedgerEvent[]): string {
		const notices = events.flatMap(({ seq }) => {
			const kind = this.#told.get(seq);
			return kind === undefined ? [] : [{ seq, kind }];
		});
		return JSON.stringify({ ...foldedValues(next), ...(notices.length > 0 ? { notices } : {}) });
	}

	/** Writes again what a crash of the database has lost; `false`: nothing, or the lease is lost. */
	async #recover(): Promise<boolean> {
		const { database } = this.#parts;
		const { rows } = await database.query<{ seq: number }>(
			`SELECT seq FROM chronicle.run WHERE ${isHeld}`,
			this.#lease,
		);
		const last = rows[0]?.seq ?? this.#now.seq;
		const lost = this.#volatile.filter(({ seq }) => seq > last);
		if (lost.length === 0 || lost.length !== this.#now.seq - last) return false;
		return this.#insert(last, {
			...{ events: lost, next: this.#now, durability: "durable", head: this.#head, staged: [] },
		});
	}

	/** Whether the statement before an outage was carried out although its result was lost. */
	async #isWritten(seq: number, text: string | undefined): Promise<boolean> {
		const written = "SELECT body FROM chronicle.event WHERE run = $1 AND seq = $4 AND chronicle.holds($1, $2, $3)";
		const { rows } = await this.#parts.database.query<{ body: string }>(written, [...this.#lease, seq]);
		return rows[0]?.body === text;
	}

	checkpoint(now: Run, when: "now" | "if due" = "now"): Promise<Result<void, StoreFailure>> {
		return this.#enqueue(async () => {
			if (this.#released) return gone;
			if (now.seq !== this.#now.seq)
				return storeFailure("io", "The checkpoint is not at the end of the log.", "Fold the appended events first.");
			if (now.seq === this.#savedSeq || (when === "if due" && now.seq - this.#savedSeq < maxUnfolded))
				return { ok: true, value: undefined };
			const { database } = this.#parts;
			try {
				const save = async (): Promise<boolean> => {
					const { rows } = await database.query<{ done: boolean }>(
						"SELECT chronicle.save_state($1, $2, $3, $4, $5) AS done",
						[...this.#lease, now.seq, storedText(now)],
					);
					return rows[0]?.done === true;
				};
				const saved = await throughOutage(outageMs, async () => (await save()) || ((await this.#recover()) && save()));
				if (!saved) return { ok: false, failure: await this.#explainLoss() };
				this.#savedSeq = now.seq;
				this.#volatile = [];
				return { ok: true, value: undefined };
			} catch (error) {
				return { ok: false, failure: databaseFailure(error, database) };
			}
		});
	}

	recordedSnapshots(): Promise<readonly StoredSnapshot[]> {
		return readSnapshots(this.#parts.database, this.run.id);
	}

	deleteSnapshots(seq: number): Promise<void> {
		const { database } = this.#parts;
		return throughOutage(outageMs, () => deleteSnapshots(database, this.run.id, seq));
	}

	async saveConversations(commit: string): Promise<void> {
		const text = `UPDATE chronicle.run SET conversations = $4 WHERE ${isHeld}`;
		await throughOutage(outageMs, () => this.#parts.database.query(text, [...this.#lease, commit]));
	}

	async takeAnswer(): Promise<TakenAnswer | undefined> {
		const { stage, id } = this.run;
		const asked = stage.kind === "asking" || stage.kind === "stopping" ? awaitedAnswer(this.run) : undefined;
		const { database } = this.#parts;
		const found = asked === undefined ? undefined : await findAnswer(database, id, asked);
		if (!found) return undefined;
		this.#answered = found.id;
		// The first report holds: the end of the run's segment must not overtake that the answer was recorded.
		let settled: Promise<void> | undefined;
		return { event: found.event, settle: (refused) => (settled ??= settlePost(database, found.id, refused)) };
	}

	async onPosted(listener: PostListener): Promise<void> {
		this.#posts ??= openPosts(this.#parts, this.run.id, listener, this.#answered);
		await (await this.#posts).emptied;
	}

	async releaseLease(): Promise<void> {
		if (this.#released) return;
		await (await this.#posts)?.close();
		await this.#enqueue(async () => {
			this.#released = true;
			const { database, job } = this.#parts;
			// The run stays held until its job is settled: a host that died in between would leave it to nobody.
			if (job) return;
			await throughOutage(outageMs, () => database.transaction((tx) => this.#giveBack(tx, undefined))).catch(() => {});
		});
	}

	async settle(how: Settlement): Promise<void> {
		await this.releaseLease();
		const { database } = this.#parts;
		await this.#recordConditions(how).catch(() => {});
		await throughOutage(Number.POSITIVE_INFINITY, () => database.transaction((tx) => this.#giveBack(tx, how)));
	}

	/** Gives the run back and, with `how`, settles its job. A post that came meanwhile gets a new job. */
	async #giveBack(tx: Sql, how: Settlement | undefined): Promise<void> {
		const { database, host, job, clock } = this.#parts;
		const { id, parent } = this.run;
		if (parent) await lockRun(tx, parent.run);
		await lockRun(tx, id);
		const { rows } = await tx.query<SettledRow>(
			`SELECT ${settledColumns} FROM chronicle.run r WHERE id = $1 AND (holder = $2 OR holder IS NULL) AND fence = $3`,
			[id, host.id, this.fence],
		);
		const [row] = rows;
		if (!row) return;
		if (how !== undefined && job !== undefined && row.job === job.id)
			await settleJob(database, tx, { ...row, attempt: job }, how);
		else if (row.waiting) await ensureJob(database, tx, row);
		// One that did not take its host with it is no suspect.
		await tx.query("UPDATE chronicle.run SET holder = NULL, suspect = NULL WHERE id = $1", [id]);
		if (parent) {
			await signalParent(database, tx, { id, parent: parent.run, at: clock.now() });
			await notify(tx, `child ${parent.run}`);
		}
		await tx.query(
			"DELETE FROM chronicle.inbox WHERE run = $1 AND state <> 'waiting' AND done_at < now() - interval '1 hour'",
			[id],
		);
	}

	/** Writes run one after another, in the order of the calls. */
	#enqueue<T>(write: () => Promise<T>): Promise<T> {
		const done = this.#queue.then(write);
		this.#queue = done.catch(() => {});
		return done;
	}
}
