// Starting workflows in real pi: questions, session names, refusals, and starts while pi is busy.
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { gate, openProject, type Rpc, say, startRpc } from "../harness/index.ts";
import { openRpcStage, openStage, type Stage, type State, step, workflowFiles } from "./stage.ts";

let stage: Stage & { pi: Rpc };
let pi: Rpc;
const answers: boolean[] = [];

beforeAll(async () => {
	stage = await openRpcStage(
		{
			x: { name: "The X", phases: ["a", "b"] },
			named: { phases: ["a"], sessionNamePrefix: "N: ", sessionNameMaxLength: 5, autoContinue: false },
			hidden: { show: "workflows", phases: ["h1"] },
			outer: { phases: ["@hidden"], initialMessage: "First: {firstPhaseName} of {firstPhaseId}" },
			status: { name: "Called like a verb", phases: ["a"] },
		},
		{
			files: { ".pi/workflows/broken/workflow.yaml": "name: Broken\nphases: [gone.md]\ncommandName: broken\n" },
			agentFiles: workflowFiles({ everywhere: ["g1"] }, "workflows"),
		},
		{ answers: () => answers.shift() ?? true },
	);
	({ pi } = stage);
});
afterEach(async () => {
	await pi.prompt("/cancel-workflow");
	await pi.idle(20_000, 40);
});

const lastNotice = () => pi.screen.notifications.at(-1);
const states = () => pi.customEntries<State>("workflow:state");

describe("/workflow", () => {
	it("alone prints its usage and every startable workflow", async () => {
		await pi.prompt("/workflow");
		const text = lastNotice()?.message ?? "";
		expect(text).toContain("Usage: /workflow <name> <task>");
		expect(text).toMatch(/^ {2}x +The X$/m);
		expect(text).toMatch(/^ {2}everywhere +Workflow everywhere$/m);
		expect(text).not.toMatch(/^ +hidden /m);
		expect(text).toContain("broken");
		expect(lastNotice()?.type).toBe("info");
	});

	it("with a name only prints what is missing", async () => {
		await pi.prompt("/workflow x");
		expect(lastNotice()).toEqual({ message: expect.stringContaining("/workflow x <task>"), type: "warning" });
	});

	it("with an unknown name prints the known names, except hidden ones", async () => {
		for (const line of ["/workflow nope text", "/workflow nope", "/workflow constructor a", "/workflow __proto__ a"]) {
			await pi.prompt(line);
			expect(lastNotice()?.type).toBe("error");
			const text = lastNotice()?.message ?? "";
			expect(text).toMatch(/Workflows: .*\bx\b/);
			expect(text).not.toContain("hidden");
		}
	});

	it("with the name of a workflow that did not load prints why", async () => {
		await pi.prompt("/workflow broken it");
		expect(lastNotice()).toMatchObject({ type: "error", message: expect.stringContaining("gone.md") });
	});

	it("with the name of a workflow that only runs inside others says so", async () => {
		await pi.prompt("/workflow hidden it");
		expect(lastNotice()).toMatchObject({ type: "error", message: expect.stringContaining("only runs inside others") });
		expect(await states()).toEqual([]);
	});

	it("with the name of a workflow that is also a verb starts the workflow, and the verb stays reachable", async () => {
		await pi.prompt("/workflow status");
		expect(lastNotice()?.message).toContain("/workflow status <task>");
		await pi.prompt("/workflow --status");
		expect(lastNotice()?.message).toMatch(/^No workflow is active/);
		await pi.prompt("/workflow list");
		expect(lastNotice()?.message).toContain("Called like a verb");
		await pi.prompt("/workflow check");
		expect(lastNotice()).toMatchObject({
			type: "error",
			message: expect.stringMatching(/gone\.md[\s\S]*1 did not load/),
		});
		await pi.prompt("/workflow show x");
		expect(lastNotice()?.message).toMatch(/^```mermaid\nflowchart TD[\s\S]*🔹 A[\s\S]*```$/);
	});
});

