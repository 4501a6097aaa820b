// A decision of the model applies only to the visit in which it was made: any move before it arrives voids it. Real pi.
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, calls, gate, type ModelRequest, type Rpc } from "../harness/index.ts";
import { openRpcStage, openStage, pathOf, type Stage, type State, step, stepCall } from "./stage.ts";

const refused = /decided in an earlier visit; read the phase first/;

describe("a decision that arrives after a move", () => {
	let stage: Stage & { pi: Rpc };
	let pi: Rpc;
	beforeAll(async () => {
		stage = await openRpcStage({ w: ["a", "b", "c", "d"] });
		({ pi } = stage);
	});
	afterEach(async () => {
		await pi.prompt("/cancel-workflow");
		await pi.idle(20_000, 40);
	});
	const lastState = async () => (await pi.customEntries<State>("workflow:state")).at(-1);
	const results = () => pi.toolResults().filter(({ tool }) => tool === "workflow_step");

	/** Lets the model write `action` in phase b, and the user enter `commands` while it writes. */
	async function meanwhile(action: "next" | "loop" | "cancel", ...commands: string[]): Promise<void> {
		const held = gate();
		const before = stage.server.requests.length;
		const late = call("workflow_step", { action }, { after: held.opened });
		stage.play(step("next"), late, "I read it first");
		await pi.prompt("/workflow w it");
		await stage.server.waitForRequest(before + 2);
		for (const command of commands) await pi.prompt(command);
		held.open();
	}

	it.each([
		["next", "/workflow skip", "w:2"],
		["next", "/workflow next", "w:2"],
		["next", "/workflow back", "w:0"],
		["loop", "/workflow skip", "w:2"],
		["cancel", "/workflow skip", "w:2"],
	] as const)("%s, written before %s, changes nothing", async (action, command, path) => {
		const from = results().length;
		await meanwhile(action, command);
		await pi.settled();
		expect(pathOf(await lastState())).toBe(path);
		expect(results().slice(from).at(-1)).toMatchObject({ error: true, text: expect.stringMatching(refused) });
	});

	it("is refused with the current phase, and the model can then continue", async () => {
		const from = results().length;
		const before = stage.server.requests.length;
		await meanwhile("next", "/workflow back");
		stage.play("I read it first", step("next"), "and stop", "and stop", "and stop", "and stop");
		await pi.settled();
		const said = results().slice(from);
		expect(said.map(({ error }) => error)).toEqual([false, true, false]);
		expect(said[1]?.text).toMatch(refused);
		expect(said[1]?.text).toContain("the phase A");
		const after = stage.server.requests[before + 2] as ModelRequest;
		expect(after.users.at(-1)).toContain("Do a for it.");
		expect(pathOf(await lastState())).toBe("w:1");
	});

	it("does not end the workflow if it was made in the phase before the last", async () => {
		await meanwhile("next", "/workflow skip", "/workflow skip");
		await pi.settled();
		expect(await lastState()).toMatchObject({ active: true });
		expect(pathOf(await lastState())).toBe("w:3");
	});

	it("has no effect if the run was paused, moved and resumed in between, and the model gets the current phase", async () => {
		const from = results().length;
		await meanwhile("next", "/workflow pause", "/workflow skip", "/workflow resume");
		stage.play("hm", step("next"), "stop", "stop", "stop", "stop");
		await pi.settled();
		expect(
			results()
				.slice(from)
				.map(({ error }) => error),
		).toEqual([false, true, false]);
		expect(pathOf(await lastState())).toBe("w:3");
	});

	it("has no effect after a reload until the model has read the new definition", async () => {
		const from = results().length;
		const held = gate();
		const before = stage.server.requests.length;
		stage.play(call("workflow_step", { action: "next" }, { after: held.opened }), "I read it first");
		await pi.prompt("/workflow w it");
		await stage.server.waitForRequest(before + 1);
		const text = stage.project.read(".pi/workflows/w/a.md");
		stage.project.write(".pi/workflows/w/a.md", text.replace("Do a for", "Do much more for"));
		await pi.prompt("/workflow reload");
		held.open();
		await pi.settled();
		stage.project.write(".pi/workflows/w/a.md", text);
		expect(results().slice(from)[0]).toMatchObject({ error: true, text: expect.stringMatching(refused) });
		expect(stage.server.requests[before + 1]?.users.at(-1)).toContain("Do much more for it.");
	});

	it("has no effect as the second of two steps in one message", async () => {
		const from = results().length;
		stage.play(calls([stepCall("next"), stepCall("next"), stepCall("cancel"), stepCall("loop")]), "stop");
		await pi.prompt("/workflow w it");
		await pi.settled();
		expect(
			results()
				.slice(from)
				.map(({ error }) => error),
		).toEqual([false, true, true, true]);
		expect(pathOf(await lastState())).toBe("w:1");
	});

	it("confirms a cancel only in the visit of the first request", async () => {
		const held = gate();
		const before = stage.server.requests.length;
		stage.play(step("cancel"), call("workflow_step", { action: "cancel" }, { after: held.opened }), "stop");
		await pi.prompt("/workflow w it");
		await stage.server.waitForRequest(before + 2);
		await pi.prompt("/workflow skip");
		held.open();
		await pi.settled();
		expect(await lastState()).toMatchObject({ active: true });
		expect(pathOf(await lastState())).toBe("w:1");
	});
});

