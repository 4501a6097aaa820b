// The result of a run, and what an approval shows: complete, in order, with one figure for one change.

import { counted } from "@pi-chronicle/core/definition";
import type { Run } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import type { ChangeTotals, FileChange, SnapshotData } from "@pi-chronicle/core/snapshot";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ask, definition, newTree, open, rest, start, type TestRun } from "../../../../core/test/machine/test-run.ts";
import { paintLine, unpainted } from "../../../src/tui/index.ts";
import {
	endLines,
	questionLines,
	resultMessage,
	runData,
	statusLines,
	storyLines,
} from "../../../src/ui/phrases/index.ts";
import { writeReport } from "../../../src/ui/report/index.ts";
import { drawTimeline } from "../../../src/ui/screen/timeline.ts";
import { runs } from "../../harness/runs.ts";
import { ledgerOf } from "../report/ledgers.ts";

const states = {
	review: { persona: "R", next: ["build", "done", "failed"] },
	build: { persona: "B", next: ["review"] },
	done: {},
	failed: {},
};
const changesOf = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		path: `src/file-${index}.ts`,
		change: "A" as const,
		added: 1,
		removed: 0,
	}));

function totalsOf(changes: readonly FileChange[]): ChangeTotals {
	const sum = (of: "added" | "removed") => changes.reduce((total, change) => total + (change[of] ?? 0), 0);
	return { files: changes.length, added: sum("added"), removed: sum("removed") };
}

/** Saves entries in the current state. */
function save(play: TestRun, data: SnapshotData): TestRun {
	return play.say({ kind: "snapshot_updated", visit: play.run.visit, attempt: play.run.attempt, by: "worker", data });
}

/** Leaves the state; its visit has changed `changes`, of which the event lists 200, and the run `ofRun` files since its start. */
function leave(
	play: TestRun,
	target: string,
	summary: string,
	changed: number | readonly FileChange[] = 0,
	ofRun?: readonly FileChange[],
): TestRun {
	const changes = typeof changed === "number" ? changesOf(changed) : changed;
	const all = ofRun ?? changes;
	ask(play, target, summary);
	const { stage } = play.run;
	if (stage.kind === "stopping" && stage.launch)
		play.say({ kind: "worker_ended", ...stage.launch, outcome: { kind: "stopped" } });
	const { visit } = play.due("measure_files");
	const more = Math.max(0, changes.length - 200);
	return play.say({
		kind: "files_measured",
		visit,
		purpose: "changes",
		tree: newTree(),
		changes: changes.slice(0, 200),
		...(more > 0 ? { more } : {}),
		total: totalsOf(changes),
		...(all.length > 25 ? { ofRun: { changes: all.slice(0, 200), more: all.length - 200, total: totalsOf(all) } } : {}),
	});
}

const read = (run: Run) => ({ run, repairs: [], place: "/r.events.jsonl", folder: "/r" }) as unknown as ReadLedger;
const shown = (run: Run): Record<string, string> => ({
	end: endLines(run, "pi-chronicle ").join("\n"),
	status: statusLines(read(run), { now: run.updatedAt, prefix: "pi-chronicle " }).join("\n"),
	json: JSON.stringify(runData(read(run)).result),
	message: resultMessage(run),
});

/** Review, build, review again, then `target`. */
function reviewed(target: string): TestRun {
	const play = start(open(definition(states)));
	save(play, { findings: [{ key: "old", text: "An old defect." }] });
	leave(play, "build", "One defect.");
	start(play);
	save(play, { findings: [{ key: "note", text: "The build needs Node 24." }], resolve: ["old"] });
	leave(play, "review", "Fixed.", 2);
	start(play);
	save(play, {
		findings: [{ key: "src/a.ts:3", text: "Wrong sign.\nA test is missing, too.", fields: { severity: "high" } }],
		pendingTasks: [{ text: "Rename it" }],
	});
	return leave(play, target, "Two things are left.\nBoth are small.");
}

describe("refused calls", () => {
	const refuse = (play: TestRun) =>
		play.say({
			...{ kind: "tool_ended", visit: play.run.visit, attempt: play.run.attempt, call: "c", tool: "bash" },
			...{ ms: 1, bytes: 1, hash: "", error: true, blocked: "guard: publish" },
		});

	it("are in the totals, in the last line, in the status and in the data", () => {
		const play = refuse(refuse(start(open(definition(states)))));
		leave(play, "done", "It is published.", 1);
		const { end = "", status } = shown(play.run);
		expect(end.split("\n")[0]).toMatch(/done · .*, refused: 2$/);
		expect(status).toContain("refused: 2");
		expect(end).not.toContain("No file has changed");
		expect(runData(read(play.run)).totals).toMatchObject({ refused: 2 });
	});

	it("are said in a line of their own if no file has changed; without any, nothing is said", () => {
		const play = leave(refuse(start(open(definition(states)))), "done", "It is published.");
		expect(shown(play.run).end).toMatch(
			/^No file has changed; 1 refused call, listed by: pi-chronicle report [0-9a-f]{8}$/m,
		);
		const quiet = leave(start(open(definition(states))), "done", "Nothing to do.");
		expect(shown(quiet.run).end).not.toContain("refused");
		expect(runData(read(quiet.run)).totals).toMatchObject({ refused: 0 });
	});
});

