// Taking the files of a run that has worked in a copy of the project: the join after its end, branches and patches, discarding.
import { describe, expect, it } from "vitest";
import { apartState, copyId, type EventBody, isJoinedAgain } from "../../../src/machine/index.ts";
import { applyJoin, childAt, conflict, join } from "../child-steps.ts";
import { definition, go, newTree, open, refold, reopen, since, start, type TestRun } from "../test-run.ts";

const states = { a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["done"] } };
const begun = "beef".repeat(10);

function beginApart(more: object = {}): TestRun {
	const testRun = open(definition(states, more), { apart: true });
	return start(
		testRun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: begun, start: true } as EventBody),
	);
}

const endApart = (): TestRun => go(start(go(beginApart(), "b")), "done");
const request = (testRun: TestRun, more: object = {}): TestRun =>
	testRun.say({ kind: "join_requested", answers: since(testRun), ...more } as EventBody);
const discard = (testRun: TestRun): TestRun => testRun.say({ kind: "copy_discarded", answers: since(testRun) });

/** The copy is kept with the files of `tree`. */
function keep(testRun: TestRun, tree = newTree()): TestRun {
	const { visit, child } = testRun.due("run_child");
	const ended = { kind: "child_ended", visit, child: child.id, status: "done", detail: "", tree } as const;
	return testRun.say({ ...ended, total: child.counted, handover: { summary: "", data: {} } } as EventBody);
}

const ended = ({ run }: TestRun) => [run.status, run.stage.kind, run.children, apartState(run)];

describe("the join of a run apart", () => {
	it("keeps the files of the copy, merges them from those at the start, writes them, and ends as the run had ended", () => {
		const testRun = endApart();
		expect(apartState(testRun.run)).toBe("waiting");
		request(testRun);
		expect(testRun.due("run_child").child).toMatchObject({ id: copyId(testRun.run.id), name: "t 00000000" });
		keep(testRun, "cafe");
		expect(testRun.due("merge_files")).toMatchObject({ base: begun, results: [{ tree: "cafe", base: null }] });
		applyJoin(join(testRun));
		expect(ended(testRun)).toEqual(["done", "over", null, "joined"]);
		expect(testRun.run.apart?.joined?.tree).toBe("cafe");
		expect(refold(testRun.events)).toEqual(testRun.run);
	});

	it("joins again from what was joined last, after the run was reopened or rewound", () => {
		const testRun = applyJoin(join(keep(request(endApart()), "cafe")));
		const { totals, visit } = testRun.run;
		testRun.say({ kind: "reopened", answers: since(testRun), to: "b" });
		expect(apartState(testRun.run)).toBe("working");
		go(start(testRun), "done");
		expect(apartState(testRun.run)).toBe("waiting");
		keep(request(testRun), "f00d");
		expect(testRun.due("merge_files")).toMatchObject({ base: "cafe", results: [{ tree: "f00d" }] });
		expect([testRun.run.visit > visit, testRun.run.totals.tokens]).toEqual([true, totals.tokens]);
	});

	it("knows whether the files were joined before: not after another visit, and not if the copy has others", () => {
		const testRun = keep(request(endApart()), "cafe");
		expect(isJoinedAgain(testRun.run)).toBe(false);
		applyJoin(join(testRun));
		expect(isJoinedAgain(keep(request(testRun), "cafe").run)).toBe(true);
		applyJoin(join(testRun));
		expect(isJoinedAgain(keep(request(testRun), "f00d").run)).toBe(false);
		applyJoin(join(testRun)).say({ kind: "reopened", answers: since(testRun), to: "b" });
		go(start(testRun), "done");
		expect(isJoinedAgain(keep(request(testRun), "f00d").run)).toBe(false);
	});

	it("says so if there was nothing to join", () => {
		const testRun = applyJoin(join(keep(request(endApart()), begun)));
		expect(testRun.run.notices.at(-1)).toContain("nothing to join");
	});

	it.each(["ours", "theirs", "hand", "worker"] as const)("asks about conflicts, and continues with %s", (choice) => {
		const testRun = join(keep(request(endApart()), "cafe"), [conflict("f.txt")]);
		expect(testRun.run).toMatchObject({ status: "awaiting_approval", stage: { question: { side: "conflict" } } });
		reopen(testRun);
		const { stage } = testRun.run;
		if (stage.kind !== "asking") throw new Error("asks nothing");
		testRun.say({ kind: "approved", answers: stage.question.seq, diff: stage.question.diff, choice } as EventBody);
		if (choice === "worker") {
			const { child, visit } = testRun.due("run_child");
			expect([child.merges, child.id === copyId(testRun.run.id)]).toEqual([stage.question.diff, false]);
			const merged = { status: "done", detail: "", tree: newTree(), total: child.counted } as const;
			const handover = { summary: "", data: {} };
			testRun.say({ kind: "child_ended", visit, child: child.id, ...merged, handover } as EventBody);
		}
		expect(testRun.due("merge_files").join?.choice).toBe(choice);
		applyJoin(join(testRun));
		expect(ended(testRun)).toEqual(["done", "over", null, "joined"]);
	});

	it("waits if it fails, and continues or is given up; the run ends as before, even at a ceiling", () => {
		const limited = beginApart({ limits: { tokens: 100 } });
		limited.say({ kind: "abort_requested" });
		limited.say({ kind: "worker_ended", visit: 1, attempt: 1, launch: 1, outcome: { kind: "stopped" } });
		limited.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: newTree() });
		const fail = () => limited.say({ kind: "join_failed", visit: limited.run.visit, detail: "another branch" });
		for (const [act, state] of [
			["resumed", "joined"],
			["abort_requested", "waiting"],
		] as const) {
			keep(request(limited), newTree());
			fail();
			expect(limited.run).toMatchObject({ status: "paused", hold: { detail: "another branch" } });
			reopen(limited);
			if (act === "abort_requested") limited.say({ kind: "abort_requested" });
			else {
				limited.say({ kind: "resumed", answers: since(limited), otherBranch: true });
				expect(limited.run.children?.ofCopy?.otherBranch).toBe(true);
				applyJoin(join(limited));
			}
			expect(ended(limited)).toEqual(["aborted", "over", null, act === "resumed" ? state : "joined"]);
		}
	});

	it("can be taken over at any point, with the same actions", () => {
		for (const at of [0, 1, 2]) {
			const testRun = request(endApart());
			if (at > 0) keep(testRun);
			if (at > 1) join(testRun);
			const before = testRun.run.children;
			reopen(testRun);
			expect(testRun.run.children).toEqual(before);
			if (at === 0) keep(testRun);
			if (at < 2) join(testRun);
			expect(ended(applyJoin(testRun))).toEqual(["done", "over", null, "joined"]);
		}
		expect(childAt(request(endApart()), 1).status).toBe("pending");
	});
});

