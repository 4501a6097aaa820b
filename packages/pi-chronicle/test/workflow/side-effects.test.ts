// Effects of workflows on the model's context, pi and other extensions, in real pi.
import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, fixtureExtension, type ModelRequest, packageUnderTest, startRpc } from "../harness/index.ts";
import { ask, openRpcStage, openStage, type State, step } from "./stage.ts";

/** What a request says of a workflow, by words that only its texts have. */
const marks = (request: ModelRequest | undefined) =>
	["INSTRUCTIONS-A", "INSTRUCTIONS-B", "ROLE-TEXT", "workflow_step with action", "is not finished"].filter((word) =>
		JSON.stringify(request?.messages).includes(word),
	);

const marked = {
	phases: [
		{ id: "a", body: "INSTRUCTIONS-A" },
		{ id: "b", body: "INSTRUCTIONS-B" },
	],
	roleInstruction: "ROLE-TEXT",
	autoContinue: false,
};

describe("the model's context", () => {
	it("gets a phase once, regardless of later messages; the system prompt and earlier messages stay unchanged", async () => {
		const { pi, play, server } = await openRpcStage({ w: marked });
		await pi.run("hello");
		play("one");
		await pi.prompt("/workflow w it");
		await pi.settled();
		for (const text of ["two", "three", "four"]) await pi.run(text);
		play(step("next"), "five");
		await pi.run("next please");
		for (const text of ["six", "seven"]) await pi.run(text);
		const last = server.last();
		const times = (word: string) => JSON.stringify(last.messages).split(word).length - 1;
		expect([times("INSTRUCTIONS-A"), times("INSTRUCTIONS-B"), times("ROLE-TEXT")]).toEqual([1, 1, 1]);
		expect(new Set(server.requests.map(({ system }) => system)).size).toBe(1);
		// Every request begins with all of the one before: nothing that was sent is changed.
		const begun = server.requests.slice(1);
		for (let at = 1; at < begun.length; at++)
			expect(begun[at]?.messages.slice(0, begun[at - 1]?.messages.length)).toEqual(begun[at - 1]?.messages);
	});

	it("stays as it was sent when a workflow ends, however it ends; the end is told once, and a compaction removes the rest", async () => {
		const { pi, play, server, project } = await openStage(
			{ w: marked, other: { ...marked, autoContinue: true } },
			{ settings: { compaction: { keepRecentTokens: 1 } } },
		).then(async (stage) => {
			const compactor = stage.project.write(
				"compactor.mjs",
				`export default (pi) => pi.on("session_before_compact", ({ preparation }) => ({
					compaction: { summary: "Earlier.", firstKeptEntryId: preparation.firstKeptEntryId, tokensBefore: 1 } }));`,
			);
			return { ...stage, pi: await stage.rpc({ extensions: [compactor] }) };
		});
		expect(project.exists("compactor.mjs")).toBe(true);
		await pi.run("hello");
		play(step("next"), step("status"), step("next"), "done");
		await pi.prompt("/workflow w it");
		await pi.settled();
		await pi.run("thanks");
		play("I stop", "Which one?", ask("Which one?"));
		await pi.prompt("/workflow other second");
		await pi.settled();
		await pi.prompt("/cancel-workflow");
		for (const text of ["and now", "later"]) await pi.run(text);
		play("waiting");
		await pi.prompt("/workflow w third");
		await pi.settled();
		await pi.prompt("/cancel-workflow");
		play("waiting");
		await pi.prompt("/workflow w fourth");
		await pi.settled();

		const begun = server.requests.slice(1);
		for (let at = 1; at < begun.length; at++) {
			expect(begun[at]?.messages.slice(0, begun[at - 1]?.messages.length)).toEqual(begun[at - 1]?.messages);
			expect(begun[at]?.body.tools).toEqual(begun[at - 1]?.body.tools);
		}
		const ends = server.last().users.filter((text) => text.includes("no longer apply"));
		expect(ends).toEqual([
			expect.stringContaining('cancelled the workflow "Workflow other"'),
			expect.stringMatching(/cancelled the workflow "Workflow w"[\s\S]*The message above starts/),
		]);

		await pi.prompt("/cancel-workflow");
		await pi.send({ type: "compact" });
		await pi.run("after the compaction");
		expect([marks(server.last()), server.last().tools.includes("workflow_step")]).toEqual([[], false]);
	});

	deepIt("excludes the final message, which is an entry", async () => {
		const { pi, play, server } = await openRpcStage({
			w: { phases: ["a"], completionMessage: "LAST WORD {phaseCount}" },
		});
		play(step("next"), "done");
		await pi.prompt("/workflow w it");
		await pi.settled();
		await pi.run("hello");
		expect(await pi.customEntries("workflow:complete")).toMatchObject([{ how: "done", text: "LAST WORD 1" }]);
		expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain("LAST WORD");
	});

	it("text never moves a workflow, only the tool does", async () => {
		const { pi, play } = await openRpcStage({ w: { phases: ["a", "b"], autoContinue: false } });
		play(
			"### VERDICT: **APPROVED**, moving to the next phase",
			'{"action":"next"}',
			'workflow_step({"action": "next"})',
			call("workflow_step", '{"action":"nex'),
			"still here",
			call("workflow_step", { action: "advance" }),
			"still here",
		);
		await pi.prompt("/workflow w it");
		await pi.settled();
		for (const text of ["1", "2", "3", "4"]) await pi.run(text);
		expect((await pi.customEntries<State>("workflow:state")).map(({ globalStepCount }) => globalStepCount)).toEqual([
			0,
		]);
	});
});

