// What a rule set says about a call before it is measured: no code that measures or judges is needed to know it.
import { listedCalls } from "@pi-chronicle/footprint";
import type { ToolCall } from "../../policy/index.ts";
import type { RuleSet } from "../rules/index.ts";

/**
 * Whether the guard has no verdict on the call, whatever the rules: the package's own tools have no accesses and run nothing, so only calls
 * that their arguments list could break a rule.
 */
export function ignoresCall({ own, input }: ToolCall, { closed }: RuleSet): boolean {
	if (!own || closed) return false;
	const { calls, complete } = listedCalls(input);
	return complete && calls.length === 0;
}

/** Whether results are screened. */
export function screensResults({ paths }: RuleSet): boolean {
	return paths.some(({ limit }) => limit === "zero");
}
