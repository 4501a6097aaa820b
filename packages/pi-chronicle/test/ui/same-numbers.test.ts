// One change of files with any names, made in a real project and measured by the workspace: every screen, the data, the report and the page give the same
// figures for it, and name the same files.
import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { counted, pathOnLine } from "@pi-chronicle/core/definition";
import type { ListedChanges } from "@pi-chronicle/core/ports";
import { type FileChange, readPatch } from "@pi-chronicle/core/snapshot";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ask, definition, open, start, type TestRun } from "../../../core/test/machine/test-run.ts";
import { questionLines, runData, statusLines, storyLines } from "../../src/ui/phrases/index.ts";
import { writeReport } from "../../src/ui/report/index.ts";
import { patchPage } from "../../src/ui/screen/patch.ts";
import { drawTimeline } from "../../src/ui/screen/timeline.ts";
import { sampled } from "../harness/deep-it.ts";
import { runs } from "../harness/runs.ts";
import { openFilesStage, value } from "../local/workspace/stage.ts";
import { ledgerOf } from "./report/ledgers.ts";
import { plain, wordsOf } from "./serve/page-bench.ts";
import { serveRun } from "./serve/shown-runs.ts";

/** The supervisor's limit of listed changes. */
const listed = 200;

const segments = [
	...[
		"a",
		"b c",
		"ü 😀",
		"統計",
		"new\nline",
		"tab\there",
		'quo"te',
		"it's",
		"back\\slash",
		"-dash",
		"$HOME",
		"%41",
		"<b>&amp;",
	],
	...[
		"old → new",
		"{x => y}",
		"a -> b",
		"\u202egnp.exe",
		"[1]",
		"*",
		"#",
		"Z̷a͠lgo",
		"…",
		"e\u0301",
		"a\u2028b",
		" lead",
		"trail ",
	],
];
const path = fc
	.array(fc.constantFrom(...segments), { minLength: 1, maxLength: 3 })
	.map((parts) => `${parts.join("/")}.txt`);
const content = fc.oneof(
	fc
		.array(
			fc.constantFrom(
				"one",
				"two",
				"",
				"+++ b/x",
				"--- a/x",
				"@@ -1 +1 @@",
				"diff --git a/x b/x",
				"\rdiff --git a/y b/y",
				"\u2028diff --git a/z b/z",
				"\u202e",
			),
			{
				maxLength: 12,
			},
		)
		.map((rows) => rows.join("\n")),
	fc.constant("\u0000\u0001binary"),
);
type What = "add" | "edit" | "remove" | "move" | "mode";
interface Step {
	readonly path: string;
	readonly before: string;
	readonly after: string;
	readonly what: What;
	readonly to: string;
}
const step: fc.Arbitrary<Step> = fc.record({
	...{ path, before: content, after: content, to: path },
	what: fc.constantFrom<What>("add", "edit", "remove", "move", "mode"),
});

/** Makes the change in a project of its own, and measures it. */
async function measure(steps: readonly Step[]): Promise<{ changes: ListedChanges; all: ListedChanges; patch: string }> {
	const stage = openFilesStage();
	const at = (file: string) => join(stage.root, "files", file);
	for (const { path, before, what } of steps) if (what !== "add") stage.write(`files/${path}`, before);
	const workspace = stage.open();
	await value(workspace.open());
	const { tree: from } = await value(workspace.snapshot());
	for (const { path, after, what, to } of steps) {
		if (what === "add" || what === "edit") stage.write(`files/${path}`, after);
		if (what === "remove") rmSync(at(path), { force: true });
		if (what === "mode") chmodSync(at(path), 0o755);
		if (what !== "move") continue;
		mkdirSync(dirname(at(to)), { recursive: true });
		renameSync(at(path), at(to));
	}
	const { tree: to } = await value(workspace.snapshot());
	return {
		changes: await value(workspace.changes(from, to, listed)),
		all: await value(workspace.changes(from, to, 10_000)),
		patch: await value(workspace.patch(from, to, 50_000_000)),
	};
}

const states = {
	review: { persona: "R", next: ["build"], requires_approval: true },
	build: { persona: "B", next: ["done"] },
};

/** A run whose first visit has made the change, and asks. */
function asking({ changes, more, total }: ListedChanges): TestRun {
	const play = ask(start(open(definition(states))), "build", "Planned.");
	if (play.run.stage.kind !== "stopping" || !play.run.stage.launch) throw new Error(play.run.stage.kind);
	play.say({ kind: "worker_ended", ...play.run.stage.launch, outcome: { kind: "stopped" } });
	const { visit } = play.due("measure_files");
	const measured = { changes, ...(more > 0 ? { more } : {}), total, ofRun: "same" } as const;
	return play.say({ kind: "files_measured", visit, purpose: "changes", tree: "f".repeat(40), ...measured });
}

/** How many files the rows of a list stand for: named ones, folders, and those that are left out. */
function filesIn(rows: readonly string[]): number {
	const named = rows.filter((row) => /^ {2}[AMDR] /.test(row)).length;
	const sum = (pattern: RegExp) => rows.reduce((all, row) => all + Number(pattern.exec(row)?.[1] ?? 0), 0);
	return named + sum(/^ {2}[^ ].*\/ (\d+) files \+\d+ −\d+$/) + sum(/… and (\d+) more: diff \w{8} shows them/);
}

