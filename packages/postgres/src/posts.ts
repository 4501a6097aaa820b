// Commands to a run, as rows: the holder takes them in the order of arrival. A row is marked after it was handled: after a crash it may be handled
// twice, and is never lost. A row whose listener rejects stays. A row that cannot be read is kept and reported. The sender finds the reason of a
// refusal in the row. Of two answers to one question the first to arrive counts, whether or not a host is there, and the second is refused. The login
// that has sent a command is recorded with it.
import { awaitedAnswer, decide, firstAnswer, isRefusal, type Run, type UserEvent } from "@pi-chronicle/core/machine";
import type { Post, PostListener, PostState } from "@pi-chronicle/core/ports";
import { openDeliveryLoop, parsePost, postText } from "pi-chronicle/local";
import { CHANNEL, type Database, type Sql } from "./database.ts";
import { outageMs, throughOutage } from "./database-failure.ts";
import type { Host } from "./host.ts";
import { findRow, loadRow, type RunRow } from "./rows.ts";

export interface Posts {
	/** Resolves once the rows that were there have been delivered. */
	readonly emptied: Promise<void>;
	close(): Promise<void>;
}

interface PostRow {
	readonly id: string;
	readonly at: string;
	readonly body: string;
	readonly by: string;
}

/** Delivers the posts of a run, and those that arrive, until it is closed. */
export async function openPosts(
	{ database, host }: { readonly database: Database; readonly host: Host },
	run: string,
	listener: PostListener,
	/** A row that is not delivered, because its answer was taken before. */
	except?: string,
): Promise<Posts> {
	const loop = openDeliveryLoop(async (isClosed) => {
		for (const row of await waitingRows(database, run)) {
			if (row.id === except) continue;
			if (isClosed()) return;
			await deliver(database, row, listener);
		}
	});
	const unlisten = await database.listen((payload) => {
		if (payload === undefined || payload === `post ${run}`) void loop.look();
	});
	// A notification can get lost with its connection.
	const unwatch = host.onBeat((beat) => {
		if ("posted" in beat && beat.posted.includes(run)) void loop.look();
	});
	return {
		emptied: loop.look(),
		close() {
			unlisten();
			unwatch();
			return loop.close();
		},
	};
}

async function waitingRows(database: Database, run: string): Promise<readonly PostRow[]> {
	const { rows } = await database.query<PostRow>(
		"SELECT id, at, body, posted_by AS by FROM chronicle.inbox WHERE run = $1 AND state = 'waiting' ORDER BY id",
		[run],
	);
	return rows;
}

/** An answer to the question that the run asks, waiting among its posts. */
export interface WaitingAnswer {
	readonly id: string;
	readonly event: UserEvent & { readonly kind: "approved" | "rejected" | "released" };
}

/** An answer that was posted while no host held the run. */
export interface TakenAnswer {
	readonly event: WaitingAnswer["event"];
	/** Reports to the sender that the command was recorded, or why not. */
	settle(refused?: string): Promise<void>;
}

/** The first of the run's posts that answers the question `seq`. */
export async function findAnswer(database: Database, run: string, seq: number): Promise<WaitingAnswer | undefined> {
	for (const { id, body, by } of await waitingRows(database, run)) {
		const read = parsePost(body);
		if (!("event" in read)) continue;
		const { event } = read;
		const answers = event.kind === "approved" || event.kind === "rejected" || event.kind === "released";
		if (answers && event.answers === seq) return { id, event: { ...event, by } };
	}
	return undefined;
}

/** Marks a post as handled, as soon as the database is in reach: it would be delivered again. */
export async function settlePost(database: Database, id: string, refused?: string): Promise<void> {
	const text =
		"UPDATE chronicle.inbox SET state = $2, reason = $3, done_at = now() WHERE id = $1 AND state = 'waiting'";
	const values = [id, refused === undefined ? "taken" : "refused", refused ?? null];
	await throughOutage(outageMs, () => database.query(text, values));
}

/** Refuses every post of a run that waits. */
export async function refusePosts(tx: Sql, run: string, reason: string): Promise<void> {
	await tx.query(
		"UPDATE chronicle.inbox SET state = 'refused', reason = $2, done_at = now() WHERE run = $1 AND state = 'waiting'",
		[run, reason],
	);
}

/** Rejects where the listener could not handle the event: the next holder gets it. */
async function deliver(database: Database, { id, at, body, by }: PostRow, listener: PostListener): Promise<void> {
	const read = parsePost(body);
	if ("why" in read) {
		await database.query("UPDATE chronicle.inbox SET state = 'unread', reason = $2, done_at = now() WHERE id = $1", [
			id,
			read.why,
		]);
		return listener.unread(`row ${id} of chronicle.inbox`, read.why);
	}
	const refused = await listener.event({ ...read.event, by }, Number(at));
	await settlePost(database, id, refused);
}

