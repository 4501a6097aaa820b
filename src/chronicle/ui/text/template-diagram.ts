// A template as a Mermaid flow chart: its states with who does them, the moves between them, where a person is asked. Pure.
import { mermaidLabel } from "../../../definition/index.ts";
import type { StatePlan, Template } from "../../core/index.ts";
import { titleOf } from "../timeline/index.ts";

/** The lines of the chart. Moves to the person's own state are left out: every state has one. */
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

function box({ name, persona, terminal, implicit, approval }: StatePlan): string {
	const who = implicit || persona === undefined ? [] : [persona.name.split("\n", 1)[0]?.slice(0, 40) ?? ""];
	const asks = [...(approval.entry ? ["asks to begin"] : []), ...(approval.exit ? ["asks to end"] : [])];
	const lines = [titleOf(name), ...who, ...asks];
	const text = lines.map(mermaidLabel).join("<br/>");
	return terminal ? `(["${text}"])` : `["${text}"]`;
}
