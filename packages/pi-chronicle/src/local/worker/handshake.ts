// Compares a worker's ready report with its order: rules, tools and model. Pure.
import { didYouMean, isListed, quoted } from "@pi-chronicle/core/definition";
import type { LaunchFault } from "@pi-chronicle/core/ports";
import { type Hello, OWN_TOOLS } from "./extension/index.ts";
import { chooseTools, type ToolOrder } from "./tool-order.ts";

export interface Ordered {
	readonly rules: string;
	/** Names, and patterns with `*`. */
	readonly tools: readonly string[];
	/** If the state loads extensions: selects from the tools that they have registered. */
	readonly order?: ToolOrder | undefined;
	/** `provider/id`; `undefined`: any. */
	readonly model: string | undefined;
	/** US dollars that the process may spend; `undefined`: no ceiling. */
	readonly costUsd?: number | undefined;
}

/** The problem with a ready report; `undefined` if it matches the order. */
export function judgeHello(hello: Hello, ordered: Ordered): LaunchFault | undefined {
	if (hello.rules !== ordered.rules) {
		return {
			reason: "rules",
			detail: `The worker enforces the rules ${quoted(hello.rules)} instead of ${quoted(ordered.rules)}, so it was stopped.`,
		};
	}
	const wrong = judgeTools(hello, ordered);
	if (wrong !== undefined) return { reason: "tools", detail: wrong };
	if (hello.model === "") {
		return {
			reason: "model",
			detail: "pi has no usable model. Log in to a provider, or name a model.",
		};
	}
	if (ordered.model !== undefined && hello.model.toLowerCase() !== ordered.model.toLowerCase()) {
		return {
			reason: "model",
			detail: `The worker would use the model ${quoted(hello.model)} instead of ${quoted(ordered.model)}.`,
		};
	}
	if (ordered.costUsd !== undefined && ordered.costUsd <= 0 && hello.priced) {
		return {
			reason: "budget",
			detail: `The cost limit is 0, but a request to ${quoted(hello.model)} costs money: raise the limit on cost, or name a model without a price.`,
		};
	}
	return undefined;
}

function judgeTools(hello: Hello, { tools, order }: Ordered): string | undefined {
	const choice = order && chooseTools(order, hello.registered);
	const given = choice ? [...choice.tools, ...tools.filter((tool) => OWN_TOOLS.includes(tool))] : tools;
	const missing = [
		...(choice?.missing ?? []),
		...given.filter((tool) => !tool.includes("*") && !tool.startsWith("mcp__") && !hello.tools.includes(tool)),
	];
	if (missing.length > 0)
		return `${lacking("The worker does", missing, [...hello.tools, ...hello.registered])} ${bringTool}`;
	const surplus = hello.tools.filter(
		(tool) => !choice?.given.includes(tool) && !given.some((pattern) => matchesTool(tool, pattern)),
	);
	if (surplus.length === 0) return undefined;
	return `The worker has tools that were not ordered (${surplus.map((tool) => quoted(tool)).join(", ")}), so it was stopped.`;
}

/** The remedy for a missing tool. */
export const bringTool =
	"Load the extension that provides it (`extensions` of the state), or remove it from the tools.";

/** A sentence about listed tools that nothing registers. `subject` ends with its verb. */
export function lacking(subject: string, missing: readonly string[], known: readonly string[]): string {
	const [first = ""] = missing;
	return `${subject} not have ${missing.map((tool) => quoted(tool)).join(", ")}.${didYouMean(first, known)}`;
}

/** The tools of its extensions and its agent file that a state does not get: one sentence per reason. */
export function leftOut(state: string, order: ToolOrder, registered: readonly string[]): readonly string[] {
	const { unnamed, forbidden, unregistered } = chooseTools(order, registered);
	const list = (names: readonly string[]): string => names.map((name) => quoted(name)).join(", ");
	const about: readonly (readonly [readonly string[], string])[] = [
		[unnamed, "of its extensions omitted, because its `tools` does not name them"],
		[forbidden, "of its extensions omitted, because its agent file forbids them"],
		[unregistered, "of its agent file omitted, because no extension of the state registers them"],
	];
	return about.flatMap(([names, why]) =>
		names.length === 0 ? [] : [`State ${quoted(state)}: tools ${why}: ${list(names)}.`],
	);
}

/** Names are compared exactly, so that no tool in another case passes for one that was ordered. */
function matchesTool(tool: string, pattern: string): boolean {
	return pattern.includes("*") ? isListed([pattern], tool) : tool === pattern;
}
