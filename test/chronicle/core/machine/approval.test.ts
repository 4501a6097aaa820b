// Approvals: when they are asked, what an answer is bound to, and what yes and no do.
import { describe, expect, it } from "vitest";
import { type Action, awaitedAnswer } from "../../../../src/chronicle/core/machine/index.ts";
import { EMPTY_SNAPSHOT } from "../../../../src/chronicle/core/snapshot/index.ts";
import {
	ask,
	definition,
	go,
	here,
	newTree,
	open,
	reopen,
	rest,
	since,
	start,
	type Theatre,
	where,
} from "./theatre.ts";

const template = (approval: unknown, target: unknown = false) =>
	definition({
		planning: { persona: "A", next: ["coding"], requires_approval: approval },
		coding: { persona: "B", next: ["done", "planning"], requires_approval: target },
	});
const question = (theatre: Theatre) => {
	const { stage } = theatre.run;
	if (stage.kind !== "asking") throw new Error(stage.kind);
	return stage.question;
};
const approve = (theatre: Theatre, words?: string) =>
	theatre.say({ kind: "approved", answers: since(theatre), diff: question(theatre).diff, ...(words ? { words } : {}) });

describe("approval on exit", () => {
	it("asks after the worker has ended and before the move, with its summary and the files, and launches nothing meanwhile", () => {
		const theatre = go(start(open(template(true))), "coding", "the plan");
		expect(where(theatre)).toBe("awaiting_approval planning 1.1.1");
		expect(theatre.run.history).toEqual([]);
		expect(theatre.due("ask_approval").question).toMatchObject({
			state: "planning",
			side: "exit",
			target: "coding",
			summary: "the plan",
			visit: 1,
		});
		approve(theatre);
		expect(where(theatre)).toBe("running coding 2.0.0");
		// Time has passed: the new visit's files are measured anew.
		expect(theatre.due("measure_files").purpose).toBe("baseline");
		expect(where(start(theatre))).toBe("running coding 2.1.1");
	});
	it("gives the message of an approval to the next worker", () => {
		const theatre = go(start(open(template(true))), "coding");
		approve(theatre, "use tabs");
		expect(theatre.run.outbox.map(({ text }) => text)).toEqual(["use tabs"]);
	});
	it("a second answer has no effect, whatever it is", () => {
		const theatre = go(start(open(template(true))), "coding");
		const { seq, diff } = question(theatre);
		approve(theatre);
		const { run } = theatre;
		theatre.say({ kind: "approved", answers: seq, diff });
		expect(theatre.refusal).toBe("answered");
		theatre.say({ kind: "rejected", answers: seq, words: "no" });
		expect(theatre.refusal).toBe("answered");
		expect(theatre.run).toBe(run);
	});
	it("an approval is valid for one visit, one question and one tree of the files", () => {
		const theatre = go(start(open(template(true))), "coding");
		const first = question(theatre);
		theatre.say({ kind: "approved", answers: first.seq, diff: newTree() });
		expect(theatre.refusal).toBe("answered");
		theatre.say({ kind: "approved", answers: first.seq - 1, diff: first.diff });
		expect(theatre.refusal).toBe("answered");
		approve(theatre);
		go(start(theatre), "planning");
		go(start(theatre), "coding");
		theatre.say({ kind: "approved", answers: first.seq, diff: first.diff });
		expect(theatre.refusal).toBe("answered");
		expect(theatre.run.status).toBe("awaiting_approval");
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
			const theatre = go(start(open(template(true))), "coding");
			reopen(theatre);
			theatre.say(decided);
			expect(theatre.refusal).toBe("");
			expect([theatre.run.status, awaitedAnswer(theatre.run)]).toEqual(["running", undefined]);
		}
	});
	it("asks again if the files have changed since, and keeps its question if they have not", () => {
		const files = newTree();
		const theatre = rest(ask(start(open(template(true))), "coding"), files);
		const first = question(theatre);
		reopen(theatre);
		theatre.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: files });
		expect(question(theatre)).toEqual(first);
		reopen(theatre);
		expect(theatre.run.status).toBe("awaiting_approval");
		theatre.say({ kind: "approved", answers: first.seq, diff: first.diff });
		expect(theatre.refusal).toBe("answered");
		theatre.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: newTree() });
		expect(question(theatre).seq).toBeGreaterThan(first.seq);
		theatre.say({ kind: "approved", answers: first.seq, diff: first.diff });
		expect(theatre.refusal).toBe("answered");
		expect(approve(theatre).run.state).toBe("coding");
	});
	it("works if files cannot be measured", () => {
		const theatre = open(template(true));
		theatre.say({ kind: "files_unmeasured", visit: 1, purpose: "baseline", detail: "no git" });
		ask(start(theatre), "coding");
		theatre.say({ kind: "worker_ended", visit: 1, attempt: 1, launch: 1, outcome: { kind: "stopped" } });
		theatre.say({ kind: "files_unmeasured", visit: 1, purpose: "changes", detail: "no git" });
		expect(question(theatre).diff).toBe("");
		expect(approve(theatre).run.state).toBe("coding");
	});
	it("is also asked before a terminal state ends", () => {
		const theatre = go(start(open(definition({ docs: { persona: "A", next: [], requires_approval: true } }))), "done");
		expect(theatre.run.status).toBe("awaiting_approval");
		expect(where(approve(theatre))).toBe("done docs 1.1.1");
	});
	it("is not asked if the worker requests human intervention", () => {
		expect(go(start(open(template(true))), "human_intervention").run.status).toBe("human_intervention");
	});
});

