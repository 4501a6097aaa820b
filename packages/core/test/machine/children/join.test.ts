// The join of the children's files: the merge, conflicts and their resolutions, writing the result, and failures.
import { describe, expect, it } from "vitest";
import type { ConflictChoice, EventBody } from "../../../src/machine/index.ts";
import {
	applyJoin,
	branches,
	childAt,
	conflict,
	end,
	join,
	letters,
	parentTemplate,
	plan,
	total,
} from "../child-steps.ts";
import { pause } from "../requests.ts";
import { definition, newTree, rest, since, type TestRun } from "../test-run.ts";

const two = (fields: object = {}) =>
	end(end(plan(parentTemplate({ branches: branches("x", "y"), ...fields })), 1, "done", { tree: "tx" }), 2, "done", {
		tree: "ty",
	});

const question = ({ run }: TestRun) => (run.stage.kind === "asking" ? run.stage.question : undefined);
const choose = (testRun: TestRun, choice: ConflictChoice) =>
	testRun.say({ kind: "approved", answers: since(testRun), diff: question(testRun)?.diff ?? "", choice } as EventBody);
const merged = (testRun: TestRun) => testRun.due("merge_files");

describe("the join", () => {
	it("merges the files of the children that are done, in their order, from the base of the group", () => {
		const testRun = plan(parentTemplate({ on_failed: "continue" }));
		const { base } = testRun.run.children ?? {};
		end(testRun, 3, "done", { tree: "t3", base: "b3" });
		end(testRun, 1, "done", { tree: "t1" });
		end(testRun, 2, "failed", { tree: "t2" });
		expect(merged(testRun)).toMatchObject({
			base,
			join: null,
			results: [
				{ name: "one", tree: "t1", base: null },
				{ name: "three", tree: "t3", base: "b3" },
			],
		});
	});

	it("writes the merge, summarizes the children and goes to the next state", () => {
		const testRun = join(two());
		const { join: progress } = testRun.due("apply_join");
		expect(progress).toMatchObject({ round: 1, conflicts: [], choice: null });
		applyJoin(testRun);
		expect(testRun.run).toMatchObject({ state: "b", children: null, stage: { kind: "stopping", how: "boundary" } });
		expect(testRun.run.candidates).toBe(null);
		expect(testRun.run.history.at(-1)).toMatchObject({ from: "a", to: "b", cause: "children" });
		rest(testRun);
		expect(testRun.run.stage.kind).toBe("launching");
	});

	it("is skipped if the children share the run's files, or none has separate files", () => {
		for (const fields of [{ files: "shared" }, {}]) {
			const testRun = plan(parentTemplate({ branches: branches("x"), ...fields }));
			end(testRun, 1, "done", { tree: fields.files === "shared" ? "t" : null });
			expect(testRun.run).toMatchObject({ state: "b", children: null });
		}
	});

	it("that finds changed files in the folder is repeated under another key", () => {
		const testRun = two();
		const first = merged(testRun).key;
		join(testRun);
		const applied = testRun.due("apply_join").key;
		join(testRun, [conflict("f")]);
		choose(testRun, "ours");
		expect(new Set([first, applied, merged(testRun).key]).size).toBe(3);
		join(testRun);
		expect(testRun.due("apply_join").join.round).toBe(3);
	});

	it("that fails pauses the run, and starts over when it is resumed", () => {
		const testRun = join(two());
		testRun.say({ kind: "join_failed", visit: 1, detail: "z".repeat(600) });
		expect(testRun.run).toMatchObject({ status: "paused", hold: { cause: "children", detail: "z".repeat(500) } });
		expect(testRun.run.children).toMatchObject({ join: null });
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(merged(testRun)).toMatchObject({ join: null });
		applyJoin(join(testRun));
		expect(testRun.run.state).toBe("b");
	});

	it("names the files that could not be written", () => {
		const testRun = join(two());
		const left = [{ path: "f", why: "busy" }];
		testRun.say({ kind: "join_applied", visit: 1, tree: "t", left });
		expect(testRun.run.notices).toEqual(["Not written at the join: f (busy)"]);
		const whole = join(two());
		whole.say({ kind: "join_applied", visit: 1, tree: "t", left: [] });
		expect(whole.run.notices).toEqual([]);
	});

	it("asks before the state is left, if the state requires it; a pause waits for it", () => {
		const asking = applyJoin(join(two({ requires_approval: true })));
		expect(question(rest(asking))).toMatchObject({ side: "exit", target: "b", visit: 1 });
		const paused = applyJoin(join(two().say(pause)));
		rest(paused);
		expect(paused.run).toMatchObject({ status: "paused", state: "b", hold: { cause: "person" } });
	});

	it("that the user rejects is followed by other children, whose spend is added", () => {
		const spending = { total: total(5) };
		const testRun = plan(parentTemplate({ branches: branches("x"), requires_approval: true }));
		const [first] = testRun.run.children?.children ?? [];
		rest(applyJoin(join(end(testRun, 1, "done", spending))));
		testRun.say({ kind: "rejected", answers: since(testRun), words: "not like this" });
		const second = childAt(testRun, 1);
		expect(second).toMatchObject({ name: "x", index: 1, status: "pending", counted: total(0) });
		expect(second.id).not.toBe(first?.id);
		end(testRun, 1, "done", spending);
		expect(testRun.run.totals.tokens).toBe(10);
		expect(testRun.run.childCount).toBe(2);
	});

	it("ends the run in a terminal state", () => {
		const testRun = rest(applyJoin(join(two({ next: [] }))));
		expect(testRun.run).toMatchObject({ status: "done", state: "a" });
	});
});

