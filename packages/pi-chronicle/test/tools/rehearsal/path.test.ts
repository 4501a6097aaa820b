// The path through a chronicle: legal steps, within limits, through every reachable state.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Graph } from "../../../src/tools/rehearsal/every/paths.ts";
import { nextOnPath, planPath } from "../../../src/tools/rehearsal/path.ts";

function graphOf(next: Record<string, string[]>, limits: { moves?: number; between?: number } = {}): Graph {
	return {
		initial: Object.keys(next)[0] ?? "",
		next: new Map(Object.entries(next)),
		person: "human_intervention",
		personChooses: true,
		mayRepeat: () => false,
		maxMoves: limits.moves ?? 40,
		maxMovesBetween: () => limits.between ?? 3,
	};
}

describe("planPath", () => {
	it.each<[string, Record<string, string[]>, string[]]>([
		["one state", { a: [] }, ["a"]],
		["a straight line", { a: ["b"], b: ["c"], c: [] }, ["a", "b", "c"]],
		["an end that is named first", { a: ["end", "b"], b: ["a", "end"], end: [] }, ["a", "b", "end"]],
		[
			"a loop off the shortest path",
			{ build: ["review"], review: ["done", "fix"], fix: ["review"], done: [] },
			["build", "review", "fix", "review", "done"],
		],
		["no end at all", { a: ["b"], b: ["a"] }, ["a", "b"]],
		["a state that leads to itself", { a: ["a", "b"], b: [] }, ["a", "b"]],
		["a target that is defined nowhere", { a: ["gone"] }, ["a", "gone"]],
	])("%s", (_, next, path) => {
		expect(planPath(graphOf(next))).toEqual(path);
	});

	it("leaves out a state that the limits do not allow, and still ends", () => {
		const next = { hub: ["one", "two", "end"], one: ["hub"], two: ["hub"], end: [] };
		expect(planPath(graphOf(next))).toEqual(["hub", "one", "hub", "two", "hub", "end"]);
		expect(planPath(graphOf(next, { moves: 3 }))).toEqual(["hub", "one", "hub", "end"]);
		expect(planPath(graphOf(next, { between: 1 }))).toEqual(["hub", "end"]);
	});

	it("takes legal steps within the limits and ends wherever an end can be reached, for any graph", () => {
		const names = ["a", "b", "c", "d", "e", "f"];
		const graph = fc.tuple(...names.map(() => fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 })));
		fc.assert(
			fc.property(graph, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 20 }), (targets, between, moves) => {
				const next = Object.fromEntries(names.map((name, index) => [name, targets[index] ?? []]));
				const path = planPath(graphOf(next, { between, moves }));
				expect(path[0]).toBe("a");
				const pairs = new Map<string, number>();
				for (let at = 1; at < path.length; at++) {
					const [from = "", to = ""] = [path[at - 1], path[at]];
					expect(next[from]).toContain(to);
					if ((next[to] ?? []).length === 0) continue;
					expect(at).toBeLessThanOrEqual(moves);
					const pair = [from, to].sort().join();
					pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
					expect(pairs.get(pair)).toBeLessThanOrEqual(between);
				}
				const generous = planPath(graphOf(next, { between: 100, moves: 1000 }));
				const reachable = reachableFrom(next, "a");
				const endReachable = [...reachable].some((name) => next[name]?.length === 0);
				if (endReachable) expect(next[generous.at(-1) ?? ""]).toEqual([]);
			}),
		);
	});
});

function reachableFrom(next: Record<string, string[]>, start: string): Set<string> {
	const seen = new Set([start]);
	for (const name of seen) for (const target of next[name] ?? []) seen.add(target);
	return seen;
}

it("nextOnPath counts the visits of a state", () => {
	const path = ["a", "b", "a", "c"];
	expect(nextOnPath(path, "a", 1)).toBe("b");
	expect(nextOnPath(path, "a", 2)).toBe("c");
	expect(nextOnPath(path, "a", 3)).toBeUndefined();
	expect(nextOnPath(path, "c", 1)).toBeUndefined();
});
