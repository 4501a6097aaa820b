// Translates the tool names in agent files to pi's names. Pure: it knows names, not the tools of a session.
// Nothing is widened: a name that limits a tool by arguments is omitted, not granted as a whole; no name is dropped without a
// problem.
import { didYouMean, editDistance, type Problem, quoted } from "@pi-chronicle/core/definition";
import { isAgentToolName } from "../safety/index.ts";

/** Exact names of pi's built-in tools. */
export const BUILT_IN_TOOLS: readonly string[] = ["read", "bash", "edit", "write", "grep", "find", "ls", "powershell"];

/** Tools of pi's built-in extensions. A worker loads an extension only if a persona names its tool. */
export const BUILT_IN_EXTENSION_TOOLS: ReadonlyMap<string, string> = new Map([
	["codemode", "builtin:codemode"],
	["tool_search", "builtin:tool-search"],
]);

/**
 * Names that other agents use for pi's tools, in lower case. Sources: the tool lists in the documentation of Claude Code, Gemini CLI,
 * Codex, OpenCode, and Copilot, whose names may have a set in front: `search/codebase`.
 */
const meanings: Readonly<Record<string, readonly string[]>> = byWord({
	read: "notebookread read_file read_many_files readfile getnotebooksummary read_notebook_cell_output",
	write: "write_file createfile create_file",
	edit: "multiedit notebookedit replace apply_patch patch editfiles editnotebook replace_string_in_file insert_edit_into_file",
	bash: "bashoutput killbash killshell shell run_shell_command execute runcommands runinterminal run_in_terminal getterminaloutput runtasks runtests",
	grep: "search_file_content grep_search search textsearch codebase usages",
	find: "glob filesearch file_search findtestfiles",
	ls: "list_directory list_dir list listdirectory",
});

/** Tools of other agents that have no counterpart in a worker, by the reason. */
const absent: Readonly<Record<string, readonly string[]>> = byWord({
	"pi has no such tool":
		"webfetch websearch web_fetch google_web_search web fetch_webpage opensimplebrowser githubrepo lsp problems changes testfailure vscodeapi extensions new runvscodecommand getprojectsetupinfo terminallastcommand terminalselection runnotebooks searchresults createdirectory save_memory view_image listmcpresourcestool readmcpresourcetool listmcpresources readmcpresource toolsearch enterworktree exitworktree croncreate crondelete cronlist monitor",
	"pending tasks belong in workflow_update_snapshot":
		"todowrite todoread todo todos write_todos update_plan tilldone taskcreate taskget tasklist taskupdate",
	"pi reads skills as files": "skill slashcommand activate_skill",
	"a worker asks through approvals":
		"askuserquestion ask_user askquestions question exitplanmode enterplanmode ask_supervisor",
	"a worker cannot start agents": "runsubagent custom-agent",
});

/** The keys of a table by the words of its values. */
function byWord(table: Readonly<Record<string, string>>): Record<string, readonly string[]> {
	const words: Record<string, readonly string[]> = Object.create(null);
	for (const [key, names] of Object.entries(table)) for (const name of names.split(" ")) words[name] = [key];
	return words;
}

/** Names for all of pi's default tools, and for none. */
const everything = new Set(["*", "all"]);
const nothing = new Set(["none", "-"]);

export interface ToolNames {
	/** pi's names, and patterns such as `mcp__docs__*`, each once, in the order written. */
	readonly names: readonly string[];
	/** `all` if the list includes a name for everything; `names` then contains the tools that it adds. */
	readonly kind: "listed" | "all";
	readonly problems: readonly (Problem & { readonly severity: "error" | "warning"; readonly written: string })[];
	/** Names, as written, that only an extension can provide; each also has a problem. */
	readonly foreign: readonly string[];
}

/** The meaning of one written name. */
export type ToolName =
	| { readonly kind: "all" }
	| { readonly kind: "none" }
	| { readonly kind: "tools"; readonly names: readonly string[] }
	/** A tool limited to some arguments. `names`: the whole tools. */
	| { readonly kind: "limited"; readonly names: readonly string[] }
	/** A tool of other agents without a counterpart here. */
	| { readonly kind: "absent"; readonly why: string }
	/** A tool that an extension may provide. */
	| { readonly kind: "foreign"; readonly name: string }
	/** Not a tool name, or probably a typo. */
	| { readonly kind: "unknown"; readonly problem: Problem };

