// A child's prompt is literal text for its model, never a command; a child inherits its parent's limits, and has ceilings.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Footprint, ToolCall } from "../../src/safety/index.ts";
import { inheritedPolicy } from "../../src/workflow/session/index.ts";
import { call, calls, fail, gate, hang, type ModelRequest, openBench, say } from "../harness/index.ts";
import { workflowFiles } from "../workflow/stage.ts";

const hit = { name: "hit", states: { work: { persona: "worker", next: [] } } };
const commands = [
	"/chronicle run hit do it",
	"/readonly off",
	"/skill:probe now",
	"/probe-template now",
	"/notebook on",
	"/chronicle-worker stop",
	" /readonly off",
	"\n/readonly off",
	"/",
];

const modelOf = ({ body }: ModelRequest) => (body as { model?: string }).model;

describe("a child's prompt", () => {
	it("that looks like a command, a skill or a template reaches its model as text, and runs nothing", async () => {
		const { project, server, rpc } = await openBench({
			files: {
				".pi/chronicle/hit.json": hit,
				".pi/skills/probe/SKILL.md": "---\nname: probe\ndescription: a probe\n---\nSKILL BODY\n",
				".pi/prompts/probe-template.md": "TEMPLATE BODY\n",
				"kept.txt": "old\n",
			},
			script: (request) => {
				if (request.tools.includes("spawn")) {
					const prompt = commands[request.results.length];
					return prompt === undefined ? say("done") : call("spawn", { prompt });
				}
				return request.results.length > 0 ? say("tried") : call("write", { path: "kept.txt", content: "new" });
			},
		});
		const pi = await rpc();
		await pi.prompt("/spawn on");
		await pi.prompt("/readonly on");
		await pi.run("go");
		expect(pi.toolResults()).toHaveLength(commands.length);
		for (const result of pi.toolResults()) expect(result).toMatchObject({ error: false, text: "tried" });
		const children = server.requests.filter(({ tools }) => !tools.includes("spawn"));
		for (const text of commands)
			expect(children.some(({ users }) => users.some((said) => said.trim() === text.trim()))).toBe(true);
		expect(JSON.stringify(children.map(({ users }) => users))).not.toMatch(/SKILL BODY|TEMPLATE BODY/);
		expect(project.read("kept.txt")).toBe("old\n");
		expect(project.exists(".pi/chronicle/runs")).toBe(false);
	});

	it("starts a child that the user can make readonly while it works", async () => {
		const held = gate();
		const { project, server, rpc } = await openBench({
			files: { "kept.txt": "old\n" },
			script: {
				"LATE CHILD": [
					say("", { after: held.opened }),
					call("write", { path: "kept.txt", content: "new" }),
					(request) => say(JSON.stringify(request.results)),
				],
				"*": [call("spawn", { prompt: "LATE CHILD" }), say("done")],
			},
		});
		const pi = await rpc();
		await pi.prompt("/spawn on");
		const run = pi.run("go");
		await server.waitForRequest(({ users }) => users.includes("LATE CHILD"));
		await pi.prompt("/readonly on");
		held.open();
		await run;
		expect(pi.toolResults()[0]).toMatchObject({ error: false, text: expect.stringContaining("readonly") });
		expect(project.read("kept.txt")).toBe("old\n");
	});

	it("starts a child that is bound by the limits of its phase", async () => {
		const tools = { blacklist: ["edit", "write"], shell: "strict" };
		const { rpc } = await openBench({
			files: workflowFiles({ look: [{ id: "only", tools, body: "LOOK" }] }),
			script: {
				"BOUND CHILD": [call("bash", { command: "./unknown.sh" }), (request) => say(JSON.stringify(request.results))],
				"*": [call("spawn", { prompt: "BOUND CHILD" }), hang("done")],
			},
		});
		const pi = await rpc({ answers: () => true });
		await pi.prompt("/spawn on");
		const run = pi.prompt("/workflow look around").catch(() => {});
		await pi.waitFor("tool_execution_end");
		expect(pi.toolResults()[0]?.text).toContain('in the phase \\"ONLY\\"');
		await pi.send({ type: "abort" });
		await run;
	});
});

describe("pi's commands", () => {
	it("are sent only from src/pi, so that every other text is sent literally", () => {
		const files = readdirSync("packages/pi-chronicle/src", { recursive: true, encoding: "utf8" }).filter((file) =>
			file.endsWith(".ts"),
		);
		const sends = /type: "(?:prompt|steer|follow_up)"|expandPromptTemplates:/;
		const found = files.filter((file) => sends.test(readFileSync(join("packages/pi-chronicle/src", file), "utf8")));
		expect(found.sort()).toEqual([join("pi", "rpc", "host-line.ts"), join("pi", "rpc", "literal.ts")]);
	});
});

