// Output data of states, in the pure machine: which moves need it, how refusals count, how it is kept and bounded.
import { describe, expect, it } from "vitest";
import { dueOutput, planOf } from "../../src/machine/index.ts";
import { splitReference, valueAt } from "../../src/output/index.ts";
import { addOutput, EMPTY_SNAPSHOT, outputsOf } from "../../src/snapshot/index.ts";
import { definition, open, type TestRun } from "./test-run.ts";

const output = { type: "object" };
const template = definition(
	{ a: { persona: "P", next: ["b"], output }, b: { persona: "P", next: ["a", "end"] }, end: { next: [] } },
	{ limits: { nudges: 1, pair_moves: 1 } },
);

/** A run whose worker works in `a`. */
function working(): TestRun {
	const run = open(template);
	run.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: "t1" });
	const { launch } = run.due("work");
	return run.say({ kind: "worker_started", ...launch, pid: 1, model: "m", conversation: "new" });
}

const at = { visit: 1, attempt: 1 };
const refused = { kind: "output_refused", ...at, problems: ['data lacks "x".'] } as const;

describe("data of a state", () => {
	it.each([
		["b", output],
		["a", undefined],
		["human_intervention", undefined],
		["nowhere", undefined],
	])("a move from a to %s hands over %o", (target, expected) => {
		expect(dueOutput(working().run, target)).toEqual(expected);
	});

	it("is required in a move that a limit turns into an escalation, and not in a state without output", () => {
		const { run } = working();
		expect(dueOutput({ ...run, pairMoves: { "a <-> b": 1 } }, "b")).toEqual(output);
		expect(dueOutput({ ...run, state: "b" }, "end")).toBeUndefined();
		expect(planOf(run, "b").output).toBeUndefined();
	});

	it("is stored with the move, not before", () => {
		const run = working();
		run.say({ kind: "move_requested", ...at, target: "b", summary: "s", data: { x: [1] } });
		expect(run.run.snapshot.outputs).toEqual([{ state: "a", visit: 1, data: { x: [1] } }]);
		const without = working();
		without.say({ kind: "move_requested", ...at, target: "b", summary: "s" });
		expect("outputs" in without.run.snapshot).toBe(false);
	});

	it("that does not match counts as a reminder, and pauses the run after the last one", () => {
		const run = working();
		run.say(refused);
		expect(run.run).toMatchObject({ hold: null, visitRecord: { nudges: 1 }, stage: { kind: "working" } });
		run.say(refused);
		expect(run.run).toMatchObject({
			hold: { status: "paused", cause: "no_transition", detail: expect.stringContaining("data lacks") },
			stage: { kind: "stopping", how: "boundary", after: { kind: "again", because: "resumed" } },
			visitRecord: { nudges: 1 },
		});
		// In its last message the worker may still hand over what fits.
		run.say({ kind: "move_requested", ...at, target: "b", summary: "s", data: {} });
		expect(run.refusal).toBe("");
	});

	it("keeps the reason of a pause that was asked for before", () => {
		const run = working();
		run.say({ kind: "pause_requested", cause: "person", detail: "wait" });
		run.say(refused);
		run.say(refused);
		expect(run.run.hold?.cause).toBe("person");
	});

	it("of a worker that has ended changes nothing", () => {
		const run = working();
		run.say({ kind: "move_requested", ...at, target: "b", summary: "s", data: {} });
		const before = run.run;
		run.say(refused);
		expect(run.refusal).toBe("stale");
		expect(run.run).toBe(before);
	});
});

describe("kept data", () => {
	const sized = (bytes: number) => "x".repeat(bytes - 2);

	it("is the last of each state, newest last", () => {
		const first = addOutput(addOutput(EMPTY_SNAPSHOT, { state: "a", visit: 1, data: 1 }), {
			state: "b",
			visit: 2,
			data: 2,
		});
		expect(outputsOf(addOutput(first, { state: "a", visit: 3, data: 3 }))).toEqual([
			{ state: "b", visit: 2, data: 2 },
			{ state: "a", visit: 3, data: 3 },
		]);
	});

	it("is at most 256 KB: the oldest is dropped", () => {
		const states = ["a", "b", "c", "d"];
		const full = states.reduce(
			(all, state, n) => addOutput(all, { state, visit: n, data: sized(64 * 1024) }),
			EMPTY_SNAPSHOT,
		);
		expect(outputsOf(full).map(({ state }) => state)).toEqual(states);
		expect(outputsOf(addOutput(full, { state: "e", visit: 9, data: sized(10) })).map(({ state }) => state)).toEqual([
			"b",
			"c",
			"d",
			"e",
		]);
	});
});

describe("references", () => {
	it.each([
		["a", "a", []],
		["a.b", "a.b", []],
		["a.b.c.0", "a.b", ["c", "0"]],
		["a.bc", "a", ["bc"]],
	])("%s names %s", (written, state, path) => {
		expect(splitReference(written, ["a", "a.b", "x"])).toEqual({ state, path });
	});

	it("name no state if none matches", () => {
		expect(splitReference("ab.c", ["a", "abc"])).toBeUndefined();
	});

	it.each<[unknown, string[], unknown]>([
		[{ a: { b: [5, 6] } }, ["a", "b", "1"], 6],
		[{ a: null }, ["a", "b"], undefined],
		[{ a: null }, ["a"], null],
		[[1], ["length"], undefined],
		[[1], ["1"], undefined],
		[{}, ["constructor"], undefined],
		["text", ["0"], undefined],
		[7, [], 7],
	])("find in %j at %j: %j", (data, path, expected) => {
		expect(valueAt(data, path)).toEqual(expected);
	});
});
