// Moves of a run: declared targets, limits, human_intervention and the ways out of it.
import { describe, expect, it } from "vitest";
import { judgeMove, legalTargets, targetMeanings, targetsWithoutOutput } from "../../../src/machine/index.ts";
import { ask, definition, go, here, open, refold, since, start, type TestRun, where } from "../test-run.ts";

const sample = definition({
	planning: { persona: "A", next: ["implementation"] },
	implementation: { persona: "B", next: ["verification", "planning"] },
});

/** Moves to and fro between two states until the run no longer does so. */
function pingPong(testRun: TestRun, times: number): TestRun {
	for (let n = 0; n < times; n += 1)
		go(start(testRun), testRun.run.state === "planning" ? "implementation" : "planning");
	return testRun;
}

describe("a legal move", () => {
	it("follows the specification's sample to its end", () => {
		const testRun = open(sample);
		expect(where(testRun)).toBe("running planning 1.0.0");
		go(start(testRun), "implementation", "planned");
		expect(where(testRun)).toBe("running implementation 2.1.1");
		go(start(testRun), "verification", "written");
		expect(where(testRun)).toBe("done verification 3.0.0");
		expect(testRun.run.history.map(({ from, to, cause, summary, visit }) => [from, to, cause, summary, visit])).toEqual(
			[
				["planning", "implementation", "worker", "planned", 1],
				["implementation", "verification", "worker", "written", 2],
			],
		);
		expect(testRun.run.pairMoves).toEqual({ "implementation <-> planning": 1, "implementation <-> verification": 1 });
	});
	it.each(["verification", "done", "nowhere", "", "__proto__", "Implementation"])(
		"to %j is refused and changes nothing",
		(target) => {
			const testRun = start(open(sample));
			const before = testRun.run;
			ask(testRun, target);
			expect(testRun.refusal).toBe("illegal");
			expect(testRun.run).toBe(before);
		},
	);
	it("has a refusal that names the legal targets and suggests the closest one", () => {
		const { run } = start(open(sample));
		expect(legalTargets(run)).toEqual(["implementation", "human_intervention", "planning"]);
		const judged = judgeMove(run, "implementaton");
		expect(judged.kind === "illegal" && judged.message).toContain("Did you mean `implementation`?");
	});
	it.each([
		[
			"in the middle",
			"b",
			{ a: "back", c: "the last state", human_intervention: "stop, the user decides", b: "again, with a fresh worker" },
		],
		["a last state of any name", "c", { done: "the run ends", c: "the run ends" }],
		["`done`", "done", { done: "the run ends" }],
	])("has targets with the meaning that the move has: %s", (_, state, meanings) => {
		const end = { persona: "C", next: [] };
		const states = { a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["a", "c"] }, c: end, done: end };
		const { run } = open(definition(states));
		const there = { ...run, state };
		expect(targetMeanings(there)).toEqual(meanings);
		const ends = Object.keys(meanings).filter((target) => judgeMove(there, target).kind === "finish");
		expect(ends).toEqual(
			Object.entries(meanings).flatMap(([name, meaning]) => (meaning === "the run ends" ? [name] : [])),
		);
	});
	it.each([
		["in the middle", ["done"], ["human_intervention", "a"]],
		["at the end", [], []],
	])("hands over no data where none is due: %s", (_, next, without) => {
		const { run } = start(open(definition({ a: { persona: "A", next, output: { type: "object" } } })));
		expect(targetsWithoutOutput(run)).toEqual(without);
	});
	it("ends a terminal state that has a worker by done or its own name", () => {
		for (const target of ["done", "docs"]) {
			const testRun = start(open(definition({ docs: { persona: "A", next: [] } })));
			expect(where(go(testRun, target))).toBe("done docs 1.1.1");
		}
	});
	it("ends as failed in a state of that name", () => {
		const testRun = open(definition({ a: { persona: "A", next: ["done", "failed"] } }));
		expect(targetMeanings(testRun.run)).toMatchObject({ failed: "the end of the run, as failed" });
		expect(where(go(start(testRun), "failed"))).toBe("failed failed 2.0.0");
	});
	it("launches nothing for a run whose first state has no worker", () => {
		const testRun = open(definition({ a: { description: "nothing" } }));
		testRun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "t" });
		expect(where(testRun)).toBe("done a 1.0.0");
	});
	it("repeats a state with another worker in another conversation; that is no move", () => {
		const testRun = go(start(open(sample)), "planning", "again");
		expect(where(testRun)).toBe("running planning 1.2.1");
		expect(testRun.due("work").conversation).toEqual({ kind: "new", key: "1.2", optional: true });
		expect(testRun.run.history).toEqual([]);
		expect(testRun.run.pairMoves).toEqual({});
	});
});

