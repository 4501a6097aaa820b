// Approvals: when they are asked, what an answer is bound to, and what yes and no do.
import { describe, expect, it } from "vitest";
import { type Action, awaitedAnswer, openQuestion } from "../../src/machine/index.ts";
import { EMPTY_SNAPSHOT } from "../../src/snapshot/index.ts";
import {
	ask,
	definition,
	go,
	here,
	newTree,
	open,
	refold,
	reopen,
	rest,
	resume,
	since,
	start,
	type TestRun,
	where,
} from "./test-run.ts";

const template = (approval: unknown, target: unknown = false) =>
	definition({
		planning: { persona: "A", next: ["coding"], requires_approval: approval },
		coding: { persona: "B", next: ["done", "planning"], requires_approval: target },
	});
const question = (testRun: TestRun) => {
	const { stage } = testRun.run;
	if (stage.kind !== "asking") throw new Error(stage.kind);
	return stage.question;
};
const approve = (testRun: TestRun, words?: string) =>
	testRun.say({ kind: "approved", answers: since(testRun), diff: question(testRun).diff, ...(words ? { words } : {}) });

describe("approval on exit", () => {
	it("asks after the worker has ended and before the move, with its summary and the files, and launches nothing meanwhile", () => {
		const testRun = go(start(open(template(true))), "coding", "the plan");
		expect(where(testRun)).toBe("awaiting_approval planning 1.1.1");
		expect(testRun.run.history).toEqual([]);
		expect(testRun.due("ask_approval").question).toMatchObject({
			state: "planning",
			side: "exit",
			target: "coding",
			summary: "the plan",
			visit: 1,
		});
		approve(testRun);
		expect(where(testRun)).toBe("running coding 2.0.0");
		// Time has passed: the new visit's files are measured again.
		expect(testRun.due("measure_files").purpose).toBe("baseline");
		expect(where(start(testRun))).toBe("running coding 2.1.1");
	});
	it("gives the message of an approval to the next worker", () => {
		const testRun = go(start(open(template(true))), "coding");
		approve(testRun, "use tabs");
		expect(testRun.run.outbox.map(({ text }) => text)).toEqual(["use tabs"]);
	});
	it("is an event of its own, which names the question", () => {
		for (const testRun of [go(start(open(template(true))), "coding"), go(open(template(false, true)), "coding")]) {
			if (testRun.run.stage.kind !== "asking") continue;
			const { seq, state, visit, side, target, diff } = question(testRun);
			expect(testRun.events.at(-1)).toMatchObject({
				kind: "approval_asked",
				seq,
				state,
				visit,
				side,
				target,
				tree: diff,
			});
			reopen(testRun);
			expect(testRun.events.filter(({ kind }) => kind === "approval_asked")).toHaveLength(1);
		}
	});
	it("in a ledger of an earlier version has the number of the event that raised it, by which it is answered", () => {
		const testRun = go(start(open(template(true))), "coding");
		const { diff } = question(testRun);
		const old = testRun.events.slice(0, -1);
		const raised = old.at(-1)?.seq ?? 0;
		const later = { seq: raised + 1, at: testRun.run.updatedAt };
		const folded = refold([...old, { ...later, kind: "approved", answers: raised, diff }]);
		expect([folded.status, folded.state]).toEqual(["running", "planning"]);
		expect(folded.stage.kind).toBe("deciding");
		const resumed = resume(old);
		expect(question(resumed).seq).toBe(raised);
		resumed.say({ kind: "told", text: "x" });
		expect([question(resumed).seq, resumed.events.at(-2)?.kind]).toEqual([raised + 1, "approval_asked"]);
		expect(where(resumed.say({ kind: "approved", answers: raised, diff }))).toBe("running coding 2.0.0");
	});
	it("tells the second of two answers by whom, from where and how the first was given", () => {
		const testRun = go(start(open(template(true))), "coding");
		const { seq, diff } = question(testRun);
		testRun.say({ kind: "rejected", answers: seq, words: "no", by: "ann", via: "the command line" });
		testRun.say({ kind: "approved", answers: seq, diff, via: "pi" });
		expect([testRun.refusal, testRun.message]).toEqual([
			"answered",
			expect.stringContaining("It was rejected by ann from the command line first."),
		]);
	});
	it("a second answer never has an effect", () => {
		const testRun = go(start(open(template(true))), "coding");
		const { seq, diff } = question(testRun);
		approve(testRun);
		const { run } = testRun;
		testRun.say({ kind: "approved", answers: seq, diff });
		expect(testRun.refusal).toBe("answered");
		testRun.say({ kind: "rejected", answers: seq, words: "no" });
		expect(testRun.refusal).toBe("answered");
		expect(testRun.run).toBe(run);
	});
	it("an approval is valid for one visit, one question and one tree of the files", () => {
		const testRun = go(start(open(template(true))), "coding");
		const first = question(testRun);
		testRun.say({ kind: "approved", answers: first.seq, diff: newTree() });
		expect(testRun.refusal).toBe("answered");
		testRun.say({ kind: "approved", answers: first.seq - 2, diff: first.diff });
		expect(testRun.refusal).toBe("answered");
		approve(testRun);
		go(start(testRun), "planning");
		go(start(testRun), "coding");
		testRun.say({ kind: "approved", answers: first.seq, diff: first.diff });
		expect(testRun.refusal).toBe("answered");
		expect(testRun.run.status).toBe("awaiting_approval");
	});
	it("is withdrawn once the user decides otherwise, even if the supervisor dies before it acts on that", () => {
		for (const decided of [
			{ kind: "abort_requested" } as const,
			{
				kind: "rewind_requested",
				to: 1,
				state: "planning",
				tree: newTree(),
				snapshot: EMPTY_SNAPSHOT,
				pairMoves: {},
			} as const,
		]) {
			const testRun = go(start(open(template(true))), "coding");
			reopen(testRun);
			testRun.say(decided);
			expect(testRun.refusal).toBe("");
			expect([testRun.run.status, awaitedAnswer(testRun.run)]).toEqual(["running", undefined]);
			expect(openQuestion(testRun.run)).toBeUndefined();
		}
	});
	it("asks again if the files have changed since, and keeps its question if they have not", () => {
		const files = newTree();
		const testRun = rest(ask(start(open(template(true))), "coding"), files);
		const first = question(testRun);
		reopen(testRun);
		expect(openQuestion(testRun.run)).toEqual(first);
		testRun.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: files });
		expect(question(testRun)).toEqual(first);
		reopen(testRun);
		expect(testRun.run.status).toBe("awaiting_approval");
		testRun.say({ kind: "approved", answers: first.seq, diff: first.diff });
		expect(testRun.refusal).toBe("answered");
		testRun.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: newTree() });
		expect(question(testRun).seq).toBeGreaterThan(first.seq);
		testRun.say({ kind: "approved", answers: first.seq, diff: first.diff });
		expect(testRun.refusal).toBe("answered");
		expect(approve(testRun).run.state).toBe("coding");
	});
	it("works if files cannot be measured", () => {
		const testRun = open(template(true));
		testRun.say({ kind: "files_unmeasured", visit: 1, purpose: "baseline", detail: "no git" });
		ask(start(testRun), "coding");
		testRun.say({ kind: "worker_ended", visit: 1, attempt: 1, launch: 1, outcome: { kind: "stopped" } });
		testRun.say({ kind: "files_unmeasured", visit: 1, purpose: "changes", detail: "no git" });
		expect(question(testRun).diff).toBe("");
		expect(approve(testRun).run.state).toBe("coding");
	});
	it("is also asked before a terminal state ends", () => {
		const testRun = go(start(open(definition({ docs: { persona: "A", next: [], requires_approval: true } }))), "done");
		expect(testRun.run.status).toBe("awaiting_approval");
		expect(where(approve(testRun))).toBe("done docs 1.1.1");
	});
	it("is not asked if the worker requests human intervention", () => {
		expect(go(start(open(template(true))), "human_intervention").run.status).toBe("human_intervention");
	});
});

