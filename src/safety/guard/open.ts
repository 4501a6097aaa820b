// A guard in force: its rules, its policy in the registry, its thread. The session and a worker open one the same way.
import type { Scope } from "../../pi/index.ts";
import { diskSurroundings } from "../../pi/index.ts";
import { measure } from "../measure.ts";
import type { Policies, Policy } from "../policy/index.ts";
import { guardPolicy } from "./judge.ts";
import { hashRules, type RuleSet } from "./rules.ts";
import { openRegexThread } from "./thread.ts";

export interface Guard {
	readonly rules: RuleSet;
	/** As `hashRules` gives it. */
	readonly hash: string;
	readonly policy: Policy;
	/** Takes the policy out and ends the thread. */
	close(): Promise<void>;
}

export interface GuardPlace {
	/** Absolute. */
	readonly cwd: string;
	/** pi's agent folder. */
	readonly agentDir: string | undefined;
}

/** Time that one expression may take on one text; beyond it the call is refused. A cheap one takes far less than a millisecond. */
const regexLimitMs = 60;

/** Puts a rule set in force. `scope` closes it at the latest. */
export function openGuard(rules: RuleSet, { cwd, agentDir }: GuardPlace, policies: Policies, scope: Scope): Guard {
	const thread = openRegexThread(regexLimitMs);
	const policy = guardPolicy({
		rules,
		thread,
		surroundings: diskSurroundings(cwd),
		agentDir,
		measure: (call) => measure(call, cwd),
	});
	const remove = policies.add(policy);
	const release = scope.own(async () => {
		remove();
		await thread.close();
	});
	return { rules, hash: hashRules(rules), policy, close: release };
}
