// Chooses the tools of a worker whose state loads extensions. Their tools are known only once they are loaded, so the order is data that the worker
// applies and the launcher applies again. Pure. Tools that an agent file forbids stay forbidden; every omitted name is in one of the lists,
// so that nothing is omitted silently.
import { isListed } from "@pi-chronicle/core/definition";
import { keepAllowed, type Restrictions } from "../../persona/index.ts";

/** A name in a state's `tools`. */
export interface RequestedTool {
	readonly written: string;
	/** The tool of pi that it means if no extension registers the name. */
	readonly otherwise: string | undefined;
}

export interface ToolOrder {
	/** pi's tools and MCP patterns that the state has regardless of its extensions. */
	readonly tools: readonly string[];
	/** The state's own list; each must exist. */
	readonly requested: readonly RequestedTool[];
	/** Which tools of the extensions it gets: all, or those in `requested`. */
	readonly extensionTools: "all" | "named";
	/** Names in the agent file that only an extension can have; missing ones are reported. */
	readonly hoped: readonly string[];
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
	readonly unregistered: readonly string[];
}

/** Applies an order to the names that extensions have registered. */
export function chooseTools(order: ToolOrder, registered: readonly string[]): ToolChoice {
	const tools = new Set(order.tools);
	const given = new Set(order.extensionTools === "all" ? registered : []);
	const missing: string[] = [];
	for (const { written, otherwise } of order.requested) {
		const found = resolveTool(written, otherwise, registered);
		for (const name of found) given.add(name);
		if (found.length > 0) continue;
		if (otherwise === undefined) missing.push(written);
		else tools.add(otherwise);
	}
	const allowed = keepAllowed([...given], order.restrictions);
	return {
		tools: keepAllowed([...tools], order.restrictions).kept,
		given: allowed.kept,
		unnamed: registered.filter((name) => !given.has(name)),
		forbidden: allowed.left,
		missing,
		unregistered: order.hoped.filter((name) => !registered.some((each) => isListed([name], each))),
	};
}

/**
 * Resolves a name: an extension's tool of exactly that name; otherwise pi's tool in another case, which an extension's may replace; otherwise an
 * extension's tool in another case or by pattern.
 */
function resolveTool(written: string, otherwise: string | undefined, registered: readonly string[]): readonly string[] {
	if (registered.includes(written)) return [written];
	if (otherwise === written.toLowerCase()) return registered.filter((name) => name === otherwise);
	const found = registered.filter((name) => isListed([written], name));
	return found.length > 0 ? found : registered.filter((name) => name === otherwise);
}