describe("what does not apply to a run apart", () => {
	const taken = { kind: "copy_taken", as: "branch", name: "x" } as const;
	it("is refused with the reason", () => {
		const here = go(start(go(start(open(definition(states))), "b")), "done");
		const answers = since(here);
		for (const event of [{ kind: "join_requested" }, { kind: "copy_discarded" }, taken])
			expect(here.say({ ...event, answers } as EventBody).message).toContain("the project's own folder");
		const working = beginApart();
		for (const event of [{ kind: "join_requested" }, { kind: "copy_discarded" }, taken])
			expect(working.say({ ...event, answers: 1 } as EventBody).message).toContain("is not over");
		const early = open(definition(states), { apart: true }).say({ kind: "abort_requested" });
		expect([request(early).message, apartState(early.run)]).toEqual([
			expect.stringContaining("had not begun"),
			undefined,
		]);
		const late = endApart();
		expect(late.say({ kind: "join_requested", answers: since(late) - 1 }).message).toContain("has gone on since");
	});

	it("is everything but its record, once its files are discarded", () => {
		const testRun = discard(endApart());
		expect(apartState(testRun.run)).toBe("discarded");
		expect(request(testRun).message).toContain("were discarded");
		expect(discard(testRun).message).toContain("before");
		expect(testRun.say({ kind: "reopened", answers: since(testRun), to: "b" }).message).toContain("cannot continue");
		const { pairMoves, snapshot } = testRun.run;
		const rewind = { kind: "rewind_requested", to: 1, state: "a", tree: begun, snapshot, pairMoves } as const;
		expect(testRun.say(rewind).message).toContain("cannot continue");
	});

	it("a branch or a patch is remembered, and the files can still be joined", () => {
		const testRun = endApart();
		testRun.say({ ...taken, answers: since(testRun) });
		expect([apartState(testRun.run), testRun.run.apart?.taken?.name]).toEqual(["taken", "x"]);
		expect(ended(applyJoin(join(keep(request(testRun)))))).toEqual(["done", "over", null, "joined"]);
	});
});
