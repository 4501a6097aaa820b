// Calls that a phase allows: by name, by glob, by footprint. Footprints are built by hand here; gate.test.ts uses real ones in real pi.

import { isListed } from "@pi-chronicle/core/definition";
import { computeFootprint } from "@pi-chronicle/footprint";
import { describe, expect, it } from "vitest";
import { hostEnvironment } from "../../src/pi/index.ts";
import type { Footprint } from "../../src/safety/index.ts";
import type { ToolLimits } from "../../src/workflow/definitions/index.ts";
import { allowedTools, blockedTools, judgeCall, limitsText } from "../../src/workflow/limits/index.ts";
import { cpuMs } from "../harness/cpu.ts";
import { within } from "../harness/patience.ts";

const project = "/home/me/project";
const places = { project: [project], temporary: { folders: ["/tmp"], except: [project, "/home/me"] } };
const nothing: Footprint = { tool: "x", accesses: [], runs: [], unknowns: [] };
const black = (names: string[], shell: "judged" | "strict" | "unrestricted" = "judged"): ToolLimits => ({
	kind: "blacklist",
	names,
	shell,
});
const white = (names: string[], shell: "judged" | "strict" | "unrestricted" = "judged"): ToolLimits => ({
	kind: "whitelist",
	names,
	shell,
});
const may = (...words: ("read" | "write" | "exec")[]): ToolLimits => ({ kind: "capabilities", may: words });

function judge(limits: ToolLimits, tool: string, footprint: Partial<Footprint> = {}) {
	return judgeCall(limits, { tool }, () => ({ ...nothing, tool, ...footprint }), places)?.kind;
}

const access = (kind: "read" | "list" | "write" | "delete" | "link", path: string, recursive = false) => ({
	accesses: [{ kind, path, real: path, recursive, by: `command ${path}` }],
	runs: [{ program: "command", args: [], text: `command ${path}`, effects: [], changes: [] }],
});
const changes = (...kinds: Footprint["runs"][number]["changes"]) => ({
	runs: [{ program: "git", args: [], text: "git …", effects: [], changes: kinds }],
});
const changesIn = (path: string, ...kinds: Footprint["runs"][number]["changes"]) => {
	const here = [{ path, real: path }];
	const [run] = changes(...kinds).runs;
	return { runs: run ? [{ ...run, places: { worktree: here, repository: here, packages: here } }] : [] };
};
const unknown = (
	what: Footprint["unknowns"][number]["what"],
	can: Footprint["unknowns"][number]["may"],
	under?: string,
) => ({
	unknowns: [{ what, text: "$x", may: can, ...(under === undefined ? {} : { under }) }],
	runs: [{ program: null, args: [], text: "$x", effects: [], changes: [] }],
});

describe("a call above the bounds of analysis", () => {
	it.each([white(["read", "bash"]), black(["edit", "write"]), white(["read", "bash"], "strict")])(
		"is refused in a phase that may not write: %o",
		(limits) => {
			const unknowns: Footprint["unknowns"] = [{ what: "syntax", text: "too long", may: ["read", "write"] }];
			expect(judge(limits, "bash", { unknowns })).toBe("shell-unknown");
		},
	);
});

