// What the shape of a template's states says: which can never be reached, and from which no end can be.
import type { StatePlan } from "./template.ts";

type States = ReadonlyMap<string, Pick<StatePlan, "next" | "terminal">>;

/** States that no way from `initial` leads to, in order. */
export function unreachable(states: States, initial: string): string[] {
	const seen = new Set([initial]);
	const open = [initial];
	for (let name = open.pop(); name !== undefined; name = open.pop())
		for (const target of states.get(name)?.next ?? []) {
			if (seen.has(target)) continue;
			seen.add(target);
			open.push(target);
		}
	return [...states.keys()].filter((name) => !seen.has(name));
}

/** States from which no terminal state can be reached, in order. */
export function endless(states: States): string[] {
	const before = new Map<string, string[]>();
	for (const [name, { next }] of states)
		for (const target of next) before.set(target, [...(before.get(target) ?? []), name]);
	const ends = [...states].filter(([, { terminal }]) => terminal).map(([name]) => name);
	const good = new Set(ends);
	for (let name = ends.pop(); name !== undefined; name = ends.pop())
		for (const source of before.get(name) ?? []) {
			if (good.has(source)) continue;
			good.add(source);
			ends.push(source);
		}
	return [...states.keys()].filter((name) => !good.has(name));
}
