// Paths that cover every edge of a chronicle's graph within the template's limits. Pure.
// Every step of a path is legal. An edge counts as unreachable only if no legal path can end with it among the paths to its source with the
// fewest steps and with the fewest counted moves, each also with a detour around the pair of the edge.

/** Inputs of the search. Moves to and from `person` count toward no limit. */
export interface Graph {
	readonly initial: string;
	/** Targets of each state, in order; none if the run ends. A target equal to the state repeats it. */
	readonly next: ReadonlyMap<string, readonly string[]>;
	/** The state that only the user leaves. */
	readonly person: string;
	/** Whether `next` lists where the user may send the run from there; otherwise it returns to the state it came from. */
	readonly personChooses: boolean;
	readonly maxMoves: number;
	/** Maximum moves between two states, in either direction. */
	maxMovesBetween(one: string, other: string): number;
	/** Whether a state may be tried a second time in one visit. */
	mayRepeat(state: string): boolean;
}

export interface Edge {
	readonly from: string;
	readonly to: string;
}

export type Why = "no-path" | "repeat" | "pair" | "moves";

export interface EdgePaths {
	/** Each begins with the initial state. */
	readonly paths: readonly (readonly string[])[];
	readonly unreachable: readonly { readonly edge: Edge; readonly why: Why }[];
}

/** Maximum visits of one path: the history of a run keeps its last 100 moves. */
const longestPath = 80;

/** Moves that count towards limits, so far. */
interface Counts {
	readonly moves: number;
	readonly pairs: ReadonlyMap<string, number>;
}

export const NO_COUNTS: Counts = { moves: 0, pairs: new Map() };

export function isEnd({ next }: Graph, state: string): boolean {
	return (next.get(state) ?? []).length === 0;
}

function pairOf(one: string, other: string): string {
	return one < other ? `${one}\n${other}` : `${other}\n${one}`;
}

/** The counts after one step of a worker or the user, or the limit that refuses it. */
function stepPath(graph: Graph, counts: Counts, { from, to }: Edge): Counts | "repeat" | "pair" | "moves" {
	if (from === to) return graph.mayRepeat(from) ? counts : "repeat";
	if (from === graph.person || to === graph.person || isEnd(graph, to)) return counts;
	const pair = pairOf(from, to);
	const made = counts.pairs.get(pair) ?? 0;
	if (made >= graph.maxMovesBetween(from, to)) return "pair";
	if (counts.moves >= graph.maxMoves) return "moves";
	return { moves: counts.moves + 1, pairs: new Map(counts.pairs).set(pair, made + 1) };
}

/** All edges, in the order of the states. */
export function edgesOf({ next }: Graph): Edge[] {
	return [...next].flatMap(([from, targets]) => [...new Set(targets)].map((to) => ({ from, to })));
}

/** Paths from the initial state that together take every edge that can be taken. */
export function coverEdges(graph: Graph): EdgePaths {
	const left = new Map(edgesOf(graph).map((edge) => [edgeKey(edge), edge]));
	const unreachable: { edge: Edge; why: Why }[] = [];
	const connected = connectedStates(graph);
	for (const [key, edge] of left) {
		const path = pathThrough(graph, { states: [graph.initial], counts: NO_COUNTS }, edge);
		if (typeof path !== "string") continue;
		// A path to the source exists, but none that is short enough.
		unreachable.push({ edge, why: path === "no-path" && connected.has(edge.from) ? "moves" : path });
		left.delete(key);
	}
	const paths: string[][] = [];
	while (left.size > 0) paths.push(coverSome(graph, left));
	return { paths, unreachable };
}

/** States that some path leads to, ignoring limits. */
function connectedStates({ initial, next, person, personChooses }: Graph): ReadonlySet<string> {
	const seen = new Set([initial]);
	for (const state of seen) {
		if (state === person && !personChooses) continue;
		for (const target of next.get(state) ?? []) seen.add(target);
	}
	return seen;
}

function edgeKey({ from, to }: Edge): string {
	return `${from}\n${to}`;
}

/** A path or a continuation, with the counted moves at its end. */
export interface Path {
	readonly states: readonly string[];
	readonly counts: Counts;
}

/** One path through as many of the edges in `left` as possible, to an end if there is one. Removes these edges from `left`. */
function coverSome(graph: Graph, left: Map<string, Edge>): string[] {
	let open: Path = { states: [graph.initial], counts: NO_COUNTS };
	while (open.states.length < longestPath) {
		const longer = nearestPath(graph, open, left);
		if (!longer) break;
		for (let at = open.states.length; at < longer.states.length; at++)
			left.delete(edgeKey({ from: longer.states[at - 1] ?? "", to: longer.states[at] ?? "" }));
		open = longer;
	}
	return [...open.states, ...pathToEnd(graph, open)];
}

