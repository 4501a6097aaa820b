// Tool names as people write them in agent files, in pi's words. Pure: it knows names, not which tools a session has.
// N1 nothing is widened: a name that limits a tool by argument is left out, not given whole; N2 no name is dropped without a problem saying so.
import { didYouMean, type Problem, quoted } from "../definition/index.ts";

/** pi's built-in tools, by their exact names. */
export const BUILT_IN_TOOLS: readonly string[] = ["read", "bash", "edit", "write", "grep", "find", "ls", "powershell"];

/** Tools of pi's built-in extensions, which a worker loads only when a persona names one of them. */
export const BUILT_IN_EXTENSION_TOOLS: ReadonlyMap<string, string> = new Map([
	["codemode", "builtin:codemode"],
	["tool_search", "builtin:tool-search"],
]);

/**
 * Other agents' names for what pi has, lower case. Sources: the tool lists in the documentation of Claude Code, Gemini CLI, Codex, OpenCode
 * and Copilot.
 */
const foreign: ReadonlyMap<string, string> = new Map([
	["multiedit", "edit"],
	["notebookedit", "edit"],
	["notebookread", "read"],
	["glob", "find"],
	["bashoutput", "bash"],
	["killbash", "bash"],
	["killshell", "bash"],
	["shell", "bash"],
	["run_shell_command", "bash"],
	["read_file", "read"],
	["read_many_files", "read"],
	["write_file", "write"],
	["replace", "edit"],
	["apply_patch", "edit"],
	["search_file_content", "grep"],
	["grep_search", "grep"],
	["list_directory", "ls"],
	["list_dir", "ls"],
	["list", "ls"],
	["patch", "edit"],
	["search", "grep"],
	["execute", "bash"],
]);

/** Names that are known elsewhere and have no counterpart in a worker. */
const absent: ReadonlyMap<string, string> = new Map(
	[
		[
			"a worker starts no agents",
			[
				...["task", "agent", "dispatch_agent", "run_chain", "subagent", "subagent_create", "query_experts"],
				...["taskoutput", "taskstop", "agentoutputtool", "sendmessage", "teamcreate", "teamdelete", "workflow"],
			],
		],
		[
			"pi has no such tool",
			[
				...["webfetch", "websearch", "web_fetch", "google_web_search", "web", "lsp", "save_memory", "view_image"],
				...["listmcpresourcestool", "readmcpresourcetool", "listmcpresources", "readmcpresource", "toolsearch"],
				...["enterworktree", "exitworktree", "croncreate", "crondelete", "cronlist", "monitor"],
			],
		],
		[
			"pending tasks belong in workflow_update_snapshot",
			[
				...["todowrite", "todoread", "todo", "write_todos", "update_plan", "tilldone"],
				...["taskcreate", "taskget", "tasklist", "taskupdate"],
			],
		],
		["pi reads skills as files", ["skill", "slashcommand", "activate_skill"]],
		[
			"a worker asks through approvals",
			["askuserquestion", "ask_user", "question", "exitplanmode", "enterplanmode", "ask_supervisor"],
		],
	].flatMap(([why, names]) => (names as string[]).map((name) => [name, why as string] as const)),
);

/** Names for everything that pi offers by default, and for nothing at all. */
const everything = new Set(["*", "all"]);
const nothing = new Set(["none", "-"]);

export interface ToolNames {
	/** pi's names and patterns such as `mcp__docs__*`, each once, in the order written. */
	readonly names: readonly string[];
	/** `all` where the list asked for everything; `names` then holds what it adds. */
	readonly kind: "listed" | "all";
	readonly problems: readonly (Problem & { readonly severity: "error" | "warning"; readonly written: string })[];
}

/** Translates names as written. `extra` are further names that exist: those of extensions that the worker loads. */
export function readToolNames(written: readonly string[], extra: readonly string[] = []): ToolNames {
	const names = new Set<string>();
	const problems: ToolNames["problems"][number][] = [];
	let kind: ToolNames["kind"] = "listed";
	for (const word of written) {
		const said = readToolName(word, extra);
		if (said === "all") kind = "all";
		else if (said === "none") continue;
		else if (typeof said === "string") names.add(said);
		else problems.push({ ...said, written: word });
	}
	return { names: [...names], kind, problems };
}

type Trouble = Problem & { readonly severity: "error" | "warning" };

function readToolName(word: string, extra: readonly string[]): string | Trouble {
	const name = word.trim();
	const lower = name.toLowerCase();
	if (everything.has(lower)) return "all";
	if (nothing.has(lower)) return "none";
	if (extra.includes(name)) return name;
	const limited = /^([\w-]+)\s*\(.*\)$/s.exec(name);
	if (limited) {
		return {
			severity: "warning",
			code: "limited-tool",
			message: `${quoted(name)} limits a tool by its arguments, which pi's tool list cannot do, so the tool is left out.`,
			remedy: `Write ${quoted(limited[1]?.toLowerCase() ?? "")} to give the whole tool, and put limits into the guard's rules.`,
		};
	}
	if (BUILT_IN_TOOLS.includes(lower)) return lower;
	if (BUILT_IN_EXTENSION_TOOLS.has(lower)) return lower;
	if (/^mcp__/i.test(name)) return /^mcp__[^_*]+(?:_[^_*]+)*$/i.test(name) ? `${name}__*` : name;
	const known = foreign.get(lower);
	if (known) return known;
	const why = absent.get(lower);
	if (why) {
		return {
			severity: "warning",
			code: "absent-tool",
			message: `The tool ${quoted(name)} is left out: ${why}.`,
			remedy: "Take it out of the list, or leave it for other agents that read this file.",
		};
	}
	const suggestion = didYouMean(lower, [
		...BUILT_IN_TOOLS,
		...BUILT_IN_EXTENSION_TOOLS.keys(),
		...foreign.keys(),
		...extra,
	]);
	return {
		severity: "error",
		code: "unknown-tool",
		message: `There is no tool ${quoted(name)}.${suggestion}`,
		remedy: `Name tools of pi (${BUILT_IN_TOOLS.slice(0, 7).join(", ")}), MCP tools (mcp__server__tool), or load the extension that has it.`,
	};
}
