// Automatic continuation when the model stops before the end, in real pi: countdown, reminders, and their ends.
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { deepDescribe, deepIt } from "../harness/deep-it.ts";
import { call, fail, fixtureExtension, gate, type Rpc, say } from "../harness/index.ts";
import { within } from "../harness/patience.ts";
import { openRpcStage, openStage, type Stage, type State, step } from "./stage.ts";

const isReminder = (text: string) => text.includes("is not finished: its phase");

deepIt("the countdown shows 3, 2, 1, then sends one reminder, and redraws no more often", async () => {
	const { pi, play, server } = await openRpcStage({ w: ["a", "b"] }, { countdown: 3 });
	play("I stop", step("next"), step("next"), "done");
	await pi.prompt("/workflow w it");
	await pi.settled();
	const drawn = pi.screen.widgetHistory.filter(({ key }) => key === "chronicle-countdown");
	expect(drawn.map(({ lines }) => lines?.join("").match(/in (\d+) ?s/)?.[1])).toEqual(["3", "2", "1", undefined]);
	expect(server.requests.slice(0, 2).map(({ users }) => users.filter(isReminder).length)).toEqual([0, 1]);
	expect(pi.screen.widgets.size).toBe(0);
});

describe("the end of a countdown", () => {
	let stage: Stage & { pi: Rpc };
	let pi: Rpc;
	beforeAll(async () => {
		stage = await openRpcStage({ slow: ["a"] }, { countdown: 2 }, { extensions: [fixtureExtension("probe")] });
		({ pi } = stage);
	});
	afterEach(async () => {
		await pi.prompt("/cancel-workflow");
		await pi.idle(20_000, 40);
	});

	const counting = () => pi.waitUntil("the countdown", () => pi.screen.widgets.has("chronicle-countdown"));

	it("by a message, which is answered without a later reminder", async () => {
		const requests = stage.server.requests.length;
		stage.play("I stop", "I heard you", "and that");
		await pi.prompt("/workflow slow it");
		await counting();
		await pi.prompt("wait, one thing", { streamingBehavior: "steer" });
		await stage.server.waitForRequest((request) => request.lastUser === "wait, one thing");
		expect(pi.screen.widgets.size).toBe(0);
		await counting();
		// A client that considers the model idle does not ask for queueing.
		expect(await pi.prompt("and one more")).toBe("started");
		await stage.server.waitForRequest((request) => request.lastUser === "and one more");
		await counting();
		await pi.prompt("/cancel-workflow");
		await pi.settled();
		expect(
			stage.server.requests
				.slice(requests)
				.flatMap(({ users }) => users)
				.filter(isReminder),
		).toEqual([]);
		expect(pi.eventsOf("extension_error")).toEqual([]);
	});

	deepIt("by /handoff, which costs no turn of the model before it", async () => {
		const requests = stage.server.requests.length;
		stage.play("I stop", call("handoff", { context: "the brief" }), "the successor stops");
		await pi.prompt("/workflow slow it");
		await counting();
		const asked = pi.prompt("/handoff go on");
		await stage.server.waitForRequest(({ users }) => users.join().includes("You are the successor"));
		await counting();
		await pi.prompt("/cancel-workflow");
		await asked;
		const made = stage.server.requests.slice(requests);
		expect(made).toHaveLength(3);
		expect(made.flatMap(({ users }) => users).filter(isReminder)).toEqual([]);
	});

	deepIt("by /cancel-workflow ends the workflow too; nothing follows", async () => {
		const requests = stage.server.requests.length;
		stage.play("I stop");
		await pi.prompt("/workflow slow it");
		await counting();
		await pi.prompt("/cancel-workflow");
		await pi.settled();
		expect([pi.screen.widgets.size, pi.screen.statuses.get("chronicle-workflow")]).toEqual([0, undefined]);
		await new Promise((done) => setTimeout(done, 2_300));
		expect(stage.server.requests.length - requests).toBe(1);
	});

	deepIt("by a new session removes timer and widget", async () => {
		const requests = stage.server.requests.length;
		stage.play("I stop");
		await pi.prompt("/workflow slow it");
		await counting();
		await pi.send({ type: "new_session" });
		expect([pi.screen.widgets.size, pi.screen.statuses.get("chronicle-workflow")]).toEqual([0, undefined]);
		await new Promise((done) => setTimeout(done, 2_300));
		expect(stage.server.requests.length - requests).toBe(1);
		expect((await pi.probe()).activeTools).not.toContain("workflow_step");
		expect(pi.eventsOf("extension_error")).toEqual([]);
	});
	deepIt("by a fork is immediate", async () => {
		const requests = stage.server.requests.length;
		stage.play("I stop");
		await pi.prompt("/workflow slow it");
		await counting();
		const first = (await pi.entries()).find(
			({ message }) => (message as { role?: string } | undefined)?.role === "user",
		);
		const at = performance.now();
		await pi.send({ type: "fork", entryId: String(first?.id) });
		expect(performance.now() - at).toBeLessThan(within(1_500));
		expect(pi.screen.widgets.size).toBe(0);
		await new Promise((done) => setTimeout(done, 2_300));
		expect(stage.server.requests.length - requests).toBe(1);
		expect(pi.eventsOf("extension_error")).toEqual([]);
	});
});

