// The limits of phases in real pi: real tools, real shell commands, files that change or do not.

import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, calls, fixtureExtension, type Rpc } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { openRpcStage, type Stage, step, stepCall } from "./stage.ts";

let stage: Stage & { pi: Rpc };
let pi: Rpc;

beforeAll(async () => {
	stage = await openRpcStage(
		{
			black: {
				phases: [{ id: "a", tools: { blacklist: ["edit", "write", "workflow_step"] } }],
				blockReasonTemplate: "{toolName} not in {phaseName} of {workflowName}, which allows {allowedTools}. {foo}",
			},
			white: [{ id: "a", tools: { whitelist: ["read"] } }, { id: "b" }],
			nested: { phases: ["@inner"], blockReasonTemplate: "ROOT {toolName} {phaseName}" },
			inner: {
				phases: [{ id: "i", tools: { whitelist: ["read"] } }],
				show: "workflows",
				blockReasonTemplate: "INNER",
			},
			opens: [{ id: "closed", tools: { whitelist: ["read"] } }, { id: "open" }],
			closes: [{ id: "open" }, { id: "closed", tools: { allow: ["read"] } }],
			reads: [{ id: "r", tools: { allow: ["read"] } }],
			writes: [{ id: "w", tools: { allow: ["read", "write"] } }],
			strict: [{ id: "s", tools: { blacklist: ["edit", "write"], shell: "strict" } }],
			loose: [{ id: "l", tools: { blacklist: ["edit", "write"], shell: "unrestricted" } }],
			globs: [{ id: "g", tools: { whitelist: ["r*", "look_*"] } }],
		},
		{ git: true, files: { "kept.txt": "kept\n", "src/a.ts": "export {};\n", "package.json": { private: true } } },
		{
			extensions: [fixtureExtension("foreign-tool")],
			env: { FOREIGN_TOOLS: "patch_file,look_up" },
		},
	);
	({ pi } = stage);
});
afterEach(async () => {
	await pi.prompt("/cancel-workflow");
	await pi.idle(20_000, 40);
	stage.project.git("checkout", "-q", ".");
	stage.project.git("clean", "-fdq", "--", "src");
});

/** Starts `key` and lets the model make these calls, one message each; whether each was stopped. */
async function attempt(key: string, ...attempts: [tool: string, args: Record<string, unknown>][]) {
	const before = pi.toolResults().length;
	stage.play(...attempts.map(([tool, args]) => call(tool, args)));
	await pi.prompt(`/workflow ${key} it`);
	await pi.settled(40_000);
	const results = pi.toolResults().slice(before);
	await pi.prompt("/cancel-workflow");
	return results;
}

const bash = (command: string): [string, Record<string, unknown>] => ["bash", { command }];
const write: [string, Record<string, unknown>] = ["write", { path: "new.txt", content: "x" }];
const edit: [string, Record<string, unknown>] = [
	"edit",
	{ path: "kept.txt", edits: [{ oldText: "kept", newText: "lost" }] },
];
const read: [string, Record<string, unknown>] = ["read", { path: "kept.txt" }];

describe("names", () => {
	it("in a blacklist are refused with the workflow's own reason; others run, workflow_step always", async () => {
		const results = await attempt("black", edit, read, stepCall("status"));
		expect(results.map(({ error }) => error)).toEqual([true, false, false]);
		expect(results[0]?.text).toContain("edit not in A of Workflow black, which allows all except: edit, write. {foo}");
		expect(stage.project.read("kept.txt")).toBe("kept\n");
	});

	it("in a whitelist are allowed; without limits or without a workflow, all are", async () => {
		const results = await attempt(
			"white",
			bash("true"),
			read,
			stepCall("next"),
			bash("true"),
			write,
			stepCall("next"),
			write,
		);
		expect(results.map(({ error }) => error)).toEqual([true, false, false, false, false, false, false]);
	});

	it("are limited in a nested workflow by its phase's list, with the root's reason", async () => {
		const [stopped] = await attempt("nested", bash("true"));
		expect(stopped?.text).toContain("ROOT bash I");
		expect(stopped?.text).not.toContain("INNER");
	});

	it("may be globs for other extensions' tools", async () => {
		const results = await attempt("globs", ["look_up", {}], read, bash("true"));
		expect(results.map(({ error }) => error)).toEqual([false, false, true]);
	});
});

