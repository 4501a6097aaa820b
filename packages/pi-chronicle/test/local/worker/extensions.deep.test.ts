// A state's `extensions`: resolved by path or name before the launch, loaded, and their tools active or reported as left out. Real pi.

import { describe, expect, it } from "vitest";
import type { StatePlan } from "../../../../core/src/template/template.ts";
import { findOrphans } from "../../../src/process/index.ts";
import { deepIt, sampled } from "../../harness/deep-it.ts";
import { openModelServer } from "../../harness/model-server.ts";
import { openProject, type Project } from "../../harness/project.ts";
import { call, calls } from "../../harness/reply.ts";
import { openRig } from "./worker-rig.ts";

const move = () => call("workflow_transition", { target_state: "checking", summary: "Built it." });

/** An extension that registers `names` when it is loaded, at the start of the session, or in the middle of a run. */
const bringing = (names: readonly string[], when: "loaded" | "started" | "called" = "loaded") => `
import { appendFileSync } from "node:fs";
export default (pi) => {
	const bring = (name) => pi.registerTool({
		name, label: name, description: name, parameters: { type: "object", properties: {} },
		execute: async () => {
			appendFileSync("called.log", name + "\\n");
			return { content: [{ type: "text", text: "did " + name }], details: undefined };
		},
	});
	const [first, ...rest] = ${JSON.stringify(names)};
	if (${JSON.stringify(when)} === "loaded") for (const name of [first, ...rest]) bring(name);
	if (${JSON.stringify(when)} === "started") pi.on("session_start", async () => { await null; for (const name of [first, ...rest]) bring(name); });
	if (${JSON.stringify(when)} === "called") { bring(first); pi.on("tool_call", () => { for (const name of rest) bring(name); }); }
};
`;

const own = ["ask_user", "workflow_transition", "workflow_update_snapshot"];

/** Runs one worker to its end: the tools of its first and last request, and the notices at its start. */
async function work(files: Record<string, string>, state: Partial<StatePlan>, script = [move()]) {
	const server = await openModelServer(script);
	const project = openProject({ server, trusted: true, files });
	const rig = openRig(project, { state });
	const worker = await rig.start();
	await worker.ended;
	const requests = server.requests.map(({ tools }) => tools.filter((tool) => !own.includes(tool)).toSorted());
	return { first: requests[0], last: requests.at(-1), notice: worker.started.notice ?? "", server, project, rig };
}

