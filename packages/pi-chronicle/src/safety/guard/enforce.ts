// Enforces serialized rules in another process: in a worker, before a cleanup.
// Invariants: a call is judged by these rules or refused; the code that judges is loaded for the first call that needs it, or earlier by `load`.
import { openOnce, type Scope } from "../../pi/index.ts";
import type { Policies, Policy } from "../policy/index.ts";
import { ignoresCall, screensResults } from "./judge/index.ts";
import type { GuardLocation } from "./open.ts";
import { deserializeRules } from "./rules/index.ts";

export interface EnforcedRules {
	readonly hash: string;
	/** Loads the code that judges, unless it is loaded. */
	load(): Promise<unknown>;
	/** The paths below `root` (absolute), and those named by themselves, that the rules close to every tool. */
	closed(root: string): Promise<readonly string[]>;
}

/** Enforces the rules that `serializeRules` returned as `text`, until `scope` closes. Throws if they don't have the hash. */
export function enforceRules(
	{ text, hash }: { readonly text: string; readonly hash: string },
	place: GuardLocation,
	policies: Policies,
	scope: Scope,
): EnforcedRules {
	const rules = deserializeRules(text, hash);
	let loading: Promise<Policy> | undefined;
	// Not tried again after a failure: a module that could not be evaluated is then given empty, and the reason would be lost.
	const load = (): Promise<Policy> => {
		loading ??= import("./open.ts").then(({ policyOf }) => policyOf(rules, place));
		return loading;
	};
	const remove = policies.add({
		name: "guard",
		ignores: (call) => ignoresCall(call, rules),
		judge: async (call, footprint) => (await load()).judge(call, footprint),
		...(screensResults(rules) && {
			screen: async (call, footprint, texts) => (await load()).screen?.(call, footprint, texts),
		}),
	});
	scope.own(remove);
	const search = openOnce(async () => (await import("./closed-paths.ts")).closedPaths(rules, place));
	return { hash, load, closed: async (root) => (await search())(root) };
}
