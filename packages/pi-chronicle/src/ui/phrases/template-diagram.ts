// A template as a Mermaid flow chart: its states with their personas, the moves between them, and the user's approvals. Pure.

import { mermaidLabel } from "@pi-chronicle/core/definition";
import type { ChildrenPlan, CommandCase, StatePlan, Template } from "@pi-chronicle/core/template";
import { alignColumns } from "../../pi/index.ts";
import { commandTitle, titleOf } from "./names.ts";

/** The lines of the chart. Moves to `human_intervention` are omitted: every state has one. */
export function templateDiagram({ initial, states }: Template): string[] {
	const names = [...states.keys()];
	const id = (name: string) => `s${names.indexOf(name)}`;
	return [
		"flowchart TD",
		`    start((start)) --> ${id(initial)}`,
		...[...states.values()].flatMap((state) => [
			`    ${id(state.name)}${box(state)}`,
			...(state.children ? branchLines(id(state.name), state.children) : []),
		]),
		...[...states.values()].flatMap((state) => state.next.map((target) => `    ${id(state.name)} --> ${id(target)}`)),
	];
}

/** Notes for what the drawing leaves ambiguous: each move on a separate line, with the outcomes that lead to it, and the meaning of `asks`. */
export function templateNotes({ states }: Template): string[] {
	const all = [...states.values()];
	const asks = (from: StatePlan, to: string) => from.approval.exit || states.get(to)?.approval.entry === true;
	const notes = (from: StatePlan, to: string) => [...(asks(from, to) ? ["asks"] : []), ...outcomesOf(from, to)];
	const moves = all.flatMap((from) =>
		from.next.map((to) => [`${titleOf(from.name)} → ${titleOf(to)}`, notes(from, to).join(", ")] as const),
	);
	const asking = all.some(({ approval }) => approval.entry || approval.exit);
	return [
		...(asking ? ["asks: you decide before the move is made"] : []),
		...(moves.length > 0 ? ["Moves:", ...alignColumns(moves).map((row) => `  ${row}`)] : []),
	];
}

/** The outcomes of a command after which `to` follows. */
function outcomesOf({ command }: StatePlan, to: string): readonly string[] {
	if (!command) return [];
	const cases = command.cases.filter((one) => one.to === to).map(caseText);
	return command.otherwise === to && command.cases.length > 0 ? [...cases, "otherwise"] : cases;
}

function caseText(one: CommandCase): string {
	if (one.kind === "code") return `exit code ${one.code}`;
	return `{output.${one.reference}} ${one.negated ? "!=" : "=="} ${JSON.stringify(one.value)}`;
}

function box({ name, persona, children, command, host, terminal, implicit, approval, questions }: StatePlan): string {
	const who = children
		? childrenLabel(children)
		: command
			? [`$ ${commandTitle(command)}`]
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

/** The branches of a state that need each other, below it: those that need none follow the state. */
function branchLines(state: string, { branches, order }: ChildrenPlan): readonly string[] {
	const needsOf = (at: number): readonly string[] =>
		order === "chain" ? branches.slice(Math.max(0, at - 1), at).map(({ name }) => name) : (branches[at]?.needs ?? []);
	if (branches.every((_, at) => needsOf(at).length === 0)) return [];
	const id = (name: string): string => `${state}b${branches.findIndex((branch) => branch.name === name)}`;
	return branches.flatMap(({ name }, at) => {
		const needs = needsOf(at);
		const from = needs.length === 0 ? [state] : needs.map(id);
		return [`    ${id(name)}("${mermaidLabel(name)}")`, ...from.map((one) => `    ${one} -.-> ${id(name)}`)];
	});
}

function childrenLabel({ branches, forEach, join, take, order }: ChildrenPlan): string[] {
	const names = branches.map(({ name, template }) => (template.kind === "named" ? template.name : name));
	const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
	return [
		forEach === undefined ? `children: ${shown.join(", ")}` : `${shown.join(", ")} for each of ${forEach}`,
		...(order === "chain" ? ["one after another"] : []),
		...(take === "one" ? ["the next state takes one"] : []),
		...(join === "all" ? [] : [join === "any" ? "the first to finish" : `${join} must be done`]),
	];
}
