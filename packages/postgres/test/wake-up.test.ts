// No command is lost: whatever a host does with a run while a command is posted, afterwards somebody has the run or is to take it.

import { globSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { awaitedAnswer, type UserEvent } from "@pi-chronicle/core/machine";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { baseline, created, id, tell, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { dropChildren, withdrawJob } from "../src/child-rows.ts";
import type { PostgresLedger } from "../src/held.ts";
import type { Database } from "../src/index.ts";
import { deadQueue, type JobAttempt } from "../src/jobs.ts";
import { parkDeadRuns } from "../src/park.ts";
import { addPost } from "../src/posts.ts";
import { handOver, postpone, reapRuns, returnRun, wakeRun, wakeRuns } from "../src/settle.ts";
import { openEngine, queue, storeOf } from "./open-engine.ts";

const told: UserEvent = { kind: "told", text: "hello" };

it("locks a run in a statement of its own: what it reads meanwhile is from before the lock", () => {
	const statements = globSync("packages/postgres/src/*.ts").flatMap((path) =>
		[...readFileSync(path, "utf8").matchAll(/[^`"]* WHERE [^`"]*FOR (?:UPDATE|SHARE|NO KEY UPDATE)[^`"]*/g)].map(
			([text]) => text,
		),
	);
	expect(statements.map((text) => text.replace(/ WHERE.*/s, ""))).toEqual([
		"SELECT FROM chronicle.run",
		"SELECT FROM chronicle.schedule",
	]);
});

describe("a command that is posted", needsPostgres, () => {
	let database: Database;
	const store = () => storeOf(database, "submitted");
	/** Fetches the job of the run, without taking the run. */
	const fetch = async (): Promise<JobAttempt> => {
		const [job] = await (await database.boss()).fetch<{ run: string }>(queue);
		if (!job) throw new Error("No job is queued.");
		return { id: job.id, queue, retryCount: job.retryCount };
	};
	const take = async (): Promise<PostgresLedger> => {
		const attempt = await fetch();
		return value(await database.transaction((tx) => store().claim(tx, id, attempt)));
	};
	/** Puts a run that waits for its user's approval in place of the other; resolves to `seq` of its question. */
	const ask = async (): Promise<number | undefined> => {
		await database.query("DELETE FROM chronicle.run");
		await (await database.boss()).deleteAllJobs();
		const entry = { states: { a: { persona: "A", requires_approval: "entry", next: ["done"] } } };
		value(await store().create(created({ definition: entry })));
		await wakeRuns(database);
		const ledger = await take();
		const asking = await tell(ledger, ledger.run, baseline);
		await ledger.settle({ kind: "parked" });
		return awaitedAnswer(asking);
	};
	/** Whether the run is held, or has a job that a host can fetch. */
	const isAwake = async (): Promise<boolean> => {
		const { rows } = await database.query<{ awake: boolean }>(
			`SELECT (r.holder IS NOT NULL OR j.state IN ('created', 'retry')) AS awake
			FROM chronicle.run r LEFT JOIN chronicle_jobs.job j ON j.id = r.job WHERE r.id = $1`,
			[id],
		);
		return rows[0]?.awake === true;
	};
	/** Starts `work` while a transaction has posted a command and not committed yet. */
	const whilePosting = async (work: () => Promise<unknown>): Promise<void> => {
		let working: Promise<unknown> = Promise.resolve();
		await database.transaction(async (tx) => {
			await addPost(database, { run: id, body: JSON.stringify(told), at: Date.now(), refused: undefined }, tx);
			let isDone = false;
			working = work().finally(() => (isDone = true));
			const waiting = "SELECT FROM pg_catalog.pg_stat_activity WHERE wait_event_type = 'Lock'";
			for (const until = Date.now() + patient(5000); !isDone && Date.now() < until; await sleep(5))
				if ((await database.query(waiting)).count > 0) break;
		});
		await working;
	};

	beforeAll(async () => {
		({ database } = await openEngine());
	});
	beforeEach(async () => {
		await database.query("DELETE FROM chronicle.run");
		await (await database.boss()).deleteAllJobs();
		value(await store().create(created()));
		expect(await wakeRun(database, id)).toBe(true);
	});

	it.each<[string, () => Promise<() => Promise<unknown>>]>([
		[
			"the run parks",
			async () => {
				const ledger = await take();
				return () => ledger.settle({ kind: "parked" });
			},
		],
		[
			"the run is given back",
			async () => {
				const ledger = await take();
				return () => ledger.settle({ kind: "again" });
			},
		],
		[
			"the attempt has failed",
			async () => {
				const ledger = await take();
				return () => ledger.settle({ kind: "failed", reason: "x" });
			},
		],
		[
			"a run that was opened without its job is released, as after it was given up",
			async () => {
				await (await database.boss()).cancel(queue, (await fetch()).id);
				const ledger = value(await store().open(id));
				return () => ledger.releaseLease();
			},
		],
		[
			"its job is put off",
			async () => {
				const attempt = await fetch();
				return () =>
					database.transaction((tx) => postpone(database, tx, id, attempt, { seconds: 60, why: "Waits for x." }));
			},
		],
		[
			"its job goes to other hosts",
			async () => {
				const attempt = await fetch();
				const need = { labels: [], commandsToo: false };
				return () => database.transaction((tx) => handOver(database, tx, id, attempt, need));
			},
		],
		["its job is withdrawn", async () => () => withdrawJob(database, id)],
		["it is taken from its host", async () => () => dropChildren(database, [id])],
		["a host takes it", async () => take],
		[
			"its host is found dead",
			async () => {
				await take();
				await database.query("DELETE FROM chronicle.host");
				return () => reapRuns(database);
			},
		],
	])("is found although %s", async (what, prepare) => {
		await whilePosting(await prepare());
		// The next host that looks for dead ones also looks for this.
		await reapRuns(database);
		const found = await wakeRuns(database);
		expect(await isAwake()).toBe(true);
		const isTaken = ["its job is withdrawn", "it is taken from its host", "its job is put off"].includes(what);
		expect(found).toEqual(isTaken ? [id] : []);
	});

	it("is found whenever it comes while the run parks", async () => {
		for (let round = 0; round < 20; round += 1) {
			const ledger = await take();
			const posts = [0, 1, 2].map(async (n) => {
				await sleep(((round * 7 + n * 5) % 10) / 2);
				return value(await store().post(id, told));
			});
			await Promise.all([...posts, ledger.settle({ kind: "parked" })]);
			await wakeRuns(database);
			expect(await isAwake(), `round ${round}`).toBe(true);
			await database.query("UPDATE chronicle.inbox SET state = 'taken'");
		}
	});

	it("gets a job from any host where a crash of the database has left it to nobody", async () => {
		const boss = await database.boss();
		for (const gone of ["no job", "a job that is cancelled", "a job that the queue does not know"]) {
			await database.query("DELETE FROM chronicle.inbox");
			value(await store().post(id, told));
			expect(await wakeRuns(database), gone).toEqual([]);
			const { rows } = await database.query<{ job: string }>("SELECT job::text FROM chronicle.run");
			if (gone === "no job") await database.query("UPDATE chronicle.run SET job = NULL");
			else if (gone === "a job that is cancelled") await boss.cancel(queue, rows[0]?.job ?? "");
			else await boss.deleteAllJobs();
			expect(await wakeRuns(database), gone).toEqual([id]);
			expect(await wakeRuns(database), gone).toEqual([]);
			expect(await isAwake(), gone).toBe(true);
		}
	});

	it("is found although its host has lost the answer to its claim, and gives the run back", async () => {
		const held = async () =>
			(await database.query<{ holder: string; fence: number }>("SELECT holder, fence FROM chronicle.run")).rows[0];
		const ledger = await take();
		const { holder = "", fence = 0 } = (await held()) ?? {};
		for (const [host, under] of [
			[holder, fence - 1],
			[holder, fence + 1],
			[id, fence],
		] as const)
			expect(await returnRun(database, host, { id, fence: under }), `${host} ${under}`).toBe(false);
		expect(await held()).toEqual({ holder, fence });
		expect(await returnRun(database, holder, { id, fence })).toBe(true);
		expect(await returnRun(database, holder, { id, fence })).toBe(false);
		expect(await ledger.holdsLease()).toBe(false);
		// The attempt does not count.
		expect(await fetch()).toMatchObject({ retryCount: 0 });

		// One that was opened to be parked, because its job was given up, is left to what has given it up.
		await database.query("UPDATE chronicle_jobs.job SET state = 'failed'");
		const { fence: opened } = value(await store().open(id));
		const { holder: by = "" } = (await held()) ?? {};
		expect(await returnRun(database, by, { id, fence: opened })).toBe(true);
		expect(await isAwake()).toBe(false);
		expect(value(await store().open(id)).fence).toBe(opened + 1);
	});

	it.each(["runs", "asks"])("is refused with the reason if every host fails with its run, which %s", async (how) => {
		const reason = "The set-up failed.";
		const dead = deadQueue("app");
		if (how === "asks") await ask();
		const post = value(await store().post(id, told));
		let attempts = 0;
		for (let round = 0; round < 20 && ((await isAwake()) || (await wakeRuns(database)).length > 0); round += 1) {
			await database.query("UPDATE chronicle_jobs.job SET start_after = now() WHERE name = $1 AND state < 'active'", [
				queue,
			]);
			await (await take()).settle({ kind: "failed", reason });
			attempts += 1;
			// Others look for runs with commands before a host parks this one.
			await wakeRuns(database);
		}
		expect(attempts).toBe(5);
		await parkDeadRuns(database, { store: store(), dead }, () => {});
		const { status, hold } = value(await store().read(id)).run;
		expect(status).toBe(how === "runs" ? "paused" : "awaiting_approval");
		if (how === "runs") expect(hold?.detail).toContain(reason);
		else expect(await post.state()).toMatchObject({ kind: "refused", reason: expect.stringContaining(reason) });
		value(await store().post(id, { kind: "abort_requested", words: "" }));
		await wakeRun(database, id);
		expect(await isAwake()).toBe(true);
	});

	it("that answers is reported once: a later report does not overtake that it was recorded", async () => {
		const answers = (await ask()) ?? 0;
		const post = value(
			await store().post(id, { kind: "approved", answers, diff: "0".repeat(40), words: "", via: "test" }),
		);
		await wakeRun(database, id);
		const taken = await (await take()).takeAnswer();
		const query = database.query.bind(database);
		vi.spyOn(database, "query").mockImplementationOnce(async (...call) => {
			await sleep(200);
			return query(...call);
		});
		await Promise.all([taken?.settle(), taken?.settle("Its segment has ended.")]);
		vi.restoreAllMocks();
		expect(await post.state()).toMatchObject({ kind: "taken" });
	});

	it("gets a run on that was parked for a given-up job, also if that job comes again", async () => {
		const { id: job } = await fetch();
		const dead = deadQueue("app");
		const seq = async () => value(await store().read(id)).run.seq;
		const giveUp = async () => {
			await (await database.boss()).send(dead, { run: id });
			await database.query("UPDATE chronicle_jobs.job SET source_id = $2 WHERE name = $1", [dead, job]);
			await parkDeadRuns(database, { store: store(), dead }, () => {});
		};
		await database.query("UPDATE chronicle_jobs.job SET state = 'failed' WHERE id = $1", [job]);
		await giveUp();
		expect(value(await store().read(id)).run.status).toBe("paused");
		value(await store().post(id, told));
		expect(await wakeRun(database, id)).toBe(true);
		const ledger = await take();
		const { stage } = ledger.run;
		if (stage.kind !== "waiting") throw new Error(`The run is ${stage.kind}.`);
		await tell(ledger, ledger.run, { kind: "resumed", answers: stage.since });
		await ledger.settle({ kind: "again" });
		const resumed = await seq();
		await giveUp();
		expect([await seq(), await isAwake()]).toEqual([resumed, true]);
		const { rows } = await database.query("SELECT state FROM chronicle_jobs.job WHERE name = $1", [dead]);
		expect(rows).toEqual([{ state: "completed" }, { state: "completed" }]);
	});
});
