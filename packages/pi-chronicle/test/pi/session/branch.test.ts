import fc from "fast-check";
import { describe, expect, it } from "vitest";
// pi's own session manager alone: its whole package takes seconds to load.
import { SessionManager } from "../../../../../node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js";
import { customEntries, newestFirst } from "../../../src/pi/session/branch.ts";

describe("entries of a branch", () => {
	it("are those from the leaf to the root, in any tree", () => {
		// Each number appends an entry after the leaf, after it was moved to an earlier entry or not.
		const growth = fc.array(fc.tuple(fc.option(fc.nat(), { freq: 2 }), fc.constantFrom("a", "b", "c")), {
			maxLength: 60,
		});
		fc.assert(
			fc.property(growth, (steps) => {
				const session = SessionManager.inMemory();
				const ids: string[] = [];
				for (const [jump, type] of steps) {
					const target = jump === null ? undefined : ids[jump % Math.max(1, ids.length)];
					if (target !== undefined) session.branch(target);
					ids.push(session.appendCustomEntry(type, ids.length));
				}
				const branch = session.getBranch().reverse();
				expect([...newestFirst(session)]).toEqual(branch);
				expect([...customEntries(session, ["a", "b"])]).toEqual(
					branch.filter((entry) => entry.type === "custom" && entry.customType !== "c"),
				);
			}),
		);
	});

	it("are found in a long session, far back, and after the leaf has moved", () => {
		const session = SessionManager.inMemory();
		const first = session.appendCustomEntry("wanted", 1);
		for (let count = 0; count < 3_000; count++) session.appendCustomEntry("other", count);
		const middle = session.getLeafId() ?? "";
		for (let count = 0; count < 3_000; count++) session.appendCustomEntry("other", count);
		const found = () => [...customEntries(session, ["wanted"])].map(({ data }) => data);
		expect(found()).toEqual([1]);
		expect([...customEntries(session, ["missing"])]).toEqual([]);
		session.appendCustomEntry("wanted", 2);
		expect(found()).toEqual([2, 1]);
		session.branch(middle);
		expect(found()).toEqual([1]);
		session.appendCustomEntry("wanted", 3);
		expect(found()).toEqual([3, 1]);
		session.branch(first);
		expect(found()).toEqual([1]);
	});

	it("end if a damaged session has a parent cycle", () => {
		const session = SessionManager.inMemory();
		const ids = [1, 2, 3, 4, 5, 6, 7].map((count) => session.appendCustomEntry("x", count));
		const first = session.getEntry(ids[1] ?? "");
		if (first) (first as { parentId: string | null }).parentId = ids[5] ?? null;
		let steps = 0;
		for (const _ of newestFirst(session)) if (++steps > 100) break;
		expect(steps).toBeLessThan(100);
	});
});
