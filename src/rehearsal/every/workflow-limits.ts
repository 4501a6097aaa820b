// For each limit of a workflow's visits: a run that reaches it, or the reason why none can. Pure.
import { VISIT_DEFAULTS } from "../../bounds/index.ts";
import type { Cue } from "../scenario.ts";
import { cue } from "../scenario.ts";
import { circlingFirst, differentCalls, maxTried, sameCall, sameCalls } from "./chronicle-limits.ts";
import type { CoverageItem, CoveragePlan, Excluded, PlannedRun } from "./coverage.ts";
import { type Flow, type FlowPhase, openScript } from "./workflow-script.ts";

type What = "requests" | "calls";

/** Plans a run for each limit on visits. */
export function planWorkflowLimits(flow: Flow): CoveragePlan {
	const items: CoverageItem[] = [];
	const unreachable: Excluded[] = [];
	const skipped: Excluded[] = [];
	const runs: PlannedRun[] = [];
	const add = (item: CoverageItem, place: FlowPhase | undefined, why: string, cues: readonly Cue[]): void => {
		if (!place) return void unreachable.push({ ...item, why });
		items.push(item);
		const script = openScript(flow);
		script.walk(0, flow.phases.indexOf(place));
		script.visit(place, cues);
		runs.push({ title: `limit: ${item.text}`, covers: [item.id], script: script.done() });
	};
	const silence = Array.from({ length: 30 }, () => cue({ say: "I stop here without a step." }));
	const continues = flow.phases.find((place) => continuesByItself(flow, place));
	add(limitItem("reminders", "reminders in a row"), continues, "no phase continues by itself", silence);
	const circles = flow.phases.find(
		(place) => place.phase.polling !== true && limitOf(flow, place, "calls").max >= sameCalls,
	);
	add(limitItem("circling", "the same call again and again"), circles, circlingFirst, [sameCall, sameCall]);
	for (const { what, owner, max, place, calls, requests } of useLimits(flow)) {
		const item = limitItem(`${what}${owner}`, `${max.toLocaleString("en-US")} ${what} in a visit${owner}`);
		if (max > maxTried) {
			skipped.push({ ...item, why: `a rehearsal tests limits of up to ${maxTried.toLocaleString("en-US")}` });
			continue;
		}
		const perMessage = what === "calls" ? Math.max(1, Math.ceil(max / Math.max(1, requests - 2))) : 1;
		const cues = Array.from({ length: Math.ceil(max / perMessage) + 2 }, (_, at) => differentCalls(at, perMessage));
		add(item, what === "requests" && calls <= max ? undefined : place, "the limit on calls comes first", cues);
	}
	return { items, unreachable, skipped, runs };
}

function limitItem(name: string, text: string): CoverageItem {
	return { id: `limit:${name}`, group: "limit", text };
}

/** The phase decides; otherwise all workflows around it must agree. */
function continuesByItself({ definitions }: Flow, { phase, position }: FlowPhase): boolean {
	if (phase.advance === "person") return false;
	return phase.autoContinue ?? position.every(({ workflowKey }) => definitions.get(workflowKey)?.autoContinue === true);
}

/** Each limit on requests and calls once, with the first phase that it applies to. */
function useLimits(flow: Flow) {
	const found = new Map<
		string,
		{ what: What; owner: string; max: number; place: FlowPhase; requests: number; calls: number }
	>();
	for (const place of flow.phases)
		for (const what of ["requests", "calls"] as const) {
			const { owner, max } = limitOf(flow, place, what);
			const requests = limitOf(flow, place, "requests").max;
			const calls = limitOf(flow, place, "calls").max;
			const key = `${what}${owner}`;
			if (!found.has(key)) found.set(key, { what, owner, max, place, requests, calls });
		}
	return found.values();
}

/** The limit of a phase and its owner: the phase, else the nearest workflow around it, else the default. */
export function limitOf(
	{ definitions }: Flow,
	{ phase, position, text }: FlowPhase,
	what: What,
): { owner: string; max: number } {
	const own = phase.limits?.[what];
	if (own !== undefined) return { owner: ` of ${text}`, max: own };
	for (const { workflowKey } of position.toReversed()) {
		const max = definitions.get(workflowKey)?.limits?.[what];
		if (max !== undefined) return { owner: ` of ${workflowKey}`, max };
	}
	return { owner: "", max: VISIT_DEFAULTS[what] };
}