/** Why an answer is refused: its question was answered before, or the run waits for something else. */
export async function refuseAnswer(sql: Sql, row: RunRow, event: UserEvent, at: number): Promise<string | undefined> {
	if (!("answers" in event)) return undefined;
	const run = await loadRow(sql, row);
	// A run that this version cannot read is judged by the host that can. Adding it finds an answer that still waits.
	if (typeof run === "string" || awaitedAnswer(run) === event.answers) return undefined;
	const first = await answeredBefore(sql, row.id, event.answers);
	if (first !== undefined) return first;
	const judged = decide(run, event, new Date(at).toISOString());
	if (isRefusal(judged)) return judged.message;
	return ["The question has changed. Check the run's status.", firstAnswer(run, event.answers)]
		.filter(Boolean)
		.join(" ");
}

/** That another answer to the same question came first; `undefined`: none did. */
export async function answeredBefore(sql: Sql, run: string, answers: number): Promise<string | undefined> {
	const { rows } = await sql.query<{ body: string; by: string }>(
		"SELECT body, posted_by AS by FROM chronicle.inbox WHERE run = $1 AND answers = $2 AND state IN ('waiting', 'taken')",
		[run, answers],
	);
	const [row] = rows;
	if (!row) return undefined;
	const read = parsePost(row.body);
	const via = "event" in read && "via" in read.event && read.event.via ? ` from ${read.event.via}` : "";
	const how = "event" in read ? ` (${read.event.kind} by ${row.by}${via})` : "";
	return `Another answer came first${how}, so yours was refused. Check the run's status.`;
}

const insertText = `
WITH post AS (
	INSERT INTO chronicle.inbox (run, at, body, state, reason, done_at)
	VALUES ($1, $2, $3, CASE WHEN $4::text IS NULL THEN 'waiting' ELSE 'refused' END, $4, CASE WHEN $4::text IS NULL THEN NULL ELSE now() END)
	ON CONFLICT (run, answers) WHERE state IN ('waiting', 'taken') DO NOTHING RETURNING id
) SELECT id, CASE WHEN $4::text IS NULL THEN pg_notify($5, $6) END FROM post`;

interface NewPost {
	readonly run: string;
	readonly body: string;
	readonly at: number;
	/** Why it is not delivered. */
	readonly refused: string | undefined;
}

/** Adds a post, and notifies the hosts if it is to be delivered; returns the sender's handle. `undefined`: another answer to the same question was added first. */
export async function addPost(
	database: Database,
	{ run, body, at, refused }: NewPost,
	sql: Sql = database,
): Promise<Post | undefined> {
	const { rows } = await sql.query<{ id: string }>(insertText, [
		run,
		at,
		body,
		refused ?? null,
		CHANNEL,
		`post ${run}`,
	]);
	return rows[0] && handleOf(database, rows[0].id);
}

/**
 * The same, repeated while the database is out of reach, for at most `ms` milliseconds: a post whose confirmation was lost is not added
 * twice.
 */
export function addPostOnce(database: Database, post: NewPost, ms: number): Promise<Post | undefined> {
	let isRepeated = false;
	return throughOutage(ms, async () => {
		const added = isRepeated ? await findPost(database, post) : undefined;
		isRepeated = true;
		return added ?? addPost(database, post);
	});
}

/** The handle of the post, if this login has added it. */
async function findPost(database: Database, { run, body, at }: NewPost): Promise<Post | undefined> {
	const text = "SELECT id FROM chronicle.inbox WHERE run = $1 AND at = $2 AND body = $3 AND posted_by = session_user";
	const { rows } = await database.query<{ id: string }>(text, [run, at, body]);
	return rows[0] && handleOf(database, rows[0].id);
}

function handleOf(database: Database, id: string): Post {
	return {
		async state(): Promise<PostState> {
			const found = await database.query<{ state: string; reason: string | null }>(
				"SELECT state, reason FROM chronicle.inbox WHERE id = $1",
				[id],
			);
			const { state = "taken", reason } = found.rows[0] ?? {};
			if (state === "waiting") return { kind: "waiting" };
			return state === "refused" ? { kind: "refused", reason: reason ?? "" } : { kind: "taken" };
		},
		async withdraw() {
			const gone = await database.query("DELETE FROM chronicle.inbox WHERE id = $1 AND state = 'waiting'", [id]);
			return gone.count === 1;
		},
	};
}

/** The handle of a post that was refused at once. */
export function refusedPost(reason: string): Post {
	return { state: async () => ({ kind: "refused", reason }), withdraw: async () => false };
}

/** Whether the run has recorded that the child `id` waits, and would follow it again. */
function countsAsWaiting({ children, stage, hold }: Run, id: string): boolean {
	const child = children?.children.find((one) => one.id === id);
	if (child?.status !== "parked") return false;
	return stage.kind === "children" || (stage.kind === "waiting" && hold?.cause === "children");
}

/**
 * Signals the parent of a child that a host gives back, if the parent believes that the child waits for the user: the user has answered it since then, and may
 * have been cut off before the parent was signaled. In the transaction that gives the child back; the row of the parent was locked before that of
 * the child.
 */
export async function signalParent(
	database: Database,
	tx: Sql,
	{ id, parent, at }: { readonly id: string; readonly parent: string; readonly at: number },
): Promise<void> {
	const row = await findRow(tx, parent);
	const run = row && (await loadRow(tx, row));
	const body = postText({ kind: "child_signaled", child: id });
	if (!row || !run || typeof run === "string" || body === undefined || !countsAsWaiting(run, id)) return;
	await addPost(database, { run: parent, body, at, refused: undefined }, tx);
}