describe("names", () => {
	it("in a blacklist are refused, all others allowed", () => {
		const limits = black(["edit", "write"]);
		expect(["edit", "write", "read", "bash", "Edit"].map((tool) => judge(limits, tool))).toEqual([
			"name",
			"name",
			undefined,
			undefined,
			"name",
		]);
	});

	it("in a whitelist are allowed, all others refused", () => {
		const limits = white(["read"]);
		expect(["read", "bash", "Read", "edit"].map((tool) => judge(limits, tool))).toEqual([
			undefined,
			"name",
			undefined,
			"name",
		]);
		expect(judge(white([]), "read")).toBe("name");
		expect(allowedTools(limits)).toBe("read");
		expect(allowedTools(black(["edit", "write"]))).toBe("all except: edit, write");
	});

	it("without limits are all allowed", () => {
		expect(judge({ kind: "free" }, "anything", access("delete", "/", true))).toBeUndefined();
	});

	it("include workflow_step in any list, without listing it", () => {
		for (const limits of [black(["workflow_step"]), black(["*"]), white([]), white(["read"]), may()])
			expect(judge(limits, "workflow_step")).toBeUndefined();
		expect([allowedTools(white(["read", "workflow_step"])), blockedTools(black(["workflow_step"]))]).toEqual([
			"read",
			"(none)",
		]);
	});

	it.each<[string, string, boolean]>([
		["mcp__*", "mcp__github__issue", true],
		["mcp__*", "mcp_x", false],
		["*", "anything", true],
		["*_file", "patch_file", true],
		["*_file", "patch_files", false],
		["a*b*c", "a-b-b-c", true],
		["a*b*c", "a-c-b", false],
		["a*a", "a", false],
		["read", "reader", false],
		["r.ad", "read", false],
		["READ", "read", true],
	])("the pattern %s fits %s: %s", (pattern, name, fits) => {
		expect(isListed([pattern], name)).toBe(fits);
	});

	it("a pattern full of stars matches in bounded time", async () => {
		const ms = await cpuMs(() => {
			expect(isListed([`${"*a".repeat(2_000)}*b`], "a".repeat(20_000))).toBe(false);
		});
		expect(ms).toBeLessThan(within(500));
	});
});

describe("the shell under a list", () => {
	const writes: [string, Partial<Footprint>][] = [
		["a write in the project", access("write", `${project}/src/a.ts`)],
		["a removal in the project", access("delete", `${project}/a`)],
		["a link in the project", access("link", `${project}/a`)],
		["everything below a folder around the project", access("delete", "/home/me", true)],
		["files of the project that are not named", changes("worktree")],
		["installed packages", changes("packages")],
		["a commit somewhere", changes("repository")],
		["a commit in the project", changesIn(`${project}/.git`, "repository")],
		["files below a folder around the project", changesIn("/home/me", "worktree")],
		["an unknown file of a folder in the project", unknown("operand", ["write"], `${project}/src`)],
	];
	const passes: [string, Partial<Footprint>][] = [
		["reading", access("read", `${project}/a`)],
		["a write elsewhere", access("write", "/tmp/log")],
		["a folder whose name begins like the project's", access("write", `${project}-2/a`)],
		["a removal outside the project", access("delete", "/home/me/other", true)],
		["a folder around the project alone", access("write", "/home/me")],
		["a commit in another repository", changesIn("/home/me/other/.git", "repository")],
		["packages and files of another folder", changesIn("/tmp/x", "packages", "worktree")],
		["another machine", changes("remote")],
	];

	it.each(writes)("stops %s", (_what, footprint) => {
		for (const limits of [
			black(["edit", "write"]),
			black(["edit"]),
			white(["read", "bash"]),
			white(["bash"], "strict"),
		])
			expect(judge(limits, "bash", footprint)).toBe("shell-writes");
	});

	it.each(writes)("allows %s if writing is allowed or the shell is unrestricted", (_what, footprint) => {
		for (const limits of [
			black(["grep"]),
			white(["bash", "edit"]),
			white(["bash", "write"]),
			black(["edit", "write"], "unrestricted"),
			white(["bash"], "unrestricted"),
		])
			expect(judge(limits, "bash", footprint)).toBeUndefined();
	});

	it.each(passes)("allows %s", (_what, footprint) => {
		expect(judge(black(["edit", "write"]), "bash", footprint)).toBeUndefined();
	});

	it("refuses what cannot be read, and allows programs and files of unknown effect, unless it is strict", () => {
		for (const what of ["command", "script", "operand", "syntax"] as const)
			expect(judge(black(["edit", "write"]), "bash", unknown(what, ["write"])), what).toBe("shell-unknown");
		for (const footprint of [
			unknown("project", ["read", "write"]),
			unknown("program", ["write", "delete"]),
			unknown("operand", ["write"], "/tmp"),
			unknown("file", ["write"]),
		]) {
			expect(judge(black(["edit", "write"]), "bash", footprint)).toBeUndefined();
			expect(judge(black(["edit", "write"], "strict"), "bash", footprint)).toBe("shell-unknown");
		}
		expect(judge(black(["edit"], "strict"), "bash", unknown("operand", ["read"]))).toBeUndefined();
	});

	it("is judged under every tool name that runs commands; other tools by their name", () => {
		const footprint = access("write", `${project}/a`);
		expect(judge(black(["edit", "write"]), "powershell", footprint)).toBe("shell-writes");
		expect(judge(black(["edit", "write"]), "run_in_container", footprint)).toBe("shell-writes");
		expect(judge(white(["patch_file"]), "patch_file", { accesses: footprint.accesses })).toBeUndefined();
		expect(judge(white(["edit"]), "edit", footprint)).toBeUndefined();
	});

	it("resolves links into the project", () => {
		const footprint = access("write", "/tmp/link/a");
		const [first] = footprint.accesses;
		const linked = { ...footprint, accesses: first ? [{ ...first, real: `${project}/a` }] : [] };
		expect(judge(black(["edit", "write"]), "bash", linked)).toBe("shell-writes");
	});
});

