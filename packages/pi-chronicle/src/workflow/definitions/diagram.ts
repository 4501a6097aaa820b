// Draws a workflow as a Mermaid flowchart: phases in order, subworkflows as boxes around their phases, loops as dotted arrows. Pure.
import { mermaidLabel, singleLine } from "@pi-chronicle/core/definition";
import type { Catalogue, Phase, Reference, WorkflowDefinition } from "./definition.ts";
import { phaseLabel } from "./listing.ts";

/** The position of a run: the workflow and the index of its entry for each level, outermost first. */
export type DiagramPosition = readonly { readonly workflowKey: string; readonly phaseIndex: number }[];

/** Beyond this many parts, a subworkflow is drawn as a single box, for readability and because shared subworkflows multiply. */
const maxParts = 100;
const maxLevels = 8;

/**
 * The chart lines of the workflow with this key; empty if it is not defined. `position` marks a run's current phase.
 */
export function workflowDiagram(
	catalogue: Pick<Catalogue, "definitions">,
	key: string,
	position: DiagramPosition = [],
): string[] {
	const root = catalogue.definitions.get(key);
	return root ? new Chart(catalogue.definitions).draw(root, position) : [];
}

/** The first and last node of a drawn part, for the arrows to and from it. */
interface Ends {
	readonly first: string;
	readonly last: string;
}

class Chart {
	private readonly definitions: Catalogue["definitions"];
	private readonly lines = ["flowchart TD"];
	private readonly arrows: string[] = [];
	private phases = 0;
	private boxes = 0;
	private current: string | undefined;

	constructor(definitions: Catalogue["definitions"]) {
		this.definitions = definitions;
	}

	draw(root: WorkflowDefinition, position: DiagramPosition): string[] {
		const { last } = this.scope(root, position, 0);
		this.lines.push("  done([DONE])", ...this.arrows, `  ${last} --> done`);
		if (this.current !== undefined) this.lines.push(`  style ${this.current} stroke-width:4px`);
		return this.lines;
	}

	/** Draws the entries of a workflow. `here`: the rest of the position if it leads through this workflow, else empty. */
	private scope(definition: WorkflowDefinition, here: DiagramPosition, level: number): Ends {
		let first: string | undefined;
		let last: string | undefined;
		for (const [index, entry] of definition.entries.entries()) {
			const [top] = here;
			const onWay = top?.workflowKey === definition.key && top.phaseIndex === index;
			const ends = this.entry(entry, onWay ? here : [], level);
			if (last !== undefined) this.arrows.push(`  ${last} --> ${ends.first}`);
			first ??= ends.first;
			last = ends.last;
		}
		const ends = { first: first ?? "done", last: last ?? "done" };
		if (definition.loopable && definition.maxLoops !== 0 && ends.first !== ends.last) {
			const max = definition.maxLoops === undefined ? "" : ` ≤ ${definition.maxLoops}×`;
			this.arrows.push(`  ${ends.last} -. "loop${max}" .-> ${ends.first}`);
		}
		return ends;
	}

	/** Draws one entry. `here`: the position from this entry on if it leads through this entry, else empty. */
	private entry(entry: Phase | Reference, here: DiagramPosition, level: number): Ends {
		const indent = "  ".repeat(level + 1);
		if (entry.kind === "phase") {
			this.phases += 1;
			return this.node(`${indent}p${this.phases}["${drawnPhase(entry)}"]`, `p${this.phases}`, here.length === 1);
		}
		this.boxes += 1;
		const id = `s${this.boxes}`;
		const target = this.definitions.get(entry.key);
		if (!target || level >= maxLevels || this.phases + this.boxes >= maxParts)
			return this.node(`${indent}${id}[["${mermaidLabel(target?.name ?? entry.key)}"]]`, id, here.length > 0);
		this.lines.push(`${indent}subgraph ${id} ["${mermaidLabel(target.name)}"]`);
		const ends = this.scope(target, here.slice(1), level + 1);
		this.lines.push(`${indent}end`);
		return ends;
	}

	private node(line: string, id: string, isCurrent: boolean): Ends {
		this.lines.push(line);
		if (isCurrent) this.current = id;
		return { first: id, last: id };
	}
}

function drawnPhase(phase: Phase): string {
	const { emoji, name, gate } = phase;
	const lines = [`${emoji} ${name}`, phaseLabel(phase), gate ? `gate: ${singleLine(gate.command)}` : ""];
	return lines
		.filter((line) => line !== "")
		.map(mermaidLabel)
		.join("<br/>");
}
