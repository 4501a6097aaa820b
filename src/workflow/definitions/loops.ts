// Finds workflows that would run themselves: the strongly connected parts of the reference graph. Time and space are linear in
// workflows plus references, and nothing recurses.

export interface Loop {
	/** Everything that can reach itself through this loop, sorted. */
	readonly members: readonly string[];
	/** A way from each member back to it, as keys that begin and end with it; shortened with `…` where it is long. */
	way(member: string): readonly string[];
}

/** The loops of a graph that is given as key → keys it refers to; references to keys that are not in it are ignored. */
export function findLoops(graph: ReadonlyMap<string, readonly string[]>): Loop[] {
	const loops: Loop[] = [];
	for (const members of components(graph)) {
		const [first = ""] = members;
		if (members.length > 1 || graph.get(first)?.includes(first)) loops.push(openLoop(members.sort(), graph));
	}
	return loops.sort((a, b) => ((a.members[0] ?? "") < (b.members[0] ?? "") ? -1 : 1));
}

/** Tarjan's strongly connected components, with an explicit stack. */
function components(graph: ReadonlyMap<string, readonly string[]>): string[][] {
	const order = new Map<string, number>();
	const lowest = new Map<string, number>();
	const open: string[] = [];
	const isOpen = new Set<string>();
	const found: string[][] = [];
	for (const start of graph.keys()) {
		if (order.has(start)) continue;
		const work = [{ key: start, next: 0 }];
		for (let top = work.at(-1); top; top = work.at(-1)) {
			const { key } = top;
			if (top.next === 0) {
				order.set(key, order.size);
				lowest.set(key, order.size - 1);
				open.push(key);
				isOpen.add(key);
			}
			const target = graph.get(key)?.[top.next];
			top.next += 1;
			if (target !== undefined) {
				if (!graph.has(target)) continue;
				if (!order.has(target)) work.push({ key: target, next: 0 });
				else if (isOpen.has(target)) lower(lowest, key, order.get(target) ?? 0);
				continue;
			}
			work.pop();
			const parent = work.at(-1);
			if (parent) lower(lowest, parent.key, lowest.get(key) ?? 0);
			if (lowest.get(key) !== order.get(key)) continue;
			const members: string[] = [];
			let member: string | undefined;
			do {
				member = open.pop();
				if (member === undefined) break;
				isOpen.delete(member);
				members.push(member);
			} while (member !== key);
			found.push(members);
		}
	}
	return found;
}

function lower(lowest: Map<string, number>, key: string, value: number): void {
	lowest.set(key, Math.min(lowest.get(key) ?? value, value));
}

/** How many keys of a long way are shown at each end. */
const shownAtEnds = 6;

function openLoop(members: string[], graph: ReadonlyMap<string, readonly string[]>): Loop {
	const inside = new Set(members);
	const [hub = ""] = members;
	const backward = new Map<string, string[]>(members.map((key) => [key, []]));
	for (const key of members) for (const target of graph.get(key) ?? []) backward.get(target)?.push(key);
	// From every member one step nearer to the hub, and for every member the step before it on a way from the hub.
	const towards = walk(hub, (key) => backward.get(key) ?? [], inside);
	const before = walk(hub, (key) => graph.get(key) ?? [], inside);

	return {
		members,
		way(member) {
			const back = member === hub ? nearestTo(hub, backward.get(hub) ?? [], before) : member;
			const there = member === hub ? [hub] : wayOn(member, towards);
			const wayBack = wayFrom(back, before);
			// The way back begins with the hub, which the way there ends with, unless one of them was shortened.
			return [
				...there,
				...(wayBack[0] === there.at(-1) ? wayBack.slice(1) : wayBack),
				...(member === hub ? [hub] : []),
			];
		},
	};
}

function nearestTo(hub: string, candidates: readonly string[], before: ReadonlyMap<string, string>): string {
	let best = hub;
	let least = Number.POSITIVE_INFINITY;
	for (const key of candidates) {
		const steps = wayFrom(key, before).length;
		if (steps < least) {
			best = key;
			least = steps;
		}
	}
	return best;
}

/** Breadth first from the hub: for every key the key through which it was reached; the hub itself has none. */
function walk(hub: string, next: (key: string) => readonly string[], inside: ReadonlySet<string>): Map<string, string> {
	const reached = new Map<string, string>();
	const queue = [hub];
	for (const key of queue)
		for (const target of next(key)) {
			if (!inside.has(target) || target === hub || reached.has(target)) continue;
			reached.set(target, key);
			queue.push(target);
		}
	return reached;
}

/** The way on from a key to the hub, its end left out where it is long. */
function wayOn(key: string, towards: ReadonlyMap<string, string>): string[] {
	const way = [key];
	for (let step = towards.get(key); step !== undefined; step = towards.get(step)) {
		if (way.length === shownAtEnds) return [...way, "…"];
		way.push(step);
	}
	return way;
}

/** The way from the hub to a key, its beginning left out where it is long. */
function wayFrom(key: string, before: ReadonlyMap<string, string>): string[] {
	const way = [key];
	for (let step = before.get(key); step !== undefined; step = before.get(step)) {
		if (way.length === shownAtEnds) return ["…", ...way.reverse()];
		way.push(step);
	}
	return way.reverse();
}
