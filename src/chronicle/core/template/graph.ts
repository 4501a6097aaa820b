// Analyzes the graph of a template's states: finds unreachable states and states that cannot reach an end.
import type { StatePlan } from "./template.ts";

type State = Pick<StatePlan, "next" | "terminal" | "children">;
type States = ReadonlyMap<string, State>;

/** States that cannot be reached from `initial`, in order. */
export function unreachable(states: States, initial: string): string[] {
	const reached = reach([initial], (name) => targetsOf(states.get(name)));
	return [...states.keys()].filter((name) => !reached.has(name));
}

/** States from which no terminal state can be reached, in order. */
export function endless(states: States): string[] {
	const sources = new Map<string, string[]>();
	for (const [name, state] of states)
		for (const target of targetsOf(state)) sources.set(target, [...(sources.get(target) ?? []), name]);
	const terminal = [...states].filter(([, state]) => state.terminal).map(([name]) => name);
	const ending = reach(terminal, (name) => sources.get(name) ?? []);
	return [...states.keys()].filter((name) => !ending.has(name));
}

/** Where the run can go from a state by itself. Nobody chooses after child runs: the first target follows. */
function targetsOf(state: State | undefined): readonly string[] {
	return state?.children ? state.next.slice(0, 1) : (state?.next ?? []);
}

/** The names that a depth-first walk finds from `starts`, including `starts`. */
function reach(starts: readonly string[], neighborsOf: (name: string) => readonly string[]): Set<string> {
	const reached = new Set(starts);
	const open = [...starts];
	for (let name = open.pop(); name !== undefined; name = open.pop())
		for (const neighbor of neighborsOf(name)) {
			if (reached.has(neighbor)) continue;
			reached.add(neighbor);
			open.push(neighbor);
		}
	return reached;
}
