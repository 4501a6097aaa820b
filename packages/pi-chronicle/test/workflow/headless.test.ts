// Workflows in print and JSON mode: pi runs until the workflow ends or stops, and its exit code says which.

import { describe, expect, it } from "vitest";
import { deepDescribe, deepIt, sampled } from "../harness/deep-it.ts";
import { readSession } from "../harness/index.ts";
import { openStage, type State, step } from "./stage.ts";

describe("pi -p runs a workflow to its end", () => {
	it("with reminders, and prints the model's answer", async () => {
		// Nobody sees a countdown: one would last longer than this test may.
		const stage = await openStage({ w: ["a", "b"] }, { countdown: 60 });
		stage.play("I am done with a", step("next"), "hm", step("next"), "The work is finished.");
		const { code, stdout, stderr } = await stage.print("/workflow w do it");
		expect(stage.server.requests.length).toBe(5);
		expect(stdout).toMatch(/Workflow "Workflow w" is DONE\.[\s\S]*The work is finished\.\n$/);
		expect([code, stderr]).toEqual([0, ""]);
	});

	it("or to a pause after reminders without effect, with the exit code of a waiting run", async () => {
		const stage = await openStage({ w: ["a"] });
		const { code, stdout } = await stage.print("/workflow w do it");
		expect(stage.server.requests.length).toBe(4);
		expect([code, stdout]).toEqual([3, expect.stringMatching(/paused: 3 reminders in a row had no effect/)]);
	});

	deepIt("or to a cancel by the model", async () => {
		const stage = await openStage({ w: ["a"] });
		stage.play(step("cancel"), step("cancel"), "given up");
		const { code, stdout } = await stage.print("/workflow w do it");
		expect([code, stdout]).toEqual([1, expect.stringMatching(/cancelled in phase/)]);
	});
});

describe("a refused start exits with 2:", () => {
	it.each(
		sampled([
			["no task", "/workflow w", /Add the task: \/workflow w <task>/],
			["blanks for a task", "/workflow w   ", /Add the task: /],
			["an unknown name", "/workflow nope do it", /There is no workflow "nope"/],
			["a verb that is misspelt", "/workflow pase", /There is no workflow "pase"\. Did you mean `pause`\?/],
			["a definition that does not load", "/workflow bad do it", /The workflow "bad" does not load/],
			["one that only runs inside others", "/workflow inner do it", /only runs inside others/],
			["a check that finds errors", "/workflow check", /did not load/],
			["nothing to show", "/workflow show", /Name a workflow/],
			["nothing to show by this name", "/workflow show nope", /There is no workflow "nope"/],
			["nothing to pause", "/workflow pause", /No workflow is active/],
			["nothing to resume", "/workflow resume", /No workflow is active/],
			["nothing to end", "/workflow next", /No workflow is active/],
			["nothing to skip", "/workflow skip", /No workflow is active/],
			["nothing to go back in", "/workflow back", /No workflow is active/],
			["nothing to reload", "/workflow reload", /No workflow is active/],
			["a verb after a task", "/workflow w do it --status", /--status is not an option of a task/],
			["an argument after a verb", "/workflow status now", /\/workflow status takes no arguments, but got "now"/],
			["an argument after /cancel-workflow", "/cancel-workflow it", /takes no arguments, but got "it"/],
		]),
	)("%s", async (_what, command, said) => {
		const stage = await openStage(
			{ w: ["a"], inner: { phases: ["a"], show: "workflows" } },
			{ files: { ".pi/workflows/bad/workflow.yaml": "name: Bad\n" } },
		);
		const { code, stdout, stderr } = await stage.print(command);
		expect([code, stdout + stderr]).toEqual([2, expect.stringMatching(said)]);
		expect(stage.server.requests).toEqual([]);
	});
});

deepDescribe("a phase that the user ends", () => {
	const workflows = { w: ["a", { id: "confirm", advance: "person" }, "publish"] };

	it("stops pi -p, whatever the model tries, and continues with /workflow next", async () => {
		const stage = await openStage(workflows);
		const session = stage.project.path("s.jsonl");
		const last = () => readSession(session).custom<State>("workflow:state").at(-1);
		stage.play(step("next"), step("next"), step("cancel"), step("cancel"), "It is ready.");
		const waits = await stage.print("/workflow w do it", { session });
		expect([waits.code, waits.stdout]).toEqual([
			3,
			expect.stringMatching(/it waits for you in Workflow w > 🔹 CONFIRM \[2\/3\]: \/workflow next continues it/),
		]);
		expect(stage.server.requests.length).toBe(5);
		expect(stage.server.requests[1]?.lastResult?.text).toContain("You cannot end this phase: the user does");
		expect(stage.server.requests[2]?.lastResult?.text).toContain(
			"Only the user ends the phase CONFIRM, with /workflow next",
		);
		expect(stage.server.requests[3]?.lastResult?.text).toContain("only the user can cancel the workflow now");
		expect(last()).toMatchObject({ active: true, globalStepCount: 1 });

		const status = await stage.print("/workflow status", { session });
		expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("/workflow next")]);
		stage.play(step("next"), "published");
		const done = await stage.print("/workflow next", { session });
		expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/DONE/)]);
		expect(last()).toMatchObject({ active: false, cancelled: false, left: { way: "next" } });
	});
});