describe("capabilities", () => {
	it("read allows read-only calls", () => {
		expect(judge(may("read"), "read", access("read", `${project}/a`))).toBeUndefined();
		expect(judge(may("read"), "bash", access("list", "/"))).toBeUndefined();
		expect(judge(may("read"), "bash", access("write", "/dev/null"))).toBeUndefined();
		expect(judge(may("read"), "bash", unknown("operand", ["read"]))).toBeUndefined();
	});

	it("changes in temporary folders outside the project are free", () => {
		const linked = access("write", "/tmp/link/a");
		const [first] = linked.accesses;
		for (const footprint of [
			access("write", "/tmp/a"),
			access("delete", "/tmp/x", true),
			access("link", "/tmp/a"),
			changesIn("/tmp/x", "worktree", "repository", "packages"),
		])
			for (const limits of [may("read"), may("read", "exec")]) expect(judge(limits, "bash", footprint)).toBeUndefined();
		for (const footprint of [
			access("delete", "/tmp", true),
			access("write", "/home/me/a"),
			access("write", `${project}/tmp/a`),
			changesIn("/tmp", "worktree"),
			changesIn(`${project}/.git`, "repository"),
			changesIn("/tmp/x", "remote"),
			unknown("operand", ["write"], "/tmp/x"),
			{ ...linked, accesses: first ? [{ ...first, real: `${project}/a` }] : [] },
		])
			expect(judge(may("read"), "bash", footprint)).toBe("capability");
	});

	it("read refuses everything else, anywhere and under any name", () => {
		for (const footprint of [
			access("write", "/home/me/other/a"),
			access("delete", `${project}/a`),
			access("link", `${project}/a`),
			unknown("operand", ["write"]),
			changes("worktree"),
			changes("repository"),
			changes("packages"),
		]) {
			expect(judge(may("read"), "bash", footprint)).toBe("capability");
			expect(judge(may("read", "exec"), "bash", footprint)).toBe("capability");
			expect(judge(may("read", "write"), "bash", footprint)).toBeUndefined();
		}
	});

	it("write does not allow unknown commands; exec does", () => {
		for (const footprint of [
			unknown("command", ["write"]),
			unknown("program", ["write"]),
			unknown("script", ["write"]),
			unknown("project", ["write"]),
			unknown("syntax", ["write"]),
			unknown("tool", ["write"]),
			changes("remote"),
			changes("system"),
			changes("containers"),
			changes("database"),
		]) {
			expect(judge(may("read", "write"), "x", footprint)).toBe("capability");
			expect(judge(may("read", "exec"), "x", footprint)).toBeUndefined();
		}
	});

	it("an empty list of capabilities refuses reading too", () => {
		expect(judge(may(), "write", access("write", "/tmp/a"))).toBe("name");
		expect(judge(may(), "read", access("read", `${project}/a`))).toBe("name");
		expect(judge(may(), "workflow_step", access("read", `${project}/a`))).toBeUndefined();
		expect([limitsText(may()), allowedTools(may()), blockedTools(may())]).toEqual([
			"No tool is available in this phase, besides workflow_step.",
			"(none)",
			"all",
		]);
	});

	it("pi's tools that find and call others are allowed if the phase allows more than pi's own tools", () => {
		const plain = { ...nothing, ...access("list", project) };
		for (const tool of ["codemode", "tool_search"]) {
			const judgeOwn = (limits: ToolLimits) => judgeCall(limits, { tool, own: true }, () => plain, places)?.kind;
			expect(judgeOwn(white(["mcp__docs__*"]))).toBeUndefined();
			expect(judgeOwn(may("read"))).toBeUndefined();
			expect(judgeOwn(white(["read", "bash", "workflow_step"]))).toBe("name");
			expect(judgeOwn(white([]))).toBe("name");
			expect(judgeOwn(may())).toBe("name");
			expect(judgeOwn(black([tool]))).toBe("name");
			// Another extension's tool of that name may do anything.
			expect(judge(white(["mcp__docs__*"]), tool, plain)).toBe("name");
		}
	});
});

