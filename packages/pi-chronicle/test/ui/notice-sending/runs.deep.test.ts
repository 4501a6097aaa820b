// Notices of whole runs: real pi, a scripted model, real HTTP on loopback, and processes that are killed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { isProcessAlive } from "../../../src/process/index.ts";
import type { Notice } from "../../../src/ui/notice-sending/notice.ts";
import { sendByCommand } from "../../../src/ui/notice-sending/send-command.ts";
import { openBench } from "../../harness/index.ts";
import { patient, within } from "../../harness/patience.ts";
import { chronicle, eventsOf, ledgerOf, move, withTemplates, worker } from "../../runs/bench.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const template = { states: { plan: { persona: "Planner", next: ["done"], requires_approval: true } } };

async function benchWith(notify: readonly object[]) {
	const bench = await openBench({
		files: { ...withTemplates({ t: template }), "a.txt": "one\n" },
		git: true,
		settings: { chronicle: { notify } },
		script: { [worker("plan")]: [move("done", "Planned.\n```ts\nconst secret = 1;\n```\nTwo steps.")] },
	});
	return bench;
}

async function until(isTrue: () => boolean, what: string): Promise<void> {
	const end = Date.now() + patient(20_000);
	while (!isTrue()) {
		if (Date.now() > end) throw new Error(`not in time: ${what}`);
		await sleep(50);
	}
}