describe("approval on entry", () => {
	it("asks before the state starts, and the answer makes the move", () => {
		const theatre = go(start(open(template(false, "entry"))), "coding");
		expect(question(theatre)).toMatchObject({ side: "entry", state: "planning", target: "coding" });
		expect(where(approve(theatre))).toBe("running coding 2.0.0");
	});
	it("one question covers the exit of one state and the entry of the next", () => {
		const theatre = go(start(open(template("exit", "entry"))), "coding");
		approve(theatre);
		expect(where(start(theatre))).toBe("running coding 2.1.1");
	});
	it("both sides of one state are two questions", () => {
		const theatre = go(start(open(template(false, "both"))), "coding");
		approve(theatre);
		go(start(theatre), "done");
		expect(question(theatre)).toMatchObject({ side: "exit", state: "coding", target: "done" });
		expect(approve(theatre).run.status).toBe("done");
	});
	it("of the first state is asked before any launch; a rejection pauses the run, and a resume asks again", () => {
		const theatre = open(template("entry"));
		theatre.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: newTree() });
		expect(where(theatre)).toBe("awaiting_approval planning 1.0.0");
		theatre.say({ kind: "rejected", answers: since(theatre), words: "not yet" });
		expect(where(theatre)).toBe("paused planning 1.0.0");
		theatre.say({ kind: "resumed", answers: since(theatre) });
		approve(theatre);
		expect(where(start(theatre))).toBe("running planning 1.1.1");
	});
	it("is not asked if the user sends the run there", () => {
		const theatre = go(start(open(template(false, "entry"))), "human_intervention");
		theatre.say({ kind: "released", answers: since(theatre), to: "coding" });
		expect(where(start(theatre))).toBe("running coding 3.1.1");
	});
});

describe("rejection", () => {
	it("keeps the state, continues the conversation with the user's message, and is no move", () => {
		const theatre = go(start(open(template(true))), "coding");
		theatre.say({ kind: "rejected", answers: since(theatre), words: "name the files" });
		expect(where(theatre)).toBe("running planning 1.2.1");
		const work = theatre.actions.find((action): action is Extract<Action, { kind: "work" }> => action.kind === "work");
		expect(work).toMatchObject({ because: "rejected", conversation: { kind: "continue", key: "1.1" } });
		expect(theatre.run.outbox.map(({ text }) => text)).toEqual(["name the files"]);
		expect(theatre.run.history).toEqual([]);
		expect(theatre.run.moves.total).toBe(0);
	});
	it("is limited: after that the run enters human_intervention, and the user can release the refused move", () => {
		const theatre = open({ ...template(true), limits: { rejections: 3 } });
		let asked = 0;
		const wait = () => go(start(theatre), "coding").run.status === "awaiting_approval";
		while (theatre.run.status === "running" && wait()) {
			asked += 1;
			theatre.say({ kind: "rejected", answers: since(theatre), words: "no" });
		}
		expect(asked).toBe(3);
		expect(theatre.run.history.at(-1)).toMatchObject({ cause: "rejection_limit", refused: "coding", from: "planning" });
		theatre.say({ kind: "released", answers: since(theatre) });
		expect(where(start(theatre))).toBe("running coding 3.1.1");
	});
	it("a terminal state ends when it is released after rejections of its end", () => {
		const theatre = open(
			definition({ docs: { persona: "A", next: [], requires_approval: true } }, { limits: { rejections: 1 } }),
		);
		go(start(theatre), "done");
		theatre.say({ kind: "rejected", answers: since(theatre), words: "no" });
		expect(theatre.run.status).toBe("human_intervention");
		theatre.say({ kind: "released", answers: since(theatre) });
		expect(theatre.run.status).toBe("done");
	});
	it("a rejected attempt does not count toward the automatic attempts", () => {
		const theatre = open({ ...template(true), limits: { rejections: 9, attempts: 2 } });
		for (let n = 0; n < 5; n += 1) {
			go(start(theatre), "coding");
			theatre.say({ kind: "rejected", answers: since(theatre), words: "no" });
		}
		expect(where(theatre)).toBe("running planning 1.6.1");
	});
});

