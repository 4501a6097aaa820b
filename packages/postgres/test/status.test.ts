// What an operator sees of an engine: the runs that do not continue, why, and what helps; which host is drained; the figures for a monitor.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { created, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import type { Host } from "../src/host.ts";
import { type Database, drainHosts, metricsText, openHost, readStatus, setLimit } from "../src/index.ts";
import { attended } from "./attended.ts";
import { openEngine, storeOf } from "./open-engine.ts";

const idOf = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;

describe("the status of an engine", needsPostgres, () => {
	let database: Database;
	const store = (host = openHost(database)) => attended(database, storeOf(database, "submitted", { host }));
	const submit = async (n: number, states: object = { a: { persona: "A", next: ["done"] } }): Promise<void> =>
		void value(await store().create(created({ id: idOf(n), definition: { name: "T", states } })));
	const up = async (name: string, more: object = {}): Promise<Host> => {
		const host = openHost(database, { name, slots: 1, projects: ["app"], queues: ["runs"], ...more });
		await host.register();
		return host;
	};
	const stuck = async () => (await readStatus(database)).stuck.map(({ why, help }) => ({ why, help }));

	beforeAll(async () => {
		({ database } = await openEngine());
	});
	beforeEach(async () => {
		for (const table of ["run", "host", "quota", "claim"]) await database.query(`DELETE FROM chronicle.${table}`);
		await (await database.boss()).deleteAllJobs();
	});

	it("names each run that no host continues, why, and what helps", async () => {
		await submit(1);
		expect(await stuck()).toEqual([
			{
				why: "Waits for a host of the engine. None that is up takes runs of app/runs.",
				help: { command: "engine worker" },
			},
		]);
		const host = await up("a");
		expect(await stuck()).toEqual([]);
		await database.query("UPDATE chronicle.host SET figures = '{\"diskFree\":1000}'");
		expect(await stuck()).toEqual([
			{ why: "Waits for a host of the engine. The disk of a is full.", help: { text: "Free some space on a." } },
		]);
		expect((await readStatus(database)).hosts).toMatchObject([{ name: "a", state: "full" }]);
		expect(value(await store().read(idOf(1))).queued).toContain("The disk of a is full.");
		await database.query("UPDATE chronicle.host SET figures = '{}'");
		await setLimit(database, { kind: "queue", name: "runs", most: 0 });
		await database.query("UPDATE chronicle.run SET waits = 'Waits for the limit of the queue.'");
		expect(await stuck()).toEqual([
			{ why: "Waits for the limit of the queue.", help: { command: "engine limit queue runs" } },
		]);
		await database.query("UPDATE chronicle.run SET waits = 'Waits.', schema_version = 99, job = NULL");
		expect(await stuck()).toMatchObject([{ why: "A newer version created it." }]);
		await database.query("UPDATE chronicle.run SET schema_version = 1");
		await database.query("UPDATE chronicle.event SET body = 'null'");
		expect(await stuck()).toMatchObject([{ why: "Its events cannot be read." }]);
		await database.query("UPDATE chronicle.run SET status = 'done'");
		expect(await stuck()).toEqual([]);
		await submit(2, { a: { persona: "A", host: ["gpu"], next: ["done"] } });
		expect(await stuck()).toEqual([
			{
				why: "Waits for a host with the label gpu: no host that is up offers gpu.",
				help: { command: "engine worker --labels gpu" },
			},
		]);
		await host.leave();
	});

	it("keeps no job of a run that was removed", async () => {
		await submit(1);
		const boss = await database.boss();
		await boss.send("app/.dead", { run: idOf(1) });
		expect(await readStatus(database)).toMatchObject({
			dead: 1,
			queues: expect.arrayContaining([expect.objectContaining({ name: "app/runs", waiting: 1 })]),
		});
		value(await store().remove(idOf(1)));
		expect(await readStatus(database)).toMatchObject({
			dead: 0,
			queues: expect.arrayContaining([expect.objectContaining({ name: "app/runs", waiting: 0 })]),
		});
	});

	it("drains one host, whatever the others are called", async () => {
		const hosts = [await up("h1"), await up("h1"), await up("h2")];
		const [one, other, third] = hosts.map(({ id }) => id);
		const fourth = await up((third ?? "").slice(0, 4));
		expect(await drainHosts(database, "h1")).toEqual({ ambiguous: [one, other].toSorted() });
		expect(await drainHosts(database, one)).toEqual({ asked: [{ id: one, name: "h1" }] });
		expect(await drainHosts(database, other?.slice(0, 8))).toEqual({ asked: [{ id: other, name: "h1" }] });
		// A name comes before the beginning of an id.
		expect(await drainHosts(database, fourth.name)).toMatchObject({ asked: [{ id: fourth.id }] });
		expect(await drainHosts(database, "h3")).toEqual({ asked: [] });
		expect((await readStatus(database)).hosts.filter(({ state }) => state === "alive")).toMatchObject([{ id: third }]);
		for (const host of [...hosts, fourth]) await host.leave();
	});

	it("is OpenMetrics text, whatever the names are", async () => {
		await submit(1);
		await database.query("UPDATE chronicle.run SET cost_usd = 1.5, tokens = 7");
		const name = 'we"ird\\host\nname';
		const host = await up(name);
		host.figures.attempts = 3;
		await database.query("UPDATE chronicle.host SET figures = $1", [JSON.stringify(host.figures)]);
		await database.query(
			"INSERT INTO chronicle.channel VALUES ('app', 'c1', $1, '{done}'), ('app', 'c2', 'Ops', '{done}')",
			[name],
		);
		for (const [channel, shown, state] of [
			["c1", name, "due"],
			["c1", name, "sent"],
			["c3", "gone", "failed"],
		])
			await database.query(
				"INSERT INTO chronicle.notice (run, seq, kind, channel, name, state, first) VALUES ($1, $2, 'done', $3, $4, $5, now() - interval '1 minute')",
				[idOf(1), state === "due" ? 1 : 2, channel, shown, state],
			);
		const text = metricsText(await readStatus(database));
		const read = parseOpenMetrics(text);
		expect(read.get("chronicle_attempts_total")).toEqual([[{ host: name, host_id: host.id }, 3]]);
		expect(read.get("chronicle_queue_waiting")).toContainEqual([{ queue: "app/runs" }, 1]);
		expect(read.get("chronicle_spend_usd")).toEqual([[{ project: "app" }, 1.5]]);
		expect(read.get("chronicle_slots")).toEqual([[{ host: name, host_id: host.id }, 1]]);
		const notices = (figure: string) =>
			read.get(`chronicle_notices_${figure}`)?.map(([{ channel }, count]) => [channel, count]);
		expect(notices("waiting")).toEqual([
			["Ops", 0],
			["gone", 0],
			[name, 1],
		]);
		expect(notices("failed")).toEqual([
			["Ops", 0],
			["gone", 1],
			[name, 0],
		]);
		expect(notices("sent")).toEqual([
			["Ops", 0],
			["gone", 0],
			[name, 1],
		]);
		expect(notices("oldest_seconds")).toEqual([
			["Ops", 0],
			["gone", 0],
			[name, 60],
		]);
		for (const bad of [text.replace("# EOF\n", ""), text.replaceAll('\\"', '"'), text.replace("_total{", "{")])
			expect(() => parseOpenMetrics(bad)).toThrow();
		await host.leave();
	});
});

