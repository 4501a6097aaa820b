// A workflow in sessions that are resumed, branched, compacted, navigated or damaged. Real pi, real session files.

import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, fixtureExtension, readSession, SessionDraft, say } from "../harness/index.ts";
import { referenceState } from "./reference-state.ts";
import { openStage, pathOf, type State, step, type WorkflowDraft, workflowFiles } from "./stage.ts";

const limited = {
	phases: [{ id: "a", tools: { whitelist: ["read"] } }, { id: "b", tools: { blacklist: ["read"] } }, "c"],
};

describe("a resumed session", () => {
	deepIt("has the same phase, status and limits, and sends nothing to the model", async () => {
		const stage = await openStage({ w: limited, inner: ["@w"] }, { files: { "x.txt": "x" } });
		const first = await stage.rpc();
		stage.play(step("next", "found it"), "I wait");
		await first.prompt(
			"/workflow inner the whole task, which is rather long so that no single entry could hold all of its words",
		);
		await first.settled();
		const status = first.screen.statuses.get("chronicle-workflow");
		const file = String((await first.state()).sessionFile);
		await first.prompt("/workflow pause");
		await first.close();

		const asked = stage.server.requests.length;
		const again = await stage.rpc({ session: file, extensions: [fixtureExtension("probe")] });
		await again.screen.status("Workflow w [1/1] > 🔹 B [2/3]");
		expect(again.screen.statuses.get("chronicle-workflow")).toBe(`${status?.replace(" (paused)", "")} (paused)`);
		expect(again.screen.text).toMatch(/This session is in a workflow[\s\S]*paused/);
		expect(again.screen.text).not.toContain("has changed");
		expect((await again.probe()).activeTools).toContain("workflow_step");
		expect(stage.server.requests.length).toBe(asked);

		stage.play(call("read", { path: "x.txt" }), "refused");
		await again.run("read it");
		expect(again.toolResults().at(-1)).toMatchObject({ tool: "read", error: true });
		// The text of the phase is in the context already: it is not told again.
		expect(
			stage.server.last().messages.filter(({ content }) => JSON.stringify(content ?? "").includes("Do b for")),
		).toHaveLength(1);
		await again.prompt("/workflow status");
		expect(again.screen.notifications.at(-1)?.message).toMatch(
			/Task: the whole task.*of its words\n[\s\S]*A: \d+s — found it/,
		);

		stage.play(step("next"), step("next"), "end");
		await again.prompt("/workflow resume");
		await again.settled();
		expect((await again.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false });
		// A run that has ended does not end again.
		await again.close();
		const third = await stage.rpc({ session: file, extensions: [fixtureExtension("probe")] });
		await third.run("hello");
		expect((await third.customEntries("workflow:complete")).length).toBe(1);
		expect(third.screen.statuses.size).toBe(0);
		// Nothing that was sent is changed, also not by a restart.
		expect((await third.probe()).activeTools).toContain("workflow_step");
		expect(
			third.screen.notifications.filter(({ message }) => /workflow/i.test(message) && !message.startsWith("{")),
		).toEqual([]);
	});

	it("keeps the run's definition after an edit; reload applies it, by the id of the phase", async () => {
		const stage = await openStage({ w: ["a", "b"] });
		const first = await stage.rpc();
		const token = `ghp_${"a1B2".repeat(9)}`;
		stage.play(step("next", `The key is ${token}.`), "I wait");
		await first.prompt(`/workflow w it with ${token}`);
		await first.settled();
		// Secrets stay out of what the package itself derives from the model's words and the task.
		const kept = await first.customEntries<State>("workflow:state");
		expect(JSON.stringify(kept.map((entry) => ({ ...entry, taskDescription: "" })))).not.toContain(token);
		expect((await first.state()).sessionName).not.toContain(token);
		const file = String((await first.state()).sessionFile);
		await first.close();

		const change = (phases: WorkflowDraft["phases"]) => {
			for (const [path, content] of Object.entries(workflowFiles({ w: phases }))) stage.project.write(path, content);
		};
		const mistake = /b\.md:\d+:\d+.*blaclist/;
		change(["a", { id: "b", tools: { blaclist: ["bash"] } }]);
		const again = await stage.rpc({ session: file });
		await again.screen.notified(mistake);
		await again.prompt("/workflow reload");
		expect(again.screen.notifications.at(-1)?.message).toMatch(mistake);
		expect(again.screen.notifications.map(({ message }) => message).join()).not.toMatch(/no longer has|switches to/);
		change(["new", "a", { id: "b", body: "Do b anew." }]);
		expect(again.screen.statuses.get("chronicle-workflow")).toBe("Workflow w > 🔹 B [2/2] (paused)");
		await again.prompt("/workflow reload");
		expect(again.screen.statuses.get("chronicle-workflow")).toBe("Workflow w > 🔹 B [3/3] (paused)");
		await again.prompt("/workflow reload");
		expect(again.screen.notifications.at(-1)?.message).toContain("already uses");
		stage.play(step("next"), "end");
		await again.prompt("/workflow resume");
		await again.settled();
		const users = stage.server.requests.at(-2)?.users.join("\n");
		expect(users).toMatch(/replaces every earlier text of the workflow[\s\S]*Do b anew\./);
		expect((await again.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false });
	});

	deepIt("keeps the old definition at a reload if the new one lacks the phase", async () => {
		const stage = await openStage({ w: { phases: ["a", "b"], autoContinue: false } });
		const pi = await stage.rpc();
		await pi.prompt("/workflow w it");
		await pi.settled();
		for (const [path, content] of Object.entries(workflowFiles({ w: ["x", "b"] }))) stage.project.write(path, content);
		await pi.prompt("/workflow reload");
		expect(pi.screen.notifications.at(-1)).toMatchObject({
			type: "error",
			message: expect.stringContaining('no longer has the phase "a"'),
		});
		stage.play(step("next"), step("next"), "end");
		await pi.run("go on");
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false });
	});
});