describe("calls in one message", () => {
	it("a call after next is judged by the new phase", async () => {
		const before = pi.toolResults().length;
		stage.play(calls([bash("echo 1 > one.txt"), stepCall("next"), bash("echo 2 > two.txt")]));
		await pi.prompt("/workflow closes it");
		await pi.settled();
		expect(
			pi
				.toolResults()
				.slice(before)
				.map(({ error }) => error),
		).toEqual([false, false, true]);
		expect([stage.project.exists("one.txt"), stage.project.exists("two.txt")]).toEqual([true, false]);
	});

	it("next beside a call that failed or was refused finishes nothing, and does alone", async () => {
		const before = pi.toolResults().length;
		stage.play(calls([bash("true"), read, stepCall("next")]), calls([stepCall("next"), bash("true")]));
		await pi.prompt("/workflow opens it");
		await pi.settled();
		expect(
			pi
				.toolResults()
				.slice(before)
				.map(({ error }) => error),
		).toEqual([true, false, true, false, true]);
		const texts = pi.toolResults().map(({ text }) => text);
		expect(texts.at(-3)).toBe(
			"The phase is not finished: in the same message, bash failed, and you had not read why. Read it above and do what it needs. Call workflow_step again, alone.",
		);
		expect(texts.at(-1)).toContain('This call follows workflow_step ("next") in the same message');
	});
});

describe("calls after the last step of a message", () => {
	it("are refused after a question and after the end of the workflow, and only in that message", async () => {
		const late: [string, Record<string, unknown>] = ["write", { path: "late.txt", content: "x" }];
		stage.play(
			calls([stepCall("next"), late]),
			calls([["workflow_step", { action: "ask", question: "May I?" }], late]),
		);
		await pi.prompt("/workflow opens it");
		await pi.settled();
		expect(pi.toolResults().at(-1)?.text).toContain('This call follows workflow_step ("ask")');
		stage.play(calls([stepCall("next"), late]), calls([["write", { path: "after.txt", content: "x" }]]), "done");
		await pi.run("yes");
		expect(pi.toolResults().at(-2)?.text).toContain('This call follows workflow_step ("next")');
		expect([stage.project.exists("late.txt"), stage.project.exists("after.txt")]).toEqual([false, true]);
	});
});

describe("a phase that may only read", () => {
	const stopped: [string, Record<string, unknown>][] = [
		write,
		edit,
		bash("echo x > a"),
		bash(`python3 -c "open('a','w')"`),
		bash("git checkout ."),
		bash("sed -i s/kept/lost/ kept.txt"),
		bash("echo x | tee a"),
		bash("cp kept.txt a"),
		bash("rm kept.txt"),
		bash("cat <<EOF > a\nx\nEOF"),
		bash("node -e 'build()'"),
		bash("npm test"),
		bash("$(echo rm) kept.txt"),
		bash("bash -c 'echo x > a'"),
		bash("xargs rm < kept.txt"),
		bash("find . -name kept.txt -delete"),
		["patch_file", {}],
	];
	const passes: [string, Record<string, unknown>][] = [
		read,
		bash("git log -3"),
		bash("git status --short"),
		bash("ls -la src"),
		bash("cat kept.txt | wc -l"),
		bash("grep -rn kept . 2>/dev/null"),
		bash("find . -name '*.ts'"),
	];

	it("allows nothing else: no file changes, and the user is not asked", async () => {
		const results = await attempt("reads", ...stopped, ...passes);
		const outcomes = results.map(({ error, args }) => [JSON.stringify(args), error]);
		expect(outcomes).toEqual(
			[...stopped, ...passes].map(([, args], at) => [JSON.stringify(args), at < stopped.length]),
		);
		expect(pi.eventsOf("extension_ui_request").filter(({ method }) => method === "confirm")).toEqual([]);
		expect(stage.project.read("kept.txt")).toBe("kept\n");
		expect([stage.project.exists("a"), stage.project.exists("patch_file.log")]).toEqual([false, false]);
	});

	it("tells the model why a call was refused", async () => {
		const [first] = await attempt("reads", bash("echo x > a"));
		expect(first?.text).toMatch(/This phase may not write, and .*a/);
		const [second] = await attempt("reads", bash("npm test"));
		expect(second?.text).toContain("may only run programs known to be harmless");
	});
});

