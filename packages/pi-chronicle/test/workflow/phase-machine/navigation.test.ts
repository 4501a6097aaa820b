import { describe, expect, it } from "vitest";
import {
	currentPhase,
	firstPosition,
	type Position,
	previousPosition,
	type WorkflowRun,
} from "../../../src/workflow/phase-machine/index.ts";
import { begin, drafts, happen, type Told } from "../definition-builder.ts";

/** A run that the test navigates: every `next` and `loop` comes from a separate message. */
function walk(run: WorkflowRun) {
	let current = run;
	let messages = 0;
	const apply = (event: Told) => {
		const { run: after, actions } = happen(current, event);
		current = after;
		return actions;
	};
	return {
		get run() {
			return current;
		},
		next: () => apply({ kind: "next", at: 2000, message: `m${messages++}` }),
		loop: () => apply({ kind: "loop", at: 2000, message: `m${messages++}` }),
		apply,
		path: () => pathOf(current.position),
		phase: () => (current.kind === "live" ? currentPhase(current).id : undefined),
	};
}

const pathOf = (position: Position) => position.map(({ workflowKey, phaseIndex }) => `${workflowKey}:${phaseIndex}`);

describe("next", () => {
	it("goes through the phases one by one and ends after the last", () => {
		const at = walk(begin(drafts({ w: ["a", "b", "c"] }), "w"));
		at.next();
		expect([at.phase(), at.run.step]).toEqual(["b", 1]);
		at.next();
		expect([at.phase(), at.run.step]).toEqual(["c", 2]);
		expect(at.next()).toEqual([
			{ kind: "persist", left: { way: "next", summary: undefined } },
			{ kind: "ended", how: "done" },
		]);
		expect([at.run.status.kind, at.run.step]).toEqual(["done", 3]);
	});

	it("enters a referenced workflow in one step and returns after it", () => {
		const at = walk(begin(drafts({ p: ["a", "@s", "c"], s: ["s1", "s2"] }), "p"));
		at.next();
		expect(at.path()).toEqual(["p:1", "s:0"]);
		at.next();
		expect(at.phase()).toBe("s2");
		at.next();
		expect([at.path(), at.run.step]).toEqual([["p:2"], 3]);
	});

	it("goes from the end of one inner workflow straight into the next", () => {
		const at = walk(begin(drafts({ p: ["a", "@s", "@t", "c"], s: ["s1", "s2"], t: ["t1"] }), "p"));
		at.next();
		at.next();
		at.next();
		expect([at.path(), at.phase()]).toEqual([["p:2", "t:0"], "t1"]);
	});

	it("finishes all levels when the innermost workflow ends last", () => {
		for (const definitions of [
			drafts({ p: ["a", "@s"], s: ["s1"] }),
			drafts({ p: ["a", "@c"], c: ["@d"], d: ["d1"] }),
		]) {
			const at = walk(begin(definitions, "p"));
			at.next();
			at.next();
			expect(at.run.status).toEqual({ kind: "done" });
		}
	});

	it("handles a workflow that consists of one reference", () => {
		const at = walk(begin(drafts({ p: ["@s"], s: ["s1", "s2"] }), "p"));
		expect(at.path()).toEqual(["p:0", "s:0"]);
		at.next();
		at.next();
		expect(at.run.status.kind).toBe("done");
	});

	it("starts at the first phase through references of any depth, without counting a step", () => {
		const definitions = drafts({ p: ["@s", "z"], s: ["@t"], t: ["t1"] });
		const run = begin(definitions, "p");
		expect(pathOf(run.position)).toEqual(["p:0", "s:0", "t:0"]);
		expect([currentPhase(run).id, run.step]).toEqual(["t1", 0]);
	});

	it("walks a chain of ten thousand references without recursion", () => {
		const chain = Object.fromEntries(
			Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index === 9_999 ? ["end"] : [`@k${index + 1}`]]),
		);
		const run = begin(drafts(chain), "k0");
		expect([run.position.length, currentPhase(run).id]).toEqual([10_000, "end"]);
		expect(happen(run, { kind: "next", at: 1, message: "m" }).run.status.kind).toBe("done");
	});
});

