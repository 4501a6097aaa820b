// Children that need each other: which may begin, whose files are joined next, and what follows if one is lost. Pure.
// A child begins only when all that it needs have been joined, from the files joined by then; files are joined one child at a time, in the
// order in which the children end; a conflict holds back only its child and those that need it; a child that needs a dropped one is dropped.
import { usersOf } from "../../template/index.ts";
import { notice } from "../budget/budget.ts";
import { childrenPlanOf } from "../plan/plan.ts";
import type { ChildGroup, ChildRun, JoinProgress } from "../run/child-group.ts";
import type { Run } from "../run/run.ts";

/** Children that need each other; `joined`: the files of those that have been joined, `null` if they share the run's. */
export type ChildGraph = ChildGroup & { readonly joined: string | null };

/** A child whose files conflict with those joined before. */
export type ConflictingChild = ChildRun & { readonly conflict: JoinProgress };

export function isGraph(group: ChildGroup): group is ChildGraph {
	return group.joined !== undefined;
}

/** The graph whose children work: its files are neither being joined with the run's, nor are the children stopped. */
export function workingGraph(group: ChildGroup | null): ChildGraph | undefined {
	return group && isGraph(group) && group.phase === "working" && !group.stopping ? group : undefined;
}

/** The children that do the work, without those that resolve conflicts. */
export function workOf({ children }: Pick<ChildGroup, "children">): readonly ChildRun[] {
	return children.filter(({ merges }) => merges === undefined);
}

/** Whether something happens to the child without the user: of those that are pending, only one that has begun. */
export function hasBegun(group: ChildGroup, { begun, merges }: ChildRun): boolean {
	return !isGraph(group) || begun === true || merges !== undefined;
}

/** The child whose files are joined next: the one that ended first. One with a conflict waits until it is resolved. */
export function nextToJoin(group: ChildGraph): ChildRun | undefined {
	const due = workOf(group).filter(
		({ status, joined, conflict }) => status === "done" && !joined && (!conflict || conflict.choice !== null),
	);
	return due.toSorted((one, other) => (one.ended ?? 0) - (other.ended ?? 0))[0];
}

/** The conflicts that nobody resolves yet, in the order in which their children ended. */
export function openConflicts(group: ChildGraph): readonly ConflictingChild[] {
	return workOf(group)
		.filter((child): child is ConflictingChild => child.conflict?.choice === null)
		.filter((child) => !isBeingResolved(group, child))
		.toSorted((one, other) => (one.ended ?? 0) - (other.ended ?? 0));
}

/** Whether a worker resolves the conflict, or one that does waits for the user. */
function isBeingResolved(group: ChildGraph, child: ConflictingChild): boolean {
	const merger = mergersOf(group, child).findLast(({ merges }) => merges === child.conflict.tree);
	return merger?.status === "pending" || merger?.status === "parked" || merger?.dropping === true;
}

/** The workers that have resolved conflicts of the child. */
export function mergersOf({ children }: ChildGroup, { index }: ChildRun): readonly ChildRun[] {
	return children.filter(({ joins }) => joins === index);
}

/** The numbers of the children that the child needs, and of those that these need. */
export function allNeedsOf(children: readonly ChildRun[], { needs = [] }: ChildRun): ReadonlySet<number> {
	const byIndex = new Map(children.map((child) => [child.index, child]));
	const found = new Set(needs);
	for (const index of found) for (const one of byIndex.get(index)?.needs ?? []) found.add(one);
	return found;
}

/** The children that need one of those with these numbers, and those that need them, whether or not they have begun. */
export function dependantsOf(children: readonly ChildRun[], indexes: ReadonlySet<number>): readonly ChildRun[] {
	return children.filter((child) => [...allNeedsOf(children, child)].some((index) => indexes.has(index)));
}

/** The children that cannot begin, because one that they need is lost. */
export function blockedBy({ children }: ChildGroup, lost: readonly ChildRun[]): readonly ChildRun[] {
	const indexes = new Set(lost.map(({ index }) => index));
	return dependantsOf(children, indexes).filter(({ status, begun }) => status === "pending" && !begun);
}

/** The run whose graph is brought forward: what is resolved is to be joined, what cannot begin is dropped, what can has begun. */
export function advanceGraph(run: Run): Run {
	const graph = workingGraph(run.children);
	if (!graph) return run;
	const plan = childrenPlanOf(run);
	const dropped = dropLost(withResolved(graph), plan?.onFailed === "continue");
	const told = dropped.reasons.reduce(notice, run);
	return { ...told, children: beginChildren(dropped.group, plan?.maxParallel ?? 1) };
}

/** Takes the results of workers that have resolved conflicts. Children without files of their own have nothing to join. */
function withResolved(group: ChildGraph): ChildGraph {
	return mapWork(group, (child) => {
		if (child.status === "done" && child.tree === null && !child.joined) return { ...child, joined: true };
		const { conflict } = child;
		if (conflict?.choice !== null) return child;
		const merger = mergersOf(group, child).at(-1);
		const isDone = merger?.merges === conflict.tree && merger.status === "done" && merger.tree !== null;
		return isDone ? { ...child, conflict: { ...conflict, choice: "worker" } } : child;
	});
}

function mapWork(group: ChildGraph, change: (child: ChildRun) => ChildRun): ChildGraph {
	const children = group.children.map((child) => (child.merges === undefined ? change(child) : child));
	return { ...group, children };
}

