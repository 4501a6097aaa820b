// A guard in force: its rules and its policy. Sessions and workers judge by the same policy.

import type { WorkingCopy } from "@pi-chronicle/core/ports";
import type { Scope } from "../../pi/index.ts";
import { hostEnvironment } from "../../pi/index.ts";
import { measure } from "../measure.ts";
import type { Policies, Policy } from "../policy/index.ts";
import { guardPolicy } from "./judge/index.ts";
import { hashRules, type RuleSet } from "./rules/index.ts";

export interface Guard {
	readonly rules: RuleSet;
	/** As `hashRules` gives it. */
	readonly hash: string;
	readonly policy: Policy;
	/** Removes the policy. */
	close(): Promise<void>;
}

export interface GuardLocation {
	/** Absolute. */
	readonly cwd: string;
	/** pi's agent folder. */
	readonly agentDir: string | undefined;
	/** The copy of the project that `cwd` is in; absent: `cwd` is in the project itself. */
	readonly copy?: WorkingCopy | undefined;
}

/** The policy of a rule set. */
export function policyOf(rules: RuleSet, { cwd, agentDir, copy }: GuardLocation): Policy {
	return guardPolicy({ rules, host: hostEnvironment(cwd), agentDir, copy, measure: (call) => measure(call, cwd) });
}

/** Enforces a rule set until it is closed, or until `scope` closes. */
export function openGuard(rules: RuleSet, place: GuardLocation, policies: Policies, scope: Scope): Guard {
	const policy = policyOf(rules, place);
	const remove = policies.add(policy);
	const release = scope.own(remove);
	return { rules, hash: hashRules(rules), policy, close: release };
}
