// `take: one`: which child can be chosen, by which move; a run leaves the choice with the files of the chosen child and no others.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../pi-chronicle/test/harness/runs.ts";
import { candidatesIn, dueOutput, type EventBody, outputIn, pendingActions } from "../../src/machine/index.ts";
import { applyJoin, branches, conflict, end, join, measure, plan } from "./child-steps.ts";
import { ask, definition, here, open, refold, reopen, rest, since, start, type TestRun } from "./test-run.ts";

const names = ["one", "two", "three"] as const;

/** State `a` has the children, `judge` chooses, `b` follows. */
function judgeTemplate(judge: object = {}, fields: object = {}, more: object = {}): object {
	return definition(
		{
			a: { branches: branches(...names), take: "one", on_failed: "continue", next: ["judge"], ...fields },
			judge: { persona: "J", next: ["b", "a"], ...judge },
			b: { persona: "B", next: ["done"] },
		},
		more,
	);
}

/** A run whose children have ended as `ends` says, and whose judge works. */
function judging(template = judgeTemplate(), ends: readonly ("done" | "failed")[] = ["done", "done", "done"]): TestRun {
	const testRun = plan(template);
	for (const [index, how] of ends.entries()) end(testRun, index + 1, how, { tree: `t${index + 1}` });
	return start(rest(testRun));
}

/** The judge moves. */
function decide(testRun: TestRun, target: string, winner?: string): TestRun {
	const data = winner === undefined ? {} : { data: { winner } };
	return testRun.say({ kind: "move_requested", ...here(testRun), target, summary: "best", ...data } as EventBody);
}

const chosen = ({ run }: TestRun) => run.candidates?.winner;
const merged = (testRun: TestRun) => testRun.due("merge_files").results.map(({ name }) => name);

describe("the children to choose from", () => {
	it("are those that are done, in the state that follows, and nowhere else", () => {
		const { run } = judging(judgeTemplate(), ["done", "failed", "done"]);
		expect(candidatesIn(run, "judge").map(({ name }) => name)).toEqual(["one", "three"]);
		expect(["a", "b", "human_intervention"].map((state) => candidatesIn(run, state))).toEqual([[], [], []]);
		expect(pendingActions(run).filter(({ kind }) => kind === "merge_files")).toEqual([]);
	});

	it("are named in the schema of the judge's data, next to the schema of its own", () => {
		const schema = { required: ["winner"], properties: { winner: { enum: ["one", "two", "three"] } } };
		expect(outputIn(judging().run)).toMatchObject(schema);
		const own = { type: "object", required: ["why"], properties: { why: { type: "string" } } };
		expect(outputIn(judging(judgeTemplate({ output: own })).run)).toMatchObject({ allOf: [own, schema] });
		expect(outputIn(judging().run, "b")).toBeUndefined();
	});

	it.each<[target: string, due: boolean]>([
		["b", true],
		["a", false],
		["judge", false],
		["human_intervention", false],
		["nowhere", false],
	])("must be chosen from in a move to %s: %s", (target, due) => {
		const { run } = judging();
		expect(dueOutput(run, target) !== undefined).toBe(due);
	});

	it("do not exist if all children failed: the run waits before the choice", () => {
		const testRun = plan(judgeTemplate());
		for (const number of [1, 2, 3]) end(testRun, number, "failed");
		expect(testRun.run).toMatchObject({ status: "paused", state: "a", candidates: null });
	});
});

