// The report on disk: its place, its permissions, and its links to the files of the real store, workspace and workers.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EventBody, Run } from "@pi-chronicle/core/machine";
import type { HeldLedger } from "@pi-chronicle/core/ports";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openFileStore } from "../../../src/local/ledger/index.ts";
import { openGitWorkspace } from "../../../src/local/workspace/index.ts";
import { saveReport } from "../../../src/ui/report/index.ts";
import { baseline, created, tell, value, visit } from "../../local/ledger/sample-events.ts";
import { attribute, expectSound } from "./checks.ts";
import { dayOfWork, ledgerOf } from "./ledgers.ts";

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), "report-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A run in the file store with these events. */
async function runOnDisk(bodies: (run: Run) => EventBody[]): Promise<HeldLedger> {
	const sessions = join(folder, "sessions");
	const store = openFileStore({ sessions, clock: { now: Date.now } });
	const ledger = value(await store.create(created()));
	let run = await tell(ledger, ledger.run, baseline);
	for (const body of bodies(run)) run = await tell(ledger, run, body);
	await ledger.checkpoint(run);
	return { ...ledger, run };
}

it("the report is in the run's folder, is private, and links to the conversations and the record next to it", async () => {
	const ledger = await runOnDisk((run) => visit(run));
	const workers = join(ledger.folder, "workers");
	await mkdir(workers, { recursive: true });
	for (const name of ["2.1.jsonl", "1.1.jsonl", "10.1.jsonl", "1.1.brief.json", "notes.txt"])
		await writeFile(join(workers, name), "{}\n");
	const saved = await saveReport(ledger);
	if (!saved.ok) throw new Error(saved.failure.message);
	const { path, bytes } = saved.value;
	expect(path).toBe(join(ledger.folder, "report.html"));
	const stats = await stat(path);
	expect(stats.size).toBe(bytes);
	if (process.platform !== "win32") expect(stats.mode & 0o777).toBe(0o600);
	const page = expectSound(await readFile(path, "utf8"));
	const links = page
		.all("a")
		.flatMap((link) => attribute(link, "href") ?? [])
		.filter((href) => !href.startsWith("#"));
	expect(links.slice(0, 3)).toEqual(["./workers/1.1.jsonl", "./workers/2.1.jsonl", "./workers/10.1.jsonl"]);
	for (const link of links) expect((await stat(join(dirname(path), decodeURIComponent(link)))).isFile()).toBe(true);
	expect(links).toHaveLength(4);
	expect(page.html).not.toContain(folder);
	await ledger.releaseLease();
});

it("the report is written to a given path, with links from there, and replaces an older one atomically", async () => {
	const ledger = await runOnDisk((run) => visit(run));
	const workers = join(ledger.folder, "workers");
	await mkdir(workers, { recursive: true });
	await writeFile(join(workers, "1.1.jsonl"), "{}\n");
	const out = join(folder, "out of here");
	await mkdir(out);
	const path = join(out, "my report.html");
	await writeFile(path, "x".repeat(10_000_000));
	expect(await saveReport(ledger, { path })).toMatchObject({ ok: true, value: { path } });
	const page = expectSound(await readFile(path, "utf8"));
	const [link = ""] = page
		.all("a")
		.flatMap((one) => attribute(one, "href") ?? [])
		.filter((href) => href.endsWith("/1.1.jsonl"));
	expect((await stat(join(out, decodeURIComponent(link)))).isFile()).toBe(true);
	expect(await readdir(out)).toEqual(["my report.html"]);
	await ledger.releaseLease();
});

it("a report that cannot be written is a failure with a reason, and leaves nothing behind", async () => {
	const read = ledgerOf(dayOfWork().events, { folder });
	const path = join(folder, "missing", "report.html");
	const saved = await saveReport(read, { path });
	expect(saved).toMatchObject({ ok: false, failure: { reason: "io" } });
	expect(saved.ok ? "" : saved.failure.message).toContain(path);
	expect(await readdir(folder)).toEqual([]);
});

it("the report has no secrets of the environment", async () => {
	process.env.REPORT_TEST_TOKEN = "swordfish-of-the-environment";
	try {
		const read = ledgerOf(dayOfWork().events, { folder });
		const run = { ...read.run, task: "use swordfish-of-the-environment" };
		const saved = await saveReport({ ...read, run, async *events() {} });
		expect(saved.ok && (await readFile(saved.value.path, "utf8"))).not.toContain("swordfish-of-the-environment");
	} finally {
		delete process.env.REPORT_TEST_TOKEN;
	}
});

it("the report shows the lines that the real workspace stored", async () => {
	const cwd = join(folder, "project");
	await mkdir(join(cwd, "src"), { recursive: true });
	await writeFile(
		join(cwd, "src", "old name.ts"),
		`${Array.from({ length: 20 }, (_, line) => `const line${line} = ${line};`).join("\n")}\n`,
	);
	await writeFile(join(cwd, "gone.txt"), "gone\n");
	const workspace = openGitWorkspace({ cwd, folder: join(folder, "kept"), leftOut: [] });
	const kept = async (): Promise<string> => {
		const taken = await workspace.snapshot();
		if (!taken.ok) throw new Error(taken.failure.message);
		return taken.value.tree;
	};
	const from = await kept();
	await rm(join(cwd, "gone.txt"));
	await rm(join(cwd, "src", "old name.ts"));
	await writeFile(
		join(cwd, "src", "new näme.ts"),
		`${Array.from({ length: 20 }, (_, line) => `const line${line} = ${line === 7 ? "seven" : line};`).join("\n")}\n`,
	);
	await writeFile(join(cwd, "added.md"), "# Added <b>here</b>\n");
	const to = await kept();
	const compared = await workspace.changes(from, to, 100);
	if (!compared.ok) throw new Error(compared.failure.message);
	const ledger = await runOnDisk((run) => {
		const { visit: number, attempt, launch } = run;
		const at = { visit: number, attempt, launch };
		return [
			{ kind: "worker_started", ...at, pid: 1, started: "s", model: "m/m", conversation: "new" },
			{ kind: "move_requested", visit: number, attempt, target: "b", summary: "renamed" },
			{ kind: "worker_ended", ...at, outcome: { kind: "stopped" } },
			{ kind: "files_measured", visit: number, purpose: "changes", tree: to, changes: compared.value.changes },
		];
	});
	const events = async function* () {
		for await (const event of ledger.events())
			yield event.kind === "files_measured" && event.purpose === "baseline" ? { ...event, tree: from } : event;
	};
	const saved = await saveReport({ ...ledger, events }, { workspace });
	const page = expectSound(saved.ok ? await readFile(saved.value.path, "utf8") : "");
	const changes = page.section("visit-1");
	for (const words of [
		"src/old name.ts → src/new näme.ts",
		"- const line7 = 7;",
		"+ const line7 = seven;",
		"+ # Added <b>here</b>",
		"- gone",
		"D gone.txt",
	])
		expect(changes).toContain(words);
	await ledger.releaseLease();
});
