// What hinders a run from outside, for as long as it does: its branch has commits of others, its host has no space left.
import type { ConditionChanged } from "./event.ts";
import type { Run } from "./run.ts";

/** A condition that lasts. */
export interface Condition extends Pick<ConditionChanged, "condition" | "remedy"> {
	readonly detail: string;
}

/** The run with the condition as the event says; there is one of each kind. */
export function changeCondition(run: Run, { condition, detail, remedy }: ConditionChanged): Run {
	const others = run.conditions.filter((one) => one.condition !== condition);
	if (detail === undefined) return { ...run, conditions: others };
	const added = { condition, detail: detail.slice(0, 1000), ...(remedy === undefined ? {} : { remedy }) };
	return { ...run, conditions: [...others, added] };
}
