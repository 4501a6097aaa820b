// Plans the path of a rehearsal through a chronicle: through every reachable state, then to an end. Pure.
// Every step is legal in the template and within its limits on moves, so that no limit stops the rehearsal; states that cannot be reached
// within the limits are omitted.
import { type Graph, isEnd, join, NO_COUNTS, searchPath } from "./every/index.ts";

/** States in order, from the initial one to an end if one can be reached. */
export function planPath(graph: Graph): readonly string[] {
	const endsRun = (state: string): boolean => isEnd(graph, state);
	const unseen = new Set(graph.next.keys());
	let path: Parameters<typeof join>[0] = { states: [graph.initial], counts: NO_COUNTS };
	for (;;) {
		for (const state of path.states) unseen.delete(state);
		const toEnd = searchPath(graph, path, endsRun);
		// Go to an unseen state only if an end stays in reach from there.
		const leadsOn = searchPath(
			graph,
			path,
			(state, way) =>
				unseen.has(state) && !endsRun(state) && (!toEnd || searchPath(graph, join(path, way), endsRun) !== undefined),
		);
		const way = leadsOn ?? toEnd;
		if (!way || way.states.length === 0) return path.states;
		path = join(path, way);
		if (endsRun(path.states.at(-1) ?? "")) return path.states;
	}
}

/** The state that follows the `visit`-th (1-based) occurrence of `state` on the path; `undefined` if there is none. */
export function nextOnPath(path: readonly string[], state: string, visit: number): string | undefined {
	let seen = 0;
	for (const [index, name] of path.entries()) {
		if (name === state && ++seen === visit) return path[index + 1];
	}
	return undefined;
}