describe("one transition", () => {
	it("refuses a second one of the same worker, regardless of its target", () => {
		const testRun = ask(start(open(sample)), "implementation");
		for (const target of ["implementation", "planning", "verification", "human_intervention"]) {
			testRun.say({ kind: "move_requested", visit: 1, attempt: 1, target, summary: "" });
			expect(testRun.refusal).toBe("illegal");
		}
		expect(testRun.run.history.length).toBe(1);
	});
});

describe("the order of a transition", () => {
	it("request, move, end, cleanup, measure, next launch: each recorded before the next", () => {
		const testRun = open(
			definition({ a: { persona: "A", next: ["b"], cleanup: ["x", "y"] }, b: { persona: "B", next: ["done"] } }),
		);
		ask(start(testRun), "b");
		expect(testRun.due("end_worker").how).toBe("boundary");
		testRun.say({ kind: "worker_ended", visit: 1, attempt: 1, launch: 1, outcome: { kind: "stopped" } });
		expect(testRun.due("clean_up")).toMatchObject({ state: "a", command: "x", index: 0 });
		testRun.say({ kind: "cleanup_ended", visit: 1, index: 0, result: { kind: "exited", code: 0 } });
		expect(testRun.due("clean_up")).toMatchObject({ command: "y", index: 1 });
		testRun.say({ kind: "cleanup_ended", visit: 1, index: 1, result: { kind: "exited", code: 0 } });
		expect(testRun.due("measure_files")).toMatchObject({ visit: 1, purpose: "changes" });
		testRun.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: "f".repeat(40) });
		expect(testRun.due("work").launch).toEqual({ visit: 2, attempt: 1, launch: 1 });
		expect(testRun.events.map(({ kind }) => kind)).toEqual([
			"created",
			"files_measured",
			"attempt_reserved",
			"worker_started",
			"move_requested",
			"moved",
			"worker_ended",
			"cleanup_ended",
			"cleanup_ended",
			"files_measured",
			"attempt_reserved",
		]);
		expect(testRun.run.baseline).toEqual({ tree: "f".repeat(40) });
	});
});

describe("the limit on a pair of states", () => {
	it("three moves happen, the fourth becomes human_intervention, and the history names the refused target", () => {
		const testRun = pingPong(open(sample), 3);
		expect(where(testRun)).toBe("running implementation 4.1.1");
		go(start(testRun), "planning", "once more");
		expect(where(testRun)).toBe("human_intervention human_intervention 5.0.0");
		expect(testRun.run.history.at(-1)).toMatchObject({
			from: "implementation",
			to: "human_intervention",
			cause: "pair_limit",
			refused: "planning",
			summary: "once more",
		});
		expect(testRun.run.pairMoves).toEqual({ "implementation <-> planning": 3 });
	});
	it("counts committed moves only: refused ones and repetitions do not", () => {
		const testRun = open(sample);
		for (let n = 0; n < 4; n += 1) {
			ask(start(testRun), "verification");
			go(testRun, "planning", "x".repeat(n));
		}
		expect(testRun.run.pairMoves).toEqual({});
	});
	it.each([
		[{ pair_moves: 5 }, 5],
		[{ pair_moves: { "planning <-> implementation": 4 } }, 4],
		[{ pair_moves: { default: 2, "implementation<->verification": 9 } }, 2],
	])("can be set: %j", (limits, moves) => {
		const testRun = open({ ...sample, limits: { ...limits } });
		pingPong(testRun, moves);
		expect(testRun.run.status).toBe("running");
		pingPong(testRun, 1);
		expect(testRun.run.status).toBe("human_intervention");
	});
	it("never prevents an end", () => {
		const testRun = open({ ...sample, limits: { moves: 3, pair_moves: 3 } });
		pingPong(testRun, 3);
		expect(where(go(start(testRun), "verification"))).toBe("done verification 5.0.0");
	});
});

