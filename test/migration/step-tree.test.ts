// Trees of steps as chronicle templates: every tree becomes a template that loads, in which no work is lost or repeated.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTemplate } from "../../src/chronicle/core/template/index.ts";
import { openSource } from "../../src/definition/index.ts";
import { compileSteps, type Step } from "../../src/migration/step-tree.ts";
import { runs } from "../harness/runs.ts";

const work = (name: string, more: object = {}): Step => ({ kind: "work", name, fields: { persona: "P", ...more } });
const compiled = (step: Step) => {
	const { states, limits, notes } = compileSteps(step);
	return { states: Object.fromEntries(states) as Record<string, Record<string, unknown>>, limits, notes };
};
/** The targets of each state. */
const moves = (step: Step) =>
	Object.fromEntries(Object.entries(compiled(step).states).map(([name, { next }]) => [name, next]));

/** Any tree of steps. */
const { tree } = fc.letrec<{ tree: Step; trees: Step[] }>((tie) => {
	const names = fc.constantFrom("a", "b", "done", "x y", "Ü");
	const inner = tie("tree");
	const branches = fc.array(fc.tuple(names, inner), { minLength: 1, maxLength: 3 });
	const max = fc.option(fc.nat(50), { nil: undefined });
	return {
		trees: fc.array(inner, { maxLength: 3 }),
		tree: fc.oneof(
			{ maxDepth: 3 },
			names.map((name) => work(name)),
			fc.constantFrom<Step>({ kind: "nothing" }, { kind: "fail" }),
			names.map((name): Step => ({ kind: "gate", name, message: "Sure?" })),
			tie("trees").map((steps): Step => ({ kind: "sequence", steps })),
			fc
				.tuple(names, branches, max)
				.map(([name, of, limit]): Step => ({ kind: "parallel", name, branches: of, max: limit })),
			fc
				.tuple(names, tie("trees"))
				.map(([name, of]): Step => ({ kind: "choice", name, question: "Which?", branches: of })),
			fc
				.tuple(names, inner, fc.constantFrom("condition" as const, "body" as const), max)
				.map(
					([name, body, first, limit]): Step => ({ kind: "loop", name, body, first, question: "Again?", max: limit }),
				),
		),
	};
});

/** The same tree with a mark in each piece of work, and how many there are. */
function marked(step: Step): { readonly step: Step; readonly count: number } {
	let count = 0;
	const mark = (one: Step): Step => {
		switch (one.kind) {
			case "work":
				count += 1;
				return { ...one, fields: { ...one.fields, instructions: `MARK${count}.` } };
			case "sequence":
				return { ...one, steps: one.steps.map(mark) };
			case "choice":
				return { ...one, branches: one.branches.map(mark) };
			case "parallel":
				return { ...one, branches: one.branches.map(([name, branch]) => [name, mark(branch)] as const) };
			case "loop":
				return { ...one, body: mark(one.body) };
			default:
				return one;
		}
	};
	return { step: mark(step), count };
}

it("any tree becomes a template that loads, with each step once", () => {
	fc.assert(
		fc.property(tree, (given) => {
			const { step, count } = marked(given);
			const { states, limits } = compiled(step);
			const text = JSON.stringify({ name: "t", requires: ">=0.2", limits, states });
			const { read, diagnostics } = readTemplate(openSource("/t.json", text), "t");
			expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
			expect(read).toBeDefined();
			for (let n = 1; n <= count; n += 1) expect(text.split(`MARK${n}.`)).toHaveLength(2);
		}),
		{ numRuns: runs(3) },
	);
});

describe("a tree", () => {
	it("with a sequence keeps its order", () => {
		expect(moves({ kind: "sequence", steps: [work("a"), { kind: "nothing" }, work("b")] })).toEqual({
			...{ a: ["b"], b: ["done"], done: undefined },
		});
	});

	it.each<[what: string, step: Step, first: string]>([
		[
			"a loop that begins with its body",
			{ kind: "loop", name: "again", body: work("a"), first: "body", question: "?", max: 2 },
			"a",
		],
		[
			"a loop that begins with its condition",
			{ kind: "loop", name: "again", body: work("a"), first: "condition", question: "?", max: 2 },
			"again",
		],
		["a choice", { kind: "choice", name: "which", question: "?", branches: [work("a"), work("b")] }, "which"],
		["nothing", { kind: "sequence", steps: [{ kind: "nothing" }, work("a")] }, "a"],
		["a failure", { kind: "sequence", steps: [{ kind: "fail" }, work("a")] }, "failed"],
	])("that begins with %s starts there", (_what, step, first) => {
		expect(Object.keys(compiled(step).states)[0]).toBe(first);
		const later = compiled({ kind: "sequence", steps: [work("before"), step] });
		expect(later.states.before?.next).toEqual([first]);
	});

	it("without steps is only a terminal state", () => {
		expect(moves({ kind: "nothing" })).toEqual({ done: undefined });
	});

	it.each<[max: number | undefined, limits: object]>([
		[undefined, {}],
		[2, {}],
		[3, { moves: 40, pair_moves: 4 }],
		[2.5, { moves: 40, pair_moves: 4 }],
		[50, { moves: 200, pair_moves: 51 }],
		[5000, { moves: 4000, pair_moves: 1001 }],
	])("with a loop of at most %s rounds has the limits %o, also in a branch", (max, limits) => {
		const loop: Step = { kind: "loop", name: "again", body: work("a"), first: "body", question: "?", max };
		expect(compiled(loop).limits).toEqual(limits);
		const parallel: Step = { kind: "parallel", name: "both", branches: [["one", loop]], max: undefined };
		const [both] = Object.values(compiled(parallel).states);
		const run = { states: expect.any(Object), name: "one" };
		expect(both?.branches).toEqual({ one: { run: Object.keys(limits).length > 0 ? { ...run, limits } : run } });
		expect(compiled(parallel).limits).toEqual({});
	});

	it.each<[max: number | undefined, parallel: number | undefined]>([
		[undefined, undefined],
		[0, 1],
		[2.4, 2],
		[500, 100],
	])("with at most %s branches at a time: %s", (max, parallel) => {
		const branches = [["a", work("a")]] as const;
		const [state] = Object.values(compiled({ kind: "parallel", name: "p", branches, max }).states);
		expect(state?.max_parallel).toBe(parallel);
	});

	it("with a gate asks before the state that follows, or in a state of its own", () => {
		const gate: Step = { kind: "gate", name: "sure", message: "Sure?" };
		const { states, notes } = compiled({ kind: "sequence", steps: [gate, work("a", { description: "D" })] });
		expect(states.a).toMatchObject({ requires_approval: "entry", description: "Sure?\n\nD" });
		expect([Object.keys(states), notes.length]).toEqual([["a", "done"], 1]);
		expect(compiled(gate).states).toMatchObject({ sure: { requires_approval: true, instructions: "Sure?" } });
		const twice = compiled({ kind: "sequence", steps: [gate, { ...gate, name: "really" }, work("a")] });
		expect(twice.states).toMatchObject({ sure: { next: ["a"] }, a: { requires_approval: "entry" } });
	});
});
