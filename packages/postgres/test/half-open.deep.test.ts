// Connections that are open on one side only: the other side is gone without a word. A host keeps its lease, and hears notifications again.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Result, StoreFailure } from "@pi-chronicle/core/ports";
import { beforeAll, describe, expect, it } from "vitest";
import { patient, within } from "../../pi-chronicle/test/harness/patience.ts";
import { type Cluster, needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { created, id, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { moveTo } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { type Database, openHost } from "../src/index.ts";
import { connect } from "./connect.ts";
import { openHostStage } from "./host-stage.ts";
import { openLink } from "./link.ts";
import { openEngine, storeOf } from "./open-engine.ts";

describe("a host whose connections are half open", needsPostgres, () => {
	let cluster: Cluster;
	let owner: Database;
	beforeAll(async () => {
		({ cluster, database: owner } = await openEngine());
	});

	it("keeps its lease, and so its runs", { timeout: patient(60_000) }, async () => {
		const link = await openLink(cluster.url);
		const leaseMs = within(3000);
		const host = openHost(await connect(link.url), { leaseMs });
		await host.register();
		const expired = `SELECT FROM chronicle.host WHERE id = $1 AND beat_at < now() - lease_ms * interval '1 millisecond'`;
		const end = performance.now() + 4 * leaseMs;
		for (let freezeAt = 0; performance.now() < end; await sleep(20)) {
			if (performance.now() > freezeAt) {
				freezeAt = performance.now() + 1.3 * leaseMs;
				link.freeze();
			}
			expect(performance.now() - host.provedAt()).toBeLessThan(leaseMs);
			expect((await owner.query(expired, [host.id])).count).toBe(0);
		}
		await owner.query("DELETE FROM chronicle.host");
	});

	it("loses no attempt", { timeout: patient(120_000) }, async () => {
		const stage = await openHostStage();
		const link = await openLink(stage.cluster.url);
		const leaseMs = within(3000);
		const host = await stage.host("a", {
			...{ url: link.url, leaseMs },
			play:
				() =>
				async (...given) => {
					for (let times = 0; times < 3; times += 1) {
						link.freeze();
						await sleep(1.3 * leaseMs);
					}
					await moveTo("done")(...given);
				},
		});
		await stage.submit(1);
		const read = async () => value(await stage.store().read("aaaaaaaa-0000-4000-8000-000000000001"));
		await expect.poll(async () => (await read()).run.status, { timeout: patient(100_000) }).toBe("done");
		const kinds: string[] = [];
		for await (const { kind } of (await read()).events()) kinds.push(kind);
		expect(kinds.filter((kind) => kind === "attempt_reserved")).toHaveLength(1);
		await host.stop();
	});

	it("hears notifications again", { timeout: patient(60_000) }, async () => {
		const link = await openLink(cluster.url);
		const heard: (string | undefined)[] = [];
		await (await connect(link.url)).listen((payload) => void heard.push(payload));
		const notify = (payload: string) => owner.query("SELECT pg_notify('chronicle', $1)", [payload]);
		await notify("before");
		await expect.poll(() => heard, { timeout: patient(5000) }).toContain("before");
		link.freeze();
		const lost = heard.length;
		await notify("lost");
		// `undefined`: some may have been missed.
		await expect.poll(() => heard.slice(lost), { timeout: patient(20_000) }).toContain(undefined);
		await notify("after");
		await expect.poll(() => heard, { timeout: patient(5000) }).toContain("after");
	});

	it("sends a run and a command once, and hears that they are there", { timeout: patient(120_000) }, async () => {
		const send = async <T>(
			work: (store: ReturnType<typeof storeOf>) => Promise<Result<T, StoreFailure>>,
			table: string,
		) => {
			const count = async () => (await owner.query(`SELECT FROM chronicle.${table}`)).count;
			const before = await count();
			const link = await openLink(cluster.url, 300);
			const sent = work(storeOf(await connect(link.url), "submitted"));
			// It is recorded, and its confirmation is on the way.
			await expect.poll(count, { interval: 10, timeout: patient(20_000) }).toBe(before + 1);
			link.freeze();
			const done = value(await sent);
			expect(await count()).toBe(before + 1);
			return done;
		};
		value(await storeOf(owner, "submitted").create(created()));
		const [post] = await Promise.all([
			send((store) => store.post(id, { kind: "told", text: "Hello." }), "inbox"),
			send((store) => store.create(created({ id: randomUUID() })), "run"),
		]);
		await owner.query("UPDATE chronicle.inbox SET state = 'taken'");
		expect(await post.state()).toEqual({ kind: "taken" });
	});

	it("loses its locks soon: others are not kept from its runs", { timeout: patient(60_000) }, async () => {
		const link = await openLink(cluster.url);
		const database = await connect(link.url);
		const lock = "SELECT FROM chronicle.meta FOR UPDATE";
		const lost = database.transaction(async (tx) => {
			await tx.query(lock);
			link.freeze();
			await tx.query("SELECT");
		});
		const failed = expect(lost).rejects.toThrow();
		const began = performance.now();
		// The first that waits for it may be given up before: a statement waits for a limited time.
		await expect.poll(() => owner.transaction((tx) => tx.query(lock)), { timeout: patient(30_000) }).toBeTruthy();
		expect(performance.now() - began).toBeLessThan(within(12_000));
		await failed;
	});
});