describe("a start", () => {
	it("trims the task and keeps its line breaks", async () => {
		stage.play("stop");
		await pi.prompt("/workflow x  multi\nline ");
		await pi.settled();
		expect(stage.server.requests[0]?.users[0]).toBe("Start x: multi\nline");
		expect((await states()).at(-1)?.taskDescription).toBe("multi\nline");
	});

	it("enters nested workflows, with the first phase in the first message", async () => {
		await pi.prompt("/workflow outer go");
		await pi.settled();
		expect(stage.server.last().users).toContain("First: H1 of h1");
		expect((await states()).at(-1)?.currentPath).toMatchObject([
			{ workflowKey: "outer", phaseIndex: 0 },
			{ workflowKey: "hidden", phaseIndex: 0, phaseId: "h1" },
		]);
	});

	it("shows the current phase before the first answer, and without a gap when the phase changes", async () => {
		const mark = (pi.screen.statusHistory ?? []).length;
		stage.play(say("thinking", { delay: 5 }), step("next"), step("next"));
		await pi.prompt("/workflow x shown");
		expect(await pi.screen.status(/The X > 🔹 A \[1\/2\]/)).toBeTruthy();
		await pi.idle();
		const seen = pi.screen.statusHistory.slice(mark).filter(({ key }) => key === "chronicle-workflow");
		expect(seen.map(({ text }) => text)).toEqual(["The X > 🔹 A [1/2]", "The X > 🔹 B [2/2]", undefined]);
	});

	it("names the session, unless the user has named it", async () => {
		const name = async () => (await pi.state()).sessionName;
		await pi.prompt("/workflow x first task");
		await pi.settled();
		expect(await name()).toBe("Workflow: first task");
		await pi.prompt("/workflow named exact");
		await pi.settled();
		expect(await name()).toBe("N: exact");
		await pi.prompt("/workflow named longer");
		await pi.settled();
		expect(await name()).toBe("N: longe…");
		await pi.send({ type: "set_session_name", name: "Mine" });
		await pi.prompt("/workflow x second task");
		await pi.settled();
		expect(await name()).toBe("Mine");
	});

	it("during another workflow asks first", async () => {
		await pi.prompt("/workflow named keep me");
		await pi.settled();
		const before = await states();
		const asked = stage.server.requests.length;

		answers.push(false);
		await pi.prompt("/workflow x instead");
		expect(pi.screen.dialogs.at(-1)).toMatchObject({
			method: "confirm",
			message: expect.stringMatching(/phase A[\s\S]*keep me/),
		});
		expect(await states()).toEqual(before);
		expect(stage.server.requests.length).toBe(asked);

		answers.push(true);
		await pi.prompt("/workflow x instead");
		await pi.settled();
		const after = (await states()).slice(before.length);
		expect(after[0]).toMatchObject({ workflowKey: "named", active: false, cancelled: true });
		expect(after[1]).toMatchObject({ workflowKey: "x", active: true, globalStepCount: 0 });
		expect(after[1]?.taskId).not.toBe(before.at(-1)?.taskId);
	});

	it("while pi is busy is delayed until pi is idle, and never starts partially", async () => {
		const held = gate();
		stage.play(say("long answer", { after: held.opened }));
		const before = (await states()).length;
		await pi.prompt("work on something");
		const start = pi.prompt("/workflow named after that");
		await pi.screen.notified("starts when pi has finished");
		expect((await states()).length).toBe(before);
		expect(pi.screen.statuses.get("chronicle-workflow")).toBeUndefined();
		held.open();
		await start;
		await pi.idle();
		expect((await states()).at(-1)).toMatchObject({
			workflowKey: "named",
			active: true,
			taskDescription: "after that",
		});
		expect(stage.server.last().users.at(-2)).toBe("Start named: after that");
		expect(pi.eventsOf("extension_error")).toEqual([]);
	});

	it("of two workflows at once starts one and refuses the other", async () => {
		const before = (await states()).length;
		// A second one that comes late is asked about.
		answers.push(false);
		await Promise.all([pi.prompt("/workflow named one"), pi.prompt("/workflow x two")]);
		await pi.settled();
		answers.length = 0;
		expect((await states()).slice(before).map(({ workflowKey }) => workflowKey)).toEqual(["named"]);
		expect(stage.server.last().users.at(-2)).toBe("Start named: one");
		expect(pi.eventsOf("extension_error")).toEqual([]);
	});

	it("canceled while pi is busy is reported to the model, which gets no reminder", async () => {
		const held = gate();
		stage.play(say("at work", { after: held.opened }), "I have stopped");
		await pi.prompt("/workflow x to be given up");
		await stage.server.waitForRequest((request) => request.users.includes("Start x: to be given up"));
		await pi.prompt("/cancel-workflow");
		expect(pi.screen.statuses.get("chronicle-workflow")).toBeUndefined();
		held.open();
		await pi.idle();
		expect(stage.server.last().lastUser).toMatch(
			/^\[Automatic message from pi-chronicle\] The user has cancelled the workflow "The X"/,
		);
		expect(stage.left).toBe(0);
	});
});

