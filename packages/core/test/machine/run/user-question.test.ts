// A worker's question to the user: asked, waited for, answered, and given to the worker, whatever ends or interrupts the worker meanwhile.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs, seed } from "../../../../pi-chronicle/test/harness/runs.ts";
import { awaitedAnswer, dueQuestion, type EventBody } from "../../../src/machine/index.ts";
import {
	crash,
	definition,
	go,
	here,
	open,
	refold,
	reopen,
	rest,
	since,
	spend,
	start,
	type TestRun,
	where,
} from "../test-run.ts";

const template = definition({ a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["done"] } });
const question = (testRun: TestRun, call = "q1", text = "Which port?"): EventBody => ({
	kind: "ask_opened",
	...here(testRun),
	title: text,
	text,
	call,
	choices: ["80", "8080"],
});
const asking = (call = "q1"): TestRun => {
	const testRun = start(open(template));
	testRun.say({ kind: "tool_started", ...here(testRun), call, tool: "ask_user", args: "{}", print: "p" });
	return testRun.say(question(testRun, call));
};
const answers = (testRun: TestRun, words = "8080", seq = testRun.run.question?.seq ?? 0) =>
	testRun.say({ kind: "ask_answered", answers: seq, verdict: "answered", words });
const use = (testRun: TestRun) => testRun.say({ kind: "used", ...here(testRun), spend: spend(10), requests: 1 });
const kinds = ({ run }: TestRun) => [dueQuestion(run) ? "asks" : "", run.status];

describe("while the worker waits", () => {
	it("the run asks, the answer is given to that worker, and its next request closes the question", () => {
		const testRun = asking();
		expect(where(testRun)).toBe("asks a 1.1.1");
		expect(testRun.due("ask_user").question).toMatchObject({ text: "Which port?", choices: ["80", "8080"] });
		expect(awaitedAnswer(testRun.run)).toBe(testRun.run.question?.seq);
		answers(testRun);
		expect(testRun.run.status).toBe("running");
		expect(testRun.due("reply")).toMatchObject({ call: "q1", words: "8080" });
		use(testRun);
		expect(testRun.run.question).toBeNull();
		expect(testRun.run.decisions).toMatchObject([{ did: "answered", about: "Which port?", words: "8080", state: "a" }]);
	});

	it("its time does not count", () => {
		const testRun = asking().wait(3_600_000);
		answers(testRun);
		go(testRun, "b");
		expect(testRun.run.totals.activeMs).toBeLessThan(10_000);
	});

	it("a second question is refused, and one of a worker that is being stopped", () => {
		const testRun = asking();
		testRun.say(question(testRun, "q2"));
		expect(testRun.refusal).toBe("unexpected");
		testRun.say({ kind: "pause_requested", cause: "person", detail: "" });
		testRun.say(question(testRun, "q2"));
		expect(testRun.refusal).toBe("stale");
	});

	it("an answer to another event, a second answer, and one to a finished question are refused with the reason", () => {
		const testRun = asking();
		answers(testRun, "no", 2);
		expect(testRun.message).toContain("asks something else now");
		const { seq = 0 } = testRun.run.question ?? {};
		answers(testRun, "first", seq);
		answers(testRun, "second", seq);
		expect(testRun.message).toBe('This question has already been answered: "first".');
		use(testRun);
		answers(testRun, "third", seq);
		expect([testRun.refusal, testRun.run.decisions.length]).toEqual(["answered", 1]);
	});

	it("a message answers nothing and waits for the worker", () => {
		const testRun = asking().say({ kind: "told", text: "use tabs" });
		expect([kinds(testRun), testRun.due("send").text]).toEqual([["asks", "asks"], "use tabs"]);
	});
});

const losses: readonly (readonly [string, (testRun: TestRun) => TestRun])[] = [
	["the worker is killed", crash],
	["the worker is stopped for the wait", (testRun) => endAs(testRun, { kind: "stopped" })],
	["the worker exits", (testRun) => endAs(testRun, { kind: "exited", code: 0 })],
	["the supervisor is replaced", (testRun) => endAs(reopen(testRun), { kind: "lost" })],
];

function endAs(testRun: TestRun, outcome: Extract<EventBody, { kind: "worker_ended" }>["outcome"]): TestRun {
	const { stage } = testRun.run;
	if (!("launch" in stage) || !stage.launch) throw new Error("no worker");
	return testRun.say({ kind: "worker_ended", ...stage.launch, outcome });
}

describe.each(losses)("when %s", (_name, lose) => {
	it("the run waits without a worker, and the answer continues the conversation of the same attempt", () => {
		const testRun = rest(lose(asking()));
		expect(where(testRun)).toBe("asks a 1.1.1");
		expect(testRun.run.stage.kind).toBe("waiting");
		expect(testRun.due("ask_user").question.call).toBe("q1");
		expect(testRun.run.visitRecord.crashes).toBe(0);
		answers(testRun);
		expect(testRun.due("work")).toMatchObject({
			because: "answered",
			launch: { visit: 1, attempt: 1, launch: 2 },
			conversation: { kind: "continue", key: "1.1" },
		});
		expect(testRun.run.question?.answer?.words).toBe("8080");
		expect(testRun.run.calls.interrupted.calls).toEqual([]);
		use(start(testRun));
		expect([testRun.run.question, testRun.run.calls.open]).toEqual([null, []]);
	});

	it("an answer that comes before the worker is gone is not lost", () => {
		const testRun = asking();
		answers(testRun);
		rest(lose(testRun));
		expect(testRun.run.question?.answer?.words).toBe("8080");
		expect(testRun.due("work").conversation).toMatchObject({ kind: "continue", key: "1.1" });
		expect(testRun.actions.filter(({ kind }) => kind === "ask_user")).toEqual([]);
	});
});

