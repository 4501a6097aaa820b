// Restrictions in agent files, in the fields of every program that reads them: the closest stricter meaning, or an error with its place.

import { openSource } from "@pi-chronicle/core/definition";
import { describe, expect, it } from "vitest";
import { type AgentPlace, readAgentFile } from "../../src/persona/agent-file.ts";
import { keepAllowed } from "../../src/persona/restrictions.ts";

const place: AgentPlace = {
	tier: "project",
	path: "someone",
	withoutTools: "reading",
	skills: { folders: [], home: "/home" },
};
const full = "tools: read, bash, edit, write, grep, mcp__docs, mcp__git__log";

function agent(front: string, part: Partial<AgentPlace> = {}) {
	const text = `---\nname: someone\n${front}\n---\nYou are someone.\n`;
	const found = readAgentFile(openSource("/p/someone.md", text), { ...place, ...part });
	if (found.kind !== "agent") throw new Error(JSON.stringify(found));
	const errors = found.agent.diagnostics.filter(({ severity }) => severity === "error");
	return { ...found.agent, errors, codes: found.agent.diagnostics.map(({ code }) => code) };
}

const reads = ["read", "grep"];
const noBash = ["read", "edit", "write", "grep", "mcp__docs__*", "mcp__git__log"];

describe("a restricting field", () => {
	it.each<[string, readonly string[]]>([
		["disallowedTools: Bash", noBash],
		["disallowedTools: BASH", noBash],
		["disallowed-tools: [bash]", noBash],
		["disallowedTools: Bash(rm:*)", noBash],
		["disallowedTools: 'Bash(git push:*), Bash(rm:*)'", noBash],
		["disallowedTools: mcp__docs", ["read", "bash", "edit", "write", "grep", "mcp__git__log"]],
		["disallowedTools: mcp__docs__write", ["read", "bash", "edit", "write", "grep", "mcp__git__log"]],
		["disallowedTools: 'mcp__*'", ["read", "bash", "edit", "write", "grep"]],
		["disallowedTools: '*'", []],
		["disallowedTools: all", []],
		["disallowedTools: Task, WebFetch", ["read", "bash", ...noBash.slice(1)]],
		["permissionMode: plan", reads],
		["permissionMode: dontAsk", reads],
		["permission-mode: Plan", reads],
		["readonly: true", reads],
		["readOnly: yes", reads],
		["read_only: true", reads],
		["readonly: false", ["read", "bash", ...noBash.slice(1)]],
		["mode: plan", reads],
		["mode: subagent", ["read", "bash", ...noBash.slice(1)]],
		["permission: {bash: deny}", noBash],
		["permission: {bash: ask}", noBash],
		["permission: {bash: allow}", ["read", "bash", ...noBash.slice(1)]],
		["permission:\n  bash:\n    '*': deny\n    'git log*': allow", noBash],
		["permission: {edit: deny}", ["read", "bash", "grep", "mcp__docs__*", "mcp__git__log"]],
		["permission: {'*': deny, read: allow, bash: allow}", ["read", "bash"]],
		["permission: deny", []],
		["allowed-tools: Read, Grep, Bash(git log:*)", reads],
		["readonly: true\ndisallowedTools: grep", ["read"]],
	])("%s", (front, tools) => {
		const found = agent(`${full}\n${front}`);
		expect(found.errors).toEqual([]);
		expect(found.tools).toEqual(tools);
	});

	it("with switches that only turn tools off keeps the others", () => {
		expect(agent("tools:\n  bash: false\n  write: false", { withoutTools: "all" }).tools).toEqual(["read", "edit"]);
		expect(agent("tools:\n  bash: true\n  read: true\n  write: false").tools).toEqual(["bash", "read"]);
	});

	it("applies to an agent without a tool list too", () => {
		expect(agent("readonly: true", { withoutTools: "all" }).tools).toEqual(["read", "grep", "find", "ls"]);
		expect(agent("disallowedTools: edit", { withoutTools: "all" }).tools).toEqual(["read", "bash", "write"]);
	});

	it("applies to tools that a state or an extension adds", () => {
		const { restrictions } = agent("readonly: true");
		expect(keepAllowed(["read", "bash", "lsp"], restrictions)).toEqual({ kept: ["read"], left: ["bash", "lsp"] });
		const denied = agent(`${full}\ndisallowedTools: [deploy_it, 'jira_*']`);
		expect(denied.codes).toEqual(["foreign-tool", "foreign-tool"]);
		expect(keepAllowed(["deploy_it", "Jira_close", "read"], denied.restrictions).kept).toEqual(["read"]);
	});

	it.each([
		["disallowedTools: Bsh", "unknown-denied-tool", 4],
		["disallowedTools:\n  - write\n  - edti", "unknown-denied-tool", 6],
		["disallowedTools: ['what is this']", "unknown-denied-tool", 4],
		["permissionMode: careful", "unknown-restriction", 4],
		["readonly: perhaps", "unknown-restriction", 4],
		["permission: {bash: sometimes}", "unknown-restriction", 4],
		["permission: {external_directory: deny}", "unknown-restriction", 4],
		["permissions: {deny: [Bash]}", "unknown-restriction", 4],
		["sandbox: read-only", "unknown-restriction", 4],
		["sandbox_mode: workspace-write", "unknown-restriction", 4],
		["denied_tools: shell", "unknown-restriction", 4],
		["excludeTools: bash", "unknown-restriction", 4],
		["blacklist: [bash]", "unknown-restriction", 4],
		["tools_whitelist: [read]", "unknown-restriction", 4],
		["mode: review", "unknown-restriction", 4],
		["isolation: worktree", "unknown-restriction", 4],
		["approval_policy: on-request", "unknown-restriction", 4],
		["hooks: {PreToolUse: [{hooks: [{type: command, command: x}]}]}", "unknown-restriction", 4],
		["hooks: {PreToolUse: [{matcher: '.*', hooks: []}]}", "unknown-restriction", 4],
		["restrictedPaths: [src]", "unknown-restriction", 4],
		["deniedCommands: [rm]", "unknown-restriction", 4],
	])("that cannot be honored is an error with its place: %s", (front, code, line) => {
		expect(agent(`${full}\n${front}`).errors).toMatchObject([{ code, line }]);
	});

	it("that was extended to a whole tool, or a hook that does not run, is reported", () => {
		expect(agent(`${full}\ndisallowedTools: Bash(rm:*)`).codes).toEqual(["limited-tool"]);
		expect(agent(`${full}\nhooks: {Stop: [{hooks: []}]}`).codes).toEqual(["no-hooks"]);
	});
});

describe("a tool that only an extension can provide", () => {
	it.each(["web_search", "read_symbol", "fetch", "jira_create", "lint"])("%s is left out with a warning", (name) => {
		const found = agent(`tools: read, ${name}`);
		expect(found).toMatchObject({ tools: ["read"], foreign: [name], errors: [], codes: ["foreign-tool"] });
	});
});