describe("the choice", () => {
	it.each<[string, object, string]>([
		["into the next state", {}, "b"],
		["into the end of the run", { next: [] }, "done"],
	])("joins the files of the chosen child alone, and goes %s", (_, judge, target) => {
		for (const winner of names) {
			const testRun = decide(judging(judgeTemplate(judge)), target, winner);
			expect(chosen(testRun)).toBe(winner);
			rest(testRun);
			expect(merged(testRun)).toEqual([winner]);
			expect(testRun.run).toMatchObject({ state: "judge", candidates: null });
			applyJoin(join(testRun));
			rest(testRun);
			expect([testRun.run.state, testRun.run.children]).toEqual([target === "b" ? "b" : "judge", null]);
		}
	});

	it.each<[string, string, string | null | undefined]>([
		["asks the user to decide", "human_intervention", null],
		["repeats the state", "judge", null],
		["lets the children try again", "a", undefined],
	])("does not happen if the judge %s, even if it names a child", (_, target, winner) => {
		const testRun = rest(decide(judging(), target, "one"));
		expect(chosen(testRun)).toBe(winner);
		expect(pendingActions(testRun.run).map(({ kind }) => kind)).not.toContain("merge_files");
		expect(testRun.run.children?.phase).not.toBe("joining");
	});

	it("is discarded when the move is rejected, and made again", () => {
		const testRun = judging(judgeTemplate({ requires_approval: "exit" }));
		rest(decide(testRun, "b", "two"));
		expect(testRun.run).toMatchObject({ status: "awaiting_approval", candidates: { winner: "two" } });
		testRun.say({ kind: "rejected", answers: since(testRun), words: "no" });
		rest(decide(start(testRun), "b", "three"));
		const { stage } = testRun.run;
		const diff = stage.kind === "asking" ? stage.question.diff : "";
		testRun.say({ kind: "approved", answers: since(testRun), diff });
		expect(merged(testRun)).toEqual(["three"]);
	});

	it("stays while conflicts of its files are resolved, and while the join is repeated", () => {
		const testRun = rest(decide(judging(), "b", "two"));
		join(testRun, [conflict("f", "your files", "two")]);
		expect(testRun.run.stage).toMatchObject({ kind: "asking", question: { side: "conflict", target: "b" } });
		const { stage } = testRun.run;
		const diff = stage.kind === "asking" ? stage.question.diff : "";
		testRun.say({ kind: "approved", answers: since(testRun), diff, choice: "theirs" });
		expect(merged(testRun)).toEqual(["two"]);
		testRun.say({ kind: "join_failed", visit: testRun.run.visit, detail: "full" });
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(merged(testRun)).toEqual(["two"]);
		applyJoin(join(testRun));
		expect(testRun.run.history.at(-1)).toMatchObject({ from: "judge", to: "b", cause: "worker" });
	});
});

