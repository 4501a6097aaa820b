// The tools of each state's worker, from the template and the agents' files.
import type { Template } from "@pi-chronicle/core/template";
import {
	type AgentRegistry,
	BUILT_IN_TOOLS,
	keepAllowed,
	type Persona,
	readToolNames,
	resolvePersona,
} from "../../../persona/index.ts";

type StateOfTemplate = NonNullable<ReturnType<Template["states"]["get"]>>;

/** The tools that the template and the agent file allow a state's worker; `undefined`: all. */
export function toolsOfStates(
	{ states }: Template,
	registry: AgentRegistry,
): (state: string) => readonly string[] | undefined {
	return (name) => {
		const state = states.get(name);
		const persona = state && personaOf(state, registry);
		if (!persona) return undefined;
		const listed = state.tools && readToolNames(state.tools);
		const given = listed?.kind === "all" ? undefined : (listed?.names ?? persona.tools);
		const free = keepAllowed(BUILT_IN_TOOLS, persona.restrictions).left.length === 0;
		return given === undefined && free ? undefined : keepAllowed(given ?? BUILT_IN_TOOLS, persona.restrictions).kept;
	};
}

/** Whether a state's worker may have tools of other packages, which may do anything. */
export function hasOtherTools({ tools, extensions }: StateOfTemplate, persona: Persona | undefined): boolean {
	const foreign = tools ? readToolNames(tools).foreign : (persona?.foreign ?? []);
	return foreign.length > 0 || extensions.length > 0;
}

/** The persona of a state's worker; `undefined` without a worker, or if its agent is missing. */
export function personaOf({ persona, team, tools }: StateOfTemplate, registry: AgentRegistry): Persona | undefined {
	if (!persona) return undefined;
	const found = resolvePersona({ ...persona, team, listsTools: tools !== undefined }, registry);
	return found.kind === "none" ? undefined : found.persona;
}
