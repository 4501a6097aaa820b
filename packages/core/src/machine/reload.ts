// Continues a run with an edited template. Pure.
// The past does not change: history, totals, visits and snapshot stay; the new template must have the state that the run continues in.
import { compileDefinition, hashCommands, type StatePlan } from "../template/index.ts";
import { isState, planOf } from "./plan/plan.ts";
import { type Reduced, refuse } from "./run/refusal.ts";
import type { Run } from "./run/run.ts";
import { compileChildPlans } from "./run/stored-run.ts";
import type { TemplateReload } from "./run/user-event.ts";

/** The run with the template of `reload`, to continue in `state`; or why it cannot. */
export function reloadTemplate(run: Run, { template, cleanupApproval }: TemplateReload, state: string): Reduced {
	const plan = compileDefinition(template.definition, template.name);
	if (!plan) return refuse("illegal", `This version cannot read the template "${template.name}".`);
	const reloaded: Run = {
		...run,
		template,
		plan,
		childPlans: compileChildPlans(template.children),
		cleanupHash: hashCommands(plan) ?? null,
		cleanupApproval: cleanupApproval ?? null,
		warned: [],
	};
	// A state that is only named in `next` ends the run.
	const isDefined = ({ persona, children }: StatePlan): boolean => persona !== undefined || children !== undefined;
	if (!isState(reloaded, state) || (isDefined(planOf(run, state)) && !isDefined(planOf(reloaded, state)))) {
		const states = [...plan.states.values()].filter(isDefined);
		const listed = states.map(({ name }) => `"${name}"`).join(", ");
		return refuse(
			"unknown_state",
			`"${state}" is no longer a state of the template "${template.name}". Its states are ${listed}. Rewind to a visit of one of them.`,
		);
	}
	// Snapshots of a different set of files cannot be compared with the run's earlier ones.
	if (plan.files !== run.plan.files || plan.secretFiles !== run.plan.secretFiles)
		return refuse(
			"illegal",
			"The template now saves different files (`files` or `secret_files` changed): start a new run.",
		);
	// A worker that continues would not know its new instructions.
	const continues = JSON.stringify(planOf(run, state)) === JSON.stringify(planOf(reloaded, state));
	return continues ? reloaded : { ...reloaded, conversation: null };
}
