// What the user decided: every word, in order, and what a rewind does to it.
import { describe, expect, it } from "vitest";
import { decisionsSince, type EventBody, type Run, type RunDecision } from "../../src/machine/index.ts";
import { EMPTY_SNAPSHOT } from "../../src/snapshot/index.ts";
import { definition, go, newTree, open, refold, since, start, type TestRun } from "./test-run.ts";

const states = {
	a: { persona: "A", next: ["b"], requires_approval: "exit" },
	b: { persona: "B", next: ["a", "done"] },
};
const begin = (): TestRun => start(open(definition(states, { limits: { moves: 99, pair_moves: 99 } })));

const said = ({ decisions }: { readonly decisions: readonly RunDecision[] }): string[] =>
	decisions.map(({ did, about = "", words, undone }) => `${did} ${about}: ${words}${undone ? ` (${undone})` : ""}`);

function approve(testRun: TestRun, words?: string): TestRun {
	const { stage } = testRun.run;
	if (stage.kind !== "asking") throw new Error(stage.kind);
	const { seq, diff } = stage.question;
	return testRun.say({ kind: "approved", answers: seq, diff, ...(words === undefined ? {} : { words }) });
}

function rewind(testRun: TestRun, to: number, more: { readonly kept?: number } = {}): TestRun {
	const tree = newTree();
	testRun.say({ kind: "pause_requested", cause: "person", detail: "" } as EventBody);
	if (testRun.run.stage.kind === "stopping") {
		const { launch } = testRun.run.stage;
		if (launch) testRun.say({ kind: "worker_ended", ...launch, outcome: { kind: "stopped" } });
		const { visit } = testRun.due("measure_files");
		testRun.say({ kind: "files_measured", visit, purpose: "changes", tree: newTree(), changes: [] });
	}
	testRun.say({
		...{ kind: "rewind_requested", to, state: "a", tree, snapshot: EMPTY_SNAPSHOT, pairMoves: {} },
		...more,
	} as EventBody);
	testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose: "before", tree: newTree() });
	testRun.say({ kind: "files_restored", tree, before: newTree() });
	return testRun;
}

describe("what the user decided", () => {
	it("is every word with what it is about, in order", () => {
		const testRun = begin().say({ kind: "told", text: "use port 5433" });
		go(testRun, "b");
		testRun.say({ kind: "rejected", answers: since(testRun), words: "no new dependency" });
		go(start(testRun), "b");
		approve(testRun, "go\n\non  as planned");
		start(testRun).say({ kind: "pause_requested", cause: "person", detail: "lunch" });
		expect(said(testRun.run)).toEqual([
			"told : use port 5433",
			'rejected the move from "a" to "b": no new dependency',
			'approved the move from "a" to "b": go\n\non  as planned',
		]);
		expect(testRun.run.decisions.map(({ number, visit }) => [number, visit])).toEqual([
			[1, 1],
			[2, 1],
			[3, 1],
		]);
		expect(refold(testRun.events)).toEqual(testRun.run);
	});

	it("has an approval without words, and no resume without any", () => {
		const testRun = approve(go(begin(), "b"));
		expect(said(testRun.run)).toEqual(['approved the move from "a" to "b": ']);
	});

	it("is undone by a rewind to before it, and kept otherwise", () => {
		const testRun = begin().say({ kind: "told", text: "one" });
		approve(go(testRun, "b"), "two");
		start(testRun).say({ kind: "told", text: "three" });
		rewind(testRun, 2);
		expect(testRun.run.decisions.map(({ words, undone }) => [words, undone])).toEqual([
			["one", undefined],
			["two", undefined],
			["three", 2],
		]);
	});

	it("is valid again after the rewind is undone, and a rewind to a visit before an earlier rewind restores what was valid then", () => {
		const testRun = begin().say({ kind: "told", text: "one" });
		approve(go(testRun, "b"));
		start(testRun).say({ kind: "told", text: "two" });
		rewind(testRun, 1);
		const undone = () => testRun.run.decisions.map((one) => one.undone);
		expect(undone()).toEqual([2, 2, 2]);
		const kept = testRun.run.kept.at(-1)?.seq ?? 0;
		rewind(testRun, 2, { kept });
		expect(undone()).toEqual([undefined, undefined, undefined]);
		rewind(testRun, 1);
		expect(undone()).toEqual([4, 4, 4]);
		rewind(testRun, 2);
		expect(undone()).toEqual([undefined, undefined, 4]);
	});

	it("in a parent run since it began is handed down once, read by the next worker, and undone by no rewind", () => {
		const parent = begin().say({ kind: "told", text: "before" });
		const child = go(begin(), "b");
		const inherited = { decisions: parent.run.decisions } as unknown as Run["inherited"];
		parent.say({ kind: "told", text: "since" });
		const [decision, ...others] = decisionsSince(parent.run, { ...child.run, inherited });
		if (!decision || others.length > 0) throw new Error("not one decision");
		child.say({ kind: "decision_inherited", decision });
		expect(child.run.outbox).toMatchObject([{ text: "since", from: "person" }]);
		expect(child.run.decisions).toMatchObject([{ words: "since", visit: 1, state: "a", above: true }]);
		expect(decisionsSince(parent.run, { ...child.run, inherited })).toEqual([]);
		expect(child.say({ kind: "decision_inherited", decision }).refusal).toBe("stale");
		approve(child);
		rewind(start(child), 1);
		expect(said(child.run)).toEqual(["told : since", 'approved the move from "a" to "b":  (2)']);
	});

	it("is bounded: beyond 256 KB the oldest decisions are left out, and the numbers go on", () => {
		const testRun = begin();
		for (let n = 0; n < 40; n++) {
			testRun.say({ kind: "told", text: `${n} ${"x".repeat(7900)}` });
			testRun.say({ kind: "delivered", message: testRun.run.seq });
		}
		const { decisions } = testRun.run;
		expect(decisions.at(-1)?.number).toBe(40);
		expect(decisions.length).toBeLessThan(40);
		expect(Buffer.byteLength(JSON.stringify(decisions))).toBeLessThanOrEqual(256 * 1024);
	});
});
