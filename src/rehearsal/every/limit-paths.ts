// Paths that reach the template's limits on moves: the last step of each is the one that must be refused. Pure.
// Every step but the last is legal. A limit is unreachable only if that is certain: the graph rules it out, or a complete search found no
// path. A truncated search is reported as such.
import { type Edge, edgesOf, type Graph, isEnd, NO_COUNTS, step } from "./paths.ts";

export type LimitPath =
	/** `states` ends with the state whose entry is refused. */
	| { readonly kind: "path"; readonly states: readonly string[] }
	| { readonly kind: "unreachable"; readonly why: string }
	| { readonly kind: "cut-off" };

/** Maximum number of positions that one search visits. */
const maxPositions = 20_000;

/** Unordered pairs of states between which moves are counted, in order. */
export function countedPairs(graph: Graph): (readonly [string, string])[] {
	const pairs = new Map<string, readonly [string, string]>();
	for (const { from, to } of countedEdges(graph)) {
		const [one, other] = [from, to].sort() as [string, string];
		pairs.set(`${one}\n${other}`, [one, other]);
	}
	return [...pairs.values()];
}

function countedEdges(graph: Graph): Edge[] {
	return edgesOf(graph).filter(
		({ from, to }) => from !== to && from !== graph.person && to !== graph.person && !isEnd(graph, to),
	);
}

/** A path that moves between two states once more than it may. */
export function pathToPairLimit(graph: Graph, [one, other]: readonly [string, string]): LimitPath {
	const edges = countedEdges(graph);
	const both = edges.filter(({ from, to }) => (from === one && to === other) || (from === other && to === one));
	if (graph.initial !== one && !reaches(edges, graph.initial, one) && !reaches(edges, graph.initial, other))
		return { kind: "unreachable", why: "no path leads there" };
	if (!both.some(({ from, to }) => reaches(edges, to, from)))
		return { kind: "unreachable", why: "no path leads back, so the move is made once" };
	return searchLimit(graph, edges, "pair", (edge) => both.some(({ from, to }) => from === edge.from && to === edge.to));
}

/** A path that makes one more move than a run may. */
export function pathToMoveLimit(graph: Graph): LimitPath {
	const edges = countedEdges(graph);
	const room = countedPairs(graph).reduce((sum, [one, other]) => sum + graph.maxMovesBetween(one, other), 0);
	if (room <= graph.maxMoves) return { kind: "unreachable", why: "the limits between states come first" };
	if (!edges.some(({ from, to }) => reaches(edges, to, from)))
		return { kind: "unreachable", why: "no path is that long: the states form no loop" };
	return searchLimit(graph, edges, "moves", () => true);
}

function reaches(edges: readonly Edge[], from: string, to: string): boolean {
	const seen = new Set([from]);
	for (const state of seen) for (const edge of edges) if (edge.from === state) seen.add(edge.to);
	return seen.has(to);
}

interface Position {
	readonly states: readonly string[];
	readonly counts: Exclude<ReturnType<typeof step>, string>;
	/** Moves that count towards the limit. */
	readonly near: number;
}

/** Depth first, nearest to the limit first: paths to a limit are long, and many are equivalent. */
function searchLimit(
	graph: Graph,
	edges: readonly Edge[],
	limit: "pair" | "moves",
	counts: (edge: Edge) => boolean,
): LimitPath {
	const open: Position[] = [{ states: [graph.initial], counts: NO_COUNTS, near: 0 }];
	const seen = new Set<string>();
	for (let looked = 0; looked < maxPositions; looked++) {
		const position = open.pop();
		if (!position) return { kind: "unreachable", why: "the other limits on moves come first" };
		const leading = edges.filter(({ from }) => from === position.states.at(-1));
		const refused = leading.find((edge) => counts(edge) && step(graph, position.counts, edge) === limit);
		if (refused) return { kind: "path", states: [...position.states, refused.to] };
		const further = leading.flatMap((edge) => extend(graph, position, edge, counts(edge) ? 1 : 0));
		for (const next of further.sort((a, b) => a.near - b.near)) {
			const key = `${next.states.at(-1)}\n${[...next.counts.pairs].sort().join("\n")}`;
			if (!seen.has(key)) open.push(next);
			seen.add(key);
		}
	}
	return { kind: "cut-off" };
}

function extend(graph: Graph, { states, counts, near }: Position, edge: Edge, nearer: number): Position[] {
	const after = step(graph, counts, edge);
	return typeof after === "string" ? [] : [{ states: [...states, edge.to], counts: after, near: near + nearer }];
}
