// What the template says about the states of a run.
import { HUMAN_INTERVENTION, implicitState, type StatePlan } from "../template/index.ts";
import type { Run } from "./run.ts";

/** The plan of a state of the run, by default of the current one. A state that the template does not define ends the run, except `human_intervention`. */
export function planOf(run: Run, state = run.state): StatePlan {
	return run.plan.states.get(state) ?? implicitState(state);
}

/** Whether a person can send the run to `state`. */
export function isState(run: Run, state: string): boolean {
	return run.plan.states.has(state) && state !== HUMAN_INTERVENTION;
}

/** The approved cleanup commands of a state; none if other commands were approved. */
export function approvedCleanup(run: Run, state: string): StatePlan["cleanup"] {
	return run.cleanupApproval !== null && run.cleanupApproval === run.cleanupHash ? planOf(run, state).cleanup : [];
}
