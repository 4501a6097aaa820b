// The rights of an engine's roles, with real logins.
import { beforeAll, describe, expect, it } from "vitest";
import {
	checkEngineProject,
	type Database,
	openHost,
	openPostgresStore,
	queueName,
	readStatus,
	setLimit,
	setUpEngine,
} from "../../../../src/chronicle/engine/postgres/index.ts";
import { cancelReplaced, handOver } from "../../../../src/chronicle/engine/postgres/settle.ts";
import { openRedaction } from "../../../../src/safety/index.ts";
import { needsPostgres, startPostgres } from "../../../harness/postgres.ts";
import { created, id, value } from "../ledger/sample-events.ts";
import { connect } from "./connect.ts";

const logins = {
	host: "chronicle_worker",
	ann: "chronicle_submitter",
	bob: "chronicle_reader",
	eve: "chronicle_worker",
};

describe("the roles of an engine", needsPostgres, () => {
	let owner: Database;
	const as = new Map<string, Database>();
	const store = (login: string, project = "app", queue = "runs") => {
		const database = as.get(login) ?? owner;
		return openPostgresStore({
			...{ database, host: openHost(database), clock: Date, redact: openRedaction({}), project },
			queue: queueName(project, queue),
			folderOf: (run) => `/nowhere/${run}`,
			creates: { kind: "submitted", base: async () => ({ ok: true, value: null }) },
		});
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
		await setUpEngine(owner, { ...none, project: "app", members: ["host", "ann", "bob"] });
		await setUpEngine(owner, { ...none, project: "other", members: ["eve"] });
		for (const login of Object.keys(logins)) as.set(login, await connect(url.replace("postgres@", `${login}@`)));
		value(await store("ann").create(created()));
	});

	it("confine users to their projects and roles", async () => {
		expect(value(await store("bob").read(id)).run.id).toBe(id);
		expect((await store("eve").read(id)).ok).toBe(false);
		expect((await as.get("eve")?.query("SELECT FROM chronicle.event"))?.count).toBe(0);
		expect(await refused("eve", "UPDATE chronicle.run SET status = 'done'")).toBe("changed 0");
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
		const seen = async (login: string) => (await as.get(login)?.query("SELECT FROM chronicle.snapshot"))?.count;
		expect([await seen("bob"), await seen("eve")]).toEqual([1, 0]);
		expect(await refused("eve", "DELETE FROM chronicle.snapshot")).toBe("changed 0");
		expect(await refused("ann", "DELETE FROM chronicle.snapshot")).toBe("42501");
		await ledger.deleteSnapshots(2);
		expect(await seen("bob")).toBe(0);
		await ledger.releaseLease();
		expect(value(await store("ann").read(id)).run.seq).toBe(2);
		expect((await store("ann").remove(id)).ok).toBe(true);
	});
	it("let a host claim a job with its run, and hold it back if a limit is reached", async () => {
		const ids = ["aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaab-0000-4000-8000-000000000002"];
		await (await owner.boss()).deleteAllJobs();
		for (const one of ids) value(await store("ann").create(created({ id: one })));
		await setLimit(owner, { kind: "queue", name: "runs", most: 1 });
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
	it("let each role create a queue with the first job for a set of labels, and a host cancel jobs", async () => {
		await setLimit(owner, { kind: "queue", name: "runs" });
		await (await owner.boss()).deleteAllJobs();
		const of = (label: string) => ({
			states: { a: { persona: "A", host: [label], next: ["b"] }, b: { persona: "B" } },
		});
		const run = "cccccccc-0000-4000-8000-000000000001";
		value(await store("ann").create(created({ id: run, definition: of("gpu") })));
		value(await store("ann").post(run, { kind: "told", text: "x" }));
		const host = as.get("host") ?? owner;
		const take = (labels: readonly string[]) =>
			host.transaction(async (tx) => {
				const [job] = await (await host.boss()).fetch<{ run: string }>("app/runs", { db: tx });
				if (!job) throw new Error("no job");
				const attempt = { id: job.id, queue: "app/runs", retryCount: job.retryCount };
				if (labels.length === 0) return value(await store("host").claim(tx, job.data.run, attempt));
				return handOver(host, tx, job.data.run, attempt, { labels, commandsToo: true });
			});
		await take([]);
		await cancelReplaced(host, run);
		await owner.query("DELETE FROM chronicle.run WHERE id = $1", [run]);
		const next = "cccccccc-0000-4000-8000-000000000002";
		value(await store("ann").create(created({ id: next })));
		await take(["tpu"]);
		value(await store("ann", "app", "runs/npu").create(created({ id: "cccccccc-0000-4000-8000-000000000003" })));
		const { rows } = await owner.query<{ name: string; state: string }>(
			"SELECT name, state FROM chronicle_jobs.job WHERE name LIKE 'app/runs/%' ORDER BY name",
		);
		expect(rows).toEqual([
			{ name: "app/runs/gpu", state: "cancelled" },
			{ name: "app/runs/npu", state: "created" },
			{ name: "app/runs/tpu", state: "created" },
		]);
	});
});
