// The way that a rehearsal takes through a chronicle: through every state that can be reached, then to an end. Pure.
// R1 every step is one that the template allows; R2 the template's limits on moves hold, so that they do not stop the rehearsal; states that
// cannot be reached under them are left out.

/** What of a template the way depends on. */
export interface Terrain {
	readonly initial: string;
	/** What may follow each state; nothing where the run ends. */
	readonly next: ReadonlyMap<string, readonly string[]>;
	readonly mostMoves: number;
	/** Most moves between two states, whichever the direction. */
	mostBetween(one: string, other: string): number;
}

/** States in the order of the way, from the initial one to an end if there is one that can be reached. */
export function planRoute(terrain: Terrain): string[] {
	const route = [terrain.initial];
	const unseen = new Set(terrain.next.keys());
	unseen.delete(terrain.initial);
	const isEnd = (state: string): boolean => (terrain.next.get(state) ?? []).length === 0;
	for (;;) {
		const toEnd = wayFrom(terrain, route, isEnd);
		// Towards something new, as long as that does not put an end out of reach.
		const isNew = (state: string, way: readonly string[]): boolean =>
			unseen.has(state) &&
			!isEnd(state) &&
			(toEnd === undefined || wayFrom(terrain, [...route, ...way], isEnd) !== undefined);
		const way = wayFrom(terrain, route, isNew) ?? toEnd ?? [];
		route.push(...way);
		for (const state of way) unseen.delete(state);
		if (way.length === 0 || isEnd(route.at(-1) ?? "")) return route;
	}
}

/** The state that follows the `visit`-th (1-based) occurrence of `state` on the route; `undefined` where the route has none. */
export function nextOnRoute(route: readonly string[], state: string, visit: number): string | undefined {
	let seen = 0;
	for (const [index, name] of route.entries()) {
		if (name === state && ++seen === visit) return route[index + 1];
	}
	return undefined;
}

/** The shortest way from the end of `route` to a state that `wanted` accepts, within the limits; without the state it starts from. */
function wayFrom(
	terrain: Terrain,
	route: readonly string[],
	wanted: (state: string, way: readonly string[]) => boolean,
): string[] | undefined {
	const start = route.at(-1) ?? terrain.initial;
	if (wanted(start, [])) return [];
	let edge: string[][] = [[]];
	const reached = new Set([start]);
	while (edge.length > 0) {
		const further: string[][] = [];
		for (const way of edge) {
			const here = way.at(-1) ?? start;
			for (const target of terrain.next.get(here) ?? []) {
				const longer = [...way, target];
				if (reached.has(target) || !isWithinLimits(terrain, [...route, ...longer])) continue;
				if (wanted(target, longer)) return longer;
				reached.add(target);
				further.push(longer);
			}
		}
		edge = further;
	}
	return undefined;
}

function isWithinLimits({ mostMoves, mostBetween, next }: Terrain, way: readonly string[]): boolean {
	const moves = new Map<string, number>();
	for (let at = 1; at < way.length; at++) {
		const [from = "", to = ""] = [way[at - 1], way[at]];
		// A move to an end is refused by no limit.
		if ((next.get(to) ?? []).length === 0) continue;
		if (at > mostMoves) return false;
		const pair = from < to ? `${from}\n${to}` : `${to}\n${from}`;
		const made = (moves.get(pair) ?? 0) + 1;
		if (made > mostBetween(from, to)) return false;
		moves.set(pair, made);
	}
	return true;
}
