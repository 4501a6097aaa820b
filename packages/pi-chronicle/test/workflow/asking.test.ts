// Questions to the user: `ask`, a question without it, and what the user sees while a workflow waits. Real pi.
import { beforeAll, describe, expect, it } from "vitest";
import { deepDescribe, deepIt } from "../harness/deep-it.ts";
import { call, calls, type Rpc, readSession } from "../harness/index.ts";
import { ask, openRpcStage, openStage, type Stage, type State, step } from "./stage.ts";

const mark = "[Automatic reminder from pi-chronicle, not from the user]";
const statusOf = (pi: Rpc) => pi.screen.statuses.get("chronicle-workflow");

describe("a question through the tool", () => {
	let stage: Stage & { pi: Rpc };
	let pi: Rpc;
	const last = async () => (await pi.customEntries<State>("workflow:state")).at(-1);
	beforeAll(async () => {
		stage = await openRpcStage({ w: ["a", "b"] }, { countdown: 1 });
		({ pi } = stage);
	});

	it("ends the turn and waits; the next message is the answer, after which `next` works", async () => {
		stage.play(ask("Postgres or SQLite?"));
		await pi.prompt("/workflow w it");
		await pi.settled();
		expect(stage.server.requests).toHaveLength(1);
		expect(statusOf(pi)).toBe("Workflow w > 🔹 A [1/2] (waits for you)");
		expect(await last()).toMatchObject({ active: true, asks: "Postgres or SQLite?" });
		expect(pi.screen.text).toMatch(/waits for your answer:\nPostgres or SQLite\?\nYour next message is the answer/);
		expect(pi.screen.widgetHistory.filter(({ key }) => key === "chronicle-countdown")).toEqual([]);

		stage.play(step("next", "chose SQLite"), ask("And the port?"));
		await pi.run("SQLite");
		const [, answered] = stage.server.requests;
		expect(answered?.lastUser).toBe("SQLite");
		expect(JSON.stringify(answered?.messages)).not.toContain(mark);
		expect(await last()).toMatchObject({ globalStepCount: 1, asks: "And the port?" });
	});

	it("survives a pause: resuming asks again, and resuming a question continues without an answer", async () => {
		const requests = stage.server.requests.length;
		await pi.prompt("/workflow pause");
		expect(statusOf(pi)).toBe("Workflow w > 🔹 B [2/2] (paused)");
		await pi.prompt("/workflow resume");
		expect(statusOf(pi)).toBe("Workflow w > 🔹 B [2/2] (waits for you)");
		expect(stage.server.requests).toHaveLength(requests);
		stage.play(step("next"), "done");
		await pi.prompt("/workflow resume");
		await pi.settled();
		expect(stage.server.requests[requests]?.lastUser).toMatch(/without answering your question/);
		expect(await last()).toMatchObject({ active: false, cancelled: false });
	});

	it("is refused without words, after a step of the same message, and while one is open", async () => {
		stage.play(
			call("workflow_step", { action: "ask" }),
			calls([
				["workflow_step", { action: "next" }],
				["workflow_step", { action: "ask", question: "Which?" }],
			]),
			calls([
				["workflow_step", { action: "ask", question: "Which?" }],
				["workflow_step", { action: "next" }],
				["workflow_step", { action: "ask", question: "And which?" }],
			]),
			"I wait.",
		);
		const before = pi.toolResults().length;
		await pi.prompt("/workflow w again");
		await pi.settled();
		expect(
			pi
				.toolResults()
				.slice(before)
				.map(({ error, text }) => [error, text.split("\n")[0]]),
		).toEqual([
			[true, expect.stringContaining("needs `question`")],
			[false, expect.stringContaining("A → 🔹 B")],
			[true, expect.stringMatching(/^Only the first step of a message is made: "next" \(A → B\)/)],
			[false, expect.stringContaining("Asked")],
			[true, expect.stringContaining("the answer has not arrived")],
			[true, expect.stringContaining("the answer has not arrived")],
		]);
		expect(statusOf(pi)).toBe("Workflow w > 🔹 B [2/2] (waits for you)");
		await pi.prompt("/cancel-workflow");
	});
});

