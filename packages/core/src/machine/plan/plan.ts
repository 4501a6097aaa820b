// Looks up a run's states in its template.
import { type ChildrenPlan, HUMAN_INTERVENTION, implicitState, type StatePlan } from "../../template/index.ts";
import type { Run } from "../run/run.ts";

/** The plan of a state, by default the current one. A state that the template does not define ends the run, except `human_intervention`. */
export function planOf(run: Run, state = run.state): StatePlan {
	return run.plan.states.get(state) ?? implicitState(state);
}

/** The plan of the run's children: that of the state that started them. No state has planned the join of a run's own copy. */
export function childrenPlanOf(run: Run): ChildrenPlan | undefined {
	return run.children?.ofCopy ? undefined : planOf(run, run.children?.state ?? run.state).children;
}

/** Whether the user can send the run to `state`. */
export function isState(run: Run, state: string): boolean {
	return run.plan.states.has(state) && state !== HUMAN_INTERVENTION;
}

/** The approved cleanup commands of a state; empty unless exactly these commands were approved. */
export function approvedCleanup(run: Run, state: string): StatePlan["cleanup"] {
	return run.cleanupApproval !== null && run.cleanupApproval === run.cleanupHash ? planOf(run, state).cleanup : [];
}
