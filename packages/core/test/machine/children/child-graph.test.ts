// Children that need each other: for any graph, any policy, and any order of ends, failures, kills and commands.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../pi-chronicle/test/harness/runs.ts";
import {
	type Action,
	type ChildRun,
	criticalPath,
	type EventBody,
	inheritedBy,
	isParked,
	pendingActions,
} from "../../../src/machine/index.ts";
import { applyJoin, childAt, conflict, end, ended, letters, parentTemplate, park, plan } from "../child-steps.ts";
import { requests } from "../requests.ts";
import { newTree, refold, type TestRun } from "../test-run.ts";

/** Branches by name, with what each needs. */
function graph(needs: Readonly<Record<string, readonly string[]>>, fields: object = {}): object {
	const branches = Object.fromEntries(
		Object.entries(needs).map(([name, needed]) => [name, { persona: "Builder", next: ["done"], needs: needed }]),
	);
	return parentTemplate({ branches, files: "own", max_parallel: 100, ...fields });
}

const diamond = { a: [], b: ["a"], c: ["a"], d: ["b", "c"] };

/** Numbers of the children that may be supervised now. */
function running({ run }: TestRun): readonly number[] {
	return pendingActions(run).flatMap((action) => (action.kind === "run_child" ? [action.child.index] : []));
}

/** Merges the files of the child that is due. */
function joinOne(testRun: TestRun, conflicts = [] as ReturnType<typeof conflict>[]): TestRun {
	const { visit, into } = testRun.due("merge_files");
	const before = into?.tree ?? "";
	return testRun.say({
		...{ kind: "joined", visit, before, tree: newTree(), conflicts },
		...(into ? { child: into.child } : {}),
	});
}

function finish(testRun: TestRun, number: number): TestRun {
	return joinOne(end(testRun, number));
}

describe("children that need each other", () => {
	it("begin once all that they need are joined, from those files", () => {
		const testRun = plan(graph(diamond));
		expect(running(testRun)).toEqual([1]);
		end(testRun, 1);
		expect(running(testRun)).toEqual([]);
		joinOne(testRun);
		expect(running(testRun)).toEqual([2, 3]);
		expect(childAt(testRun, 2).from).toBe(testRun.run.children?.joined);
		finish(testRun, 3);
		expect(running(testRun)).toEqual([2]);
		finish(testRun, 2);
		expect(childAt(testRun, 4).from).toBe(testRun.run.children?.joined);
		finish(testRun, 4);
		const { results, into } = testRun.due("merge_files");
		expect([results.map(({ tree }) => tree), into]).toEqual([[testRun.run.children?.joined], undefined]);
		applyJoin(joinOne(testRun));
		expect(testRun.run.state).toBe("b");
	});

	it("are joined in the order in which they end", () => {
		const testRun = plan(graph({ a: [], b: [], c: [], d: ["a", "b", "c"] }));
		for (const number of [3, 1, 2]) end(testRun, number);
		const joined = [1, 2, 3].map(() => {
			const { into } = testRun.due("merge_files");
			joinOne(testRun);
			return testRun.run.children?.children.find(({ id }) => id === into?.child)?.index;
		});
		expect(joined).toEqual([3, 1, 2]);
	});

	it("that share the run's files begin when what they need has ended", () => {
		const testRun = plan(graph({ a: [], b: ["a"] }, { files: "shared", tools: ["read"] }));
		end(testRun, 1, "done", { tree: null });
		expect(running(testRun)).toEqual([2]);
	});

	it("with `order: chain` work one after another", () => {
		const testRun = plan(graph({ a: [], b: [], c: [] }, { order: "chain" }));
		expect(running(testRun)).toEqual([1]);
		finish(testRun, 1);
		expect(running(testRun)).toEqual([2]);
	});

	it("begin, of those that may, with the one that the longest chain waits for", () => {
		const testRun = plan(graph({ a: [], b: [], c: ["b"], d: ["c"] }, { max_parallel: 1 }));
		expect(running(testRun)).toEqual([2]);
	});

	it("know the summaries and findings of those that they build on, and of no others", () => {
		const testRun = plan(graph({ a: [], b: ["a"], c: ["b"], x: [] }));
		const handover = (text: string) => ({
			handover: { summary: `sum ${text}`, data: { findings: [{ text, from: text }] } },
		});
		joinOne(end(testRun, 1, "done", handover("a")));
		joinOne(end(testRun, 4, "done", handover("x")));
		joinOne(end(testRun, 2, "done", handover("b")));
		const { snapshot, needs, siblings } = inheritedBy(testRun.run, childAt(testRun, 3));
		expect(snapshot.findings.map(({ text }) => text)).toEqual(["a", "b"]);
		expect(snapshot.summaries.map(({ text }) => text)).toEqual(["sum a", "sum b"]);
		expect([needs, siblings]).toEqual([["b"], ["c"]]);
	});

	it("are named as a critical path, by the time that they take", () => {
		const testRun = plan(graph({ ...diamond, e: [] }));
		const of = (activeMs: number) => ({ total: { ...childAt(testRun, 1).counted, activeMs } });
		end(testRun, 1, "done", of(1000));
		joinOne(testRun);
		end(testRun, 2, "done", of(100));
		end(testRun, 3, "done", of(9000));
		const path = testRun.run.children && criticalPath(testRun.run.children);
		expect(path?.map(({ name }) => name)).toEqual(["a", "c", "d"]);
	});
});

