// The text of a phase: its size, and what a model reads again whose context was replaced.
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { reachable } from "../../src/workflow/phase-machine/index.ts";
import { firstPosition } from "../../src/workflow/phase-machine/position.ts";
import { beginWorkflowRun, type LiveWorkflowRun } from "../../src/workflow/phase-machine/run.ts";
import { phaseFrame } from "../../src/workflow/prompts/index.ts";
import { instructionsOf } from "../../src/workflow/prompts/template.ts";
import { openLibrary } from "../../src/workflow/session/library.ts";
import { deepIt } from "../harness/deep-it.ts";
import { call, openFolder } from "../harness/index.ts";
import { begin, drafts } from "./definition-builder.ts";
import { ask, openRpcStage, openStage, step } from "./stage.ts";

/** Characters of a frame that neither the user nor the author of the workflow wrote. */
function ownSize(run: LiveWorkflowRun): number {
	const frame = phaseFrame({ run, known: "nothing", visits: [] });
	return frame.length - instructionsOf(run).length - run.task.length;
}

describe("the text of the first phase", () => {
	it("takes at most 900 characters in every shipped workflow", () => {
		const folder = openFolder({});
		const { definitions, commands } = openLibrary(`${folder}/agent`).load({ cwd: folder, trusted: false });
		expect(commands.size).toBeGreaterThanOrEqual(4);
		for (const { key } of commands.values()) {
			const own = reachable(definitions, key);
			const position = firstPosition(own, key);
			const run = beginWorkflowRun({
				id: "wf-1000-abc123",
				definitions: own,
				workflowKey: key,
				task: "t",
				at: 1,
				position,
			});
			expect([key, ownSize(run) <= 900]).toEqual([key, true]);
		}
	});
});

describe("the summaries of earlier phases", () => {
	const run = begin(drafts({ w: ["a", "b"] }), "w");
	const frame = (summaries: readonly string[]) =>
		phaseFrame({
			run,
			known: "nothing",
			visits: summaries.map((summary, index) => ({ phase: `P${index}`, way: "next" as const, summary })),
		});

	it("are given whole, with how each phase ended", () => {
		const visits = (["next", "loop", "skip", "back"] as const).map((way) => ({
			phase: way,
			way,
			summary: `by ${way}`,
		}));
		expect(phaseFrame({ run, known: "nothing", visits })).toContain(
			[
				"What you reported so far:",
				"* next: by next",
				"* loop (then restarted): by loop",
				"* skip (skipped by the user): by skip",
				"* back (the user went back): by back",
			].join("\n"),
		);
		expect(frame([])).not.toContain("reported so far");
	});

	it("are shortened from the oldest if they are long", () => {
		const text = frame(Array.from({ length: 60 }, (_, index) => `<${index} ${"x".repeat(990)}>`));
		expect(text.length).toBeLessThan(18_000);
		expect(text).toContain("* 20 earlier phases are not listed");
		expect(text).toContain(`<59 ${"x".repeat(990)}>`);
		expect(text).toMatch(/<20 x+…/);
	});
});

describe("a model whose context was replaced", () => {
	it("by a handoff reads the phase, what was reported, said and uncommitted, and an open question in its first request; its next counts", async () => {
		const { pi, play, server, project } = await openRpcStage({ w: ["a", "b", "c"] });
		execFileSync("git", ["init", "-q"], { cwd: project.folder });
		project.write("ours.txt", "not committed");
		const uncommitted = "Not committed before the workflow began, so not your work: .pi/ (new), ours.txt (new).";
		play(step("next", "FOUND the cause"), ask("Old or new?"));
		await pi.prompt("/workflow w it");
		await pi.settled();
		expect(server.last().users.filter((text) => text.includes(uncommitted))).toHaveLength(1);
		project.write("later.txt", "the work of the run");
		play(ask("Which of the two?"));
		await pi.run("the new one");
		const before = server.requests.length;
		play(call("handoff", { context: "the brief" }), "successor here");
		await pi.prompt("/handoff go on");
		await pi.settled();
		const successor = server.requests[before + 1];
		const texts = successor?.users.join("\n") ?? "";
		expect(texts).toContain("the brief");
		expect(texts).toContain("* A: FOUND the cause");
		expect(texts).toContain(uncommitted);
		expect(texts).toContain(
			'What the user said since the workflow began, oldest first:\n* to your question "Old or new?": the new one\n',
		);
		expect(texts).toContain("## Instructions for this phase\n\nDo b for it.");
		expect(texts).toContain("You have asked the user, and wait for the answer: Which of the two?");
		play(step("next"), step("next"), "done");
		await pi.run("the first");
		expect(
			pi
				.toolResults()
				.slice(-2)
				.map(({ error }) => error),
		).toEqual([false, false]);
		expect((await pi.customEntries<{ active: boolean }>("workflow:state")).at(-1)).toMatchObject({ active: false });
	});

	deepIt("by a compaction reads them with the user's answer", async () => {
		const stage = await openStage({ w: ["a", "b"] }, { settings: { compaction: { keepRecentTokens: 1 } } });
		const compactor = stage.project.write(
			"compactor.mjs",
			`export default (pi) => pi.on("session_before_compact", () => ({ compaction: { summary: "Earlier.", firstKeptEntryId: null, tokensBefore: 1 } }));`,
		);
		const pi = await stage.rpc({ extensions: [compactor] });
		stage.play(step("next", "FOUND it"), ask("Which of the two?"));
		await pi.prompt("/workflow w it");
		await pi.settled();
		await pi.send({ type: "compact" });
		stage.play(step("next"), "done");
		await pi.run("the first");
		const texts = stage.server.requests.at(-2)?.users.join("\n") ?? "";
		for (const part of ["* A: FOUND it", "You asked the user: Which of the two?", "Do b for it.", "Task: it"])
			expect(texts).toContain(part);
		expect(pi.toolResults().at(-1)).toMatchObject({ error: false });
	});
});