type Samples = [labels: Record<string, string>, value: number][];

/** Reads text as the ABNF of OpenMetrics 1.0 says, as far as gauges and counters go: metadata first, families whole, `# EOF` last. */
function parseOpenMetrics(text: string): Map<string, Samples> {
	if (!text.endsWith("\n# EOF\n")) throw new Error("no end");
	const found = new Map<string, Samples>();
	const types = new Map<string, string>();
	let family = "";
	for (const line of text.slice(0, -"# EOF\n".length).split("\n").slice(0, -1)) {
		const meta = /^# (TYPE|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\"\n]|\\[\\"n])+)$/.exec(line);
		if (meta) {
			const [, what, name = "", rest = ""] = meta;
			if (what === "TYPE") {
				if (types.has(name) || !["gauge", "counter"].includes(rest)) throw new Error(line);
				types.set(name, rest);
				family = name;
			} else if (name !== family) throw new Error(line);
			continue;
		}
		const sample =
			/^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-z_]+="(?:[^\\"\n]|\\[\\"n])*",?)+)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(
				line,
			);
		if (!sample) throw new Error(line);
		const [, name = "", written = "", number] = sample;
		if (name !== (types.get(family) === "counter" ? `${family}_total` : family)) throw new Error(line);
		const labels = [...written.matchAll(/([a-z_]+)="((?:[^\\"\n]|\\[\\"n])*)"/g)].map(([, label = "", quoted = ""]) => [
			label,
			quoted.replace(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign)),
		]);
		found.set(name, [...(found.get(name) ?? []), [Object.fromEntries(labels), Number(number)]]);
	}
	return found;
}