describe("approval on entry", () => {
	it("asks before the state starts, and the answer makes the move", () => {
		const testRun = go(start(open(template(false, "entry"))), "coding");
		expect(question(testRun)).toMatchObject({ side: "entry", state: "planning", target: "coding" });
		expect(where(approve(testRun))).toBe("running coding 2.0.0");
	});
	it("one question covers the exit of one state and the entry of the next", () => {
		const testRun = go(start(open(template("exit", "entry"))), "coding");
		approve(testRun);
		expect(where(start(testRun))).toBe("running coding 2.1.1");
	});
	it("both sides of one state are two questions", () => {
		const testRun = go(start(open(template(false, "both"))), "coding");
		approve(testRun);
		go(start(testRun), "done");
		expect(question(testRun)).toMatchObject({ side: "exit", state: "coding", target: "done" });
		expect(approve(testRun).run.status).toBe("done");
	});
	it("of the first state is asked before any launch; a rejection pauses the run, and a resume asks again", () => {
		const testRun = open(template("entry"));
		testRun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: newTree() });
		expect(where(testRun)).toBe("awaiting_approval planning 1.0.0");
		testRun.say({ kind: "rejected", answers: since(testRun), words: "not yet" });
		expect(where(testRun)).toBe("paused planning 1.0.0");
		testRun.say({ kind: "resumed", answers: since(testRun) });
		approve(testRun);
		expect(where(start(testRun))).toBe("running planning 1.1.1");
	});
	it("is not asked if the user sends the run there", () => {
		const testRun = go(start(open(template(false, "entry"))), "human_intervention");
		testRun.say({ kind: "released", answers: since(testRun), to: "coding" });
		expect(where(start(testRun))).toBe("running coding 3.1.1");
	});
});

