// Workflows where nobody watches: print and JSON mode. pi stays until the workflow is at its end, or at a stop, and says which.
import { describe, expect, it } from "vitest";
import { fail, readSession, runPrint, SessionDraft } from "../harness/index.ts";
import { openRpcStage, openStage, type State, step } from "./stage.ts";

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
		expect(code).toBe(3);
	});

	it.each([
		["an error of the provider that is not tried again", { retry: { enabled: false } }, 1],
		["one that is tried again in vain", { retry: { enabled: true, maxRetries: 1, baseDelayMs: 10 } }, 2],
	])("paused: %s", async (_what, settings, requests) => {
		const stage = await openStage({ w: ["a"] }, { settings });
		stage.play(fail(500, "broken"), fail(500, "broken"), fail(500, "broken"));
		const { code, stdout } = await stage.print("/workflow w do it");
		expect([code, stdout]).toEqual([3, expect.stringMatching(/paused after an error/)]);
		expect(stage.server.requests.length).toBe(requests);
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

describe("nothing was started: exit code 2", () => {
	it.each([
		["no task", "/workflow w", /Say what is to be done: \/workflow w <task>/],
		["blanks for a task", "/workflow w   ", /Say what is to be done/],
		["an unknown name", "/workflow nope do it", /There is no workflow "nope"/],
		["a verb that is misspelt", "/workflow pase", /There is no workflow "pase"\. Did you mean `pause`\?/],
		["a definition that does not load", "/workflow bad do it", /The workflow "bad" does not load/],
		["one that only runs inside others", "/workflow inner do it", /only runs inside others/],
		["a check that finds errors", "/workflow check", /did not load/],
		["nothing to show", "/workflow show", /Say which workflow/],
		["nothing to show by this name", "/workflow show nope", /There is no workflow "nope"/],
		["nothing to pause", "/workflow pause", /No workflow is active/],
		["nothing to resume", "/workflow resume", /No workflow is active/],
		["nothing to end", "/workflow next", /No workflow is active/],
		["nothing to skip", "/workflow skip", /No workflow is active/],
		["nothing to go back in", "/workflow back", /No workflow is active/],
		["nothing to read anew", "/workflow reload", /No workflow is active/],
		["a verb behind a task", "/workflow w do it --status", /--status behind a task is no part of it/],
		["a word behind a verb", "/workflow status now", /"now" is one word too many for \/workflow status/],
		["a word behind /cancel-workflow", "/cancel-workflow it", /"it" is one word too many/],
	])("%s", async (_what, command, said) => {
		const stage = await openStage(
			{ w: ["a"], inner: { phases: ["a"], show: "workflows" } },
			{ files: { ".pi/workflows/bad/workflow.yaml": "name: Bad\n" } },
		);
		const { code, stdout, stderr } = await stage.print(command);
		expect([code, stdout + stderr]).toEqual([2, expect.stringMatching(said)]);
		expect(stage.server.requests).toEqual([]);
	});
});

describe("a phase that a person ends", () => {
	const workflows = { w: ["a", { id: "confirm", advance: "person" }, "publish"] };

	it("stops pi -p, whatever the model tries, and goes on with /workflow next", async () => {
		const stage = await openStage(workflows);
		const session = stage.project.path("s.jsonl");
		const last = () => readSession(session).custom<State>("workflow:state").at(-1);
		stage.play(step("next"), step("next"), step("cancel"), step("cancel"), "It is ready.");
		const waits = await stage.print("/workflow w do it", { session });
		expect([waits.code, waits.stdout]).toEqual([
			3,
			expect.stringMatching(/it waits for you in Workflow w > 🔹 CONFIRM \[2\/3\]: \/workflow next goes on/),
		]);
		expect(stage.server.requests.length).toBe(5);
		expect(stage.server.requests[1]?.lastResult?.text).toContain("You cannot end this phase: the person does");
		expect(stage.server.requests[2]?.lastResult?.text).toContain(
			"Only the person ends the phase CONFIRM, with /workflow next",
		);
		expect(stage.server.requests[3]?.lastResult?.text).toContain("only the person cancels the workflow now");
		expect(last()).toMatchObject({ active: true, globalStepCount: 1 });

		const status = await stage.print("/workflow status", { session });
		expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("/workflow next")]);
		stage.play(step("next"), "published");
		const done = await stage.print("/workflow next", { session });
		expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/DONE/)]);
		expect(last()).toMatchObject({ active: false, cancelled: false, left: { way: "next" } });
	});

	it("may be started over by the model where its workflow allows it, and shows that it waits", async () => {
		const { pi, play } = await openRpcStage(workflows);
		play(step("next"), "Shall I?");
		await pi.prompt("/workflow w it");
		await pi.settled();
		expect(pi.screen.statuses.get("chronicle-workflow")).toBe(
			"Workflow w > 🔹 CONFIRM [2/3] (waits for /workflow next)",
		);
		expect(pi.screen.text).toContain("This phase ends when you say so: /workflow next");
		play(step("loop"), step("next"), "Now?");
		await pi.run("do it again");
		expect(pi.screen.text.split("This phase ends when you say so")).toHaveLength(3);
		play("published", step("next"), "end");
		await pi.prompt("/workflow next");
		await pi.settled();
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false });
	});

	it("as the last one ends the workflow by the person's word", async () => {
		const { pi, play } = await openRpcStage({ w: [{ id: "confirm", advance: "person" }] });
		play("Shall I?");
		await pi.prompt("/workflow w it");
		await pi.settled();
		await pi.prompt("/workflow next");
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false, cancelled: false });
	});
});
