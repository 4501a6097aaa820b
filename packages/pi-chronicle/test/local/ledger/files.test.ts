// Ledger files on a real disk: damage, full disks, permissions, foreign files, size.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	chownSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { foldEvent, type LedgerEvent, type Run } from "@pi-chronicle/core/machine";
import type { LedgerStore } from "@pi-chronicle/core/ports";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Disk, realDisk } from "../../../src/disk/index.ts";
import { openFileStore } from "../../../src/local/ledger/index.ts";
import { thisHost } from "../../../src/local/ledger/lease.ts";
import { deepIt } from "../../harness/deep-it.ts";
import { needs, needsNoRoot, needsPosix } from "../../harness/needs.ts";
import { expectFilesClosed } from "../../harness/open-files.ts";
import { deep } from "../../harness/runs.ts";
import { baseline, created, id, tell, value, visit } from "./sample-events.ts";

/** Only root can act as another user; otherwise those tests are skipped. */
const root = process.geteuid?.() === 0;
let sessions: string;
let store: LedgerStore;
let now = Date.UTC(2030, 0, 1);
const clock = { now: () => (now += 10) };
const json = () => join(sessions, `${id}.json`);
const log = () => join(sessions, `${id}.events.jsonl`);
const lines = () =>
	readFileSync(log(), "utf8")
		.split("\n")
		.filter(Boolean)
		.map((line) => JSON.parse(line) as LedgerEvent);
const names = () => readdirSync(sessions).sort();

beforeEach(() => {
	sessions = join(mkdtempSync(join(tmpdir(), "ledger-")), "sessions");
	store = openFileStore({ sessions, clock });
});
afterEach(() => rmSync(join(sessions, ".."), { recursive: true, force: true }));

/** A run after `visits` whole visits, checkpointed at its end unless told otherwise, and given back. */
async function aRun(visits = 2, checkpoint = true): Promise<Run> {
	const ledger = value(await store.create(created()));
	let run = await tell(ledger, ledger.run, baseline);
	for (let n = 0; n < visits; n += 1) for (const body of visit(run)) run = await tell(ledger, run, body);
	if (checkpoint) value(await ledger.checkpoint(run));
	await ledger.releaseLease();
	return run;
}