describe("the result of a run", () => {
	it("that is done has the last summary, the findings of its last state in all their lines, open tasks and all changed files", () => {
		const { run } = reviewed("done");
		expect(run.status).toBe("done");
		const texts = shown(run);
		for (const text of Object.values(texts)) {
			for (const words of [
				"Two things are left.",
				"Both are small.",
				"src/a.ts:3",
				"A test is missing, too.",
				"high",
				"Rename it",
			])
				expect(text).toContain(words);
			expect(text).not.toContain("An old defect.");
		}
		for (const name of ["end", "status", "message"])
			expect(texts[name]).toMatch(/2 files changed, \+2 −0:\n {2}A src\/file-0\.ts/);
		expect(texts.json).toContain('"files":{"files":2,"added":2,"removed":0}');
		// What an earlier state has found is not the result, but it is not forgotten.
		expect(texts.end).not.toContain("Node 24");
		for (const name of ["end", "message"])
			expect(texts[name]).toContain(`Not shown: 1 further finding. See: pi-chronicle view ${run.id.slice(0, 8)}`);
	});

	it.each(["failed", "aborted"])("that is %s has the reason, and everything that was found until then", (status) => {
		const play = status === "failed" ? reviewed("failed") : reviewed("build");
		if (status === "aborted") start(play).say({ kind: "abort_requested", words: "It is not worth it." });
		if (play.run.stage.kind === "stopping") rest(play);
		expect(play.run.status).toBe(status);
		const texts = shown(play.run);
		for (const name of ["end", "status", "message"])
			for (const words of [
				status === "failed" ? '"review" moved to failed' : "Ended by you: It is not worth it.",
				"Two things are left.",
				"The build needs Node 24.",
				"Wrong sign.",
			])
				expect(texts[name], name).toContain(words);
	});

	it("does not exist while the run can continue", () => {
		const { run } = leave(start(open(definition(states))), "build", "One defect.");
		expect(shown(run).status).not.toContain("Result of");
		expect(shown(run).json).toBe("null");
	});

	it("says in the conversation which run it is from, and that the user has not written it", () => {
		const [first] = resultMessage(reviewed("done").run).split("\n");
		expect(first).toMatch(/^\[Result of the pi-chronicle run t \w{8}\. .* not by the user\.\]$/);
	});
});

