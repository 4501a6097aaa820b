// The nodes and edges of the state diagram: the states of a run, with the possible, taken and refused moves between them. Pure.
// P1 at most `mostNodes` nodes: if there are more states, the most visited ones keep their own node and the others share one.
import type { Run } from "../../core/index.ts";
import { HUMAN_INTERVENTION } from "../../core/index.ts";
import { currentMark, type Mark, titleOf } from "../timeline/index.ts";
import type { ReportModel } from "./report-model.ts";

export const mostNodes = 40;
/** More untaken edges than this would hide the taken ones. */
const mostPossible = 30;
const mostNumbers = 4;

export interface PathNode {
	readonly kind: "state" | "rest";
	readonly title: string;
	/** `undefined` for the node that groups the other states. */
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
	readonly kind: "taken" | "possible" | "refused";
	/** Numbers of the moves, abbreviated: `1, 3, … 12 (×7)`. */
	readonly label: string;
	readonly count: number;
}

export interface VisitedPath {
	readonly nodes: readonly PathNode[];
	readonly edges: readonly PathEdge[];
	/** Number of states without their own node. */
	readonly statesLeftOut: number;
	/** Number of possible, untaken edges that are not drawn. */
	readonly waysLeftOut: number;
}

export function pathOf(report: ReportModel): VisitedPath {
	const { run } = report;
	const names = shownStates(report);
	const all = allStates(report);
	const index = new Map(names.map((name, at) => [name, at]));
	const rest = all.length - names.length;
	const nodes: PathNode[] = names.map((name) => nodeOf(run, report, name));
	if (rest > 0)
		nodes.push({
			kind: "rest",
			title: `${rest} more states`,
			state: undefined,
			mark: "todo",
			visits: 0,
			current: false,
			terminal: false,
		});
	const at = (name: string): number => index.get(name) ?? names.length;
	const possible = possibleEdges(run, report, at);
	const kept = possible.length > mostPossible ? [] : possible;
	return {
		nodes,
		edges: [...movedEdges(report, at), ...kept],
		statesLeftOut: rest,
		waysLeftOut: possible.length - kept.length,
	};
}

/** The template's states, with `human_intervention` only if the run has been there. */
function allStates({ run, moves }: ReportModel): string[] {
	const visited = run.state === HUMAN_INTERVENTION || moves.some(({ to }) => to === HUMAN_INTERVENTION);
	const names = [...run.plan.states.keys()].filter((name) => name !== HUMAN_INTERVENTION);
	return visited ? [...names, HUMAN_INTERVENTION] : names;
}

function shownStates(report: ReportModel): string[] {
	const all = allStates(report);
	if (all.length <= mostNodes) return all;
	const { run, moves } = report;
	const lastSeen = new Map<string, number>([[run.plan.initial, 0]]);
	for (const { number, to } of moves) lastSeen.set(to, number);
	// Always keep the initial and the current state; then prefer the most visited ones, then the most recent.
	const rank = (name: string): number =>
		name === run.state || name === run.plan.initial ? Number.POSITIVE_INFINITY : (run.states[name]?.visits ?? 0);
	const order = all.toSorted((one, other) =>
		rank(one) === rank(other)
			? (lastSeen.get(other) ?? -1) - (lastSeen.get(one) ?? -1)
			: rank(other) > rank(one)
				? 1
				: -1,
	);
	const kept = new Set(order.slice(0, mostNodes - 1));
	return all.filter((name) => kept.has(name));
}

function nodeOf(run: Run, { moves }: ReportModel, name: string): PathNode {
	const visits = run.states[name]?.visits ?? 0;
	const current = name === run.state;
	const terminal = run.plan.states.get(name)?.terminal ?? false;
	const refused = moves.some((move) => move.refused === name) && visits === 0;
	const mark = current ? currentMark(run) : visits > 0 ? "done" : refused ? "refused" : "todo";
	return { kind: "state", title: titleOf(name), state: name, mark, visits, current, terminal };
}

interface Counted {
	readonly from: number;
	readonly to: number;
	readonly kind: "taken" | "refused";
	readonly first: number[];
	last: number;
	count: number;
}

function movedEdges({ moves }: ReportModel, at: (name: string) => number): PathEdge[] {
	const counted = new Map<string, Counted>();
	const add = (from: number, to: number, kind: "taken" | "refused", number: number): void => {
		const key = `${from} ${to} ${kind}`;
		const edge = counted.get(key) ?? { from, to, kind, first: [], last: number, count: 0 };
		counted.set(key, edge);
		edge.count += 1;
		edge.last = number;
		if (edge.first.length < mostNumbers) edge.first.push(number);
	};
	for (const { from, to, refused, number } of moves) {
		if (refused !== undefined && refused !== from) add(at(from), at(refused), "refused", number);
		add(at(from), at(to), "taken", number);
	}
	return [...counted.values()].map(({ from, to, kind, first, last, count }) => ({
		from,
		to,
		kind,
		count,
		label: count <= mostNumbers ? first.join(", ") : `${first.slice(0, 2).join(", ")} … ${last} (×${count})`,
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