describe("states of the reference package", () => {
	it("without their definition allow no tools, report the reason, and can be canceled or continued", async () => {
		const stage = await openStage({ other: ["o"] }, { files: { "x.txt": "x" } });
		const draft = new SessionDraft(stage.project);
		draft.user("earlier");
		draft.assistant("yes");
		draft.custom("workflow:state", referenceState());
		const pi = await stage.rpc({ session: draft.write() });
		await pi.screen.notified(/"w" cannot be found/);
		stage.play(call("read", { path: "x.txt" }), step("next"), step("loop"), step("status"), "stuck");
		await pi.run("go on");
		const results = pi.toolResults();
		expect(results.map(({ error }) => error)).toEqual([true, true, true, true]);
		for (const { text } of results) expect(text).toMatch(/cannot be found/);
		expect((await pi.customEntries("workflow:state")).length).toBe(1);

		for (const [path, content] of Object.entries(workflowFiles({ w: ["a", "b"] }))) stage.project.write(path, content);
		await pi.prompt("/workflow reload");
		expect(pi.screen.statuses.get("chronicle-workflow")).toBe("Workflow w > 🔹 B [2/2] (waits for you)");
		stage.play(call("read", { path: "x.txt" }), step("cancel"), step("cancel"), "given up");
		await pi.run("go on");
		expect(pi.toolResults().at(4)).toMatchObject({ tool: "read", error: false });
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false, cancelled: true });
	});

	deepIt("continue from an index without a path; messages of that package leave the context", async () => {
		const stage = await openStage({ w: ["a", "b", "c"] });
		const draft = new SessionDraft(stage.project);
		draft.user("earlier");
		draft.customMessage("workflow:context", "OLD CONTEXT: you are the orchestrator", false);
		draft.assistant("", [["c1", "workflow_step", { action: "next" }]]);
		draft.append({
			type: "message",
			message: {
				role: "toolResult",
				toolCallId: "c1",
				toolName: "workflow_step",
				content: [{ type: "text", text: "✓ Advanced: A → C\n\nOLD INSTRUCTIONS" }],
				details: { advanced: true, from: "A", to: "C" },
				isError: false,
				timestamp: 1,
			},
		});
		draft.assistant("ok");
		const { currentPath: _path, globalStepCount: _step, ...old } = referenceState();
		draft.custom("workflow:state", { ...old, currentPhaseIndex: 2 });
		const pi = await stage.rpc({ session: draft.write() });
		await pi.screen.status("Workflow w > 🔹 C [3/3]");
		stage.play(step("next"), "end");
		await pi.run("go on");
		for (const request of stage.server.requests) {
			expect(request.users.join("\n")).not.toContain("OLD CONTEXT");
			expect(JSON.stringify(request.messages)).not.toContain("OLD INSTRUCTIONS");
		}
		expect(stage.server.requests[0]?.users.join("\n")).toContain("Do c for from before");
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({
			active: false,
			globalStepCount: 3,
		});
	});

	deepIt("with invalid values are ignored, and the session works", async () => {
		const stage = await openStage({ w: ["a", "b"] }, { files: { "x.txt": "x" } });
		const bad = [
			{},
			referenceState({ currentPath: [] }),
			referenceState({ currentPath: [{ workflowKey: "w", phaseIndex: -1 }] }),
			referenceState({ currentPath: [{ workflowKey: "w", phaseIndex: 1.5 }] }),
			referenceState({ currentPath: [{ workflowKey: "w", phaseIndex: 9 }] }),
			referenceState({ currentPath: [{ workflowKey: "w" }] }),
			referenceState({
				currentPath: [
					{ workflowKey: "w", phaseIndex: 0 },
					{ workflowKey: "w", phaseIndex: 0 },
				],
			}),
			referenceState({ active: "yes" }),
			referenceState({ startedAt: null }),
		];
		const files = bad.map((data) => {
			const draft = new SessionDraft(stage.project);
			draft.custom("workflow:state", referenceState());
			draft.user("earlier");
			draft.assistant("yes");
			draft.custom("workflow:state", data);
			return draft.write();
		});
		const [first = "", ...others] = files;
		const pi = await stage.rpc({ session: first });
		for (const file of [undefined, ...others]) {
			if (file) await pi.send({ type: "switch_session", sessionPath: file });
			expect(pi.screen.statuses.get("chronicle-workflow")).toBeUndefined();
			expect(pi.screen.notifications.at(-1)?.message).toMatch(/cannot be read[\s\S]*ignored/);
			stage.play(call("read", { path: "x.txt" }), "read");
			await pi.run("read it");
			expect(pi.toolResults().at(-1)).toMatchObject({ tool: "read", error: false });
		}
	});
});