describe("loop", () => {
	it("returns to the start of the innermost workflow and keeps the outer position", () => {
		const at = walk(begin(drafts({ p: ["a", "@s", "c"], s: ["s1", "s2"] }), "p"));
		at.next();
		at.next();
		at.loop();
		expect([at.path(), at.run.step]).toEqual([["p:1", "s:0"], 3]);
	});

	it("is refused if the innermost workflow forbids it, regardless of the outer one", () => {
		const inner = walk(begin(drafts({ p: ["@s"], s: { entries: ["s1", "s2"], loopable: false, name: "Inner" } }), "p"));
		inner.next();
		const before = inner.run;
		expect(inner.loop()).toEqual([{ kind: "refused", refusal: { kind: "not-loopable", scope: "Inner" } }]);
		expect(inner.run).toBe(before);

		const outer = walk(begin(drafts({ p: { entries: ["@s"], loopable: false }, s: ["s1", "s2"] }), "p"));
		outer.next();
		outer.loop();
		expect(outer.phase()).toBe("s1");
	});

	it("re-enters a scope that starts with a reference, and next continues inside it", () => {
		const at = walk(begin(drafts({ p: ["@s", "m"], s: ["s1", "s2"] }), "p"));
		at.next();
		at.next();
		expect(at.phase()).toBe("m");
		at.loop();
		expect([at.path(), at.phase()]).toEqual([["p:0", "s:0"], "s1"]);
		at.next();
		expect(at.phase()).toBe("s2");
	});

	it("is limited by maxLoops for each visit of the scope, and next still works", () => {
		const definitions = drafts({ p: ["@s", "@s"], s: { entries: ["s1"], maxLoops: 2, name: "Inner" } });
		const at = walk(begin(definitions, "p"));
		at.loop();
		at.loop();
		expect(at.loop()).toEqual([{ kind: "refused", refusal: { kind: "loops-used-up", scope: "Inner", max: 2 } }]);
		at.next();
		expect(at.loop().map(({ kind }) => kind)).toEqual(["persist", "moved"]);
	});
});

describe("moves by the user", () => {
	it("back returns to the previous phase, into the end of an inner workflow too", () => {
		const at = walk(begin(drafts({ p: ["a", "@s", "c"], s: ["s1", "s2"] }), "p"));
		for (let steps = 0; steps < 3; steps++) at.next();
		at.apply({ kind: "back", at: 3000 });
		expect(at.path()).toEqual(["p:1", "s:1"]);
		at.apply({ kind: "back", at: 3000, to: "A" });
		expect(at.path()).toEqual(["p:0"]);
		expect(at.apply({ kind: "back", at: 3000 })).toEqual([{ kind: "refused", refusal: { kind: "at-start" } }]);
	});

	it("back to a name without an earlier phase is refused", () => {
		const at = walk(begin(drafts({ w: ["a", "b", "c"] }), "w"));
		at.next();
		expect(at.apply({ kind: "back", at: 3000, to: "c" })).toEqual([
			{ kind: "refused", refusal: { kind: "no-earlier-phase", name: "c", names: ["a"] } },
		]);
	});

	it("skip advances without the model, and the history shows it", () => {
		const at = walk(begin(drafts({ w: ["a", "b"] }), "w"));
		expect(at.apply({ kind: "skip", at: 3000 })[0]).toEqual({
			kind: "persist",
			left: { way: "skip", summary: undefined },
		});
		at.apply({ kind: "skip", at: 3000 });
		expect(at.run.status.kind).toBe("done");
	});

	it("previous undoes next everywhere in a nested workflow", () => {
		const definitions = drafts({ p: ["@s", "m", "@t"], s: ["s1", "@t", "s2"], t: ["t1", "t2"] });
		const seen: Position[] = [firstPosition(definitions, "p")];
		const at = walk(begin(definitions, "p"));
		while (at.next().some(({ kind }) => kind === "moved")) seen.push(at.run.position);
		expect(seen.length).toBe(7);
		for (let index = seen.length - 1; index > 0; index--)
			expect(previousPosition(definitions, seen[index] ?? [])).toEqual(seen[index - 1]);
	});
});