describe("rejection", () => {
	it("keeps the state, continues the conversation with the user's message, and is no move", () => {
		const testRun = go(start(open(template(true))), "coding");
		testRun.say({ kind: "rejected", answers: since(testRun), words: "name the files" });
		expect(where(testRun)).toBe("running planning 1.2.1");
		const work = testRun.actions.find((action): action is Extract<Action, { kind: "work" }> => action.kind === "work");
		expect(work).toMatchObject({ because: "rejected", conversation: { kind: "continue", key: "1.1" } });
		expect(testRun.run.outbox.map(({ text }) => text)).toEqual(["name the files"]);
		expect(testRun.run.history).toEqual([]);
		expect(testRun.run.moves.total).toBe(0);
	});
	it("is limited: after that the run enters human_intervention, and the user can release the refused move", () => {
		const testRun = open({ ...template(true), limits: { rejections: 3 } });
		let asked = 0;
		const wait = () => go(start(testRun), "coding").run.status === "awaiting_approval";
		while (testRun.run.status === "running" && wait()) {
			asked += 1;
			testRun.say({ kind: "rejected", answers: since(testRun), words: "no" });
		}
		expect(asked).toBe(3);
		expect(testRun.run.history.at(-1)).toMatchObject({ cause: "rejection_limit", refused: "coding", from: "planning" });
		testRun.say({ kind: "released", answers: since(testRun) });
		expect(where(start(testRun))).toBe("running coding 3.1.1");
	});
	it("a terminal state ends when it is released after rejections of its end", () => {
		const testRun = open(
			definition({ docs: { persona: "A", next: [], requires_approval: true } }, { limits: { rejections: 1 } }),
		);
		go(start(testRun), "done");
		testRun.say({ kind: "rejected", answers: since(testRun), words: "no" });
		expect(testRun.run.status).toBe("human_intervention");
		testRun.say({ kind: "released", answers: since(testRun) });
		expect(testRun.run.status).toBe("done");
	});
	it("a rejected attempt does not count toward the automatic attempts", () => {
		const testRun = open({ ...template(true), limits: { rejections: 9, attempts: 2 } });
		for (let n = 0; n < 5; n += 1) {
			go(start(testRun), "coding");
			testRun.say({ kind: "rejected", answers: since(testRun), words: "no" });
		}
		expect(where(testRun)).toBe("running planning 1.6.1");
	});
});

