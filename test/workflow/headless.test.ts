// Workflows where nobody watches: print and JSON mode. pi stays until the workflow is at its end, or at a stop, and says which.
import { describe, expect, it } from "vitest";
import { fail, readSession, runPrint, SessionDraft } from "../harness/index.ts";
import { openStage, type State, step } from "./stage.ts";

describe("case 27: pi -p runs a workflow to its end", () => {
	it("DONE: reminders included, and the answer of the model comes out", async () => {
		// Nobody sees a countdown: one would last longer than this test may.
		const stage = await openStage({ w: ["a", "b"] }, { countdown: 60 });
		stage.play("I am done with a", step("next"), "hm", step("next"), "The work is finished.");
		const { code, stdout, stderr } = await stage.print("/workflow w do it");
		expect(stage.server.requests.length).toBe(5);
		expect(stdout).toMatch(/Workflow "Workflow w" is DONE\.[\s\S]*The work is finished\.\n$/);
		expect([code, stderr]).toEqual([0, ""]);
	});

	it("case 55: the same in JSON mode, whose output stays records", async () => {
		const stage = await openStage({ w: ["a"] }, { countdown: 3 });
		stage.play("not yet", step("next"), "finished");
		const { code, stderr, records } = await stage.print("/workflow w do it", { mode: "json" });
		expect(code).toBe(0);
		expect(stderr).toContain("is DONE");
		expect(records.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
	});

	it("paused: after reminders that changed nothing, with the exit code of a run that waits", async () => {
		const stage = await openStage({ w: ["a"] });
		const { code, stdout } = await stage.print("/workflow w do it");
		expect(stage.server.requests.length).toBe(4);
		expect([code, stdout]).toEqual([3, expect.stringMatching(/paused: 3 reminders in a row changed nothing/)]);
	});

	it("paused: after an error of the provider, which is not asked again", async () => {
		const stage = await openStage({ w: ["a"] }, { settings: { retry: { enabled: false } } });
		stage.play(fail(401, "bad key"));
		const { code, stdout } = await stage.print("/workflow w do it");
		expect(stage.server.requests.length).toBe(1);
		expect(stdout).toMatch(/paused after an error: .*bad key/);
		expect(code).not.toBe(0);
	});

	it("waiting: where a phase is for a person", async () => {
		const stage = await openStage({ w: { phases: ["a"], autoContinue: false } });
		stage.play("What do you want?");
		const { code, stdout, stderr } = await stage.print("/workflow w do it");
		expect([code, stdout + stderr]).toEqual([
			3,
			expect.stringMatching(/not finished; it waits for you in Workflow w > 🔹 A/),
		]);
		expect(stage.server.requests.length).toBe(1);
	});

	it("waiting, and then brought to its end by the next message", async () => {
		const stage = await openStage({ w: { phases: ["a", "b"], autoContinue: false } });
		stage.play("What do you want?", step("next"), step("next"), "finished");
		const { code, stdout, stderr } = await runPrint(stage.project, ["/workflow w do it", "this one"]);
		expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/it waits for you[\s\S]*DONE[\s\S]*finished/)]);
	});

	it("cancelled by the model", async () => {
		const stage = await openStage({ w: ["a"] });
		stage.play(step("cancel"), step("cancel"), "given up");
		const { code, stdout } = await stage.print("/workflow w do it");
		expect([code, stdout]).toEqual([1, expect.stringMatching(/cancelled in phase/)]);
	});

	it("field 44: an unknown workflow, or one more beside one that is on, is refused and not waited for", async () => {
		const stage = await openStage({ w: { phases: ["a"], autoContinue: false } });
		const unknown = await stage.print("/workflow run x");
		expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('There is no workflow "run"')]);
		await stage.print("/workflow w first", { session: stage.project.path("s.jsonl") });
		const second = await stage.print("/workflow w second", { session: stage.project.path("s.jsonl") });
		expect(second.code).not.toBe(0);
		expect(second.stderr).toContain("/cancel-workflow");
		const states = readSession(stage.project.path("s.jsonl")).custom<State>("workflow:state");
		expect(states.filter(({ active }) => !active)).toEqual([]);
	});

	it("case 55: an ordinary message to a session with a workflow in it goes on to the end", async () => {
		const stage = await openStage({ w: ["a", "b"] });
		const draft = new SessionDraft(stage.project);
		draft.user("earlier");
		draft.assistant("yes");
		draft.custom("workflow:state", {
			active: true,
			workflowKey: "w",
			currentPath: [{ workflowKey: "w", phaseIndex: 1 }],
			globalStepCount: 1,
			taskId: "wf-1747234567890-a3f9k2",
			taskDescription: "from before",
			startedAt: 1_747_234_567_890,
			completionNotified: false,
			cancelled: false,
		});
		stage.play("hm", step("next"), "finished");
		const { code, stdout } = await stage.print("go on", { session: draft.write() });
		expect(stage.server.requests[0]?.users.join("\n")).toContain("Do b for from before");
		expect([code, stdout]).toEqual([0, expect.stringMatching(/DONE[\s\S]*finished\n$/)]);
	});
});
