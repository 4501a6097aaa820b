// Plans the coverage rehearsal of a workflow: items and runs. Pure.
import type { UserAnswer } from "../scenario.ts";
import { cue } from "../scenario.ts";
import {
	type CoverageItem,
	type CoveragePlan,
	type Excluded,
	joinPlans,
	type PlannedRun,
	rejection,
} from "./coverage.ts";
import {
	type Flow,
	type FlowPhase,
	flowOf,
	idOf,
	type LoopScope,
	maxPhases,
	openScript,
	probeOf,
	scopesOf,
	stepCue,
	type WorkflowDefinitions,
} from "./workflow-script.ts";

/** Maximum number of loops of one scope in a run. */
const loopsPerRun = 100;

/** Plans the coverage of the workflow with this key. */
export function planWorkflowCoverage(definitions: WorkflowDefinitions, key: string): Required<CoveragePlan> {
	const flow = flowOf(definitions, key);
	const loops = scopesOf(flow).map((scope) => planLoops(flow, scope));
	return { ...joinPlans([planStraight(flow), ...loops, planBack(flow)]), skipped: beyond(flow) };
}

/** The phases beyond the limit on phases. */
function beyond({ beyond: first }: Flow): Excluded[] {
	if (!first) return [];
	const text = `everything from ${first.text} on`;
	return [{ id: "phases", group: "transition", text, why: `a rehearsal plans only the first ${maxPhases} phases` }];
}

/** From the first phase to the last: every transition, every answer of the user, every tool limit. */
function planStraight(flow: Flow): CoveragePlan {
	const items: CoverageItem[] = [];
	const unreachable: Excluded[] = [];
	const script = openScript(flow);
	const tried = new Set<string>();
	for (const [at, place] of flow.phases.entries()) {
		const { phase } = place;
		const next = flow.phases[at + 1];
		items.push({
			id: `move:${idOf(place)}`,
			group: "transition",
			text: `${place.text} → ${(next ?? flow.beyond)?.text ?? "end"}`,
		});
		const cues = [];
		const probe = probeOf(phase.tools);
		const tools: CoverageItem = { id: `tools:${place.name}`, group: "tools", text: place.text };
		if (!tried.has(tools.id)) {
			if (typeof probe === "string") unreachable.push({ ...tools, why: probe });
			else {
				items.push({ ...tools, text: `${place.text} refuses ${probe.calls[0]?.tool}` });
				cues.push(probe);
			}
			tried.add(tools.id);
		}
		if (phase.advance === "person") {
			items.push(
				...(["yes", "no"] as const).map(
					(answer): CoverageItem => ({
						id: `person:${idOf(place)}:${answer}`,
						group: "approval",
						text: `end of ${place.text}: ${answer}`,
					}),
				),
				{ id: `person:${idOf(place)}:agent`, group: "approval", text: `the agent cannot end ${place.text}` },
			);
			cues.push(
				stepCue("next"),
				cue({ say: "May this phase end?", person: rejection }),
				cue({ say: "May it end now?" }),
			);
		} else cues.push(stepCue("next"));
		script.visit(place, cues);
	}
	const title = flow.phases.map(({ text }) => text).join(" → ");
	return { items, unreachable, runs: [{ title, covers: items.map(({ id }) => id), script: script.done() }] };
}

/** A loop from each phase of one scope. */
function planLoops(flow: Flow, scope: LoopScope): CoveragePlan {
	const { loopable, maxLoops, name } = scope.definition;
	const items = scope.phases.map(
		(place): CoverageItem => ({
			id: `loop:${idOf(place)}`,
			group: "transition",
			text: `${place.text} ↺ loop of ${name}`,
		}),
	);
	if (!loopable || maxLoops === 0) {
		const unreachable = items.map((item) => ({ ...item, why: "the workflow allows no loop" }));
		return { items: [], unreachable, runs: [] };
	}
	const runs: PlannedRun[] = [];
	const perRun = Math.min(maxLoops ?? loopsPerRun, loopsPerRun);
	for (let at = 0; at < scope.phases.length; at += perRun)
		runs.push(loopRun(flow, scope, scope.phases.slice(at, at + perRun)));
	return { items, unreachable: [], runs };
}

/** Enters the scope, and loops from each of `from` in turn. */
function loopRun(flow: Flow, { definition, first }: LoopScope, from: readonly FlowPhase[]): PlannedRun {
	const script = openScript(flow);
	// The scope may begin with phases of scopes inside it.
	const start = flow.phases.indexOf(first);
	script.walk(0, start);
	for (const place of from) {
		script.walk(start, flow.phases.indexOf(place));
		script.visit(place, [stepCue("loop")]);
	}
	script.walk(start, flow.phases.length);
	return {
		title: `loops of ${definition.name}`,
		covers: from.map((place) => `loop:${idOf(place)}`),
		script: script.done(),
	};
}

/** The user goes back from every phase but the first. */
function planBack(flow: Flow): CoveragePlan {
	const script = openScript(flow);
	const items: CoverageItem[] = [];
	for (const [at, place] of flow.phases.entries()) {
		const before = flow.phases[at - 1];
		if (before) {
			items.push({ id: `back:${idOf(place)}`, group: "transition", text: `${place.text} → ${before.text} (back)` });
			const person: UserAnswer = { kind: "sent", to: before.phase.id, words: "" };
			// Only a phase that the user ends stops on its own; any other needs a failure.
			const stop =
				place.phase.advance === "person"
					? cue({ say: "May this phase end?", person })
					: cue({ fail: "The understudy stops.", person });
			script.visit(place, [stop]);
			script.visit(before, script.leaving(before));
		}
		script.visit(place, script.leaving(place));
	}
	const runs =
		items.length === 0
			? []
			: [{ title: "back from every phase", covers: items.map(({ id }) => id), script: script.done() }];
	return { items, unreachable: [], runs };
}