/** The shortest continuation that takes one of the edges; one that ends the run only if no other is left. */
function nearestPath(graph: Graph, open: Path, left: ReadonlyMap<string, Edge>): Path | undefined {
	const edges = [...left.values()];
	return (
		shortest(
			graph,
			open,
			edges.filter(({ to }) => !isEnd(graph, to)),
		) ??
		shortest(
			graph,
			open,
			edges.filter(({ to }) => isEnd(graph, to)),
		)
	);
}

function shortest(graph: Graph, open: Path, edges: readonly Edge[]): Path | undefined {
	let best: Path | undefined;
	for (const edge of edges) {
		const found = pathThrough(graph, open, edge);
		if (typeof found !== "string" && (!best || found.states.length < best.states.length)) best = found;
	}
	return best;
}

/**
 * A continuation of `open` that ends with `edge`, or what prevents it. The fewest steps come first; if these break a limit, the fewest
 * counted moves, and a detour around the pair of the edge, which the path to its source may itself use up.
 */
function pathThrough(graph: Graph, open: Path, edge: Edge): Path | Why {
	const avoided = pairOf(edge.from, edge.to);
	let why: Why | undefined;
	for (const how of [{}, { avoided }, { frugal: true }, { frugal: true, avoided }]) {
		const found = extend(graph, open, searchPath(graph, open, (state) => state === edge.from, how)?.states, edge);
		if (typeof found !== "string") return found;
		why ??= found;
	}
	return why ?? "no-path";
}

function extend(graph: Graph, open: Path, way: readonly string[] | undefined, edge: Edge): Path | Why {
	if (!way) return "no-path";
	let from = open.states.at(-1) ?? graph.initial;
	let { counts } = open;
	const states = [...open.states];
	for (const to of [...way, edge.to]) {
		const next = stepPath(graph, counts, { from, to });
		if (typeof next === "string") return next;
		counts = next;
		states.push(to);
		from = to;
	}
	// If the template lists no targets for the user, the run returns to the state it came from.
	if (edge.to === graph.person && !graph.personChooses) states.push(edge.from);
	return { states, counts };
}

function pathToEnd(graph: Graph, open: Path): readonly string[] {
	return searchPath(graph, open, (state) => isEnd(graph, state))?.states ?? [];
}

interface How {
	/** Minimize counted moves instead of steps. */
	readonly frugal?: boolean;
	/** The pair of states to avoid. */
	readonly avoided?: string;
}

/** The shortest legal continuation of `open` to a state that `wanted` accepts, without the starting state. */
export function searchPath(
	graph: Graph,
	open: Path,
	wanted: (state: string, continuation: Path) => boolean,
	{ frugal, avoided }: How = {},
): Path | undefined {
	const seen = new Set<string>();
	const queue: Path[] = [{ states: [], counts: open.counts }];
	for (let at = queue.shift(); at; at = queue.shift()) {
		const { states, counts } = at;
		const from = states.at(-1) ?? open.states.at(-1) ?? graph.initial;
		if (wanted(from, at)) return at;
		if (seen.has(from)) continue;
		seen.add(from);
		const further = (graph.next.get(from) ?? [])
			.filter((to) => !seen.has(to) && pairOf(from, to) !== avoided)
			.flatMap((to) => pass(graph, at, { from, to }));
		const isFree = (longer: Path): boolean => frugal === true && longer.counts.moves === counts.moves;
		queue.unshift(...further.filter(isFree));
		queue.push(...further.filter((longer) => !isFree(longer)));
	}
	return undefined;
}

/** A path and its continuation as one. */
export function join({ states }: Path, continuation: Path): Path {
	return { states: [...states, ...continuation.states], counts: continuation.counts };
}

/** The continuation with one more step; none if a limit refuses it, or only the user could choose the next state. */
function pass(graph: Graph, { states, counts }: Path, edge: Edge): Path[] {
	if (edge.to === graph.person && !graph.personChooses) return [];
	const next = stepPath(graph, counts, edge);
	return typeof next === "string" ? [] : [{ states: [...states, edge.to], counts: next }];
}

/** The shortest legal path from the initial state to `state`, both included; `undefined` if there is none. */
export function pathTo(graph: Graph, state: string): readonly string[] | undefined {
	const start = { states: [graph.initial], counts: NO_COUNTS };
	const is = (name: string): boolean => name === state;
	const way = searchPath(graph, start, is) ?? searchPath(graph, start, is, { frugal: true });
	return way && [graph.initial, ...way.states];
}
