// A template as a Mermaid flow chart: its states with their personas, the moves between them, and the user's approvals. Pure.

import { mermaidLabel } from "@pi-chronicle/core/definition";
import type { ChildrenPlan, StatePlan, Template } from "@pi-chronicle/core/template";
import { alignColumns } from "../../pi/index.ts";
import { titleOf } from "./names.ts";

/** The lines of the chart. Moves to `human_intervention` are omitted: every state has one. */
export function templateDiagram({ initial, states }: Template): string[] {
	const names = [...states.keys()];
	const id = (name: string) => `s${names.indexOf(name)}`;
	return [
		"flowchart TD",
		`    start((start)) --> ${id(initial)}`,
		...[...states.values()].map((state) => `    ${id(state.name)}${box(state)}`),
		...[...states.values()].flatMap((state) => state.next.map((target) => `    ${id(state.name)} --> ${id(target)}`)),
	];
}

/**
 * Notes for what the drawing leaves ambiguous: each move on a separate line, because edges can share a row, and the meaning of `asks`.
 */
export function templateNotes({ states }: Template): string[] {
	const all = [...states.values()];
	const asks = (from: StatePlan, to: string) => from.approval.exit || states.get(to)?.approval.entry === true;
	const moves = all.flatMap((from) =>
		from.next.map((to) => [`${titleOf(from.name)} → ${titleOf(to)}`, asks(from, to) ? "asks" : ""] as const),
	);
	const asking = all.some(({ approval }) => approval.entry || approval.exit);
	return [
		...(asking ? ["asks: you decide before the move is made"] : []),
		...(moves.length > 0 ? ["Moves:", ...alignColumns(moves).map((row) => `  ${row}`)] : []),
	];
}

function box({ name, persona, children, host, terminal, implicit, approval, questions }: StatePlan): string {
	const who = children
		? childrenLabel(children)
		: implicit || persona === undefined
			? []
			: [persona.name.split("\n", 1)[0]?.slice(0, 40) ?? ""];
	const asks = [...(approval.entry ? ["approval to start"] : []), ...(approval.exit ? ["approval to end"] : [])];
	const where = host ? [`host: ${host.join(", ")}`] : [];
	const silent = questions === "none" && persona ? ["cannot ask you"] : [];
	const lines = [titleOf(name), ...who, ...where, ...asks, ...silent];
	const text = lines.map(mermaidLabel).join("<br/>");
	return terminal ? `(["${text}"])` : `["${text}"]`;
}

function childrenLabel({ branches, forEach, join, take }: ChildrenPlan): string[] {
	const names = branches.map(({ name, template }) => (template.kind === "named" ? template.name : name));
	const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
	return [
		forEach === undefined ? `children: ${shown.join(", ")}` : `${shown.join(", ")} for each of ${forEach}`,
		...(take === "one" ? ["the next state takes one"] : []),
		...(join === "all" ? [] : [join === "any" ? "the first to finish" : `${join} must be done`]),
	];
}
