// What children spend: counted once in their parent, however often it is reported, and stopped at the parent's ceilings.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { childAt, end, letters, parentTemplate, park, plan, spent, total } from "../child-steps.ts";
import { spend, type TestRun } from "../test-run.ts";

const figures = ({ run }: TestRun) => {
	const { tokens, costUsd, activeMs, attempts, toolCalls } = run.totals;
	return { tokens, costUsd, activeMs, attempts, toolCalls };
};

describe("what children spend", () => {
	it("counts only the increase in each report", () => {
		const testRun = plan();
		const first = { spend: spend(5, 0.5), activeMs: 100, attempts: 1, toolCalls: 2 };
		spent(testRun, 1, first);
		expect(figures(testRun)).toEqual({ tokens: 5, costUsd: 0.5, activeMs: 100, attempts: 1, toolCalls: 2 });
		spent(testRun, 1, first);
		expect(figures(testRun)).toMatchObject({ tokens: 5, activeMs: 100, attempts: 1, toolCalls: 2 });
		spent(testRun, 1, { spend: spend(7, 0.75), activeMs: 150, attempts: 2, toolCalls: 3 });
		end(testRun, 2, "done", { total: { spend: spend(10), activeMs: 50, attempts: 1, toolCalls: 1 } });
		expect(figures(testRun)).toEqual({ tokens: 17, costUsd: 0.75, activeMs: 200, attempts: 3, toolCalls: 4 });
		expect(testRun.run.states.a).toMatchObject({ tokens: 17, activeMs: 200, attempts: 3 });
		expect(testRun.run.visitRecord).toMatchObject({ tokens: 17, toolCalls: 4 });
	});

	it("counts refused calls like other figures, also after a report of an earlier version without them", () => {
		const testRun = plan();
		spent(testRun, 1, total(1, { toolCalls: 3, refused: 2 }));
		spent(testRun, 1, total(2, { toolCalls: 4, refused: 3 }));
		spent(testRun, 2, total(1, { toolCalls: 1 }));
		expect(testRun.run.totals).toMatchObject({ toolCalls: 5, refused: 3 });
		expect(childAt(testRun, 1).counted).toMatchObject({ refused: 3 });
	});

	it("is reported with the state that the child is in, which stays until another is reported", () => {
		const testRun = plan();
		const { state } = childAt(testRun, 1);
		const states = [undefined, "build", undefined, "review"].map((reported) => {
			spent(testRun, 1, total(1), reported === undefined ? {} : { state: reported });
			return childAt(testRun, 1).state;
		});
		expect(states).toEqual([state, "build", "build", "review"]);
	});

	it("never decreases, even if a report is lower than an earlier one", () => {
		const testRun = plan();
		const reports = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.nat(50)), { maxLength: 12 });
		fc.assert(
			fc.property(reports, (all) => {
				let before = testRun.run.totals;
				for (const [number, tokens] of all) {
					spent(testRun, number, total(tokens, { activeMs: tokens, attempts: tokens, toolCalls: tokens }));
					for (const key of ["tokens", "activeMs", "attempts", "toolCalls"] as const)
						expect(testRun.run.totals[key]).toBeGreaterThanOrEqual(before[key]);
					before = testRun.run.totals;
				}
			}),
		);
	});

	it("pauses all children at a ceiling of the run, of the state, or of time; once it is raised, they continue", () => {
		for (const more of [{ limits: { tokens: 100 } }, { limits: { minutes: 1 } }]) {
			const testRun = plan(parentTemplate({}, more));
			spent(testRun, 2, total(99, { activeMs: 59_000 }));
			expect(testRun.run.children?.stopping).toBeNull();
			spent(testRun, 2, total(100, { activeMs: 60_000 }));
			expect(testRun.run).toMatchObject({ hold: { status: "budget_exceeded", cause: "budget" } });
			expect(testRun.actions.map(({ key }) => key)).toEqual(
				testRun.run.children?.children.map(({ id }) => `stop:${id}:pause`),
			);
			for (const number of [1, 2, 3]) park(testRun, number);
			expect([testRun.run.status, letters(testRun)]).toEqual(["budget_exceeded", "ppp"]);
			const { stage } = testRun.run;
			const resume = { kind: "resumed", answers: stage.kind === "waiting" ? stage.since : 0 } as const;
			expect(testRun.say(resume).refusal).toBe("limit");
			testRun.say({ kind: "limits_changed", limits: { tokens: 1e6, activeMs: 1e9 } }).say(resume);
			expect([testRun.run.status, letters(testRun)]).toEqual(["running", "..."]);
		}
	});

	it("gives its reason to the children that it stops", () => {
		const testRun = spent(plan(parentTemplate({}, { limits: { tokens: 100 } })), 1, total(100));
		const details = testRun.actions.flatMap((action) => (action.kind === "stop_child" ? [action.detail] : []));
		expect(new Set(details)).toEqual(new Set(["The limit on tokens is reached: 100 tokens of 100 tokens."]));
		const aborted = plan().say({ kind: "abort_requested" });
		expect(aborted.actions[0]).toMatchObject({ how: "abort", detail: "The parent run stopped." });
	});

	it("warns before a ceiling, once", () => {
		const testRun = plan(parentTemplate({}, { limits: { tokens: 100 } }));
		spent(testRun, 1, total(85));
		spent(testRun, 2, total(5));
		expect(testRun.run.notices).toHaveLength(1);
	});

	it("does not delay a child that is being stopped or joined", () => {
		const testRun = plan(parentTemplate({}, { limits: { tokens: 100 } })).say({ kind: "abort_requested" });
		spent(testRun, 1, total(500));
		expect(testRun.run).toMatchObject({ hold: null, children: { stopping: { how: "abort" } } });
		expect(childAt(testRun, 1).counted.spend.tokens).toBe(500);
	});
});
