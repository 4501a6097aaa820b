// The changed files of a run and of its child as one list.
import { describe, expect, it } from "vitest";
import { type FileChange, joinChanges } from "../../src/snapshot/index.ts";

type Counts = readonly [added?: number, removed?: number];
const file = (change: FileChange["change"], visit: number, [added, removed]: Counts = [], from?: string) => ({
	...{ path: "a", change, visit },
	...(from === undefined ? {} : { from }),
	...(added === undefined ? {} : { added, removed: removed ?? 0 }),
});

describe("what a run changed and then its child", () => {
	it.each([
		["nothing, then a change", undefined, file("M", 1, [2, 1]), file("M", 1, [2, 1])],
		["a change twice: the lines are unknown", file("M", 3, [5, 4]), file("M", 1, [2, 1]), file("M", 1)],
		["an addition, then a change: the lines of the file", file("A", 3, [10]), file("M", 3, [4, 1]), file("A", 3, [13])],
		["an addition, then a removal: no change", file("A", 3, [10]), file("D", 1, [0, 10]), undefined],
		["a change, then a removal", file("M", 3, [5, 4]), file("D", 1, [0, 9]), file("D", 1)],
		["a rename, then a change", file("R", 3, [], "old"), file("M", 1, [1, 1]), file("R", 1, [], "old")],
	])("%s", (_, outer, own, joined) => {
		expect(joinChanges(outer ? [outer] : [], [own])).toEqual(joined ? [joined] : []);
	});

	it("keeps the files of both, last changed last, whatever their visits are called", () => {
		const named = (path: string, visit: number) => ({ ...file("M", visit), path });
		const joined = joinChanges([named("x", 7), named("y", 8)], [named("z", 1), named("x", 2)]);
		expect(joined.map(({ path }) => path)).toEqual(["y", "z", "x"]);
	});

	it("follows a renamed file to its new name", () => {
		const moved = { ...file("R", 1, [], "a"), path: "b" };
		expect(joinChanges([file("A", 2, [3])], [moved])).toEqual([{ path: "b", change: "A", visit: 1 }]);
	});
});
