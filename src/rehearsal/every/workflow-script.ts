// From a path through a workflow to what the understudy says and calls in each visit of a phase. Pure.
import { isListed } from "../../definition/index.ts";
import {
	firstPosition,
	nextPosition,
	type Phase,
	type Position,
	type ToolLimits,
	type WorkflowDefinition,
} from "../../workflow/index.ts";
import type { Cue, Script } from "../scenario.ts";
import { probeCue } from "./chronicle-script.ts";
import { cue } from "./item.ts";

export type Definitions = ReadonlyMap<string, WorkflowDefinition>;

/** One phase at its place in the nesting. */
export interface Place {
	readonly position: Position;
	readonly phase: Phase;
	/** `workflow/phase`, as in journals and scripts. */
	readonly name: string;
	/** For people. */
	readonly text: string;
}

export interface Flow {
	readonly definitions: Definitions;
	/** In the order in which a run without loops comes through them. */
	readonly places: readonly Place[];
}

/** One occurrence of a workflow in the nesting. */
export interface Scope {
	readonly definition: WorkflowDefinition;
	/** The place that a loop starts over at. */
	readonly first: Place;
	/** The phases that are its own, not those of workflows inside it. */
	readonly places: readonly Place[];
}

/** Places of one workflow that are looked at, at most. */
const mostPlaces = 500;

export function placesOf(definitions: Definitions, key: string): Place[] {
	const places: Place[] = [];
	let position: Position | undefined = firstPosition(definitions, key);
	for (; position && places.length < mostPlaces; position = nextPosition(definitions, position)) {
		const last = position.at(-1);
		const entry = last && definitions.get(last.workflowKey)?.entries[last.phaseIndex];
		if (!last || entry?.kind !== "phase") break;
		const nested = position.length > 1;
		const text = nested ? `${last.workflowKey}/${entry.id}` : entry.id;
		places.push({ position, phase: entry, name: `${last.workflowKey}/${entry.id}`, text });
	}
	return places;
}

/** Identity of a place, loops aside. */
export function idOf({
	position,
}: {
	readonly position: readonly { workflowKey: string; phaseIndex: number }[];
}): string {
	return position.map(({ workflowKey, phaseIndex }) => `${workflowKey}:${phaseIndex}`).join("/");
}

/** Identity of the scope that a place stands in. */
export function scopeOf(place: { readonly position: readonly { workflowKey: string; phaseIndex: number }[] }): string {
	const { position } = place;
	const above = idOf({ position: position.slice(0, -1) });
	return `${above}>${position.at(-1)?.workflowKey}`;
}

export function scopeKey({ places }: Scope): string {
	return places[0] ? scopeOf(places[0]) : "";
}

/** The scopes that have phases of their own, in order. */
export function scopesOf({ definitions, places }: Flow): Scope[] {
	const own = Map.groupBy(places, scopeOf);
	return [...own.values()].flatMap((mine): Scope[] => {
		const [one] = mine;
		const definition = definitions.get(one?.position.at(-1)?.workflowKey ?? "");
		const depth = one?.position.length ?? 0;
		const above = one && idOf({ position: one.position.slice(0, depth - 1) });
		const first = places.find(
			({ position }) =>
				position.length >= depth &&
				idOf({ position: position.slice(0, depth - 1) }) === above &&
				position[depth - 1]?.workflowKey === definition?.key,
		);
		return definition && first ? [{ definition, first, places: mine }] : [];
	});
}

export function loopsLeft(most: number, made: number): number {
	return Math.max(0, most - made);
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

/** Collects messages by visit, as the phases are visited. */
export function openScript({ places }: Flow) {
	const script: Record<string, readonly Cue[]> = {};
	const visits = new Map<string, number>();
	const leaving = ({ phase }: Place): Cue[] =>
		phase.advance === "person" ? [cue({ say: "May this phase end?" })] : [stepCue("next")];
	const visit = (place: Place, cues: readonly Cue[]): void => {
		const number = (visits.get(place.name) ?? 0) + 1;
		visits.set(place.name, number);
		script[`${place.name}#${number}`] = cues;
	};
	return {
		leaving,
		visit,
		/** Comes through the places from one index up to another, without it. */
		walk(from: number, to: number): void {
			for (const place of places.slice(from, to)) visit(place, leaving(place));
		},
		done: (): Script => script,
	};
}
