// Which of several children was taken, by whom and why, and what each has changed: the same in every view.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readHistory } from "@pi-chronicle/core/history";
import type { Approval, ReadLedger } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { diffRun, type Project, type RunDiff, type SupervisedRun } from "../../src/local/index.ts";
import { supervise } from "../../src/local/supervisor/index.ts";
import type { Line } from "../../src/tui/index.ts";
import { approveCommand } from "../../src/ui/commands/run-command.ts";
import { differenceLines, runData, statusLines } from "../../src/ui/phrases/index.ts";
import { saveReport } from "../../src/ui/report/index.ts";
import { drawTimeline } from "../../src/ui/screen/timeline.ts";
import { childrenPage } from "../../src/ui/screen/view-children.ts";
import { openFolder } from "../harness/folder.ts";
import { moveTo, type Play } from "../local/supervisor/scripted-launcher.ts";
import { openStage } from "../local/supervisor/stage.ts";

const now = "2030-01-01T00:00:00.000Z";

const child: Play = async (host, order, ended) => {
	const [, task = ""] = /^## (?:The|Your) task.*\n\n(.*)/m.exec(order.message.new) ?? [];
	for (const name of task.split(" ")) writeFileSync(join(order.cwd, `${name}.txt`), "1\n2\n");
	await moveTo("done", `wrote ${task}`)(host, order, ended);
};
const choose =
	(target: string, data?: object): Play =>
	async (host, _order, ended) => {
		await host.requestMove(target, "It is smaller.\nMuch.", data);
		await ended;
	};

const part = (task: string) => ({ task, run: { states: { work: { persona: "Builder", next: ["done"] } } } });
const template = {
	name: "t",
	states: {
		build: { branches: { small: part("a"), clean: part("b c") }, max_parallel: 1, take: "one", next: ["judge"] },
		judge: { persona: "Judge", requires_approval: true, next: ["after", "build"] },
		after: { next: [] },
	},
};

async function play(judge: Play, approvals: Approval[] = []): Promise<ReadLedger> {
	const stage = openStage([child, child, judge, child, child, judge], approvals);
	const { run } = await supervise(await stage.create(template), stage.ports, "fresh").ended;
	const read = await stage.store.read(run.id);
	if (!read.ok) throw new Error(read.failure.message);
	return read.value;
}

const status = (read: ReadLedger) => statusLines(read, { now, prefix: "" }).join("\n");
const text = (lines: readonly Line[]) => lines.map((line) => line.map((part) => part.text).join("")).join("\n");
const timeline = ({ run }: ReadLedger) => text(drawTimeline(run, { width: 120, now, prefix: "" }));
const page = async (read: ReadLedger) =>
	text(childrenPage(await readHistory(read), read.run, 0, { width: 120, now }).lines);
async function report(read: ReadLedger): Promise<string> {
	const saved = await saveReport(read, { path: join(openFolder(), "report.html") });
	if (!saved.ok) throw new Error(saved.failure.message);
	return readFileSync(saved.value.path, "utf8")
		.replace(/<[^>]+>/g, " ")
		.replace(/\s+/g, " ");
}

describe("while the user is asked", () => {
	const asked = () => play(choose("after", { winner: "small" }));

	it("the question lists the children, with what each has changed, and how to take another", async () => {
		const read = await asked();
		const [small = "", clean = ""] = read.run.candidates?.group.children.map(({ id }) => id.slice(0, 8)) ?? [];
		const shown = status(read);
		expect(shown).toContain('Takes the files of "small". It is smaller.');
		expect(shown).toContain(`  small ${small} (named by the worker) · 1 file +2 −0: wrote a`);
		expect(shown).toContain(`  clean ${clean} · 2 files +4 −0: wrote b c`);
		expect(shown).toMatch(/approve \w+ --choice <name>/);
		expect(timeline(read)).toContain("one of 2 is taken: small (named), clean");
		expect(runData(read)).toMatchObject({
			candidates: { names: ["small", "clean"], winner: "small" },
			children: [
				{ name: "small", status: "done", files: { files: 1, added: 2, removed: 0 } },
				{ name: "clean", status: "done", files: { files: 2, added: 4, removed: 0 } },
			],
			choices: [],
		});
	});

	it("--choice names a child, and nothing else", async () => {
		const { run } = await asked();
		expect(approveCommand(run, "", "clean")).toMatchObject({ kind: "answer", approval: { winner: "clean" } });
		expect(approveCommand(run, "", undefined)).toMatchObject({ approval: { kind: "approved" } });
		for (const [choice, message] of [
			["clen", /"clen" is none of the children to choose from\. Did you mean `clean`\? They are: small, clean\./],
			["theirs", /They are: small, clean\./],
			["", /They are: small, clean\./],
		] as const)
			expect(approveCommand(run, "", choice)).toEqual({ kind: "refused", message: expect.stringMatching(message) });
	});

	it("a move back to the children takes none, so nothing can be chosen", async () => {
		const read = await play(choose("build"));
		expect(status(read)).not.toContain("--choice");
		expect(approveCommand(read.run, "", "small")).toMatchObject({ message: /starts new children/ as never });
	});
});

