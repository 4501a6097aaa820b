// Whether the process that came up is the worker that was ordered: its rules, tools and model against the plan. Pure.
import { didYouMean, quoted } from "../../definition/index.ts";
import type { LaunchFault } from "../supervisor/index.ts";
import type { Hello } from "./inside/index.ts";

export interface Ordered {
	readonly rules: string;
	/** Names, and patterns with `*`. */
	readonly tools: readonly string[];
	/** `provider/id`; `undefined`: what pi chose is right. */
	readonly model: string | undefined;
	/** US dollars that the process may spend; `undefined`: no ceiling. */
	readonly costUsd?: number | undefined;
}

/** What is wrong with what the worker says of itself; `undefined` where it is as ordered. */
export function judgeHello(hello: Hello, ordered: Ordered): LaunchFault | undefined {
	if (hello.rules !== ordered.rules) {
		return {
			reason: "rules",
			detail: `The worker holds the guard's rules ${quoted(hello.rules)} instead of ${quoted(ordered.rules)}, so it was not let work.`,
		};
	}
	const missing = ordered.tools.filter(
		(tool) => !tool.includes("*") && !tool.startsWith("mcp__") && !hello.tools.includes(tool),
	);
	if (missing.length > 0) {
		const [first = ""] = missing;
		return {
			reason: "tools",
			detail: `The worker does not have ${missing.map((tool) => quoted(tool)).join(", ")}.${didYouMean(first, hello.tools)} Load the extension that has it (\`extensions\` of the state), or take it out of the tools.`,
		};
	}
	const surplus = hello.tools.filter((tool) => !ordered.tools.some((pattern) => fits(tool, pattern)));
	if (surplus.length > 0) {
		return {
			reason: "tools",
			detail: `The worker has tools that nobody ordered (${surplus.map((tool) => quoted(tool)).join(", ")}), so it was not let work.`,
		};
	}
	if (hello.model === "") {
		return {
			reason: "model",
			detail: "pi has no model that it can use. Log in to a provider, or name a model.",
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
			detail: `Nothing may be spent, and a request to ${quoted(hello.model)} costs money: raise the ceiling on cost, or name a model without a price.`,
		};
	}
	return undefined;
}

function fits(tool: string, pattern: string): boolean {
	if (!pattern.includes("*")) return tool === pattern;
	const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
	return new RegExp(`^${parts.join(".*")}$`).test(tool);
}
