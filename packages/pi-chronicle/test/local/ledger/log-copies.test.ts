// Copies of the event logs outside the project: what deletes ignored files loses no recorded event, whenever processes are killed.
import { spawn } from "node:child_process";
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { LedgerStore } from "@pi-chronicle/core/ports";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { realDisk } from "../../../src/disk/index.ts";
import { openFileStore } from "../../../src/local/ledger/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { patient } from "../../harness/patience.ts";
import { runs } from "../../harness/runs.ts";
import { created, id, tell, value } from "./sample-events.ts";

function openPlace() {
	const project = openFolder();
	const sessions = join(project, ".pi", "chronicle", "sessions");
	const copies = { folder: join(openFolder(), "ledgers", "p"), project };
	const log = join(sessions, `${id}.events.jsonl`);
	const copy = join(copies.folder, `${id}.events.jsonl`);
	const open = (disk = realDisk): LedgerStore => openFileStore({ sessions, copies, disk, clock: Date });
	const clean = () => rmSync(join(project, ".pi"), { recursive: true, force: true });
	return { project, sessions, copies, log, copy, open, clean };
}

/** A run with `count` messages to its worker. */
async function aRun(store: LedgerStore, count = 2): Promise<void> {
	const ledger = value(await store.create(created()));
	let { run } = ledger;
	for (let n = 0; n < count; n += 1) run = await tell(ledger, run, { kind: "told", text: `message ${n}` });
	value(await ledger.checkpoint(run));
	await ledger.releaseLease();
}

describe("after git clean -fdx", () => {
	it("list, status and the beginning of an id find the run without writing; resuming brings the events back", async () => {
		const { log, copy, open, clean } = openPlace();
		await aRun(open());
		const before = readFileSync(log);
		const known = value(await open().read(id)).run;
		clean();
		const store = open();
		expect(await store.list()).toMatchObject([{ kind: "run", id }]);
		expect(await store.recent(5)).toMatchObject([{ kind: "run", id }]);
		expect(value(await store.find(id.slice(0, 4)))).toBe(id);
		expect(value(await store.read(id)).run).toEqual(known);
		expect(existsSync(log)).toBe(false);
		const ledger = value(await store.open(id));
		expect([ledger.run, ledger.repairs]).toEqual([known, []]);
		await tell(ledger, ledger.run, { kind: "told", text: "after" });
		await ledger.releaseLease();
		expect(readFileSync(log).subarray(0, before.length)).toEqual(before);
		expect(readFileSync(copy)).toEqual(readFileSync(log));
	});

	it("while a process holds the run, that process writes nothing more and says how to continue", async () => {
		const { open, clean, copy, log } = openPlace();
		const held = value(await open().create(created()));
		await tell(held, held.run, { kind: "told", text: "before" });
		const whole = readFileSync(copy);
		clean();
		const refused = await held.append([{ kind: "told", text: "after" }], "durable");
		expect(refused).toMatchObject({ ok: false, failure: { reason: "fenced" } });
		expect(refused.ok ? "" : `${refused.failure.message} ${refused.failure.remedy}`).toMatch(
			/deleted.*pi-chronicle resume 11111111/s,
		);
		const next = value(await open().open(id));
		expect(readFileSync(log)).toEqual(whole);
		await next.releaseLease();
		await held.releaseLease();
	});

	it("a removed run stays removed, and so does one that was deleted before it was removed", async () => {
		const { open, clean, copy } = openPlace();
		await aRun(open());
		value(await open().remove(id));
		expect([existsSync(copy), await open().list()]).toEqual([false, []]);
		await aRun(open());
		clean();
		expect(value(await open().remove(id)).bytes).toBeGreaterThan(0);
		expect(await open().list()).toEqual([]);
	});
});

it("a run of an earlier version is found where it is, and gets its copy when it is opened", async () => {
	const { sessions, copy, log, open } = openPlace();
	await aRun(openFileStore({ sessions, clock: Date }));
	expect(existsSync(copy)).toBe(false);
	await value(await open().open(id)).releaseLease();
	expect(readFileSync(copy)).toEqual(readFileSync(log));
});