describe("damage", () => {
	it("a torn end loses only the torn event, is reported and kept, and every later line parses", async () => {
		await aRun(2, false);
		const before = lines();
		truncateSync(log(), statSync(log()).size - 7);
		const ledger = value(await store.open(id));
		expect(ledger.run.seq).toBe(before.length - 1);
		expect(ledger.repairs.join()).toMatch(/end of the log was torn: its last \d+ bytes/);
		const run = await tell(ledger, ledger.run, { kind: "told", text: "after" });
		value(await ledger.checkpoint(run));
		await ledger.releaseLease();
		expect(lines().slice(0, before.length - 1)).toEqual(before.slice(0, -1));
		expect(lines().map(({ seq }) => seq)).toEqual([...lines().keys()].map((n) => n + 1));
		expect(names().filter((name) => name.includes(".corrupt-")).length).toBe(1);
		const again = value(await store.open(id));
		expect(again.repairs).toEqual([]);
		await again.releaseLease();
	});
	it("a log cut at any byte gives the run at its last complete event", async () => {
		await aRun(1);
		const bytes = readFileSync(log());
		const checkpoint = readFileSync(json());
		const states = new Map<number, Run>();
		const ends = [...bytes.keys()].filter((at) => bytes[at] === 10).map((at) => at + 1);
		for (const [index, end] of ends.entries()) {
			writeFileSync(log(), bytes.subarray(0, end));
			rmSync(json(), { force: true });
			states.set(index + 1, value(await store.read(id)).run);
		}
		for (let length = 0; length <= bytes.length; length += deep ? 1 : 7) {
			writeFileSync(log(), bytes.subarray(0, length));
			// With and without a checkpoint that knows more than the log.
			if (length % 2) writeFileSync(json(), checkpoint);
			else rmSync(json(), { force: true });
			const read = await store.read(id);
			const whole = ends.filter((end) => end <= length).length;
			// An empty log is no run.
			const reason = length === 0 ? "unknown" : "corrupt";
			if (whole === 0) expect(!read.ok && read.failure.reason).toBe(reason);
			else expect(value(read).run, `cut at ${length}`).toEqual(states.get(whole));
		}
	});
	it("a checkpoint cut at any byte is rebuilt from the events, and the damaged one is kept", async () => {
		const run = await aRun(1);
		const bytes = readFileSync(json());
		for (let length = 0; length < bytes.length - 1; length += 97) {
			writeFileSync(json(), bytes.subarray(0, length));
			const read = value(await store.read(id));
			expect(read.run).toEqual(run);
			expect(read.repairs.join()).toContain("was damaged");
		}
		expect(names().filter((name) => name.includes(".corrupt-"))).toEqual([]);
		const ledger = value(await store.open(id));
		value(await ledger.checkpoint(ledger.run));
		await ledger.releaseLease();
		const [kept] = names().filter((name) => name.includes(".json.corrupt-"));
		expect(readFileSync(join(sessions, kept ?? "")).length).toBeLessThan(bytes.length);
		expect(JSON.parse(readFileSync(json(), "utf8"))).toMatchObject({ id, seq: run.seq });
	});
	it("garbage or zeros that a power cut left after the last event are a torn end", async () => {
		const run = await aRun(1);
		const sound = readFileSync(log());
		for (const garbage of ["\0".repeat(4096), "\n\n{}\n", '{"seq":99}\n', "x".repeat(100_000)]) {
			writeFileSync(log(), Buffer.concat([sound, Buffer.from(garbage)]));
			const ledger = value(await store.open(id));
			expect(ledger.run).toEqual(run);
			expect(ledger.repairs.length).toBe(1);
			await ledger.releaseLease();
			expect(readFileSync(log())).toEqual(sound);
		}
	});
	it.each([
		["a changed byte", (text: string) => text.replace('"model":"a', '"model":"b')],
		["a missing line", (text: string) => text.split("\n").toSpliced(3, 1).join("\n")],
		[
			"a doubled line",
			(text: string) =>
				text
					.split("\n")
					.toSpliced(3, 0, text.split("\n")[3] ?? "")
					.join("\n"),
		],
		[
			"swapped lines",
			(text: string) =>
				text
					.split("\n")
					.toSpliced(3, 2, text.split("\n")[4] ?? "", text.split("\n")[3] ?? "")
					.join("\n"),
		],
	])("%s in the middle is refused with its offset, and nothing is changed", async (_, damage) => {
		await aRun(2);
		rmSync(json());
		const damaged = damage(readFileSync(log(), "utf8"));
		writeFileSync(log(), damaged);
		for (const result of [await store.open(id), await store.read(id)]) {
			expect(!result.ok && result.failure.reason).toBe("corrupt");
			expect(!result.ok && result.failure.message).toContain(log());
		}
		expect(readFileSync(log(), "utf8")).toBe(damaged);
		expect(await store.list()).toMatchObject([{ kind: "unreadable", id, failure: { reason: "corrupt" } }]);
	});
	it.each([
		["one byte", "{"],
		["many bytes", "\0{torn".repeat(1000)],
		["more than 1 MiB, of which the first is kept", "x".repeat((1 << 20) + 1)],
	])("a torn end of %s is copied, private, before it is truncated", async (_, torn) => {
		await aRun(1);
		const sound = readFileSync(log());
		writeFileSync(log(), Buffer.concat([sound, Buffer.from(torn)]));
		await value(await store.open(id)).releaseLease();
		expect(readFileSync(log())).toEqual(sound);
		const [copy = ""] = names().filter((name) => name.includes(".events.jsonl.corrupt-"));
		expect(readFileSync(join(sessions, copy), "latin1")).toBe(torn.slice(0, 1 << 20));
		expect(statSync(join(sessions, copy)).mode & 0o077).toBe(0);
	});
	it("a log of more than 8 MB is not searched for damage before its checkpoint", async () => {
		const ledger = value(await store.create(created()));
		const long = { kind: "told", text: "x ".repeat(4_000_000) } as const;
		const run = value(await ledger.append([long], "durable")).reduce(foldEvent, ledger.run);
		value(await ledger.checkpoint(await tell(ledger, run, { kind: "told", text: "last" })));
		await ledger.releaseLease();
		writeFileSync(log(), readFileSync(log(), "latin1").replace("x x", "x y"), "latin1");
		const again = value(await store.open(id));
		expect(again.repairs).toEqual([]);
		await again.releaseLease();
	});
	it("damage before a sound checkpoint does not prevent resuming, and is reported then", async () => {
		const run = await aRun(2);
		writeFileSync(log(), readFileSync(log(), "utf8").replace('"model":"a', '"model":"b'));
		expect(value(await store.read(id)).run).toEqual(run);
		const ledger = value(await store.open(id));
		expect(ledger.repairs.join()).toMatch(/A line of .* is damaged/);
		await ledger.releaseLease();
	});
	it.each([
		["the end", (bytes: Buffer) => bytes.fill(0, bytes.length - 300)],
		["the middle", (bytes: Buffer) => bytes.fill(0, 900, 1400)],
		["all", (bytes: Buffer) => bytes.fill(0)],
	])(
		"a log with zeros in %s below a sound checkpoint is reported, kept, and repaired from the checkpoint",
		async (_, damage) => {
			const run = await aRun(3);
			const damaged = damage(readFileSync(log()));
			writeFileSync(log(), damaged);
			const ledger = value(await store.open(id));
			expect({ ...ledger.run, seq: 0, updatedAt: "" }).toEqual({ ...run, seq: 0, updatedAt: "" });
			expect(ledger.repairs.join(" ")).toMatch(/damaged.*continues from its checkpoint.*is kept as/);
			const [kept = ""] = names().filter((name) => name.includes(".damaged-"));
			expect(readFileSync(join(sessions, kept))).toEqual(damaged);
			// Whatever the damage ends with, the new events start on a new line, and no line is empty.
			expect(readFileSync(log(), "latin1")).toMatch(/(^|[^\n]\n)\{[^\n]*"kind":"recovered"[^\n]*\n$/);
			const after = await tell(ledger, ledger.run, { kind: "told", text: "after" });
			value(await ledger.checkpoint(after));
			await ledger.releaseLease();
			expect(JSON.parse(readFileSync(json(), "utf8")).log.offset).toBe(statSync(log()).size);
			for (const without of [false, true]) {
				if (without) rmSync(json());
				const read = value(await store.read(id));
				expect(read.run).toEqual(after);
				expect(read.repairs).toEqual([]);
			}
			// A repair is reported once.
			const again = value(await store.open(id));
			expect([again.repairs, again.run]).toEqual([[], after]);
			await again.releaseLease();
		},
	);
	it("a checkpoint edited by hand is rejected; one of an earlier version, without a checksum, is accepted", async () => {
		const run = await aRun(2);
		const written = readFileSync(json(), "utf8");
		const edited = written.replace(/"costUsd": \d+/, '"costUsd": 99');
		expect(edited).not.toBe(written);
		writeFileSync(json(), edited);
		const read = value(await store.read(id));
		expect(read.run).toEqual(run);
		expect(read.repairs.join()).toContain("changed by hand");
		const ledger = value(await store.open(id));
		await ledger.releaseLease();
		expect(names().some((name) => name.includes(".json.corrupt-"))).toBe(true);
		// Formatting does not matter; without the checksum it is what earlier versions wrote.
		const { crc, ...older } = JSON.parse(written);
		for (const text of [JSON.stringify({ ...older, crc }), JSON.stringify(older)]) {
			writeFileSync(json(), text);
			expect(value(await store.read(id))).toMatchObject({ run: { seq: run.seq }, repairs: [] });
		}
	});
	it("a checkpoint of an earlier version is rejected if the log lacks its event", async () => {
		await aRun(2);
		const { crc: _, ...older } = JSON.parse(readFileSync(json(), "utf8"));
		writeFileSync(json(), JSON.stringify(older));
		writeFileSync(log(), readFileSync(log()).fill(0, statSync(log()).size - 300));
		const read = value(await store.read(id));
		expect(read.run.seq).toBeLessThan(older.seq);
		expect(read.repairs.join()).toMatch(/events of the log are lost/);
	});
	it("a run without its events can be read but not resumed", async () => {
		const run = await aRun(1);
		rmSync(log());
		const read = value(await store.read(id));
		expect(read.run).toEqual(run);
		expect(read.repairs.join()).toContain("is missing");
		const opened = await store.open(id);
		expect(!opened.ok && opened.failure.reason).toBe("corrupt");
		expect(existsSync(log())).toBe(false);
	});
	it("events of a process that had lost the lease are ignored", async () => {
		const run = await aRun(1);
		const zombie = readFileSync(log(), "utf8").split("\n").filter(Boolean).at(-1) ?? "";
		const ledger = value(await store.open(id));
		const told = await tell(ledger, run, { kind: "told", text: "by the new one" });
		await ledger.releaseLease();
		writeFileSync(log(), `${readFileSync(log(), "utf8")}${zombie}\n`);
		const read = value(await store.read(id));
		expect(read.run).toEqual(told);
		expect(read.repairs.join()).toContain("had lost the run");
	});
});

describe("files of other programs and newer versions", () => {
	it.each([
		[
			"a newer checkpoint",
			() => writeFileSync(json(), readFileSync(json(), "utf8").replace(/"schemaVersion": \d+/, '"schemaVersion": 99')),
			"newer",
		],
		["another program's file of that name", () => writeFileSync(json(), '{"workflowName":"x","id":"y"}'), "foreign"],
	])("%s is never overwritten", async (_, replace, reason) => {
		await aRun(1);
		replace();
		const before = readFileSync(json(), "utf8");
		const opened = await store.open(id);
		expect(!opened.ok && opened.failure.reason).toBe(reason);
		expect((await store.create(created())).ok).toBe(false);
		expect(readFileSync(json(), "utf8")).toBe(before);
	});
	it("a newer log without a checkpoint is refused too", async () => {
		const ledger = value(await store.create({ ...created(), schemaVersion: 99 }));
		await ledger.releaseLease();
		rmSync(json());
		const opened = await store.open(id);
		expect(!opened.ok && opened.failure.reason).toBe("newer");
	});
	it("ledgers of another implementation are listed, and its other files ignored", async () => {
		mkdirSync(sessions, { recursive: true });
		const ae = {
			id: "0123456789abcdef",
			workflowName: "Feature",
			workflowPath: "C:\\x\\feature.json",
			workflowDef: { name: "Feature", initial: "plan", states: { plan: { agent: "planner", next: ["done"] } } },
			created: 1_771_882_710_762,
			lastUpdated: 1_771_883_144_996,
			currentState: "done",
			initialTask: "",
			history: [
				{
					state: "plan",
					agentName: "planner",
					startedAt: 1,
					summary: "s",
					tokensUsed: 5,
					elapsed: 3,
					taskGiven: "\nBuild the thing",
					outputPreview: "",
				},
			],
			snapshot: { modifiedFiles: [], keyFindings: [], pendingTasks: [], custom: {} },
			transitionCounts: {},
			totalTokens: 59_332,
			totalElapsed: 7,
			status: "done",
		};
		const files = {
			"0123456789abcdef.json": JSON.stringify(ae, null, 2),
			"fedcba9876543210.json": JSON.stringify(ae).slice(0, -50),
			"state-0123456789abcdef-plan.json": '{"type":"session"}\n{"type":"message"}\n',
			"answer-0123456789abcdef-plan.json": '{"answer":"yes"}',
			"ctx-0123456789abcdef-plan.md": "context",
			"list.json": "[1,2]",
		};
		for (const [name, text] of Object.entries(files)) writeFileSync(join(sessions, name), text);
		await aRun(0);
		const entries = await store.list();
		expect(entries.map(({ kind, id: one }) => `${kind} ${one}`)).toEqual([
			`run ${id}`,
			"foreign 0123456789abcdef",
			"unreadable fedcba9876543210",
		]);
		expect(entries[1]).toMatchObject({
			format: "AE",
			summary: {
				template: "Feature",
				task: "Build the thing",
				status: "done",
				state: "done",
				tokens: 59_332,
				updatedAt: "2026-02-23T21:45:44.996Z",
			},
		});
		const opened = await store.open("0123456789abcdef");
		expect(!opened.ok && opened.failure.reason).toBe("unknown");
		for (const [name, text] of Object.entries(files)) expect(readFileSync(join(sessions, name), "utf8")).toBe(text);
	});
	it("ids never become paths outside of the folder", async () => {
		for (const bad of [
			"../../x",
			"",
			".",
			`${id}/..`,
			"AAAAAAAA-2222-4333-8444-555555555555",
			"99999999-2222-4333-8444-555555555555".slice(1),
		]) {
			expect((await store.open(bad)).ok).toBe(false);
			expect((await store.read(bad)).ok).toBe(false);
			expect((await store.post(bad, { kind: "told", text: "x" })).ok).toBe(false);
			expect((await store.create(created({ id: bad }))).ok).toBe(false);
		}
		expect(existsSync(sessions)).toBe(false);
	});
});

describe("permissions", () => {
	it("files are 0600, folders 0700, and git ignores all of them", needsPosix, async () => {
		await aRun(1);
		value(await store.post(id, { kind: "told", text: "x" }));
		const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
		expect([json(), log()].map(mode)).toEqual(["600", "600"]);
		expect([sessions, join(sessions, id), join(sessions, id, "inbox")].map(mode)).toEqual(["700", "700", "700"]);
		for (const name of readdirSync(join(sessions, id, "inbox")))
			expect(mode(join(sessions, id, "inbox", name))).toBe("600");
		spawnSync("git", ["init", "-q", join(sessions, "..")]);
		const { stdout } = spawnSync("git", ["status", "--porcelain", "--untracked-files=all"], {
			cwd: join(sessions, ".."),
			encoding: "utf8",
		});
		expect(stdout).toBe("");
	});
	it(
		"files that root creates in another user's folder belong to that user, who can continue the run",
		needs("root", root),
		async () => {
			const project = join(sessions, "..");
			chownSync(project, 4321, 4321);
			await aRun(1);
			mkdirSync(join(sessions, id, "workers"));
			writeFileSync(join(sessions, id, "workers", "1.1.jsonl"), "{}\n");
			value(await store.post(id, { kind: "told", text: "x" }));
			const held = value(await store.open(id));
			await held.releaseLease();
			const all = readdirSync(sessions, { recursive: true, encoding: "utf8" }).map((name) => join(sessions, name));
			expect(all.length).toBeGreaterThan(5);
			for (const path of [sessions, ...all]) expect(statSync(path).uid, path).toBe(4321);
		},
	);
	it(
		"an unreadable file is not treated as absent: the message names its owner and a remedy",
		// A thread cannot change its user.
		needs("root", root && isMainThread),
		async () => {
			await aRun(1);
			chmodSync(join(sessions, ".."), 0o755);
			const look = async (paths: readonly string[]) => {
				for (const path of paths) chownSync(path, 4321, 4321);
				process.seteuid?.(4321);
				try {
					return { listed: await store.list(), read: await store.read(id), opened: await store.open(id) };
				} finally {
					process.seteuid?.(0);
				}
			};
			// The user owns none of it.
			const none = await look([]);
			const folder = {
				kind: "unreadable",
				failure: { reason: "io", message: expect.stringContaining("belongs to root") },
			};
			expect(none.listed).toMatchObject([folder]);
			expect(!none.read.ok && none.read.failure.remedy).toContain(`sudo chown -R 4321 ${JSON.stringify(sessions)}`);
			// The user owns all but the checkpoint, as after a command under sudo.
			const all = readdirSync(sessions, { recursive: true, encoding: "utf8" }).map((name) => join(sessions, name));
			const one = await look([sessions, ...all.filter((path) => path !== json())]);
			expect(one.listed).toMatchObject([{ ...folder, id }]);
			for (const result of [one.read, one.opened])
				expect(!result.ok && result.failure.message).toContain("belongs to root");
		},
	);
	it("an inbox file that is no command is kept under another name and reported", async () => {
		await aRun(1);
		const inbox = join(sessions, id, "inbox");
		mkdirSync(inbox, { recursive: true });
		const left = [
			"",
			"{",
			"null",
			"[]",
			'{"kind":"finished","status":"done"}',
			'{"kind":"constructor"}',
			'{"kind":"told"}',
			'{"kind":"told","text":5}',
			'{"kind":"approved","answers":"3","diff":"t"}',
			'{"kind":"resumed","answers":1,"words":{}}',
			'{"kind":"rewind_requested","to":1,"state":"a","tree":"t","snapshot":null,"pairMoves":{}}',
			'{"kind":"told","text":"x","seen":3}',
			'{"kind":"rejected","answers":1}',
			'{"kind":"limits_changed","limits":{"costUsd":"none"}}',
			'{"kind":"limits_changed","limits":{"tokens":1000},"state":5}',
			'{"kind":"released","answers":1,"to":["done"]}',
			'{"kind":"approved","answers":1,"diff":"t","choice":"mine"}',
			'{"kind":"child_dropped","child":"c","ends":"yes"}',
			JSON.stringify({ kind: "told", text: "x".repeat(100_100) }),
			'{"kind":"told","text":"heard"}',
		];
		for (const [n, text] of left.entries()) writeFileSync(join(inbox, `${100 + n}-x.post.json`), text);
		const ledger = value(await store.open(id));
		const heard: object[] = [];
		const unread: string[] = [];
		await ledger.onPosted({
			async event(event) {
				heard.push(event);
				return undefined;
			},
			unread: async (path) => void unread.push(path),
		});
		await ledger.releaseLease();
		expect(heard).toEqual([{ kind: "told", text: "heard" }]);
		expect(unread.map((path) => readFileSync(path, "utf8"))).toEqual(left.slice(0, -1));
	});
	it("a message that no holder could read is refused when it is posted", async () => {
		await aRun(1);
		const posted = await store.post(id, { kind: "told", text: "x".repeat(100_100) });
		expect(!posted.ok && posted.failure.reason).toBe("too_long");
		expect(existsSync(join(sessions, id, "inbox"))).toBe(false);
	});
	it("an existing .gitignore stays as it is", async () => {
		mkdirSync(sessions, { recursive: true });
		writeFileSync(join(sessions, ".gitignore"), "mine\n");
		await aRun(0);
		expect(readFileSync(join(sessions, ".gitignore"), "utf8")).toBe("mine\n");
	});
	it("a folder that cannot be written is a failure with a reason, not an exception", needsNoRoot, async () => {
		mkdirSync(sessions, { recursive: true });
		chmodSync(sessions, 0o500);
		const made = await store.create(created());
		chmodSync(sessions, 0o700);
		expect(!made.ok && made.failure.reason).toBe("io");
	});
});

/** A disk that accepts `left` more bytes and then is full; the part of a write that fits is written. `durable`: the last write was synced. */
function smallDisk(): Disk & { left: number; durable: boolean } {
	const disk = {
		left: Number.POSITIVE_INFINITY,
		durable: true,
		async open(path: string, flags: string | number, mode: number): Promise<FileHandle> {
			const file = await realDisk.open(path, flags, mode);
			const full = () => Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
			const write = file.write.bind(file) as (
				bytes: Buffer,
				from: number,
				length: number,
			) => ReturnType<FileHandle["write"]>;
			const sync = file.sync.bind(file);
			Object.assign(file, {
				sync: async () => {
					await sync();
					disk.durable = true;
				},
				write: async (bytes: Buffer, from: number, length: number) => {
					disk.durable = false;
					if (disk.left <= 0) throw full();
					const part = Math.min(length, disk.left);
					disk.left -= part;
					return write(bytes, from, part);
				},
				writeFile: async (text: string) => {
					if (disk.left < Buffer.byteLength(text)) throw full();
					disk.left -= Buffer.byteLength(text);
					const bytes = Buffer.from(text);
					for (let at = 0; at < bytes.length; ) at += (await write(bytes, at, bytes.length - at)).bytesWritten;
				},
			});
			return file;
		},
	};
	return disk;
}

describe("a full disk", () => {
	it("is a failure, not an exception; half an event never stays; once there is space, writing continues", async () => {
		const disk = smallDisk();
		store = openFileStore({ sessions, clock, disk });
		const ledger = value(await store.create(created()));
		let run = await tell(ledger, ledger.run, baseline);
		for (const left of [0, 1, 50, 150]) {
			const before = readFileSync(log());
			disk.left = left;
			const failed = await ledger.append(
				[
					{ kind: "told", text: "x".repeat(40) },
					{ kind: "told", text: "y".repeat(200) },
				],
				"durable",
			);
			expect(!failed.ok && failed.failure.reason).toBe("no_space");
			expect(readFileSync(log())).toEqual(before);
			disk.left = Number.POSITIVE_INFINITY;
			run = await tell(ledger, run, { kind: "told", text: `after ${left}` });
		}
		expect(lines().map(({ seq }) => seq)).toEqual([...lines().keys()].map((n) => n + 1));
		await ledger.releaseLease();
		expect(value(await store.read(id)).run).toEqual(run);
	});
	it("a checkpoint that does not fit leaves the previous one, and no draft", async () => {
		const disk = smallDisk();
		store = openFileStore({ sessions, clock, disk });
		const ledger = value(await store.create(created()));
		const before = readFileSync(json(), "utf8");
		const run = await tell(ledger, ledger.run, baseline);
		disk.left = 100;
		const failed = await ledger.checkpoint(run);
		expect(!failed.ok && failed.failure.reason).toBe("no_space");
		expect(readFileSync(json(), "utf8")).toBe(before);
		expect(names().filter((name) => name.includes("tmp"))).toEqual([]);
		disk.left = Number.POSITIVE_INFINITY;
		value(await ledger.checkpoint(run));
		await ledger.releaseLease();
	});
	it("a run that cannot be created leaves no lease", async () => {
		const disk = smallDisk();
		disk.left = 10;
		store = openFileStore({ sessions, clock, disk });
		expect((await store.create(created())).ok).toBe(false);
		expect(readdirSync(join(sessions, id)).filter((name) => name.includes("lease"))).toEqual([]);
		expect(await store.list()).toEqual([]);
		disk.left = Number.POSITIVE_INFINITY;
		await value(await store.create(created())).releaseLease();
	});
	it("a repair that does not fit fails without loss, and succeeds once there is space", async () => {
		const run = await aRun(2);
		writeFileSync(log(), readFileSync(log()).fill(0));
		const disk = smallDisk();
		disk.left = 10;
		store = openFileStore({ sessions, clock, disk });
		expect(await store.open(id)).toMatchObject({ ok: false, failure: { reason: "no_space" } });
		expect({ ...value(await store.read(id)).run, updatedAt: "" }).toEqual({ ...run, updatedAt: "" });
		expect(value(await store.read(id)).holder).toBeUndefined();
		disk.left = Number.POSITIVE_INFINITY;
		disk.durable = false;
		const ledger = value(await store.open(id));
		expect(disk.durable, "the repair is on disk before the run continues").toBe(true);
		expect(ledger.run.snapshot).toEqual(run.snapshot);
		await ledger.releaseLease();
	});
	it("a creation interrupted before its first event leaves no run, and does not prevent one", async () => {
		mkdirSync(join(sessions, id), { recursive: true });
		writeFileSync(log(), "");
		expect(await store.list()).toEqual([]);
		expect(await store.open(id)).toMatchObject({ ok: false, failure: { reason: "unknown" } });
		await value(await store.create(created())).releaseLease();
		expect(value(await store.read(id)).run.seq).toBe(1);
	});
});

describe("a file that cannot be prepared after it was opened", () => {
	/** Opens files as usual, and removes what `removed` names right after. */
	const losing = (removed: () => string): Disk => ({
		async open(path, flags, mode) {
			const file = await realDisk.open(path, flags, mode);
			rmSync(removed(), { recursive: true, force: true });
			return file;
		},
	});
	it("the log is closed when its folder disappears", needs("root", root), async () => {
		store = openFileStore({ sessions, clock, disk: losing(() => sessions) });
		expect(await store.create(created())).toMatchObject({ ok: false, failure: { reason: "io" } });
		await expectFilesClosed(0);
	});
	it("a checkpoint that disappears while the run is opened is written again", async () => {
		const run = await aRun(1);
		store = openFileStore({ sessions, clock, disk: losing(json) });
		const ledger = value(await store.open(id));
		value(await ledger.checkpoint(run));
		await ledger.releaseLease();
		await expectFilesClosed(0);
	});
});

describe("the lease", () => {
	const lease = (fence: number, text: object | string) => {
		mkdirSync(join(sessions, id), { recursive: true });
		writeFileSync(join(sessions, id, `lease.${fence}`), typeof text === "string" ? text : JSON.stringify(text));
	};
	it("of a dead process is taken over, with a higher number", async () => {
		await aRun(1);
		const dead = spawnSync(process.execPath, ["-e", ""]).pid;
		lease(7, { host: thisHost(), pid: dead, started: "gone" });
		expect(value(await store.read(id)).holder?.alive).toBe("no");
		const ledger = value(await store.open(id));
		expect(ledger.fence).toBe(8);
		expect(readdirSync(join(sessions, id)).filter((name) => name.startsWith("lease"))).toEqual(["lease.8"]);
		await ledger.releaseLease();
	});
	it("of a process number that was reused is taken over: the start differs", async () => {
		await aRun(1);
		lease(7, { host: thisHost(), pid: process.pid, started: "long ago" });
		const ledger = value(await store.open(id));
		expect(ledger.fence).toBe(8);
		await ledger.releaseLease();
	});
	it.each<[string, object | string]>([
		["of another machine", { host: "elsewhere", pid: 1, started: "x" }],
		["that is torn", '{"host":'],
		["that is empty", ""],
	])("%s is never taken over", async (_, text) => {
		await aRun(1);
		lease(7, text);
		const opened = await store.open(id);
		expect(!opened.ok && opened.failure.reason).toBe("held");
		expect(!opened.ok && opened.failure.remedy).toContain("lease.7");
	});
	it("a process that lost it writes nothing more", async () => {
		const ledger = value(await store.create(created()));
		lease(ledger.fence + 1, { host: thisHost(), pid: process.pid, started: "x" });
		const before = [readFileSync(log()), readFileSync(json())];
		const failed = await ledger.append([{ kind: "told", text: "x" }], "durable");
		expect(!failed.ok && failed.failure).toEqual({
			reason: "fenced",
			message: `Process ${process.pid} has taken over the run.`,
			remedy: "Continue there.",
		});
		expect(await ledger.holdsLease()).toBe(false);
		expect((await ledger.checkpoint(ledger.run)).ok).toBe(false);
		expect([readFileSync(log()), readFileSync(json())]).toEqual(before);
		await ledger.releaseLease();
	});
	it.each([
		["its lease", (fence: number) => join(sessions, id, `lease.${fence}`), "fenced", /lease was removed/],
		["its folder", () => join(sessions, id), "fenced", /was deleted/],
	])("a process whose run has lost %s says so", async (_, path, reason, message) => {
		const ledger = value(await store.create(created()));
		rmSync(path(ledger.fence), { recursive: true });
		const failed = await ledger.append([{ kind: "told", text: "x" }], "durable");
		expect(failed).toMatchObject({ failure: { reason, message: expect.stringMatching(message) } });
		await ledger.releaseLease();
	});
	deepIt("goes to exactly one of several processes that try at once", async () => {
		await aRun(0);
		const script = `
			import { openFileStore } from ${JSON.stringify(new URL("../../../src/local/ledger/index.ts", import.meta.url).href)};
			const store = openFileStore({ sessions: ${JSON.stringify(sessions)}, clock: Date });
			const at = Number(process.argv[1]);
			while (Date.now() < at) {}
			const opened = await store.open(${JSON.stringify(id)});
			console.log(opened.ok ? "got " + opened.value.fence : opened.failure.reason);
			for await (const _ of process.stdin);
			if (opened.ok) await opened.value.releaseLease();
		`;
		const { spawn } = await import("node:child_process");
		const at = String(Date.now() + 1500);
		const ends: (() => Promise<unknown>)[] = [];
		const outcomes = await Promise.all(
			Array.from(
				{ length: 4 },
				() =>
					new Promise<string>((resolve) => {
						const child = spawn(process.execPath, ["--input-type=module", "-e", script, at], {
							stdio: ["pipe", "pipe", "inherit"],
						});
						const closed = once(child, "close");
						ends.push(() => child.stdin.end() && closed);
						child.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
						void closed.then(() => resolve("said nothing"));
					}),
			),
		);
		// The winner has held it until all have tried.
		await Promise.all(ends.map((end) => end()));
		expect(outcomes.filter((outcome) => outcome.startsWith("got")).length).toBe(1);
		expect(outcomes.filter((outcome) => outcome === "held").length).toBe(3);
	});
});

describe("size", () => {
	it("the 200th transition costs the same as the 20th: at most 1 KB of events besides its texts, and a checkpoint of at most 64 KB", async () => {
		const words = 300;
		const ledger = value(await store.create(created()));
		let run = await tell(ledger, ledger.run, baseline);
		const sizes: number[] = [];
		for (let n = 0; n < 200; n += 1) {
			const before = statSync(log()).size;
			for (const body of visit(run, words)) run = await tell(ledger, run, body);
			sizes.push(statSync(log()).size - before);
		}
		value(await ledger.checkpoint(run));
		await ledger.releaseLease();
		const at = (n: number) => sizes[n - 1] ?? 0;
		expect(at(200)).toBeLessThanOrEqual(1024 + words);
		expect(at(200) / at(20)).toBeLessThan(1.1);
		expect(statSync(json()).size).toBeLessThanOrEqual(64 * 1024);
		expect(value(await store.read(id)).run).toEqual(run);
	});
	it("a late move writes no more than an early one, checkpoints included, and every checkpoint matches the log", async () => {
		let written = 0;
		const disk: Disk = {
			async open(path, flags, mode) {
				const file = await realDisk.open(path, flags, mode);
				if (!path.endsWith(".tmp")) return file;
				const { close } = file;
				file.close = async () => {
					written += (await file.stat()).size;
					return close.call(file);
				};
				return file;
			},
		};
		const ledger = value(await openFileStore({ sessions, clock, disk }).create(created()));
		let run = await tell(ledger, ledger.run, baseline);
		const bytes: number[] = [];
		for (let n = 0; n < 400; n += 1) {
			const before = statSync(log()).size + written;
			for (const body of visit(run, 200)) {
				run = await tell(ledger, run, body);
				value(await ledger.checkpoint(run, "if due"));
			}
			bytes.push(statSync(log()).size + written - before);
		}
		const mean = (from: number, to: number) => bytes.slice(from, to).reduce((sum, one) => sum + one, 0) / (to - from);
		expect(mean(200, 400) / mean(20, 100)).toBeLessThan(1.2);
		expect(mean(200, 400)).toBeLessThan(4096);
		expect(value(await store.read(id)).run).toEqual(run);
		value(await ledger.checkpoint(run));
		await ledger.releaseLease();
		rmSync(json());
		expect(value(await store.read(id)).run).toEqual(run);
	});
	it("a huge template and task do not swell the checkpoint; both are read back in full", async () => {
		const definition = {
			name: "T",
			states: Object.fromEntries(
				Array.from({ length: 30 }, (_, n) => [
					`s${n}`,
					{ persona: "P".repeat(300), next: [`s${n + 1}`], instructions: `${n} ${"do ".repeat(2000)}` },
				]),
			),
		};
		const ledger = value(await store.create(created({ definition, task: "t".repeat(100_000) })));
		const run = await tell(ledger, ledger.run, baseline);
		value(await ledger.checkpoint(run));
		await ledger.releaseLease();
		expect(statSync(json()).size).toBeLessThanOrEqual(64 * 1024);
		expect(JSON.parse(readFileSync(json(), "utf8"))).toMatchObject({ id, cut: ["definition", "task"] });
		const read = value(await store.read(id));
		expect(read.run).toEqual(run);
		expect(read.run.task.length).toBe(100_000);
		expect(read.run.template.definition).toEqual(definition);
	});
	it("huge texts of workers and users do not swell the checkpoint, and none is lost", async () => {
		const states = {
			a: { persona: "A", next: ["b"], requires_approval: true },
			b: { persona: "B", next: ["done"] },
		};
		const ledger = value(await store.create(created({ definition: { name: "T", states } })));
		let run = await tell(ledger, ledger.run, baseline);
		const summary = "word ".repeat(60_000);
		for (const body of visit(run))
			run = await tell(ledger, run, body.kind === "move_requested" ? { ...body, summary } : body);
		for (let n = 0; n < 20; n += 1) run = await tell(ledger, run, { kind: "told", text: "ü".repeat(8000) });
		expect(run.status).toBe("awaiting_approval");
		value(await ledger.checkpoint(run));
		await ledger.releaseLease();
		expect(statSync(json()).size).toBeLessThanOrEqual(64 * 1024);
		expect(value(await store.read(id)).run).toEqual(run);
		expect(lines().some((event) => event.kind === "move_requested" && event.summary === summary)).toBe(true);
	});
	it("a run with very many states has a small checkpoint too", async () => {
		const names = Array.from({ length: 63 }, (_, n) => `${n} ${"s".repeat(44)}`);
		const states = Object.fromEntries(names.map((name) => [name, { persona: "P", next: [...names, "done"] }]));
		const definition = { name: "T", initial: names[0], limits: { moves: 9999 }, states };
		const ledger = value(await store.create(created({ definition })));
		const pairs = names.flatMap((one, n) => names.slice(n + 1).map((other) => `${one} <-> ${other}`));
		const finding = (n: number) => ({ id: `f${n}`, text: "f".repeat(1400), visit: 1, state: names[0] ?? "" });
		const run: Run = {
			...ledger.run,
			pairMoves: Object.fromEntries(pairs.map((pair) => [pair, 2])),
			snapshot: { ...ledger.run.snapshot, findings: Array.from({ length: 9 }, (_, n) => finding(n)) },
		};
		value(await ledger.checkpoint(run));
		await ledger.releaseLease();
		expect(statSync(json()).size).toBeLessThanOrEqual(64 * 1024);
		expect(JSON.parse(readFileSync(json(), "utf8"))).toMatchObject({
			status: "running",
			cut: expect.arrayContaining(["history"]),
		});
		// What was cut is read from the events.
		expect(value(await store.read(id)).run).toEqual(ledger.run);
	});
	it("the folded state lists its fields in reading order", async () => {
		await aRun(1);
		const ledger = JSON.parse(readFileSync(json(), "utf8"));
		expect(Object.keys(ledger).slice(0, 13)).toEqual([
			"schemaVersion",
			"id",
			"template",
			"task",
			"status",
			"state",
			"visit",
			"attempt",
			"snapshot",
			"history",
			"totals",
			"pairMoves",
			"updatedAt",
		]);
		expect(Object.keys(ledger.template)).toEqual(["name", "hash", "definition"]);
		expect(Object.keys(ledger.snapshot)).toEqual(
			expect.arrayContaining(["findings", "pendingTasks", "files", "summaries"]),
		);
		expect(ledger.history[0]).toMatchObject({
			from: "a",
			to: "b",
			cause: "worker",
			visit: 1,
			summary: "x".repeat(20),
			metrics: { attempts: 1 },
		});
		expect(ledger.totals).toMatchObject({ tokens: 0, costUsd: 0 });
		const [first, second] = lines();
		expect(Object.keys(second ?? {}).slice(0, 3)).toEqual(["seq", "at", "kind"]);
		expect(Object.keys(first ?? {}).at(-1)).toBe("crc");
	});
});
