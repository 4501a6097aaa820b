// A worker's environment, and what stops a launch. Real pi, scripted model.
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openProjectLauncher } from "../../../src/local/worker/index.ts";
import { findPi, isPiCommand, ownPiSearch } from "../../../src/pi/index.ts";
import { findOrphans } from "../../../src/process/index.ts";
import { deepDescribe, deepIt } from "../../harness/deep-it.ts";
import { openModelServer } from "../../harness/model-server.ts";
import { patient, within } from "../../harness/patience.ts";
import { openProject } from "../../harness/project.ts";
import { call } from "../../harness/reply.ts";
import { piScript } from "../../harness/under-test.ts";
import { move, openRig, statePlan } from "./worker-rig.ts";

/** A server of two tools, over stdio. */
const mcpServer = `
let rest = "";
process.stdin.on("data", (chunk) => {
	rest += chunk;
	for (let at = rest.indexOf("\\n"); at >= 0; at = rest.indexOf("\\n")) {
		const message = JSON.parse(rest.slice(0, at));
		rest = rest.slice(at + 1);
		const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }) + "\\n");
		const tool = (name) => ({ name, description: "x", inputSchema: { type: "object", properties: {} } });
		if (message.method === "initialize") {
			const { protocolVersion } = message.params;
			answer({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "demo", version: "1" } });
		} else if (message.method === "tools/list") answer({ tools: [tool("hello"), tool("other")] });
		else if (message.method === "tools/call") answer({ content: [{ type: "text", text: "hi" }] });
		else if (message.id !== undefined) answer({});
	}
});
`;

