// What hinders a run from outside, for as long as it does: its branch has commits of others, its host has no space left.

/** Something outside the run hinders it, or no longer does. */
export interface ConditionChanged {
	readonly kind: "condition_changed";
	/** `branch`: the run's branch does not follow it. `host`: a host of an engine gave it back; over once a host has it again. */
	readonly condition: "branch" | "host";
	/** One sentence; absent: the condition is over. */
	readonly detail?: string;
	/** What to do about it, one sentence. */
	readonly remedy?: string;
}

/** A condition that lasts. */
export interface Condition extends Pick<ConditionChanged, "condition" | "remedy"> {
	readonly detail: string;
}

/** The conditions after the event; there is at most one of each kind. */
export function changeConditions(
	conditions: readonly Condition[],
	{ condition, detail, remedy }: Omit<ConditionChanged, "kind">,
): readonly Condition[] {
	const others = conditions.filter((one) => one.condition !== condition);
	if (detail === undefined) return others;
	return [...others, { condition, detail: detail.slice(0, 1000), remedy }];
}
