// Child sessions in real pi: a process of their own, the shared notebook, bounded answers, nothing left running.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, calls, hang, openBench, say } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";

const childOf = (server: { requests: { lastUser: string; tools: string[]; users: string[] }[] }, prompt: string) =>
	server.requests.find(({ users }) => users.some((text) => text.includes(prompt)));

describe("spawn", () => {
	it("is absent until it is turned on, and absent in the child", async () => {
		const { server, rpc } = await openBench({
			script: {
				"CHILD TASK": [say("forty-two", { usage: { input: 500, output: 20 } })],
				"*": [say("plain"), call("spawn", { prompt: "CHILD TASK: what is it?" }), say("thanks")],
			},
		});
		const pi = await rpc();
		await pi.run("hi");
		expect(server.requests[0]?.tools).not.toContain("spawn");
		await pi.prompt("/spawn on");
		await pi.run("go");
		const child = childOf(server, "CHILD TASK");
		expect(child?.tools).toContain("bash");
		expect(child?.tools).not.toContain("spawn");
		expect(child?.users.join()).not.toContain("go");
		expect(pi.toolResults()[0]).toMatchObject({ tool: "spawn", error: false });
		expect(JSON.stringify(server.requests.at(-1)?.results)).toContain("forty-two");
		const ended = pi.events.find((event) => event.type === "tool_execution_end") as {
			result?: { usage?: { totalTokens: number } };
		};
		expect(ended.result?.usage?.totalTokens).toBe(520);
	});

	deepIt("shares the notebook both ways", async () => {
		const { server, rpc } = await openBench({
			script: {
				"LOOK AROUND": [
					call("notebook_read", { name: "plan" }),
					call("notebook_write", { name: "found", content: "a bug in parse" }),
					say("done"),
				],
				"*": [
					call("notebook_write", { name: "plan", content: "first the parser" }),
					call("spawn", { prompt: "LOOK AROUND" }),
					say("ok"),
				],
			},
		});
		const pi = await rpc();
		await pi.prompt("/notebook on");
		await pi.prompt("/spawn on");
		await pi.run("go");
		const seen = server.requests.filter(({ users }) => users.some((text) => text.includes("LOOK AROUND")));
		expect(JSON.stringify(seen[1]?.results)).toContain("first the parser");
		await pi.prompt("/notebook");
		expect(pi.screen.text).toContain("- found: a bug in parse");
	});

	deepIt("two children run side by side; a failing one is an error, not an empty success", async () => {
		const { rpc } = await openBench({
			settings: { retry: { enabled: false } },
			script: {
				"FIRST CHILD": [say("one")],
				"SECOND CHILD": [say("")],
				"*": [
					calls([
						["spawn", { prompt: "FIRST CHILD" }],
						["spawn", { prompt: "SECOND CHILD" }],
						["spawn", { prompt: " " }],
					]),
					say("ok"),
				],
			},
		});
		const pi = await rpc();
		await pi.prompt("/spawn on");
		await pi.run("go");
		expect(pi.toolResults().map(({ error }) => error)).toEqual([false, true, true]);
	});

	deepIt("a long answer is cut and names the file with the full text", async () => {
		const long = "word ".repeat(20_000);
		const { server, rpc } = await openBench({
			script: { "LONG CHILD": [say(long)], "*": [call("spawn", { prompt: "LONG CHILD" }), say("ok")] },
		});
		const pi = await rpc();
		await pi.prompt("/spawn on");
		await pi.run("go");
		const result = JSON.stringify(server.requests.at(-1)?.results);
		expect(result.length).toBeLessThan(60_000);
		const path = /the full answer is in (\S+\.md)/.exec(result)?.[1] ?? "";
		expect(readFileSync(path, "utf8")).toBe(long);
	});

	deepIt("a long line is cut between characters, alone or after a short one, never to nothing", async () => {
		const line = "日本é".repeat(20_000);
		const { server, rpc } = await openBench({
			script: {
				"ONE LINE": [say(line)],
				"A HEAD": [say(`Found:\n${line}`)],
				"*": [
					calls([
						["spawn", { prompt: "ONE LINE" }],
						["spawn", { prompt: "A HEAD" }],
					]),
					say("ok"),
				],
			},
		});
		const pi = await rpc();
		await pi.prompt("/spawn on");
		await pi.run("go");
		const answers = pi.toolResults().map(({ text }) => text);
		expect(answers).toHaveLength(2);
		for (const answer of answers) {
			const [head = "", note] = answer.split("\n\n[");
			expect(note).toContain("the full answer is in");
			expect(Buffer.byteLength(head)).toBeGreaterThan(45_000);
			expect(Buffer.byteLength(head)).toBeLessThanOrEqual(50 * 1024);
			expect(`Found:\n${line}`.slice(head.startsWith("Found") ? 0 : 7).startsWith(head)).toBe(true);
		}
		expect(server.requests).toHaveLength(4);
	});

	it("Esc stops the child and its descendants", async () => {
		const { project, server, rpc } = await openBench({
			script: {
				"SLOW CHILD": [call("bash", { command: "sleep 300 & sleep 301" }), hang()],
				"*": [call("spawn", { prompt: "SLOW CHILD" }), say("stopped")],
			},
		});
		server.lenient();
		const pi = await rpc();
		await pi.prompt("/spawn on");
		await pi.prompt("go");
		await server.waitForRequest(2);
		await pi.waitFor("tool_execution_update");
		await pi.send({ type: "abort" });
		await pi.settled();
		await expect
			.poll(() => project.processes().filter(({ command }) => command.includes("sleep 30")), { timeout: patient(8000) })
			.toEqual([]);
	});
});