/** The figure of a folder is that of all its files. */
function expectWhole(row: string, changes: readonly FileChange[]): void {
	const [, folder, count] = /^ {2}([^ ].*)\/ (\d+) files \+\d+ −\d+$/.exec(row) ?? [];
	if (folder === undefined) return;
	const folders = changes.map(({ path }) => pathOnLine(path.split("/").slice(0, -1).join("/")));
	const own = folders.filter((one) => one === folder).length;
	const below = folders.filter((one) => one === folder || one.startsWith(`${folder}/`)).length;
	expect([own, below]).toContain(Number(count));
}

async function compare(steps: readonly Step[]): Promise<void> {
	const { changes, all, patch } = await measure(steps);
	const { total } = changes;
	const sum = (of: "added" | "removed") => all.changes.reduce((lines, change) => lines + (change[of] ?? 0), 0);
	expect({ files: all.changes.length, added: sum("added"), removed: sum("removed") }).toEqual(total);
	expect(changes.changes.length + changes.more).toBe(total.files);

	// The diff names the same files.
	const names = (files: readonly { path: string; change: string }[]) =>
		files.map(({ path, change }) => `${change} ${path}`).sort();
	const inPatch = readPatch(patch, (text) => text);
	expect(names(inPatch)).toEqual(names(all.changes));
	expect(patchPage(patch).files).toHaveLength(total.files);

	const play = asking(changes);
	const { run } = play;
	if (run.stage.kind !== "asking") throw new Error(run.status);
	const now = run.updatedAt;
	const words = `${counted(total.files, "file")} changed, +${total.added} −${total.removed}:`;
	const title = total.files === 0 ? "No files changed." : words;
	const read = ledgerOf(play.events);
	const data = runData(read);
	for (const rows of [
		questionLines(run.stage.question, run, now),
		statusLines(read, { now, prefix: "" }),
		(data.question as { about: string[] }).about,
	]) {
		expect(rows).toContain(title);
		expect(filesIn(rows)).toBe(total.files);
		for (const row of rows) expectWhole(row, all.changes);
		expect(rows.join("")).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
	}
	expect(data.changed).toEqual({ run: total, visit: total });
	expect(JSON.parse(JSON.stringify(data))).toMatchObject({ changed: { visit: total } });
	const timeline = drawTimeline(run, { now, prefix: "", width: 200 })
		.map((line) => line.map(({ text }) => text).join(""))
		.join("\n");
	const counts = `${counted(total.files, "file")} +${total.added} −${total.removed}`;
	expect(timeline.includes(counts)).toBe(total.files > 0);
	const none = { visits: new Set<number>(), costUsd: 0, tokens: 0 };
	expect(storyLines(run, none).join("\n")).toContain(total.files === 0 ? "" : words);

	const html = await writeReport(read, { zone: "UTC", workspace: { patch: async () => ({ ok: true, value: patch }) } });
	const page = await serveRun(play.events);
	const { text } = await (await page.signIn()).get(page.run);
	for (const [name, shown] of Object.entries({ report: html, page: text })) {
		const all = wordsOf(shown);
		const lines = `+${total.added} −${total.removed}`;
		const holds = {
			figure: all.includes(`Files changed ${total.files} ${lines} lines`),
			visit: all.includes(`${counted(total.files, "file")}, ${lines}`),
			overrides: /[\u202a-\u202e\u2066-\u2069]/.test(shown),
		};
		expect({ name, ...holds }).toEqual({ name, figure: true, visit: total.files > 0, overrides: false });
		const paths = [...shown.matchAll(/<span class="path" dir="auto">(.*?)<\/span>/gs)].map(([, path = ""]) =>
			plain(path),
		);
		const named = changes.changes
			.slice(0, paths.length)
			.map(({ path, from }) => [...(from === undefined ? [] : [from]), path].map(pathOnLine).join(" → "));
		expect(paths).toEqual(named);
		expect(paths.length + Number(/… and (\d+) more\./.exec(all)?.[1] ?? 0)).toBe(total.files);
	}
}

describe("one change has the same figures everywhere", () => {
	it("for files with any names that were added, edited, removed, moved or made programs", async () => {
		const steps = fc.uniqueArray(step, { maxLength: 30, selector: ({ path }) => path });
		await fc.assert(fc.asyncProperty(steps, compare), { numRuns: runs(0.06), endOnFailure: true });
	});

	it.each(sampled([201, 1, 30, 199, 400]))("for %d files", async (count) => {
		const whats: readonly What[] = ["add", "edit", "remove", "move", "mode"];
		await compare(
			Array.from({ length: count }, (_, at) => ({
				...{ path: `${segments[at % segments.length]}/${at}.txt`, to: `moved/${at}.txt`, what: whats[at % 5] ?? "add" },
				...{ before: `${at}\nold\n`, after: at % 7 === 0 ? "\u0000bin" : `${at}\nnew\nmore\n` },
			})),
		);
	});
});
