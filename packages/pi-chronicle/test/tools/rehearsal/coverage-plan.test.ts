// The plan of a coverage rehearsal: every reachable edge on a path, every path legal for the machine, every limit reached or excluded with a reason.

import { judgeMove, type Run, startRun } from "@pi-chronicle/core/machine";
import { compileDefinition, type Template } from "@pi-chronicle/core/template";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphOf } from "../../../src/tools/rehearsal/every/chronicle-plan.ts";
import { planChronicleCoverage, planWorkflowCoverage, withChildren } from "../../../src/tools/rehearsal/every/index.ts";
import { coverEdges, edgesOf, type Graph } from "../../../src/tools/rehearsal/every/paths.ts";

const person = "human_intervention";

function compile(definition: Record<string, unknown>): Template {
	const template = compileDefinition(definition, "any");
	if (!template) throw new Error("The template does not compile.");
	return template;
}

const names = ["a", "b", "c", "d"];
/** A run of a definition before its first move. */
function begin(definition: Record<string, unknown>): Run {
	const at = "2026-01-01T00:00:00.000Z";
	const template = { name: "any", hash: "", definition };
	const run = startRun({ kind: "created", seq: 1, at, schemaVersion: 1, id: "any", template, task: "any" });
	if (!run) throw new Error("The template does not compile.");
	return run;
}

const definitions = fc
	.record({
		targets: fc.tuple(...names.map(() => fc.uniqueArray(fc.constantFrom(...names, "end"), { maxLength: 3 }))),
		released: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
		moves: fc.integer({ min: 1, max: 6 }),
		pairMoves: fc.integer({ min: 1, max: 2 }),
		attempts: fc.integer({ min: 1, max: 3 }),
	})
	.map(({ targets, released, moves, pairMoves, attempts }) => ({
		states: {
			...Object.fromEntries(names.map((name, at) => [name, { persona: name, next: targets[at] }])),
			...(released.length > 0 ? { [person]: { next: released } } : {}),
		},
		limits: { moves, pair_moves: pairMoves, attempts },
	}));

/** The machine's judgment of a move after the moves of `path`; a user's release counts as the machine counts it. */
function follow(run: Run, path: readonly string[]): Run | string {
	let at = run;
	for (const to of path.slice(1)) {
		const from = at.state;
		if (from === person) {
			at = { ...at, state: to };
			continue;
		}
		const judged = judgeMove(at, to);
		if (judged.kind === "repeat") continue;
		if (judged.kind !== "move") return judged.kind === "escalate" ? judged.cause : judged.kind;
		const counted = to !== person;
		const pair = [from, to].sort().join(" <-> ");
		at = {
			...at,
			state: to,
			pairMoves: counted ? { ...at.pairMoves, [pair]: (at.pairMoves[pair] ?? 0) + 1 } : at.pairMoves,
			moves: { ...at.moves, counted: at.moves.counted + (counted ? 1 : 0) },
		};
	}
	return at;
}

/** Every edge that the machine grants on some path, by trying all paths. */
function grantedEdges(run: Run, graph: Graph): Set<string> {
	const granted = new Set<string>();
	const seen = new Set<string>();
	const open: Run[] = [run];
	for (let at = open.pop(); at; at = open.pop()) {
		for (const to of graph.next.get(at.state) ?? []) {
			if (to === at.state) {
				if (graph.mayRepeat(to)) granted.add(`${to}>${to}`);
				continue;
			}
			const after = follow(at, [at.state, to]);
			if (typeof after === "string") continue;
			granted.add(`${at.state}>${to}`);
			const key = JSON.stringify([after.state, Object.entries(after.pairMoves).sort(), after.moves.counted]);
			if (seen.has(key)) continue;
			seen.add(key);
			open.push(after);
		}
	}
	return granted;
}

