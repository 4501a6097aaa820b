// The way of a run through its states: the shortest from the first state to the end that passes a given state. Pure.
import { HUMAN_INTERVENTION, type Template } from "../template/index.ts";

/** Names from the first state to the end, through `state`. A part that does not exist is left out. */
export function wayThrough(plan: Template, state: string): readonly string[] {
	const to = shortest(plan, plan.initial, (name) => name === state) ?? [state];
	const isEnd = (name: string) => name !== "failed" && (plan.states.get(name)?.terminal ?? true);
	const from = shortest(plan, state, isEnd) ?? shortest(plan, state, (name) => plan.states.get(name)?.terminal ?? true);
	return [...to, ...(from ?? [state]).slice(1)];
}

function shortest(plan: Template, from: string, isFound: (name: string) => boolean): readonly string[] | undefined {
	const seen = new Set([from]);
	let ways: (readonly string[])[] = [[from]];
	while (ways.length > 0) {
		const found = ways.find((way) => isFound(way.at(-1) ?? ""));
		if (found) return found;
		ways = ways.flatMap((way) => {
			const next = plan.states.get(way.at(-1) ?? "")?.next ?? [];
			const fresh = next.filter((name) => name !== HUMAN_INTERVENTION && !seen.has(name));
			for (const name of fresh) seen.add(name);
			return fresh.map((name) => [...way, name]);
		});
	}
	return undefined;
}