describe("other events while a question waits", () => {
	it("an abort, a message and a pause apply", () => {
		const theatre = go(start(open(template(true))), "coding");
		theatre.say({ kind: "told", text: "look" });
		expect(theatre.run.outbox.length).toBe(1);
		theatre.say({ kind: "pause_requested", cause: "person", detail: "x" });
		expect(theatre.refusal).toBe("unexpected");
		expect(where(theatre.say({ kind: "abort_requested", words: "enough" }))).toBe("aborted planning 1.1.1");
	});
	it("a worker's report has no effect", () => {
		const theatre = go(start(open(template(true))), "coding");
		theatre.say({ kind: "move_requested", ...here(theatre), target: "coding", summary: "" });
		expect(theatre.refusal).toBe("stale");
	});
});

describe("the user sends the run elsewhere", () => {
	it("from a question: to any state, with a message for its worker, which answers the question", () => {
		const theatre = go(start(open(template(true))), "coding");
		const { seq, diff } = question(theatre);
		theatre.say({ kind: "released", answers: seq, to: "nowhere" });
		expect(theatre.refusal).toBe("unknown_state");
		theatre.say({ kind: "released", answers: seq });
		expect(theatre.refusal).toBe("unexpected");
		expect(theatre.message).toContain("or approve or reject the move.");
		theatre.say({ kind: "released", answers: seq, to: "done", words: "it is no longer needed" });
		expect(theatre.run).toMatchObject({ status: "done", state: "done" });
		expect(theatre.run.history.at(-1)).toMatchObject({ from: "planning", to: "done", cause: "person" });
		theatre.say({ kind: "approved", answers: seq, diff });
		expect(theatre.refusal).toBe("answered");
	});
	it("from a pause: the visit ends, no pair limit is used, and the pause reason is cleared", () => {
		const theatre = start(open(template(false)));
		theatre.say({ kind: "pause_requested", cause: "person", detail: "Paused." });
		rest(theatre);
		expect(where(theatre)).toBe("paused planning 1.1.1");
		theatre.say({ kind: "released", answers: since(theatre) });
		expect(theatre.message).toContain("or resume it.");
		theatre.say({ kind: "released", answers: since(theatre), to: "coding", words: "plan is fine" });
		expect(where(start(theatre))).toBe("running coding 2.1.1");
		expect(theatre.run).toMatchObject({ hold: null, pairMoves: {} });
	});
	it("is refused while a worker runs and after the end", () => {
		const theatre = start(open(template(false)));
		theatre.say({ kind: "released", answers: theatre.run.seq, to: "coding" });
		expect(theatre.refusal).toBe("answered");
		theatre.say({ kind: "abort_requested" });
		rest(theatre);
		theatre.say({ kind: "released", answers: since(theatre), to: "coding" });
		expect(theatre.refusal).not.toBe("");
		expect(theatre.run.status).toBe("aborted");
	});
	it("the model may be changed at any time for the next worker, except after the end", () => {
		const theatre = start(open(template(false)));
		theatre.say({ kind: "model_changed", model: "a/b" });
		expect([theatre.refusal, theatre.run.model, theatre.run.stage.kind]).toEqual(["", "a/b", "working"]);
		theatre.say({ kind: "abort_requested" });
		rest(theatre);
		theatre.say({ kind: "model_changed", model: "c/d" });
		expect([theatre.refusal, theatre.run.model]).toEqual(["over", "a/b"]);
	});
});
