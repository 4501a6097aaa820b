// The way through a chronicle: every step legal, every limit kept, everything reachable seen.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextOnRoute, planRoute, type Terrain } from "../../src/rehearsal/route.ts";

function terrain(next: Record<string, string[]>, limits: { moves?: number; between?: number } = {}): Terrain {
	return {
		initial: Object.keys(next)[0] ?? "",
		next: new Map(Object.entries(next)),
		mostMoves: limits.moves ?? 40,
		mostBetween: () => limits.between ?? 3,
	};
}

describe("planRoute", () => {
	it.each<[string, Record<string, string[]>, string[]]>([
		["one state", { a: [] }, ["a"]],
		["a straight line", { a: ["b"], b: ["c"], c: [] }, ["a", "b", "c"]],
		["an end that is named first", { a: ["end", "b"], b: ["a", "end"], end: [] }, ["a", "b", "end"]],
		[
			"a loop beside the way",
			{ build: ["review"], review: ["done", "fix"], fix: ["review"], done: [] },
			["build", "review", "fix", "review", "done"],
		],
		["no end at all", { a: ["b"], b: ["a"] }, ["a", "b"]],
		["a state that leads to itself", { a: ["a", "b"], b: [] }, ["a", "b"]],
		["a target that is defined nowhere", { a: ["gone"] }, ["a", "gone"]],
	])("%s", (_, next, route) => {
		expect(planRoute(terrain(next))).toEqual(route);
	});

	it("leaves a state out that the limits keep it from, and still ends", () => {
		const next = { hub: ["one", "two", "end"], one: ["hub"], two: ["hub"], end: [] };
		expect(planRoute(terrain(next))).toEqual(["hub", "one", "hub", "two", "hub", "end"]);
		expect(planRoute(terrain(next, { moves: 3 }))).toEqual(["hub", "one", "hub", "end"]);
		expect(planRoute(terrain(next, { between: 1 }))).toEqual(["hub", "end"]);
	});

	it("takes legal steps within the limits and ends wherever an end can be reached, for any graph", () => {
		const names = ["a", "b", "c", "d", "e", "f"];
		const graph = fc.tuple(...names.map(() => fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 })));
		fc.assert(
			fc.property(graph, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 20 }), (targets, between, moves) => {
				const next = Object.fromEntries(names.map((name, index) => [name, targets[index] ?? []]));
				const route = planRoute(terrain(next, { between, moves }));
				expect(route[0]).toBe("a");
				const pairs = new Map<string, number>();
				for (let at = 1; at < route.length; at++) {
					const [from = "", to = ""] = [route[at - 1], route[at]];
					expect(next[from]).toContain(to);
					if ((next[to] ?? []).length === 0) continue;
					expect(at).toBeLessThanOrEqual(moves);
					const pair = [from, to].sort().join();
					pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
					expect(pairs.get(pair)).toBeLessThanOrEqual(between);
				}
				const generous = planRoute(terrain(next, { between: 100, moves: 1000 }));
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

it("nextOnRoute counts the visits of a state", () => {
	const route = ["a", "b", "a", "c"];
	expect(nextOnRoute(route, "a", 1)).toBe("b");
	expect(nextOnRoute(route, "a", 2)).toBe("c");
	expect(nextOnRoute(route, "a", 3)).toBeUndefined();
	expect(nextOnRoute(route, "c", 1)).toBeUndefined();
});