describe("the limits that a child inherits", () => {
	const bash: ToolCall = { id: "c1", tool: "bash", input: { command: "x" }, siblings: [] };
	const unknown = () =>
		({
			accesses: [],
			runs: [],
			unknowns: [{ what: "program", text: "x", may: ["read", "write"] }],
		}) as unknown as Footprint;

	it.each([
		["no running of programs", { kind: "capabilities", may: ["read", "write"] }, "deny"],
		["nothing at all", { kind: "capabilities", may: [] }, "deny"],
		["what cannot be read", { kind: "freer" }, "deny"],
		["a definition that is missing", null, "deny"],
		["all", { kind: "free" }, undefined],
	])("forbid the same in the child as in the parent: %s", (_name, tools, decision) => {
		const policy = inheritedPolicy({ phase: "p", tools }, "/");
		const verdict = policy.judge(bash, unknown);
		expect((verdict as { decision?: string } | undefined)?.decision).toBe(decision);
	});
});

describe("children", () => {
	it("run a few at a time; the others are queued", async () => {
		let now = 0;
		let most = 0;
		const two = gate();
		const { rpc } = await openBench({
			settings: { chronicle: { spawn: true, children: { atOnce: 2 } } },
			script: async (request) => {
				if (request.tools.includes("spawn"))
					return request.results.length > 0
						? say("done")
						: calls(
								Array.from(
									{ length: 5 },
									(_, n) => ["spawn", { prompt: `CHILD ${n}` }] as [string, { prompt: string }],
								),
							);
				most = Math.max(most, ++now);
				if (now === 2) two.open();
				await two.opened;
				await new Promise((done) => setTimeout(done, 300));
				now--;
				return say("answer");
			},
		});
		const pi = await rpc();
		await pi.run("go");
		expect(pi.toolResults().map(({ error }) => error)).toEqual([false, false, false, false, false]);
		expect(most).toBe(2);
	});

	it.each([
		[{ minutes: 0.02 }, "1.2s", [hang("thinking")]],
		[{ tokens: 500 }, "500 tokens", [call("bash", { command: "true" }, { usage: { input: 700, output: 20 } }), hang()]],
		[{ costUsd: 0.001 }, "$0.001", [call("bash", { command: "true" }, { usage: { input: 5000, output: 20 } }), hang()]],
	])("are stopped at their limits: %j", async (children, words, script) => {
		const { server, rpc } = await openBench({
			settings: { chronicle: { spawn: true, children } },
			script: { "BUSY CHILD": script, "*": [call("spawn", { prompt: "BUSY CHILD" }), say("went on")] },
		});
		server.lenient();
		const pi = await rpc();
		await pi.run("go");
		expect(pi.toolResults()[0]).toMatchObject({ tool: "spawn", error: true });
		expect(pi.toolResults()[0]?.text).toContain(`limit of ${words}`);
	});

	it("that are queued when the user aborts never start", async () => {
		const { server, rpc } = await openBench({
			settings: { chronicle: { spawn: true, children: { atOnce: 1 } } },
			script: (request) =>
				request.tools.includes("spawn")
					? calls(["1", "2", "3"].map((n) => ["spawn", { prompt: `CHILD ${n}` }] as [string, { prompt: string }]))
					: hang("thinking"),
		});
		server.lenient();
		const pi = await rpc();
		await pi.prompt("go");
		await server.waitForRequest(({ tools }) => !tools.includes("spawn"));
		await pi.send({ type: "abort" });
		await pi.settled();
		expect(pi.toolResults().map(({ error, text }) => [error, text.split(".", 1)[0]])).toEqual(
			Array.from({ length: 3 }, () => [true, "The child session was stopped"]),
		);
		expect(server.requests.filter(({ tools }) => !tools.includes("spawn"))).toHaveLength(1);
	});

	it("continue with the next model when the provider of the first fails", async () => {
		const { server, rpc } = await openBench({
			settings: {
				retry: { enabled: false },
				chronicle: { spawn: true, children: { models: ["scripted/one", "scripted/two"] } },
			},
			script: (request) => {
				if (request.tools.includes("spawn"))
					return request.results.length > 0 ? say("done") : call("spawn", { prompt: "CHILD TASK" });
				return modelOf(request) === "one" ? fail(503, "overloaded") : say("from two");
			},
		});
		const pi = await rpc();
		await pi.run("go");
		expect(pi.toolResults()[0]).toMatchObject({ error: false, text: "from two" });
		const two = server.requests.find((request) => modelOf(request) === "two");
		expect(two?.users.join()).toContain("CHILD TASK");
	});
});
