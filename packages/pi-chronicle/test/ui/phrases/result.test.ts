// The result of a run, and what an approval shows: complete, in order, with one figure for one change.

import type { Run } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import type { SnapshotData } from "@pi-chronicle/core/snapshot";
import { describe, expect, it } from "vitest";
import { ask, definition, newTree, open, rest, start, type TestRun } from "../../../../core/test/machine/test-run.ts";
import { endLines, questionLines, resultMessage, runData, statusLines } from "../../../src/ui/phrases/index.ts";

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

/** Saves entries in the current state. */
function save(play: TestRun, data: SnapshotData): TestRun {
	return play.say({ kind: "snapshot_updated", visit: play.run.visit, attempt: play.run.attempt, by: "worker", data });
}

/** Leaves the state; its visit has changed `count` files, of which the event lists 200, as measured. */
function leave(play: TestRun, target: string, summary: string, count = 0, ofRun = count): TestRun {
	ask(play, target, summary);
	const { stage } = play.run;
	if (stage.kind === "stopping" && stage.launch)
		play.say({ kind: "worker_ended", ...stage.launch, outcome: { kind: "stopped" } });
	const { visit } = play.due("measure_files");
	const totals = (files: number) => ({ files, added: files, removed: 0 });
	const more = Math.max(0, count - 200);
	return play.say({
		kind: "files_measured",
		visit,
		purpose: "changes",
		tree: newTree(),
		changes: changesOf(count).slice(0, 200),
		...(more > 0 ? { more } : {}),
		total: totals(count),
		...(ofRun > 25 ? { sinceStart: totals(ofRun) } : {}),
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

	it.each([3, 59, 201, 270])(
		"of a visit with %i files gives that number wherever the change is shown, and says how many it does not name",
		(count) => {
			const play = leave(start(open(definition(asking))), "build", "Planned.", count);
			const { run } = play;
			if (run.stage.kind !== "asking") throw new Error(run.status);
			const text = questionLines(run.stage.question, run, run.updatedAt).join("\n");
			expect(text).toContain(`${count} files changed, +${count} −0:`);
			const named = text.match(/^ {2}A src/gm)?.length ?? 0;
			const hidden = / … and (\d+) more: diff \w{8} shows them/.exec(text)?.[1];
			expect(named + Number(hidden ?? 0)).toBe(count);
			play.say({ kind: "approved", answers: run.stage.question.seq, diff: run.stage.question.diff });
			start(play);
			// The next visit changes the same files again.
			leave(play, "review", "Built.", count, count);
			leave(start(play), "done", "Reviewed.", 0, count);
			const { stage } = play.run;
			if (stage.kind === "asking")
				play.say({ kind: "approved", answers: stage.question.seq, diff: stage.question.diff });
			expect(play.run.status).toBe("done");
			expect(endLines(play.run, "").join("\n")).toContain(`${count} files changed, +${count} −0:`);
		},
	);
});
