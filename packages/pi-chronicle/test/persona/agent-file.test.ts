import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { openSource } from "@pi-chronicle/core/definition";
import { describe, expect, it } from "vitest";
import { type AgentPlace, readAgentFile } from "../../src/persona/agent-file.ts";
import type { AgentFile } from "../../src/persona/persona.ts";
import { findSkill } from "../../src/persona/skills.ts";
import { findSources } from "../../src/tools/migration/sources.ts";
import { openFolder } from "../harness/folder.ts";

const place: AgentPlace = {
	tier: "project",
	path: "team/someone",
	withoutTools: "reading",
	skills: { folders: [], home: "/home" },
};

function read(text: string, part: Partial<AgentPlace> = {}) {
	return readAgentFile(openSource("/p/.pi/agents/team/someone.md", text), { ...place, ...part });
}

function agent(front: string, body = "You are someone."): AgentFile {
	const found = read(`---\nname: someone\n${front}\n---\n${body}\n`);
	if (found.kind !== "agent") throw new Error(JSON.stringify(found));
	return found.agent;
}

describe("tools of an agent file", () => {
	it.each([
		["a comma list", "tools: read, grep"],
		["a comma list without blanks", "tools: read,grep"],
		["a flow list", "tools: [read, grep]"],
		["a flow list of quoted words", 'tools: ["read","grep"]'],
		["a block list", "tools:\n  - read\n  - grep"],
		["an unindented block list", "tools:\n- read\n- grep"],
		["a block list with comments and quotes", "tools: # which\n  - 'read' # files\n  - \"grep\""],
		["a quoted comma list", 'tools: "read, grep"'],
		["blanks alone", "tools: read grep"],
		["a folded text", "tools: >\n  read,\n  grep"],
		["a block text", "tools: |\n  read\n  grep"],
		["a trailing comma", "tools: read, grep,"],
		["a nested list", "tools:\n  - [read, grep]"],
		["an object of switches", "tools:\n  read: true\n  grep: true\n  bash: false"],
		["Claude names", "tools: Read, Grep"],
		["pi names in capitals", "tools: READ, GREP"],
		["one name twice", "tools: read, Read, grep"],
		["a denied tool", "tools: read, grep, bash\ndisallowedTools: Bash"],
		["next to a description with a colon", "description: Use when: the user asks\ntools: read, grep"],
		[
			"a folded description with dashes and colons",
			"description: >\n  Long — with: colons\n  and more\ntools: read, grep",
		],
	])("%s", (_, front) => {
		expect(agent(front).tools).toEqual(["read", "grep"]);
	});

	it("Claude's tool names become pi's", () => {
		const front = "tools: Read, Write, Edit, MultiEdit, NotebookEdit, Bash, BashOutput, Glob, Grep, LS";
		expect(agent(front).tools).toEqual(["read", "write", "edit", "bash", "find", "grep", "ls"]);
	});

	it("tools that pi does not have are left out, each with its reason", () => {
		const { tools, diagnostics } = agent("tools: Read, Task, WebFetch, TodoWrite, AskUserQuestion");
		expect(tools).toEqual(["read"]);
		expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual(
			Array(4).fill("warning absent-tool"),
		);
	});

	it("every tool of Claude Code and similar agents is known: none of them stops a run", () => {
		const claude =
			"Agent, Task, TaskOutput, TaskStop, TaskCreate, TaskList, TodoWrite, WebFetch, WebSearch, Skill, SlashCommand, LSP, " +
			"AskUserQuestion, EnterPlanMode, ExitPlanMode, ListMcpResourcesTool, ReadMcpResourceTool, ToolSearch, SendMessage";
		expect(agent(`tools: Read, KillShell, ${claude}`)).toMatchObject({ tools: ["read", "bash"] });
		expect(agent(`tools: ${claude}`).diagnostics.map(({ severity }) => severity)).toEqual(Array(19).fill("warning"));
		expect(agent("tools: [list, patch, grep_search, list_directory, search, execute, todo, web]").tools).toEqual([
			...["ls", "edit", "grep", "bash"],
		]);
	});

	it("the documented names of Copilot's tools are known, alone and in their sets", () => {
		const names =
			"codebase, editFiles, search, usages, problems, runCommands, runTests, fetch_webpage, githubRepo, todos";
		expect(agent(`tools: [${names}]`).tools).toEqual(["grep", "edit", "bash"]);
		const sets =
			"read/readFile, edit/createFile, search/fileSearch, search/listDirectory, execute/runInTerminal, agent/runSubagent";
		const found = agent(`tools: [${sets}, web/fetch_webpage]`);
		expect(found.tools).toEqual(["read", "write", "find", "ls", "bash"]);
		expect(found.diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual(
			Array(2).fill("warning absent-tool"),
		);
	});

	it.each([
		["gash", "bash"],
		["raed", "read"],
		["Globb", "glob"],
		["writ", "write"],
	])("an unknown tool %s is an error with a suggestion", (wrong, right) => {
		const { diagnostics } = agent(`tools: read, ${wrong}`);
		expect(diagnostics).toMatchObject([
			{
				severity: "error",
				code: "unknown-tool",
				line: 3,
				message: expect.stringContaining(`Did you mean \`${right}\`?`),
			},
		]);
	});

	it("an unknown tool in a block list is named at its own line", () => {
		const [first] = agent("tools:\n  - read\n  - gash").diagnostics;
		expect(first).toMatchObject({ code: "unknown-tool", line: 5, column: 5 });
	});

	it("a tool limited by arguments is left out, not widened", () => {
		const { tools, diagnostics } = agent("tools: Bash(git add:*, git commit:*), Read");
		expect(tools).toEqual(["read"]);
		expect(diagnostics).toMatchObject([{ severity: "warning", code: "limited-tool" }]);
	});

	it("MCP tools stay, a whole server becomes a pattern", () => {
		expect(agent("tools: read, mcp__docs__search, mcp__tickets").tools).toEqual([
			"read",
			"mcp__docs__search",
			"mcp__tickets__*",
		]);
	});

	it("a pattern of MCP tools stays unchanged", () => {
		expect(agent('tools: ["mcp__*", "mcp__docs__*", "mcp__git*"]').tools).toEqual([
			"mcp__*",
			"mcp__docs__*",
			"mcp__git*",
		]);
	});

	it("`none` is no tools", () => {
		expect(agent("tools: none")).toMatchObject({ tools: [], diagnostics: [] });
	});

	it("aliases that would expand exponentially are an error, reported at once", () => {
		const levels = [..."abcdefghi"].map((name, at) => {
			const before = at === 0 ? "read" : `*${"abcdefghi"[at - 1]}`;
			return `${name}: &${name} [${Array(9).fill(before).join(", ")}]`;
		});
		const { diagnostics } = agent(`${levels.join("\n")}\ntools: *i`);
		expect(diagnostics).toMatchObject([{ severity: "error", code: "too-many-words" }]);
	});

	it("`*` and `all` mean pi's default tools", () => {
		expect(agent("tools: '*'").tools).toBeUndefined();
		expect(agent("tools: all").tools).toBeUndefined();
	});

	it("without the field: read-only tools and a warning, as in agent-team; all tools for a Claude Code agent", () => {
		const { tools, diagnostics } = agent("description: x");
		expect(tools).toEqual(["read", "grep", "find", "ls"]);
		expect(diagnostics).toMatchObject([{ severity: "warning", code: "no-tools" }]);
		const claude = read("---\nname: c\ndisallowedTools: Write, Edit\n---\nYou.", { withoutTools: "all" });
		expect(claude).toMatchObject({ kind: "agent", agent: { tools: ["read", "bash"] } });
		const whole = read("---\nname: c\n---\nYou.", { withoutTools: "all" });
		expect(whole.kind === "agent" && whole.agent.tools).toBeUndefined();
	});

	it("an empty list is no tools", () => {
		expect(agent("tools: []").tools).toEqual([]);
		expect(agent("tools:").tools).toEqual([]);
	});
});

describe("other parts of an agent file", () => {
	it.each([
		["LF", (text: string) => text],
		["CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
		["CR", (text: string) => text.replaceAll("\n", "\r")],
		["a byte order mark", (text: string) => `\ufeff${text}`],
		["no newline at the end", (text: string) => text.trimEnd()],
		["all of it", (text: string) => `\ufeff${text.trimEnd().replaceAll("\n", "\r\n")}`],
	])("is read with %s", (_, change) => {
		const text = "---\nname: someone\ntools: read, bash\nmodel: opus\n---\n\nYou are someone.\n\n- A rule.\n";
		expect(read(change(text))).toMatchObject({
			kind: "agent",
			agent: { name: "someone", tools: ["read", "bash"], models: ["opus"], prompt: "You are someone.\n\n- A rule." },
		});
	});

	it.each([
		["name: devil's-advocate", "devil's-advocate"],
		["name: 'Red Team'", "Red Team"],
		['name: "quoted"', "quoted"],
		["name: netapp-tigers.ontap-specialist", "netapp-tigers.ontap-specialist"],
		["name: 007", "007"],
		["name: true", "true"],
	])("%s", (line, name) => {
		expect(read(`---\n${line}\ntools: read\n---\nYou.`)).toMatchObject({ kind: "agent", agent: { name } });
	});

	it.each([
		["model: opus", ["opus"]],
		["model: anthropic/claude-opus-5:high", ["anthropic/claude-opus-5:high"]],
		["model: a, b", ["a", "b"]],
		["model: [a, b]", ["a", "b"]],
		["model: Some Name 5", ["Some Name 5"]],
		["models:\n  - a\n  - b", ["a", "b"]],
		["model: a\nmodels: [b, a]", ["a", "b"]],
		["model:", []],
	])("%s", (line, models) => {
		expect(agent(`tools: read\n${line}`).models).toEqual(models);
	});

	it.each([
		["high", "high"],
		["XHIGH", "xhigh"],
		["off", "off"],
		["'none'", "off"],
		["false", "off"],
	])("thinking: %s", (word, level) => {
		expect(agent(`tools: read\nthinking: ${word}`)).toMatchObject({ thinking: level, diagnostics: [] });
	});

	it("an unknown level of thinking is a warning with a suggestion", () => {
		const { thinking, diagnostics } = agent("tools: read\nthinking: hihg");
		expect(thinking).toBeUndefined();
		expect(diagnostics).toMatchObject([{ code: "unknown-thinking", message: expect.stringContaining("`high`") }]);
	});

	it("a file without a name is named after the file", () => {
		expect(read("---\ntools: read\n---\nYou.")).toMatchObject({
			kind: "agent",
			agent: { name: "someone", diagnostics: [{ severity: "warning", code: "no-name" }] },
		});
	});

	it("a file without text is refused: never an empty persona", () => {
		for (const text of ["---\nname: a\n---", "---\nname: a\n---\n", "---\nname: a\n---\n  \n\n"]) {
			expect(read(text)).toMatchObject({
				kind: "broken",
				diagnostics: expect.arrayContaining([expect.objectContaining({ severity: "error", code: "no-prompt" })]),
			});
		}
	});

	it.each([
		["front matter that never ends", "---\nname: a\nYou."],
		["broken front matter", "---\nname: [a\n---\nYou."],
		["a list as front matter", "---\n- a\n---\nYou."],
	])("%s is an error with a line, never ignored", (_, text) => {
		const found = read(text);
		expect(found.kind).toBe("broken");
		expect(found.kind === "broken" && found.diagnostics[0]).toMatchObject({
			severity: "error",
			file: "/p/.pi/agents/team/someone.md",
			line: expect.any(Number),
		});
	});

	it("Markdown without front matter is not an agent", () => {
		expect(read("# Agents\n\nHow we work.\n")).toEqual({ kind: "other" });
		expect(read("")).toEqual({ kind: "other" });
	});

	it("fields of other programs are accepted, a misspelling of ours is reported", () => {
		const { diagnostics } = agent(
			"tools: read\ncolor: blue\nsubagents: [a]\nextensions: []\nanything: 1\nskill: x\nmodle: opus",
		);
		expect(diagnostics.map(({ code, line }) => `${code} ${line}`)).toEqual(["unknown-key 8", "unknown-key 9"]);
	});
});

it("a path that the system refuses to look up names no skill and nothing to import", () => {
	const folder = openFolder();
	symlinkSync("loop", join(folder, "loop"));
	for (const name of ["loop", "x".repeat(300), "\0"]) {
		expect(findSkill(name, folder, { folders: [folder], home: folder })).toBeUndefined();
		expect(findSources(join(folder, name))).toBeUndefined();
	}
});