describe("a worker's process", () => {
	it("starts although a killed pi has left the lock of the credentials", { timeout: patient(90_000) }, async () => {
		const project = openProject({ server: await openModelServer([]) });
		const lock = join(project.agentFolder, "auth.json.lock");
		mkdirSync(lock);
		const launched = await openRig(project).launch();
		expect(launched).toMatchObject({ ok: true });
	});

	it("is fresh: it has the persona, its tools and the workflow tools, and nothing else of the project or the user", async () => {
		const server = await openModelServer([move()]);
		const project = openProject({
			server,
			files: {
				".pi/agents/builder.md":
					"---\nname: builder\ntools: Read, Bash\nmodel: two\nskills: [knots]\n---\nPERSONA-MARK You build.",
				".pi/agents/other.md": "---\nname: other\ntools: read\n---\nOTHER-MARK",
				".pi/skills/knots/SKILL.md": "---\nname: knots\ndescription: KNOT-MARK how to tie\n---\nx",
				".pi/skills/unused/SKILL.md": "---\nname: unused\ndescription: UNUSED-MARK\n---\nx",
				".pi/extensions/extra.ts":
					'export default (pi) => pi.registerTool({ name: "extra_tool", label: "x", description: "x", parameters: { type: "object" }, execute: async () => ({ content: [], details: undefined }) })',
				".pi/prompts/begin.md": "PROMPT-MARK",
			},
			trusted: true,
		});
		const rig = openRig(project, { state: { persona: { kind: "agent", name: "Builder" } } });
		const worker = await rig.start();
		expect(worker.started).toMatchObject({ pid: expect.any(Number), model: "scripted/two", conversation: "new" });
		expect(await worker.ended).toEqual({ kind: "stopped" });
		const [request] = server.requests;
		expect(server.requests).toHaveLength(1);
		expect(request?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
		expect(request?.users).toEqual(["Begin with the building."]);
		expect(request?.tools.toSorted()).toEqual([
			"ask_user",
			"bash",
			"read",
			"workflow_transition",
			"workflow_update_snapshot",
		]);
		expect(request?.system).toContain("PERSONA-MARK You build.");
		expect(request?.system).toContain("KNOT-MARK");
		for (const mark of ["OTHER-MARK", "UNUSED-MARK", "PROMPT-MARK", "extra_tool"])
			expect(JSON.stringify(request?.body)).not.toContain(mark);
		expect(request?.model).toBe("two");
	});

	it("has no text on its command line, and its files are private to the user", async () => {
		const server = await openModelServer([
			call("bash", { command: "env | grep -c BRIEF; echo tag=$PI_CHRONICLE_RUN" }),
			move(),
		]);
		const project = openProject({ server });
		const shown = project.path("argv.json");
		const recorder = project.write(
			"recorder.mjs",
			`import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(shown)}, JSON.stringify(process.argv)); await import(${JSON.stringify(piScript())});`,
		);
		const rig = openRig(project, {
			state: { persona: { kind: "persona", name: "@.env -x SECRET-ROLE" } },
			launcher: { pi: { command: process.execPath, args: [recorder], version: undefined } },
		});
		const worker = await rig.start({ message: { new: "@.env SECRET-TASK", continued: "" } });
		await worker.ended;
		expect(project.read("argv.json")).not.toContain("SECRET");
		expect(server.requests[0]?.lastUser).toBe("@.env SECRET-TASK");
		expect(server.requests[0]?.system).toContain("@.env -x SECRET-ROLE");
		expect(server.requests[1]?.lastResult?.text).toContain(`0\ntag=${rig.run}`);
		for (const name of ["1.1.jsonl", "1.1.brief.json", "1.1.persona.md"]) {
			expect(statSync(join(rig.folder, "workers", name)).mode & 0o077, name).toBe(0);
		}
		expect(statSync(join(rig.folder, "workers")).mode & 0o077).toBe(0);
	});

	deepIt("a message that looks like a command is a message", async () => {
		const server = await openModelServer([move()]);
		const rig = openRig(openProject({ server }));
		const worker = await rig.start({ message: { new: "/help me", continued: "" } });
		await worker.ended;
		expect(server.requests[0]?.lastUser).toBe(" /help me");
	});
});

describe("tools of servers", () => {
	it("named MCP tools are active, others of the same server are not", async () => {
		const server = await openModelServer([call("mcp__demo__hello", {}), move()]);
		const project = openProject({ server, trusted: true, files: { "mcp.cjs": mcpServer } });
		const demo = { command: process.execPath, args: [project.path("mcp.cjs")], exposure: "direct" };
		project.write(".pi/mcp.json", { mcpServers: { demo } });
		const rig = openRig(project, { state: { tools: ["read", "mcp__demo__hello"] } });
		await (await rig.start()).ended;
		expect(server.last().lastResult?.text).toBe("hi");
		expect(server.last().tools).toContain("mcp__demo__hello");
		expect(server.last().tools).not.toContain("mcp__demo__other");
	});
});

deepDescribe("the launcher of a project", () => {
	it("asks pi for its models if a state names one, and finds agents, rules and the worker extension", async () => {
		const server = await openModelServer([move()]);
		const project = openProject({
			server,
			files: { ".pi/agents/builder.md": "---\nname: builder\ntools: read\nmodel: thinker:high\n---\nYou build." },
		});
		const pi = findPi(ownPiSearch());
		if (!isPiCommand(pi)) throw new Error(pi.message);
		const launcher = openProjectLauncher({
			cwd: project.folder,
			home: project.home,
			agentFolder: project.agentFolder,
			trust: "trusted",
			pi,
			env: project.environment(),
		});
		const agent = { kind: "agent", name: "builder" } as const;
		expect(await launcher.check([statePlan({ persona: agent })])).toEqual([]);
		expect(await launcher.check([statePlan({ persona: { kind: "agent", name: "bilder" } })])).toMatchObject([
			{ state: "building", severity: "error", message: expect.stringContaining("`builder`") },
		]);
		const rig = openRig(project, { state: { persona: agent }, with: launcher });
		const worker = await rig.start();
		expect(worker.started.model).toBe("scripted/thinker");
		await worker.ended;
		expect(server.last().body.reasoning_effort).toBe("high");
	});
});

describe("a launch that must not happen", () => {
	it("a worker with rules other than specified is stopped before its first message", async () => {
		const server = await openModelServer([]);
		const project = openProject({ server });
		const rig = openRig(project);
		const brief = join(rig.folder, "workers", "1.1.brief.json");
		const forge = `import { readFileSync, writeFileSync } from "node:fs"; export default () => { const b = JSON.parse(readFileSync(process.env.PI_CHRONICLE_BRIEF ?? ${JSON.stringify(brief)})); b.rules.text = b.rules.text.replace('"strict":false', '"strict":true'); writeFileSync(process.env.PI_CHRONICLE_BRIEF, JSON.stringify(b)); }`;
		const file = project.write("forge.mjs", forge);
		const entry = project.write(
			"entry.mjs",
			`import forge from ${JSON.stringify(file)}; import worker from ${JSON.stringify(rig.workerEntry)}; export default (pi) => { forge(); return worker(pi); };`,
		);
		const forged = openRig(project, { launcher: { workerEntry: entry } });
		const launched = await forged.launch();
		expect(launched).toMatchObject({
			ok: false,
			failure: { reason: "rules", detail: expect.stringContaining("hash") },
		});
		expect(server.requests).toEqual([]);
		expect(findOrphans(rig.run)).toEqual([]);
	});

	it.each([
		[
			"a tool that no extension has",
			{ tools: ["read", "launch_rockets"], extensions: ["./empty.mjs"] },
			"tools",
			/launch_rockets/,
		],
		["a misspelt tool", { tools: ["raed"] }, "tools", /Did you mean `read`/],
		["an unknown agent", { persona: { kind: "agent" as const, name: "nobody" } }, "persona", /nobody/],
		["an unknown level of thinking", { thinking: "hihg" }, "model", /high/],
		["a missing extension", { extensions: ["./gone.mjs"] }, "handshake", /gone\.mjs/],
	])("%s", async (_, state, reason, detail) => {
		const project = openProject({
			server: await openModelServer([]),
			files: { "empty.mjs": "export default () => {};" },
		});
		const launched = await openRig(project, { state }).launch();
		expect(launched).toMatchObject({ ok: false, failure: { reason, detail: expect.stringMatching(detail) } });
		expect(project.processes()).toEqual([]);
	});

	it("a pi that cannot be started or stays silent", async () => {
		const project = openProject({ server: await openModelServer([]) });
		const spawn = await openRig(project, {
			launcher: { pi: { command: "/nowhere/pi", args: [], version: undefined } },
		}).launch();
		expect(spawn).toMatchObject({
			ok: false,
			failure: { reason: "spawn", detail: expect.stringContaining("was not found") },
		});
		const silent = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)", "--"], version: undefined };
		const mute = await openRig(project, { launcher: { pi: silent, helloMs: 300 } }).launch();
		expect(mute).toMatchObject({
			ok: false,
			failure: { reason: "handshake", detail: expect.stringContaining("0.3s") },
		});
	});

	it("a canceled start ends its process within a second, also one that ignores SIGTERM", async () => {
		const project = openProject({ server: await openModelServer([]) });
		const silent = {
			command: process.execPath,
			args: ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)", "--"],
			version: undefined,
		};
		const stop = new AbortController();
		const rig = openRig(project, { launcher: { pi: silent }, signal: stop.signal });
		const launching = rig.launch();
		await expect.poll(() => project.processes().length).toBeGreaterThan(0);
		const began = performance.now();
		stop.abort();
		expect(await launching).toMatchObject({ ok: false, failure: { reason: "spawn" } });
		expect(performance.now() - began).toBeLessThan(within(3000));
		expect(project.processes()).toEqual([]);
	});

	deepIt("a missing model falls back with a notice", async () => {
		const server = await openModelServer([move()]);
		const rig = openRig(openProject({ server }), { state: { model: "opus" } });
		const worker = await rig.start();
		expect(worker.started).toMatchObject({ model: "scripted/one", notice: expect.stringContaining("opus") });
		await worker.ended;
	});
});