describe("other limits", () => {
	it("write allows writing files, also by the shell, but no unknown command", async () => {
		const results = await attempt("writes", write, bash("echo x > src/b.ts"), bash("npm test"), bash("rm src/b.ts"));
		expect(results.map(({ error }) => error)).toEqual([false, false, true, false]);
	});

	it("a blacklist of edit and write holds for shell commands that change the project, and for no others", async () => {
		const results = await attempt(
			"black",
			bash("echo x > src/b.ts"),
			bash("echo x > /tmp/outside-of-it.txt; rm /tmp/outside-of-it.txt"),
			bash("sed -i s/kept/lost/ kept.txt"),
			bash("node -e 1"),
			bash("rm -rf src"),
			bash("git log -1"),
		);
		expect(results.map(({ error }) => error)).toEqual([true, false, true, false, true, false]);
		expect(results[0]?.text).toContain("would change src/b.ts");
		expect(stage.project.read("kept.txt")).toBe("kept\n");
	});

	it("strict refuses unknown effects, unrestricted refuses nothing", async () => {
		expect((await attempt("strict", bash("node -e 'build()'"), bash("ls"))).map(({ error }) => error)).toEqual([
			true,
			false,
		]);
		expect((await attempt("loose", bash("echo x > src/b.ts"), write)).map(({ error }) => error)).toEqual([false, true]);
	});
});

/** A server of the Model Context Protocol with a tool that only looks and one that may do anything. */
const mcpServer = `import { createInterface } from "node:readline";
const tool = (name, annotations) => ({ name, description: name, inputSchema: { type: "object", properties: {} }, annotations });
const answers = {
	initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "docs", version: "1" } }),
	"tools/list": () => ({ tools: [tool("look", { readOnlyHint: true }), tool("keep")] }),
	"tools/call": ({ name }) => ({ content: [{ type: "text", text: name + " answers" }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
	const { id, method, params } = JSON.parse(line);
	if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }));
});`;

deepIt(
	"MCP tools are judged inside scripts too, and a script may use them in a phase that allows them",
	async () => {
		const script = `const calls = [tools.mcp__docs__look({}), tools.mcp__docs__keep({}), tools.bash({ command: "echo x > a" })];
		return (await Promise.allSettled(calls)).map(({ status }) => status === "fulfilled" ? 1 : 0).join("");`;
		const mcp = await openRpcStage(
			{
				named: [{ id: "n", tools: { whitelist: ["mcp__docs__*"] } }],
				but: [{ id: "b", tools: { blacklist: ["mcp__*__keep", "edit"] } }],
				looks: [{ id: "l", tools: { allow: ["read"] } }],
				builtin: [{ id: "p", tools: { whitelist: ["read", "bash"] } }],
			},
			{
				files: { "server.mjs": mcpServer },
				agentFiles: { "mcp.json": { mcpServers: { docs: { command: process.execPath, args: ["server.mjs"] } } } },
			},
			{ extensions: ["builtin:mcp", "builtin:codemode"] },
		);
		const outcome = async (key: string) => {
			mcp.play(call("codemode", { code: script }), step("next"), "end");
			await mcp.pi.prompt(`/workflow ${key} it`);
			await mcp.pi.settled();
			const result = mcp.pi.toolResults().findLast(({ tool }) => tool === "codemode");
			return result?.error ? "refused" : /[01]{3}/.exec(result?.text ?? "")?.[0];
		};
		expect([await outcome("named"), await outcome("but"), await outcome("looks"), await outcome("builtin")]).toEqual([
			"110",
			"100",
			"100",
			"refused",
		]);
		expect(mcp.project.exists("a")).toBe(false);
	},
	patient(90_000),
);