describe("if a child fails, those that need it", () => {
	const failed = (fields: object) => end(plan(graph({ a: [], b: ["a"], c: ["b"], x: [] }, fields)), 1, "failed");

	it("wait for the user, while the others go on", () => {
		const testRun = failed({});
		expect([letters(testRun), running(testRun)]).toEqual(["f...", [4]]);
		finish(testRun, 4);
		expect(testRun.run.hold?.detail).toBe('"a" failed: broke 1; "b", "c" wait for it.');
		testRun.say({ kind: "child_signaled", child: childAt(testRun, 1).id });
		expect(running(testRun)).toEqual([1]);
		finish(testRun, 1);
		expect(running(testRun)).toEqual([2]);
	});

	it("are dropped with it", () => {
		const testRun = finish(failed({}), 4);
		testRun.say({ kind: "child_dropped", child: childAt(testRun, 1).id });
		expect(letters(testRun)).toBe("---d");
		expect(testRun.run.notices.at(-1)).toBe('The child "c" was dropped: it needs "a", which was dropped.');
		expect(testRun.due("merge_files").into).toBeUndefined();
	});

	it("are dropped at once with `on_failed: continue`", () => {
		const testRun = failed({ on_failed: "continue" });
		expect(letters(testRun)).toBe("f--.");
		expect(testRun.run.notices).toContain('The child "b" was dropped: it needs "a", which failed.');
		finish(testRun, 4);
		expect(testRun.due("merge_files").into).toBeUndefined();
	});

	it("never begin if the run fails with it", () => {
		const testRun = failed({ on_failed: "fail" });
		for (const number of [2, 3, 4]) end(testRun, number, "aborted", { tree: null });
		expect(testRun.run.stage).toMatchObject({ kind: "stopping", after: { kind: "finish", status: "failed" } });
	});

	it("can be dropped before they begin, and not while they work", () => {
		const testRun = failed({});
		testRun.say({ kind: "child_dropped", child: childAt(testRun, 4).id });
		expect(testRun.refusal).toBe("unexpected");
		testRun.say({ kind: "child_dropped", child: childAt(testRun, 3).id });
		expect(letters(testRun)).toBe("f.-.");
	});
});

