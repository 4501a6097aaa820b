// A run that the hosts of an engine have given up, in every stage: it waits, and each decision of its user then has the same effect as in a run that
// another supervisor has taken over in that stage.
import { describe, expect, it } from "vitest";
import {
	decodeRun,
	dueQuestion,
	type EventBody,
	encodeRun,
	isParked,
	pendingActions,
} from "../../../src/machine/index.ts";
import { childStages } from "../child-stages.ts";
import { requests } from "../requests.ts";
import { stages } from "../stages.ts";
import { refold, reopen, rest, since, start, type TestRun } from "../test-run.ts";

const givenUp: EventBody = { kind: "given_up", detail: "Gave up." };
const all = Object.entries({ ...stages, ...childStages });
const busy = all.filter(([, bring]) => !isParked(bring().run));

const started = () => start(stages.launching?.() as TestRun);

/** What the run is about to do, without the trees, which are new in each run. */
function todo({ run, refusal }: TestRun): object {
	const actions = pendingActions(run).map(({ key }) => key.replace(/[0-9a-f]{40}/, "<tree>"));
	const after = run.stage.kind === "stopping" ? run.stage.after.kind : "";
	return { refusal, stage: run.stage.kind, after, state: run.state, visit: run.visit, actions };
}

const say = (testRun: TestRun, request: string): TestRun => {
	const event = requests[request]?.(testRun.run);
	if (!event) throw new Error(request);
	return testRun.say(event);
};

describe.each(busy)("a run that is given up: %s", (name, bring) => {
	const give = () => bring().say(givenUp);

	it("waits, and nothing is counted or lost", () => {
		const before = bring().run;
		const testRun = give();
		const { run } = testRun;
		expect(run).toMatchObject({ status: "paused", hold: { cause: "given_up", detail: "Gave up." } });
		expect(isParked(run)).toBe(true);
		expect(pendingActions(run)).toEqual([]);
		for (const key of [
			"totals",
			"states",
			"moves",
			"history",
			"outbox",
			"calls",
			"visitRecord",
			"conversation",
		] as const)
			expect(run[key], key).toEqual(before[key]);
		expect(run.children?.children.length).toBe(before.children?.children.length);
		expect(refold(testRun.events)).toEqual(run);
		expect(decodeRun(JSON.parse(JSON.stringify(encodeRun(run))))).toEqual(run);
		expect(testRun.say(givenUp).refusal).toBe("unexpected");
		expect(reopen(testRun).run).toMatchObject({ status: "paused", stage: run.stage });
	});

	it("continues where it was", () => {
		const testRun = reopen(give());
		testRun.say({ kind: "resumed", answers: since(testRun) });
		// Children that were about to be paused work again. At a ceiling, it is not resumed until that is raised.
		const expected = name === "pausing its children" ? childStages["with children at work"]?.() : reopen(bring());
		if (name === "stopping at a ceiling") expect(testRun.refusal).toBe("limit");
		else expect(todo(testRun)).toEqual(expected && { ...todo(expected), ...resumedWith(name, testRun) });
		if (testRun.refusal === "") expect(testRun.run).toMatchObject({ hold: null });
	});

	it.each(["abort", "rewind", "raise tokens", "take over"])("%s", (request) => {
		const own = say(reopen(give()), request);
		if (request === "rewind" && name === "restoring")
			expect(todo(own)).toMatchObject({ refusal: "", stage: "restoring", actions: ["restore:1:1"] });
		else if (request === "abort" || request === "rewind")
			expect(todo(own)).toEqual(todo(say(reopen(bring()), request)));
		else expect(own.run).toMatchObject({ status: "paused", stage: { kind: "waiting" } });
	});

	it("is sent to another state, or ended as done, once its worker has ended", () => {
		const { run: taken } = reopen(bring());
		const kinds = ({ run }: TestRun) => pendingActions(run).map(({ kind }) => kind);
		const released = { "release to b": "enter", "release as done": "finish" };
		for (const [request, after] of Object.entries(released)) {
			const testRun = reopen(give());
			const hasChildren = testRun.run.children !== null;
			say(testRun, request);
			expect(testRun.refusal, request).toBe("");
			if (taken.stage.kind === "stopping" && !hasChildren) {
				expect(testRun.run.stage, request).toMatchObject({ kind: "stopping", after: { kind: after } });
				expect(kinds(testRun), request).toEqual(pendingActions(taken).map(({ kind }) => kind));
			}
			expect(testRun.run.state, request).toBe(after === "enter" && !hasChildren ? "b" : testRun.run.state);
		}
	});
});

