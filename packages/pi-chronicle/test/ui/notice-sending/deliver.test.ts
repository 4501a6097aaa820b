// What is sent of the runs of a project, with a clock of its own and receivers that fail.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { EventBody } from "@pi-chronicle/core/machine";
import { decide, isRefusal } from "@pi-chronicle/core/machine";
import { afterAll, expect, it } from "vitest";
import { notePage, openOutbox, openProject, pageOfRun, readOutbox } from "../../../src/local/index.ts";
import { deliverNotices, nextTry } from "../../../src/ui/notice-sending/deliver.ts";
import type { Notice } from "../../../src/ui/notice-sending/notice.ts";
import { openReceiver } from "./receiver.ts";

const folders: string[] = [];
const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
	for (const close of closers) await close();
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const phone = { channel: "webhook", url: "http://127.0.0.1:1/", name: "phone", kinds: ["approval", "done"] };
const desk = { channel: "webhook", url: "http://127.0.0.1:2/", name: "desk", kinds: ["approval"] };

/** A project with one run that asks for an approval. */
async function askingRun(channels: readonly object[]) {
	const cwd = mkdtempSync(join(tmpdir(), "notices-"));
	folders.push(cwd);
	const pi = { command: process.execPath, args: [], version: undefined };
	const project = openProject({ cwd, home: homedir(), agentFolder: join(cwd, "agent"), trust: "trusted", pi, env: {} });
	const definition = {
		name: "t",
		states: { plan: { persona: "A", next: ["done"], requires_approval: "entry" } },
	};
	const created = await project.store.create({
		kind: "created",
		schemaVersion: 1,
		id: "00000000-0000-4000-8000-000000000001",
		template: { name: "t", hash: "h", definition },
		task: "do it",
	});
	if (!created.ok) throw new Error(created.failure.message);
	const ledger = created.value;
	closers.push(() => ledger.releaseLease());
	openOutbox(ledger.folder, { after: 1, channels });
	let { run } = ledger;
	const say = async (body: EventBody): Promise<void> => {
		const batch = decide(run, body, new Date().toISOString());
		if (isRefusal(batch)) throw new Error(batch.message);
		const appended = await ledger.append(batch.events, "durable");
		if (!appended.ok) throw new Error(appended.failure.message);
		({ run } = batch);
	};
	await say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "a".repeat(40) });
	return { project, ledger, say, run: () => run };
}

/** A clock that jumps to the end of every sleep. */
function jumpingClock() {
	let now = Date.UTC(2030, 0, 1);
	return {
		now: () => now,
		async sleep(ms: number) {
			now += Math.max(1, ms);
			await new Promise((resolve) => setImmediate(resolve));
		},
	};
}

type Send = NonNullable<Parameters<typeof deliverNotices>[1]["send"]>;

async function deliver({ project }: Awaited<ReturnType<typeof askingRun>>, send: Send) {
	await deliverNotices(project, {
		clock: jumpingClock(),
		signal: new AbortController().signal,
		crashAt: () => {},
		send,
	});
}

const stateOf = ({ ledger }: Awaited<ReturnType<typeof askingRun>>) =>
	[...(readOutbox(ledger.folder)?.deliveries.values() ?? [])].map(({ name, state, tries, answer }) => ({
		name,
		state,
		tries,
		answer,
	}));

it("a notice goes once to every channel that wants it, and a second sender sends nothing", async () => {
	const asking = await askingRun([phone, desk, { ...desk, url: "http://127.0.0.1:3/", kinds: ["done"] }]);
	const sent: [string, Notice][] = [];
	const send: Send = async ({ name }, notice) => {
		sent.push([name, notice]);
		return { ok: true, answer: "ok" };
	};
	const forget = await notePage(asking.project.sessions, "http://127.0.0.1:7878/p/shop/r");
	await deliver(asking, send);
	forget();
	await deliver(asking, send);
	// Channels do not wait for each other.
	expect(sent.map(([name, { kind, seq }]) => [name, kind, seq]).sort()).toEqual([
		["desk", "approval", 3],
		["phone", "approval", 3],
	]);
	const link = `http://127.0.0.1:7878/p/shop/r/${asking.run().id}`;
	expect(sent[0]?.[1]).toMatchObject({ link, text: expect.stringMatching(new RegExp(`\n${link}$`)) });
	expect(pageOfRun(asking.project.sessions, asking.run().id)).toBeUndefined();
	expect(sent[0]?.[1]).toEqual(sent[1]?.[1]);
	expect(sent[0]?.[1].commands[0]).toBe("pi-chronicle approve 00000000 --answers 3");
	expect(stateOf(asking).sort((one, other) => one.name.localeCompare(other.name))).toEqual([
		{ name: "desk", state: "sent", tries: 1, answer: "ok" },
		{ name: "phone", state: "sent", tries: 1, answer: "ok" },
	]);
});

it("commands of a notice trust a project that pi trusts only for this run", async () => {
	const asking = await askingRun([phone]);
	mkdirSync(join(asking.project.place.cwd, ".pi"), { recursive: true });
	writeFileSync(join(asking.project.place.cwd, ".pi", "settings.json"), "{}");
	const commands: string[] = [];
	await deliver(asking, async (_channel, notice) => {
		commands.push(...notice.commands);
		return { ok: true, answer: "" };
	});
	expect(commands[0]).toBe("pi-chronicle --approve approve 00000000 --answers 3");
	expect(commands.every((command) => command.startsWith("pi-chronicle --approve "))).toBe(true);
});

