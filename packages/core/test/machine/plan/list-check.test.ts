// Lists that a model makes for children: what is wrong with one is said while its state can still correct it.
import { describe, expect, it } from "vitest";
import { explainLists } from "../../../src/machine/index.ts";
import { addOutput, updateSnapshot } from "../../../src/snapshot/index.ts";
import { branches } from "../child-steps.ts";
import { definition, open, rest, start, type TestRun } from "../test-run.ts";

/** A run whose worker in `plan` is about to hand over; `build`, the state after `next`, does something for each entry of `source`. */
function planning(source: string, next: "build" | "look" = "build", more: object = {}): TestRun {
	return start(
		open(
			definition({
				plan: { persona: "P", next: [next], output: { type: "object" } },
				look: { persona: "P", next: ["build"] },
				build: { run: { states: branches("x") }, for_each: source, task: "Do {item.what}", next: ["done"], ...more },
			}),
		),
	);
}

const entry = (id: unknown, needs: unknown = [], what = "it") => ({ id, needs, what });
const told = (parts: unknown, next: "build" | "look" = "build") =>
	explainLists(planning("output.plan.parts", next).run, next, { parts });

describe("the list that a worker hands over", () => {
	it.each<[string, unknown, string[]]>([
		["nothing wrong", [entry("a"), entry("b", ["a"])], []],
		["numbers as ids", [entry(1), entry(2, [1]), entry(3, ["2"])], []],
		["one id that is no list", [entry("a"), entry("b", "a")], []],
		["no order", [{ what: "it" }, { what: "it", needs: "a database" }], []],
		["null as needs", [entry("a", null), entry("b", ["a"])], []],
		[
			"an unknown id",
			[entry("model"), entry("api", ["modle"])],
			['In "output.plan.parts", entry 2 ("api") needs `modle`, which does not exist (did you mean `model`?).'],
		],
		[
			"ids where entries have none",
			[{ what: "it" }, { what: "it", needs: ["a"] }],
			['In "output.plan.parts", entry 2 needs `a`, which does not exist.'],
		],
		["itself", [entry("a", ["a"])], ['In "output.plan.parts", `a` needs itself.']],
		[
			"a circle of three",
			[entry("z"), entry("a", ["c"]), entry("b", ["a"]), entry("c", ["b", "z"])],
			['In "output.plan.parts", `a` needs `c`, `c` needs `b`, `b` needs `a`: none of them can begin.'],
		],
		[
			"an id twice",
			[entry("a"), entry("b", ["a"]), entry("a")],
			['In "output.plan.parts", entry 1 ("a") and entry 3 ("a") have the same id, `a`.'],
		],
		[
			"an id twice where nothing is needed",
			[entry("a"), entry("a")],
			['In "output.plan.parts", entry 1 ("a") and entry 2 ("a") have the same id, `a`.'],
		],
		[
			"needs of another type",
			[entry("a"), entry("b", { a: 1 })],
			['Entry 2 of "output.plan.parts" has `needs` that are no list of ids.'],
		],
		[
			"ids of another type",
			[entry("a"), entry("b", ["a", {}])],
			['Entry 2 of "output.plan.parts" has `needs` that are no list of ids.'],
		],
		[
			"101 entries",
			Array.from({ length: 101 }, (_, n) => entry(n)),
			["`for_each` has 101 entries, and a state can have at most 100 children."],
		],
		["an entry without its text", [{ id: "a" }], [expect.stringContaining("no text for `{item.what}`") as never]],
		["no list", "x", [expect.stringContaining("is not a list") as never]],
	])("is checked for %s", (_, parts, expected) => {
		expect(told(parts)).toEqual(expected);
	});

	it("is checked when it is made, also if another state comes before the children", () => {
		expect(told([entry("a", ["b"])], "look")).toHaveLength(1);
		expect(told([entry("a")], "look")).toEqual([]);
	});

	it("is not checked when the state escalates or repeats", () => {
		const { run } = planning("output.plan.parts");
		for (const target of ["human_intervention", "plan"]) expect(explainLists(run, target, undefined)).toEqual([]);
	});

	it("may be the run's pending tasks or a saved list", () => {
		const saved = (source: string, data: object) => {
			const { run } = planning(source);
			const at = { visit: 1, state: "plan" };
			const snapshot = addOutput(updateSnapshot(run.snapshot, data, at), { ...at, data: {} });
			return explainLists({ ...run, snapshot }, "build", {});
		};
		const task = (key: string, needs: string[]) => ({ text: "t", key, fields: { what: "it", needs } });
		expect(saved("pendingTasks", { pendingTasks: [task("a", []), task("b", ["a"])] })).toEqual([]);
		expect(saved("pendingTasks", { pendingTasks: [task("a", ["b"]), task("b", ["a"])] })).toEqual([
			'In "pendingTasks", `a` needs `b`, `b` needs `a`: none of them can begin.',
		]);
		const list = [{ text: "", key: "parts", fields: { all: [entry("a", ["x"])] } }];
		expect(saved("parts", { findings: list })).toHaveLength(1);
		expect(saved("other", { findings: list })).toEqual([expect.stringContaining("no worker has saved a list")]);
	});

	it("becomes children with that order", () => {
		const testRun = planning("output.plan.parts");
		const data = { parts: [entry("c", ["a", "b"]), entry("a"), entry("b", ["a"])] };
		rest(
			testRun.say({ kind: "move_requested", visit: 1, attempt: 1, target: "build", summary: "s", data } as never),
		).say({ kind: "files_measured", visit: 2, purpose: "baseline", tree: "t" });
		expect(testRun.run.children?.children.map(({ needs, begun }) => [needs, begun])).toEqual([
			[[2, 3], undefined],
			[[], true],
			[[2], undefined],
		]);
	});
});