describe("conflicts of the join", () => {
	it("are the user's question by default", () => {
		const testRun = join(two(), [conflict("f"), conflict("g")]);
		const tree = testRun.run.children?.join?.tree;
		expect(testRun.run.status).toBe("awaiting_approval");
		expect(question(testRun)).toMatchObject({
			side: "conflict",
			target: "b",
			diff: tree,
			conflicts: [{ path: "f" }, { path: "g" }],
		});
	});

	it.each(["ours", "theirs", "hand"] as const)("are resolved as the user chooses: %s", (choice) => {
		const testRun = join(two(), [conflict("f")]);
		choose(testRun, choice);
		expect(merged(testRun).join).toMatchObject({ choice, round: 1, conflicts: [{ path: "f" }] });
		join(testRun);
		expect(testRun.due("apply_join").join.round).toBe(2);
	});

	it("are asked again if the answer leaves some unresolved", () => {
		const testRun = join(two(), [conflict("f")]);
		const first = since(testRun);
		join(choose(testRun, "hand"), [conflict("f")]);
		expect(since(testRun)).not.toBe(first);
	});

	it("pause the run if the user rejects the question, and are asked again when it is resumed", () => {
		const testRun = join(two(), [conflict("f")]);
		testRun.say({ kind: "rejected", answers: since(testRun), words: "not now" });
		expect(testRun.run.hold).toMatchObject({ status: "paused", detail: "The conflicts of the join are not resolved." });
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(question(testRun)).toMatchObject({ side: "conflict" });
	});

	it("fail the run if the state says so, naming at most five files", () => {
		const paths = ["a", "a", "b", "c", "d", "e", "f"].map((path) => conflict(path));
		const testRun = rest(join(two({ on_conflict: "fail" }), paths));
		expect(testRun.run.status).toBe("failed");
		expect(testRun.run.notices.at(-1)).toBe("The changes of the children conflict in a, b, c, d, e.");
	});

	it("start a child that resolves them, with the merge as its files and the summaries of both sides", () => {
		const testRun = join(two({ merge_by: "M" }), [conflict("f", "your files", "y")]);
		const merger = childAt(testRun, 3);
		expect(merger).toMatchObject({
			name: "merge 3",
			template: "merge",
			branch: -1,
			merges: testRun.run.children?.join?.tree,
		});
		expect(merger.task).toContain("- f (content): your files against y");
		expect(merger.task).toContain("### y\n\nIts task: do it\n\nIts summary: did 2");
		expect(merger.task).not.toContain("### x");
		expect(testRun.run.childCount).toBe(3);
	});

	it.each([
		["of two", "api", "api client", ["api", "api client"]],
		["of one and the files so far", "your files and api", "api client", ["api", "api client"]],
		["of one and all before it", "your files and api, api client", "a", ["api", "api client", "a"]],
		["of one and your files", "your files", "a", ["a"]],
		["of your files and all", "your files", "the children", ["api", "api client", "a"]],
	])("start a child that reads about no other side: a conflict %s", (_, ours, theirs, sides) => {
		const testRun = plan(parentTemplate({ branches: branches("api", "api client", "a"), merge_by: "M" }));
		for (const number of [1, 2, 3])
			end(testRun, number, "done", { handover: { summary: `${"x".repeat(13_000)} end`, data: {} } });
		const { task } = childAt(join(testRun, [conflict("f", ours, theirs)]), 4);
		expect([...task.matchAll(/^### (.*)$/gm)].map(([, name]) => name)).toEqual(sides);
		expect(task.match(/… \(the rest is in "What is known"\)$/gm)).toHaveLength(sides.length);
		expect(task.length).toBeLessThan(9000);
	});

	it.each([
		["test", "npm run verify", "`npm run verify`"],
		["unit_tests", "{tests}", "the project's tests"],
		["build", "make all && {tests}", "`make all && <the project's tests>`"],
		["quality", "pytest -q", "`pytest -q`"],
		["quality", "make check", "`make check`"],
		["deploy", "docker push shop:latest", undefined],
		["attest", "git checkout main", undefined],
	])("start a child that reads how the template tests: state %s with %s", (name, command, told) => {
		const states = { b: { persona: "B", next: [name] }, [name]: { command, next: ["done", "b"] } };
		const children = { branches: branches("x", "y"), merge_by: "M", next: ["b"] };
		const testRun = end(end(plan(definition({ a: children, ...states })), 1, "done", { tree: "tx" }), 2, "done", {
			tree: "ty",
		});
		const { task } = childAt(join(testRun, [conflict("f")]), 3);
		const [, read] = /run what the template tests the project with: (.*)\.$/m.exec(task) ?? [];
		expect(read).toBe(told);
	});

	it("start a child with at most the first fifty, and without missing summaries", () => {
		const testRun = plan(parentTemplate({ branches: branches("x"), merge_by: "M" }));
		end(testRun, 1, "done", { handover: { summary: "", data: {} } });
		join(
			testRun,
			Array.from({ length: 51 }, (_, n) => conflict(`f${n}`, "your files", "x")),
		);
		const { task } = childAt(testRun, 2);
		expect(task).toContain("f49");
		expect(task).not.toContain("f50");
		expect(task).not.toContain("What x did");
	});

	it("resolved by a child are merged once more, and that child is absent from results and summary", () => {
		const testRun = join(two({ merge_by: "M" }), [conflict("f")]);
		end(testRun, 3, "done", { tree: "tm" });
		expect(merged(testRun)).toMatchObject({ join: { choice: "worker" }, results: [{ name: "x" }, { name: "y" }] });
		applyJoin(join(testRun));
		expect(testRun.run.history.at(-1)?.summary).toBe("2 of 2 children done.\n- x: did 1\n- y: did 2");
	});

	it("start a second child, then ask the user", () => {
		const testRun = join(two({ merge_by: "M" }), [conflict("f")]);
		join(end(testRun, 3), [conflict("f")]);
		expect(letters(testRun)).toBe("ddd.");
		join(end(testRun, 4), [conflict("f")]);
		expect(question(testRun)).toMatchObject({ side: "conflict" });
	});

	it.each([
		["fails", (testRun: TestRun) => end(testRun, 3, "failed")],
		["has no files", (testRun: TestRun) => end(testRun, 3, "done", { tree: null })],
	])("start another child, then ask the user, if the resolving child %s", (_kind, lose) => {
		const testRun = lose(join(two({ merge_by: "M" }), [conflict("f")]));
		expect(childAt(testRun, 4).merges).toBe(testRun.run.children?.join?.tree);
		end(testRun, 4, "failed");
		expect(question(testRun)).toMatchObject({ side: "conflict" });
	});

	it("wait while the resolving child waits", () => {
		const testRun = join(two({ merge_by: "M" }), [conflict("f")]);
		testRun.say({ kind: "child_parked", visit: 1, child: childAt(testRun, 3).id, status: "paused", detail: "asks" });
		expect(testRun.run.hold?.detail).toBe('"merge 3" waits: asks');
		testRun.say({ kind: "child_dropped", child: childAt(testRun, 3).id });
		expect(letters(testRun)).toBe("dd-.");
	});

	it("start no child in a paused run", () => {
		const testRun = join(two({ merge_by: "M" }).say(pause), [conflict("f")]);
		expect(testRun.run).toMatchObject({ status: "paused", hold: { cause: "person" } });
		expect(testRun.actions).toEqual([]);
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(letters(testRun)).toBe("dd.");
		const asked = choose(join(two().say(pause), [conflict("f")]), "worker");
		expect([asked.run.status, letters(asked)]).toEqual(["paused", "dd"]);
	});

	it("belong to the visit: files of a later visit are not written", () => {
		const testRun = join(two());
		testRun.say({ kind: "joined", visit: 2, before: newTree(), tree: newTree(), conflicts: [] });
		expect(testRun.refusal).toBe("stale");
	});
});
