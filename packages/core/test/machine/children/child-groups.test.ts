// The outcome of a state's children for every policy: the run continues, waits, joins or fails.
import { describe, expect, it } from "vitest";
import { type ChildRun, pendingActions } from "../../../src/machine/index.ts";
import { applyJoin, branches, childAt, end, ended, join, letters, parentTemplate, park, plan } from "../child-steps.ts";
import type { TestRun } from "../test-run.ts";

/** Brings children to these statuses, see {@link letters}; `q` waits for approval. Those that are not needed any more are aborted by the run. */
function bring(statuses: string, fields: object): TestRun {
	const names = [...statuses].map((_status, index) => `c${index + 1}`);
	const testRun = plan(parentTemplate({ branches: branches(...names), max_parallel: 100, files: "own", ...fields }));
	for (const [index, status] of [...statuses].entries()) report(testRun, index + 1, status);
	return testRun;
}

function report(testRun: TestRun, number: number, status: string): void {
	switch (status) {
		case "d":
			end(testRun, number);
			return;
		case "f":
			end(testRun, number, "failed");
			return;
		case "a":
			end(testRun, number, "aborted");
			return;
		case "p":
			park(testRun, number);
			return;
		case "q":
			park(testRun, number, "awaiting_approval");
			return;
		case "-":
			park(testRun, number).say({ kind: "child_dropped", child: childAt(testRun, number).id });
	}
}

/** `working`, `joining`, `aborting the others`, or what the run waits for. */
function told(testRun: TestRun): string {
	const { run } = testRun;
	if (run.hold) return `${run.status}: ${run.hold.detail}`;
	const [action] = pendingActions(run);
	switch (action?.kind) {
		case "run_child":
			return "working";
		case "merge_files":
			return "joining";
		case "stop_child":
			return "aborting the others";
		default:
			return run.stage.kind === "stopping" && run.stage.after.kind === "finish"
				? `${run.stage.after.status}: ${run.stage.after.detail}`
				: (action?.kind ?? run.stage.kind);
	}
}

