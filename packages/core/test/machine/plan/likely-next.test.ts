// The predicted next launch of a run, whose worker is started in advance.
import { describe, expect, it } from "vitest";
import { likelyNext } from "../../../src/machine/index.ts";
import { ask, definition, go, open, since, start, type TestRun } from "../test-run.ts";

const persona = "A";
const loop = definition(
	{
		plan: { persona, next: ["build"] },
		build: { persona, next: ["test", "plan"] },
		test: { persona, next: ["build", "done"] },
	},
	{ limits: { pair_moves: 9 } },
);

function next(testRun: TestRun): string | undefined {
	const found = likelyNext(testRun.run);
	return found && `${found.state} ${found.launch.visit}.${found.launch.attempt}.${found.launch.launch}`;
}

describe("the likely next launch", () => {
	it("is that of the only target while a worker runs", () => {
		expect(next(start(open(loop)))).toBe("build 2.1.1");
	});

	it("is the first one of the state while its files are measured", () => {
		expect(next(open(loop))).toBe("plan 1.1.1");
	});

	it("is unknown while several targets have never been taken, then the one taken most often, on a tie the latest", () => {
		const testRun = start(open(loop));
		start(go(testRun, "build"));
		expect(next(testRun)).toBeUndefined();
		start(go(testRun, "plan"));
		start(go(testRun, "build"));
		expect(next(testRun), "plan once").toBe("plan 5.1.1");
		start(go(testRun, "test"));
		start(go(testRun, "build"));
		expect(next(testRun), "plan once, test once").toBe("test 7.1.1");
	});

	it("is the one asked for, once it is", () => {
		const testRun = start(open(loop));
		start(go(testRun, "build"));
		ask(testRun, "test");
		expect(next(testRun)).toBe("test 3.1.1");
		const repeated = start(open(loop));
		ask(repeated, "plan");
		expect(next(repeated)).toBe("plan 1.2.1");
	});

	it("is the one that the user is asked about", () => {
		const testRun = open(
			definition({
				a: { persona, next: ["b", "c"], requires_approval: true },
				b: { persona, next: ["done"] },
				c: { persona, next: ["done"] },
			}),
		);
		go(start(testRun), "c");
		expect(testRun.run.stage.kind).toBe("asking");
		expect(next(testRun)).toBe("c 2.1.1");
		const entry = open(definition({ a: { persona, next: ["done"], requires_approval: "entry" } }));
		entry.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "t" });
		expect(entry.run.stage.kind).toBe("asking");
		expect(next(entry)).toBe("a 1.1.1");
	});

	it.each([
		["the state itself", ["a", "b"]],
		["a wait for the user", ["human_intervention", "b"]],
		["both", ["a", "b", "human_intervention"]],
	])("is the only target other than %s", (_, targets) => {
		const states = { a: { persona, next: targets }, b: { persona, next: ["done"] } };
		expect(next(start(open(definition(states))))).toBe("b 2.1.1");
	});

	it.each([
		["ends the run", ["done"]],
		["has no worker", ["end"]],
		["is the user's", ["human_intervention"]],
		["is the same state", ["a"]],
	])("is none if the only target %s", (_, targets) => {
		const testRun = start(open(definition({ a: { persona, next: targets }, end: { next: [] } })));
		expect(next(testRun)).toBeUndefined();
	});

	it("does not exist if a cap forbids the move", () => {
		const testRun = start(
			open(definition({ a: { persona, next: ["b"] }, b: { persona, next: ["a"] } }, { limits: { pair_moves: 1 } })),
		);
		start(go(testRun, "b"));
		expect(next(testRun)).toBeUndefined();
	});

	it("does not exist while the run is paused, ends, or waits for more than an answer", () => {
		const paused = start(open(loop));
		paused.say({ kind: "pause_requested", cause: "person", detail: "Stop." });
		expect(next(paused)).toBeUndefined();
		const aborted = start(open(loop));
		aborted.say({ kind: "abort_requested" });
		expect(next(aborted)).toBeUndefined();
		const finished = start(open(definition({ a: { persona, next: ["done"] } })));
		ask(finished, "done");
		expect(next(finished)).toBeUndefined();
		const escalated = go(start(open(loop)), "human_intervention");
		expect(since(escalated)).toBeGreaterThan(0);
		expect(next(escalated)).toBeUndefined();
	});
});
