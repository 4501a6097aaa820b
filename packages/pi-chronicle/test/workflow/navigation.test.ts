// Navigation through workflows in real pi: one pi for all tests, each of which runs a workflow to some point.
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { calls, gate, type Rpc, say } from "../harness/index.ts";
import { openRpcStage, pathOf, type Stage, type State, step, stepCall } from "./stage.ts";

let stage: Stage & { pi: Rpc };
let pi: Rpc;

beforeAll(async () => {
	stage = await openRpcStage({
		w: ["a", "b", "c"],
		p: ["a", "@s", "c"],
		s: ["s1", "s2"],
		two: ["a", "@s", "@t", "c"],
		t: ["t1"],
		ends: ["a", "@deep"],
		deep: { show: "workflows", phases: ["@t"] },
		only: ["@s"],
		begins: ["@s", "m"],
		fixed: { loopable: false, phases: ["f1", "@s"] },
		holds: ["@fixed2", "m"],
		fixed2: { loopable: false, show: "workflows", phases: ["x1", "x2"] },
		limited: { phases: ["a", "b"], maxLoops: 1 },
		calm: { phases: ["a", "b", "c"], autoContinue: false },
	});
	({ pi } = stage);
});
afterEach(async () => {
	await pi.prompt("/cancel-workflow");
	await pi.idle();
});

/** Runs `/workflow <key>`, the model answering with these actions one by one; resolves when all is still. */
async function run(key: string, ...actions: ("next" | "loop" | "status" | "cancel")[]) {
	const before = pi.toolResults().length;
	stage.play(...actions.map((action) => step(action)));
	await pi.prompt(`/workflow ${key} the task`);
	await pi.settled();
	const states = await pi.customEntries<State>("workflow:state");
	const taskId = states.at(-1)?.taskId;
	const own = states.filter((state) => state.taskId === taskId && !state.paused);
	const results = pi.toolResults().slice(before);
	return {
		own,
		last: own.at(-1),
		path: pathOf(own.at(-1)),
		results,
		lines: results.map(({ text }) => text.split("\n")[0]),
	};
}

describe("next", () => {
	it("goes through three phases one by one to the end", async () => {
		const { own, results } = await run("w", "next", "next", "next");
		expect(own.map((state) => [pathOf(state), state.globalStepCount, state.active])).toEqual([
			["w:0", 0, true],
			["w:1", 1, true],
			["w:2", 2, true],
			["w:2", 3, false],
		]);
		expect(results.map(({ text }) => text.split("\n")[0])).toEqual([
			"✓ Advanced: A → 🔹 B",
			"✓ Advanced: B → 🔹 C",
			"✓ Advanced: C → DONE",
		]);
	});

	it("enters and leaves a nested workflow, each in one step", async () => {
		const { own } = await run("p", "next", "next", "next");
		expect(own.map(pathOf)).toEqual(["p:0", "p:1 s:0", "p:1 s:1", "p:2"]);
	});

	it("goes from one inner workflow directly into the next", async () => {
		expect((await run("two", "next", "next", "next")).path).toBe("two:2 t:0");
	});

	it("ends all levels at the innermost end", async () => {
		const { last } = await run("ends", "next", "next");
		expect([last?.active, last?.cancelled]).toEqual([false, false]);
	});

	it("handles a workflow that consists of one reference", async () => {
		const { own } = await run("only", "next", "next");
		expect(own.map((state) => [pathOf(state), state.active])).toEqual([
			["only:0 s:0", true],
			["only:0 s:1", true],
			["only:0 s:1", false],
		]);
	});
});

describe("loop", () => {
	it("repeats only the innermost scope", async () => {
		const { path, last } = await run("p", "next", "next", "loop");
		expect([path, last?.globalStepCount]).toEqual(["p:1 s:0", 3]);
	});

	it("is refused if the inner workflow forbids it, regardless of the outer one", async () => {
		const { path, results } = await run("holds", "next", "loop");
		expect(path).toBe("holds:0 fixed2:1");
		expect(results.at(-1)).toMatchObject({ error: true, text: expect.stringContaining("switched off") });
	});

	it("is allowed if only the outer workflow forbids it", async () => {
		expect((await run("fixed", "next", "next", "loop")).path).toBe("fixed:1 s:0");
	});

	it("re-enters a scope that starts with a reference", async () => {
		const { own } = await run("begins", "next", "next", "loop", "next");
		expect(own.map(pathOf).slice(-2)).toEqual(["begins:0 s:0", "begins:0 s:1"]);
	});

	it("is limited by maxLoops", async () => {
		const { results, path } = await run("limited", "loop", "loop");
		expect(results.map(({ error }) => error)).toEqual([false, true]);
		expect(path).toBe("limited:0");
	});
});

