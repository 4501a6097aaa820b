// Tools of other packages by kind: agent starters, gateways to other tools, program text, known readers.
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../pi-chronicle/test/harness/cpu.ts";
import { within } from "../../pi-chronicle/test/harness/patience.ts";
import type { ToolEffect } from "../src/index.ts";
import { accesses, doubts, harms, measured } from "./host-environment.ts";

const effects = (tool: string, input: unknown, more: object = {}) => harms(measured({ tool, input, ...more }));
const may = (tool: string, input: unknown, more: object = {}) =>
	measured({ tool, input, ...more }).unknowns.flatMap((unknown) => (unknown.what === "tool" ? unknown.may : []));
const set = (table: Record<string, ToolEffect>) => ({
	known: { effectOf: (tool: string) => table[tool], annotationsOf: () => undefined },
});
const reading = ["read", "list"];

describe("a tool that starts agents", () => {
	it.each([
		["subagent", { agent: "worker", task: "fix it" }],
		["subagent", { tasks: [{ agent: "a", task: "x" }] }],
		["subagent", { chain: [{ agent: "a", task: "x" }] }],
		["Agent", { prompt: "fix it", description: "x", subagent_type: "general" }],
		["Task", { prompt: "fix it" }],
		["task", { description: "x" }],
		["workflow", { name: "release" }],
		["dispatch_agent", { agent: "a", task: "x" }],
		["run_chain", { task: "x" }],
		["query_experts", { queries: ["x"] }],
		["subagent_create", { task: "x" }],
		["subagent_continue", { id: 1, prompt: "x" }],
		["delegate", { to: "a", what: "x" }],
		["delegate_task", { text: "x" }],
		["crew", { goal: "x" }],
		["spawn_agent", { text: "x" }],
		["runSubAgent", { text: "x" }],
		["start-agent", {}],
		["parallel_agents", {}],
		["claude_code", { text: "x" }],
		["ask_codex", { text: "x" }],
		["mcp__codex__codex", { prompt: "x" }],
		["agents.task", { description: "x" }],
		["crew:delegate", { text: "x" }],
		["mcp__x.y__subagent", { text: "x" }],
		["mcp__codex__codex-reply", { prompt: "x" }],
		["SendMessage", { to: "worker", message: "go on" }],
		["anything_at_all", { agent: "worker", task: "fix it" }],
		["batch_work", { jobs: [{ agentName: "worker", prompt: "fix it" }] }],
	])("%s %j", (tool, input) => {
		expect(effects(tool, input)).toContain("nested-agent");
		expect(may(tool, input)).toContain("write");
	});

	it.each<[string, unknown, object?]>([
		["subagent", { agent: "worker", task: "/closed/place" }],
		["subagent", { tasks: [{ agent: "a", prompt: "~/.ssh/id_rsa" }] }],
		["spawn", { prompt: "/etc/passwd" }, { own: true }],
		["spawn", { prompt: "rm -rf src" }, { own: true }],
		["notebook_write", { name: "src/a.ts", content: "x" }, { own: true }],
	])("treats an agent's prompt as prose: %s %j", (tool, input, more = {}) => {
		expect(accesses(measured({ tool, input, ...more }))).toEqual([]);
	});

	it.each([
		["subagent", { action: "list" }],
		["subagent", { action: "status", id: "1" }],
		["subagent_list", {}],
		["list_agents", {}],
		["get_agent_result", { id: "1" }],
		["TaskOutput", { id: "1" }],
	])("only reads: %s %j", (tool, input) => {
		expect(effects(tool, input)).not.toContain("nested-agent");
		expect(may(tool, input)).toEqual(reading);
	});

	it.each([
		["read_symbol", { name: "agent" }],
		["set_user_agent", { value: "x" }],
		["todo", { task: "ask the agent" }],
		["TaskCreate", { subject: "x", description: "y" }],
		["mcp__slack__send_message", { channel: "a", text: "b" }],
		["web_search", { query: "subagent" }],
		["gemini_image", { text: "a cat" }],
	])("does not include %s %j", (tool, input) => {
		expect(effects(tool, input)).not.toContain("nested-agent");
	});

	it("has its effect despite a read-only action next to a task and despite hints; only the user's table removes it", () => {
		expect(effects("subagent", { action: "list", task: "fix it" })).toContain("nested-agent");
		expect(effects("subagent", { agent: "a", task: "x" }, { annotations: { readOnlyHint: true } })).toContain(
			"nested-agent",
		);
		expect(effects("subagent", { agent: "a", task: "x" }, set({ subagent: "read" }))).not.toContain("nested-agent");
		expect(effects("mine", { text: "x" }, set({ mine: "agent" }))).toContain("nested-agent");
	});

	it("may be one of this package and follows the same rules", () => {
		expect(effects("spawn", { prompt: "x" }, { own: true })).toEqual([]);
		expect(effects("spawn", { prompt: "x" })).toContain("nested-agent");
	});
});