describe("a conflict of a child's files", () => {
	const start = (fields: object) => {
		const testRun = plan(graph({ a: [], b: [], c: ["a"], d: ["b"] }, fields));
		finish(testRun, 1);
		return joinOne(end(testRun, 2), [conflict("f", "the children", "b")]);
	};

	it("holds back only those that need it, until the user has answered", () => {
		const testRun = start({});
		expect([testRun.run.status, running(testRun)]).toEqual(["running", [3]]);
		finish(testRun, 3);
		const { stage } = testRun.run;
		if (stage.kind !== "asking") throw new Error("no question");
		const { seq: answers, diff } = stage.question;
		testRun.say({ kind: "approved", answers, diff, choice: "theirs" });
		expect(testRun.due("merge_files").join).toMatchObject({ choice: "theirs" });
		joinOne(testRun);
		expect(running(testRun)).toEqual([4]);
	});

	it("is resolved by a worker while the others work", () => {
		const testRun = start({ merge_by: "M" });
		expect(running(testRun)).toEqual([3, 5]);
		expect(childAt(testRun, 5)).toMatchObject({ merges: childAt(testRun, 2).conflict?.tree, joins: 2 });
		expect(inheritedBy(testRun.run, childAt(testRun, 5)).conflicts).toEqual(["f"]);
		end(testRun, 5);
		expect(testRun.due("merge_files")).toMatchObject({
			into: { child: childAt(testRun, 2).id },
			join: { choice: "worker" },
		});
		joinOne(testRun);
		expect(running(testRun)).toEqual([3, 4]);
	});

	it("is given to the user after two workers", () => {
		const testRun = start({ merge_by: "M" });
		finish(testRun, 3);
		end(testRun, 5);
		joinOne(testRun, [conflict("f")]);
		expect(running(testRun)).toEqual([6]);
		end(testRun, 6, "failed");
		expect(testRun.run.stage).toMatchObject({ kind: "asking", question: { side: "conflict" } });
	});

	it("fails the run with `on_conflict: fail`", () => {
		const testRun = start({ on_conflict: "fail" });
		end(testRun, 3, "aborted", { tree: null });
		end(testRun, 4, "aborted", { tree: null });
		expect(testRun.run.stage).toMatchObject({
			...{ kind: "stopping", after: { status: "failed", detail: "The changes of the children conflict in f." } },
		});
	});

	it("that cannot be merged at all pauses the run; resuming it tries again", () => {
		const testRun = plan(graph({ a: [], b: ["a"] }));
		end(testRun, 1);
		testRun.say({ kind: "join_failed", visit: 1, detail: "disk full" });
		park(testRun, 2);
		expect(testRun.run).toMatchObject({ status: "paused", hold: { detail: "disk full" } });
		const { stage } = testRun.run;
		testRun.say({ kind: "resumed", answers: stage.kind === "waiting" ? stage.since : 0 });
		expect(testRun.due("merge_files").into?.child).toBe(childAt(testRun, 1).id);
	});
});

// ── any graph ──

const edges = fc.array(fc.array(fc.nat(20), { maxLength: 3 }), { minLength: 1, maxLength: 8 });
const policies = fc.record({
	join: fc.constantFrom("all", "all", "any", 2),
	on_failed: fc.constantFrom("wait", "continue", "fail"),
	on_conflict: fc.constantFrom("worker", "person", "fail"),
	merge_by: fc.constant("M"),
	files: fc.constantFrom("own", "own", "shared"),
	max_parallel: fc.integer({ min: 1, max: 4 }),
});
const stories = fc.array(fc.tuple(fc.nat(99), fc.nat(99)), { maxLength: 60 });

/** Child n needs some of those before it. */
function anyGraph(written: readonly (readonly number[])[], fields: object): object {
	const needs = Object.fromEntries(
		written.map((needed, at) => [
			`c${at + 1}`,
			at === 0 ? [] : [...new Set(needed.map((one) => `c${(one % at) + 1}`))],
		]),
	);
	return graph(needs, { ...fields, ...(written.length < 2 ? { join: "all" } : {}) });
}

/** What the executor reports about an action; `how` 0: success. */
function resultOf(
	testRun: TestRun,
	action: Action,
	how: number,
	contents: Map<string, ReadonlySet<string>>,
): EventBody | undefined {
	const { visit } = testRun.run;
	const conflicts = how % 2 ? [conflict("f", "x", "y")] : [];
	switch (action.kind) {
		case "run_child":
			return reportOf(testRun, action.child, how);
		case "stop_child":
			return action.how === "abort" ? ended(testRun, action.child, "aborted") : parkedReport(testRun, action.child);
		case "merge_files": {
			if (how % 7 === 5) return { kind: "join_failed", visit, detail: "x" };
			const { into } = action;
			const tree = newTree();
			const before = into?.tree ?? newTree();
			contents.set(tree, new Set([...(contents.get(before) ?? []), ...(into ? [into.child] : [])]));
			return { kind: "joined", visit, before, tree, conflicts, ...(into ? { child: into.child } : {}) };
		}
		case "apply_join":
			return { kind: "join_applied", visit, tree: action.join.tree };
		case "measure_files":
			return { kind: "files_measured", visit: action.visit, purpose: action.purpose, tree: newTree(), changes: [] };
		case "restore_files":
			return { kind: "files_restored", tree: action.tree, before: newTree() };
		default:
			return undefined;
	}
}

function parkedReport({ run }: TestRun, { id }: ChildRun): EventBody {
	return { kind: "child_parked", visit: run.visit, child: id, status: "paused", detail: "x" };
}

function reportOf(testRun: TestRun, child: ChildRun, how: number): EventBody {
	if (how % 6 === 3) return parkedReport(testRun, child);
	const status = how % 6 === 5 ? "failed" : how % 12 === 7 ? "aborted" : "done";
	const shares = testRun.run.children?.files === "shared" || status !== "done";
	return ended(testRun, child, status, shares ? { tree: null } : {});
}

