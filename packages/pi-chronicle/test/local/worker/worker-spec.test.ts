// The spec of a state's worker before the launch, and the check that the started process matches it. Pure.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StatePlan } from "../../../../core/src/template/template.ts";
import { expectedTools, workerArguments, workerEnvironment } from "../../../src/local/worker/command-line.ts";
import { judgeHello } from "../../../src/local/worker/handshake.ts";
import { resolveWorkerSpec, type WorkerResources } from "../../../src/local/worker/worker-spec.ts";
import { loadAgentRegistry, skillPlaces } from "../../../src/persona/index.ts";
import { statePlan } from "./worker-rig.ts";

let cwd: string;
let resources: WorkerResources;
beforeAll(() => {
	cwd = realpathSync(mkdtempSync(join(tmpdir(), "worker-spec-")));
	for (const folder of [".pi/agents", ".pi/skills/knots"]) mkdirSync(join(cwd, folder), { recursive: true });
	writeFileSync(join(cwd, ".pi/skills/knots/SKILL.md"), "x");
	writeFileSync(join(cwd, "x.ts"), "");
	writeFileSync(
		join(cwd, ".pi/agents/builder.md"),
		"---\nname: builder\ntools: Read, Bash\nmodel: opus:low\nthinking: high\n---\nYou build.",
	);
	writeFileSync(join(cwd, ".pi/agents/teams.yaml"), "web: [builder]\n");
	const home = join(cwd, "home");
	resources = {
		agents: loadAgentRegistry({ cwd, project: "trusted", agentFolder: join(home, ".pi/agent"), home }),
		skills: skillPlaces([cwd], join(home, ".pi/agent"), home),
		models: async () => ["claude-opus-5", "claude-sonnet-5"].map((id) => ({ provider: "anthropic", id })),
		cwd,
		extensions: { home, agentFolder: join(home, ".pi/agent"), trust: "trusted" },
		platform: "linux",
	};
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const builder = { kind: "agent", name: "builder" } as const;
const spec = (part: Partial<StatePlan>, model = "anthropic/claude-sonnet-5", other: Partial<WorkerResources> = {}) =>
	resolveWorkerSpec(statePlan(part), model, { ...resources, ...other });

describe("the spec of a worker", () => {
	it.each<[string, Partial<StatePlan>, "judged" | "strict" | undefined]>([
		["tools for reading and the shell", { tools: ["read", "bash"] }, "judged"],
		["the shell, by its agent file", { persona: builder }, "judged"],
		["the shell, in a state that is strict", { tools: ["bash"], shell: "strict" }, "strict"],
		["the shell, in a state that lifts it", { tools: ["bash"], shell: "free" }, undefined],
		["`edit`", { tools: ["bash", "edit"] }, undefined],
		["`write`", { tools: ["bash", "Write"] }, undefined],
		["pi's default tools", {}, undefined],
		["only tools for reading", { tools: ["read", "grep", "find", "ls"] }, undefined],
		["a tool of a server", { tools: ["read", "mcp__files__save"] }, "judged"],
	])("is kept from changing the project if it has no tools for writing: %s", async (_what, part, shell) => {
		expect((await spec(part)).spec?.unchanged?.shell).toBe(shell);
	});

	it("takes tools, model and thinking from the agent file", async () => {
		expect((await spec({ persona: builder })).spec).toMatchObject({
			tools: ["read", "bash"],
			model: "anthropic/claude-opus-5",
			exactModel: "anthropic/claude-opus-5",
			thinking: "high",
			notices: [],
		});
	});

	it("the state's settings override the agent file's, those the session's", async () => {
		const { spec: planned } = await spec({ persona: builder, tools: ["Grep"], model: "sonnet", thinking: "minimal" });
		expect(planned).toMatchObject({ tools: ["grep"], model: "anthropic/claude-sonnet-5", thinking: "minimal" });
		const role = await spec({ persona: { kind: "persona", name: "Editor" } });
		expect(role.spec).toMatchObject({
			tools: ["read", "bash", "edit", "write"],
			model: "anthropic/claude-sonnet-5",
			exactModel: undefined,
		});
		expect((await resolveWorkerSpec(statePlan({}), undefined, resources)).spec).toMatchObject({
			model: undefined,
			thinking: undefined,
		});
	});

	it.each([
		["anthropic/claude-sonnet-5", "anthropic/claude-sonnet-5"],
		["router/lab/model", "router/lab/model"],
		["model", undefined],
	])("uses the session's model %s if the named one does not exist, with a warning", async (session, model) => {
		const { spec: planned, problems } = await spec({ model: "gone" }, session);
		expect(planned).toMatchObject({ model, exactModel: undefined });
		expect(problems).toMatchObject([{ severity: "warning", part: "model" }]);
	});

	it("does not ask for models if nothing names one", async () => {
		const models = () => Promise.reject(new Error("asked"));
		await expect(spec({}, "a/b", { models })).resolves.toMatchObject({ problems: [] });
	});

	it("takes the models of a role from the settings, else the session's without a question or a notice", async () => {
		const roles = { cheap: ["nothing", "sonnet"], strong: ["opus:high"] };
		const asked = async (model: string, set: Partial<WorkerResources>) =>
			(await spec({ model }, "anthropic/session", set)).spec;
		expect(await asked("cheap", { roles })).toMatchObject({ model: "anthropic/claude-sonnet-5", notices: [] });
		expect(await asked("Strong", { roles })).toMatchObject({ model: "anthropic/claude-opus-5", thinking: "high" });
		const models = async () => {
			throw new Error("The list of models costs a process.");
		};
		const unset = await asked("cheap", { roles: { cheap: [], strong: [] }, models });
		expect(unset).toMatchObject({ model: "anthropic/session", notices: [] });
	});

	it("reports all problems of a state at once", async () => {
		const { spec: planned, problems } = await spec({
			persona: { kind: "agent", name: "biulder" },
			tools: ["raed"],
			thinking: "hihg",
			model: "gone",
			skills: ["nope"],
		});
		expect(planned).toBeUndefined();
		expect(problems.map(({ severity, part }) => `${severity} ${part}`)).toEqual([
			"error persona",
			"error tools",
			"error model",
			"warning model",
			"warning persona",
		]);
		for (const { message, remedy } of problems) expect([message, remedy].join("").length).toBeGreaterThan(30);
	});

	it("searches the team that the state names", async () => {
		expect((await spec({ persona: builder, team: "web" })).spec?.persona.name).toBe("builder");
		expect((await spec({ persona: builder, team: "wbe" })).problems).toMatchObject([
			{ part: "persona", message: expect.stringContaining("`web`") },
		]);
	});

	it("a state without a persona gets a generated one", async () => {
		const { persona: _, ...rest } = statePlan({ description: "Threat modelling" });
		const planned = (await resolveWorkerSpec(rest, undefined, resources)).spec;
		expect(planned?.persona.prompt).toContain("Threat modelling");
	});

	it("finds skills, loads the extension that has a tool, makes paths absolute", async () => {
		const { spec: planned } = await spec({
			skills: ["knots"],
			extensions: ["./x.ts", "builtin:y"],
			tools: ["read", "mcp__docs__find", "codemode", "their_tool"],
		});
		expect(planned).toMatchObject({
			skills: [join(cwd, ".pi/skills/knots")],
			extensions: [join(cwd, "x.ts"), "builtin:y", "builtin:mcp", "builtin:codemode"],
			tools: ["mcp__docs__find", "read", "codemode"],
			order: { tools: ["mcp__docs__find"], extensionTools: "named" },
		});
	});

	it("powershell is omitted if it does not exist", async () => {
		expect((await spec({ tools: ["read", "powershell"] })).spec).toMatchObject({
			tools: ["read"],
			notices: [expect.stringContaining("Windows")],
		});
		expect((await spec({ tools: ["powershell"] }, "a/b", { platform: "win32" })).spec?.tools).toEqual(["powershell"]);
	});
});

describe("the command line", () => {
	it("loads the worker extension and nothing discovered; it contains no text of the user", async () => {
		const { spec: planned } = await spec({
			persona: { kind: "persona", name: "SECRET-ROLE" },
			extensions: ["./x.ts"],
			thinking: "low",
		});
		if (!planned) throw new Error("no spec");
		const files = { session: "/r/1.1.jsonl", brief: "/r/1.1.brief.json", persona: "/r/1.1.persona.md" };
		const args = workerArguments(
			{ command: "node", args: ["cli.js"], version: "1" },
			planned,
			files,
			["/w.mjs"],
			"untrusted",
		);
		expect(args.join(" ")).toBe(
			`cli.js --mode rpc --no-extensions --no-skills --no-prompt-templates --no-themes --no-approve --extension /w.mjs --extension ${join(cwd, "x.ts")} --tools read,bash,edit,write,workflow_transition,workflow_update_snapshot,ask_user,* --append-system-prompt /r/1.1.persona.md --model anthropic/claude-sonnet-5 --thinking low --session /r/1.1.jsonl`,
		);
	});

	it("the environment has the run's tag, and nothing of another pi's session", () => {
		const env = workerEnvironment({ A: "1", PI_SESSION_FILE: "/x", PI_MODEL: "m" }, "run", "/brief");
		expect(env).toEqual({ A: "1", PI_CHRONICLE_RUN: "run", PI_CHRONICLE_BRIEF: "/brief" });
	});
});

describe("the handshake", () => {
	const hello = {
		launch: { visit: 1, attempt: 1, launch: 1 },
		rules: "aa",
		tools: ["read", "mcp__d__x"],
		registered: [],
		model: "p/M",
		priced: true,
		thinking: "off",
	};
	const ordered = { rules: "aa", tools: ["read", "mcp__d__*"], model: "p/m" };
	it("accepts a worker that matches its spec", () => {
		expect(judgeHello(hello, ordered)).toBeUndefined();
		expect(judgeHello(hello, { ...ordered, model: undefined })).toBeUndefined();
		expect(judgeHello({ ...hello, tools: ["read"] }, ordered)).toBeUndefined();
		expect(judgeHello(hello, { ...ordered, costUsd: 0.001 })).toBeUndefined();
		expect(judgeHello({ ...hello, priced: false }, { ...ordered, costUsd: 0 })).toBeUndefined();
	});
	it("refuses a model with a price if nothing may be spent", () => {
		expect(judgeHello(hello, { ...ordered, costUsd: 0 })).toMatchObject({ reason: "budget" });
	});
	it.each([
		["other rules", { rules: "bb" }, "rules"],
		["a tool too few", { tools: ["mcp__d__x"] }, "tools"],
		["a tool too many", { tools: ["read", "bash"] }, "tools"],
		["a pattern is no prefix", { tools: ["read", "xmcp__d__y"] }, "tools"],
		["another model", { model: "p/n" }, "model"],
		["no model", { model: "" }, "model"],
	])("refuses %s", (_, part, reason) => {
		expect(judgeHello({ ...hello, ...part }, ordered)).toMatchObject({ reason });
	});
	it("a spec's tools are ordered with the workflow tools, each once", async () => {
		const { spec: planned } = await spec({ tools: ["read", "workflow_transition"], extensions: ["x.ts"] });
		if (!planned) throw new Error("no spec");
		expect(expectedTools(planned)).toEqual(["read", "workflow_transition", "workflow_update_snapshot", "ask_user"]);
		expect(expectedTools({ ...planned, questions: "none" })).not.toContain("ask_user");
	});
});
