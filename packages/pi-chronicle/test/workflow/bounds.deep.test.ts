// A phase that repeats its calls or reaches a ceiling, in real pi: the model is warned, then the workflow waits for the user.
import { describe, expect, it } from "vitest";
import { call, calls, type ModelRequest, openBench, say } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { type WorkflowDraft, workflowFiles } from "./stage.ts";

const next = call("workflow_step", { action: "next", summary: "did it" });

async function play(reply: (n: number, request: ModelRequest) => unknown, phase: object = {}, workflow: object = {}) {
	let n = 0;
	const draft = { phases: [{ id: "only", ...phase }, "after"], ...workflow } as WorkflowDraft;
	const bench = await openBench({
		files: { ...workflowFiles({ round: draft }), "a.txt": "a\n" },
		settings: { chronicle: { workflow: { countdown: 0 } } },
		script: (request) => (n >= 120 ? say("enough") : (reply(n++, request) as never)),
	});
	bench.server.lenient();
	return bench;
}

describe("a phase", { timeout: patient(60_000) }, () => {
	it.each([
		["the same call", {}, () => call("bash", { command: "true" })],
		["the same refused call", { tools: { blacklist: ["bash"] } }, () => call("bash", { command: "true" })],
		[
			"the same refused step, in ever new words",
			{},
			(n: number) => call("workflow_step", { action: "loop", summary: `try ${n}` }),
		],
		[
			"the same six calls side by side",
			{},
			() =>
				calls(Array.from({ length: 6 }, (_, n) => ["bash", { command: `echo ${n}` }] as [string, { command: string }])),
		],
		["a cycle of three", {}, (n: number) => call("bash", { command: `echo ${n % 3}` })],
	])(
		"that repeats itself is warned after 3 times and paused after 6, with the reason: %s",
		async (_name, phase, reply) => {
			const { server, project, print } = await play(reply, phase, { loopable: false });
			const done = await print("/workflow round do it");
			expect(done.code, done.stderr).toBe(3);
			expect(`${done.stdout}${done.stderr}`).toMatch(/paused: No progress: the same .*6 (times|messages)/);
			expect(server.last().users.join()).toContain("You are making no progress");
			expect(server.requests.length).toBeLessThanOrEqual(19);
			expect(project.processes()).toEqual([]);
		},
	);

	it("is stopped if the model only restarts it repeatedly, but not if it works in between", async () => {
		const loop = call("workflow_step", { action: "loop" });
		const idle = await play((n) => call("workflow_step", { action: "loop", summary: `try ${n}` }));
		const stopped = await idle.print("/workflow round do it");
		expect(`${stopped.stdout}${stopped.stderr}`).toContain("paused: No progress");
		expect(idle.server.requests).toHaveLength(6);

		const busy = await play((n) => (n < 40 ? (n % 2 ? loop : call("bash", { command: `echo ${n}` })) : next));
		const done = await busy.print("/workflow round do it");
		expect(`${done.stdout}${done.stderr}`).not.toContain("No progress");
	});

	it("is not stopped by 80 different calls, nor by equal ones if it polls, but by its own limits", async () => {
		const useful = await play((n) => (n < 80 ? call("bash", { command: `echo ${n}` }) : next));
		const done = await useful.print("/workflow round do it");
		expect(`${done.stdout}${done.stderr}`).not.toContain("paused");

		const polling = await play(() => call("bash", { command: "true" }), { polling: true, limits: { calls: 20 } });
		const stopped = await polling.print("/workflow round do it");
		expect(`${stopped.stdout}${stopped.stderr}`).toContain("Limit of one visit reached: 20 calls of tools");
		expect(polling.server.requests).toHaveLength(20);

		const few = await play((n) => call("bash", { command: `echo ${n}` }), {}, { limits: { requests: 7 } });
		const ended = await few.print("/workflow round do it");
		expect(`${ended.stdout}${ended.stderr}`).toContain("7 requests to the model");
		expect(few.server.requests).toHaveLength(7);
	});

	it("that was paused continues when the user resumes it, with fresh counts", async () => {
		let steps = 0;
		let resumed = false;
		const { rpc } = await play(() => {
			if (!resumed) return call("bash", { command: "true" });
			return steps++ < 2 ? next : say("finished");
		});
		const pi = await rpc();
		await pi.prompt("/workflow round do it");
		await pi.settled();
		expect(pi.screen.text).toContain("No progress");
		expect((await pi.customEntries("workflow:state")).at(-1)).toMatchObject({ paused: { by: "bounds" } });
		resumed = true;
		await pi.prompt("/workflow resume");
		await pi.settled();
		expect(pi.toolResults().at(-1)).toMatchObject({ tool: "workflow_step", error: false });
	});
});
