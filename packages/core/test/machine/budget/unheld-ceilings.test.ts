// Ceilings that a model uses without being counted: the run says it once, as soon as it is known, in itself and in its parents.
import { describe, expect, it } from "vitest";
import { reached, unheldCeilings } from "../../../src/machine/budget/budget.ts";
import { addSpend, type EventBody, NO_SPEND, type Spend } from "../../../src/machine/index.ts";
import { parentTemplate, plan, spent, total } from "../child-steps.ts";
import { definition, go, here, open, resume, start, type TestRun } from "../test-run.ts";

const unreported: Spend = { ...NO_SPEND, unreportedAnswers: 1 };
const unpriced: Spend = { ...NO_SPEND, tokens: 10, unmeteredTokens: 10 };
const both = { tokens: 500, cost_usd: 2 };

const template = (limits: object, state: object = {}) =>
	definition({ a: { persona: "A", next: ["b"], ...state }, b: { persona: "B", next: ["a", "done"] } }, { limits });
const use = (testRun: TestRun, spend: Spend, requests = 1) =>
	testRun.say({ kind: "used", ...here(testRun), spend, requests } as EventBody);
const names = ({ run }: TestRun) => unheldCeilings(run).map(({ name }) => name);

describe("ceilings that a model uses uncounted", () => {
	it.each<[what: string, limits: object, state: object, spend: Spend, unheld: string[]]>([
		["no usage, both ceilings", both, {}, unreported, ["cost", "tokens"]],
		["no usage, a ceiling of 0 on cost", { cost_usd: 0 }, {}, unreported, ["cost", "tokens"]],
		["no usage, the defaults", {}, {}, unreported, ["cost", "tokens"]],
		["no price, the defaults", {}, {}, unpriced, []],
		["no usage, ceilings of the state", {}, { limits: { tokens: 50 } }, unreported, ["cost", "tokens", "tokens of a"]],
		["no price, both ceilings", both, {}, unpriced, ["cost"]],
		["no price, a ceiling on tokens", { tokens: 500 }, {}, unpriced, []],
		["no price, a ceiling of 0 on cost, which allows it", { cost_usd: 0 }, {}, unpriced, []],
		["no price, a ceiling on time", { minutes: 5 }, {}, unpriced, []],
		["everything counted", both, {}, { ...NO_SPEND, tokens: 10, costUsd: 0.1 }, []],
	])("%s", (_what, limits, state, spend, unheld) => {
		const testRun = use(start(open(template(limits, state))), spend);
		expect(names(testRun)).toEqual(unheld);
		const notices = testRun.run.notices.filter((notice) => notice.includes("cannot stop it"));
		expect(notices).toHaveLength(unheld.length === 0 ? 0 : 1);
		for (const name of unheld) expect(notices[0]).toContain(name);
		// Said once.
		use(testRun, addSpend(spend, spend));
		expect(testRun.run.notices.length).toBeLessThanOrEqual(1);
	});

	it("of another state hold", () => {
		const testRun = use(start(open(template({}, { limits: { tokens: 50 } }))), unreported);
		expect(names(go(testRun, "b"))).toEqual(["cost", "tokens"]);
	});

	it("requests bind, and a new ceiling is named with the next answer", () => {
		const testRun = start(open(template({ requests: 3 })));
		use(testRun, unreported);
		testRun.say({ kind: "limits_changed", state: "a", limits: { tokens: 100 } });
		use(testRun, { ...NO_SPEND, unreportedAnswers: 2 });
		expect(testRun.run.notices.at(-1)).toMatch(/reports no usage.*tokens of a/);
		expect(reached(testRun.run)).toBeUndefined();
		use(testRun, { ...NO_SPEND, unreportedAnswers: 3 });
		expect(testRun.run.hold?.cause).toBe("visit_limit");
		expect(resume(testRun.events).run.totals.unreportedAnswers).toBe(3);
	});

	it("are named in the parent of the child that uses them", () => {
		const testRun = plan(parentTemplate({}, { limits: both }));
		spent(testRun, 1, { ...total(0), spend: unreported });
		expect(names(testRun)).toEqual(["cost", "tokens"]);
		expect(testRun.run.notices.at(-1)).toMatch(/^A model of this run reports no usage/);
	});
});