describe("the changes to review", () => {
	/** A run that asks, whose judge has written `own`, and the user `mine` meanwhile. */
	async function reviewed(own: readonly string[], mine: Readonly<Record<string, string>>) {
		const judge: Play = async (host, order, ended) => {
			for (const name of own) writeFileSync(join(order.cwd, name), "judged\n");
			await choose("after", { winner: "clean" })(host, order, ended);
		};
		const stage = openStage([child, child, judge]);
		const held = await stage.create(template);
		const { run } = await supervise(held, stage.ports, "fresh").ended;
		for (const [name, content] of Object.entries(mine)) writeFileSync(join(stage.folder, name), content);
		const read = await stage.store.read(run.id);
		if (!read.ok) throw new Error(read.failure.message);
		const live = { workspace: stage.ports.workspace } as SupervisedRun;
		const diff = async (visit?: number) => {
			const found = await diffRun({} as Project, read.value, visit, live);
			if (!found.ok) throw new Error(found.failure.message);
			return found.value;
		};
		return { read: read.value, diff };
	}
	const paths = ({ changes }: RunDiff) => changes.map(({ path }) => path).sort();

	it("are those that an approval applies: the files of the child that is taken, not what the judge wrote", async () => {
		const { read, diff } = await reviewed(["notes.txt"], { "mine.txt": "mine\n" });
		const found = await diff();
		expect([paths(found), found.taking]).toEqual([["b.txt", "c.txt"], { name: "clean", conflicts: [] }]);
		expect(found.patch).toContain("b.txt");
		// The judge's own changes are those of its visit.
		expect(paths(await diff(2))).toEqual(["notes.txt"]);
		expect(status(read)).toContain("Changes of judge itself:");
	});

	it("name conflicts with the user's files, and are not shown as none if the judge only chose", async () => {
		const { read, diff } = await reviewed([], { "b.txt": "mine\n" });
		const found = await diff();
		expect(found.taking?.conflicts).toEqual(["b.txt"]);
		expect(differenceLines(found).join("\n")).toContain("Conflicts with your files: b.txt");
		expect(status(read)).not.toContain("No files changed.");
	});

	it("of a move back to the children are the judge's: nothing is taken", async () => {
		const stage = openStage([child, child, choose("build")]);
		const { run } = await supervise(await stage.create(template), stage.ports, "fresh").ended;
		const read = await stage.store.read(run.id);
		const live = { workspace: stage.ports.workspace } as SupervisedRun;
		const found = read.ok ? await diffRun({} as Project, read.value, undefined, live) : read;
		expect(found).toMatchObject({ ok: true, value: { visit: 2, changes: [] } });
		expect(found.ok && found.value.taking).toBeUndefined();
	});
});

describe("once a child is taken", () => {
	it.each<[string, Approval, string]>([
		["the worker's choice", { kind: "approved" }, `"small" of build is taken, by the worker's choice: It is smaller.`],
		[
			"the user's choice",
			{ kind: "approved", winner: "clean", words: "It has tests." },
			`"clean" of build is taken, by the user's choice instead of "small": It has tests.`,
		],
		[
			"the user's choice without a reason",
			{ kind: "approved", winner: "clean" },
			`"clean" of build is taken, by the user's choice instead of "small".`,
		],
	])("by %s, every view names it and those that were not taken", async (_, approval, sentence) => {
		const read = await play(choose("after", { winner: "small" }), [approval]);
		const winner = approval.kind === "approved" ? (approval.winner ?? "small") : "";
		expect(read.run.status).toBe("done");
		expect(status(read)).toContain(`Children of visit 1: ${sentence}`);
		expect(timeline(read)).toContain(sentence);
		const rows = (await page(read)).split("\n");
		for (const name of ["small", "clean"])
			expect(rows.find((row) => row.includes(`✓ ${name} `))).toMatch(
				name === winner ? /(?<!not) taken / : / not taken /,
			);
		expect(rows.at(-1)).toContain(sentence);
		expect(rows.join("\n")).toMatch(/clean .* 2 files \+4 −0/);
		const html = (await report(read)).replaceAll("&quot;", '"').replaceAll("&#39;", "'");
		expect(html).toContain(sentence);
		expect(html).toContain("2 files +4 −0 A b.txt +2 −0 A c.txt +2 −0");
		expect(html.match(/done not taken/g)).toHaveLength(1);
		expect(runData(read)).toMatchObject({ choices: [{ state: "build", visit: 1, madeIn: 2, winner }] });
	});

	it("of children that are tried again, each visit has its own choice", async () => {
		let tries = 0;
		const judge: Play = (host, order, ended) => {
			tries += 1;
			return (tries === 1 ? choose("build") : choose("after", { winner: "clean" }))(host, order, ended);
		};
		const read = await play(judge, [{ kind: "approved" }, { kind: "approved" }]);
		const { visits } = await readHistory(read);
		expect(visits.map(({ choice }) => choice?.winner)).toEqual([null, undefined, "clean", undefined, undefined]);
		expect(status(read)).toContain("Children of visit 1: No child of build was taken.");
		expect((await page(read)).match(/ not taken /g)).toHaveLength(3);
	});
});