/** What differs for a resumed run: children that had parked are started again. */
function resumedWith(name: string, testRun: TestRun): object {
	if (name !== "with one child parked" && name !== "pausing its children") return {};
	const actions = pendingActions(testRun.run).map(({ key }) => key);
	expect(actions).toHaveLength(2);
	expect(testRun.run.children?.children.map(({ status }) => status)).toEqual(["pending", "pending", "pending"]);
	return { actions };
}

it.each(all.filter(([, bring]) => isParked(bring().run)))(
	"a run that waits or is over is not given up: %s",
	(_, bring) => {
		const testRun = bring();
		const before = testRun.run;
		testRun.say(givenUp);
		expect(testRun.refusal).toMatch(/^(?:unexpected|over)$/);
		expect(testRun.run).toBe(before);
	},
);

it("asks its worker's question again; an answer meanwhile ends no wait", () => {
	const asking = () =>
		started().say({ kind: "ask_opened", visit: 1, attempt: 1, title: "?", text: "Which port?", call: "c" });
	const unanswered = asking().say(givenUp);
	expect(dueQuestion(unanswered.run)).toBeUndefined();
	expect(unanswered.say({ kind: "resumed", answers: since(unanswered) }).due("ask_user").question.text).toBe(
		"Which port?",
	);

	const answered = asking().say(givenUp);
	answered.say({ kind: "ask_answered", answers: answered.run.question?.seq ?? 0, verdict: "answered", words: "80" });
	expect(answered.run).toMatchObject({ status: "paused", question: { answer: { words: "80" } } });
	answered.say({ kind: "resumed", answers: since(answered) });
	expect(start(rest(answered)).due("reply").words).toBe("80");
});

it("tries its provider at once where it waited for it", () => {
	const testRun = rest(started().say({ kind: "turn_settled", visit: 1, attempt: 1, stop: "transient", waits: {} }));
	expect(testRun.run.stage.kind).toBe("awaiting_provider");
	testRun.say(givenUp);
	testRun.say({ kind: "resumed", answers: since(testRun) });
	expect(testRun.run).toMatchObject({ status: "running", providerWait: null, stage: { kind: "launching" } });
});

it.each<[stage: string, refusal: string]>([
	["working", ""],
	["baselining", ""],
	["leaving by a move", ""],
	["restoring", "illegal"],
	["asking again", "illegal"],
])("takes an edited template, unless the old one is still needed: %s", (stage, refusal) => {
	const testRun = stages[stage]?.().say(givenUp);
	if (!testRun) throw new Error(stage);
	const { name, hash, definition } = testRun.run.template;
	testRun.say({ kind: "resumed", answers: since(testRun), reload: { template: { name, hash, definition } } });
	expect(testRun.refusal).toBe(refusal);
});

it("tells the next worker which of its calls were undone, if the files are set back", () => {
	const testRun = started();
	testRun.say({ kind: "tool_started", visit: 1, attempt: 1, call: "c", tool: "write", args: "{}" });
	testRun.say({ kind: "condition_changed", condition: "host", detail: "No space left." }).say(givenUp);
	expect(testRun.run.conditions).toEqual([]);
	testRun.say({ kind: "opened", host: "h", pid: 2, started: "t", setBack: true });
	expect(testRun.run.calls).toMatchObject({ setBack: true, open: [{ undone: true }] });
});

it("the events that an earlier version recorded for it still fold", () => {
	const detail = "The hosts of the engine gave up the run after 5 attempts.";
	const testRun = started();
	const { launch } = testRun.run.stage as Extract<TestRun["run"]["stage"], { kind: "working" }>;
	const earlier: EventBody[] = [
		{ kind: "opened", host: "h", pid: 2, started: "t" },
		{ kind: "pause_requested", cause: "crash", detail },
		{ kind: "worker_ended", ...launch, outcome: { kind: "lost" } },
		{ kind: "files_unmeasured", visit: 1, purpose: "changes", detail },
	];
	for (const event of earlier) expect(testRun.say(event).refusal).toBe("");
	expect(testRun.run).toMatchObject({ status: "paused", hold: { cause: "crash", detail }, stage: { kind: "waiting" } });
	testRun.say({ kind: "resumed", answers: since(testRun) });
	expect(testRun.run.stage.kind).toBe("launching");
});
