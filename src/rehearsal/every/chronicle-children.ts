// Adds the child runs of a chronicle to its coverage: every transition, approval and tool limit of each template that children run, played in
// runs of the parent. Pure.
import type { Template } from "../../chronicle/index.ts";
import { planChronicleCoverage, type ToolsOf } from "./chronicle-plan.ts";
import { type CoverageItem, type CoveragePlan, joinPlans, type PlannedRun } from "./coverage.ts";

/** A template that children run. */
export interface RehearsedChild {
	/** Its name, or that of its branch. */
	readonly key: string;
	readonly template: Template;
	readonly toolsOf: ToolsOf;
	/** State of the first run that leads to it. */
	readonly state: string;
}

/** The plan with the items and runs of the children. A run of a child takes a path of the plan through the parent. */
export function withChildren(plan: CoveragePlan, children: readonly RehearsedChild[]): CoveragePlan {
	const added = children.map((child) =>
		planChild(
			child,
			plan.runs.find(({ covers }) => covers.some((id) => id.startsWith(`move:${child.state}>`))),
		),
	);
	return joinPlans([plan, ...added]);
}

function planChild({ key, template, toolsOf }: RehearsedChild, through: PlannedRun | undefined): CoveragePlan {
	const { items, unreachable, runs } = planChronicleCoverage(template, toolsOf, "never asked");
	const named = <T extends CoverageItem>(item: T): T => ({
		...item,
		id: `${key}/${item.id}`,
		text: `${key}: ${item.text}`,
	});
	return {
		items: items.map(named),
		unreachable: unreachable.map(named),
		runs: runs.map(({ title, covers, script }) => ({
			title: `${key}: ${title}`,
			covers: covers.map((id) => `${key}/${id}`),
			script: {
				...through?.script,
				...Object.fromEntries(Object.entries(script).map(([place, cues]) => [`${key}/${place}`, cues])),
			},
		})),
	};
}