describe("navigation in the session", () => {
	it("restores the run of the position in the tree; a fork keeps the run", async () => {
		const stage = await openStage({ w: { ...limited, autoContinue: false } }, { files: { "x.txt": "x" } });
		const mover = stage.project.write(
			"mover.mjs",
			`export default (pi) => {
				pi.registerCommand("goto", { handler: async (id, ctx) => void (await ctx.navigateTree(id)) });
				pi.registerCommand("forkat", { handler: async (id, ctx) => void (await ctx.fork(id, { position: "at" })) });
			};`,
		);
		const pi = await stage.rpc({ extensions: [mover, fixtureExtension("probe")] });
		stage.play("before");
		await pi.run("hello");
		stage.play("in a", step("next"), "in b");
		await pi.prompt("/workflow w it");
		await pi.settled();
		await pi.run("now next");
		expect(pi.screen.statuses.get("chronicle-workflow")).toContain("🔹 B [2/3]");
		const answer = async (text: string) =>
			(await pi.entries()).find((entry) => JSON.stringify(entry).includes(`"text":"${text}"`))?.id as string;

		await pi.prompt(`/goto ${await answer("in a")}`);
		await pi.screen.status("🔹 A [1/3]");
		stage.play(call("bash", { command: "true" }), "bash is stopped in a");
		await pi.run("try");
		expect(pi.toolResults().at(-1)).toMatchObject({ tool: "bash", error: true });

		await pi.prompt(`/goto ${await answer("before")}`);
		expect(pi.screen.statuses.get("chronicle-workflow")).toBeUndefined();
		expect((await pi.probe()).activeTools).not.toContain("workflow_step");
		stage.play(call("bash", { command: "true" }), "free");
		await pi.run("try again");
		expect(pi.toolResults().at(-1)).toMatchObject({ tool: "bash", error: false });
		expect(stage.server.last().users.join("\n")).not.toContain("Do a for");

		await pi.prompt(`/goto ${await answer("in b")}`);
		await pi.screen.status("🔹 B [2/3]");
		const before = (await pi.state()).sessionId;
		await pi.prompt(`/forkat ${await answer("in b")}`);
		expect((await pi.state()).sessionId).not.toBe(before);
		await pi.screen.status("🔹 B [2/3]");
		stage.play(step("next"), step("next"), "end");
		await pi.run("to the end");
		expect((await pi.customEntries<State>("workflow:state")).at(-1)).toMatchObject({ active: false });
	});

	deepIt("sends the phase once more after a compaction, and only once", async () => {
		const stage = await openStage(
			{ w: { phases: ["a", "b"], autoContinue: false } },
			{ settings: { compaction: { keepRecentTokens: 500 } } },
		);
		const compactor = stage.project.write(
			"compactor.mjs",
			`export default (pi) => pi.on("session_before_compact", ({ preparation }) => ({
				compaction: { summary: "What was said before.", firstKeptEntryId: null, tokensBefore: preparation.tokensBefore },
			}));`,
		);
		const pi = await stage.rpc({ extensions: [compactor] });
		const long = say("long ".repeat(4_000));
		stage.play(long, long, long, step("next"), "in b");
		await pi.prompt("/workflow w it");
		await pi.settled();
		await pi.run("more");
		const told = (id: string) =>
			stage.server.last().messages.filter(({ content }) => JSON.stringify(content ?? "").includes(`Do ${id} for it.`))
				.length;
		expect(told("a")).toBe(1);
		await pi.send({ type: "compact" });
		await pi.run("where are we?");
		expect(stage.server.last().users.join("\n")).toContain("What was said before.");
		expect(told("a")).toBe(1);
		await pi.run("next");
		expect([told("a"), told("b")]).toEqual([1, 1]);
		await pi.run("anything");
		expect(told("b")).toBe(1);
	});
});

