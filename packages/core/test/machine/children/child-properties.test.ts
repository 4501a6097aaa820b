// Invariants of a state that is done by children, for any policies and any order of events, crashes included.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../pi-chronicle/test/harness/runs.ts";
import { type Action, type ChildRun, type EventBody, isParked, pendingActions } from "../../../src/machine/index.ts";
import { branches, conflict, ended, parentTemplate, plan, total } from "../child-steps.ts";
import { requests } from "../requests.ts";
import { newTree, refold, type TestRun } from "../test-run.ts";

const policies = fc.record({
	branches: fc.constantFrom(branches("x"), branches("x", "y"), branches("x", "y", "z", "w")),
	join: fc.constantFrom("all", "any"),
	on_failed: fc.constantFrom("wait", "continue", "fail"),
	on_conflict: fc.constantFrom("worker", "person", "fail"),
	merge_by: fc.constant("M"),
	files: fc.constantFrom("own", "shared"),
	max_parallel: fc.integer({ min: 1, max: 3 }),
	requires_approval: fc.boolean(),
});
const stories = fc.array(fc.tuple(fc.nat(99), fc.nat(99)), { minLength: 5, maxLength: 60 });

const names = Object.keys(requests);

/** What the executor reports about an action. */
function resultOf(testRun: TestRun, action: Action, how: number): EventBody | undefined {
	const { visit } = testRun.run;
	switch (action.kind) {
		case "run_child":
		case "stop_child":
			return childReport(testRun, action.child, how, action.kind === "stop_child" ? action.how : undefined);
		case "merge_files":
			return how % 5 === 0
				? { kind: "join_failed", visit, detail: "x" }
				: {
						kind: "joined",
						visit,
						before: newTree(),
						tree: newTree(),
						conflicts: how % 2 ? [conflict("f", "x", "y")] : [],
					};
		case "apply_join":
			return how % 5 === 0
				? { kind: "join_failed", visit, detail: "x" }
				: { kind: "join_applied", visit, tree: action.join.tree };
		case "measure_files":
			return { kind: "files_measured", visit: action.visit, purpose: action.purpose, tree: newTree(), changes: [] };
		case "restore_files":
			return { kind: "files_restored", tree: action.tree, before: newTree() };
		default:
			return undefined;
	}
}

function childReport(testRun: TestRun, child: ChildRun, how: number, stop: "pause" | "abort" | undefined): EventBody {
	const visit = testRun.run.visit;
	const tokens = child.counted.spend.tokens + (how % 7);
	if (stop === "abort") return ended(testRun, child, how % 3 ? "aborted" : "done", { total: total(tokens) });
	if (stop === "pause" || how % 6 === 0)
		return {
			kind: "child_parked",
			visit,
			child: child.id,
			status: how % 3 ? "paused" : "awaiting_approval",
			detail: "x",
		};
	if (how % 6 === 1) return { kind: "child_spent", visit, child: child.id, ...total(tokens) };
	return ended(testRun, child, how % 6 === 5 ? "failed" : "done", { total: total(tokens) });
}

/** A command of the user, or a report that comes late. */
function somethingElse({ run }: TestRun, one: number, two: number): EventBody | undefined {
	const child = run.children?.children[two % run.children.children.length];
	if (child && one % 8 === 0) return { kind: "child_dropped", child: child.id, ends: true };
	if (child && one % 4 === 0) return { kind: two % 2 ? "child_signaled" : "child_dropped", child: child.id };
	if (one % 4 === 1) return { kind: "join_applied", visit: run.visit, tree: "late" };
	if (one % 4 === 2) return { kind: "join_failed", visit: run.visit, detail: "late" };
	const request = requests[names[two % names.length] ?? ""]?.(run);
	return request?.kind === "approved" ? ({ ...request, choice: "ours" } as EventBody) : request;
}

/** Holds after every event. */
function check(testRun: TestRun): void {
	const { run } = testRun;
	const { children, stage, hold } = run;
	const actions = pendingActions(run);
	const pending = children?.children.filter(({ status }) => status === "pending") ?? [];
	if (stage.kind === "children") expect(actions.length, "a run that nobody continues").toBeGreaterThan(0);
	if (isParked(run) || stage.kind === "stopping") expect(pending, "children at work in a run that rests").toEqual([]);
	if (hold)
		expect(
			actions.filter(({ kind }) => kind === "run_child" || kind === "work"),
			"a launch on hold",
		).toEqual([]);
	if (children?.phase === "joining") expect(pending, "children at work while files are joined").toEqual([]);
	expect(new Set(actions.map(({ key }) => key)).size).toBe(actions.length);
	expect(new Set(children?.children.map(({ id }) => id)).size).toBe(children?.children.length ?? 0);
}

function play(template: object, story: readonly (readonly [number, number])[]): TestRun {
	const testRun = plan(template);
	let most = 0;
	for (const [one, two] of story) {
		const before = testRun.run;
		const actions = pendingActions(before);
		const action = actions[two % (actions.length || 1)];
		const event = one < 85 && action ? resultOf(testRun, action, one + two) : somethingElse(testRun, one, two);
		if (!event) continue;
		testRun.say(event);
		check(testRun);
		if (testRun.refusal !== "") expect(testRun.run).toBe(before);
		const running = pendingActions(testRun.run).filter(({ kind }) => kind === "run_child").length;
		most = Math.max(most, running);
		const { tokens } = testRun.run.totals;
		expect(tokens).toBeGreaterThanOrEqual(before.totals.tokens);
		if (before.children && testRun.run.children?.visit === before.children.visit)
			expect(tokens - before.totals.tokens).toBe(countedTokens(testRun) - countedTokens({ run: before }));
	}
	expect(most).toBeLessThanOrEqual(testRun.run.plan.states.get("a")?.children?.maxParallel ?? 0);
	return testRun;
}

function countedTokens({ run }: Pick<TestRun, "run">): number {
	return (run.children?.children ?? []).reduce((sum, { counted }) => sum + counted.spend.tokens, 0);
}

describe("a state that is done by children", () => {
	it("never waits while a child works, joins only ended children, starts none while paused, and always has a next action", () => {
		const reached = new Set<string>();
		fc.assert(
			fc.property(policies, stories, (fields, story) => {
				const testRun = play(parentTemplate(fields), story);
				for (const { kind } of testRun.events) reached.add(kind);
				expect(refold(testRun.events)).toEqual(testRun.run);
			}),
			{ numRuns: runs() },
		);
		expect([...reached]).toEqual(
			expect.arrayContaining(["child_ended", "child_dropped", "joined", "join_applied", "parked", "moved", "finished"]),
		);
	});
});