describe("limits in prompts", () => {
	it("are stated for the model, and omitted if there are none", () => {
		expect(limitsText({ kind: "free" })).toBeUndefined();
		expect(limitsText(may("read", "write", "exec"))).toBeUndefined();
		expect(limitsText(white(["read", "bash"]))).toBe(
			"Only available in this phase, besides workflow_step: read, bash. Calls that would change the project are refused too, including shell commands. A copy in a temporary folder outside the project may be changed.",
		);
		expect(limitsText(white(["read"]))).toBe("Only available in this phase, besides workflow_step: read.");
		expect(limitsText(black(["edit"], "unrestricted"))).toBe("Not available in this phase: edit.");
		expect(limitsText(black(["edit"], "strict"))).toContain("whose effect is unknown");
		expect(limitsText(may("read"))).toBe(
			"This phase may only read. Every call that writes a file outside temporary folders or runs a program that may do more (a test, a script, the project itself) is refused, whichever tool makes it.",
		);
		expect(limitsText(may("read", "exec"))).toBe(
			"This phase may only read and run programs. Every call that writes a file outside temporary folders is refused, whichever tool makes it.",
		);
		expect(limitsText(may("read", "write"))).not.toContain("writes a file");
	});

	it("state what is blocked for whitelists and capabilities too", () => {
		expect(blockedTools({ kind: "free" })).toBe("(none)");
		expect(blockedTools(white(["read"]))).toBe("all except: read");
		expect(blockedTools(white(["workflow_step"]))).toBe("all");
		expect(blockedTools(may("read"))).toBe(
			"anything that writes files outside temporary folders and programs and tools whose effect is unknown",
		);
		expect(blockedTools(may("read", "write", "exec"))).toBe("(none)");
	});
});

describe("limits by name", () => {
	const call = (tool: string, input: unknown, limits: ToolLimits) =>
		judgeCall(limits, { tool }, () => computeFootprint({ tool, input }, hostEnvironment(project)), places)?.kind;

	it.each<[tool: string, input: unknown]>([
		["mcp", { tool: "docs_write", args: { x: 1 } }],
		["mcp", { tool: "docs_write", args: '{"x": 1}' }],
		["mcp", { server: "docs", tool: "write" }],
		["mcp__docs", { tool: "write", args: {} }],
		["mcp", { tool: "docs:write" }],
		["call_tool", { name: "docs_write", arguments: {} }],
		[
			"batch",
			{
				calls: [
					{ tool: "read", args: { path: "a" } },
					{ tool: "docs_write", args: {} },
				],
			},
		],
		["batch", { calls: '[["docs_write", {"x": 1}]]' }],
		["use_mcp_tool", { server_name: "docs", tool_name: "write", arguments: {} }],
		["run_script", { code: "await tools.docs_write({ x: 1 })" }],
		["run_script", { code: 'await callTool("docs_write", { x: 1 })' }],
	])("a blacklist holds for what %s passes on: %j", (tool, input) => {
		expect(call(tool, input, black(["docs_write"]))).toBe("name");
		expect(call(tool, input, black(["other_write"]))).not.toBe("name");
	});

	it.each(["mcp__docs", "mcp__docs__*", "mcp__docs__write"])("%s means tools of that server", (entry) => {
		expect(call("mcp", { server: "docs", tool: "write" }, black([entry]))).toBe("name");
		expect(call("mcp__docs", { tool: "write" }, black([entry]))).toBe("name");
		expect(call("mcp__docs__write", {}, black([entry]))).toBe("name");
		expect(call("mcp", { server: "issues", tool: "write" }, black([entry]))).not.toBe("name");
		expect(isListed([entry], "mcp__docs2__write")).toBe(false);
	});
});