deepIt("a compaction in the middle of work sends the phase again before the next request", async () => {
	const stage = await openStage(
		{ w: { phases: ["a", "b"], autoContinue: false } },
		{ settings: { compaction: { keepRecentTokens: 200, reserveTokens: 2_000 } } },
	);
	const compactor = stage.project.write(
		"compactor.mjs",
		`export default (pi) => pi.on("session_before_compact", ({ preparation }) => ({
			compaction: { summary: "What was said before.", firstKeptEntryId: preparation.firstKeptEntryId, tokensBefore: preparation.tokensBefore },
		}));`,
	);
	const pi = await stage.rpc({ extensions: [compactor], model: "scripted/small" });
	const full = { usage: { input: 19_500, output: 10, cached: 0 } };
	const long = "x".repeat(3_000);
	stage.play(
		call("bash", { command: `echo ${long}` }),
		call("bash", { command: `echo ${long}` }, full),
		call("bash", { command: "true" }),
		"in a",
	);
	await pi.prompt("/workflow w it");
	await pi.settled();
	expect(pi.eventsOf("compaction_end")).toHaveLength(1);
	const told = stage.server.requests.map(
		({ messages }) => messages.filter(({ content }) => JSON.stringify(content ?? "").includes("Do a for it.")).length,
	);
	expect(told).toEqual([1, 1, 1, 1]);
	expect(stage.server.requests[2]?.users.join("\n")).toContain("What was said before.");
});

deepIt("sends the phase again after the context was cut at the end of a turn, for example by a handoff", async () => {
	const stage = await openStage({ w: { phases: ["a", "b"], autoContinue: false } });
	const pi = await stage.rpc();
	const told = (id: string) =>
		stage.server.last().messages.filter(({ content }) => JSON.stringify(content ?? "").includes(`Do ${id} for it.`))
			.length;
	stage.play("in a");
	await pi.prompt("/workflow w it");
	await pi.settled();
	stage.play(call("handoff", { context: "What was found." }), call("bash", { command: "true" }), "still in a");
	await pi.prompt("/handoff go on");
	await pi.idle();
	expect(JSON.stringify(stage.server.last().messages)).toContain("What was found.");
	expect(told("a")).toBe(1);
	stage.play(step("next"), "in b");
	await pi.run("next");
	expect([told("a"), told("b"), stage.left]).toEqual([1, 1, 0]);
});

describe("the session's entries", () => {
	it("are small, append-only, and contain the definition once", async () => {
		const phases = Array.from({ length: 12 }, (_, index) => ({
			id: `phase-${index}`,
			body: `Long text ${"x".repeat(3_000)}`,
		}));
		const stage = await openStage({ w: phases });
		const pi = await stage.rpc();
		stage.play(...phases.map(() => step("next", "s".repeat(1_000))), "end");
		await pi.prompt(`/workflow w ${"a long task ".repeat(700)}`);
		await pi.settled();
		const session = readSession(String((await pi.state()).sessionFile));
		const bytes = session.customBytes("workflow:state");
		expect(bytes).toHaveLength(13);
		// Every change is as large as the others, but for digits and the summary.
		expect(Math.max(...bytes.slice(1)) - 1_000).toBeLessThan(600);
		expect(Math.max(...bytes.slice(1, -1)) - Math.min(...bytes.slice(1, -1))).toBeLessThan(20);
		expect(session.customBytes("workflow:definition")).toHaveLength(1);
		expect(session.branch().length).toBe(session.entries.length);
		expect(session.custom<State>("workflow:state").map(pathOf).slice(0, 3)).toEqual(["w:0", "w:1", "w:2"]);
	});
});
