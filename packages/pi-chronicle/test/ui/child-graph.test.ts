// Children that need each other in every view of their run: the diagram of the definition, status, --json, the page, the report.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readHistory } from "@pi-chronicle/core/history";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { compileDefinition } from "@pi-chronicle/core/template";
import { describe, expect, it } from "vitest";
import { supervise } from "../../src/local/supervisor/index.ts";
import { runData, statusLines, templateDiagram } from "../../src/ui/phrases/index.ts";
import { saveReport } from "../../src/ui/report/index.ts";
import { childrenPage } from "../../src/ui/screen/view-children.ts";
import { openFolder } from "../harness/folder.ts";
import { moveTo, type Play } from "../local/supervisor/scripted-launcher.ts";
import { openStage } from "../local/supervisor/stage.ts";

const work: Play = async (host, order, ended) => {
	const task = /^## (?:The|Your) task.*\n\n(.*)/m.exec(order.message.new)?.[1] ?? "";
	writeFileSync(join(order.cwd, `${task}.txt`), task);
	await moveTo(task === "bad" ? "failed" : "done", `wrote ${task}`)(host, order, ended);
};

const run = { states: { work: { persona: "Builder", next: ["done", "failed"] }, failed: { next: [] } } };
const branch = (task: string, ...needs: string[]) => ({ run, task, needs });
const definition = (fields: object) => ({
	name: "t",
	states: {
		build: {
			branches: { ui: branch("ui", "api"), api: branch("bad", "model"), model: branch("model"), docs: branch("docs") },
			next: ["done"],
			...fields,
		},
	},
});

async function play(fields: object): Promise<ReadLedger> {
	const stage = openStage(Array.from({ length: 10 }, () => work));
	const ended = await supervise(await stage.create(definition(fields)), stage.ports, "fresh").ended;
	const read = await stage.store.read(ended.run.id);
	if (!read.ok) throw new Error(read.failure.message);
	return read.value;
}

const now = "2030-01-01T00:00:00.000Z";

describe("children that need each other", () => {
	it("are drawn with what they need in `show`", () => {
		const template = compileDefinition(definition({}), "t");
		const lines = (template ? templateDiagram(template) : []).map((line) => line.trim());
		expect(lines).toEqual(
			expect.arrayContaining(['s0b0("ui")', "s0b1 -.-> s0b0", "s0b2 -.-> s0b1", "s0 -.-> s0b2", "s0 -.-> s0b3"]),
		);
	});

	it("say in status and --json what waits for whom, and the critical path", async () => {
		const read = await play({});
		const lines = statusLines(read, { now, prefix: "pi-chronicle " }).join("\n");
		expect(lines, "no command knows the id of one that has not begun").toContain(" ui · to do · waits for api\n");
		expect(lines).toMatch(/ api \(\w{8}\) · failed/);
		expect(lines).toContain("Critical path: model → api → ui (2 of 3 left)");
		expect(lines).toContain('"api" failed');
		expect(lines).toContain('"ui" waits for it.');
		const data = runData(read) as { readonly children: readonly object[]; readonly criticalPath: readonly string[] };
		expect(data.criticalPath).toEqual(["model", "api", "ui"]);
		expect(data.children[0]).toMatchObject({ name: "ui", needs: ["api"], waitsFor: ["api"], joined: false });
		expect(data.children[2]).toMatchObject({ name: "model", needs: [], waitsFor: [], joined: true });
	});

	it("are listed after those that they need on the page and in the report, the dropped ones too", async () => {
		const read = await play({ on_failed: "continue" });
		const history = await readHistory(read);
		expect(history.visits[0]?.children.map(({ name, status }) => [name, status])).toEqual([
			["ui", "dropped"],
			["api", "failed"],
			["model", "done"],
			["docs", "done"],
		]);
		const { lines } = childrenPage(history, read.run, 2, { width: 100, now });
		const texts = lines.map((line) => line.map(({ text }) => text).join(""));
		expect(texts.map((text) => /(model|docs|└ api| {2}└ ui)/.exec(text)?.[1]).filter(Boolean)).toEqual([
			"model",
			"└ api",
			"  └ ui",
			"docs",
		]);
		expect(texts.join("\n")).toContain("needs api");
		const saved = await saveReport({ ...read, folder: openFolder() });
		if (!saved.ok) throw new Error(saved.failure.message);
		expect(readFileSync(saved.value.path, "utf8")).toContain(">Needs</th>");
	});
});