describe("without a countdown", () => {
	let stage: Stage & { pi: Rpc };
	let pi: Rpc;
	beforeAll(async () => {
		stage = await openRpcStage(
			{
				w: ["a", "b"],
				asks: { phases: [{ id: "a", autoContinue: false }, "b"] },
				own: { phases: ["a"], notDoneReminder: "GO ON with {phaseName}: {phaseInstructions}" },
			},
			{ settings: { retry: { enabled: true, maxRetries: 2, baseDelayMs: 20 } } },
		);
		({ pi } = stage);
	});
	afterEach(async () => {
		await pi.prompt("/cancel-workflow");
		await pi.idle(20_000, 40);
	});
	const lastState = async () => (await pi.customEntries<State>("workflow:state")).at(-1);
	const start = async (line: string) => {
		const requests = stage.server.requests.length;
		await pi.prompt(line);
		await pi.settled();
		return stage.server.requests.slice(requests);
	};

	it("three reminders in a row without effect pause the workflow until the user resumes it", async () => {
		stage.play("no", "no", "no", "no");
		const requests = await start("/workflow w it");
		expect(requests).toHaveLength(4);
		expect(await lastState()).toMatchObject({ active: true, paused: { by: "reminders" } });
		expect(pi.screen.statuses.get("chronicle-workflow")).toMatch(/\(paused\)$/);
		expect(pi.screen.text).toMatch(/⏸ The workflow is paused: 3 reminders[^\n]*\/workflow resume/);
	});

	it("a tool call between reminders resets their count", async () => {
		stage.play("no", "no", call("bash", { command: "true" }), "no", "no", "no", step("next"), step("next"), "end");
		const requests = await start("/workflow w it");
		expect(requests).toHaveLength(9);
		expect(await lastState()).toMatchObject({ active: false, cancelled: false });
	});

	it("a provider error pauses without a reminder", async () => {
		stage.play(fail(401, "bad key"));
		const requests = await start("/workflow w it");
		expect(requests).toHaveLength(1);
		expect(await lastState()).toMatchObject({ paused: { by: "error", why: expect.stringContaining("bad key") } });
	});

	it("an error that pi retries does not pause", async () => {
		stage.play(fail(503, "overloaded"), step("next"), step("next"), "end");
		const requests = await start("/workflow w it");
		expect(requests).toHaveLength(4);
		expect(await lastState()).toMatchObject({ active: false });
	});

	it("Esc pauses; nothing continues by itself, and the user's next message resumes", async () => {
		const held = gate();
		stage.play(say("at work", { after: held.opened }));
		await pi.prompt("/workflow w it");
		await stage.server.waitForRequest(
			(request) => request.number === stage.server.requests.length && request.users.at(-1)?.includes("▶ 1.") === true,
		);
		await pi.send({ type: "abort" });
		held.open();
		await pi.settled();
		expect(await lastState()).toMatchObject({ active: true, paused: { by: "interrupt" } });
		expect(pi.screen.text).toContain("⏸ The workflow is paused. Your next message resumes it");
		const requests = stage.server.requests.length;
		stage.play("I do that", step("next"), step("next"), "end");
		await pi.run("do this instead");
		expect(stage.server.requests[requests]?.lastUser).toBe("do this instead");
		expect(pi.screen.text.split("The workflow continues with your message.")).toHaveLength(2);
		expect(await lastState()).toMatchObject({ active: false, cancelled: false });
	});

	it.each([
		["by command", "/workflow pause"],
		["by an error", undefined],
	])("a pause %s ends with the user's message", async (_how, command) => {
		const held = gate();
		const requests = stage.server.requests.length;
		stage.play(command ? say("at work", { after: held.opened }) : fail(401, "bad key"));
		await pi.prompt("/workflow w it");
		await stage.server.waitForRequest(requests + 1);
		if (command) await pi.prompt(command);
		held.open();
		await pi.settled();
		expect(await lastState()).toMatchObject({ active: true, paused: {} });
		stage.play(step("next"), step("next"), "end");
		await pi.run("do this instead");
		expect(await lastState()).toMatchObject({ active: false, cancelled: false });
	});

	it("autoContinue: false waits for the user, and continues with the next phase", async () => {
		stage.play("What do you want?");
		expect(await start("/workflow asks it")).toHaveLength(1);
		expect(await lastState()).not.toHaveProperty("paused");
		stage.play(step("next"), "hm", step("next"), "end");
		await pi.run("this one");
		expect(await lastState()).toMatchObject({ active: false });
		expect(stage.left).toBe(0);
	});

	it("a workflow's own reminder has its instructions filled in", async () => {
		stage.play("no", step("next"), "end");
		const requests = await start("/workflow own it");
		expect(requests[1]?.lastUser).toBe(
			"[Automatic reminder from pi-chronicle, not from the user] GO ON with A: Do a for it.",
		);
	});

	it("queued messages come first, without a reminder", async () => {
		const held = gate();
		stage.play(say("first", { after: held.opened }), "second", step("next"), step("next"), "end");
		const before = stage.server.requests.length;
		await pi.prompt("/workflow w it");
		await stage.server.waitForRequest(before + 1);
		await pi.send({ type: "follow_up", message: "and then this" });
		held.open();
		await pi.settled();
		const [, second, third] = stage.server.requests.slice(before);
		expect([second?.lastUser, isReminder(third?.lastUser ?? "")]).toEqual(["and then this", true]);
	});

	it("the user's queued messages survive the end of the workflow", async () => {
		const held = gate();
		stage.play(say("at work", { after: held.opened }));
		const requests = stage.server.requests.length;
		await pi.prompt("/workflow w it");
		await stage.server.waitForRequest(requests + 1);
		await pi.send({ type: "follow_up", message: "and then this" });
		await pi.prompt("/cancel-workflow");
		held.open();
		await pi.settled();
		expect(stage.server.last().users).toContain("and then this");
		expect(await lastState()).toMatchObject({ active: false, cancelled: true });
	});

	it("a pause while the model works takes effect after its turn", async () => {
		const held = gate();
		stage.play(say("at work", { after: held.opened }));
		const requests = stage.server.requests.length;
		await pi.prompt("/workflow w it");
		await stage.server.waitForRequest(requests + 1);
		await pi.prompt("/workflow pause");
		held.open();
		await pi.settled();
		expect(stage.server.requests.length).toBe(requests + 1);
		expect(await lastState()).toMatchObject({ paused: { by: "person" } });
	});
});

deepDescribe("settings and other extensions", () => {
	it("the number of reminders and the countdown can be set; invalid values are ignored", async () => {
		const stage = await openStage({ w: ["a"] });
		const settings = { chronicle: { workflow: { countdown: 0, reminders: 1 } } };
		stage.project.write(".pi/settings.json", settings);
		const one = await stage.print("/workflow w it");
		expect([one.code, stage.server.requests.length]).toEqual([3, 2]);
		stage.project.write(".pi/settings.json", { chronicle: { workflow: { countdown: 0, reminders: "many" } } });
		await stage.print("/workflow w it");
		expect(stage.server.requests.length).toBe(2 + 4);
	});
});
