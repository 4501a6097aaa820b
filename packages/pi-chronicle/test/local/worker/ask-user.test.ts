// `ask_user` in a worker: the answer is the result of the call in the same conversation, whether the process lives or not. Real pi, scripted model.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LateAnswer, Worker } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { deepIt, sampled } from "../../harness/deep-it.ts";
import { openModelServer } from "../../harness/model-server.ts";
import { openProject } from "../../harness/project.ts";
import { call, calls, say } from "../../harness/reply.ts";
import { move, openRig } from "./worker-rig.ts";

const again = { conversation: { kind: "continue", key: "1.1", optional: false } } as const;
const ask = (question = "Which port?") => call("ask_user", { question }, { id: "q1" });
const answer: LateAnswer = {
	call: "q1",
	result: "The user answered: 8080\n  and 9090",
	text: "You asked.",
	alone: true,
};
/** What a worker that starts programs reads. */
const restarted = `${answer.result}\n\n[From pi-chronicle, not from the user: programs that you had started were stopped while you waited.]`;

describe("while the process lives", () => {
	it("the answer is the result; nothing else is added, and a second question of the message is refused", async () => {
		const server = await openModelServer([
			calls([
				{ name: "bash", args: { command: "echo before" } },
				{ name: "ask_user", args: { question: " Which port? ", choices: ["80", " 80", "", "8080"] }, id: "q1" },
				{ name: "ask_user", args: { question: "And the host?" } },
				{ name: "workflow_transition", args: { target_state: "checking", summary: "Done." } },
			]),
			move(),
		]);
		const rig = openRig(openProject({ server }));
		const worker = await rig.start();
		const { question } = await rig.wait("question");
		expect(question).toEqual({ call: "q1", question: "Which port?", choices: ["80", "8080"] });
		worker.reply("q1", "The user answered: 8080");
		worker.reply("q1", "The user answered: never");
		await worker.ended;
		const { results, users } = server.last();
		expect(users).toEqual(["Begin with the building."]);
		expect(results.map(({ text }) => text.trim())).toEqual([
			"before",
			"The user answered: 8080",
			expect.stringContaining("one question at a time"),
			expect.stringContaining("Read the answer first"),
		]);
		expect(rig.of("move")).toHaveLength(1);
		expect(rig.of("question")).toHaveLength(1);
	});

	it.each(
		sampled([
			["empty", { question: "  " }, "`question` is empty"],
			["long", { question: "x".repeat(4001) }, "the limit is 4000"],
			["too many choices", { question: "?", choices: [..."abcdefghij"] }, "at most 9 choices"],
		]),
	)("a question that is %s is refused", async (_name, args, text) => {
		const server = await openModelServer([call("ask_user", args), move()]);
		const rig = openRig(openProject({ server }));
		await (await rig.start()).ended;
		expect(server.last().results[0]?.text).toContain(text);
		expect(rig.of("question")).toEqual([]);
	});
});

const goesOn = "[From pi-chronicle, not from the user]\nThe user has answered: see the result of ask_user.";

const ends: readonly (readonly [string, (worker: Worker) => void])[] = [
	["killed", ({ started: { pid } }) => process.kill(pid, "SIGKILL")],
	["terminated", ({ started: { pid } }) => process.kill(pid, "SIGTERM")],
	["stopped by its supervisor", (worker) => worker.stop("now")],
];

describe("when the process is gone", () => {
	it.each(sampled(ends))(
		"%s: the next process continues with the answer as the result of that call, and no message but the marked one",
		async (_name, end) => {
			const server = await openModelServer([
				calls([
					{ name: "bash", args: { command: "echo before" }, id: "b1" },
					{ name: "ask_user", args: { question: "Which port?" }, id: "q1" },
					{ name: "bash", args: { command: "echo after" }, id: "b2" },
				]),
				say("I see."),
				move(),
			]);
			const project = openProject({ server });
			const first = openRig(project);
			const worker = await first.start();
			await first.wait("question");
			end(worker);
			await worker.ended;
			expect(first.of("tool_ended").map((ended) => ended.call)).toEqual(["b1"]);
			const rig = openRig(project);
			const next = await rig.start({ ...again, answer });
			await rig.wait("turn_settled");
			expect(server.requests).toHaveLength(2);
			const { users, results } = server.last();
			expect(users).toEqual(["Begin with the building.", goesOn]);
			expect(results.map(({ text }) => text.trim())).toEqual([
				"before",
				restarted,
				expect.stringContaining("Not run: your process was stopped"),
			]);
			await next.send("Go on.");
			await next.ended;
			expect(server.last().users).toEqual(["Begin with the building.", goesOn, "Go on."]);
			expect(rig.of("tool_ended")).toMatchObject([{ call: "q1", tool: "ask_user" }, { tool: "workflow_transition" }]);
			expect(resultsOf(rig.folder, "q1").filter((text) => text === restarted)).toHaveLength(1);
		},
	);

	deepIt("an answer that is there is not added again, and a message that must be sent follows it", async () => {
		const server = await openModelServer([ask(), say("I see."), move()]);
		const project = openProject({ server });
		// It starts no programs, so nothing is said about them.
		const state = { tools: ["read", "ls"] };
		const first = openRig(project, { state });
		const worker = await first.start();
		await first.wait("question");
		worker.stop("now");
		await worker.ended;
		const second = openRig(project, { state });
		const next = await second.start({ ...again, answer: { ...answer, alone: false } });
		await second.wait("turn_settled");
		expect(server.last().users).toEqual(["Begin with the building.", "Continue the building."]);
		next.stop("now");
		await next.ended;
		const last = await second.start({ ...again, answer, message: { new: "", continued: "Interrupted." } });
		await last.ended;
		const { users, results } = server.last();
		expect(users.at(-1)).toBe("Interrupted.");
		expect(results.map(({ text }) => text)).toEqual([answer.result]);
		expect(second.of("tool_ended").filter(({ tool }) => tool === "ask_user")).toHaveLength(1);
	});

	deepIt("a conversation without the call gets question and answer in its message", async () => {
		const server = await openModelServer([move()]);
		const rig = openRig(openProject({ server }));
		await (await rig.start({ answer })).ended;
		expect(server.last().users).toEqual([
			"[From pi-chronicle, not from the user]\nYou asked.\n\nBegin with the building.",
		]);
	});
});

deepIt("`questions: none` takes the tool away", async () => {
	const server = await openModelServer([ask(), move()]);
	const rig = openRig(openProject({ server }), { state: { questions: "none" } });
	await (await rig.start()).ended;
	expect(server.last().tools).not.toContain("ask_user");
	expect(rig.of("question")).toEqual([]);
});

/** The texts of all results of a call in the session file. */
function resultsOf(folder: string, id: string): string[] {
	const lines = readFileSync(join(folder, "workers", "1.1.jsonl"), "utf8")
		.trim()
		.split("\n");
	return lines
		.map((line) => (JSON.parse(line) as { message?: { toolCallId?: string; content: { text: string }[] } }).message)
		.filter((message) => message?.toolCallId === id)
		.map((message) => message?.content[0]?.text ?? "");
}