describe("tools of a state's extensions", () => {
	it("without `tools`, all tools of the extensions are active as well as pi's, whenever they are registered during the start", async () => {
		const { first, notice, server } = await work(
			{ "one.mjs": bringing(["lsp", "todo"]), "two.mjs": bringing(["late"], "started") },
			{ extensions: ["./one.mjs", "two.mjs"] },
			[call("late", {}), move()],
		);
		expect(first).toEqual(["bash", "edit", "late", "lsp", "read", "todo", "write"]);
		expect(notice).toBe("");
		expect(server.requests[1]?.lastResult?.text).toBe("did late");
	});

	deepIt("with `tools`, those named (in any case) are active, and the others are reported once", async () => {
		const { first, notice } = await work(
			{ "one.mjs": bringing(["lsp", "todo", "Jira_Get", "jira_set", "search", "find"]) },
			{ extensions: ["./one.mjs"], tools: ["Read", "LSP", "jira_*", "search", "workflow_transition"] },
		);
		expect(first).toEqual(["Jira_Get", "jira_set", "lsp", "read", "search"]);
		for (const name of ["todo", "find"]) expect(notice).toContain(`\`${name}\``);
		expect(notice).toContain("`tools` does not name");
	});

	deepIt("an exact name wins over one in another case, and over pi's tool of that name", async () => {
		const { first } = await work(
			{ "one.mjs": bringing(["Read", "Todo", "todo"]) },
			{ extensions: ["./one.mjs"], tools: ["Read", "todo", "search"] },
		);
		expect(first).toEqual(["Read", "grep", "todo"]);
	});

	it("tools that are left out or forbidden by an agent file cannot be called, also after a late registration", async () => {
		const files = {
			"one.mjs": bringing(["lsp", "todo", "rm_all"], "called"),
			".pi/agents/builder.md": "---\nname: builder\ntools: read\ndisallowedTools: RM_ALL\n---\nYou build.",
		};
		const agent = { kind: "agent", name: "builder" } as const;
		const everything = calls([
			["lsp", {}],
			["rm_all", {}],
			["bash", { command: "touch made" }],
		]);
		const { first, last, server, project } = await work(files, { extensions: ["one.mjs"], persona: agent }, [
			call("lsp", {}),
			everything,
			move(),
		]);
		expect(first).toEqual(["lsp", "read"]);
		expect(last).toEqual(["lsp", "read", "todo"]);
		expect(project.exists("made")).toBe(false);
		expect(project.read("called.log")).toBe("lsp\nlsp\n");
		expect(server.requests).toHaveLength(3);
		expect(
			server
				.last()
				.results.slice(-2)
				.map(({ text }) => /did/.test(text)),
		).toEqual([false, false]);
	});

	deepIt("an extension's tool cannot call one that is left out", async () => {
		const nest = `export default (pi) => {
			for (const name of ["nest", "todo"]) pi.registerTool({
				name, label: name, description: name, parameters: { type: "object", properties: {} },
				async execute(_id, _params, _signal, _update, ctx) {
					// Makes pi activate every tool again, in the middle of the turn.
					pi.registerTool({ name: "fresh", label: "x", description: "x", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [] }) });
					const results = name === "todo" ? "TODO RAN" : [await ctx.executeTool("todo", {}), await ctx.executeTool("grep", { pattern: "a" })];
					return { content: [{ type: "text", text: JSON.stringify(results) }], details: undefined };
				},
			});
		};`;
		const { server } = await work({ "nest.mjs": nest }, { extensions: ["nest.mjs"], tools: ["nest"] }, [
			call("nest", {}),
			move(),
		]);
		const said = server.requests[1]?.lastResult?.text ?? "";
		expect(said).toContain("does not have the tool `todo`");
		expect(said).toContain("does not have the tool `grep`");
		expect(said).not.toContain("TODO RAN");
	});

	deepIt("an extension's tool is judged by what it would do, like any other", async () => {
		const { server, project } = await work(
			{
				"one.mjs": bringing(["fs_write_file"]),
				".pi/damage-control-rules.yaml": "readOnlyPaths:\n  - locked/\n",
			},
			{ extensions: ["./one.mjs"] },
			[call("fs_write_file", { path: "locked/a.txt", content: "x" }), move()],
		);
		expect(server.requests[1]?.lastResult?.text).toContain("locked");
		expect(project.exists("called.log")).toBe(false);
	});

	deepIt("a name in the agent file is accepted if an extension registers it, and reported if none does", async () => {
		const files = {
			"one.mjs": bringing(["lsp"]),
			".pi/agents/builder.md": "---\nname: builder\ntools: read, LSP, web_search\n---\nYou build.",
		};
		const agent = { kind: "agent", name: "builder" } as const;
		const { first, notice } = await work(files, { extensions: ["one.mjs"], persona: agent });
		expect(first).toEqual(["lsp", "read"]);
		expect(notice).toContain("`web_search`");
		expect(notice).not.toContain("LSP");
	});
});

/** The problems of one state before anything starts. */
async function problemsOf(project: Project, state: Partial<StatePlan>) {
	const rig = openRig(project, { state });
	const [plan] = [{ ...(await import("./worker-rig.ts")).statePlan(state) }];
	const problems = plan ? await rig.launcher.check([plan]) : [];
	return {
		rig,
		problems,
		errors: problems.filter(({ severity }) => severity === "error").map(({ message }) => message),
	};
}

