// Handoffs that interfere with others, in real pi: extensions at the same boundary, limits of the context, pi's own compaction.
import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, fail, openBench, type Reply, say } from "../harness/index.ts";

const briefed = [say("OLD"), call("handoff", { context: "the brief" }), say("successor"), say("more"), say("again")];

/** Hands over with the extension `source` loaded next to the package; returns the successor's prompt and the notifications. */
async function handOver(source: string, script: Reply[] = briefed) {
	const { project, server, rpc } = await openBench({ files: { "other.mjs": source }, script });
	const pi = await rpc({ extensions: [project.path("other.mjs")] });
	await pi.run("first");
	const from = pi.mark();
	await pi.prompt("/handoff do the rest");
	const settles = pi.events.slice(from).filter(({ type }) => type === "agent_settled");
	const summaries = (await pi.entries()).filter(({ type }) => type === "compaction").map(({ summary }) => summary);
	return { pi, server, settles, summaries, last: JSON.stringify(server.requests.at(-1)?.messages) };
}

describe("another extension at the boundary", () => {
	it("that drops other extensions' messages: the cut is repeated, and the successor has brief and direction", async () => {
		const { last, settles, summaries } = await handOver(
			"export default (pi) => pi.on('turn_end', () => ({ entries: [], continue: false }));",
		);
		expect(last).toContain("the brief");
		expect(last).toContain("do the rest");
		expect(last).not.toContain("OLD");
		expect(settles).toHaveLength(1);
		expect(summaries).toEqual(["the brief"]);
	});

	deepIt("that compacts after the cut does not take the direction with it", async () => {
		const { last, settles, summaries } = await handOver(
			"export default (pi) => pi.on('turn_end', (e) => e.toolResults.length > 0 ? { entries: [...e.entries, { type: 'compaction', summary: 'FOREIGN', firstKeptEntryId: null }], continue: true } : undefined);",
		);
		expect(last).toContain("the brief");
		expect(last).toContain("do the rest");
		expect(settles).toHaveLength(1);
		expect(summaries.at(-1)).toBe("the brief");
	});

	deepIt("that undoes every cut ends the handoff after some attempts, and the user is notified", async () => {
		const { pi, server } = await handOver(
			"export default (pi) => { const drop = (e) => ({ entries: [], continue: e.continue }); pi.on('turn_end', drop); pi.on('agent_before_settle', (e) => ({ entries: [{ type: 'custom_message', customType: 'x', content: 'go on', display: false }], continue: e.continue })); };",
			[...briefed, ...Array.from({ length: 4 }, () => say("still"))],
		);
		expect(pi.screen.notifications.at(-1)).toMatchObject({
			type: "error",
			message: expect.stringContaining("restores the context after every handoff"),
		});
		expect(server.requests.length).toBeLessThan(9);
		await pi.run("go on");
	});

	deepIt("that refuses pi's compactions does not affect the cut; one that refuses the tool call does", async () => {
		const { last } = await handOver(
			"export default (pi) => pi.on('session_before_compact', () => ({ cancel: true }));",
		);
		expect(last).toContain("the brief");
		const { pi, summaries } = await handOver(
			"export default (pi) => pi.on('tool_call', (e) => e.toolName === 'handoff' ? { block: true, reason: 'no' } : undefined);",
		);
		expect(summaries).toEqual([]);
		expect(pi.screen.text).toContain("did not call the handoff tool");
	});

	deepIt("that compacts the session meanwhile stops the handoff, visibly", async () => {
		const { pi } = await handOver(
			"export default (pi) => pi.on('tool_execution_start', (e, ctx) => { if (e.toolName === 'handoff') ctx.compact(); });",
		);
		expect(pi.screen.text).toContain("The handoff was stopped.");
	});
});

describe("the size of the context", () => {
	it("nearly full: one cut, no compaction by pi, and no warning about the old context to the successor", async () => {
		const { server, rpc } = await openBench({
			settings: { chronicle: { watchdog: true }, compaction: { enabled: true, reserveTokens: 4_000 } },
			script: [
				say("OLD", { usage: { input: 1_000, output: 10 } }),
				call("handoff", { context: "the brief" }, { usage: { input: 19_500, output: 20 } }),
				say("successor"),
			],
		});
		const pi = await rpc({ model: "scripted/small" });
		await pi.run("first");
		await pi.prompt("/handoff do the rest");
		const last = JSON.stringify(server.requests.at(-1)?.messages);
		expect(last).toContain("do the rest");
		expect(last).not.toContain("Your context is");
		expect((await pi.entries()).filter(({ type }) => type === "compaction")).toHaveLength(1);
	});

	deepIt("too full for a request: pi compacts, the model is asked again, and the direction arrives", async () => {
		let overflowed = false;
		const { server, rpc } = await openBench({
			settings: { compaction: { enabled: true, keepRecentTokens: 10 }, retry: { enabled: false } },
			script: (request) => {
				if (request.lastUser === "first") return say("OLD ".repeat(30));
				const told = JSON.stringify(request.messages);
				if (!overflowed && told.includes("asks for a handoff")) {
					overflowed = true;
					return fail(400, "maximum context length is 20000 tokens. However, your messages resulted in 30000 tokens");
				}
				if (request.tools.length === 0) return say("SUMMARY");
				if (told.includes("You are the successor")) return say("successor");
				return told.includes("handoff") ? call("handoff", { context: "the brief" }) : say("hm");
			},
		});
		const pi = await rpc({ model: "scripted/small" });
		await pi.run("first");
		await pi.prompt("/handoff do the rest");
		expect(overflowed).toBe(true);
		const last = server.requests.at(-1);
		expect(last?.users.join()).toContain("do the rest");
		expect(JSON.stringify(last?.messages)).toContain("the brief");
		expect(pi.screen.notifications.filter(({ type }) => type === "error")).toEqual([]);
	});

	it("pi's compaction in the middle of a run keeps the model informed that the session is readonly", async () => {
		const { server, rpc } = await openBench({
			settings: { compaction: { enabled: true, reserveTokens: 4_000, keepRecentTokens: 10 } },
			script: (request) => {
				if (request.tools.length === 0) return say("SUMMARY");
				const input = request.messages.some((one) => JSON.stringify(one).includes("SUMMARY")) ? 2_000 : 18_000;
				return request.results.length < 3
					? call("bash", { command: "true" }, { usage: { input, output: 10 } })
					: say("done");
			},
		});
		const pi = await rpc({ model: "scripted/small" });
		await pi.prompt("/readonly on");
		await pi.run("look around");
		const last = JSON.stringify(server.requests.at(-1)?.messages);
		expect(last).toContain("SUMMARY");
		expect(last.split("This session is now readonly")).toHaveLength(2);
	});

	deepIt("a failing successor is reported differently from a handoff that did not happen", async () => {
		const { rpc } = await openBench({
			settings: { retry: { enabled: false } },
			script: [call("handoff", { context: "the brief" }), fail(400, "no credit")],
		});
		const pi = await rpc();
		await pi.prompt("/handoff do the rest");
		expect(pi.screen.text).toMatch(/handed over, but its successor failed: .*no credit/);
	});

	it("a handoff that did not happen sets the exit code in print mode", async () => {
		const { print } = await openBench({ script: () => say("no") });
		expect(await print("/handoff never")).toMatchObject({ code: 1, stderr: expect.stringContaining("did not call") });
	});
});
