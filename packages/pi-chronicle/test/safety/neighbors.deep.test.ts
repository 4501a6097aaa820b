// This package with others in real pi: their tools under a phase, under readonly and under the guard, in both load orders.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { call, fixtureExtension, packageUnderTest, type RpcOptions } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { openStage, type Stage } from "../workflow/stage.ts";

type Attempt = [tool: string, args: Record<string, unknown>];
const patch = "*** Begin Patch\n*** Update File: kept.txt\n@@\n-kept\n+lost\n*** End Patch";
const writing: Attempt[] = [
	["subagent", { agent: "worker", task: "fix it" }],
	["Agent", { subagent_type: "general", prompt: "fix it" }],
	["workflow", { name: "release" }],
	["mcp", { tool: "fs_write_file", args: { path: "kept.txt", content: "lost" } }],
	["mcp", { tool: "fs_write_file", args: '{"path":"kept.txt"}' }],
	["mcp", { tool: "shell_run", args: '{"command":"rm -rf src"}' }],
	["mcp", { tool: "subagent", args: { task: "fix it" } }],
	["apply_patch", { input: patch }],
	["ctx_execute", { language: "shell", code: "rm -rf src" }],
	["ctx_execute", { language: "javascript", code: "require('fs').writeFileSync('kept.txt', '')" }],
	["bash", { command: "pi -p 'fix it'" }],
	["bash", { command: "npx @anthropic-ai/claude-code -p 'fix it'" }],
];
const unknown: Attempt[] = [
	["ctx_execute", { language: "javascript", code: "work()" }],
	["my_lookup", { name: "x" }],
	["mcp", { tool: "fs_anything", args: {} }],
];
const reading: Attempt[] = [
	["read_symbol", { symbol: "main" }],
	["mcp", { search: "files" }],
	["mcp", { describe: "fs_write_file" }],
	["subagent", { action: "list" }],
	["hinted", {}],
];

const orders: [string, RpcOptions][] = [
	["before", { package: "none", extensions: [fixtureExtension("neighbors"), packageUnderTest().root] }],
	["after", { extensions: [fixtureExtension("neighbors")] }],
];

describe.each(orders)("neighbors loaded %s this package", (_order, options) => {
	let stage: Stage;
	let pi: Awaited<ReturnType<Stage["rpc"]>>;
	beforeAll(async () => {
		stage = await openStage(
			{
				list: [{ id: "a", tools: { blacklist: ["Edit", "WRITE"] } }],
				strict: [{ id: "a", tools: { blacklist: ["edit", "write"], shell: "strict" } }],
				reads: [{ id: "a", tools: { allow: ["read"] } }],
				named: [{ id: "a", tools: { whitelist: ["Read", "apply_patch", "subagent"] } }],
				open: [{ id: "a" }],
			},
			{ git: true, files: { "kept.txt": "kept\n", "src/a.ts": "export {};\n" } },
		);
		pi = await stage.rpc({ ...options, answers: () => true });
	});

	/** Whether each call was refused. */
	async function attempt(begin: string, end: string, attempts: Attempt[]): Promise<boolean[]> {
		const before = pi.toolResults().length;
		stage.play(...attempts.map(([tool, args]) => call(tool, args)));
		await pi.prompt(begin);
		if (begin.startsWith("/readonly")) await pi.run("go");
		else await pi.settled(60_000);
		const results = pi.toolResults().slice(before);
		await pi.prompt(end);
		await pi.idle(20_000, 40);
		return results.map(({ error }) => error);
	}
	const all = (attempts: Attempt[], refused: boolean) => attempts.map(() => refused);
	const inPhase = (name: string, attempts: Attempt[]) => attempt(`/workflow ${name} it`, "/cancel-workflow", attempts);

	it(
		"a whitelist without writing tools refuses writes and agent starts by any tool",
		async () => {
			expect(await inPhase("list", writing)).toEqual(all(writing, true));
			expect(stage.project.read("kept.txt")).toBe("kept\n");
			// Program text is refused unless all its words are known to read; a tool of which nothing is known is not.
			const [program, ...tools] = unknown;
			const edit: Attempt = ["edit", { path: "kept.txt", edits: [] }];
			expect(await inPhase("list", [edit, program as Attempt, ...tools])).toEqual([true, true, ...all(tools, false)]);
		},
		patient(60_000),
	);

	it(
		"a strict phase refuses every call of unknown effect, and allows known reads",
		async () => {
			expect(await inPhase("strict", [...writing, ...unknown])).toEqual(all([...writing, ...unknown], true));
			expect(await inPhase("strict", reading)).toEqual(all(reading, false));
		},
		patient(60_000),
	);

	it(
		"a phase that may only read, and readonly, refuse the same",
		async () => {
			const both = [...writing, ...unknown];
			expect(await inPhase("reads", both)).toEqual(all(both, true));
			expect(await inPhase("reads", reading)).toEqual(all(reading, false));
			expect(await attempt("/readonly on", "/readonly off", [...reading, ...both.slice(0, 11)])).toEqual([
				...all(reading, false),
				...all(both.slice(0, 11), true),
			]);
		},
		patient(90_000),
	);

	it(
		"a whitelist that names a writing tool lets it write; one that names an agent's tool does not free its child",
		async () => {
			expect(
				await inPhase("named", [
					["read", { path: "kept.txt" }],
					["apply_patch", { input: patch }],
					["subagent", { agent: "a", task: "x" }],
				]),
			).toEqual([false, false, true]);
		},
		patient(60_000),
	);

	it(
		"a phase without limits allows them all",
		async () => {
			const mild = [...writing.slice(0, 4), ...unknown, ...reading];
			expect(await inPhase("open", mild)).toEqual(all(mild, false));
		},
		patient(60_000),
	);
});