describe("an approval", () => {
	const asking = { ...states, review: { ...states.review, requires_approval: true } };

	it("shows the summary, the pending tasks, the findings and the files, in this order, all of them", () => {
		const play = start(open(definition(asking)));
		const tasks = Array.from({ length: 30 }, (_, index) => ({ text: `Task ${index}\nin two lines` }));
		save(play, { pendingTasks: tasks, findings: [{ key: "risk", text: "It may be slow." }] });
		const summary = Array.from({ length: 600 }, (_, index) => `Line ${index} of the plan.`).join("\n");
		const { run } = leave(play, "build", summary, 45);
		if (run.stage.kind !== "asking") throw new Error(run.status);
		const lines = questionLines(run.stage.question, run, run.updatedAt);
		const order = [
			...summary.split("\n"),
			"Pending tasks:",
			...tasks.flatMap((_, index) => [`  [t${index + 2}] Task ${index}`, "    in two lines"]),
			"Findings:",
			"  [f1] risk: It may be slow.",
			"45 files changed, +45 −0:",
			...changesOf(45).map(({ path }) => `  A ${path} +1 −0`),
		];
		expect(lines.filter((line) => order.includes(line))).toEqual(order);
	});

	const paths = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }), { maxLength: 400 });
	const lines = fc.nat({ max: 500 });
	const changesIn = (given: readonly string[] | number, added: number, removed: number): FileChange[] => {
		const names =
			typeof given === "number" ? Array.from({ length: given }, (_, at) => `src/${at % 9}/${at}.ts`) : given;
		return names.map((path) => ({ path, change: "M", added, removed }));
	};

	it("folds many files by folder, a line each with the sum of its files", () => {
		const changes = [...changesIn(60, 2, 1), { path: "README.md", change: "M", added: 1, removed: 0 } as const];
		const { run } = leave(start(open(definition(asking))), "build", "Planned.", changes);
		if (run.stage.kind !== "asking") throw new Error(run.status);
		const rows = questionLines(run.stage.question, run, run.updatedAt);
		const at = rows.indexOf("61 files changed, +121 −60:");
		expect(rows.slice(at + 1)).toEqual([
			...[7, 7, 7, 7, 7, 7, 6, 6, 6].map((files, folder) => `  src/${folder}/ ${files} files +${files * 2} −${files}`),
			"  M README.md +1 −0",
		]);
		expect(rows.findIndex((row) => row.startsWith("So far: "))).toBeLessThan(at);
	});

	it("gives the same figures for one change wherever it is shown, and says how many files it does not name", () => {
		fc.assert(
			fc.property(fc.oneof(paths, fc.nat({ max: 400 })), lines, lines, (given, added, removed) => {
				const changes = changesIn(given, added, removed);
				const play = leave(start(open(definition(asking))), "build", "Planned.", changes);
				const { run } = play;
				if (run.stage.kind !== "asking") throw new Error(run.status);
				const total = totalsOf(changes);
				const title =
					total.files === 0
						? "No files changed."
						: `${counted(total.files, "file")} changed, +${total.added} −${total.removed}:`;
				const at = { now: run.updatedAt, prefix: "" };
				for (const shown of [
					questionLines(run.stage.question, run, run.updatedAt),
					statusLines(read(run), at),
					runData(read(run)).question as { about: string[] },
				]) {
					const rows = "about" in shown ? shown.about : shown;
					expect(rows).toContain(title);
					const named = rows.filter((row) => row.startsWith("  M ")).length;
					const hidden = rows.flatMap((row) => /… and (\d+) more: diff \w{8} shows them/.exec(row)?.[1] ?? []);
					const folded = rows.flatMap((row) => /^ {2}[^ ].*\/ (\d+) files \+\d+ −\d+$/.exec(row)?.[1] ?? []);
					const inFolders = folded.reduce((sum, count) => sum + Number(count), 0);
					expect(named + inFolders + Number(hidden[0] ?? 0)).toBe(total.files);
				}
				const timeline = drawTimeline(run, { ...at, width: 200 }).map((line) => paintLine(line, unpainted));
				if (total.files > 0)
					expect(timeline.join("\n")).toContain(`${counted(total.files, "file")} +${total.added} −${total.removed}`);
				expect(runData(read(run)).changed).toEqual({ run: total, visit: total });
				play.say({ kind: "approved", answers: run.stage.question.seq, diff: run.stage.question.diff });
				start(play);
				// The next visit changes the same files again.
				leave(play, "review", "Built.", changes, changes);
				leave(start(play), "done", "Reviewed.", [], changes);
				const { stage } = play.run;
				if (stage.kind === "asking")
					play.say({ kind: "approved", answers: stage.question.seq, diff: stage.question.diff });
				expect(play.run.status).toBe("done");
				const over = play.run;
				const none = { visits: new Set<number>(), costUsd: 0, tokens: 0 };
				// Without a baseline, nothing says that no file has changed.
				for (const rows of [endLines(over, ""), statusLines(read(over), at), resultMessage(over).split("\n")])
					if (total.files > 0) expect(rows).toContain(title);
				expect(storyLines(over, none).includes(`  ${title}`)).toBe(total.files > 0);
				expect(runData(read(over))).toMatchObject({ changed: { run: total }, result: { files: total } });
			}),
			{ numRuns: runs(0.3) },
		);
	});

	it("gives the same figures in the report, whose parts the page shares", async () => {
		await fc.assert(
			fc.asyncProperty(fc.oneof(paths, fc.nat({ max: 400 })), lines, lines, async (given, added, removed) => {
				const changes = changesIn(given, added, removed);
				const total = totalsOf(changes);
				const play = leave(start(open(definition(states))), "build", "Planned.", changes);
				const html = await writeReport(ledgerOf(play.events), { zone: "UTC" });
				const lineCounts = `<span class="plus">+${total.added}</span> <span class="minus">−${total.removed}</span>`;
				expect(html).toContain(`<span class="value">${total.files}</span><span class="note">${lineCounts} lines`);
				expect(html.includes(`<p class="sum">${counted(total.files, "file")}, ${lineCounts}</p>`)).toBe(
					total.files > 0,
				);
			}),
			{ numRuns: runs(0.05) },
		);
	});
});

it("a task of any length is cut in the status, which says where all of it is", () => {
	const play = start(open(definition(states)));
	const run: Run = { ...play.run, task: "Write it. ".repeat(10_000) };
	const [line = ""] = statusLines(read(run), { now: run.updatedAt, prefix: "" }).filter((one) =>
		one.startsWith("Task: "),
	);
	expect(line).toMatch(/^Task: Write it\. .* … \(100k characters; view \w{8} shows all of it\)$/s);
	expect(line.length).toBeLessThan(700);
});