function outboxLines(project: Awaited<ReturnType<typeof benchWith>>["project"]): Record<string, unknown>[] {
	const { id } = ledgerOf(project);
	const text = readFileSync(join(project.path(), ".pi/chronicle/sessions", id, "notices.jsonl"), "utf8");
	return text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const hook = ({ url }: Receiver, more: object = {}) => ({ channel: "webhook", url, ...more });

it("tells a webhook and a command about an approval and the end, once each, and the answer by its number", async () => {
	const receiver = await openReceiver();
	const { project } = await benchWith([
		hook(receiver, { secret: "env:HOOK_SECRET", kinds: ["approval", "done"] }),
		{
			channel: "command",
			command: [
				process.execPath,
				"-e",
				"process.stdin.pipe(fs.createWriteStream('../told-' + process.env.PI_CHRONICLE_NOTICE_KIND + '.json'))",
			],
			kinds: ["approval"],
		},
	]);
	const env = { HOOK_SECRET: "s3cret" };
	const first = await chronicle(project, ["run", "t", "Do it"], { env });
	expect(first.code, first.stderr).toBe(3);
	await until(
		// The file is there before all of it is written.
		() =>
			receiver.received.length === 1 &&
			project.exists("../told-approval.json") &&
			project.read("../told-approval.json").trimEnd().endsWith("}"),
		"the notices of the approval",
	);
	const asked = eventsOf(project).find(({ kind }) => kind === "approval_asked");
	const body = JSON.parse(receiver.received[0]?.body ?? "") as Record<string, unknown>;
	const short = ledgerOf(project).id.slice(0, 8);
	expect(body).toMatchObject({
		kind: "approval",
		seq: asked?.seq,
		state: "plan",
		summary: "Planned.\n[code]\nTwo steps.",
	});
	expect(body.commands).toContain(`pi-chronicle approve ${short} --answers ${asked?.seq}`);
	expect(JSON.parse(project.read("../told-approval.json"))).toEqual(body);
	expect(receiver.received[0]?.headers["x-chronicle-signature-256"]).toMatch(/^sha256=[0-9a-f]{64}$/);
	const second = await chronicle(project, ["approve", short, "--answers", `${asked?.seq}`], { env });
	expect(second.code, second.stderr).toBe(0);
	await until(() => receiver.received.length === 2, "the notice of the end");
	expect(JSON.parse(receiver.received[1]?.body ?? "")).toMatchObject({ kind: "done" });
	await until(() => outboxLines(project).filter(({ state }) => state === "sent").length === 3, "the records");
	const late = await chronicle(project, ["approve", short, "--answers", `${asked?.seq}`], { env });
	expect([late.code, late.stderr]).toEqual([
		2,
		expect.stringContaining("It was approved from the command line first."),
	]);
});

it.each(
	["before notice", "notice sent", "notice recorded"].flatMap((point) => [
		[point, "webhook"],
		[point, "command"],
	]),
)("a sender that is killed at %s by %s sends neither twice nor never", async (point, channel) => {
	const receiver = await openReceiver();
	const command = [process.execPath, "-e", "require('node:fs').appendFileSync('told.txt', 'x')"];
	const way = channel === "webhook" ? { url: receiver.url } : { command };
	const { project } = await benchWith([{ channel, kinds: ["approval"], ...way }]);
	const first = await chronicle(project, ["run", "t", "Do it"], { env: { PI_CHRONICLE_CRASH_AT: point } });
	expect(first.code, first.stderr).toBe(3);
	const listed = async () => {
		expect((await chronicle(project, ["list"])).code).toBe(0);
		return outboxLines(project).filter(({ state }) => state === "sent").length;
	};
	await expect.poll(listed, { timeout: patient(20_000) }).toBe(1);
	await listed();
	// A second sender would be another process.
	await sleep(within(1000));
	expect(channel === "webhook" ? receiver.keys().length : project.read("told.txt").length).toBe(1);
});

it("a run whose supervisor is killed after it asks is told when the next command starts, and a killed one as interrupted", async () => {
	const receiver = await openReceiver();
	const { project } = await benchWith([hook(receiver)]);
	const first = await chronicle(project, ["run", "t", "Do it"], {
		env: { PI_CHRONICLE_CRASH_AT: "after worker_started" },
	});
	expect(first.code).not.toBe(3);
	await chronicle(project, ["status", "last"]);
	await until(() => receiver.received.length === 1, "the notice");
	expect(JSON.parse(receiver.received[0]?.body ?? "")).toMatchObject({ kind: "interrupted", state: "plan" });
	project.killProcesses();
});

it("a receiver that fails delays nothing, is tried again, and is named by status and list", async () => {
	const receiver = await openReceiver((response, count) => {
		response.statusCode = count < 3 ? 500 : 204;
		response.end("out of order");
	});
	const { project } = await benchWith([hook(receiver, { kinds: ["approval"] })]);
	const first = await chronicle(project, ["run", "t", "Do it"]);
	expect(first.code, first.stderr).toBe(3);
	await until(() => receiver.received.length >= 1, "the first try");
	await sleep(200);
	for (const verb of [["status", "last"], ["list"]])
		expect((await chronicle(project, verb)).stdout).toMatch(
			/Notice not delivered: approval \(event \d+\) by webhook 127\.0\.0\.1:\d+: HTTP 500: out of order/,
		);
	await until(() => outboxLines(project).some(({ state }) => state === "sent"), "the third try");
	expect([receiver.received.length, receiver.keys().length]).toEqual([3, 1]);
	expect((await chronicle(project, ["status", "last"])).stdout).not.toContain("Notice not delivered");
});

it("notify test sends one to each channel and says what came back", async () => {
	const fine = await openReceiver();
	const broken = await openReceiver((response) => {
		response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
	});
	const { project } = await benchWith([
		hook(fine, { name: "phone" }),
		hook(broken),
		{ channel: "command", command: ["no-such-program-here"] },
		{ channel: "pigeon" },
	]);
	const tested = await chronicle(project, ["notify", "test"]);
	expect(tested.code).toBe(1);
	expect(tested.stdout.split("\n").map((line) => line.replace(/:\d{4,}/, ""))).toEqual([
		"✓ phone: HTTP 200: thanks",
		"✗ webhook 127.0.0.1: HTTP 302: redirects are refused",
		"✗ command no-such-program-here: no such file or directory",
		'✗ notify[3].channel: "pigeon" is no channel; there are command, webhook, desktop and bell.',
		"",
	]);
	writeFileSync(join(project.path(), "x"), "");
});

it.each([true, false])(
	"a run that begins to wait rings the bell and sets the title in pi, unless the setting is off: %s",
	async (bell) => {
		const { project, tui: open } = await openBench({
			files: withTemplates({ t: template }),
			git: true,
			settings: { chronicle: { bell } },
			script: { [worker("plan")]: [move("done", "Planned."), move("done", "Planned again.")] },
		});
		const tui = await open({ cols: 100, rows: 30 });
		const [before, bells] = [tui.title, tui.bells];
		await tui.submit("/chronicle t Do it");
		await tui.waitForScreen("Move from plan to done?", 30_000);
		await tui.still();
		expect([tui.bells - bells, tui.title.startsWith("❗ t: awaiting approval")]).toEqual(bell ? [1, true] : [0, false]);
		const { id } = ledgerOf(project);
		await tui.press("escape");
		await tui.waitForScreen("awaiting approval");
		// A run that leaves the timeline while it waits is not forgotten.
		await tui.submit("/chronicle t Do more");
		await tui.waitForScreen("Planned again.", 30_000);
		await tui.press("escape");
		await tui.waitForScreen(`t ${id.slice(0, 8)} still waits: /chronicle status ${id.slice(0, 8)}`);
		await tui.submit("/chronicle abort");
		await tui.waitForScreen("Ended by you", 30_000);
		await chronicle(project, ["approve", id.slice(0, 8)]);
		await until(() => tui.title === before, "pi's own title");
		await tui.close();
	},
);

it(
	"ends a notice's command that takes too long, with what it has started",
	async () => {
		const folder = mkdtempSync(join(tmpdir(), "slow-notice-"));
		const order = { body: "{}", notice: { commands: [] } as unknown as Notice, cwd: folder, env: process.env };
		// The limit is 30 s; a loaded machine starts the child long before.
		const sent = await sendByCommand({
			...order,
			...{ command: ["sh", "-c", "sleep 600 & echo $! > child; wait"], claim: join(folder, "claim") },
		});
		expect(sent).toEqual({ ok: false, answer: "no end within 30 s" });
		const child = Number(readFileSync(join(folder, "child"), "utf8"));
		await until(() => !isProcessAlive(child), "the command's child has ended");
		rmSync(folder, { recursive: true, force: true });
	},
	patient(120_000),
);
