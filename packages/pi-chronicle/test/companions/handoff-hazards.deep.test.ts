// Handoffs at awkward moments, in real pi: while the model works, twice, stopped at each stage, under limits.
import { describe, expect, it } from "vitest";
import { call, calls, fail, gate, hang, openBench, say } from "../harness/index.ts";
import { workflowFiles } from "../workflow/stage.ts";

describe("a handoff at an awkward moment", () => {
	it("requested while the model works, it follows that work without an error", async () => {
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
		expect(server.requests[3]?.tools).toContain("handoff");
	});

	it("requested while the model works and that work is stopped: nothing remains queued for the next run", async () => {
		const { server, rpc } = await openBench({ script: [hang("let me see"), say("after"), say("more")] });
		const pi = await rpc();
		await pi.prompt("work");
		await pi.waitFor("message_update");
		const asked = pi.prompt("/handoff write the tests");
		await pi.prompt("/notebook");
		await pi.send({ type: "abort" });
		await asked;
		expect(pi.screen.text).toContain("The handoff was stopped.");
		await pi.run("after that");
		expect(server.requests).toHaveLength(2);
		expect(JSON.stringify(server.requests[1]?.body)).not.toMatch(/handoff/i);
	});

	it("requested while the model works and that work fails: the model is asked in a separate run", async () => {
		const held = gate();
		const { server, rpc } = await openBench({
			settings: { retry: { enabled: false } },
			script: async (request) => {
				if (server.requests.length === 1) {
					await held.opened;
					return fail(400, "no such thing");
				}
				return request.users.join().includes("asks for a handoff")
					? call("handoff", { context: "the brief" })
					: say("successor");
			},
		});
		const pi = await rpc();
		await pi.prompt("work");
		await server.waitForRequest(1);
		const asked = pi.prompt("/handoff write the tests");
		await pi.prompt("/notebook");
		held.open();
		await asked;
		expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain("the brief");
		expect(pi.screen.notifications.filter(({ type }) => type !== "info")).toEqual([]);
	});

	it("requested in the middle of work with tools, it reaches the model only after that work", async () => {
		const held = gate();
		const { server, rpc } = await openBench({
			script: [
				call("bash", { command: "true" }, { after: held.opened }),
				call("bash", { command: "true" }),
				say("work done"),
				call("handoff", { context: "the brief" }),
				say("successor"),
			],
		});
		const pi = await rpc();
		await pi.prompt("work");
		await server.waitForRequest(1);
		const asked = pi.prompt("/handoff write the tests");
		// Answered only after the command before it has begun to wait.
		await pi.state();
		held.open();
		await asked;
		await pi.idle();
		expect(server.requests.map(({ tools }) => tools.includes("handoff"))).toEqual([false, false, false, true, true]);
		expect(server.requests[3]?.users.join()).toContain("asks for a handoff");
		expect(JSON.stringify(server.requests[4]?.messages)).not.toContain("work done");
		expect(pi.eventsOf("agent_settled")).toHaveLength(1);
	});

	it("requested while pi compacts, it follows the compaction", async () => {
		const held = gate();
		const { server, rpc } = await openBench({
			settings: { compaction: { keepRecentTokens: 1 } },
			script: async (request) => {
				if (request.tools.length === 0) {
					await held.opened;
					return say("SUMMARY");
				}
				return request.users.join().includes("asks for a handoff")
					? call("handoff", { context: "the brief" })
					: say("said");
			},
		});
		const pi = await rpc();
		await pi.run("work");
		const compaction = pi.send({ type: "compact" });
		await server.waitForRequest(({ tools }) => tools.length === 0);
		const asked = pi.prompt("/handoff write the tests");
		await pi.prompt("/notebook");
		held.open();
		await compaction;
		await asked;
		expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain("write the tests");
		expect(pi.screen.notifications.filter(({ type }) => type !== "info")).toEqual([]);
	});

	it("requested again while the successor works, each of the two ends on its own", async () => {
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
		"stopped %s, it reports that, and the tool refuses later calls",
		async (stage) => {
			const late = call("handoff", { context: "nobody asked" });
			const { server, rpc } = await openBench({
				script:
					stage === "before the model answers"
						? [hang("let me see"), late, say("after")]
						: [call("handoff", { context: "brief" }), hang("working"), late, say("after")],
			});
			const pi = await rpc();
			const asked = pi.prompt("/handoff go");
			await server.waitForRequest(stage === "before the model answers" ? 1 : 2);
			await pi.waitFor("message_update", { from: pi.mark() });
			await pi.send({ type: "abort" });
			await asked;
			expect(pi.screen.text).toContain("handoff was stopped");
			await pi.run("after that");
			const refused = expect.stringContaining("No handoff is waiting");
			expect(pi.toolResults().at(-1)).toMatchObject({ tool: "handoff", error: true, text: refused });
		},
	);

	it("asked of the understudy, it is made once; the understudy does not use the tool that it keeps", async () => {
		const { project, rpc } = await openBench({ script: [], files: { "rehearsal.json": "{}" } });
		const env = { PI_CHRONICLE_REHEARSAL: project.path("rehearsal.json") };
		const pi = await rpc({ env, model: "understudy/no-real-model" });
		await pi.prompt("/handoff go on");
		await pi.run("more");
		await pi.prompt("/handoff and again");
		await pi.run("more");
		expect(pi.toolResults().map(({ tool, error }) => [tool, error])).toEqual([
			["handoff", false],
			["handoff", false],
		]);
	});

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
		expect(successor.split("This session is now readonly")).toHaveLength(2);
		expect((await pi.entries()).filter(({ type }) => type === "compaction")).toHaveLength(1);
	});

	it("works inside a read-only phase of a workflow, and the workflow continues after it", async () => {
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
