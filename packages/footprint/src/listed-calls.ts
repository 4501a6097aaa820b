// Calls that an argument lists by position, as JSON text: `[["read", {"path": "a"}], ["bash", "ls"]]`. Only the tool knows whether it makes
// them itself, has the agent make them, or treats them as data.
// L1 bounded; beyond a bound `complete` is false; L2 rows that do not look like calls are data.
import { contentKeys } from "./open-texts.ts";
import { jsonIn, unmarked } from "./text.ts";

export interface ListedCall {
	readonly tool: string;
	readonly input: Readonly<Record<string, unknown>>;
}

const MAX_CALLS = 30;
const MAX_LENGTH = 400_000;
const MAX_NODES = 20_000;
const MAX_DEPTH = 8;
const shells = /^(bash|sh|shell|zsh|powershell|pwsh|(run|execute|exec)_?(shell|bash|command)(_?command)?)$/i;

/** State of a search for calls: the results and the budget spent. */
interface CallSearch {
	readonly calls: ListedCall[];
	nodes: number;
	/** Total characters parsed. */
	length: number;
	complete: boolean;
}

/** The calls in texts anywhere in `input`, except in the content of files, messages and prompts. */
export function listedCalls(input: unknown): { readonly calls: readonly ListedCall[]; readonly complete: boolean } {
	const search: CallSearch = { calls: [], nodes: 0, length: 0, complete: true };
	walkCalls(search, input, "", 0, false);
	return { calls: search.calls, complete: search.complete };
}

function walkCalls(search: CallSearch, value: unknown, key: string, depth: number, inText: boolean): void {
	if (search.calls.length >= MAX_CALLS || ++search.nodes > MAX_NODES || depth > MAX_DEPTH) {
		search.complete = false;
		return;
	}
	if (typeof value === "string") {
		const parsed = contentKeys.test(key) ? undefined : parseCallText(search, value);
		if (parsed !== undefined) walkCalls(search, parsed, key, depth + 1, true);
		return;
	}
	if (typeof value !== "object" || value === null) return;
	const call = inText && Array.isArray(value) ? callIn(value) : undefined;
	if (call) search.calls.push(call);
	for (const [name, item] of Object.entries(value))
		walkCalls(search, item, Array.isArray(value) ? key : name, depth + 1, inText);
}

/** Parses a JSON text, within the bound on all texts together. */
function parseCallText(search: CallSearch, text: string): unknown {
	if (!/^\s*[[{"]/.test(text)) return undefined;
	search.length += text.length;
	if (search.length <= MAX_LENGTH) return jsonIn(unmarked(text));
	search.complete = false;
	return undefined;
}

/** The call in a row: a name followed by an object of arguments, or a shell followed by a command line. */
function callIn(row: readonly unknown[]): ListedCall | undefined {
	const at = row.findIndex((item, index) => index > 0 && isObject(argumentsIn(item)));
	const name = row[at > 0 ? at - 1 : 0];
	if (typeof name !== "string" || !/^[\w.:/-]{1,100}$/.test(name)) return undefined;
	const tool = name.replace(/^.*[:./](?=[\w-]+$)/, "");
	if (at > 0) return { tool, input: argumentsIn(row[at]) as ListedCall["input"] };
	const [, command] = row;
	return shells.test(tool) && typeof command === "string" ? { tool: "bash", input: { command } } : undefined;
}

function argumentsIn(item: unknown): unknown {
	return typeof item === "string" && /^\s*\{/.test(item) ? jsonIn(item) : item;
}

function isObject(value: unknown): boolean {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