describe("human_intervention", () => {
	const stuck = () => pingPong(open(sample), 4);
	it("launches nothing, and no worker can leave it", () => {
		const testRun = stuck();
		expect(testRun.actions).toEqual([]);
		for (const body of [
			{ kind: "move_requested", visit: 5, attempt: 0, target: "planning", summary: "" },
			{ kind: "move_requested", visit: 4, attempt: 1, target: "planning", summary: "" },
			{ kind: "resumed", answers: since(testRun) },
			{
				kind: "worker_started",
				visit: 5,
				attempt: 1,
				launch: 1,
				pid: 1,
				model: "m",
				conversation: "new",
			},
		] as const) {
			testRun.say(body);
			expect(testRun.refusal, body.kind).not.toBe("");
		}
		expect(where(testRun)).toBe("human_intervention human_intervention 5.0.0");
	});
	it("a worker may request it", () => {
		const testRun = go(start(open(sample)), "human_intervention", "I am lost");
		expect(testRun.run.history.at(-1)).toMatchObject({ cause: "worker", to: "human_intervention" });
		testRun.say({ kind: "released", answers: since(testRun) });
		expect(testRun.run.state).toBe("planning");
	});
	it("released, the refused move happens and the pair may move three more times", () => {
		const testRun = stuck();
		testRun.say({ kind: "released", answers: since(testRun), words: "go on" });
		expect(testRun.run).toMatchObject({ status: "running", state: "planning", visit: 6, pairMoves: {} });
		expect(testRun.run.history.at(-1)).toMatchObject({ from: "human_intervention", to: "planning", cause: "released" });
		expect(testRun.run.history.length).toBe(5);
		pingPong(testRun, 3);
		expect(testRun.run.status).toBe("running");
		pingPong(testRun, 1);
		expect(testRun.run.status).toBe("human_intervention");
	});
	it("can be left by a release elsewhere, by done, or by an abort", () => {
		const elsewhere = stuck();
		elsewhere.say({ kind: "released", answers: since(elsewhere), to: "implementation" });
		expect(where(start(elsewhere))).toBe("running implementation 6.1.1");
		const done = stuck();
		done.say({ kind: "released", answers: since(done), done: true });
		expect(where(done)).toBe("done human_intervention 5.0.0");
		const aborted = stuck();
		aborted.say({ kind: "abort_requested" });
		expect(where(aborted)).toBe("aborted human_intervention 5.0.0");
	});
	it("refuses a release to nowhere, and a second release", () => {
		const testRun = stuck();
		for (const to of ["nowhere", "human_intervention", "__proto__"]) {
			testRun.say({ kind: "released", answers: since(testRun), to });
			expect(testRun.refusal).toBe("unknown_state");
		}
		const answers = since(testRun);
		testRun.say({ kind: "released", answers });
		const { visit } = testRun.run;
		testRun.say({ kind: "released", answers });
		expect(testRun.refusal).toBe("answered");
		expect(testRun.run.visit).toBe(visit);
	});
});

