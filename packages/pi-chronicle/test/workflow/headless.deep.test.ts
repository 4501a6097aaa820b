// Workflows in pi -p: provider errors, waits, later messages, phases that the user ends. Real pi.
import { describe, expect, it } from "vitest";
import { fail, readSession, runPrint, SessionDraft } from "../harness/index.ts";
import { referenceState } from "./reference-state.ts";
import { openRpcStage, openStage, type State, step } from "./stage.ts";

describe("pi -p runs a workflow to its end", () => {
	it("also in JSON mode, whose output stays records", async () => {
		const stage = await openStage({ w: ["a"] }, { countdown: 3 });
		stage.play("not yet", step("next"), "finished");
		const { code, stderr, records } = await stage.print("/workflow w do it", { mode: "json" });
		expect(code).toBe(0);
		expect(stderr).toContain("is DONE");
		expect(records.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
	});

	it("or to a pause: after a provider error, without a retry", async () => {
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
	])("or to a pause: %s", async (_what, settings, requests) => {
		const stage = await openStage({ w: ["a"] }, { settings });
		stage.play(fail(500, "broken"), fail(500, "broken"), fail(500, "broken"));
		const { code, stdout } = await stage.print("/workflow w do it");
		expect([code, stdout]).toEqual([3, expect.stringMatching(/paused after an error/)]);
		expect(stage.server.requests.length).toBe(requests);
	});

	it("or to a wait, if a phase is for the user", async () => {
		const stage = await openStage({ w: { phases: ["a"], autoContinue: false } });
		stage.play("What do you want?");
		const { code, stdout, stderr } = await stage.print("/workflow w do it");
		expect([code, stdout + stderr]).toEqual([
			3,
			expect.stringMatching(/not finished; it waits for you in Workflow w > 🔹 A/),
		]);
		expect(stage.server.requests.length).toBe(1);
	});

	it("or to a wait, after which the next message ends it", async () => {
		const stage = await openStage({ w: { phases: ["a", "b"], autoContinue: false } });
		stage.play("What do you want?", step("next"), step("next"), "finished");
		const { code, stdout, stderr } = await runPrint(stage.project, ["/workflow w do it", "this one"]);
		expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/it waits for you[\s\S]*DONE[\s\S]*finished/)]);
	});

	it("but refuses an unknown or a second workflow at once", async () => {
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

	it("also from an ordinary message to a session with a workflow", async () => {
		const stage = await openStage({ w: ["a", "b"] });
		const draft = new SessionDraft(stage.project);
		draft.user("earlier");
		draft.assistant("yes");
		draft.custom("workflow:state", referenceState());
		stage.play("hm", step("next"), "finished");
		const { code, stdout } = await stage.print("go on", { session: draft.write() });
		expect(stage.server.requests[0]?.users.join("\n")).toContain("Do b for from before");
		expect([code, stdout]).toEqual([0, expect.stringMatching(/DONE[\s\S]*finished\n$/)]);
	});
});

describe("a phase that the user ends", () => {
	const workflows = { w: ["a", { id: "confirm", advance: "person" }, "publish"] };

	it("may be restarted by the model if its workflow allows it, and shows that it waits", async () => {
		const { pi, play } = await openRpcStage(workflows);
		play(step("next"), "Shall I?");
		await pi.prompt("/workflow w it");
		await pi.settled();
		expect(pi.screen.statuses.get("chronicle-workflow")).toBe(
			"Workflow w > 🔹 CONFIRM [2/3] (waits for /workflow next)",
		);
		expect(pi.screen.text).toContain("You end this phase: /workflow next");
		play(step("loop"), step("next"), "Now?");
		await pi.run("do it again");
		expect(pi.screen.text.split("You end this phase")).toHaveLength(3);
		play("published", step("next"), "end");
		await pi.prompt("/workflow next");
		await pi.settled();
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false });
	});

	it("ends the workflow if it is the last one", async () => {
		const { pi, play } = await openRpcStage({ w: [{ id: "confirm", advance: "person" }] });
		play("Shall I?");
		await pi.prompt("/workflow w it");
		await pi.settled();
		await pi.prompt("/workflow next");
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false, cancelled: false });
	});
});
