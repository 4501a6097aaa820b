// The nodes and edges of the state diagram: the states of a run, with the possible, taken and refused moves between them. Pure.
// P1 at most `maxNodes` nodes: if there are more states, the most visited ones keep their own node, and neighbors in the template's order share
// one, which shows how many of them have which mark.
import type { Run } from "../../core/index.ts";
import { HUMAN_INTERVENTION } from "../../core/index.ts";
import { currentMark, type Mark, marks, titleOf } from "../timeline/index.ts";
import type { ReportModel } from "./report-model.ts";

const maxNodes = 40;
/** More untaken edges than this would hide the taken ones. */
const maxPossible = 30;
const maxNumbers = 4;

export interface PathNode {
	readonly kind: "state" | "rest";
	readonly title: string;
	/** `undefined` for a node that groups several states. */
	readonly state: string | undefined;
	readonly mark: Mark;
	readonly visits: number;
	readonly current: boolean;
	readonly terminal: boolean;
}

export interface PathEdge {
	/** Indexes in the list of nodes. */
	readonly from: number;
	readonly to: number;
	readonly kind: "taken" | "possible" | "refused" | "rewound";
	/** Numbers of the moves, abbreviated: `1, 3, … 12 (×7)`. */
	readonly label: string;
	readonly count: number;
}

export interface VisitedPath {
	readonly nodes: readonly PathNode[];
	readonly edges: readonly PathEdge[];
	/** Number of states without a node of their own. */
	readonly statesLeftOut: number;
	/** Number of possible, untaken edges that are not drawn. */
	readonly waysLeftOut: number;
}

export function pathOf(report: ReportModel): VisitedPath {
	const { run } = report;
	const groups = groupStates(report);
	const nodes = groups.map(
		(names): PathNode => (names.length === 1 ? nodeOf(run, report, names[0] ?? "") : restNode(run, report, names)),
	);
	const index = new Map(groups.flatMap((names, at) => names.map((name) => [name, at] as const)));
	const at = (name: string): number => index.get(name) ?? groups.length - 1;
	const possible = possibleEdges(run, report, at);
	const kept = possible.length > maxPossible ? [] : possible;
	return {
		nodes,
		edges: [...movedEdges(report, at), ...kept],
		statesLeftOut: groups.reduce((sum, { length }) => sum + (length > 1 ? length : 0), 0),
		waysLeftOut: possible.length - kept.length,
	};
}

/** Several states as one node, with how many of them have which mark: `12 more states · ✓ 10 ✗ 2`. */
function restNode(run: Run, report: ReportModel, names: readonly string[]): PathNode {
	const counts = new Map<Mark, number>();
	for (const { mark } of names.map((name) => nodeOf(run, report, name))) counts.set(mark, (counts.get(mark) ?? 0) + 1);
	counts.delete("todo");
	const signs = [...counts].map(([mark, count]) => `${marks[mark]} ${count}`);
	return {
		kind: "rest",
		title: [`${names.length} more states`, ...(signs.length > 0 ? [signs.join(" ")] : [])].join(" · "),
		state: undefined,
		mark: "todo",
		visits: 0,
		current: false,
		terminal: false,
	};
}

/** The states as groups in the template's order: one state with a node of its own, or neighbors that share one. */
function groupStates(report: ReportModel): string[][] {
	const all = allStates(report);
	if (all.length <= maxNodes) return all.map((name) => [name]);
	// Fewer nodes of their own leave room for the groups between them.
	for (let own = maxNodes - 1; own > 2; own -= 1) {
		const groups = groupsBetween(all, ownStates(report, all, own));
		if (groups.length <= maxNodes) return groups;
	}
	return groupsBetween(all, ownStates(report, all, 2));
}

function groupsBetween(all: readonly string[], own: ReadonlySet<string>): string[][] {
	const groups: string[][] = [];
	let open: string[] | undefined;
	for (const name of all) {
		if (own.has(name)) {
			groups.push([name]);
			open = undefined;
			continue;
		}
		if (open === undefined) {
			open = [];
			groups.push(open);
		}
		open.push(name);
	}
	return groups;
}

