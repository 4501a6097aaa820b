// Notices of an engine's runs. A notice is a row for each channel that the hosts of the project have, recorded in the statement of the event that it
// is about. One host at a time has it; what a lost host may have started as a command is not started again, anything else is sent again under the
// same key. Channels do not wait for each other. Without channels there is no row, no statement and no timer.
import { errorMessage } from "@pi-chronicle/core/definition";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { type Channel, type Delivery, deliveryKey, type NoticeKey } from "pi-chronicle/local";
import { type Database, storable } from "./database.ts";
import type { Host } from "./host.ts";
import type { HostLog } from "./log.ts";
import type { PostgresStore } from "./store.ts";

/** An attempt to send a notice. */
export interface NoticeOrder {
	readonly project: string;
	readonly ledger: ReadLedger;
	readonly key: NoticeKey;
	readonly channel: Channel;
	/** Number of the attempt, from 1. */
	readonly attempt: number;
	/** When the first attempt was made, in ms since the epoch. */
	readonly first: number;
	/** Called before a command is started; `false`: it must not be. */
	starts(): Promise<boolean>;
}

export type NoticeEnd = Pick<Delivery, "answer" | "next"> & { readonly state: Delivery["state"] };

/** How this host sends notices. */
export interface NoticeSending {
	readonly channels: readonly Channel[];
	/** `undefined`: the attempt is another's now. */
	send(order: NoticeOrder): Promise<NoticeEnd | undefined>;
}

export interface NoticesOptions {
	readonly database: Database;
	readonly host: Host;
	readonly sending: NoticeSending;
	/** The stores of the projects of this host, by their names. */
	readonly stores: ReadonlyMap<string, Pick<PostgresStore, "read">>;
	readonly report: HostLog;
}

/** Seconds for which an attempt is its host's alone: longer than any receiver may take. */
const claimSeconds = 60;
/** Milliseconds between two looks at most, for notifications that were lost. */
const maxRestMs = 600_000;

/** A notice that this host has. */
interface Claimed extends NoticeKey {
	readonly run: string;
	readonly channel: string;
	readonly project: string;
	readonly tries: number;
	readonly before: "due" | "claimed" | "started";
	readonly first: number;
}

const key = "run = $1 AND seq = $2 AND kind = $3 AND channel = $4";
const claimText = `
UPDATE chronicle.notice n SET state = 'claimed', host = $3, tries = n.tries + 1, at = now(), first = COALESCE(n.first, now()),
	due_at = now() + interval '${claimSeconds} seconds'
FROM (SELECT d.run, d.seq, d.kind, d.channel, d.state AS before, r.project FROM chronicle.notice d JOIN chronicle.run r ON r.id = d.run
	WHERE d.channel = $1 AND r.project = ANY($2) AND d.state IN ('due', 'claimed', 'started') AND d.due_at <= now()
	ORDER BY d.due_at, d.run, d.seq LIMIT 1 FOR UPDATE OF d SKIP LOCKED) d
WHERE n.run = d.run AND n.seq = d.seq AND n.kind = d.kind AND n.channel = d.channel
RETURNING n.run::text, n.seq, n.kind, n.channel, n.tries, d.before, d.project, extract(epoch FROM n.first)::float8 * 1000 AS first`;

export class Notices {
	readonly #options: NoticesOptions;
	/** By channel: what sends its notices, while there are some. */
	readonly #busy = new Map<string, Promise<void>>();
	readonly #again = new Set<string>();
	#timer: NodeJS.Timeout | undefined;
	#closed = false;

	constructor(options: NoticesOptions) {
		this.#options = options;
	}

	/** Says which channels there are: from now on, events of the projects are told on them. */
	async register(): Promise<void> {
		const { database, sending, stores } = this.#options;
		for (const { id, name, kinds } of sending.channels)
			await database.query(
				`INSERT INTO chronicle.channel (project, id, name, kinds) SELECT project, $2, $3, $4 FROM unnest($1::text[]) AS given (project)
				ON CONFLICT (project, id) DO UPDATE SET name = EXCLUDED.name, kinds = EXCLUDED.kinds, seen_at = now()`,
				[[...stores.keys()], id, name, [...kinds]],
			);
	}