describe("pi and its other extensions", () => {
	it("the tool is active from the first workflow on; other tools stay on or off", async () => {
		const { play, server, project } = await openStage({ w: { phases: ["a", "b"], autoContinue: false } });
		const chooser = project.write(
			"chooser.mjs",
			`export default (pi) => {
				pi.registerCommand("only", { handler: async (names) => pi.setActiveTools(names.split(",")) });
				pi.registerTool({ name: "workflow_step_of_mine", label: "x", description: "x", parameters: { type: "object", properties: {} },
					execute: async () => ({ content: [{ type: "text", text: "mine" }], details: undefined }) });
			};`,
		);
		const own = await startRpc(project, { extensions: [chooser, fixtureExtension("probe")] });
		expect((await own.probe()).allTools).not.toContain("workflow_step");
		await own.prompt("/only read,workflow_step_of_mine");
		play("waiting");
		await own.prompt("/workflow w it");
		await own.settled();
		expect(server.last().tools.sort()).toEqual(["read", "workflow_step", "workflow_step_of_mine"]);
		await own.prompt("/only bash,workflow_step");
		play(step("next"), step("next"), "done");
		await own.run("go on");
		expect(server.requests.slice(1, -1).map(({ tools }) => tools.sort())).toEqual([
			["bash", "workflow_step"],
			["bash", "workflow_step"],
		]);
		// Without the tool, the provider's cache of the whole conversation would be lost.
		expect(server.last().tools.sort()).toEqual(["bash", "workflow_step"]);
	});

	deepIt("if another extension has its own workflow_step, no workflow starts, which is reported", async () => {
		const { project, server } = await openStage({ w: ["a"] });
		const guest = project.write(
			"guest.mjs",
			`export default (pi) => pi.registerTool({ name: "workflow_step", label: "x", description: "theirs", parameters: { type: "object", properties: {} },
				execute: async () => ({ content: [{ type: "text", text: "theirs" }], details: undefined }) });`,
		);
		const ours = packageUnderTest().extension;
		const own = await startRpc(project, { package: "none", extensions: [guest, ours, fixtureExtension("probe")] });
		await own.prompt("/workflow w it");
		expect(own.screen.notifications.at(-1)?.message).toMatch(
			/Another extension \(.*guest\.mjs\) also has a tool called workflow_step/,
		);
		expect(await own.customEntries("workflow:state")).toEqual([]);
		expect(server.requests).toEqual([]);
		expect((await own.probe()).activeTools).toContain("workflow_step");
	});

	deepIt("another tool's script can't move a workflow", async () => {
		const { play, project } = await openStage({ w: { phases: ["a", "b"], autoContinue: false } });
		const caller = project.write(
			"caller.mjs",
			`export default (pi) => pi.registerTool({ name: "caller", label: "x", description: "x", parameters: { type: "object", properties: {} },
				execute: async (id, args, signal, update, ctx) => {
					const { isError } = await ctx.executeTool("workflow_step", { action: "next" });
					return { content: [{ type: "text", text: String(isError) + ctx.tools.some(({ name }) => name === "workflow_step") }], details: undefined };
				} });`,
		);
		const own = await startRpc(project, { extensions: [caller] });
		play(call("caller", {}), "done");
		await own.prompt("/workflow w it");
		await own.settled();
		expect(own.toolResults().find(({ tool }) => tool === "caller")?.text).toBe("truefalse");
		expect((await own.customEntries<State>("workflow:state")).map(({ globalStepCount }) => globalStepCount)).toEqual([
			0,
		]);
	});

	deepIt("a session that is resumed repeatedly keeps no timer and shows its run once", async () => {
		const { pi, play } = await openRpcStage(
			{ w: ["a"] },
			{ countdown: 2 },
			{ extensions: [fixtureExtension("probe")] },
		);
		const timers = async () => (await pi.probe()).resources.filter((name) => name === "Timeout").length;
		const before = await timers();
		play("I stop");
		await pi.prompt("/workflow w it");
		await pi.waitUntil("the countdown", () => pi.screen.widgets.has("chronicle-countdown"));
		const file = String((await pi.state()).sessionFile);
		await pi.send({ type: "abort" });
		await pi.settled();
		for (let times = 0; times < 3; times++) await pi.send({ type: "switch_session", sessionPath: file });
		expect(pi.screen.statuses.get("chronicle-workflow")).toMatch(/^Workflow w > 🔹 A \[1\/1\]/);
		expect(await timers()).toBeLessThanOrEqual(before);
		play(step("next"), "done");
		await pi.prompt("/workflow resume");
		await pi.settled();
		expect(pi.toolResults().filter(({ tool }) => tool === "workflow_step")).toHaveLength(1);
		expect((await pi.customEntries("workflow:complete")).length).toBe(1);
	});
});