deepIt(
	"each tool in a blacklist that the session does not have is reported at the start; case does not matter",
	async () => {
		const black = (...names: string[]) => ({ phases: [{ id: "a", tools: { blacklist: names } }] });
		const typos = await openRpcStage({ odd: black("Edit", "wirte"), fine: black("edit", "mcp__docs__save", "search") });
		for (const key of ["fine", "odd"]) {
			typos.play(step("next"), "end");
			await typos.pi.prompt(`/workflow ${key} it`);
			await typos.pi.settled();
		}
		expect(
			typos.pi.screen.notifications.filter(({ type }) => type === "warning").map(({ message }) => message),
		).toEqual([
			expect.stringMatching(/fine\/a\.md:\d+:\d+ .*`mcp__docs__save`.*no such tool/),
			expect.stringMatching(/fine\/a\.md:\d+:\d+ .*`search`.*no such tool/),
			expect.stringMatching(/odd\/a\.md:\d+:\d+ .*`wirte`.*Did you mean `write`/),
		]);
	},
);

describe("a start that is impossible", () => {
	it("without a model is refused with the reason", async () => {
		const project = openProject({ files: workflowFiles({ x: ["a"] }), trusted: true });
		const bare = await startRpc(project, { model: null });
		await bare.prompt("/workflow x it");
		await bare.screen.notified("No model is available");
		expect(await bare.customEntries("workflow:state")).toEqual([]);
	});

	it("in an untrusted project reads none of its workflows, which is reported", async () => {
		const untrusted = await openStage({ x: ["a"] }, { trusted: false });
		const rpc = await untrusted.rpc();
		await rpc.prompt("/workflow x it");
		expect(rpc.screen.notifications.at(-1)).toMatchObject({
			type: "error",
			message: expect.stringMatching(/no workflow "x"[\s\S]*not trusted/),
		});
		expect(untrusted.server.requests).toEqual([]);
	});

	deepIt("with a tool list without workflow_step is refused with a working remedy", async () => {
		const limited = await openStage({ x: ["a"] });
		const rpc = await limited.rpc({ args: ["--tools", "read,bash"] });
		await rpc.prompt("/workflow x it");
		expect(rpc.screen.notifications.at(-1)?.message).toContain("add it to --tools");
		expect(await rpc.customEntries("workflow:state")).toEqual([]);
		expect(limited.server.requests).toEqual([]);
		await rpc.close();
		limited.play(step("next"), "end");
		const { code, stdout } = await limited.print("/workflow x it", { args: ["--tools", "read,bash,workflow_step"] });
		expect([code, stdout]).toEqual([0, expect.stringContaining("is DONE")]);
	});
});
