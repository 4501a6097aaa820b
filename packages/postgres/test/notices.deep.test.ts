// Notices of runs on an engine: two hosts with the same channels, of which one is killed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CRASH_VARIABLE } from "../../pi-chronicle/src/local/supervisor/index.ts";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { openModelServer } from "../../pi-chronicle/test/harness/index.ts";
import { closeLater } from "../../pi-chronicle/test/harness/lifetime.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { withTemplates } from "../../pi-chronicle/test/runs/bench.ts";
import { type EngineStage, eventually, openEngineStage } from "./engine-stage.ts";

interface Received {
	readonly key: string;
	readonly kind: string;
	readonly title: string;
	readonly commands: readonly string[];
}

/** A receiver on loopback that answers with the codes of `codes`, then with 200. */
async function openReceiver(codes: readonly number[] = []): Promise<{ url: string; received: Received[] }> {
	const received: Received[] = [];
	const left = [...codes];
	const server = createServer(async (request: IncomingMessage, response) => {
		let text = "";
		for await (const chunk of request) text += chunk;
		const { kind, title, commands } = JSON.parse(text) as Omit<Received, "key">;
		received.push({ key: String(request.headers["idempotency-key"]), kind, title, commands });
		// Postgres has no NUL in a text.
		response.writeHead(left.shift() ?? 200).end("ok\0");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closeLater(async () => void server.close());
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received };
}

const waits = {
	states: { plan: { command: "true", next: ["done", "failed"], requires_approval: true }, done: {}, failed: {} },
};

async function openNotified(channels: readonly object[]): Promise<EngineStage> {
	const server = await openModelServer(() => "never asked");
	const stage = await openEngineStage(server, { files: withTemplates({ t: waits }) });
	const settings = join(stage.project.home, ".pi", "agent", "settings.json");
	mkdirSync(dirname(settings), { recursive: true });
	const before = existsSync(settings) ? (JSON.parse(readFileSync(settings, "utf8")) as object) : {};
	writeFileSync(settings, JSON.stringify({ ...before, chronicle: { notify: channels } }));
	return stage;
}

async function submit({ cli }: EngineStage): Promise<string> {
	const submitted = await cli(["run", "--json", "--approve-cleanup", "--model", "scripted/one", "t", "Do it"]);
	expect(submitted.code, submitted.stderr + submitted.stdout).toBe(0);
	return (JSON.parse(submitted.stdout) as { id: string }).id;
}

/** The hosts have said which channels there are. */
async function untilRegistered({ database }: EngineStage): Promise<void> {
	const count = async () => (await database.query("SELECT FROM chronicle.channel")).count;
	expect(await eventually(count, (found) => found > 0)).toBeGreaterThan(0);
}

async function statesOf({ database }: EngineStage, run: string): Promise<readonly string[]> {
	const { rows } = await database.query<{ text: string }>(
		"SELECT kind || ' ' || state AS text FROM chronicle.notice WHERE run = $1 ORDER BY seq",
		[run],
	);
	return rows.map(({ text }) => text);
}

describe("notices on an engine", { ...needsPostgres, timeout: patient(120_000) }, () => {
	it("are sent once by two hosts, and again after failures under the same key", async () => {
		const { url, received } = await openReceiver([500, 503]);
		const stage = await openNotified([{ channel: "webhook", url, kinds: ["approval", "done"] }]);
		for (const name of ["a", "b"]) stage.host(name);
		await untilRegistered(stage);
		const run = await submit(stage);
		await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		await eventually(
			() => received,
			(all) => all.length >= 1,
		);
		const status = await stage.cli(["status", run]);
		if (received.length < 3)
			expect(status.stdout).toMatch(/Notice not delivered: approval .* by webhook 127\.0\.0\.1:\d+: HTTP 50/);
		await eventually(
			() => received,
			(all) => all.length >= 3,
		);
		expect(new Set(received.map(({ key }) => key)).size).toBe(1);
		expect(received[0]?.title).toMatch(/^app: t \w{8} asks for your approval/);
		// As it is printed.
		const [, line = ""] = /^pi-chronicle (.*)$/.exec(received[0]?.commands[0] ?? "") ?? [];
		expect((await stage.cli(line.split(" "))).code, line).toBe(0);
		await stage.until(run, ({ status: now, holder }) => now === "done" && holder === null);
		await eventually(
			() => received,
			(all) => all.some(({ kind }) => kind === "done"),
		);
		await sleep(1500);
		expect(received.map(({ kind }) => kind)).toEqual(["approval", "approval", "approval", "done"]);
		expect(await statesOf(stage, run)).toEqual(["approval sent", "done sent"]);
	});

	it.each([
		["before notice", "webhook", 1],
		["notice sent", "webhook", 2],
		["before notice", "command", 1],
		["notice sent", "command", 1],
	])("whose host is killed '%s' arrive by %s once, by another host", async (point, channel, times) => {
		const { url, received } = await openReceiver();
		const out = join(openFolder(), "told");
		const command = ["sh", "-c", `echo "$PI_CHRONICLE_NOTICE_ID" >> ${out}`];
		const stage = await openNotified([
			{ channel, kinds: ["approval"], ...(channel === "webhook" ? { url } : { command }) },
		]);
		const dying = stage.host("dying", { [CRASH_VARIABLE]: point });
		await untilRegistered(stage);
		const run = await submit(stage);
		const end = await Promise.race([dying.child.exited, sleep(patient(60_000))]);
		expect(end?.kind, dying.log()).toBe("killed");
		// As after a minute.
		await stage.database.query("UPDATE chronicle.notice SET due_at = now() WHERE state IN ('claimed', 'started')");
		stage.host("heir");
		await eventually(
			() => statesOf(stage, run),
			(states) => states.join() === "approval sent",
		);
		expect(await statesOf(stage, run)).toEqual(["approval sent"]);
		const told = existsSync(out) ? readFileSync(out, "utf8").trim().split("\n") : [];
		expect(channel === "webhook" ? received.length : told.length).toBe(times);
		expect(new Set(received.map(({ key }) => key)).size).toBeLessThanOrEqual(1);
	});

	it("are refused to a submitter who names an address", async () => {
		const stage = await openNotified([]);
		const named = ["--notify", "http://127.0.0.1:1/", "t", "Do it"];
		const refused = await stage.cli(["run", "--approve-cleanup", "--model", "scripted/one", ...named]);
		expect([refused.code, refused.stderr]).toEqual([
			2,
			expect.stringContaining("its hosts send notices by their own settings"),
		]);
	});

	it("that are answered before their turn are not sent, and a channel is told nothing of what was before it", async () => {
		const { url, received } = await openReceiver();
		const stage = await openNotified([]);
		const first = stage.host("a");
		const early = await submit(stage);
		await stage.until(early, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		await first.child.kill();
		const settings = join(stage.project.home, ".pi", "agent", "settings.json");
		const before = JSON.parse(readFileSync(settings, "utf8")) as object;
		writeFileSync(
			settings,
			JSON.stringify({
				...before,
				chronicle: { notify: [{ channel: "webhook", url, kinds: ["approval"] }, { channel: "bell" }] },
			}),
		);
		const host = stage.host("b");
		await untilRegistered(stage);
		expect(host.log()).toContain("bell: nobody sits at a host");
		// Due only later, as after a failure.
		await stage.database.query(
			"CREATE FUNCTION chronicle.later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.due_at := now() + interval '1 hour'; RETURN NEW; END $$",
		);
		await stage.database.query(
			"CREATE TRIGGER later BEFORE INSERT ON chronicle.notice FOR EACH ROW EXECUTE FUNCTION chronicle.later()",
		);
		const run = await submit(stage);
		await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		expect((await stage.cli(["approve", run])).code).toBe(0);
		await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
		await stage.database.query("UPDATE chronicle.notice SET due_at = now()");
		await stage.database.query("SELECT pg_notify('chronicle', 'notice')");
		await eventually(
			() => statesOf(stage, run),
			(states) => states.join() === "approval outdated",
		);
		expect(await statesOf(stage, run)).toEqual(["approval outdated"]);
		expect(await statesOf(stage, early)).toEqual([]);
		expect(received).toEqual([]);
		// One for a channel that no host has any more.
		await stage.database.query(
			"INSERT INTO chronicle.notice (run, seq, kind, channel, name) VALUES ($1, 9, 'approval', 'gone', 'webhook gone')",
			[early],
		);
		await stage.database.query(
			"UPDATE chronicle.notice SET due_at = now() - interval '5 minutes' WHERE channel = 'gone'",
		);
		expect((await stage.cli(["status", early])).stdout).toContain(
			"by webhook gone: no host that is up has this channel",
		);
	});
});