it("what a log has lost of its end comes back from the copy; a log with other contents stays as it is", async () => {
	const { copy, log, open } = openPlace();
	await aRun(open(), 4);
	const whole = readFileSync(log);
	for (const size of [0, whole.indexOf(10) + 4, whole.length - 5, whole.length - 200]) {
		truncateSync(log, size);
		const ledger = value(await open().open(id));
		expect(readFileSync(log)).toEqual(whole);
		await ledger.releaseLease();
	}
	// An append that was never confirmed, of a process that was killed in it.
	appendFileSync(copy, '{"seq":99,"torn');
	await value(await open().open(id)).releaseLease();
	expect([readFileSync(log), readFileSync(copy)]).toEqual([whole, whole]);
});

it("after a write that fails, the copy has no more than the log", async () => {
	const { copy, log, open } = openPlace();
	let full = false;
	const disk: typeof realDisk = {
		async open(path, flags, mode) {
			const file = await realDisk.open(path, flags, mode);
			const write = file.write.bind(file);
			file.write = ((...args: Parameters<typeof write>) => {
				if (full) throw Object.assign(new Error("full"), { code: "ENOSPC" });
				return write(...args);
			}) as typeof file.write;
			return file;
		},
	};
	const ledger = value(await open(disk).create(created()));
	const run = await tell(ledger, ledger.run, { kind: "told", text: "one" });
	full = true;
	expect(await ledger.append([{ kind: "told", text: "lost" }], "durable")).toMatchObject({ ok: false });
	expect(statSync(copy).size).toBe(statSync(log).size);
	full = false;
	await tell(ledger, run, { kind: "told", text: "two" });
	await ledger.releaseLease();
	expect(readFileSync(copy)).toEqual(readFileSync(log));
});

it("a folder for copies that cannot be written is reported and stops nothing", async () => {
	const { copies, sessions, open } = openPlace();
	await aRun(openFileStore({ sessions, clock: Date }));
	mkdirSync(dirname(copies.folder), { recursive: true });
	writeFileSync(copies.folder, "in the way");
	const ledger = value(await open().open(id));
	expect(ledger.repairs.join()).toMatch(/No copy of the events can be kept in .*\(.*exists.*\): .*git clean -x/s);
	await tell(ledger, ledger.run, { kind: "told", text: "goes on" });
	await ledger.releaseLease();
	expect(await open().list()).toHaveLength(1);
});

const writer = (sessions: string, copies: object) => `
import { openFileStore } from ${JSON.stringify(join(import.meta.dirname, "../../../src/local/ledger/index.ts"))};
import { created, value } from ${JSON.stringify(join(import.meta.dirname, "sample-events.ts"))};
const store = openFileStore({ sessions: ${JSON.stringify(sessions)}, copies: ${JSON.stringify(copies)}, clock: Date });
const ledger = value(await store.create(created()));
for (let n = 0; ; n += 1) {
	const done = await ledger.append([{ kind: "noted", text: "event " + n }], "durable");
	if (!done.ok) break;
	process.stdout.write(n + "\\n");
}
`;

it(
	"killed at any moment, before or after the project is cleaned, every confirmed event is there",
	async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 60 }),
				fc.boolean(),
				fc.integer({ min: 0, max: 4 }),
				async (events, killFirst, ms) => {
					const { sessions, copies, open, clean } = openPlace();
					const script = join(openFolder(), "writer.mts");
					writeFileSync(script, writer(sessions, copies));
					const child = spawn(process.execPath, ["--experimental-strip-types", "--no-warnings", script]);
					const gone = new Promise((resolve) => child.once("exit", resolve));
					let confirmed = -1;
					await new Promise<void>((resolve) => {
						child.stdout.on("data", (chunk: Buffer) => {
							for (const line of chunk.toString().split("\n").filter(Boolean)) confirmed = Number(line);
							if (confirmed >= events) resolve();
						});
						child.once("exit", () => resolve());
					});
					await new Promise((resolve) => setTimeout(resolve, ms));
					if (!killFirst) clean();
					child.kill("SIGKILL");
					await gone;
					if (killFirst) clean();
					expect(confirmed).toBeGreaterThanOrEqual(events);
					const ledger = value(await open().open(id));
					const texts: string[] = [];
					for await (const event of ledger.events()) if (event.kind === "noted") texts.push(event.text);
					await ledger.releaseLease();
					expect(texts.slice(0, confirmed + 1)).toEqual(Array.from({ length: confirmed + 1 }, (_, n) => `event ${n}`));
				},
			),
			{ numRuns: runs(0.03) },
		);
	},
	patient(120_000),
);
