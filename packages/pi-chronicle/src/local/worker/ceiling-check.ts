// Warns of ceilings that the models of states cannot be held to, as far as pi knows the models: without a price nothing counts against a
// ceiling on cost, and without usage figures nothing against one on tokens either.

import type { Spend } from "@pi-chronicle/core/machine";
import type { CheckOptions, StateProblem, WorkerLimits } from "@pi-chronicle/core/ports";
import type { StatePlan } from "@pi-chronicle/core/template";
import type { Model } from "../../persona/index.ts";
import type { ResolvedSpec } from "./worker-spec.ts";

type Ceilings = NonNullable<CheckOptions["ceilings"]>;

/** One warning for each model, at the first state that uses it. `ceilings`: those of the run; `listModels` is called only if there are any. */
export async function checkCeilings(
	specs: readonly ({ readonly state: StatePlan } & Pick<ResolvedSpec, "spec">)[],
	ceilings: Ceilings,
	listModels: () => Promise<readonly Model[]>,
): Promise<StateProblem[]> {
	const limited = specs.map(({ state, spec }) => ({ state, spec, ceilings: ceilingsOf(state, ceilings) }));
	if (limited.every((each) => ceilingNames(each.ceilings).length === 0)) return [];
	const models = await listModels();
	const problems = new Map<string, StateProblem>();
	for (const { state, spec, ceilings: own } of limited) {
		if (!spec) continue;
		const model = models.find((one) => (spec.model === undefined ? one.isDefault : modelKey(one) === spec.model));
		const problem = model && explainCeiling(model, own);
		if (problem && !problems.has(modelKey(model)))
			problems.set(modelKey(model), {
				state: state.name,
				severity: "warning",
				fields: ["limits", "model"],
				...problem,
			});
	}
	return [...problems.values()];
}

function explainCeiling(model: Model, ceilings: Ceilings): Pick<StateProblem, "message" | "remedy"> | undefined {
	const isUnheld = (name: string): boolean =>
		model.uncounted === "usage" || (model.uncounted === "price" && name === "cost_usd" && ceilings.costUsd !== 0);
	const unheld = ceilingNames(ceilings).filter(isUnheld);
	if (unheld.length === 0) return undefined;
	const named = unheld.map((name) => `\`${name}\``).join(" and ");
	return model.uncounted === "usage"
		? {
				message: `${modelKey(model)} reports no usage (\`supportsUsageInStreaming: false\`), so ${named} cannot stop it.`,
				remedy: "Limit `requests`, `calls` or `minutes` instead.",
			}
		: {
				message: `${modelKey(model)} has no price in pi, so ${named} cannot stop it.`,
				remedy: "Set its `cost` in pi's models.json, or limit `tokens`, `requests` or `minutes` as well.",
			};
}

/** The names of ceilings as templates write them. */
function ceilingNames({ tokens, costUsd }: Ceilings): string[] {
	return [...(tokens === undefined ? [] : ["tokens"]), ...(costUsd === undefined ? [] : ["cost_usd"])];
}

/** The ceilings of a state: its own, else those of the run. */
function ceilingsOf({ limits }: StatePlan, { tokens, costUsd }: Ceilings): Ceilings {
	return { tokens: limits.tokens ?? tokens, costUsd: limits.costUsd ?? costUsd };
}

function modelKey({ provider, id }: Pick<Model, "provider" | "id">): string {
	return `${provider}/${id}`;
}

/** What the process may use in all. `left`: what it still may, beyond what it has used by then. */
export function sinceStart(
	{ costUsd, tokens }: Pick<WorkerLimits, "costUsd" | "tokens">,
	used: Spend,
	{ countCacheReads }: WorkerLimits,
): Pick<WorkerLimits, "costUsd" | "tokens"> {
	const usedTokens = countCacheReads ? used.tokens : used.tokens - used.cacheRead;
	return {
		...(costUsd === undefined ? {} : { costUsd: costUsd + used.costUsd }),
		...(tokens === undefined ? {} : { tokens: tokens + usedTokens }),
	};
}
