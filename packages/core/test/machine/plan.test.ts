// The plan of a state: defined in the template, named only as a target, or unknown.
import { describe, expect, it } from "vitest";
import { judgeMove, type LedgerEvent, legalTargets, planOf } from "../../src/machine/index.ts";
import { approvedCleanup } from "../../src/machine/plan/plan.ts";
import { definition, open, resume } from "./test-run.ts";

const template = definition({
	a: { persona: "A", next: ["end"], cleanup: ["x"], polling: true, requires_approval: true, limits: { calls: 3 } },
});

describe("the plan of a state", () => {
	it("comes from the template if the state is defined or named as a target", () => {
		const { run } = open(template);
		expect(planOf(run)).toMatchObject({ name: "a", terminal: false, implicit: false, polling: true, next: ["end"] });
		expect(planOf(run, "end")).toMatchObject({ name: "end", terminal: true, implicit: true });
	});

	it("of an unknown state ends the run, and asks, launches, repeats and cleans up nothing", () => {
		const { run } = open(template);
		expect(planOf(run, "elsewhere")).toEqual({
			name: "elsewhere",
			next: [],
			terminal: true,
			implicit: true,
			approval: { entry: false, exit: false },
			shell: "judged",
			skills: [],
			extensions: [],
			limits: {},
			wallMs: 60 * 60_000,
			idleMs: 15 * 60_000,
			cleanup: [],
			polling: false,
		});
	});

	it("has the cleanup commands that the user approved, and none if others were approved", () => {
		const [created] = open(template).events;
		if (created?.kind !== "created") throw new Error("no created event");
		const { cleanupApproval: _, ...unapproved } = created;
		const commandsOf = (first: LedgerEvent) => approvedCleanup(resume([first]).run, "a").map(({ command }) => command);
		expect(commandsOf(created)).toEqual(["x"]);
		expect(commandsOf(unapproved)).toEqual([]);
		expect(commandsOf({ ...created, cleanupApproval: "of other commands" })).toEqual([]);
	});

	it("of human_intervention never ends the run and has no moves without the user", () => {
		const { run } = open(template);
		expect(planOf(run, "human_intervention")).toMatchObject({ name: "human_intervention", terminal: false, next: [] });
		const waiting = { ...run, state: "human_intervention" };
		expect(legalTargets(waiting)).toEqual([]);
		expect(judgeMove(waiting, "a").kind).toBe("illegal");
	});
});
