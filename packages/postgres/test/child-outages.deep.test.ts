// The database gets lost at each statement by which a host begins, commands and takes back a child of a run that it holds.
import { randomUUID } from "node:crypto";
import { needsChild, type Run } from "@pi-chronicle/core/machine";
import { beforeAll, describe, expect, it } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { baseline, created, tell, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import type { Sql } from "../src/database.ts";
import { type Database, openHost } from "../src/index.ts";
import { RemoteChildren } from "../src/remote-children.ts";
import { openEngine, storeOf } from "./open-engine.ts";

const side = { persona: "B", next: ["done"] };
const definition = { name: "T", states: { a: { branches: { one: side }, next: ["done"] } } };

type When = "before" | "after";

/** Counts statements and transactions, and loses the connection at those that `isLost` says, before or after they are done. */
function withOutages(database: Database, when: When, isLost: (n: number) => boolean) {
	let count = 0;
	const guard = async <T>(work: () => Promise<T>): Promise<T> => {
		count += 1;
		const lost = isLost(count);
		const done = lost && when === "before" ? undefined : await work();
		if (lost) throw Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });
		return done as T;
	};
	const guarded = (sql: Sql): Sql => ({
		query: (text, values) => guard(() => sql.query(text, values)),
		executeSql: (text, values) => guard(() => sql.executeSql(text, values)),
	});
	const lossy: Database = {
		...guarded(database),
		name: database.name,
		shell: database.shell,
		failedStatements: 0,
		queryWithin: (ms, text, values) => database.queryWithin(ms, text, values),
		boss: () => database.boss(),
		startCron: () => database.startCron(),
		installJobs: () => database.installJobs(),
		transaction: (work) => guard(() => database.transaction((tx) => work(guarded(tx)))),
		listen: (listener) => database.listen(listener),
		close: () => database.close(),
	};
	return { lossy, count: () => count };
}

describe("an outage of the database while a child is begun and commanded", needsPostgres, () => {
	let database: Database;
	beforeAll(async () => {
		({ database } = await openEngine());
	});

	/** A held run with a planned child, whose host loses the database as `isLost` says. */
	const open = async (isLost: (n: number) => boolean, patienceMs: number, when: When = "before") => {
		const { lossy, count } = withOutages(database, when, isLost);
		const host = openHost(database, { leaseMs: 3_600_000 });
		const storeOn = (on: Database) => storeOf(on, "held", { host });
		const ledger = value(await storeOn(database).create(created({ id: randomUUID(), definition })));
		const run = await tell(ledger, ledger.run, baseline);
		const [child] = run.children?.children ?? [];
		if (!child) throw new Error("No child was planned.");
		const tree = "0".repeat(40);
		const workspace = {
			snapshot: async () => ({ ok: true, value: { tree } }),
			publisher: {
				flush: async () => ({ ok: true }),
				parentOf: () => undefined,
			},
			publishTrees: async () => ({ ok: true }),
		};
		const children = new RemoteChildren({
			...{ database: lossy, store: storeOn(lossy), approvals: { statusOf: () => "approved" }, patienceMs },
			...{ parent: run.id, trees: run.id, workspace: workspace as never },
		});
		const none = { costUsd: 0, tokens: 0, activeMs: 0 };
		const start = () =>
			children.start({
				...{
					parent: run,
					child,
					files: "own",
					tree,
					ceilings: () => ({ left: none, counted: none, countCacheReads: false }),
				},
				prepare: async () => ({ ok: true, value: { cwd: "/nowhere", isNew: true, tree } }) as never,
			});
		return { run, child: child.id, children, count, start };
	};
	const active = async (id: string) =>
		(await database.query("SELECT FROM chronicle.run WHERE id = $1 AND (holder IS NOT NULL OR job IS NOT NULL)", [id]))
			.count;

	/** Begins, commands and takes back a child; gives the number of statements. */
	const play = async (lost: number, when: When): Promise<number> => {
		const { run, child, children, count, start } = await open((n) => n === lost, 20_000, when);
		const begun = await start();
		if (!begun.ok) throw new Error(`${lost}: ${begun.failure.message}`);
		expect(await active(child), `${lost}`).toBe(1);
		const { supervision, result } = begun.value;
		expect(await supervision.submit({ kind: "told", text: "x" }), `${lost}`).toEqual({ refused: undefined });
		expect((await database.query("SELECT FROM chronicle.inbox WHERE run = $1", [child])).count, `${lost}`).toBe(1);
		expect(await result(), `${lost}`).toMatchObject({ ok: true });
		const over: Run = { ...run, children: null };
		expect(needsChild(over, child)).toBe(false);
		children.drop(over);
		await expect.poll(() => active(child), { timeout: patient(10_000) }).toBe(0);
		await children.close();
		return count();
	};

	it.each(["before", "after"] as const)(
		"is passed %s every statement, and nothing is parked, refused or done twice",
		{ timeout: patient(60_000) },
		async (when) => {
			const count = await play(0, when);
			expect(count).toBeGreaterThan(20);
			const all = Array.from({ length: count }, (_, index) => index + 1);
			while (all.length > 0) await Promise.all(all.splice(0, 8).map((n) => play(n, when)));
		},
	);

	it("that lasts gives the run back: it is neither a refusal nor a reason to park the child", async () => {
		for (const from of [1, 2, 4, 8]) {
			const { start, children } = await open((n) => n >= from, 300);
			await expect(start(), `${from}`).rejects.toThrow(/cannot be reached|terminated/);
			await children.close();
		}
		let isDown = false;
		const { start, children, run } = await open(() => isDown, 300);
		const begun = await start();
		if (!begun.ok) throw new Error(begun.failure.message);
		isDown = true;
		for (const event of [
			{ kind: "told", text: "x" },
			{ kind: "pause_requested", cause: "parent", detail: "" },
		] as const)
			await expect(begun.value.supervision.submit(event)).rejects.toThrow(/cannot be reached|terminated/);
		await expect(begun.value.result()).rejects.toThrow("terminated");
		await expect(children.exists(run.id)).rejects.toThrow("cannot be reached");
		await children.close();
	});
});
