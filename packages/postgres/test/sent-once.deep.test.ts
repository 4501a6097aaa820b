// What is sent is recorded once, or not at all and the sender is told so: the connection to the database is lost at each statement of the sender,
// before the statement is done or after it.
import { randomUUID } from "node:crypto";
import type { UserEvent } from "@pi-chronicle/core/machine";
import { beforeAll, describe, expect, it } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { type Cluster, needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { baseline, created, tell, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { addSchedule, type Database, openHost } from "../src/index.ts";
import { connect } from "./connect.ts";
import { openEngine, queue, storeOf } from "./open-engine.ts";
import { openStatementCutter } from "./statement-cutter.ts";

const definition = { states: { a: { persona: "A", requires_approval: "entry", next: ["done"] } } };

const storeOn = (database: Database, kind: "held" | "submitted" = "submitted") =>
	storeOf(database, kind, { host: openHost(database, { leaseMs: 3_600_000 }) });

interface Sent {
	/** Whether the sender was told that it is recorded. */
	readonly isTold: boolean;
	/** How often it is. */
	readonly count: number;
}

/** Sends something new through `lossy`, and looks through `database`. */
type Send = (lossy: Database, database: Database) => Promise<Sent>;

const post =
	(event: (question: { seq: number; diff: string }) => UserEvent): Send =>
	async (lossy, database) => {
		const ledger = value(await storeOn(database, "held").create(created({ id: randomUUID(), definition })));
		const { id } = ledger.run;
		const { stage } = await tell(ledger, ledger.run, baseline);
		if (stage.kind !== "asking") throw new Error(`The run is ${stage.kind}.`);
		const posted = await storeOn(lossy).post(id, event(stage.question));
		const isTold = posted.ok && (await posted.value.state().catch(() => ({ kind: "waiting" }))).kind === "waiting";
		const { count } = await database.query("SELECT FROM chronicle.inbox WHERE run = $1 AND state = 'waiting'", [id]);
		return { isTold, count };
	};

const sends: Readonly<Record<string, Send>> = {
	"a run": async (lossy, database) => {
		const id = randomUUID();
		const { ok } = await storeOn(lossy).create(created({ id, definition }));
		const rows = await database.query("SELECT FROM chronicle.run JOIN chronicle.event ON run = id WHERE id = $1", [id]);
		return { isTold: ok, count: rows.count };
	},
	"a message": post(() => ({ kind: "told", text: "hello" })),
	"an approval": post(({ seq, diff }) => ({ kind: "approved", answers: seq, diff })),
	"a rejection": post(({ seq }) => ({ kind: "rejected", answers: seq, words: "no" })),
	"a schedule": async (lossy, database) => {
		const folder = randomUUID();
		const { id: _id, ...start } = created();
		const usual = { project: "app", queue, priority: 0, zone: "UTC", overlap: false, start, cron: "0 3 * * *" };
		const isTold = await addSchedule(lossy, { ...usual, folder }).then(
			({ ok }) => ok,
			() => false,
		);
		const text = `SELECT FROM chronicle.schedule s JOIN chronicle_jobs.schedule j ON j.key = s.id::text WHERE folder = $1`;
		return { isTold, count: (await database.query(text, [folder])).count };
	},
};

describe.each(["before", "after"] as const)("a connection that is lost %s a statement", needsPostgres, (when) => {
	let cluster: Cluster;
	let database: Database;
	beforeAll(async () => {
		({ cluster, database } = await openEngine());
	});

	it.each(Object.entries(sends))("leaves %s once, or not at all", { timeout: patient(60_000) }, async (_, send) => {
		let lost = 0;
		const cutter = await openStatementCutter(cluster.url, when, (n) => n === lost);
		const lossy = await connect(cutter.url);
		await lossy.boss();
		for (lost = 1; lost === 1 || cutter.lost.length > 0; lost += 1) {
			cutter.arm();
			const { isTold, count } = await send(lossy, database);
			cutter.disarm();
			expect(count, `${lost}: ${cutter.lost}`).toBe(isTold ? 1 : 0);
		}
		expect(lost).toBeGreaterThan(4);
	});
});