describe("paths over edges", () => {
	it("take every edge that the machine can grant, by legal moves only, for any template", () => {
		fc.assert(
			fc.property(definitions, (definition) => {
				const graph = graphOf(compile(definition));
				const run = begin(definition);
				const { paths, unreachable } = coverEdges(graph);
				const taken = new Set<string>();
				for (const path of paths) {
					expect(path[0]).toBe(graph.initial);
					expect(follow(run, path)).toBeTypeOf("object");
					for (let at = 1; at < path.length; at++) taken.add(`${path[at - 1]}>${path[at]}`);
				}
				const edges = edgesOf(graph).map(({ from, to }) => `${from}>${to}`);
				const lost = new Set(unreachable.map(({ edge: { from, to } }) => `${from}>${to}`));
				for (const edge of edges) expect(taken.has(edge), edge).toBe(!lost.has(edge));
				const granted = grantedEdges(run, graph);
				for (const edge of edges) expect(granted.has(edge), edge).toBe(!lost.has(edge));
			}),
		);
	});

	it("give the reason why an edge is unreachable", () => {
		const unreachable = (definition: Record<string, unknown>) =>
			planChronicleCoverage(compile(definition), () => undefined)
				.unreachable.filter(({ group }) => group === "transition")
				.map(({ text, why }) => `${text}: ${why}`);
		const p = { persona: "P" };
		expect(
			unreachable({ states: { a: { ...p, next: ["b", "end"] }, b: { ...p, next: ["a"] } }, limits: { pair_moves: 1 } }),
		).toEqual(["b → a: the limit between the two states is used up on the way"]);
		expect(
			unreachable({
				states: { a: { ...p, next: ["b"] }, b: { ...p, next: ["c"] }, c: { ...p, next: ["end"] } },
				limits: { moves: 1 },
			}),
		).toEqual([
			"b → c: the limit on moves comes first",
			"c → end: the limit on moves comes first",
			"c → human_intervention: the limit on moves comes first",
		]);
		expect(unreachable({ states: { a: { ...p, next: ["a", "end"] } }, limits: { attempts: 1 } })).toEqual([
			"a → a: the limit on attempts allows only one",
		]);
		expect(unreachable({ states: { a: { ...p, next: ["end"] }, alone: { ...p, next: ["end"] } } })).toEqual([
			"alone → end: no path leads to its state",
			"alone → human_intervention: no path leads to its state",
		]);
	});
});

describe("the plan", () => {
	it("has a run for every item that is neither excluded nor skipped", () => {
		fc.assert(
			fc.property(definitions, (definition) => {
				const template = compile(definition);
				const { items, runs: planned } = planChronicleCoverage(template, (state) =>
					state === "a" ? ["read"] : undefined,
				);
				const covers = new Set(planned.flatMap((run) => run.covers));
				expect(items.filter(({ id }) => !covers.has(id))).toEqual([]);
				expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
			}),
		);
	});
});

describe("the plan of a workflow with more phases than are planned", () => {
	const workflow = (count: number) => {
		const phase = { kind: "phase", advance: "agent", tools: { kind: "free" }, limits: {} };
		const entries = Array.from({ length: count }, (_, at) => ({ ...phase, id: `p${at + 1}`, name: `P${at + 1}` }));
		const long = { key: "long", name: "Long", commandName: "long", loopable: false, entries };
		return new Map([["long", long]]) as unknown as Parameters<typeof planWorkflowCoverage>[0];
	};

	it("reports the rest as not covered, starting with the first omitted phase", () => {
		const { items, skipped } = planWorkflowCoverage(workflow(501), "long");
		expect(skipped).toContainEqual(
			expect.objectContaining({ text: "everything from p501 on", why: "a rehearsal plans only the first 500 phases" }),
		);
		expect(items.map(({ text }) => text)).toContain("p500 → p501");
	});

	it("omits nothing of a workflow that just fits", () => {
		const { items, skipped } = planWorkflowCoverage(workflow(500), "long");
		expect(skipped.filter(({ id }) => id === "phases")).toEqual([]);
		expect(items.map(({ text }) => text)).toContain("p500 → end");
	});
});

describe("the runs of children", () => {
	const part = {
		states: { work: { persona: "W", next: ["test"] }, test: { persona: "T", next: ["done", "work"] }, done: {} },
		limits: { pair_moves: 2 },
	};
	const other = { states: { look: { persona: "L", next: ["done"] } } };
	const planOf = (more: object) => {
		const branches = { part: { run: part }, other: { run: other } };
		const parent = compile({ states: { both: { branches, next: ["ship"], ...more }, ship: { persona: "S" } } });
		const child = (key: string, definition: Record<string, unknown>) => ({
			...{ key, template: compile(definition), toolsOf: () => undefined, state: "both" },
		});
		const own = planChronicleCoverage(parent, () => undefined);
		return { own, plan: withChildren(own, parent, [child("part", part), child("other", other)]) };
	};

	it("take a first whole path each in the run of the parent, and every other path in a run of its own", () => {
		const { own, plan } = planOf({});
		const [first, ...rest] = plan.runs;
		expect(rest.slice(own.runs.length - 1).map(({ title }) => title)).toEqual(["part: work → test → work"]);
		expect(first?.title).toContain("; part: work → test → done; other: look → done");
		expect(Object.keys(first?.script ?? {})).toEqual(
			expect.arrayContaining(["part/work#1", "part/test#1", "other/look#1", "ship#1"]),
		);
		const covered = new Set(plan.runs.flatMap(({ covers }) => covers));
		expect(plan.items.filter(({ id }) => !covered.has(id))).toEqual([]);
	});

	it.each([{ join: "any" }, { take: "one" }])("have runs of their own where not all are awaited: %j", (more) => {
		const { own, plan } = planOf(more);
		expect(plan.runs.slice(0, own.runs.length)).toEqual(own.runs);
		expect(plan.runs).toHaveLength(own.runs.length + 3);
	});
});