describe("the setting in the user's own settings", () => {
	it("counts, a project's does not; an invalid value means the strictest and is reported", async () => {
		const stage = await openStage(
			{ reads: [{ id: "a", tools: { allow: ["read"] } }] },
			{
				files: {
					".pi/settings.json": { chronicle: { tools: { hidden_lookup: "read", subagent: "read" } } },
				},
			},
		);
		const settings = join(stage.project.agentFolder, "settings.json");
		const { readFileSync, writeFileSync } = await import("node:fs");
		const written = JSON.parse(readFileSync(settings, "utf8")) as { chronicle: object };
		written.chronicle = { ...written.chronicle, tools: { "my_*": "read", read_symbol: "unknown", odd: "reads" } };
		writeFileSync(settings, JSON.stringify(written));
		const pi = await stage.rpc({
			extensions: [fixtureExtension("neighbors"), fixtureExtension("foreign-tool")],
			env: { FOREIGN_TOOLS: "hidden_lookup,odd" },
		});
		stage.play(
			call("my_lookup", { name: "x" }),
			call("read_symbol", { symbol: "x" }),
			call("hidden_lookup", {}),
			call("subagent", { agent: "a", task: "x" }),
			call("odd", {}),
		);
		await pi.prompt("/workflow reads it");
		await pi.settled(40_000);
		expect(pi.toolResults().map(({ error }) => error)).toEqual([false, true, true, true, true]);
		await pi.screen.notified(/"chronicle\.tools\.odd" in .* is not one of read, write, agent, dispatch, unknown/);
	});
});

describe.each(orders)("the guard's `nestedAgents` with tools of packages loaded %s this one", (_order, options) => {
	// Two, because the third refusal by one rule asks whether to continue.
	const starting: Attempt[] = [
		["Agent", { subagent_type: "general", prompt: "fix it" }],
		["mcp", { tool: "subagent", args: { task: "fix it" } }],
	];
	const listing: Attempt = ["subagent", { action: "list" }];
	it.each<[string, boolean, boolean, number]>([
		["deny", true, true, 0],
		["ask", true, false, 2],
		["ask", false, true, 2],
		["off", true, false, 0],
	])(
		"%s, answered with %s: refused %s",
		async (rule, answer, refused, questions) => {
			const stage = await openStage({}, { agentFiles: { "damage-control-rules.yaml": `nestedAgents: ${rule}\n` } });
			const asked: string[] = [];
			const answers = (dialog: { readonly title: string }) => {
				asked.push(dialog.title);
				return answer;
			};
			const pi = await stage.rpc({ ...options, answers });
			const calls = [...starting, listing];
			stage.play(...calls.map(([tool, args]) => call(tool, args)));
			await pi.run("go");
			expect(pi.toolResults().map(({ error }) => error)).toEqual([refused, refused, false]);
			expect(asked).toHaveLength(questions);
			const ran = stage.project.exists("neighbors.log") ? stage.project.read("neighbors.log").trim().split("\n") : [];
			expect(ran).toHaveLength(refused ? 1 : 3);
		},
		patient(60_000),
	);
});
