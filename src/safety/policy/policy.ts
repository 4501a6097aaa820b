// A policy judges one tool call by its footprint. Policies know nothing of each other; the registry asks them all.
import type { Footprint } from "../footprint/index.ts";
import { type Decision, strongest, type Verdict } from "./verdict.ts";

export interface ToolCall {
	readonly id: string;
	readonly tool: string;
	readonly input: Readonly<Record<string, unknown>>;
	/** The other calls of the same assistant message, in its order. */
	readonly siblings: readonly { readonly id: string; readonly tool: string }[];
}

export interface Policy {
	readonly name: string;
	/** Judges the call; says nothing (`undefined` or an empty list) where the policy does not apply. `footprint()` is computed once, on first use. */
	judge(call: ToolCall, footprint: () => Footprint): Verdicts | Promise<Verdicts>;
}

type Verdicts = Verdict | readonly Verdict[] | undefined;

export interface Judgement {
	readonly decision: Decision;
	/** Every verdict that is not `allow`, strongest first. */
	readonly verdicts: readonly Verdict[];
}

export interface Policies {
	/** Adds a policy; the returned function takes it out again. */
	add(policy: Policy): () => void;
	/** Asks every policy. A policy that throws denies, with a reason that names it. */
	judge(call: ToolCall, footprint: () => Footprint): Promise<Judgement>;
	readonly size: number;
}

/** Opens an empty registry: it allows everything. */
export function openPolicies(): Policies {
	const policies = new Set<Policy>();
	return {
		get size() {
			return policies.size;
		},
		add(policy) {
			policies.add(policy);
			return () => void policies.delete(policy);
		},
		async judge(call, footprint) {
			const verdicts: Verdict[] = [];
			for (const policy of policies) {
				try {
					const said = await policy.judge(call, footprint);
					if (said) verdicts.push(...(Array.isArray(said) ? (said as readonly Verdict[]) : [said as Verdict]));
				} catch (error) {
					const cause = error instanceof Error ? error.message : String(error);
					verdicts.push({
						decision: "deny",
						policy: policy.name,
						rule: "policy-failed",
						reason: `The ${policy.name} policy could not judge this call (${cause}), so it is refused.`,
					});
				}
			}
			const decision = strongest(verdicts);
			const weight = { deny: 0, ask: 1, allow: 2 };
			return {
				decision,
				verdicts: verdicts
					.filter((verdict) => verdict.decision !== "allow")
					.sort((a, b) => weight[a.decision] - weight[b.decision]),
			};
		},
	};
}
