// The rights of an engine's roles, with real logins.
import { beforeAll, describe, expect, it } from "vitest";
import { needsPostgres, startPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { baseline, created, id, tell, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { dropChildren } from "../src/child-rows.ts";
import type { PostgresLedger } from "../src/held.ts";
import {
	checkEngineProject,
	type Database,
	databaseFailure,
	openHost,
	queueName,
	readStatus,
	setLimit,
	setUpEngine,
} from "../src/index.ts";
import { readLogin } from "../src/rights.ts";
import { handOver, wakeRun, wakeRuns } from "../src/settle.ts";
import { connect } from "./connect.ts";
import { storeOf } from "./open-engine.ts";

const logins = {
	host: "chronicle_worker",
	ann: "chronicle_submitter",
	bob: "chronicle_reader",
	eve: "chronicle_worker",
	mal: "chronicle_submitter",
	rival: "chronicle_worker",
	op: "chronicle_operator",
};

describe("the roles of an engine", needsPostgres, () => {
	let owner: Database;
	const as = new Map<string, Database>();
	const store = (login: string, project = "app", queue = "runs") => {
		const database = as.get(login) ?? owner;
		return storeOf(database, "submitted", { project, queue: queueName(project, queue) });
	};
	const refused = (login: string, text: string) =>
		(as.get(login) ?? owner).query(text).then(
			({ count }) => `changed ${count}`,
			({ code }: { code: string }) => code,
		);
	beforeAll(async () => {
		const { url } = await startPostgres();
		owner = await connect(url);
		const none = { queues: [], labels: [] };
		// Twice at once, on an empty database.
		const done = await Promise.all([1, 2].map(() => setUpEngine(owner, { ...none, members: [] })));
		expect(done.every((one) => Array.isArray(one))).toBe(true);
		for (const [login, role] of Object.entries(logins)) await owner.query(`CREATE ROLE ${login} LOGIN IN ROLE ${role}`);
		await setUpEngine(owner, { ...none, project: "app", members: ["host", "ann", "bob", "mal", "rival", "op"] });
		await setUpEngine(owner, { ...none, project: "other", members: ["eve"] });
		for (const login of Object.keys(logins)) as.set(login, await connect(url.replace("postgres@", `${login}@`)));
		value(await store("ann").create(created()));
		expect(await wakeRun(as.get("host") ?? owner, id)).toBe(true);
	});

	it("let nobody but the owner of the tables set the engine up, and say who can", async () => {
		const database = as.get("host") ?? owner;
		const refusal = await setUpEngine(database, { queues: [], labels: [], members: [] }).catch(
			(error: unknown) => error,
		);
		const { message, remedy } = databaseFailure(refusal, database);
		expect(message).toContain("may not create or change the engine's tables");
		// A new database has no roles of an engine yet.
		expect(remedy).toContain("GRANT CREATE ON DATABASE");
		expect(remedy).not.toContain("chronicle_");
	});

	it("confine users to their projects and roles", async () => {
		expect(value(await store("bob").read(id)).run.id).toBe(id);
		expect((await store("eve").read(id)).ok).toBe(false);
		expect((await as.get("eve")?.query("SELECT FROM chronicle.event"))?.count).toBe(0);
		expect(await refused("eve", "UPDATE chronicle.run SET waits = 'x'")).toBe("changed 0");
		const posted = await store("bob").post(id, { kind: "told", text: "x" });
		expect(!posted.ok && posted.failure.message).toContain("lacks a privilege");
		expect(await refused("host", "DELETE FROM chronicle.event")).toBe("42501");
		expect(await refused("host", "UPDATE chronicle.event SET body = ''")).toBe("42501");
		expect(await refused("ann", "UPDATE chronicle.run SET status = 'done'")).toBe("42501");
		for (const login of Object.keys(logins)) {
			const database = as.get(login) ?? owner;
			expect((await readStatus(database)).queues.map(({ name }) => name)).toContain("app/runs");
			const failure = await checkEngineProject(database, "app");
			expect(failure?.message).toBe(
				login === "eve" ? 'The database user eve was not given the project "app".' : undefined,
			);
		}
		expect(await checkEngineProject(owner, "app")).toBe(undefined);
		expect((await checkEngineProject(owner, "none"))?.message).toBe('The engine has no project "none".');
		expect((await readStatus(owner)).queues.find(({ name }) => name === "app/runs")).toMatchObject({
			waiting: 1,
			active: 0,
		});
		expect((await store("host").create(created({ id: "22222222-2222-4333-8444-555555555555" }))).ok).toBe(false);
	});
	it("accept only roles of the database as members, and survive the drop of one", async () => {
		const members = (named: string[]) => setUpEngine(owner, { project: "app", queues: [], labels: [], members: named });
		expect(await members(["ann", "nobody"])).toMatchObject({
			reason: "usage",
			message: "The database has no role nobody.",
		});
		await owner.query("CREATE ROLE passing LOGIN");
		expect(await members(["passing"])).toContain("passing has access to app.");
		await owner.query("DROP ROLE passing");
		expect(value(await store("bob").read(id)).run.id).toBe(id);
	});
	it("let a host and a submitter do everything that they need", async () => {
		value(await store("ann").post(id, { kind: "told", text: "x" }));
		const host = store("host");
		const ledger = value(await host.open(id));
		const heard: string[] = [];
		await ledger.onPosted({ event: async ({ kind }) => void heard.push(kind), unread: async () => {} });
		expect(heard).toEqual(["told"]);
		const tree = "a".repeat(40);
		const staged = [{ tree, parent: undefined, base: "b".repeat(40), note: "", pack: Buffer.from("pack") }];
		ledger.use({
			files: () => ({ head: { tree, parent: undefined }, staged }),
			conditions: () => [],
			beforeAppend: async () => undefined,
			afterAppend: () => {},
		});
		value(await ledger.append([{ kind: "noted", text: "y" }], "durable"));
		expect(await ledger.recordedSnapshots()).toMatchObject([{ ...staged[0], seq: 2 }]);
		await owner.query("INSERT INTO chronicle.channel VALUES ('app', 'c', 'Ops', '{done}')");
		const channels = async (login: string) => (await readStatus(as.get(login) ?? owner)).channels.length;
		expect([await channels("bob"), await channels("eve")]).toEqual([1, 0]);
		await owner.query("DELETE FROM chronicle.channel");
		const seen = async (login: string) => (await as.get(login)?.query("SELECT FROM chronicle.snapshot"))?.count;
		expect([await seen("bob"), await seen("eve")]).toEqual([1, 0]);
		expect(await refused("eve", "DELETE FROM chronicle.snapshot")).toBe("changed 0");
		expect(await refused("ann", "DELETE FROM chronicle.snapshot")).toBe("42501");
		await ledger.deleteSnapshots(2);
		expect(await seen("bob")).toBe(0);
		await ledger.releaseLease();
		expect(value(await store("ann").read(id)).run.seq).toBe(2);
		expect(await store("ann").remove(id)).toMatchObject({ ok: false, failure: { reason: "io" } });
		expect(value(await store("op").remove(id)).bytes).toBeGreaterThan(0);
	});
	it("let a host claim a job with its run, and hold it back if a limit is reached", async () => {
		const ids = ["aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaab-0000-4000-8000-000000000002"];
		await (await owner.boss()).deleteAllJobs();
		for (const one of ids) value(await store("ann").create(created({ id: one })));
		expect((await wakeRuns(as.get("host") ?? owner)).toSorted()).toEqual(ids);
		await setLimit(as.get("op") ?? owner, { kind: "queue", name: "runs", most: 1 });
		const host = as.get("host") ?? owner;
		const claims = store("host");
		const claim = () =>
			host.transaction(async (tx) => {
				const [job] = await (await host.boss()).fetch<{ run: string }>("app/runs", { db: tx });
				if (!job) throw new Error("no job");
				return claims.claim(tx, job.data.run, { id: job.id, queue: "app/runs", retryCount: job.retryCount });
			});
		const first = value(await claim());
		await expect(claim()).rejects.toThrow("the limit of 1 runs of the queue runs at once");
		await first.settle({ kind: "parked" });
		expect(value(await claim()).run.id).not.toBe(first.run.id);
	});
	it("let each role create a queue with the first job for a set of labels", async () => {
		await setLimit(owner, { kind: "queue", name: "runs" });
		await (await owner.boss()).deleteAllJobs();
		const of = (label: string) => ({
			states: { a: { persona: "A", host: [label], next: ["b"] }, b: { persona: "B" } },
		});
		const run = "cccccccc-0000-4000-8000-000000000001";
		const host = as.get("host") ?? owner;
		value(await store("ann").create(created({ id: run, definition: of("gpu") })));
		expect(await wakeRun(host, run)).toBe(true);
		value(await store("ann").post(run, { kind: "told", text: "x" }));
		expect(await wakeRun(host, run)).toBe(true);
		const take = (labels: readonly string[]) =>
			host.transaction(async (tx) => {
				const [job] = await (await host.boss()).fetch<{ run: string }>("app/runs", { db: tx });
				if (!job) throw new Error("no job");
				const attempt = { id: job.id, queue: "app/runs", retryCount: job.retryCount };
				if (labels.length === 0) return value(await store("host").claim(tx, job.data.run, attempt));
				return handOver(host, tx, job.data.run, attempt, { labels, commandsToo: true });
			});
		await take([]);
		await owner.query("DELETE FROM chronicle.run WHERE id = $1", [run]);
		const next = "cccccccc-0000-4000-8000-000000000002";
		value(await store("ann").create(created({ id: next })));
		await wakeRun(host, next);
		await take(["tpu"]);
		value(await store("ann", "app", "runs/npu").create(created({ id: "cccccccc-0000-4000-8000-000000000003" })));
		await wakeRuns(host);
		const { rows } = await owner.query<{ name: string; state: string }>(
			"SELECT name, state FROM chronicle_jobs.job WHERE name LIKE 'app/runs/%' ORDER BY name",
		);
		expect(rows).toEqual([
			{ name: "app/runs/gpu", state: "created" },
			{ name: "app/runs/npu", state: "created" },
			{ name: "app/runs/tpu", state: "created" },
		]);
	});

	describe("refuse", () => {
		const own = "dddddddd-0000-4000-8000-000000000001";
		const fresh = "dddddddd-0000-4000-8000-000000000002";
		const folded = "visit, parked, template, task, status, state, updated_at, cost_usd, tokens";
		const insertRun = (columns: string, values: string): string =>
			`INSERT INTO chronicle.run (id, project, queue, schema_version, seq, ${folded}${columns})
			VALUES ('${fresh}', 'app', 'app/runs', 1, 1, 1, false, 'T', 'x', 'running', 'a', '2030', 0, 0${values})`;
		const insertEvent = (run: string, seq: number, body: object): string =>
			`INSERT INTO chronicle.event (run, seq, body) VALUES ('${run}', ${seq}, '${JSON.stringify(body)}')`;
		const begin = { ...created({ id: fresh }), seq: 1, at: "2030-01-01T00:00:00.000Z" };
		const post = (more: string, values: string): string =>
			`INSERT INTO chronicle.inbox (run, at, body${more}) VALUES ('${own}', 0, '{"kind":"told","text":"x"}'${values})`;
		let ledger: PostgresLedger;
		beforeAll(async () => {
			await (await owner.boss()).deleteAllJobs();
			await owner.query("DELETE FROM chronicle.run");
			value(await store("ann").create(created({ id: own })));
			value(await store("ann").post(own, { kind: "told", text: "by ann" }));
			ledger = value(await store("host").open(own));
			await openHost(as.get("rival") ?? owner).register();
			await owner.query("INSERT INTO chronicle.channel VALUES ('app', 'c', 'Ops', '{done}')");
			await owner.query(
				"INSERT INTO chronicle.notice (run, seq, kind, channel, name) VALUES ($1, 1, 'done', 'c', 'Ops')",
				[own],
			);
		});
		const fence = (): string => `'${own}', '${ledger.holder?.host}', ${ledger.fence}`;
		const rights = "42501";
		const attacks: [string, string, () => string, string][] = [
			[
				"a forged event",
				"mal",
				() => insertEvent(own, 2, { seq: 2, at: "2030", kind: "finished", status: "done" }),
				rights,
			],
			["an event below the first", "mal", () => insertEvent(own, 0, begin), rights],
			[
				"an append without the lease",
				"mal",
				() => `SELECT chronicle.append(${fence()}, false, 1, NULL, NULL, '{}', '{}', NULL, NULL)`,
				rights,
			],
			["a forged state", "mal", () => `SELECT chronicle.save_state(${fence()}, 1, '{}')`, rights],
			["a forged state in the table", "mal", () => `INSERT INTO chronicle.state VALUES ('${own}', 9, '{}')`, rights],
			[
				"a snapshot",
				"mal",
				() => `INSERT INTO chronicle.snapshot VALUES ('${own}', 1, 1, 'a', NULL, 'b', '', '')`,
				rights,
			],
			["the removal of a run", "mal", () => "DELETE FROM chronicle.run", rights],
			["the removal of events", "mal", () => "DELETE FROM chronicle.event", rights],
			["another's command withdrawn", "mal", () => "DELETE FROM chronicle.inbox", "changed 0"],
			["a changed command", "mal", () => "UPDATE chronicle.inbox SET body = '{}'", rights],
			["a command as another", "mal", () => post(", posted_by", ", 'ann'"), rights],
			["a command that was taken already", "mal", () => post(", state", ", 'taken'"), rights],
			["a run as another", "mal", () => insertRun(", submitted_by", ", 'ann'"), rights],
			["a run with a priority", "mal", () => insertRun(", priority", ", 9"), rights],
			["a run that is a child of another", "mal", () => insertRun(", parent", `, '${own}'`), rights],
			["a run with the snapshots of another", "mal", () => insertRun(", trees", `, '${own}'`), rights],
			["a run that is held", "mal", () => insertRun(", holder, fence", `, '${ledger.holder?.host}', 1`), rights],
			[
				"a run in the queue of another project",
				"mal",
				() => insertRun("", "").replace("'app/runs'", "'other/runs'"),
				rights,
			],
			[
				"a run in another project",
				"mal",
				() => insertRun("", "").replace("'app', 'app/runs'", "'other', 'other/runs'"),
				rights,
			],
			["a changed priority", "mal", () => "UPDATE chronicle.run SET priority = 9", rights],
			["a taken job", "mal", () => "UPDATE chronicle.run SET job = NULL", rights],
			["a locked run", "mal", () => "SELECT FROM chronicle.run FOR UPDATE", rights],
			["a limit", "mal", () => "INSERT INTO chronicle.quota VALUES ('project', 'app', 9)", rights],
			["a lifted limit", "mal", () => "DELETE FROM chronicle.quota", rights],
			["a deleted claim", "mal", () => "DELETE FROM chronicle.claim", rights],
			["access to a project", "mal", () => "INSERT INTO chronicle.access VALUES ('other', 'mal')", rights],
			["a job", "mal", () => `INSERT INTO chronicle_jobs.job (name, priority) VALUES ('app/runs', 99)`, rights],
			["a cancelled job", "mal", () => "UPDATE chronicle_jobs.job SET state = 'cancelled'", rights],
			["deleted jobs", "mal", () => "DELETE FROM chronicle_jobs.job", rights],
			["a queue", "mal", () => "UPDATE chronicle_jobs.queue SET retry_limit = 0", rights],
			["another's times of a schedule", "mal", () => "DELETE FROM chronicle_jobs.schedule", "changed 0"],
			["a dead host", "mal", () => "UPDATE chronicle.host SET beat_at = now() - interval '1 hour'", rights],
			["another version of the tables", "mal", () => "UPDATE chronicle.meta SET version = 99", rights],
			["a command from a reader", "bob", () => post("", ""), rights],
			["a run from a reader", "bob", () => insertRun("", ""), rights],
			["an event of a host past the lease", "rival", () => insertEvent(own, 2, begin), rights],
			[
				"an append as another host",
				"rival",
				() =>
					`SELECT FROM chronicle.append(${fence()}, false, 1, NULL, NULL, '{}', '{}', NULL, NULL) AS done WHERE done`,
				"changed 0",
			],
			[
				"a state as another host",
				"rival",
				() => `SELECT FROM chronicle.save_state(${fence()}, 1, '{}') AS done WHERE done`,
				"changed 0",
			],
			[
				"a run taken from a living host",
				"rival",
				() =>
					`UPDATE chronicle.run SET holder = (SELECT id FROM chronicle.host WHERE login = 'rival' LIMIT 1), fence = fence + 1`,
				rights,
			],
			["a smaller fence", "rival", () => "UPDATE chronicle.run SET fence = fence - 1", rights],
			[
				"a host that seems dead",
				"rival",
				() => "UPDATE chronicle.host SET beat_at = now() - interval '1 hour' WHERE login = 'host'",
				"changed 0",
			],
			["a host of another login", "rival", () => "UPDATE chronicle.host SET login = 'host'", rights],
			["the snapshots of another host", "rival", () => "DELETE FROM chronicle.snapshot", "changed 0"],
			["claims of this minute", "rival", () => "DELETE FROM chronicle.claim", "changed 0"],
			["a run taken off a living host", "rival", () => "UPDATE chronicle.run SET holder = NULL", rights],
			["a greater fence", "rival", () => "UPDATE chronicle.run SET fence = fence + 1", rights],
			[
				"other files for a run that another host has",
				"rival",
				() => "UPDATE chronicle.run SET head = repeat('a', 40)",
				rights,
			],
			["what another host has left", "rival", () => "UPDATE chronicle.run SET leftovers = '{\"x\": 1}'", rights],
			["a child of a run that another host has", "rival", () => insertRun(", parent", `, '${own}'`), rights],
			[
				"a channel from a submitter",
				"mal",
				() => "INSERT INTO chronicle.channel VALUES ('app', 'd', 'D', '{}')",
				rights,
			],
			["a removed channel", "op", () => "DELETE FROM chronicle.channel", rights],
			[
				"a channel of another project",
				"eve",
				() => "INSERT INTO chronicle.channel VALUES ('app', 'd', 'D', '{}')",
				rights,
			],
			["another project's channels", "eve", () => "DELETE FROM chronicle.channel", "changed 0"],
			["notices of another project", "eve", () => "UPDATE chronicle.notice SET state = 'sent'", "changed 0"],
			["a notice that is sent for a submitter", "mal", () => "UPDATE chronicle.notice SET state = 'sent'", rights],
			["a notice that is sent again for a reader", "bob", () => "UPDATE chronicle.notice SET state = 'due'", rights],
			[
				"a notice of an event that was not recorded",
				"rival",
				() => `INSERT INTO chronicle.notice (run, seq, kind, channel, name) VALUES ('${own}', 9, 'done', 'c', 'x')`,
				rights,
			],
			["a removed notice", "rival", () => "DELETE FROM chronicle.notice", rights],
			["a notice on another channel", "rival", () => "UPDATE chronicle.notice SET channel = 'd'", rights],
			["a changed record", "rival", () => "UPDATE chronicle.run SET status = 'done'", rights],
			["a forged event from an operator", "op", () => insertEvent(own, 2, begin), rights],
		];
		it.each(attacks)("what no role allows: %s (%s)", async (_what, login, text, expected) => {
			expect(await refused(login, text())).toBe(expected);
		});

		it("a host takes children below its run, at every level, from hosts of other logins", async () => {
			const [child, below] = ["dddddddd-0000-4000-8000-000000000003", "dddddddd-0000-4000-8000-000000000004"];
			const rival = openHost(as.get("rival") ?? owner);
			await rival.register();
			for (const [id, parent] of [
				[child, own],
				[below, child],
			] as const) {
				value(await store("ann").create(created({ id })));
				await owner.query("UPDATE chronicle.run SET parent = $2, holder = $3, fence = 1 WHERE id = $1", [
					id,
					parent,
					rival.id,
				]);
			}
			await dropChildren(as.get("host") ?? owner, [child]);
			const left = "SELECT holder, fence FROM chronicle.run WHERE id = ANY($1)";
			expect((await owner.query(left, [[child, below]])).rows).toEqual([
				{ holder: null, fence: 2 },
				{ holder: null, fence: 2 },
			]);
			await owner.query("DELETE FROM chronicle.run WHERE id = ANY($1)", [[child, below]]);
		});

		it("a run whose first event names another sender, another run, or a parent", async () => {
			const mal = as.get("mal") ?? owner;
			for (const body of [
				begin,
				{ ...begin, by: "ann" },
				{ ...begin, by: "mal", id: own },
				{ ...begin, by: "mal", kind: "finished" },
				{ ...begin, by: "mal", parent: { run: own } },
			]) {
				const tried = mal.transaction(async (tx) => {
					await tx.query(insertRun("", ""));
					await tx.query(insertEvent(fresh, 1, body));
				});
				await expect(tried, JSON.stringify(body)).rejects.toMatchObject({ code: rights });
			}
		});
	});

	it("record who has sent a run and each command, whatever the sender says", async () => {
		const run = "eeeeeeee-0000-4000-8000-000000000001";
		const told = (text: string) => ({ kind: "told", text, by: "op" }) as const;
		value(await store("mal").create({ ...created({ id: run }), by: "ann" }));
		value(await store("mal").post(run, told("one")));
		value(await store("ann").post(run, told("two")));
		const ledger = value(await store("host").open(run));
		const heard: unknown[] = [];
		await ledger.onPosted({ event: async (event) => void heard.push(event), unread: async () => {} });
		expect(heard).toMatchObject([
			{ text: "one", by: "mal" },
			{ text: "two", by: "ann" },
		]);
		for await (const event of ledger.events()) expect(event).toMatchObject({ kind: "created", by: "mal" });
		await ledger.releaseLease();
	});
	it("count a run for the provider of its model, whatever its sender writes into the row", async () => {
		const run = "eeeeeeee-0000-4000-8000-000000000002";
		value(await store("mal").create({ ...created({ id: run }), model: "acme/one" }));
		await owner.query("UPDATE chronicle.run SET provider = 'other' WHERE id = $1", [run]);
		await value(await store("host").open(run)).releaseLease();
		const { rows } = await owner.query("SELECT provider FROM chronicle.run WHERE id = $1", [run]);
		expect(rows).toEqual([{ provider: "acme" }]);
	});
	it("let one of two answers to a question count, also from two users at once", async () => {
		const run = "eeeeeeee-0000-4000-8000-000000000003";
		const entry = { states: { a: { persona: "A", requires_approval: "entry", next: ["done"] } } };
		value(await store("ann").create(created({ id: run, definition: entry })));
		const host = value(await store("host").open(run));
		const asking = await tell(host, host.run, baseline);
		if (asking.stage.kind !== "asking") throw new Error(`The run is ${asking.stage.kind}.`);
		const { seq, diff } = asking.stage.question;
		await host.releaseLease();
		for (let round = 0; round < 5; round += 1) {
			const posts = await Promise.all(
				["ann", "mal", "ann"].map((login) => store(login).post(run, { kind: "approved", answers: seq, diff })),
			);
			const states = await Promise.all(posts.map((one) => value(one).state()));
			expect(states.map(({ kind }) => kind).toSorted()).toEqual(["refused", "refused", "waiting"]);
			await owner.query("DELETE FROM chronicle.inbox WHERE run = $1", [run]);
		}
	});
	it("tell which of them a login has", async () => {
		const has = async (login: string) => (await readLogin(as.get(login) ?? owner)).roles;
		expect(await has("mal")).toEqual(["chronicle_submitter"]);
		expect(await has("op")).toEqual(["chronicle_submitter", "chronicle_operator"]);
		expect(await has("nobody")).toEqual(["owner"]);
	});
});