describe("the user's choice", () => {
	const asking = (judge: object = {}) =>
		rest(decide(judging(judgeTemplate({ requires_approval: "exit", ...judge })), "b", "two"));
	const approve = (testRun: TestRun, more: object = {}) => {
		const { stage } = testRun.run;
		const diff = stage.kind === "asking" ? stage.question.diff : "";
		return testRun.say({ kind: "approved", answers: since(testRun), diff, ...more });
	};

	it("takes the other child's files, as later states read", () => {
		const testRun = approve(asking(), { winner: "three", words: "it has tests" });
		expect(merged(testRun)).toEqual(["three"]);
		rest(applyJoin(join(testRun)));
		const { snapshot, history, choices, notices, outbox } = testRun.run;
		expect(snapshot.outputs).toEqual([{ state: "judge", visit: 2, data: { winner: "three" } }]);
		const said = 'The user took "three" instead of "two": it has tests\nThe worker: best';
		expect(snapshot.summaries.find(({ visit }) => visit === 2)?.text).toBe(said);
		expect(history.at(-1)).toMatchObject({ from: "judge", to: "b", cause: "worker", summary: said });
		expect(notices).toContain('The files of "three" are taken.');
		expect(outbox).toMatchObject([{ text: "it has tests", from: "person" }]);
		expect(choices).toEqual([
			{
				...{ state: "a", visit: 1, madeIn: 2, winner: "three" },
				...{ by: "person", insteadOf: "two", why: "it has tests" },
			},
		]);
		expect(refold(testRun.events)).toEqual(testRun.run);
	});

	it("keeps the rest of the judge's data", () => {
		const output = { type: "object", properties: { why: { type: "string" } } };
		const testRun = judging(judgeTemplate({ requires_approval: "exit", output }));
		const data = { winner: "two", why: "small" };
		rest(testRun.say({ kind: "move_requested", ...here(testRun), target: "b", summary: "best", data }));
		approve(testRun, { winner: "one" });
		expect(testRun.run.snapshot.outputs?.at(-1)?.data).toEqual({ winner: "one", why: "small" });
	});

	it("of the child that the worker has named changes nothing", () => {
		const testRun = rest(applyJoin(join(approve(asking(), { winner: "two" }))));
		expect(testRun.run.choices).toEqual([
			{ state: "a", visit: 1, madeIn: 2, winner: "two", by: "worker", why: "best" },
		]);
	});

	it.each<[string, () => TestRun, string, RegExp]>([
		["of an unknown child", asking, "tow", /"tow" is none of .*Did you mean `two`\? They are: one, two, three\./],
		["of nothing", asking, "", /They are: one, two, three/],
		[
			"where the children try again",
			() => rest(decide(judging(judgeTemplate({ requires_approval: "exit" })), "a")),
			"one",
			/starts new children/,
		],
		[
			"in a state without children to choose from",
			() =>
				rest(ask(start(open(definition({ a: { persona: "A", next: ["b"], requires_approval: true }, b: {} }))), "b")),
			"one",
			/no children to choose from/,
		],
	])("%s is refused, and changes nothing", (_, begin, winner, expected) => {
		const testRun = begin();
		const before = testRun.run;
		approve(testRun, { winner });
		expect([testRun.refusal, testRun.message]).toEqual(["illegal", expect.stringMatching(expected)]);
		expect(testRun.run).toBe(before);
	});

	it("of a child that failed is refused", () => {
		const testRun = judging(judgeTemplate({ requires_approval: "exit" }), ["done", "failed", "done"]);
		approve(rest(decide(testRun, "b", "one")), { winner: "two" });
		expect(testRun.message).toMatch(/"two" is none of .* They are: one, three\./);
	});

	it("counts once: a second answer is refused while the files are joined, and after it", () => {
		const testRun = asking();
		const again = { kind: "approved", answers: since(testRun), diff: "", winner: "one" } as const;
		const { stage } = testRun.run;
		const diff = stage.kind === "asking" ? stage.question.diff : "";
		approve(testRun, { winner: "three" });
		for (const next of [(run: TestRun) => join(run), applyJoin, rest]) {
			expect(testRun.say({ ...again, diff }).refusal).toBe("answered");
			next(testRun);
		}
		expect(testRun.say({ ...again, diff }).refusal).toBe("answered");
		expect(testRun.run.choices.map(({ winner }) => winner)).toEqual(["three"]);
	});

	it("waits for the same question after the supervisor died", () => {
		const testRun = asking();
		const answers = since(testRun);
		const shown = testRun.run.stage.kind === "asking" ? testRun.run.stage.question.diff : "";
		reopen(testRun);
		rest(testRun, shown);
		expect(since(testRun)).toBe(answers);
		approve(testRun, { winner: "one" });
		expect(merged(testRun)).toEqual(["one"]);
	});
});

describe("the record of choices", () => {
	it("says that no child was taken, and who decided that", () => {
		const tried = rest(decide(judging(), "a"));
		expect(tried.run.choices).toEqual([{ state: "a", visit: 1, madeIn: 2, winner: null, by: "worker", why: "" }]);
		const sent = rest(decide(judging(), "human_intervention"));
		sent.say({ kind: "released", answers: since(sent), to: "b" });
		expect(sent.run.choices).toMatchObject([{ winner: null, by: "person" }]);
	});

	it("says so too if the run is aborted while the files are joined", () => {
		const testRun = rest(decide(judging(), "b", "two"));
		rest(testRun.say({ kind: "abort_requested" }));
		expect(testRun.run).toMatchObject({ status: "aborted", choices: [{ winner: null, by: "person" }] });
	});

	it("names the chosen child also if the children share the run's files and nothing is joined", () => {
		const testRun = plan(judgeTemplate({}, { files: "shared" }));
		for (const number of [1, 2, 3]) end(testRun, number, "done", { tree: null });
		decide(start(rest(testRun)), "b", "two");
		rest(rest(testRun));
		expect(testRun.run).toMatchObject({ state: "b", children: null, choices: [{ winner: "two" }] });
		expect(testRun.events.map(({ kind }) => kind)).not.toContain("joined");
	});

	it("keeps the last eight choices", () => {
		const testRun = judging(judgeTemplate({}, {}, { limits: { pair_moves: 100 } }));
		for (let n = 0; n < 10; n += 1) {
			decide(testRun, "a");
			rest(testRun);
			for (const number of [1, 2, 3]) end(testRun, number, "done", { tree: `t${number}` });
			start(rest(testRun));
		}
		expect(testRun.run.choices.map(({ visit }) => visit)).toEqual([5, 7, 9, 11, 13, 15, 17, 19]);
	});
});

