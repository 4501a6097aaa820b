// Which tools a worker has whose state loads extensions: what they register is known only once they are loaded, so the rule is data that the
// worker applies and the launcher applies again. Pure. O1 what an agent file takes away stays away; O2 every name that the rule does not
// give is in one of its lists, so nothing is left out unsaid.
import { isListed } from "../../../definition/index.ts";
import { keepAllowed, type Restrictions } from "../../../persona/index.ts";

/** A name in a state's `tools`. */
export interface WishedTool {
	readonly written: string;
	/** The tool of pi that it means where no extension registers the name. */
	readonly otherwise: string | undefined;
}

export interface ToolOrder {
	/** pi's tools and MCP patterns that the state has whatever its extensions register. */
	readonly tools: readonly string[];
	/** The state's own list; each must be there. */
	readonly wishes: readonly WishedTool[];
	/** Which tools of the extensions it has: all, or those that `wishes` names. */
	readonly theirs: "all" | "named";
	/** Names in the agent file that only an extension can know; missing, they are said. */
	readonly hopes: readonly string[];
	readonly restrictions: Restrictions;
}

export interface ToolChoice {
	/** pi's tools and MCP patterns. */
	readonly tools: readonly string[];
	/** Tools of the extensions. */
	readonly given: readonly string[];
	/** Tools of the extensions that the state's `tools` does not name. */
	readonly unnamed: readonly string[];
	/** Tools of the extensions that the agent file forbids. */
	readonly forbidden: readonly string[];
	/** Names in the state's `tools` that nothing registers. */
	readonly missing: readonly string[];
	/** Names in the agent file that nothing registers. */
	readonly unmet: readonly string[];
}

/** Applies an order to the names that extensions have registered. */
export function chooseTools(order: ToolOrder, registered: readonly string[]): ToolChoice {
	const tools = new Set(order.tools);
	const given = new Set(order.theirs === "all" ? registered : []);
	const missing: string[] = [];
	for (const { written, otherwise } of order.wishes) {
		const found = meant(written, otherwise, registered);
		for (const name of found) given.add(name);
		if (found.length > 0) continue;
		if (otherwise === undefined) missing.push(written);
		else tools.add(otherwise);
	}
	const kept = keepAllowed([...given], order.restrictions);
	return {
		tools: keepAllowed([...tools], order.restrictions).kept,
		given: kept.kept,
		unnamed: registered.filter((name) => !given.has(name)),
		forbidden: kept.left,
		missing,
		unmet: order.hopes.filter((name) => !registered.some((each) => isListed([name], each))),
	};
}

/** Theirs by the exact name; else pi's tool in other capitals, which theirs may stand for; else theirs in other capitals or by pattern. */
function meant(written: string, otherwise: string | undefined, registered: readonly string[]): readonly string[] {
	if (registered.includes(written)) return [written];
	if (otherwise === written.toLowerCase()) return registered.filter((name) => name === otherwise);
	const found = registered.filter((name) => isListed([written], name));
	return found.length > 0 ? found : registered.filter((name) => name === otherwise);
}
