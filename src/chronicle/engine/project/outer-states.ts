// The states whose data a template can use because it runs as a child: those of the templates that run it, at any depth. Pure.
import type { StatePlan, Template } from "../../core/index.ts";

/** Names of the states that hand over data, of the templates around `name`. `templates`: all, by name. */
export function outerStates(name: string, templates: ReadonlyMap<string, Template>): readonly string[] {
	const around = new Set([name]);
	for (const inner of around)
		for (const [key, template] of templates) if (namedChildren(template).includes(inner)) around.add(key);
	around.delete(name);
	const states = [...around].flatMap((key) => statesIn(templates.get(key)));
	return [...new Set(states.filter(({ output, children }) => output ?? children).map((state) => state.name))];
}

/** The names of the templates that the children of a template run. */
function namedChildren(template: Template): readonly string[] {
	return statesIn(template).flatMap(({ children }) =>
		(children?.branches ?? []).flatMap(({ template: of }) => (of.kind === "named" ? [of.name] : [])),
	);
}

/** The states of a template and of its inline templates. */
function statesIn(template: Template | undefined): readonly StatePlan[] {
	return [...(template?.states.values() ?? [])].flatMap((state) => [
		state,
		...(state.children?.branches ?? []).flatMap(({ template: of }) =>
			of.kind === "inline" ? statesIn(of.template) : [],
		),
	]);
}