describe("other events while a question waits", () => {
	it("an abort, a message and a pause apply", () => {
		const testRun = go(start(open(template(true))), "coding");
		testRun.say({ kind: "told", text: "look" });
		expect(testRun.run.outbox.length).toBe(1);
		testRun.say({ kind: "pause_requested", cause: "person", detail: "x" });
		expect(testRun.refusal).toBe("unexpected");
		expect(where(testRun.say({ kind: "abort_requested", words: "enough" }))).toBe("aborted planning 1.1.1");
	});
	it("a worker's report has no effect", () => {
		const testRun = go(start(open(template(true))), "coding");
		testRun.say({ kind: "move_requested", ...here(testRun), target: "coding", summary: "" });
		expect(testRun.refusal).toBe("stale");
	});
});

describe("the user sends the run elsewhere", () => {
	it("from a question: to any state, with a message for its worker, which answers the question", () => {
		const testRun = go(start(open(template(true))), "coding");
		const { seq, diff } = question(testRun);
		testRun.say({ kind: "released", answers: seq, to: "nowhere" });
		expect(testRun.refusal).toBe("unknown_state");
		testRun.say({ kind: "released", answers: seq });
		expect(testRun.refusal).toBe("unexpected");
		expect(testRun.message).toContain("or approve or reject the move.");
		testRun.say({ kind: "released", answers: seq, to: "done", words: "it is no longer needed" });
		expect(testRun.run).toMatchObject({ status: "done", state: "done" });
		expect(testRun.run.history.at(-1)).toMatchObject({ from: "planning", to: "done", cause: "person" });
		testRun.say({ kind: "approved", answers: seq, diff });
		expect(testRun.refusal).toBe("answered");
	});
	it("from a pause: the visit ends, no pair limit is used, and the pause reason is cleared", () => {
		const testRun = start(open(template(false)));
		testRun.say({ kind: "pause_requested", cause: "person", detail: "Paused." });
		rest(testRun);
		expect(where(testRun)).toBe("paused planning 1.1.1");
		testRun.say({ kind: "released", answers: since(testRun) });
		expect(testRun.message).toContain("or resume it.");
		testRun.say({ kind: "released", answers: since(testRun), to: "coding", words: "plan is fine" });
		expect(where(start(testRun))).toBe("running coding 2.1.1");
		expect(testRun.run).toMatchObject({ hold: null, pairMoves: {} });
	});
	it("is refused while a worker runs and after the end", () => {
		const testRun = start(open(template(false)));
		testRun.say({ kind: "released", answers: testRun.run.seq, to: "coding" });
		expect(testRun.refusal).toBe("answered");
		testRun.say({ kind: "abort_requested" });
		rest(testRun);
		testRun.say({ kind: "released", answers: since(testRun), to: "coding" });
		expect(testRun.refusal).not.toBe("");
		expect(testRun.run.status).toBe("aborted");
	});
	it("the model may be changed at any time for the next worker, except after the end", () => {
		const testRun = start(open(template(false)));
		testRun.say({ kind: "model_changed", model: "a/b" });
		expect([testRun.refusal, testRun.run.model, testRun.run.stage.kind]).toEqual(["", "a/b", "working"]);
		testRun.say({ kind: "abort_requested" });
		rest(testRun);
		testRun.say({ kind: "model_changed", model: "c/d" });
		expect([testRun.refusal, testRun.run.model]).toEqual(["over", "a/b"]);
	});
});