describe("what the user does instead", () => {
	it("a pause stops the worker at once and keeps the question; an answer does not end it", () => {
		const testRun = asking().say({ kind: "pause_requested", cause: "person", detail: "Paused by you." });
		expect(testRun.due("end_worker").how).toBe("now");
		rest(testRun);
		expect(kinds(testRun)).toEqual(["", "paused"]);
		answers(testRun);
		expect([testRun.refusal, testRun.run.status]).toEqual(["", "paused"]);
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(testRun.due("work")).toMatchObject({ because: "resumed", conversation: { kind: "continue" } });
		expect(testRun.run.question?.answer?.words).toBe("8080");
	});

	it("a resume after a pause asks again; a resume does not answer", () => {
		const testRun = rest(asking().say({ kind: "pause_requested", cause: "person", detail: "" }));
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(kinds(testRun)).toEqual(["asks", "asks"]);
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(testRun.message).toContain("answer it");
	});

	it.each<[string, (testRun: TestRun) => EventBody]>([
		["sending the run elsewhere", (testRun) => ({ kind: "released", answers: since(testRun), to: "b" })],
		["an abort", () => ({ kind: "abort_requested" })],
	])("%s ends the question", (_name, event) => {
		const testRun = rest(crash(asking()));
		const { seq = 0 } = testRun.run.question ?? {};
		testRun.say(event(testRun));
		expect(testRun.refusal).toBe("");
		expect(testRun.run.question).toBeNull();
		answers(testRun, "late", seq);
		expect(testRun.refusal).not.toBe("");
	});

	it("a release from the visit while the worker lives is refused, an abort stops it", () => {
		const testRun = asking();
		testRun.say({ kind: "abort_requested" });
		rest(testRun);
		expect([testRun.run.status, testRun.run.question]).toEqual(["aborted", null]);
	});
});

it("a rule's question is not the run's: it ends with its worker", () => {
	const testRun = start(open(template));
	testRun.say({ kind: "ask_opened", ...here(testRun), title: "Delete?", text: "rm" });
	expect([testRun.run.status, testRun.run.question, testRun.run.questions.length]).toEqual(["running", null, 1]);
	crash(testRun);
	expect(testRun.run.questions).toEqual([]);
});

type Step = "kill" | "replace" | "pause" | "resume" | "tell" | "use" | "wrong" | "settle";

it("in any order of losses and commands, the question is kept until its one answer, and the answer until the model used it", () => {
	const step = fc.constantFrom<Step>("kill", "replace", "pause", "resume", "tell", "use", "wrong", "settle");
	fc.assert(
		fc.property(fc.array(step, { maxLength: 25 }), fc.nat(24), (steps, when) => {
			const testRun = asking();
			const { seq = 0 } = testRun.run.question ?? {};
			let answered = false;
			for (const [at, each] of [...steps, "settle" as const].entries()) {
				if (at === Math.min(when, steps.length)) {
					answers(testRun, "8080", seq);
					expect(testRun.refusal).toBe("");
					answered = true;
				}
				play(testRun, each, seq, answered);
				const { run } = testRun;
				expect(run.question?.seq ?? seq).toBe(seq);
				if (!answered) {
					expect(run.question?.answer).toBeNull();
					expect(["asks", "paused", "running"]).toContain(run.status);
				}
				expect(run.decisions.filter(({ did }) => did === "answered").length).toBe(answered ? 1 : 0);
			}
			expect(refold(testRun.events)).toEqual(testRun.run);
		}),
		{ numRuns: runs(15), seed },
	);
});

/** One step; those that do not apply are refused or left out. */
function play(testRun: TestRun, step: Step, seq: number, isAnswered: boolean): void {
	const { stage } = testRun.run;
	switch (step) {
		case "kill":
			if (stage.kind === "working") crash(testRun);
			return;
		case "replace":
			reopen(testRun);
			return;
		case "pause":
			testRun.say({ kind: "pause_requested", cause: "person", detail: "" });
			return;
		case "resume":
			if (stage.kind === "waiting") testRun.say({ kind: "resumed", answers: stage.since });
			return;
		case "tell":
			testRun.say({ kind: "told", text: "hello" });
			return;
		case "wrong":
			answers(testRun, "wrong", seq + 1);
			expect(testRun.refusal).not.toBe("");
			return;
		case "use":
			// A worker that waits for the answer sends no request.
			if (stage.kind === "working" && isAnswered) use(testRun);
			return;
		case "settle":
			if (stage.kind === "stopping") rest(testRun);
			else if (stage.kind === "launching") start(testRun);
	}
}
