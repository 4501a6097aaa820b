// Calls within a call, which a gateway or batch tool is asked to run: `{ tool, args }`, `{ tool_name, arguments }`, `{ name, input }`, and
// lists of them.
// I1 bounded in number and depth; beyond a bound `complete` is false.

import { argumentKeys } from "./open-texts.ts";

export interface InnerCall {
	/** The name as given, including a server's prefix (`fs:write_file`). */
	readonly name: string;
	/** The name with the server from another argument (`mcp__server__name`), otherwise `name`. */
	readonly qualified: string;
	/** Every usual spelling of the tool: bare, with its server as adapters write it (`server_name`, `mcp__server__name`). */
	readonly names: readonly string[];
	readonly input: unknown;
}

const strongKeys = /^(tool|tool_?name|function|function_?name|tool_?id|recipient_?name)$/i;
const weakKeys = /^(name|method|action|operation|endpoint|command)$/i;
const serverKeys = /^(server|server_?name|namespace|provider|toolkit)$/i;

const MAX_CALLS = 100;
const MAX_DEPTH = 8;

/** The calls in `input`. `gateway`: the tool only passes calls on, so weaker signs count too. */
export function innerCalls(
	input: unknown,
	gateway: boolean,
	tool = "",
): { readonly calls: readonly InnerCall[]; readonly complete: boolean } {
	const calls: InnerCall[] = [];
	let complete = true;
	const walk = (value: unknown, depth: number): void => {
		if (typeof value !== "object" || value === null) return;
		if (depth > MAX_DEPTH || calls.length >= MAX_CALLS) {
			complete = false;
			return;
		}
		if (Array.isArray(value)) {
			for (const item of value) walk(item, depth + 1);
			return;
		}
		const found = callIn(value as Readonly<Record<string, unknown>>, gateway, serverOf(tool));
		if (found) calls.push(found);
		for (const item of Object.values(value)) walk(item, depth + 1);
	};
	walk(input, 0);
	return { calls, complete };
}

/** The server that a tool's own name stands for: `docs` of `mcp__docs`. */
function serverOf(tool: string): string | undefined {
	return /^mcp__((?:(?!__).)+)$/.exec(tool)?.[1];
}

function callIn(
	node: Readonly<Record<string, unknown>>,
	gateway: boolean,
	outer: string | undefined,
): InnerCall | undefined {
	const entries = Object.entries(node);
	const given = entries.find(([key]) => argumentKeys.test(key));
	const named = (keys: RegExp) =>
		entries.find(([key, value]) => keys.test(key) && typeof value === "string" && isToolName(value));
	const strong = named(strongKeys);
	const weak = given && (gateway || typeof given[1] === "object") ? named(weakKeys) : undefined;
	const [key, name] = strong ?? weak ?? [];
	if (key === undefined || typeof name !== "string") return undefined;
	const fromArgument = entries.find(([other, value]) => serverKeys.test(other) && typeof value === "string")?.[1];
	const prefix = /^([\w-]+)[:./](?=[\w-]+$)/.exec(name)?.[1];
	const server = typeof fromArgument === "string" ? fromArgument : (outer ?? prefix);
	const plain = bare(name);
	const rest = Object.fromEntries(entries.filter(([other]) => other !== key && !serverKeys.test(other)));
	return {
		name: plain,
		qualified: server !== undefined && !name.includes("__") ? `mcp__${server}__${plain}` : plain,
		names: [name, plain, ...(server === undefined ? [] : [`${server}_${plain}`, `mcp__${server}__${plain}`])],
		input: given ? given[1] : rest,
	};
}

function isToolName(text: string): boolean {
	return /^[\w.:/@-]{1,200}$/.test(text);
}

/** Removes the prefix from `fs:write_file`, `fs.write_file` and `functions.write_file`. */
function bare(name: string): string {
	return name.replace(/^.*[:./](?=[\w-]+$)/, "");
}