describe("problems of a state's extensions", () => {
	const files = {
		"one.mjs": bringing(["lsp"]),
		"same.mjs": bringing(["lsp"]),
		"broken.mjs": "export default () => { throw new Error('no licence'); };",
		"syntax.mjs": "export default (",
		"own.mjs": bringing(["workflow_transition"]),
		"slow.mjs": bringing(["late"], "started"),
	};
	it.each(
		sampled([
			["is not there", ["./gone.mjs"], undefined, /no extension at .*gone\.mjs/],
			["has no such name", ["lsp-tools"], undefined, /no extension `lsp-tools`/],
			["throws", ["./one.mjs", "./broken.mjs"], undefined, /broken\.mjs does not load: .*no licence/],
			["cannot be parsed", ["./syntax.mjs"], undefined, /syntax\.mjs does not load/],
			[
				"registers another's tool",
				["./one.mjs", "./same.mjs"],
				undefined,
				/Two extensions .*`lsp`.*one\.mjs and .*same\.mjs/,
			],
			["registers the worker's tool", ["./own.mjs"], undefined, /own\.mjs has a tool `workflow_transition`/],
			["does not register what is listed", ["./one.mjs"], ["lps"], /not have `lps`.*`lsp`/],
			["does not fit what is listed", ["./slow.mjs"], ["jira_*"], /not have `jira_\*`/],
		]),
	)("are found by a check and reported by a launch: one that %s", async (_, extensions, tools, message) => {
		const project = openProject({ server: await openModelServer([]), trusted: true, files });
		const state = { extensions, ...(tools ? { tools } : {}) };
		const { rig, errors } = await problemsOf(project, state);
		expect(errors).toEqual([expect.stringMatching(message)]);
		const launched = await rig.launch();
		expect(launched).toMatchObject({ ok: false, failure: { detail: expect.stringMatching(message) } });
		expect(await findOrphans(rig.run)).toEqual([]);
	});

	deepIt(
		"a check without problems is silent, leaves nothing running, and warns about tools that are left out",
		async () => {
			const project = openProject({ server: await openModelServer([]), trusted: true, files });
			expect((await problemsOf(project, { extensions: ["slow.mjs"] })).problems).toEqual([]);
			const { problems } = await problemsOf(project, { extensions: ["one.mjs"], tools: ["read"] });
			expect(problems).toMatchObject([{ severity: "warning", message: expect.stringContaining("`lsp`") }]);
			expect(project.sessionFiles()).toEqual([]);
		},
	);
});

describe("an extension named by", () => {
	const manifest = (name: string) => JSON.stringify({ name, pi: { extensions: ["./tool.mjs"] } });
	it.each(
		sampled([
			["a path in the home", "~/tools/mine.mjs", "home_tool"],
			["the bare name of an own extension", "mine", "agent_tool"],
			["an npm package as pi lists it", "npm:@acme/tracker@^1.0.0", "npm_tool"],
			["an npm package without its version", "npm:@acme/tracker", "npm_tool"],
			["an npm package by its bare name", "@acme/tracker", "npm_tool"],
			["a git package as pi lists it", "git:github.com/acme/search-kit@v1", "git_tool"],
			["a git package by its last name", "search-kit", "git_tool"],
			["a git package by its URL", "https://github.com/acme/search-kit.git", "git_tool"],
			["a local package by its folder", "linter", "local_tool"],
			["a local package by its own name", "@acme/linter", "local_tool"],
			["a package of the project", "board", "project_tool"],
		]),
	)("%s is loaded", async (_, written, tool) => {
		const server = await openModelServer([move()]);
		const project = openProject({
			server,
			trusted: true,
			files: {
				".pi/settings.json": { packages: ["npm:board"] },
				".pi/npm/node_modules/board/package.json": manifest("board"),
				".pi/npm/node_modules/board/tool.mjs": bringing(["project_tool"]),
				"own/linter/package.json": manifest("@acme/linter"),
				"own/linter/tool.mjs": bringing(["local_tool"]),
			},
			agentFiles: {
				"extensions/mine.mjs": bringing(["agent_tool"]),
				"npm/node_modules/@acme/tracker/package.json": manifest("@acme/tracker"),
				"npm/node_modules/@acme/tracker/tool.mjs": bringing(["npm_tool"]),
				"git/github.com/acme/search-kit/package.json": manifest("search-kit"),
				"git/github.com/acme/search-kit/tool.mjs": bringing(["git_tool"]),
			},
			settings: {
				packages: [
					{ source: "npm:@acme/tracker@^1.0.0", skills: [] },
					"git:github.com/acme/search-kit@v1",
					"../../project/own/linter",
				],
			},
		});
		const { mkdirSync, writeFileSync } = await import("node:fs");
		mkdirSync(`${project.home}/tools`, { recursive: true });
		writeFileSync(`${project.home}/tools/mine.mjs`, bringing(["home_tool"]));
		const rig = openRig(project, { state: { extensions: [written] } });
		await (await rig.start()).ended;
		expect(server.requests[0]?.tools).toContain(tool);
	});
});