/** The template's states, with `human_intervention` only if the run has been there. */
function allStates({ run, moves }: ReportModel): string[] {
	const visited = run.state === HUMAN_INTERVENTION || moves.some(({ to }) => to === HUMAN_INTERVENTION);
	const names = [...run.plan.states.keys()].filter((name) => name !== HUMAN_INTERVENTION);
	return visited ? [...names, HUMAN_INTERVENTION] : names;
}

/** The states that keep a node of their own: the initial and the current one, then the most visited, then the most recent. */
function ownStates({ run, moves }: ReportModel, all: readonly string[], count: number): ReadonlySet<string> {
	const lastSeen = new Map<string, number>([[run.plan.initial, 0]]);
	for (const { number, to } of moves) lastSeen.set(to, number);
	const rank = (name: string): number =>
		name === run.state || name === run.plan.initial ? Number.POSITIVE_INFINITY : (run.states[name]?.visits ?? 0);
	const order = all.toSorted((one, other) =>
		rank(one) === rank(other)
			? (lastSeen.get(other) ?? -1) - (lastSeen.get(one) ?? -1)
			: rank(other) > rank(one)
				? 1
				: -1,
	);
	return new Set(order.slice(0, count));
}

function nodeOf(run: Run, report: ReportModel, name: string): PathNode {
	const { moves } = report;
	const visits = run.states[name]?.visits ?? 0;
	const current = name === run.state;
	const terminal = run.plan.states.get(name)?.terminal ?? false;
	const refused = moves.some((move) => move.refused === name) && visits === 0;
	const left: Mark = name === HUMAN_INTERVENTION ? "released" : isUndone(report, name) ? "undone" : "done";
	const mark = current ? currentMark(run) : visits > 0 ? left : refused ? "refused" : "todo";
	return { kind: "state", title: titleOf(name), state: name, mark, visits, current, terminal };
}

function isUndone({ visits }: ReportModel, name: string): boolean {
	const own = visits.filter(({ state }) => state === name);
	return own.length > 0 && own.every(({ undone }) => undone);
}

interface Counted {
	readonly from: number;
	readonly to: number;
	readonly kind: "taken" | "refused" | "rewound";
	readonly first: number[];
	last: number;
	count: number;
}

function movedEdges({ moves }: ReportModel, at: (name: string) => number): PathEdge[] {
	const counted = new Map<string, Counted>();
	const add = (from: number, to: number, kind: Counted["kind"], number: number): void => {
		const key = `${from} ${to} ${kind}`;
		const edge = counted.get(key) ?? { from, to, kind, first: [], last: number, count: 0 };
		counted.set(key, edge);
		edge.count += 1;
		edge.last = number;
		if (edge.first.length < maxNumbers) edge.first.push(number);
	};
	for (const { from, to, refused, number, cause } of moves) {
		if (refused !== undefined && refused !== from) add(at(from), at(refused), "refused", number);
		// Moves between states that share a node are inside it.
		if (at(from) !== at(to) || from === to) add(at(from), at(to), cause === "rewind" ? "rewound" : "taken", number);
	}
	return [...counted.values()].map(({ from, to, kind, first, last, count }) => ({
		from,
		to,
		kind,
		count,
		label: count <= maxNumbers ? first.join(", ") : `${first.slice(0, 2).join(", ")} … ${last} (×${count})`,
	}));
}

function possibleEdges({ plan }: Run, { moves }: ReportModel, at: (name: string) => number): PathEdge[] {
	const moved = new Set(moves.map(({ from, to }) => `${at(from)} ${at(to)}`));
	const edges = new Map<string, PathEdge>();
	for (const [name, { next }] of plan.states) {
		if (name === HUMAN_INTERVENTION) continue;
		for (const target of next) {
			if (target === HUMAN_INTERVENTION || target === name) continue;
			const key = `${at(name)} ${at(target)}`;
			if (at(name) === at(target) || moved.has(key)) continue;
			edges.set(key, { from: at(name), to: at(target), kind: "possible", label: "", count: 0 });
		}
	}
	return [...edges.values()];
}