deepIt(
	"a step after another tool call in the same message is void if the user moved the run during that call",
	async () => {
		const { pi, play, server } = await openRpcStage({ w: ["a", "b", "c"] });
		play(calls([["bash", { command: "while [ ! -e go ]; do sleep 0.05; done" }], stepCall("next")]), "hm");
		await pi.prompt("/workflow w it");
		await pi.waitFor("tool_execution_start");
		await pi.prompt("/workflow skip");
		await pi.send({ type: "bash", command: "touch go" });
		await pi.settled();
		expect(pi.toolResults()).toMatchObject([{ tool: "bash" }, { error: true, text: expect.stringMatching(refused) }]);
		expect(pathOf((await pi.customEntries<State>("workflow:state")).at(-1))).toBe("w:1");
		expect(server.requests[1]?.users.at(-1)).toContain("Do b for it.");
	},
);

deepIt("an answer to the question whether to cancel a run applies only to the phase in the question", async () => {
	const { pi, play, server } = await openRpcStage({ w: ["a", "b"], other: ["x"] });
	const held = gate();
	play(call("workflow_step", { action: "next" }, { after: held.opened }), "hm", "hm", "hm", "hm");
	await pi.prompt("/workflow w it");
	await server.waitForRequest(1);
	const asking = pi.prompt("/workflow other that");
	const dialog = await pi.screen.dialog("Abandon");
	held.open();
	await pi.waitUntil("the move", () => pi.toolResults().length > 0);
	pi.screen.answer(dialog, true);
	await asking;
	await pi.idle();
	const state = (await pi.customEntries<State>("workflow:state")).at(-1);
	expect(state).toMatchObject({ active: true, workflowKey: "w" });
	expect(pi.screen.text).toMatch(/moved to the phase B meanwhile/);
});

deepIt("after a resume of the session the model continues without a second prompt, and its next counts", async () => {
	const stage = await openStage({ w: ["a", "b"] });
	stage.play("hm", "hm", "hm", "hm");
	const first = await stage.rpc({ session: stage.project.path("s.jsonl") });
	await first.prompt("/workflow w it");
	await first.settled();
	await first.close();
	stage.play(step("next"), "hm", "hm", "hm", "hm");
	const second = await stage.rpc({ session: stage.project.path("s.jsonl") });
	await second.prompt("/workflow resume");
	await second.settled();
	expect(second.toolResults()).toMatchObject([{ error: false }]);
});
