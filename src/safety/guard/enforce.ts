// Frozen rules put in force where they have been handed to: in a worker, before a cleanup. What judges is loaded only then.
import type { Scope } from "../../pi/index.ts";
import type { Policies } from "../policy/index.ts";
import type { Guard, GuardLocation } from "./open.ts";

/** Puts the rules in force that `serializeRules` gave as `text` with `hash`. Throws where the text is not what the hash was taken of. */
export async function enforceRules(
	{ text, hash }: { readonly text: string; readonly hash: string },
	place: GuardLocation,
	policies: Policies,
	scope: Scope,
): Promise<Guard> {
	const [{ openGuard }, { deserializeRules }] = await Promise.all([import("./open.ts"), import("./rules/rule-set.ts")]);
	return openGuard(deserializeRules(text, hash), place, policies, scope);
}
