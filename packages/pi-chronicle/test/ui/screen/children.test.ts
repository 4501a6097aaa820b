// Child runs in the history of visits, the run view and the report.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { KeybindingsManager, TUI_KEYBINDINGS, visibleWidth } from "@earendil-works/pi-tui";
import { readHistory } from "@pi-chronicle/core/history";
import { NO_SPEND } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { childAt, park, plan, spent, total } from "../../../../core/test/machine/child-steps.ts";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { unpainted } from "../../../src/tui/index.ts";
import { childLines, statusLines } from "../../../src/ui/phrases/index.ts";
import { saveReport } from "../../../src/ui/report/index.ts";
import type { ViewSource } from "../../../src/ui/screen/view-source.ts";
import { ViewStack } from "../../../src/ui/screen/view-stack.ts";
import { sampled } from "../../harness/deep-it.ts";
import { openFolder } from "../../harness/folder.ts";
import { moveTo, type Play } from "../../local/supervisor/scripted-launcher.ts";
import { openStage, type Stage } from "../../local/supervisor/stage.ts";

/** A worker that writes the file of its task's first word, or fails. */
const child: Play = async (host, order, ended) => {
	const task = /^## (?:The|Your) task.*\n\n(.*)/m.exec(order.message.new)?.[1] ?? "";
	host.report({ kind: "used", spend: { ...NO_SPEND, tokens: 10, costUsd: 0.25 } });
	if (task === "fail") return moveTo("failed", "gave up")(host, order, ended);
	writeFileSync(join(order.cwd, task), `${order.targets.length} ${Math.random()}\n`);
	await moveTo("done", `wrote ${task}`)(host, order, ended);
};

const run = { states: { work: { persona: "Builder", next: ["done", "failed"] }, failed: { next: [] } } };
const template = (tasks: Record<string, string>, more: object = {}) => ({
	name: "t",
	states: {
		build: {
			branches: Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, { task, run }])),
			next: ["done"],
			...more,
		},
	},
});

async function play(definition: object): Promise<{ stage: Stage; read: ReadLedger }> {
	const stage = openStage(Array.from({ length: 40 }, () => child));
	const ended = await supervise(await stage.create(definition), stage.ports, "fresh").ended;
	return { stage, read: await readOf(stage, ended.run.id) };
}

async function readOf({ store }: Stage, id: string): Promise<ReadLedger> {
	const read = await store.read(id);
	if (!read.ok) throw new Error(read.failure.message);
	return read.value;
}

const mixed = template({ good: "a.txt", bad: "fail" }, { on_failed: "continue" });

describe("the history", () => {
	it("has the children of a visit with their ends, figures and summaries, also after the visit", async () => {
		const { read } = await play(mixed);
		expect(read.run.children).toBeNull();
		const history = await readHistory(read);
		const [visit] = history.visits;
		expect(visit?.children).toMatchObject([
			{
				index: 1,
				name: "good",
				status: "done",
				summary: "wrote a.txt",
				total: { attempts: 1, spend: { costUsd: 0.25 } },
			},
			{ index: 2, name: "bad", status: "failed", total: { attempts: 1, spend: { costUsd: 0.25 } } },
		]);
		for (const { plannedAt, beganAt = 0, endedAt = 0 } of visit?.children ?? []) {
			expect(beganAt).toBeGreaterThanOrEqual(plannedAt);
			expect(endedAt).toBeGreaterThanOrEqual(beganAt);
		}
		const sum = visit?.children.reduce((all, { total }) => all + total.spend.costUsd, 0);
		expect(sum).toBe(read.run.totals.costUsd);
	});

	it("follows a child that failed, is dropped, and is left out of the join", async () => {
		const { stage, read } = await play(template({ good: "a.txt", bad: "fail" }));
		const statuses = async () =>
			(await readHistory(await readOf(stage, read.run.id))).visits[0]?.children.map(({ status }) => status);
		expect(await statuses()).toEqual(["done", "failed"]);
		const opened = await stage.store.open(read.run.id);
		if (!opened.ok) throw new Error(opened.failure.message);
		const again = supervise(opened.value, stage.ports, "reopened");
		await again.submit({ kind: "child_dropped", child: read.run.children?.children[1]?.id ?? "" });
		await again.ended;
		expect(await statuses()).toEqual(["done", "dropped"]);
	});
});