const names = Object.keys(requests);

function somethingElse({ run }: TestRun, one: number, two: number): EventBody | undefined {
	const children = run.children?.children ?? [];
	const child = children[two % (children.length || 1)];
	if (child && one % 3 === 0) return { kind: "child_dropped", child: child.id, ends: true };
	if (child && one % 3 === 1) return { kind: "child_signaled", child: child.id };
	const request = requests[names[two % names.length] ?? ""]?.(run);
	return request?.kind === "approved" ? ({ ...request, choice: two % 2 ? "ours" : "worker" } as EventBody) : request;
}

/** Holds after every event. */
function check(testRun: TestRun, contents: ReadonlyMap<string, ReadonlySet<string>>): void {
	const { run } = testRun;
	const actions = pendingActions(run);
	const children = run.children?.children ?? [];
	if (run.stage.kind === "children") expect(actions.length, "a run that nobody continues").toBeGreaterThan(0);
	const begun = children.filter(({ status, begun: has, merges }) => status === "pending" && (has || merges));
	if (isParked(run) || run.stage.kind === "stopping") expect(begun, "children at work in a run that rests").toEqual([]);
	if (run.stage.kind === "waiting") expect(run.hold?.detail ?? run.status, "a wait without a reason").not.toBe("");
	expect(new Set(actions.map(({ key }) => key)).size).toBe(actions.length);
	for (const action of actions) if (action.kind === "run_child") checkBegun(action.child, children, contents);
	const most = run.plan.states.get("a")?.children?.maxParallel ?? 0;
	expect(actions.filter(({ kind }) => kind === "run_child").length).toBeLessThanOrEqual(most);
}

function checkBegun(
	child: ChildRun,
	children: readonly ChildRun[],
	contents: ReadonlyMap<string, ReadonlySet<string>>,
): void {
	for (const index of child.needs ?? []) {
		const needed = children.find((one) => one.index === index);
		expect(needed, "a child that began before what it needs").toMatchObject({ status: "done", joined: true });
		if (needed?.tree && child.from)
			expect(contents.get(child.from)?.has(needed.id), "files without those needed").toBe(true);
	}
}

describe("any graph of children", () => {
	it("begins a child only after its needs are joined, and nothing waits for ever", () => {
		fc.assert(
			fc.property(edges, policies, stories, (written, fields, story) => {
				const contents = new Map<string, ReadonlySet<string>>();
				const testRun = plan(anyGraph(written, fields));
				const isHere = () => testRun.run.visit === 1 && testRun.run.children !== null;
				for (const [one, two] of story) {
					if (!isHere()) break;
					const actions = pendingActions(testRun.run);
					const action = actions[two % (actions.length || 1)];
					const event =
						one < 88 && action ? resultOf(testRun, action, one + two, contents) : somethingElse(testRun, one, two);
					if (event) testRun.say(event);
					check(testRun, contents);
				}
				expect(refold(testRun.events)).toEqual(testRun.run);
				// From here on all succeeds, and the user helps where the run asks.
				for (let step = 0; step < 200 && isHere(); step += 1) {
					const [action] = pendingActions(testRun.run).filter(({ kind }) => kind !== "ask_approval");
					const event = action ? resultOf(testRun, action, 0, contents) : help(testRun);
					if (!event) break;
					testRun.say(event);
					check(testRun, contents);
				}
				const { stage, hold, children } = testRun.run;
				const nothingLeft = children?.children.every(({ status }) => status === "dropped" || status === "aborted");
				const isEnough = hold?.detail.startsWith("Only ") || hold?.detail.startsWith("No child");
				expect(!isHere() || stage.kind === "over" || nothingLeft || isEnough, JSON.stringify(testRun.run.stage)).toBe(
					true,
				);
			}),
			{ numRuns: Math.ceil(runs() / 2) },
		);
	});
});

/** What a user does for a run that waits. */
function help({ run }: TestRun): EventBody | undefined {
	const { stage, children, hold } = run;
	if (stage.kind === "asking" && stage.question.side === "conflict") {
		const { seq: answers, diff } = stage.question;
		return { kind: "approved", answers, diff, choice: "ours" };
	}
	if (stage.kind !== "waiting") return undefined;
	const lost = children?.children.find(
		({ status, merges }) => status === "failed" || (status === "aborted" && !merges),
	);
	if (hold?.cause === "children" && lost) return { kind: "child_signaled", child: lost.id };
	return hold?.detail.startsWith("Only ") || hold?.detail.startsWith("No child")
		? undefined
		: { kind: "resumed", answers: stage.since };
}