describe("a question without the tool", () => {
	it("is answered by one marked reminder without a countdown, then waits", async () => {
		const { pi, play, server } = await openRpcStage({ w: ["a", "b"] }, { countdown: 30 });
		play("I read it.\n\nWhich one do you want?", "As I said: which one?");
		await pi.prompt("/workflow w it");
		await pi.settled();
		const [, reminded] = server.requests;
		expect(server.requests).toHaveLength(2);
		expect(reminded?.lastUser.startsWith(mark)).toBe(true);
		for (const way of ['"ask"', '"next"', "go on"]) expect(reminded?.lastUser).toContain(way);
		expect(reminded?.lastUser).not.toMatch(/[Cc]ontinue/);
		expect(statusOf(pi)).toMatch(/waits for you\)$/);
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ asks: "As I said: which one?" });
		play(step("next"), step("next"), "done");
		await pi.run("the second");
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false });
	});
});

describe("without a screen", () => {
	it("pi -p prints the question and how to answer, and exits with 3; the answer continues the session", async () => {
		const stage = await openStage({ w: ["a"] });
		const session = stage.project.path("s.jsonl");
		stage.play(ask("Which of the two?\nBoth are old."));
		const asked = await stage.print("/workflow w it", { session });
		expect([asked.code, asked.stdout]).toEqual([
			3,
			expect.stringMatching(
				/Which of the two\?\nBoth are old\.\nYour next message is the answer[^\n]*pi -p --session \S*s\.jsonl/,
			),
		]);
		stage.play(step("next"), "done");
		const done = await stage.print("the first", { session });
		expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/DONE/)]);
		expect(readSession(session).custom<State>("workflow:state").at(-1)).toMatchObject({ active: false });
	});

	deepIt("JSON mode tells it on standard error", async () => {
		const stage = await openStage({ w: ["a"] });
		stage.play(ask("Which of the two?"));
		const { code, stderr } = await stage.print("/workflow w it", { mode: "json" });
		expect([code, stderr]).toEqual([3, expect.stringContaining("Which of the two?")]);
	});
});

deepDescribe("what waits is visible", () => {
	it("in the status line, also after the session is opened again, in the tree, in a fork and after a compaction", async () => {
		const { pi, play, server } = await openRpcStage(
			{
				w: ["a", "b"],
				own: { phases: ["a"], autoContinue: false },
			},
			{ settings: { compaction: { keepRecentTokens: 1 } } },
		);
		play("I stop here.");
		await pi.prompt("/workflow own it");
		await pi.settled();
		expect(statusOf(pi)).toBe("Workflow own > 🔹 A [1/1] (waits for you)");
		await pi.prompt("/cancel-workflow");

		play(ask("Which?"));
		await pi.prompt("/workflow w it");
		await pi.settled();
		const file = String((await pi.state()).sessionFile);
		const waits = "Workflow w > 🔹 A [1/2] (waits for you)";
		await pi.send({ type: "new_session" });
		expect(statusOf(pi)).toBeUndefined();
		await pi.send({ type: "switch_session", sessionPath: file });
		expect(statusOf(pi)).toBe(waits);
		expect(pi.screen.notifications.at(-1)?.message).toMatch(/Which\?\nYour next message is the answer/);
		play("summary of it");
		await pi.send({ type: "compact" });
		expect(statusOf(pi)).toBe(waits);
		play(step("next"), ask("Now?"));
		await pi.run("this one");
		expect(server.requests.at(-2)?.users.join("\n")).toContain("## Instructions for this phase");
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({
			globalStepCount: 1,
			asks: "Now?",
		});
		const first = (await pi.entries()).findLast(
			({ message }) => (message as { role?: string } | undefined)?.role === "user",
		);
		await pi.send({ type: "fork", entryId: String(first?.id) });
		expect(statusOf(pi)).toBe(waits);
	});
});