it("a receiver that is gone for an hour gets the notice afterwards, and does not hold up another", async () => {
	const asking = await askingRun([phone, desk]);
	const clock = jumpingClock();
	const back = clock.now() + 3_600_000;
	const times: number[] = [];
	let desks = 0;
	await deliverNotices(asking.project, {
		...{ clock, signal: new AbortController().signal, crashAt: () => {} },
		async send({ name }) {
			if (name === "desk") {
				desks += 1;
				return { ok: true, answer: "" };
			}
			times.push(clock.now());
			return clock.now() < back ? { ok: false, answer: "ECONNREFUSED" } : { ok: true, answer: "" };
		},
	});
	expect(desks).toBe(1);
	const waits = times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 1000));
	expect(waits.slice(0, 10)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
	expect(Math.max(...waits)).toBe(600);
	expect(stateOf(asking)).toContainEqual(expect.objectContaining({ name: "phone", state: "sent" }));
});

it("a notice is tried again at once when the clock was set back by hours since its last try", async () => {
	const asking = await askingRun([phone]);
	const clock = jumpingClock();
	const [start, hours] = [clock.now(), 5 * 3_600_000];
	const tries: number[] = [];
	let ahead = hours;
	await deliverNotices(asking.project, {
		signal: new AbortController().signal,
		crashAt(point) {
			if (point === "notice recorded" && tries.length === 4) ahead = 0;
		},
		clock: { ...clock, now: () => clock.now() + ahead },
		async send() {
			tries.push(clock.now() - start);
			return { ok: tries.length === 6, answer: "HTTP 500" };
		},
	});
	expect(stateOf(asking)).toMatchObject([{ state: "sent", tries: 6 }]);
	expect(Math.max(...tries)).toBeLessThan(60_000);
});

it("a receiver that never takes it is given up after a day", async () => {
	const asking = await askingRun([phone]);
	await deliver(asking, async () => ({ ok: false, answer: "HTTP 500" }));
	expect(stateOf(asking)).toEqual([{ name: "phone", state: "failed", tries: expect.any(Number), answer: "HTTP 500" }]);
	const [{ first = "", at = "" } = {}] = [...(readOutbox(asking.ledger.folder)?.deliveries.values() ?? [])];
	const hours = (Date.parse(at) - Date.parse(first)) / 3_600_000;
	expect(hours).toBeGreaterThan(23.8);
	expect(hours).toBeLessThanOrEqual(24);
});

it("a notice that was answered before its turn is not sent, nor one that was answered between two tries", async () => {
	const asking = await askingRun([phone]);
	let sent = 0;
	await deliver(asking, async () => {
		sent += 1;
		const { stage } = asking.run();
		if (stage.kind === "asking")
			await asking.say({ kind: "approved", answers: stage.question.seq, diff: stage.question.diff });
		return { ok: false, answer: "HTTP 500" };
	});
	expect([sent, stateOf(asking)]).toEqual([1, [{ name: "phone", state: "outdated", tries: 1, answer: "" }]]);
});

it.each(["before notice", "notice sent", "notice recorded"])(
	"notices whose sender ends at '%s' are sent once on each kind of channel by the next one",
	async (point) => {
		const receiver = await openReceiver();
		const folder = mkdtempSync(join(tmpdir(), "told-"));
		folders.push(folder);
		const [told, device] = [join(folder, "told"), join(folder, "tty")];
		writeFileSync(device, "");
		const command = [process.execPath, "-e", `require("node:fs").appendFileSync(${JSON.stringify(told)}, "x")`];
		const ways = [
			{ channel: "webhook", url: receiver.url },
			{ channel: "command", command },
		];
		const channels = [...ways, { channel: "desktop" }, { channel: "bell" }];
		const asking = await askingRun(channels.map((channel) => ({ ...channel, kinds: ["approval"] })));
		openOutbox(asking.ledger.folder, { after: 1, terminal: { device, sequence: "osc777" } });
		const [signal, clock] = [new AbortController().signal, jumpingClock()];
		let ends = 0;
		const crashAt = (at: string): void => {
			if (at !== point || ends === channels.length) return;
			ends += 1;
			throw new Error("The process ends here.");
		};
		for (let senders = 0; senders < 3; senders += 1) await deliverNotices(asking.project, { clock, signal, crashAt });
		const sent = { state: "sent", tries: 1 };
		expect([ends, stateOf(asking)]).toMatchObject([channels.length, channels.map(() => sent)]);
		expect([receiver.keys().length, readFileSync(told, "utf8")]).toEqual([1, "x"]);
		const written = readFileSync(device, "utf8");
		expect([written.split("\x1b]777;").length - 1, written.split("\x07").length - 1]).toEqual([1, 1]);
	},
);

it("a notice whose record cannot be written is not sent again by the same sender", async () => {
	const asking = await askingRun([phone]);
	let sent = 0;
	await deliver(asking, async () => {
		sent += 1;
		rmSync(join(asking.ledger.folder, "notices.jsonl"));
		mkdirSync(join(asking.ledger.folder, "notices.jsonl"));
		return { ok: true, answer: "" };
	});
	expect(sent).toBe(1);
});

it("waits as long as a receiver asks for, at most ten minutes", () => {
	const at = { tries: 1, first: 0, now: 0 };
	expect(nextTry({ ok: false, answer: "", retryMs: 30_000 }, at)).toBe(30_000);
	expect(nextTry({ ok: false, answer: "", retryMs: 9e9 }, at)).toBe(600_000);
	expect(nextTry({ ok: false, answer: "" }, { tries: 200, first: 0, now: 24 * 3_600_000 })).toBeUndefined();
});