describe("any order of moves, answers and supervisors", () => {
	const ends = fc.array(fc.constantFrom("done", "failed"), { minLength: 3, maxLength: 3 });
	const step = fc.record({
		target: fc.constantFrom("b", "a", "judge", "human_intervention", "nowhere"),
		winner: fc.constantFrom(...names, undefined),
		answer: fc.constantFrom("approve", "reject"),
		dies: fc.boolean(),
		/** What the user takes instead. */
		instead: fc.constantFrom(...names, undefined),
	});

	/** Everything that continues without the judge. */
	function settle(testRun: TestRun, answer: "approve" | "reject", instead: string | undefined): void {
		for (let n = 0; n < 40; n += 1) {
			const { run } = testRun;
			const { stage } = run;
			if (stage.kind === "asking") {
				const { seq, diff } = stage.question;
				const approved = { kind: "approved", answers: seq, diff } as const;
				if (answer === "reject") testRun.say({ kind: "rejected", answers: seq, words: "no" });
				else if (instead === undefined || testRun.say({ ...approved, winner: instead }).refusal !== "")
					testRun.say(approved);
			} else if (stage.kind === "waiting" && run.status === "human_intervention")
				testRun.say({ kind: "released", answers: stage.since, to: "judge" });
			else if (stage.kind === "stopping") rest(testRun);
			else if (stage.kind === "baselining") measure(testRun);
			else if (stage.kind === "launching") start(testRun);
			else if (stage.kind === "children" && run.children?.phase === "joining") {
				if (run.children.join) applyJoin(testRun);
				else join(testRun);
			} else if (stage.kind === "children")
				end(testRun, 1 + (run.children?.children.findIndex(({ status }) => status === "pending") ?? 0));
			else return;
		}
		throw new Error(`it does not settle: ${testRun.run.stage.kind}`);
	}

	it("joins at most one child, which is done and was named with the move, and leaves the choice only with it", () => {
		const taken = new Set<string>();
		fc.assert(
			fc.property(ends, fc.boolean(), fc.array(step, { minLength: 1, maxLength: 6 }), (how, asks, steps) => {
				fc.pre(how.includes("done"));
				const testRun = judging(judgeTemplate(asks ? { requires_approval: "exit" } : {}), how as ("done" | "failed")[]);
				for (const { target, winner, answer, dies, instead } of steps) {
					const { state, stage } = testRun.run;
					if (state !== "judge" || stage.kind !== "working") break;
					const able = candidatesIn(testRun.run, "judge").map(({ name }) => name);
					// What the supervisor refuses before it is recorded.
					const due = dueOutput(testRun.run, target) !== undefined;
					if (due && (winner === undefined || !able.includes(winner))) continue;
					const { visit } = testRun.run;
					decide(testRun, target, winner);
					if (dies) reopen(testRun);
					settle(testRun, answer, instead);
					const expected = asks && instead !== undefined && able.includes(instead) ? instead : winner;
					const moved = testRun.run.history.find((move) => move.visit === visit);
					const wanted = due && (!asks || answer === "approve");
					if (testRun.run.state !== "b") continue;
					expect([moved?.to, wanted]).toEqual(["b", true]);
					expect(testRun.run.notices).toContain(`The files of "${expected}" are taken.`);
					expect(testRun.run.choices.at(-1)).toMatchObject({
						winner: expected,
						by: expected === winner ? "worker" : "person",
					});
					taken.add(String(expected));
				}
				const applied = testRun.events.filter(({ kind }) => kind === "join_applied").length;
				expect(applied).toBe(testRun.run.state === "b" ? 1 : 0);
				expect(testRun.run.state === "b" ? testRun.run.candidates : null).toBeNull();
				expect(refold(testRun.events)).toEqual(testRun.run);
			}),
			{ numRuns: runs() },
		);
		expect([...taken].toSorted()).toEqual([...names].toSorted());
	});

	it("treats a move as not made if the supervisor died before recording it", () => {
		const testRun = reopen(judging());
		expect(testRun.run.candidates?.winner).toBeNull();
		rest(testRun);
		rest(ask(start(testRun), "human_intervention"));
		expect(testRun.run.candidates).toMatchObject({ winner: null, judge: "judge" });
	});
});