describe("a call through a gateway", () => {
	it.each<[string, unknown, string]>([
		["mcp", { tool: "fs_write_file", args: { path: "a", content: "x" } }, "write a"],
		["mcp", { tool: "fs_write_file", args: '{"path":"a"}' }, "write a"],
		["mcp", { tool: "fs:delete_file", args: { path: "a" } }, "delete a"],
		["mcp", { tool: "fs_read_file", args: '{"path":"~/.ssh/id_rsa"}' }, "read ~/.ssh/id_rsa"],
		["mcp", { tool: "shell_run", args: '{"command":"rm -rf src"}' }, "delete src/**"],
		["mcp", { tool: "mcp", args: { tool: "fs_write_file", args: '{"path":"a"}' } }, "write a"],
		["mcp", { tool: "mcp", args: '{"tool":"fs_write_file","args":"{\\"path\\":\\"a\\"}"}' }, "write a"],
		["call_tool", { tool_name: "write_file", arguments: { path: "a" } }, "write a"],
		["call_tool", { name: "write_file", params: { file_path: "a" } }, "write a"],
		["callTool", { server: "fs", toolName: "write_file", input: { path: "a" } }, "write a"],
		["use_mcp_tool", { server_name: "fs", tool_name: "move_file", arguments: '{"source":"a"}' }, "delete a"],
		["execute", { function: "write_file", args: { path: "a" } }, "write a"],
		["x", { method: "tools/call", params: { name: "write_file", arguments: { path: "a" } } }, "write a"],
		[
			"batch",
			{
				calls: [
					{ tool: "read", args: { path: "b" } },
					{ tool: "write", args: { path: "a" } },
				],
			},
			"write! a",
		],
		["multi_tool_use", { tool_uses: [{ recipient_name: "functions.write", parameters: { path: "a" } }] }, "write! a"],
		["mcp", { tool: "bash", args: { command: "cat .env" } }, "read .env"],
		["mcp", { tool: "fs_write_file", path: "a" }, "write a"],
	])("%s %j", (tool, input, expected) => {
		const footprint = measured({ tool, input });
		expect(accesses(footprint)).toContain(expected);
		expect(doubts(footprint)).toContain("tool");
	});

	it("starts an agent if the inner tool does", () => {
		expect(effects("mcp", { tool: "subagent", args: { text: "x" } })).toContain("nested-agent");
		expect(effects("call_tool", { name: "Task", arguments: '{"description":"x"}' })).toContain("nested-agent");
	});

	it.each([[{}], [{ search: "files" }], [{ describe: "fs_write_file" }], [{ server: "fs" }], [{ action: "list" }]])(
		"that only lists tools reads: mcp %j",
		(input) => {
			expect(may("mcp", input)).toEqual(reading);
		},
	);

	it.each([[{ connect: "fs" }], [{ tool: "fs_read_file", args: {} }], [{ search: "x", tool: "fs_write_file" }]])(
		"of another kind is unknown: mcp %j",
		(input) => {
			expect(may("mcp", input)).toContain("write");
		},
	);

	it("reads if the user's table says that the inner tool does", () => {
		const table = set({ fs_list: "read", mcp__fs__look: "read" });
		expect(may("mcp", { tool: "fs_list", args: {} }, table)).not.toContain("write");
		expect(may("mcp", { tool: "look", server: "fs", args: {} }, table)).not.toContain("write");
		expect(may("mcp", { tool: "fs_other", args: {} }, table)).toContain("write");
	});

	it("treats file content as text", () => {
		const content = '{"scripts":{"test":"rm -rf src"},"command":"rm -rf src"}';
		const footprint = measured({ tool: "write_file", input: { path: "package.json", content } });
		expect(accesses(footprint)).toEqual(["read package.json", "write package.json"]);
	});

	it("above the bounds is unknown", () => {
		const many = Array.from({ length: 300 }, () => ({ tool: "read", args: { path: "a" } }));
		expect(doubts(measured({ tool: "batch", input: { calls: many } }))).toContain("syntax");
		let deep = '{"path":"a"}';
		for (let depth = 0; depth < 12; depth++) deep = JSON.stringify({ tool: "mcp", args: deep });
		expect(doubts(measured({ tool: "mcp", input: JSON.parse(deep) }))).toContain("syntax");
		const long = JSON.stringify({ path: "a", filler: "x".repeat(500_000) });
		expect(doubts(measured({ tool: "mcp", input: { tool: "x", args: long } }))).toContain("syntax");
	});

	it("is judged in time linear in its arguments", async () => {
		const input = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, `./f${index}`]));
		const ms = await cpuMs(() => measured({ tool: "mcp", input: { tool: "x", args: input } }));
		expect(ms).toBeLessThan(within(1500));
	});
});

