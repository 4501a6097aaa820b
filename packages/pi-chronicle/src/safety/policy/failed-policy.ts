// The verdict of a policy that failed while it judged: the call is refused.
import { errorMessage } from "@pi-chronicle/core/definition";
import type { Verdict } from "./verdict.ts";

/** `name`: of the policy; `doing`: what the policy was to do. */
export function failedPolicy(name: string, doing: string, error: unknown): Verdict {
	const reason = `The ${name} policy could not ${doing} (${errorMessage(error)}), so it is refused.`;
	return { decision: "deny", policy: name, rule: "policy-failed", reason };
}