describe("the run view", () => {
	const keys = new KeybindingsManager(TUI_KEYBINDINGS);
	const sourceOf = (stage: Stage, read: ReadLedger): ViewSource => ({
		run: () => read.run,
		watch: () => () => {},
		events: (after) => read.events(after),
		diff: async () => ({ kind: "none", reason: "none" }),
		outputs: () => [],
		transcript: () => undefined,
		child: async (id) => sourceOf(stage, await readOf(stage, id)),
	});

	it("has a page of children; Enter opens the selected one, Esc returns and then closes", async () => {
		const { stage, read } = await play(mixed);
		const views = new ViewStack(sourceOf(stage, read), unpainted, () => {});
		const shown = () =>
			views
				.render(100, 24)
				.map((row) => stripVTControlCharacters(row))
				.join("\n");
		await expect.poll(() => shown()).toContain("6 Children");
		views.handleKey("6", keys);
		await expect.poll(() => shown()).toMatch(/› . good +done +\S+ +\$0\.25 +[0-9a-f]{8}/);
		expect(shown()).toMatch(/ {3}. bad +failed +\S+ +\$0\.25/);
		views.handleKey("j", keys);
		await expect.poll(() => shown()).toMatch(/› . bad/);
		// The figures of both are below each other.
		const columns = shown()
			.split("\n")
			.flatMap((row) => (/. (good|bad) /.test(row) ? [row.indexOf("$0.25")] : []));
		expect(new Set(columns).size).toBe(1);
		views.handleKey("\r", keys);
		await expect.poll(() => shown()).toContain("Esc to the parent");
		await expect.poll(() => shown()).toMatch(/failed[\s\S]*fail/);
		expect(shown()).not.toContain("6 Children");
		expect(views.handleKey("\u001b", keys)).toBe(true);
		await expect.poll(() => shown()).toMatch(/› . bad/);
		expect(views.handleKey("\u001b", keys)).toBe(false);
		views.dispose();
	});

	it.each(
		sampled([
			[40, 20],
			[80, 24],
			[120, 40],
			[200, 50],
		] as const),
	)("fits %i columns and %i rows, and keeps the selected child in sight", async (cols, rows) => {
		const names = Array.from({ length: 24 }, (_, n) =>
			`${n}: ${(n % 3 === 0 ? "長い名前の子" : "a child ").repeat(9)}`.slice(0, 40),
		);
		const { stage, read } = await play(template(Object.fromEntries(names.map((name, n) => [name, `f${n}.txt`]))));
		const views = new ViewStack(sourceOf(stage, read), unpainted, () => {});
		const drawn = () => views.render(cols, rows).map((row) => stripVTControlCharacters(row));
		await expect.poll(() => drawn().join("\n")).toMatch(/of 6|6 Children/);
		views.handleKey("6", keys);
		await expect.poll(() => drawn().join("\n")).toMatch(/› . 0: 長い/);
		for (const name of names) {
			const chosen = () => drawn().filter((row) => row.includes("›") && row.includes(name.slice(0, 6)));
			await expect.poll(chosen).toHaveLength(1);
			expect(drawn()).toHaveLength(rows);
			expect(drawn().filter((row) => visibleWidth(row) > cols)).toEqual([]);
			views.handleKey("j", keys);
		}
		views.dispose();
	});

	it("has no such page for a run without children", async () => {
		const { stage, read } = await play({ name: "t", states: { work: { persona: "P", next: ["done", "failed"] } } });
		const views = new ViewStack(sourceOf(stage, read), unpainted, () => {});
		await expect.poll(() => views.render(100, 24).join("\n")).toContain("1–5 pages");
		expect(views.render(100, 24).join("\n")).not.toContain("Children");
		views.dispose();
	});
});

describe("the report", () => {
	it("has a section, a lane per child, and a link to a child's report that exists", async () => {
		const { read } = await play(mixed);
		const sessions = openFolder();
		const folder = join(sessions, read.run.id);
		const [good] = (await readHistory(read)).visits[0]?.children ?? [];
		const own = join(sessions, good?.id ?? "", "report.html");
		for (const path of [folder, dirname(own)]) mkdirSync(path, { recursive: true });
		const save = async () => {
			const saved = await saveReport({ ...read, folder });
			if (!saved.ok) throw new Error(saved.failure.message);
			return readFileSync(saved.value.path, "utf8");
		};
		const without = await save();
		expect(without).toContain('class="fact children"');
		expect(without).toContain("good: done");
		expect(without.match(/class="strip lane"/g)).toHaveLength(2);
		expect(without).not.toContain(`href="../${good?.id}`);
		expect(without).not.toContain("does not know");
		writeFileSync(own, "report");
		expect(await save()).toContain(`href="../${good?.id}/report.html"`);
	});

	it("has neither without children", async () => {
		const { read } = await play({ name: "t", states: { work: { persona: "P", next: ["done", "failed"] } } });
		const saved = await saveReport({ ...read, folder: openFolder() });
		const html = readFileSync(saved.ok ? saved.value.path : "", "utf8");
		expect(html).not.toContain('class="fact children"');
		expect(html).not.toContain('class="lane"');
	});
});

describe("the line of a child", () => {
	it("has its state while it works, and the reason while it waits", () => {
		const testRun = plan();
		const line = () => childLines(testRun.run, { now: testRun.run.updatedAt })[0]?.text;
		expect(line()).toMatch(/^one \([0-9a-f]{8}\) · starting$/);
		const { id } = childAt(testRun, 1);
		testRun.say({ kind: "child_spent", visit: 1, child: id, ...total(5, { attempts: 1 }), state: "testing" });
		expect(line()).toMatch(/ · working · 0s · \$0 · in testing$/);
		// Ledgers of earlier versions do not know it.
		spent(testRun, 1, total(6, { attempts: 2 }));
		expect(line()).toMatch(/ · in testing$/);
		park(testRun, 1, "paused", "It is tired.");
		expect(line()).toMatch(/ · waiting · .* · It is tired\.$/);
	});
});

describe("the status", () => {
	it("names the folder in which conflicts can be resolved, only while they wait for it", async () => {
		const { stage, read } = await play(template({ one: "same.txt", two: "same.txt" }));
		expect(read.run.stage.kind).toBe("asking");
		const lines = statusLines(read, { now: new Date().toISOString(), prefix: "" });
		const named = lines.map((line) => /then choose hand: (\S+)$/.exec(line)?.[1]).find(Boolean);
		expect(named?.startsWith(join(read.folder, "children"))).toBe(true);
		const here = statusLines(read, { now: new Date().toISOString(), prefix: "", cwd: read.folder });
		expect(here.join("\n")).toContain(`then choose hand: ${relative(read.folder, named ?? "")}`);
		const calm = await play(mixed);
		expect(statusLines(calm.read, { now: "", prefix: "" }).join()).not.toContain("choose hand");
		expect(stage.questions).toHaveLength(1);
	});
});