describe("program text", () => {
	it.each<[string, Record<string, unknown>]>([
		["ctx_execute", { language: "javascript", code: "// rm -rf src\nconsole.log(1)" }],
		["browser_run", { script: "// rm -rf src\nreturn 1" }],
		["evaluate", { script: "const a = 1; // ; rm -rf src" }],
		["playwright", { script: "await page.click('a')\n# rm -rf src" }],
		["run_python", { script: "# rm -rf src\nprint(1)" }],
		["sql_run", { script: "-- rm -rf src\nselect 1" }],
		["x", { script: "import os\n# rm -rf src" }],
	])("in another language is no shell text: %s %j", (tool, input) => {
		const footprint = measured({ tool, input });
		expect(harms(footprint)).toEqual([]);
		expect(doubts(footprint)).toContain("script");
	});

	it.each<[string, Record<string, unknown>]>([
		["ctx_execute", { language: "shell", code: "rm -rf src" }],
		["ctx_execute", { language: "bash", code: "cd .\nrm -rf src" }],
		["execute", { runtime: "/bin/zsh", script: "rm -rf src" }],
		["terminal", { script: "rm -rf src" }],
		["mcp__shell__run", { script: "rm -rf src" }],
		["x", { script: "#!/bin/sh\nrm -rf src" }],
		["x", { script: "rm -rf src" }],
		["x", { code: "cd . && rm -rf src" }],
		["ctx_batch_execute", { commands: [{ label: "a", command: "rm -rf src" }] }],
		["x", { commands: ["ls", "rm -rf src"] }],
		["ctx_execute", { language: "javascript", code: "require('child_process').execSync('rm -rf src')" }],
		["ctx_execute", { language: "python", code: 'import os\nos.system("rm -rf src")' }],
	])("for a shell is analyzed: %s %j", (tool, input) => {
		expect(effects(tool, input)).toContain("recursive-delete");
	});

	it("reveals the paths in it", () => {
		const code = 'const fs = require("fs"); fs.writeFileSync("src/one.ts", fs.readFileSync(".env"))';
		expect(accesses(measured({ tool: "ctx_execute", input: { language: "javascript", code } }))).toEqual(
			expect.arrayContaining(["write src/one.ts", "read .env"]),
		);
		expect(accesses(measured({ tool: "execute", input: { code: 'open("~/.ssh/id_rsa")' } }))).toContain(
			"read ~/.ssh/id_rsa",
		);
	});

	it("for PowerShell is analyzed as such", () => {
		expect(effects("execute", { shell: "pwsh", code: "Remove-Item -Recurse -Force src" })).toContain(
			"recursive-delete",
		);
	});
});

describe("known tools", () => {
	it.each([
		["read_symbol", { symbol: "main" }],
		["web_search", { query: "x" }],
		["todo", { action: "create", text: "x", files: ["src/one.ts"] }],
		["lsp", { action: "references", file: "src/one.ts" }],
		["ask_user", { question: "x" }],
	])("include well-known readers: %s %j", (tool, input) => {
		const footprint = measured({ tool, input });
		expect(may(tool, input)).toEqual(reading);
		expect(accesses(footprint).filter((touch) => !touch.startsWith("read"))).toEqual([]);
	});

	it("do not include a rename, a command or a server's tool with a reader's name", () => {
		expect(may("lsp", { action: "rename", file: "src/one.ts" })).toContain("write");
		expect(effects("web_search", { command: "rm -rf src" })).toContain("recursive-delete");
		expect(may("mcp__x__web_search", { query: "x" })).toContain("write");
	});

	it("include tools with a read-only hint, unless the name says otherwise", () => {
		const hint = { annotations: { readOnlyHint: true } };
		expect(may("look_up", {}, hint)).toEqual(reading);
		expect(may("get_update_status", {}, hint)).toEqual(reading);
		expect(may("write_file", { path: "a" }, hint)).toContain("write");
		expect(accesses(measured({ tool: "write_file", input: { path: "a" }, ...hint }))).toContain("write a");
		expect(may("x", { tool: "write_file", args: { path: "a" } }, hint)).toContain("write");
	});

	it("follow the user's table in both directions", () => {
		expect(may("look", {}, set({ look: "read" }))).toEqual(reading);
		expect(may("web_search", {}, set({ web_search: "unknown" }))).toContain("write");
		const writer = measured({ tool: "apply", input: { path: "a" }, ...set({ apply: "write" }) });
		expect([accesses(writer), writer.unknowns]).toEqual([["read a", "write a"], []]);
	});
});