describe("children of a state", () => {
	it.each<[string, object, string]>([
		["..", {}, "working"],
		["d.", {}, "working"],
		["f.", {}, "working"],
		["p.", {}, "working"],
		["dd", {}, "joining"],
		["d-", {}, "joining"],
		["--", {}, "paused: No child is done, so there is nothing to join."],
		["df", {}, 'paused: "c2" failed: broke 2'],
		["da", {}, 'paused: "c2" aborted: broke 2'],
		["fafff", {}, 'paused: "c1" failed: broke 1; "c2" aborted: broke 2; "c3" failed: broke 3; 2 more'],
		["fff", {}, 'paused: "c1" failed: broke 1; "c2" failed: broke 2; "c3" failed: broke 3'],
		["dp", {}, 'paused: "c2" waits: asks 2'],
		["fp", {}, 'paused: "c2" waits: asks 2'],
		["pp", {}, 'paused: "c1" waits: asks 1 1 more child waits.'],
		["ppp", {}, 'paused: "c1" waits: asks 1 2 more children wait.'],
		["pq", {}, 'awaiting_approval: "c1" waits: asks 1 1 more child waits.'],
		["df", { on_failed: "continue" }, "joining"],
		["ff", { on_failed: "continue" }, "paused: No child is done, so there is nothing to join."],
		["f.", { on_failed: "continue" }, "working"],
		["f.", { on_failed: "fail" }, "aborting the others"],
		["df", { on_failed: "fail" }, 'failed: "c2" failed: broke 2'],
		["a", { on_failed: "fail" }, 'failed: "c1" aborted: broke 1'],
		["d.", { join: "any" }, "aborting the others"],
		["dp", { join: "any" }, "aborting the others"],
		["f.", { join: "any" }, "working"],
		["f.", { join: "any", on_failed: "fail" }, "working"],
		["ff", { join: "any", on_failed: "fail" }, 'failed: "c1" failed: broke 1; "c2" failed: broke 2'],
		["ff", { join: "any" }, 'paused: "c1" failed: broke 1; "c2" failed: broke 2'],
		["d..", { join: 2 }, "working"],
		["dd.", { join: 2 }, "aborting the others"],
		["ddf", { join: 2 }, "joining"],
		["ddd", { join: 2 }, "joining"],
		["d-f", { join: 2, on_failed: "continue" }, "paused: Only 1 of 2 children are done."],
		["f..", { join: 2, on_failed: "fail" }, "working"],
		["f.-", { join: 2, on_failed: "fail" }, "aborting the others"],
		["ff.", { join: 2, on_failed: "fail" }, "aborting the others"],
	])("%s with %o", (statuses, fields, expected) => {
		expect(told(bring(statuses, fields))).toBe(expected);
	});

	it("that are no longer needed are aborted before the join, which leaves their files out", () => {
		const testRun = bring("d.", { join: "any" });
		end(testRun, 2, "aborted");
		expect(letters(testRun)).toBe("da");
		expect(testRun.due("merge_files").results.map(({ name }) => name)).toEqual(["c1"]);
	});

	it("that fail the run end it with their reason", () => {
		const testRun = bring("f.", { on_failed: "fail" });
		end(testRun, 2, "aborted");
		testRun.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: "t", changes: [] });
		expect(testRun.run).toMatchObject({ status: "failed", children: null });
		expect(testRun.run.notices.at(-1)).toBe('"c1" failed: broke 1');
	});

	it("are supervised in their order, as many at a time as the state allows", () => {
		const testRun = plan(parentTemplate({ branches: branches("x", "y", "z", "w"), max_parallel: 2 }));
		const running = () => testRun.run.stage.kind === "children" && runningNumbers(testRun);
		expect(running()).toEqual([1, 2]);
		end(testRun, 2);
		expect(running()).toEqual([1, 3]);
		park(testRun, 1);
		expect(running()).toEqual([3, 4]);
	});

	it("have an action key per start, so that continuing a child is a new action", () => {
		const testRun = park(plan(), 1);
		const { id } = childAt(testRun, 1);
		testRun.say({ kind: "child_signaled", child: id });
		expect(testRun.actions.map(({ key }) => key)).toEqual([`child:${id}:2`]);
		// A command that arrives while it is supervised: it parks once more before it is read.
		testRun.say({ kind: "child_signaled", child: id });
		park(testRun, 1);
		expect(childAt(testRun, 1)).toMatchObject({ status: "pending", starts: 3, signaled: false });
		park(testRun, 1);
		expect(childAt(testRun, 1)).toMatchObject({ status: "parked", waits: "paused", detail: "asks 1" });
	});

	it("that got a command while they are being paused stay paused", () => {
		const testRun = plan();
		testRun.say({ kind: "child_signaled", child: childAt(testRun, 1).id });
		testRun.say({ kind: "pause_requested", cause: "person", detail: "lunch" });
		for (const number of [1, 2, 3]) park(testRun, number);
		expect(letters(testRun)).toBe("ppp");
		expect(testRun.run).toMatchObject({ status: "paused", hold: { cause: "person", detail: "lunch" } });
		expect(testRun.run.children?.stopping).toBeNull();
	});

	it.each<[string, Partial<ChildRun>]>([
		["parked", { waits: "paused" }],
		["failed", { waits: null }],
	])("that are %s continue when the user says so", (status, before) => {
		const testRun = status === "parked" ? park(plan(), 1) : end(plan(), 1, "failed");
		expect(childAt(testRun, 1)).toMatchObject({ status, ...before });
		testRun.say({ kind: "child_signaled", child: childAt(testRun, 1).id });
		expect(childAt(testRun, 1)).toMatchObject({ status: "pending", waits: null, detail: "", starts: 2 });
	});

	it("continue together when the run is resumed; the failed ones do not", () => {
		const testRun = bring("dpfp", {});
		const { stage } = testRun.run;
		testRun.say({ kind: "resumed", answers: stage.kind === "waiting" ? stage.since : 0 });
		expect(letters(testRun)).toBe("d.f.");
		expect(testRun.run.hold).toBeNull();
	});

	it.each([
		["paused", true],
		["budget_exceeded", true],
		["awaiting_approval", undefined],
		["human_intervention", undefined],
	] as const)("that are %s are resumed with the run: %s, once", (status, resume) => {
		const testRun = plan();
		const parkAll = () => {
			for (const number of [1, 2, 3])
				testRun.say({
					kind: "child_parked",
					visit: 1,
					child: childAt(testRun, number).id,
					status,
					detail: "it waits.",
				});
		};
		parkAll();
		const { stage } = testRun.run;
		testRun.say({ kind: "resumed", answers: stage.kind === "waiting" ? stage.since : 0 });
		expect(childAt(testRun, 1)).toMatchObject({ status: "pending" });
		expect(childAt(testRun, 1).resume).toBe(resume);
		parkAll();
		expect(childAt(testRun, 1)).toMatchObject({ status: "parked", waits: status });
		testRun.say({ kind: "child_signaled", child: childAt(testRun, 1).id });
		expect(childAt(testRun, 1).resume).toBeUndefined();
	});

	it("that wait are ended when they are dropped, and what they know is kept", () => {
		const drop = (testRun: TestRun, number: number) =>
			testRun.say({ kind: "child_dropped", child: childAt(testRun, number).id, ends: true });
		const testRun = bring("dpd", {});
		expect(testRun.run.stage.kind).toBe("waiting");
		drop(testRun, 2);
		expect(testRun.due("stop_child")).toMatchObject({ how: "abort", child: { index: 2 } });
		expect(drop(testRun, 2).refusal).toBe("over");
		testRun.say({ kind: "child_signaled", child: childAt(testRun, 2).id });
		expect(testRun.refusal).toBe("over");
		const decision = { number: 1, seq: 9, at: "", visit: 1, state: "w", did: "told", words: "NEVER-TOUCH-X" } as const;
		const data = { findings: [{ text: "found" }], pendingTasks: [{ text: "to do" }] };
		end(testRun, 2, "aborted", {
			detail: "The user dropped this child.",
			handover: { summary: "which port?", data, decisions: [decision] },
		});
		expect(letters(testRun)).toBe("d-d");
		const { snapshot, decisions, notices, stage } = testRun.run;
		expect(stage.kind).toBe("children");
		expect([...snapshot.findings, ...snapshot.pendingTasks].map((entry) => entry.text)).toEqual(["found", "to do"]);
		expect(snapshot.summaries).toContainEqual(
			expect.objectContaining({ child: childAt(testRun, 2).name, text: "dropped. asks 2 which port?" }),
		);
		expect(decisions).toMatchObject([{ words: "NEVER-TOUCH-X", child: childAt(testRun, 2).name }]);
		expect(notices.at(-1)).toMatch(/^The child ".*" was dropped: asks 2$/);
	});

	it("that are dropped while the user has paused the run are ended when it continues", () => {
		const testRun = plan().say({ kind: "pause_requested", cause: "person", detail: "lunch" });
		for (const number of [1, 2, 3]) park(testRun, number);
		testRun.say({ kind: "child_dropped", child: childAt(testRun, 2).id, ends: true });
		expect(testRun.run).toMatchObject({ status: "paused", hold: { detail: "lunch" } });
		const { stage } = testRun.run;
		testRun.say({ kind: "resumed", answers: stage.kind === "waiting" ? stage.since : 0 });
		expect(runningNumbers(testRun)).toEqual([1, 3]);
		expect(testRun.due("stop_child").child.index).toBe(2);
	});

	it("that are dropped and cannot be ended are left out all the same, and the user is told", () => {
		const testRun = bring("dpd", {});
		testRun.say({ kind: "child_dropped", child: childAt(testRun, 2).id, ends: true });
		park(testRun, 2, "paused", "Its run was removed.");
		expect(letters(testRun)).toBe("d-d");
		expect(testRun.run.notices.at(-1)).toMatch(/only in its own run: Its run was removed\.$/);
	});

	it("hand over a decision once, also when they go on after their end", () => {
		const decision = { number: 1, seq: 9, at: "", visit: 1, state: "w", did: "told", words: "x" } as const;
		const handover = { summary: "", data: {}, decisions: [decision] };
		const testRun = end(plan(), 1, "failed", { handover });
		testRun.say({ kind: "child_signaled", child: childAt(testRun, 1).id });
		const later = { ...decision, number: 2, words: "y" };
		end(testRun, 1, "done", { handover: { ...handover, decisions: [decision, later] } });
		expect(testRun.run.decisions.map(({ words }) => words)).toEqual(["x", "y"]);
	});

	it("are named when a message has no receiver", () => {
		const testRun = bring(`d${".".repeat(11)}`, {});
		testRun.say({ kind: "told", text: "hello" });
		const ids = testRun.run.children?.children.slice(1, 11).map(({ id, name }) => `${id.slice(0, 8)} (${name})`);
		expect(testRun.message).toBe(
			`This state is done by child runs. Send the message to one of them: ${ids?.join(", ")}, 1 more.`,
		);
		const few = bring("d..", {});
		few.say({ kind: "told", text: "hello" });
		expect(few.message).toMatch(/one of them: \S+ \(c2\), \S+ \(c3\)\.$/);
		const none = bring("df", {});
		none.say({ kind: "told", text: "hello" });
		expect(none.message).toBe("This state is done by child runs, and all of them have ended.");
	});

	it("are summarized for the next state, one line of equal length each", () => {
		const testRun = plan(parentTemplate({ on_failed: "continue" }));
		const summary = (text: string) => ({ handover: { summary: text, data: {} } });
		end(testRun, 1, "done", summary(`first\n  ${"long ".repeat(400)}`));
		end(testRun, 2, "failed");
		end(testRun, 3, "done", summary(""));
		applyJoin(join(testRun));
		const lines = testRun.run.history.at(-1)?.summary.split("\n") ?? [];
		expect(lines[0]).toBe("2 of 3 children done.");
		expect(lines[1]).toMatch(/^- one: first long long/);
		expect(lines[1]?.length).toBeLessThan(500);
		expect(lines.slice(2)).toEqual(["- two: failed: broke 2", "- three: done"]);
	});

	it("hand over their findings and complete their task", () => {
		const testRun = plan();
		end(testRun, 1, "done", { handover: { summary: "s", data: { findings: [{ text: "f1" }] } } });
		end(testRun, 2, "failed", { handover: { summary: "s", data: { findings: [{ text: "f2" }] } } });
		expect(testRun.run.snapshot.findings.map(({ text }) => text)).toEqual(["f1", "f2"]);
		expect(testRun.run.notices).toEqual(['The child "two" failed: broke 2']);
		end(testRun, 3, "aborted", { detail: "" });
		expect(testRun.run.notices.at(-1)).toBe('The child "three" was aborted.');
	});

	it("ignore a later report about one that has ended", () => {
		const testRun = end(plan(), 1);
		const before = testRun.run;
		testRun.say(ended(testRun, childAt(testRun, 1), "failed"));
		expect([testRun.refusal, testRun.run]).toEqual(["stale", before]);
	});
});

function runningNumbers({ run }: TestRun): readonly number[] {
	return pendingActions(run).flatMap((action) => (action.kind === "run_child" ? [action.child.index] : []));
}
