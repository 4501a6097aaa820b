// Enforces serialized rules in another process: in a worker, before a cleanup. The code that judges is loaded only then.
import type { Scope } from "../../pi/index.ts";
import type { Policies } from "../policy/index.ts";
import type { Guard, GuardLocation } from "./open.ts";

/** Enforces the rules that `serializeRules` returned as `text`. Throws if they don't have the hash. */
export async function enforceRules(
	{ text, hash }: { readonly text: string; readonly hash: string },
	place: GuardLocation,
	policies: Policies,
	scope: Scope,
): Promise<Guard> {
	const [{ openGuard }, { deserializeRules }] = await Promise.all([import("./open.ts"), import("./rules/rule-set.ts")]);
	return openGuard(deserializeRules(text, hash), place, policies, scope);
}
