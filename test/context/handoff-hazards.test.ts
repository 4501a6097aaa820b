// Handoffs at awkward moments, in real pi: while the model works, twice, stopped at each stage, under limits.
import { describe, expect, it } from "vitest";
import { call, calls, hang, openBench, say } from "../harness/index.ts";
import { workflowFiles } from "../workflow/stage.ts";

describe("handoff at awkward moments", () => {
	it("asked for while the model works, it follows that work, and nobody hears of a failure", async () => {
		const { server, rpc } = await openBench({
			script: [
				say("a slow answer that takes its time", { chunk: 2, delay: 60 }),
				call("handoff", { context: "the brief" }),
				say("successor"),
				say("later"),
			],
		});
		const pi = await rpc();
		await pi.prompt("work");
		await pi.waitFor("message_update");
		await pi.prompt("/handoff write the tests");

		await pi.idle();
		expect(server.requests).toHaveLength(3);
		expect(JSON.stringify(server.requests[2]?.messages)).toContain("write the tests");
		expect(pi.screen.notifications.filter(({ type }) => type === "error" || type === "warning")).toEqual([]);
		await pi.run("more");
		expect(server.requests[3]?.tools).not.toContain("handoff");
	});

	it("asked for again while the successor works, each of the two ends as itself", async () => {
		const { server, rpc } = await openBench({
			script: [
				call("handoff", { context: "brief one" }),
				say("the first successor, slowly and at length", { chunk: 2, delay: 60 }),
				call("handoff", { context: "brief two" }),
				say("the second successor"),
			],
		});
		const pi = await rpc();
		const first = pi.prompt("/handoff one");
		await server.waitForRequest(2);
		await pi.waitFor("message_update", { from: pi.mark() });
		await pi.prompt("/handoff two");
		await first;
		await pi.idle();
		expect(server.requests).toHaveLength(4);
		expect(JSON.stringify(server.requests[3]?.messages)).toContain("brief two");
		expect(pi.screen.notifications.filter(({ type }) => type === "error" || type === "warning")).toEqual([]);
	});

	it.each(["before the model answers", "while the successor works"])(
		"stopped %s, it says so and leaves no tool",
		async (stage) => {
			const { server, rpc } = await openBench({
				script:
					stage === "before the model answers"
						? [hang("let me see"), say("after")]
						: [call("handoff", { context: "brief" }), hang("working"), say("after")],
			});
			const pi = await rpc();
			const asked = pi.prompt("/handoff go");
			await server.waitForRequest(stage === "before the model answers" ? 1 : 2);
			await pi.waitFor("message_update", { from: pi.mark() });
			await pi.send({ type: "abort" });
			await asked;
			expect(pi.screen.text).toContain("handoff was stopped");
			await pi.run("after that");
			expect(server.requests.at(-1)?.tools).not.toContain("handoff");
		},
	);

	it("works while the session is readonly, as the notebook does; two calls in one message make one cut", async () => {
		const { server, rpc } = await openBench({
			script: [
				call("notebook_write", { name: "facts", content: "kept" }),
				calls([
					["handoff", { context: "first words" }],
					["handoff", { context: "last words" }],
				]),
				say("successor"),
			],
		});
		const pi = await rpc();
		await pi.prompt("/notebook on");
		await pi.prompt("/readonly on");
		await pi.prompt("/handoff go on");
		expect(pi.toolResults().map(({ error }) => error)).toEqual([false, false, false]);
		expect(server.requests).toHaveLength(3);
		const successor = JSON.stringify(server.requests[2]?.messages);
		expect(successor).toContain("last words");
		expect(successor).toContain("facts: kept");
		expect(successor.split("This session is readonly now")).toHaveLength(2);
		expect((await pi.entries()).filter(({ type }) => type === "compaction")).toHaveLength(1);
	});

	it("works inside a workflow's phase that allows reading alone, and the workflow goes on after it", async () => {
		const { server, rpc } = await openBench({
			files: workflowFiles({ look: [{ id: "only", tools: { whitelist: ["read"] }, body: "LOOK CLOSELY" }] }),
			script: (request) => {
				const said = JSON.stringify(request.messages);
				if (said.includes("asks for a handoff") && request.results.length < 2)
					return request.results.length === 0
						? call("notebook_write", { name: "facts", content: "kept" })
						: call("handoff", { context: "the brief" });
				return say("thinking");
			},
		});
		const pi = await rpc();
		await pi.prompt("/notebook on");
		void pi.prompt("/workflow look around").catch(() => {});
		await server.waitForRequest(1);
		await pi.prompt("/workflow pause").catch(() => {});
		await pi.idle();
		await pi.prompt("/handoff go on");
		await pi.idle();
		expect(
			pi
				.toolResults()
				.filter(({ tool }) => tool !== "workflow_step")
				.map(({ tool, error }) => [tool, error]),
		).toEqual([
			["notebook_write", false],
			["handoff", false],
		]);
	});
});
