// A state that is repeated with children in one visit: new children start from the current files.
import { describe, expect, it } from "vitest";
import { inheritedBy, type LedgerEvent } from "../../../src/machine/index.ts";
import { applyJoin, branches, childAt, end, join, letters, parentTemplate, park, plan, total } from "../child-steps.ts";
import { go, newTree, open, refold, rest, since, start, type TestRun } from "../test-run.ts";

/** Ends all children, joins their files, and leaves the state with these files. */
function finish(testRun: TestRun, files = newTree(), summary = "did it"): TestRun {
	for (const { index } of testRun.run.children?.children ?? [])
		end(testRun, index, "done", { total: total(5), handover: { summary, data: {} } });
	return rest(applyJoin(join(testRun)), files);
}

const ids = ({ run }: TestRun) => (run.children?.children ?? []).map(({ id }) => id);

/** Ways in which children do a state again. */
const again: Readonly<Record<string, { readonly fields: object; readonly next: (testRun: TestRun) => TestRun }>> = {
	"its own next state": { fields: { next: ["a", "b"] }, next: (testRun) => testRun },
	"a rejection": {
		fields: { requires_approval: true },
		next: (testRun) => testRun.say({ kind: "rejected", answers: since(testRun), words: "not like this" }),
	},
	"a later visit": {
		fields: { next: ["b"] },
		next: (testRun) => go(start(testRun), "a"),
	},
};

describe("children of a repeated state", () => {
	it.each(Object.keys(again))("are new and start from the current files, after %s", (name) => {
		const { fields, next } = again[name] ?? { fields: {}, next: (testRun: TestRun) => testRun };
		const limits = { pair_moves: 10 };
		const testRun = plan(parentTemplate({ branches: branches("x", "y"), ...fields }, { limits }));
		const seen = new Set(ids(testRun));
		expect(testRun.run.children?.base).toBe(testRun.run.baseline?.tree);
		for (let round = 2; round <= 3; round += 1) {
			const files = newTree();
			next(finish(testRun, name === "a later visit" ? undefined : files, `round ${"x".repeat(round)}`));
			expect(letters(testRun)).toBe("..");
			if (name !== "a later visit") expect(testRun.run.children?.base).toBe(files);
			for (const id of ids(testRun)) seen.add(id);
			expect(seen.size).toBe(2 * round);
			expect(testRun.run.childCount).toBe(2 * round);
			expect(testRun.run.totals.tokens).toBe(10 * (round - 1));
			expect(refold(testRun.events)).toEqual(testRun.run);
		}
	});

	it("are not those that resolve conflicts", () => {
		const testRun = plan(parentTemplate({ branches: branches("x", "y"), next: ["a"], merge_by: "M" }));
		const seen: string[] = [];
		for (let round = 1; round <= 2; round += 1) {
			join(end(end(testRun, 1), 2), [{ path: "f", kind: "content", ours: "x", theirs: "y" }]);
			seen.push(...ids(testRun));
			rest(applyJoin(join(end(testRun, 3))));
		}
		seen.push(...ids(testRun));
		expect([seen.length, new Set(seen).size]).toEqual([8, 8]);
	});

	it("escalate after rounds without changes, as a worker does", () => {
		const testRun = plan(parentTemplate({ branches: branches("x"), next: ["a"] }));
		const files = newTree();
		for (let round = 0; round < 3; round += 1) finish(testRun, files);
		expect(testRun.run).toMatchObject({ state: "human_intervention", history: [{ cause: "no_progress" }] });
	});

	it("may repeat if the state polls, but not without a child", () => {
		const polling = { next: ["a"], polling: true };
		const working = plan(parentTemplate({ branches: branches("x"), ...polling }));
		const files = newTree();
		for (let round = 0; round < 6; round += 1) finish(working, files);
		expect(letters(working)).toBe(".");

		const idle = plan(
			parentTemplate({ run: { states: { w: { persona: "W" } } }, for_each: "pendingTasks", ...polling }),
		);
		for (let round = 0; round < 3; round += 1) rest(idle, files);
		expect(idle.run).toMatchObject({ state: "human_intervention", history: [{ cause: "no_progress" }] });
	});

	it("read why the last result was rejected; the worker of the next state does not", () => {
		const testRun = plan(parentTemplate({ branches: branches("x", "y"), requires_approval: true }));
		finish(testRun);
		testRun.say({ kind: "rejected", answers: since(testRun), words: "Use the old names." });
		for (const number of [1, 2]) {
			const { decisions } = inheritedBy(testRun.run, childAt(testRun, number));
			expect(decisions).toMatchObject([{ did: "rejected", words: "Use the old names." }]);
		}
		expect(testRun.run.outbox).toEqual([]);
		expect(refold(testRun.events)).toEqual(testRun.run);
		// Earlier versions left the message to the next worker.
		const older = testRun.events.map(({ told: _, ...event }: LedgerEvent & { told?: unknown }) => event as LedgerEvent);
		expect(refold(older).outbox).toMatchObject([{ text: "Use the old names." }]);
	});

	it("keep the ids that an earlier version gave them", () => {
		const testRun = plan(parentTemplate({ branches: branches("x", "y"), next: ["a"] }));
		const known = ids(testRun);
		known.push(...ids(finish(testRun)));
		expect(new Set(known).size).toBe(4);
		// Both rounds had the same.
		const written = known.reduce(
			(text, id, index) => text.replaceAll(id, `old-${index % 2}`),
			JSON.stringify(testRun.events),
		);
		const before = refold(JSON.parse(written));
		expect(before.children?.children.map(({ id, status }) => `${id} ${status}`)).toEqual([
			"old-0 pending",
			"old-1 pending",
		]);
		expect(before.totals).toEqual(testRun.run.totals);
	});
});

describe("a dropped child", () => {
	const pause = { kind: "pause_requested", cause: "person", detail: "lunch" } as const;

	it("does not resume a run that the user paused", () => {
		const testRun = plan(parentTemplate({ branches: branches("x", "y") })).say(pause);
		park(park(testRun, 1), 2);
		testRun.say({ kind: "child_dropped", child: childAt(testRun, 1).id });
		expect(letters(testRun)).toBe("-p");
		expect(testRun.run).toMatchObject({ status: "paused", stage: { kind: "waiting" }, hold: { detail: "lunch" } });
		testRun.say({ kind: "resumed", answers: since(testRun) });
		expect(letters(testRun)).toBe("-.");
	});

	it("resumes a run that waits only for its children", () => {
		const testRun = plan(parentTemplate({ branches: branches("x", "y") }));
		end(end(testRun, 1), 2, "failed");
		testRun.say({ kind: "child_dropped", child: childAt(testRun, 2).id });
		expect(testRun.due("merge_files").results).toHaveLength(1);
	});
});

describe("a run without children", () => {
	it("measures a worker's changes from the start of the visit, also after a rejection", () => {
		const template = parentTemplate({ run: undefined, branches: undefined, persona: "A", requires_approval: true });
		const testRun = start(open(template));
		const { baseline } = testRun.run;
		go(testRun, "b");
		testRun.say({ kind: "rejected", answers: since(testRun), words: "no" });
		expect(testRun.run.baseline).toEqual(baseline);
	});
});
