// The handoff in real pi: one boundary of one run, at any context size, with the user's direction verbatim.
import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, calls, fail, hang, openBench, say } from "../harness/index.ts";

const direction = "Write the tests for `parse()`;\n  keep “quotes” and $@ as they are";

describe("a handoff", () => {
	it("cuts the context, passes the direction on verbatim and continues, in one run with one settle", async () => {
		const { server, rpc } = await openBench({
			script: [
				say("An old answer about SECRET-OLD."),
				call("handoff", { context: "Parser is done, tests are missing." }),
				say("Successor at work."),
				say("Later."),
			],
		});
		const pi = await rpc();
		await pi.run("first");
		const from = pi.mark();
		await pi.prompt(`/handoff ${direction}`);
		const successor = server.requests[2];
		const seen = JSON.stringify(successor?.messages);
		expect(seen).not.toContain("SECRET-OLD");
		expect(seen).toContain("Parser is done, tests are missing.");
		expect(successor?.users.join("\n")).toContain(direction);
		expect(server.requests[1]?.users.at(-1)?.startsWith("/")).toBe(false);
		const since = pi.events.slice(from);
		expect(since.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
		expect(since.find(({ type }) => type === "agent_settled")).not.toMatchObject({ aborted: true });
		await pi.run("next");
		expect(server.requests[0]?.tools).not.toContain("handoff");
	});

	it("reminds a model that does not call the tool twice, then notifies the user", async () => {
		const { server, rpc } = await openBench({ script: [say("no"), say("still no"), say("never")] });
		const pi = await rpc();
		await pi.prompt("/handoff go on");
		await pi.idle();
		expect(server.requests).toHaveLength(3);
		expect(pi.screen.text).toContain("did not call the handoff tool");
	});

	it("is refused without a direction, with an empty brief, and while another is requested", async () => {
		const { rpc } = await openBench({
			script: [calls([["handoff", { context: " " }]]), call("handoff", { context: "enough" }), say("on it")],
		});
		const pi = await rpc();
		await pi.prompt("/handoff  ");
		expect(pi.screen.text).toContain("needs a direction");
		await pi.prompt("/handoff work");
		expect(pi.toolResults()[0]).toMatchObject({ tool: "handoff", error: true });
	});

	deepIt("a provider failure ends the request with a message to the user", async () => {
		const { rpc } = await openBench({
			settings: { retry: { enabled: false } },
			script: [fail(400, "bad request"), say("alive")],
		});
		const pi = await rpc();
		await pi.prompt("/handoff work");
		expect(pi.screen.notifications.at(-1)).toMatchObject({ type: "error" });
		await pi.run("hello");
	});

	it("works in print mode and waits for the successor", async () => {
		const { server, print } = await openBench({
			script: [call("handoff", { context: "all there is" }), say("The successor answers.")],
		});
		const printed = await print("/handoff answer");
		expect(printed.code).toBe(0);
		expect(server.requests).toHaveLength(2);
	});

	deepIt("is withdrawn from the context if it was stopped or failed, not if it finished", async () => {
		const calledOff = "handoff requested above is canceled";
		const { server, rpc } = await openBench({
			script: [
				hang("let me see"),
				say("one"),
				...[say("no"), say("no"), say("no")],
				say("two"),
				call("handoff", { context: "the brief" }),
				say("successor"),
				say("three"),
			],
		});
		const pi = await rpc();
		const asked = pi.prompt("/handoff write the tests");
		await server.waitForRequest(1);
		await pi.waitFor("message_update");
		await pi.send({ type: "abort" });
		await asked;
		await pi.run("next");
		const told = () => JSON.stringify(server.requests.at(-1)?.messages);
		expect(told().indexOf(calledOff)).toBeGreaterThan(told().indexOf("write the tests"));
		await pi.prompt("/handoff write more");
		await pi.idle();
		await pi.run("next");
		expect(told().split(calledOff)).toHaveLength(3);
		await pi.prompt("/handoff do the rest");
		await pi.idle();
		await pi.run("next");
		expect(told()).toContain("the brief");
		expect(told()).not.toContain(calledOff);
		const cut = 7;
		for (const [index, { body, messages }] of server.requests.entries()) {
			const before = server.requests[index - 1];
			if (before === undefined) continue;
			// The provider's cache of the conversation stays valid: only the cut itself replaces what was sent.
			expect(body.tools).toEqual(before.body.tools);
			if (index !== cut) expect(messages.slice(0, before.messages.length)).toEqual(before.messages);
		}
	});
});
