// Draws a workflow as a Mermaid flowchart: phases in order, subworkflows as boxes around theirs, loops as dotted arrows. Pure.
import { mermaidLabel } from "../../definition/index.ts";
import type { Catalogue, Phase, WorkflowDefinition } from "./definition.ts";
import { phaseLabel } from "./listing.ts";

/** Where a run is: for every level the workflow and the index of its entry, outermost first. */
export type DiagramPosition = readonly { readonly workflowKey: string; readonly phaseIndex: number }[];

/** Beyond this many parts a subworkflow is drawn as one box, for people and because shared ones multiply. */
const mostParts = 100;
const mostLevels = 8;

/**
 * The lines of the chart of the workflow with this key; without its definition an empty list. `position` marks a run's current phase.
 */
export function workflowDiagram(
	catalogue: Pick<Catalogue, "definitions">,
	key: string,
	position: DiagramPosition = [],
): string[] {
	const root = catalogue.definitions.get(key);
	if (!root) return [];
	const lines = ["flowchart TD"];
	const arrows: string[] = [];
	let drawn = 0;
	let boxes = 0;
	let current: string | undefined;

	/** Draws the entries of a scope; gives the first and last thing drawn, for the arrows around it. */
	const scope = (
		definition: WorkflowDefinition,
		here: DiagramPosition,
		level: number,
	): { first: string; last: string } => {
		const indent = "  ".repeat(level + 1);
		let first: string | undefined;
		let last: string | undefined;
		definition.entries.forEach((entry, index) => {
			const [top] = here;
			const onWay = top?.workflowKey === definition.key && top.phaseIndex === index;
			let ends: { first: string; last: string };
			if (entry.kind === "phase") {
				drawn += 1;
				const id = `p${drawn}`;
				lines.push(`${indent}${id}["${phaseText(entry)}"]`);
				if (onWay && here.length === 1) current = id;
				ends = { first: id, last: id };
			} else {
				boxes += 1;
				const id = `s${boxes}`;
				const target = catalogue.definitions.get(entry.key);
				if (!target || level >= mostLevels || drawn + boxes >= mostParts) {
					lines.push(`${indent}${id}[["${mermaidLabel(target?.name ?? entry.key)}"]]`);
					if (onWay) current = id;
					ends = { first: id, last: id };
				} else {
					lines.push(`${indent}subgraph ${id} ["${mermaidLabel(target.name)}"]`);
					ends = scope(target, onWay ? here.slice(1) : [], level + 1);
					lines.push(`${indent}end`);
				}
			}
			if (last !== undefined) arrows.push(`  ${last} --> ${ends.first}`);
			first ??= ends.first;
			last = ends.last;
		});
		const ends = { first: first ?? "done", last: last ?? "done" };
		if (definition.loopable && definition.maxLoops !== 0 && ends.first !== ends.last) {
			const most = definition.maxLoops === undefined ? "" : ` ≤ ${definition.maxLoops}×`;
			arrows.push(`  ${ends.last} -. "loop${most}" .-> ${ends.first}`);
		}
		return ends;
	};

	const { last } = scope(root, position, 0);
	lines.push("  done([DONE])", ...arrows, `  ${last} --> done`);
	if (current !== undefined) lines.push(`  style ${current} stroke-width:4px`);
	return lines;
}

function phaseText(phase: Phase): string {
	const label = phaseLabel(phase);
	return `${mermaidLabel(`${phase.emoji} ${phase.name}`)}${label === "" ? "" : `<br/>${mermaidLabel(label)}`}`;
}
