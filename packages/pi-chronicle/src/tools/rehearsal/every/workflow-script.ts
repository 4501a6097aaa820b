// Writes the understudy's script for a path through a workflow. Pure.
import { isListed } from "@pi-chronicle/core/definition";
import {
	firstPosition,
	nextPosition,
	type Phase,
	type Position,
	type ToolLimits,
	type WorkflowDefinition,
} from "../../../workflow/index.ts";
import type { Cue, Script } from "../scenario.ts";
import { cue } from "../scenario.ts";
import { probeCue } from "./chronicle-script.ts";

export type WorkflowDefinitions = ReadonlyMap<string, WorkflowDefinition>;

/** One phase with its position in the nesting. */
export interface FlowPhase {
	readonly position: Position;
	readonly phase: Phase;
	/** `workflow/phase`, as in journals and scripts. */
	readonly name: string;
	/** For display. */
	readonly text: string;
}

export interface Flow {
	readonly definitions: WorkflowDefinitions;
	/** In the order of a run without loops. */
	readonly phases: readonly FlowPhase[];
	/** The first phase beyond the limit, which is not in `phases`. */
	readonly beyond: FlowPhase | undefined;
}

/** One occurrence of a workflow in the nesting. */
export interface LoopScope {
	readonly definition: WorkflowDefinition;
	/** The phase that a loop restarts from. */
	readonly first: FlowPhase;
	/** Its own phases, without those of workflows inside it. */
	readonly phases: readonly FlowPhase[];
}

/** Maximum number of planned phases. */
export const maxPhases = 500;

/** The phases of the workflow with this key. */
export function flowOf(definitions: WorkflowDefinitions, key: string): Flow {
	const phases: FlowPhase[] = [];
	let position: Position | undefined = firstPosition(definitions, key);
	for (; position; position = nextPosition(definitions, position)) {
		const phase = phaseAt(definitions, position);
		if (!phase) break;
		if (phases.length === maxPhases) return { definitions, phases, beyond: phase };
		phases.push(phase);
	}
	return { definitions, phases, beyond: undefined };
}

function phaseAt(definitions: WorkflowDefinitions, position: Position): FlowPhase | undefined {
	const last = position.at(-1);
	const entry = last && definitions.get(last.workflowKey)?.entries[last.phaseIndex];
	if (entry?.kind !== "phase") return undefined;
	const name = `${last?.workflowKey}/${entry.id}`;
	return { position, phase: entry, name, text: position.length > 1 ? name : entry.id };
}

/** Id of a phase in the nesting, ignoring loops. */
export function idOf({
	position,
}: {
	readonly position: readonly { workflowKey: string; phaseIndex: number }[];
}): string {
	return position.map(({ workflowKey, phaseIndex }) => `${workflowKey}:${phaseIndex}`).join("/");
}

/** Id of the scope of a phase. */
function scopeIdOf(place: { readonly position: readonly { workflowKey: string; phaseIndex: number }[] }): string {
	const { position } = place;
	const above = idOf({ position: position.slice(0, -1) });
	return `${above}>${position.at(-1)?.workflowKey}`;
}

/** The scopes that have phases of their own, in order. */
export function scopesOf({ definitions, phases }: Flow): LoopScope[] {
	const own = Map.groupBy(phases, scopeIdOf);
	return [...own.values()].flatMap((mine): LoopScope[] => {
		const [one] = mine;
		const definition = definitions.get(one?.position.at(-1)?.workflowKey ?? "");
		const depth = one?.position.length ?? 0;
		const above = one && idOf({ position: one.position.slice(0, depth - 1) });
		const first = phases.find(
			({ position }) =>
				position.length >= depth &&
				idOf({ position: position.slice(0, depth - 1) }) === above &&
				position[depth - 1]?.workflowKey === definition?.key,
		);
		return definition && first ? [{ definition, first, phases: mine }] : [];
	});
}

export function stepCue(action: "next" | "loop"): Cue {
	return cue({ exit: { kind: "step", action, summary: "Rehearsed." } });
}

/** A call that a phase must refuse, or why there is none. */
export function probeOf(limits: ToolLimits): Cue | string {
	const tools = ["write", "edit", "bash", "read", "grep", "find", "ls"];
	switch (limits.kind) {
		case "free":
			return "nothing limits its tools";
		case "blacklist":
		case "whitelist": {
			const refused = tools.find((tool) => isListed(limits.names, tool) === (limits.kind === "blacklist"));
			return refused === undefined ? "its limits refuse none of pi's own tools" : probeCue.of(refused);
		}
		case "capabilities":
			if (!limits.may.includes("write")) return probeCue.of("write");
			if (limits.may.includes("exec")) return "nothing limits its tools";
			return cue({ calls: [{ tool: "bash", input: { command: `node ${probeCue.mark}.mjs` }, undeclared: true }] });
	}
}

/** Collects the messages of each visit in order. */
export function openScript({ phases }: Flow) {
	const script: Record<string, readonly Cue[]> = {};
	const visits = new Map<string, number>();
	const leaving = ({ phase }: FlowPhase): Cue[] =>
		phase.advance === "person" ? [cue({ say: "May this phase end?" })] : [stepCue("next")];
	const visit = (place: FlowPhase, cues: readonly Cue[]): void => {
		const number = (visits.get(place.name) ?? 0) + 1;
		visits.set(place.name, number);
		script[`${place.name}#${number}`] = cues;
	};
	return {
		leaving,
		visit,
		/** Visits the phases from one index up to another, exclusive. */
		walk(from: number, to: number): void {
			for (const place of phases.slice(from, to)) visit(place, leaving(place));
		},
		done: (): Script => script,
	};
}
