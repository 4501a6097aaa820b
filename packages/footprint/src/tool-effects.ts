// The known effects of other tools by name: the user's settings first, then entries for well-known packages.
// E1 an entry is for an exact name or for a glob of the user; E2 the user's setting wins; E3 a hint of the tool's author counts only if
// neither the name nor the arguments contradict it.
import { bareToolName, toolNameWords } from "./agent-tools.ts";
import type { Annotations } from "./footprint.ts";

/**
 * `read` changes nothing outside the session · `write` changes only the paths that its arguments name · `agent` starts agents ·
 * `dispatch` calls the tool that its arguments name · `unknown` may do anything.
 */
export const toolEffects = ["read", "write", "agent", "dispatch", "unknown"] as const;
export type ToolEffect = (typeof toolEffects)[number];

/** Known facts about a session's tools beyond their names. */
export interface KnownTools {
	/** The user's setting for a tool of this name. */
	effectOf(tool: string): ToolEffect | undefined;
	/** Hints of the tool's author. */
	annotationsOf(tool: string): Annotations | undefined;
}

/** Tools of well-known packages that look something up, ask the user, or keep notes of the session. */
const readers = new Set(
	(
		"read_symbol find_symbol get_symbol list_symbols symbol_search find_references get_references go_to_definition get_definition hover " +
		"web_search websearch webfetch web_fetch google_web_search fetch_content get_search_content code_search codebase_search semantic_search " +
		"todo todos todo_write todowrite todo_read todoread write_todos update_plan tilldone task_create task_get task_list task_update " +
		"ask_user ask_user_question askuserquestion question questionnaire ask_question structured_output tool_search " +
		"resolve_library_id get_library_docs query_docs ctx_search ctx_stats lsp lsp_navigation lsp_diagnostics ast_grep_search " +
		"list_mcp_resources read_mcp_resource listmcpresources readmcpresource"
	).split(" "),
);

/** Gateways: tools that call another tool, named by an argument. */
const gateways = new Set(
	(
		"mcp mcp_call mcp_tool mcp_use mcp_proxy mcp_gateway mcp_execute gateway toolbox call_tool use_tool invoke_tool run_tool execute_tool " +
		"tool_call use_mcp_tool call_mcp_tool execute_mcp_tool run_mcp_tool dispatch dispatch_tool batch batch_tool multi_tool_use parallel_tools"
	).split(" "),
);

/** Values of `action` for which a language server tool changes files. */
const changingActions =
	/rename|code_?action|apply|format|organize|fix|replace|edit|write|insert|delete|move|execute_?command|install/i;

const looking = new Set(
	"get list ls read search find show view describe fetch query check status count lookup explain inspect preview".split(
		" ",
	),
);
const changing = new Set(
	(
		"write edit create update patch save append insert replace apply put set modify copy mkdir touch format refactor download export " +
		"delete remove unlink trash rm erase move rename mv run exec execute install deploy publish send post commit push merge reset kill stop"
	).split(" "),
);

/** The effect of a call of `tool`, judged by names; `undefined` if they say nothing. */
export function effectOf(tool: string, input: unknown, known: KnownTools | undefined): ToolEffect | undefined {
	const set = known?.effectOf(tool);
	if (set) return set;
	const key = toolNameWords(tool).join("_");
	// A server may use such a name for any of its tools.
	const plain = bareToolName(tool) === tool;
	if (gateways.has(key)) return "dispatch";
	if (plain && (readers.has(key) || readers.has(tool.toLowerCase())))
		return key.startsWith("lsp") && actionChanges(input) ? undefined : "read";
	return isCredibleReadHint(tool, known?.annotationsOf(tool)) ? "read" : undefined;
}

/** Whether a read-only hint is credible: the tool's name must not say that it changes something. */
function isCredibleReadHint(tool: string, hints: Annotations | undefined): boolean {
	if (hints?.readOnlyHint !== true) return false;
	const words = toolNameWords(tool);
	return looking.has(words[0] ?? "") || !words.some((word) => changing.has(word));
}

/** Whether a tool's name indicates that it writes files. Listing such a tool by name permits it to write. */
export function isWriterName(tool: string): boolean {
	const words = toolNameWords(tool);
	if (/^(?:apply_?patch|multi_?edit|notebook_?edit|str_?replace(?:_.*)?|hashline_?edit)$/.test(words.join("_")))
		return true;
	const writes = words.some((word) => ["write", "edit", "create", "patch", "append", "insert"].includes(word));
	return writes && words.some((word) => word === "file" || word === "files");
}

function actionChanges(input: unknown): boolean {
	if (typeof input !== "object" || input === null) return false;
	return Object.entries(input).some(
		([name, value]) =>
			/^(action|operation|op|command|method|request)$/i.test(name) &&
			typeof value === "string" &&
			changingActions.test(value),
	);
}

/** Whether a gateway call only looks up tools: `mcp {search}`, `{describe}`, `{list}`, `{server}`, or no arguments. */
export function onlyListsTools(input: unknown): boolean {
	if (typeof input !== "object" || input === null) return true;
	return Object.entries(input).every(([name, value]) => {
		if (/^(action|mode|command|op|operation)$/i.test(name))
			return typeof value === "string" && /^(search|describe|list|list_tools|status|help|find|info)$/i.test(value);
		return /^(search|describe|list|servers?|regex|include_?schemas|limit|query|status|help|verbose|max|page|case_?sensitive)$/i.test(
			name,
		);
	});
}
