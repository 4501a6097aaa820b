// The way of a run through its states that goes well: each state's first target that leads on. Pure.
import { HUMAN_INTERVENTION, type Template } from "../template/index.ts";

/** Names from the first state to the end, through `state`. A part that does not exist is left out. */
export function wayThrough(plan: Template, state: string): readonly string[] {
	const main = wayOn(plan, [plan.initial]);
	if (main.includes(state)) return main;
	return wayOn(plan, shortestWay(plan, state));
}

/** `way`, continued to the end: `failed` only if there is no other. */
function wayOn(plan: Template, way: readonly string[]): readonly string[] {
	const isEnd = (name: string) => plan.states.get(name)?.terminal ?? true;
	return firstWay(plan, way, (name) => isEnd(name) && name !== "failed") ?? firstWay(plan, way, isEnd) ?? way;
}

/** The first way, by the order of targets, that goes from the end of `way` to a state that `isFound`, and to no state twice. */
function firstWay(
	plan: Template,
	way: readonly string[],
	isFound: (name: string) => boolean,
): readonly string[] | undefined {
	const seen = new Set(way);
	const open: (readonly string[])[] = [way];
	for (let next = open.pop(); next; next = open.pop()) {
		const last = next.at(-1) ?? "";
		if (isFound(last)) return next;
		seen.add(last);
		const from = next;
		open.push(
			...targetsOf(plan, last)
				.filter((name) => !seen.has(name))
				.map((name) => [...from, name])
				.reverse(),
		);
	}
	return undefined;
}

function shortestWay(plan: Template, state: string): readonly string[] {
	const seen = new Set([plan.initial]);
	const ways: (readonly string[])[] = [[plan.initial]];
	for (const way of ways) {
		if (way.at(-1) === state) return way;
		for (const name of targetsOf(plan, way.at(-1) ?? "")) {
			if (seen.has(name)) continue;
			seen.add(name);
			ways.push([...way, name]);
		}
	}
	return [state];
}

function targetsOf(plan: Template, state: string): readonly string[] {
	return (plan.states.get(state)?.next ?? []).filter((name) => name !== HUMAN_INTERVENTION);
}