describe("several calls in one message", () => {
	it("the second change of phase is refused", async () => {
		stage.play(calls([stepCall("next"), stepCall("next"), stepCall("loop")]));
		await pi.prompt("/workflow w twice");
		await pi.settled();
		const results = pi.toolResults().slice(-3);
		expect(results.map(({ error }) => error)).toEqual([false, true, true]);
		expect(results[1]?.text).toBe(
			`Only the first step of a message is made: "next" (A → B). Its result above has the instructions of B; read the phase first. This call changed nothing.`,
		);
		expect(pathOf((await pi.customEntries<State>("workflow:state")).at(-1))).toBe("w:1");
	});

	it("two cancels only ask; another one in the next message ends the workflow", async () => {
		stage.play(calls([stepCall("cancel"), stepCall("cancel")]), step("cancel"));
		await pi.prompt("/workflow w stop");
		await pi.settled();
		const [first, second, third] = pi.toolResults().slice(-3);
		expect([first?.text, second?.text].every((text) => text?.startsWith("Really cancel"))).toBe(true);
		expect(third?.text).toMatch(/^The workflow is cancelled\. Its task was: "stop"/);
		const states = await pi.customEntries<State>("workflow:state");
		expect(states.at(-1)).toMatchObject({ active: false, cancelled: true });
		expect(JSON.stringify(states)).not.toContain("ancelPending");
	});

	it("cancel, next, cancel ask again", async () => {
		const { results, last } = await run("w", "cancel", "next", "cancel");
		expect(results.map(({ text }) => text.startsWith("Really cancel"))).toEqual([true, false, true]);
		expect(last?.active).toBe(true);
	});

	it("after the end every action reports that no workflow is active", async () => {
		stage.play(
			step("next"),
			step("next"),
			calls([stepCall("next"), stepCall("status"), stepCall("next"), stepCall("loop"), stepCall("cancel")]),
		);
		await pi.prompt("/workflow w to the end");
		await pi.settled();
		const texts = pi
			.toolResults()
			.slice(-4)
			.map(({ text }) => text);
		expect(texts.every((text) => text.startsWith("No workflow is active"))).toBe(true);
		expect(new Set(texts).size).toBe(4);
	});
});

describe("status", () => {
	it("reports the position, and the instructions of the phase", async () => {
		const { results } = await run("p", "next", "status");
		const [first, ...lines] = (results[1]?.text ?? "").split("\n");
		expect(first).toBe("Workflow: Workflow p (p)");
		expect(lines).toEqual(
			expect.arrayContaining([
				"Task: the task",
				"Path: Workflow p > Workflow s",
				"Phase: 🔹 S1 [1/2], step 1",
				"Do s1 for the task.",
			]),
		);
	});
});

describe("moves by the user", () => {
	it("skip, back and back to a phase inform the model, which continues there", async () => {
		await pi.prompt("/workflow calm moved");
		await pi.settled();
		for (const [command, path, said] of [
			["/workflow skip", "calm:1", "Do b for moved"],
			["/workflow skip", "calm:2", "Do c for moved"],
			["/workflow back a", "calm:0", "Do a for moved"],
		] as const) {
			await pi.prompt(command);
			await pi.settled();
			expect(pathOf((await pi.customEntries<State>("workflow:state")).at(-1))).toBe(path);
			expect(stage.server.last().lastUser).toContain(said);
			expect(stage.server.last().lastUser).toMatch(
				/^\[Automatic message from pi-chronicle\] The user has moved the workflow/,
			);
		}
		await pi.prompt("/workflow back");
		expect(pi.screen.text).toContain("This is the first phase");
		await pi.prompt("/workflow back nowhere");
		expect(pi.screen.text).toContain('No earlier phase is called "nowhere"');
		await pi.prompt("/workflow status");
		expect(pi.screen.notifications.at(-1)?.message).toMatch(
			/So far:\n {2}A: \d+s, skipped\n {2}B: \d+s, skipped\n {2}C: \d+s, then back/,
		);
	});

	it("only change the position of a paused workflow, which continues when resumed", async () => {
		await pi.prompt("/workflow calm later");
		await pi.settled();
		await pi.prompt("/workflow pause");
		const asked = stage.server.requests.length;
		await pi.prompt("/workflow skip");
		expect(pi.screen.notifications.at(-1)?.message).toMatch(/is now in .* It is paused/);
		expect(stage.server.requests.length).toBe(asked);
		await pi.prompt("/workflow resume");
		await pi.settled();
		expect(stage.server.last().users.at(-1)).toContain("Do b for later");
	});

	it("skip of the last phase ends the workflow: the model is informed, with the next message if it is idle", async () => {
		await pi.prompt("/workflow calm at rest");
		await pi.settled();
		for (let times = 0; times < 2; times++) {
			await pi.prompt("/workflow skip");
			await pi.settled();
		}
		await pi.prompt("/workflow skip");
		await pi.run("hello");
		expect(stage.server.last().users.slice(-2).sort()).toEqual([
			expect.stringMatching(/^\[Automatic message from pi-chronicle\] The user has ended the last phase/),
			"hello",
		]);
		await pi.run("and again");
		expect(stage.server.last().users.filter((text) => text.includes("ended the last phase"))).toHaveLength(1);

		await pi.prompt("/workflow calm at work");
		await pi.settled();
		for (let times = 0; times < 2; times++) {
			await pi.prompt("/workflow skip");
			await pi.settled();
		}
		const held = gate();
		stage.play(say("working", { after: held.opened }));
		const asked = stage.server.requests.length;
		await pi.prompt("go on");
		await stage.server.waitForRequest(asked + 1);
		await pi.prompt("/workflow skip");
		held.open();
		await pi.settled();
		expect(stage.server.last().lastUser).toContain("skipped the last phase");
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false, cancelled: false });
	});

	it("are refused without a workflow", async () => {
		for (const verb of ["pause", "resume", "skip", "back", "reload"]) {
			await pi.prompt(`/workflow ${verb}`);
			expect(pi.screen.notifications.at(-1)).toMatchObject({
				message: expect.stringMatching(/^No workflow is active/),
				type: "error",
			});
		}
		await pi.prompt("/workflow status");
		expect(pi.screen.notifications.at(-1)?.message).toMatch(/^No workflow is active/);
	});
});