	/** Sends what is due. Never rejects; waits for nothing. */
	look(): void {
		if (this.#closed) return;
		for (const channel of this.#options.sending.channels) {
			this.#again.add(channel.id);
			if (this.#busy.has(channel.id)) continue;
			const done = this.#sendAll(channel)
				.catch((error: unknown) => this.#report(channel, errorMessage(error)))
				.finally(() => {
					this.#busy.delete(channel.id);
					void this.#rest();
				});
			this.#busy.set(channel.id, done);
		}
	}

	/** Waits for the attempts that have begun. */
	async close(): Promise<void> {
		this.#closed = true;
		await Promise.all(this.#busy.values());
		clearTimeout(this.#timer);
	}

	async #sendAll(channel: Channel): Promise<void> {
		while (!this.#closed) {
			const claimed = await this.#claim(channel);
			if (claimed) await this.#deliver(channel, claimed);
			else if (!this.#again.delete(channel.id)) return;
		}
	}

	async #claim({ id }: Channel): Promise<Claimed | undefined> {
		const { database, host, stores } = this.#options;
		const { rows } = await database.query<Claimed>(claimText, [id, [...stores.keys()], host.id]);
		return rows[0];
	}

	async #deliver(channel: Channel, claimed: Claimed): Promise<void> {
		const { stores, sending } = this.#options;
		const { run, seq, kind, project, tries, before, first } = claimed;
		if (before === "started")
			return this.#settle(claimed, { state: "sent", answer: "started by a host that is lost; its end is unknown" });
		const read = await stores.get(project)?.read(run);
		// Its run was removed, or the database is away: it is free again after a while.
		if (!read?.ok) return;
		const order = { project, ledger: read.value, key: { kind, seq }, channel, attempt: tries, first };
		const end = await sending.send({ ...order, starts: () => this.#start(claimed) });
		if (!end) return;
		await this.#settle(claimed, end);
		const text = `${kind} (event ${seq}): ${end.answer}`;
		if (end.state === "failed" || end.state === "retry") this.#report(channel, text, { project, run });
	}

	/** Records that a command is about to be started; `false`: another host has the notice now. */
	async #start(claimed: Claimed): Promise<boolean> {
		const text = `UPDATE chronicle.notice SET state = 'started' WHERE ${key} AND host = $5 AND tries = $6 AND state = 'claimed'`;
		return (await this.#options.database.query(text, this.#values(claimed))).count === 1;
	}

	async #settle(claimed: Claimed, { state, answer, next }: NoticeEnd): Promise<void> {
		await this.#options.database.query(
			`UPDATE chronicle.notice SET state = $7, answer = $8, at = now(), due_at = to_timestamp($9::float8 / 1000)
			WHERE ${key} AND host = $5 AND tries = $6 AND state IN ('claimed', 'started')`,
			[...this.#values(claimed), state === "retry" ? "due" : state, storable(answer), next ?? Date.now()],
		);
	}

	#values({ run, seq, kind, channel, tries }: Claimed): readonly unknown[] {
		return [run, seq, kind, channel, this.#options.host.id, tries];
	}

	/** Until the next is due. */
	async #rest(): Promise<void> {
		const { database, sending } = this.#options;
		const { rows } = await database
			.query<{ ms: number | null }>(
				`SELECT extract(epoch FROM min(due_at) - now())::float8 * 1000 AS ms FROM chronicle.notice
				WHERE state IN ('due', 'claimed', 'started') AND channel = ANY($1)`,
				[sending.channels.map(({ id }) => id)],
			)
			.catch(() => ({ rows: [{ ms: null }] }));
		if (this.#closed) return;
		clearTimeout(this.#timer);
		const ms = Math.max(100, Math.min(rows[0]?.ms ?? maxRestMs, maxRestMs));
		this.#timer = setTimeout(() => this.look(), ms);
	}

	#report({ name }: Channel, text: string, about: { readonly project?: string; readonly run?: string } = {}): void {
		this.#options.report(`Notice not delivered by ${name}: ${text}`, { level: "warn", ...about });
	}
}

/** Forgets the channels that no host has had for a day; what was to be sent on them has failed. */
export async function forgetChannels(database: Database): Promise<void> {
	await database.query(`WITH gone AS (DELETE FROM chronicle.channel WHERE seen_at < now() - interval '1 day' RETURNING project, id)
		UPDATE chronicle.notice n SET state = 'failed', answer = 'no host has this channel', at = now() FROM gone, chronicle.run r
		WHERE n.channel = gone.id AND r.id = n.run AND r.project = gone.project AND n.state IN ('due', 'claimed', 'started')`);
}

/** The notices of a run that have not arrived, by {@link deliveryKey}. */
export async function readUndelivered(database: Database, run: string): Promise<ReadonlyMap<string, Delivery>> {
	const { rows } = await database.query<
		NoticeKey & Omit<Delivery, "next"> & { readonly channel: string; readonly next: number }
	>(
		`SELECT seq, kind, channel, name, tries, COALESCE(NULLIF(answer, ''), 'no host that is up has this channel') AS answer, CASE state WHEN 'failed' THEN 'failed' ELSE 'retry' END AS state,
			to_json(COALESCE(first, at)) #>> '{}' AS first, to_json(at) #>> '{}' AS at, extract(epoch FROM due_at)::float8 * 1000 AS next
		FROM chronicle.notice WHERE run = $1 AND (state = 'failed' OR state = 'due' AND (answer <> '' OR due_at < now() - interval '1 minute'))
		ORDER BY seq`,
		[run],
	);
	return new Map(rows.map(({ seq, kind, channel, ...delivery }) => [deliveryKey({ seq, kind }, channel), delivery]));
}