describe("longer cycles", () => {
	it("a cycle of three states stops at the limit on moves", () => {
		const testRun = open(
			definition(
				{
					a: { persona: "A", next: ["b"] },
					b: { persona: "B", next: ["c"] },
					c: { persona: "C", next: ["a", "done"] },
				},
				{ limits: { moves: 7 } },
			),
		);
		const next: Record<string, string> = { a: "b", b: "c", c: "a" };
		let launches = 0;
		while (testRun.run.status === "running") {
			launches += 1;
			go(start(testRun), next[testRun.run.state] ?? "");
		}
		expect(launches).toBe(8);
		expect(testRun.run.history.at(-1)).toMatchObject({ cause: "move_limit", refused: "c", from: "b" });
		testRun.say({ kind: "released", answers: since(testRun) });
		expect(where(start(testRun))).toBe("running c 10.1.1");
	});
	it("repetitions of one state stop at its limit on attempts", () => {
		const testRun = open(definition({ a: { persona: "A", next: ["done"], limits: { attempts: 4 }, polling: true } }));
		let launches = 0;
		while (testRun.run.status === "running") {
			launches += 1;
			go(start(testRun), "a");
		}
		expect(launches).toBe(4);
		expect(testRun.run.history.at(-1)).toMatchObject({ cause: "attempt_limit", refused: "a" });
	});
	it("three equal attempts without changes stop; with another summary, other files or polling they continue", () => {
		const run = (polling: boolean, words: (n: number) => string, files: (n: number) => string) => {
			const testRun = open(definition({ a: { persona: "A", next: ["done"], limits: { attempts: 6 }, polling } }));
			let launches = 0;
			while (testRun.run.status === "running") {
				launches += 1;
				ask(start(testRun), "a", words(launches));
				testRun.say({ kind: "worker_ended", visit: 1, attempt: launches, launch: 1, outcome: { kind: "stopped" } });
				testRun.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: files(launches) });
			}
			return [launches, testRun.run.history.at(-1)?.cause];
		};
		const same = () => "same";
		expect(run(false, (n) => `Still  waiting ${n}`, same)).toEqual([3, "no_progress"]);
		expect(run(true, same, same)).toEqual([6, "attempt_limit"]);
		expect(run(false, (n) => "abcdef".slice(0, n), same)).toEqual([6, "attempt_limit"]);
		expect(run(false, same, String)).toEqual([6, "attempt_limit"]);
	});
	it("the last allowed move may end the run, and nothing is launched after the last", () => {
		const twice = (last: string) => {
			const testRun = open(
				definition({ a: { persona: "A", next: ["a", "done"], limits: { attempts: 3 }, polling: true } }),
			);
			go(start(testRun), "a");
			go(start(testRun), "a");
			return go(start(testRun), last);
		};
		expect(twice("done").run.status).toBe("done");
		const exhausted = twice("a");
		expect(exhausted.run.status).toBe("human_intervention");
		expect(exhausted.events.filter(({ kind }) => kind === "attempt_reserved").length).toBe(3);
	});
});

describe("a finished run", () => {
	const over = () => {
		const testRun = go(start(open(sample)), "implementation");
		return go(start(testRun), "verification");
	};
	it("accepts only a reopening or a rewind, and has no pending actions", () => {
		const testRun = over();
		expect(testRun.actions).toEqual([]);
		for (const body of [
			{ kind: "told", text: "x" },
			{ kind: "pause_requested", cause: "person", detail: "" },
			{ kind: "abort_requested" },
			{ kind: "resumed", answers: since(testRun) },
			{ kind: "limits_changed", limits: { costUsd: 99 } },
			{ kind: "move_requested", ...here(testRun), target: "planning", summary: "" },
		] as const) {
			testRun.say(body);
			expect(testRun.refusal, body.kind).not.toBe("");
		}
	});
	it("continues in the same ledger when reopened, with its limits reset", () => {
		const testRun = over();
		const answers = since(testRun);
		testRun.say({ kind: "reopened", answers, to: "planning", words: "one more thing" });
		expect(testRun.run).toMatchObject({
			status: "running",
			state: "planning",
			visit: 4,
			pairMoves: {},
			moves: { total: 3, counted: 0 },
		});
		expect(testRun.run.history.at(-1)).toMatchObject({ from: "verification", to: "planning", cause: "reopened" });
		testRun.say({ kind: "reopened", answers, to: "planning" });
		expect(testRun.refusal).toBe("answered");
		go(start(testRun), "implementation");
		expect(testRun.run.history.length).toBe(4);
		expect(refold(testRun.events)).toEqual(testRun.run);
	});
});
