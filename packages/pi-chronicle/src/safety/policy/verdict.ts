// The judgment of one tool call. The strongest decision wins; every reason is kept.

export type Decision = "allow" | "ask" | "deny";

export interface Origin {
	/** Absolute path of the rule's file. */
	readonly file: string;
	/** 1-based. */
	readonly line?: number;
}

export interface Verdict {
	readonly decision: Decision;
	/** Name of the policy: `guard`, `readonly`, `phase`, … */
	readonly policy: string;
	/** Short name of the rule, constant per rule, because repetitions are counted by it. */
	readonly rule: string;
	/** One sentence for the user and the model: the forbidden action and the reason. */
	readonly reason: string;
	/** One sentence for the model: an alternative. */
	readonly advice?: string;
	readonly origin?: Origin;
	/** `unasked`: if the rule refuses repeatedly, the user is not asked whether to continue; only the model is informed. */
	readonly repeats?: "unasked";
}

/** The verdicts that keep a call from simply passing, strongest first, otherwise in their order. */
export function strongestFirst(verdicts: readonly Verdict[]): readonly Verdict[] {
	const that = (decided: Decision) => verdicts.filter(({ decision }) => decision === decided);
	return [...that("deny"), ...that("ask")];
}

/** The strongest decision among verdicts; `allow` when there are none. */
export function strongest(verdicts: readonly Verdict[]): Decision {
	return strongestFirst(verdicts)[0]?.decision ?? "allow";
}