/** Drops children that need a dropped one; `withFailed`: or a failed one. */
function dropLost(group: ChildGraph, withFailed: boolean): { readonly group: ChildGraph; readonly reasons: string[] } {
	const { children } = group;
	const isLost = ({ status }: ChildRun): boolean =>
		status === "dropped" || (withFailed && (status === "failed" || status === "aborted"));
	const lost = children.filter(isLost);
	const blocked = new Set(lost.length === 0 ? [] : blockedBy(group, lost).map(({ index }) => index));
	const reasons: string[] = [];
	const next = mapWork(group, (child) => {
		if (!blocked.has(child.index)) return child;
		const needed = allNeedsOf(children, child);
		const cause = lost.find(({ index }) => needed.has(index));
		const detail = `it needs "${cause?.name}", which ${cause?.status === "failed" ? "failed" : `was ${cause?.status}`}.`;
		reasons.push(`The child "${child.name}" was dropped: ${detail}`);
		return { ...child, status: "dropped", detail };
	});
	return { group: next, reasons };
}

/** Begins the children whose needs are joined, as many as fit, those first for which the longest chain of others waits. */
function beginChildren(group: ChildGraph, most: number): ChildGraph {
	const { children, joined } = group;
	const running = children.filter((child) => child.status === "pending" && hasBegun(group, child)).length;
	const done = new Set(children.filter((child) => child.joined).map(({ index }) => index));
	const ready = workOf(group).filter(
		({ status, begun, needs = [] }) => status === "pending" && !begun && needs.every((index) => done.has(index)),
	);
	if (running >= most || ready.length === 0) return group;
	const waiting = chainsBelow(children);
	const chosen = ready
		.toSorted((one, other) => (waiting.get(other.index) ?? 0) - (waiting.get(one.index) ?? 0))
		.slice(0, most - running);
	const numbers = new Set(chosen.map(({ index }) => index));
	const from = joined === null ? {} : { from: joined };
	return mapWork(group, (child) => (numbers.has(child.index) ? { ...child, begun: true, ...from } : child));
}

/** How many children form the longest chain that waits for each. */
function chainsBelow(children: readonly ChildRun[]): ReadonlyMap<number, number> {
	const path = longestChains(children, () => 1);
	return new Map(children.map(({ index }, at) => [index, path[at]?.length ?? 0]));
}

interface Chain {
	/** Sum of the weights from the child to the end of the chain. */
	readonly length: number;
	/** Position of the next child in the chain; `undefined`: it ends. */
	readonly next: number | undefined;
}

/** The heaviest chain of children that begins with each, by position. */
function longestChains(children: readonly ChildRun[], weightOf: (child: ChildRun) => number): readonly Chain[] {
	const places = new Map(children.map(({ index }, at) => [index, at]));
	const users = usersOf(children.map(({ needs = [] }) => needs.flatMap((index) => places.get(index) ?? [])));
	const chains: (Chain | undefined)[] = children.map(() => undefined);
	const chainOf = (at: number): Chain => {
		const known = chains[at];
		if (known) return known;
		let chain: Chain = { length: 0, next: undefined };
		for (const next of users[at] ?? []) {
			const { length } = chainOf(next);
			if (length > chain.length) chain = { length, next };
		}
		const child = children[at];
		const own = { ...chain, length: chain.length + (child ? weightOf(child) : 0) };
		chains[at] = own;
		return own;
	};
	return children.map((_, at) => chainOf(at));
}

/** The chain of children that takes longest, in order: by the time of those that have ended, and its mean for the others. */
export function criticalPath(group: ChildGroup): readonly ChildRun[] {
	const children = workOf(group).filter(({ status }) => status !== "dropped");
	const times = children.flatMap(({ status, counted }) => (status === "done" ? [counted.activeMs] : []));
	const mean = times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length);
	const weightOf = ({ status, counted }: ChildRun): number =>
		1 + (status === "done" ? counted.activeMs : Math.max(counted.activeMs, mean));
	const chains = longestChains(children, weightOf);
	let at: number | undefined = chains.reduce<number>(
		(best, { length }, index) => (length > (chains[best]?.length ?? 0) ? index : best),
		0,
	);
	const path: ChildRun[] = [];
	while (at !== undefined) {
		const child = children[at];
		if (child) path.push(child);
		at = chains[at]?.next;
	}
	return path;
}

/** The children that have to be joined before the child begins, in order; empty once it can. */
export function awaitedBy<C extends Needing>(children: readonly C[], { status, needs = [] }: Needing): readonly C[] {
	if (status !== "pending" && status !== "parked") return [];
	return children.filter(({ index, joined }) => needs.includes(index) && !joined);
}

type Needing = Pick<ChildRun, "index" | "status" | "needs" | "joined">;

/** Children in an order in which each follows those that it needs, with the number of children in the longest chain before it. */
export function inOrderOfNeeds<C extends Pick<ChildRun, "index" | "needs">>(
	children: readonly C[],
): readonly { readonly child: C; readonly depth: number }[] {
	const depths = new Map<number, number>();
	const placed: { child: C; depth: number }[] = [];
	let left = children;
	while (left.length > 0) {
		const open = new Set(left.map(({ index }) => index));
		const free = left.find(({ needs = [] }) => !needs.some((index) => open.has(index))) ?? (left[0] as C);
		const depth = Math.max(-1, ...(free.needs ?? []).map((index) => depths.get(index) ?? -1)) + 1;
		depths.set(free.index, depth);
		placed.push({ child: free, depth });
		left = left.filter((child) => child !== free);
	}
	return placed;
}

/** The conflicts that are to be resolved: those of one child, or of the files of all. `undefined`: there are none. */
export function dueConflict(
	group: ChildGroup,
): { readonly join: JoinProgress; readonly child: ConflictingChild | undefined } | undefined {
	if (group.join) return { join: group.join, child: undefined };
	const [child] = isGraph(group) ? openConflicts(group) : [];
	return child && { join: child.conflict, child };
}