/** Translates the names of a tool list. */
export function readToolNames(written: readonly string[]): ToolNames {
	const names = new Set<string>();
	const problems: ToolNames["problems"][number][] = [];
	const foreign: string[] = [];
	let kind: ToolNames["kind"] = "listed";
	for (const word of written) {
		const parsed = readToolName(word, "given");
		if (parsed.kind === "none") continue;
		if (parsed.kind === "all") kind = "all";
		else if (parsed.kind === "tools") for (const name of parsed.names) names.add(name);
		else {
			problems.push({ ...problemOf(parsed, word.trim()), written: word });
			if (parsed.kind === "absent" || parsed.kind === "foreign") foreign.push(word.trim());
		}
	}
	return { names: [...names], kind, problems, foreign };
}

/** The meaning of a name in a list of `given` or `denied` tools. Case-insensitive. */
export function readToolName(word: string, list: "given" | "denied"): ToolName {
	const name = word.trim();
	const lower = name.toLowerCase();
	if (everything.has(lower)) return { kind: "all" };
	if (nothing.has(lower)) return { kind: "none" };
	const [, limited] = /^([\w*.-]+)\s*\(.*\)$/s.exec(name) ?? [];
	if (limited !== undefined) {
		const whole = readToolName(limited, list);
		if (whole.kind === "absent") return whole;
		return { kind: "limited", names: whole.kind === "foreign" ? [whole.name] : "names" in whole ? whole.names : [] };
	}
	const names = toolsCalled(name, lower);
	if (names !== undefined) return { kind: "tools", names };
	return nameOfNoTool(name, list);
}

/** The meaning of a name that pi has no tool for. */
function nameOfNoTool(name: string, list: "given" | "denied"): ToolName {
	const [why = isAgentToolName(name) ? "a worker cannot start agents" : undefined] =
		absent[wordOf(name.toLowerCase())] ?? [];
	if (why !== undefined) return { kind: "absent", why };
	const meant = slipOf(name.toLowerCase());
	const isName = /^[\w*.:/-]+$/.test(name);
	if (meant === undefined && !isName && list === "given") return { kind: "absent", why: "no tool has such a name" };
	if (meant !== undefined || !isName) return { kind: "unknown", problem: unknownTool(name, meant) };
	return { kind: "foreign", name };
}

/** The names that pi or an MCP adapter uses for the tool; `mcp__server` becomes the pattern for all tools of that server. */
function toolsCalled(name: string, lower: string): readonly string[] | undefined {
	if (BUILT_IN_TOOLS.includes(lower) || BUILT_IN_EXTENSION_TOOLS.has(lower)) return [lower];
	if (/^mcp__/i.test(name)) return [/^mcp__[^_*]+(?:_[^_*]+)*$/i.test(name) ? `${name}__*` : name];
	return meanings[wordOf(lower)];
}

/** The name without the set of Copilot that it belongs to. */
function wordOf(name: string): string {
	return name.replace(/^(?:agent|edit|execute|new|read|search|todo|vscode|web)\//, "");
}

/** The tool that a misspelled name probably means: one edit away, or the same letters in another order. */
function slipOf(name: string): string | undefined {
	const letters = (word: string) => [...word].sort().join("");
	return [...BUILT_IN_TOOLS, "glob", "multiedit", "notebookedit"].find(
		(tool) => tool.length > 2 && (editDistance(name, tool) === 1 || letters(name) === letters(tool)),
	);
}

function unknownTool(name: string, meant: string | undefined): Problem {
	return {
		code: "unknown-tool",
		message: `Unknown tool ${quoted(name)}.${didYouMean(meant ?? name, meant === undefined ? [] : [meant])}`,
		remedy: `Name tools of pi (${BUILT_IN_TOOLS.slice(0, 7).join(", ")}), MCP tools (mcp__server__tool), or load the extension that provides it.`,
	};
}

/** The problem of a listed name that gives no tool. */
function problemOf(
	parsed: Extract<ToolName, { kind: "limited" | "absent" | "foreign" | "unknown" }>,
	name: string,
): Problem & { readonly severity: "error" | "warning" } {
	switch (parsed.kind) {
		case "limited":
			return {
				severity: "warning",
				code: "limited-tool",
				message: `${quoted(name)} limits a tool by its arguments, which pi's tool list cannot do, so the tool is omitted.`,
				remedy: `Write ${quoted(parsed.names[0] ?? "")} to allow the whole tool, and put limits into the guard's rules.`,
			};
		case "absent":
			return {
				severity: "warning",
				code: "absent-tool",
				message: `The tool ${quoted(name)} is omitted: ${parsed.why}.`,
				remedy: "Remove it from the list, unless another program reads this file.",
			};
		case "foreign":
			return {
				severity: "warning",
				code: "foreign-tool",
				message: `The tool ${quoted(name)} is omitted: neither pi nor an extension of the worker provides it.`,
				remedy: "Name the extension in `extensions` of the state, or remove the tool from the list.",
			};
		case "unknown":
			return { severity: "error", ...parsed.problem };
	}
}
