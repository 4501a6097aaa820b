// The order of tasks that need each other: which task needs which, and why there is no such order. Pure.
import { nearest, quoted } from "../definition/index.ts";

/** A task, and the ids of the tasks that it needs. */
export interface NeedingTask {
	/** `undefined`: no other task can need it. */
	readonly id: string | undefined;
	readonly needs: readonly string[];
}

/** Why a task cannot have its place in the order: a sentence without its end. */
interface NeedsProblem {
	/** Index of the task, from 0. */
	readonly at: number;
	readonly message: string;
}

interface NeedsRead {
	/** The indexes, from 0, of the tasks that each task needs, in order and without repetition. */
	readonly needs: readonly (readonly number[])[];
	/** Ids that two tasks have, ids that no task has, and circles. */
	readonly problems: readonly NeedsProblem[];
}

/** Resolves the ids in `needs`. `nounOf`: what messages call the task at an index: `entry 3`. */
export function readNeeds(tasks: readonly NeedingTask[], nounOf: (index: number) => string): NeedsRead {
	const places = new Map<string, number>();
	const problems: NeedsProblem[] = [];
	for (const [at, { id }] of tasks.entries()) {
		if (id === undefined) continue;
		const earlier = places.get(id);
		if (earlier === undefined) places.set(id, at);
		else problems.push({ at, message: `${nounOf(earlier)} and ${nounOf(at)} have the same id, ${quoted(id)}` });
	}
	const needs = tasks.map(({ needs: ids }, at) => {
		const found: number[] = [];
		for (const id of new Set(ids)) {
			const place = places.get(id);
			if (place !== undefined) found.push(place);
			else {
				const near = nearest(id, places.keys());
				const meant = near === undefined ? "" : ` (did you mean ${quoted(near)}?)`;
				problems.push({ at, message: `${nounOf(at)} needs ${quoted(id)}, which does not exist${meant}` });
			}
		}
		return found.sort((one, other) => one - other);
	});
	const circle = circleIn(needs);
	const [first = 0] = circle;
	if (circle.length > 0) {
		const nameOf = (at: number) => quoted(tasks[at]?.id ?? nounOf(at));
		const message =
			circle.length === 1
				? `${nameOf(first)} needs itself`
				: `${circleText(circle.map(nameOf))}: none of them can begin`;
		problems.push({ at: first, message });
	}
	return { needs, problems };
}

function circleText(names: readonly string[]): string {
	return names.map((name, at) => `${name} needs ${names[(at + 1) % names.length]}`).join(", ");
}

/** The tasks of a circle, each needing the next and the last the first; empty if there is none. */
function circleIn(needs: readonly (readonly number[])[]): readonly number[] {
	const free = new Set<number>();
	const missing = needs.map((needed) => needed.length);
	const users = usersOf(needs);
	const open = needs.flatMap((needed, at) => (needed.length === 0 ? [at] : []));
	for (let at = open.pop(); at !== undefined; at = open.pop()) {
		free.add(at);
		for (const user of users[at] ?? []) if (--(missing[user] as number) === 0) open.push(user);
	}
	const path: number[] = [];
	let at = needs.findIndex((_, index) => !free.has(index));
	// Each task that is not free needs another one that is not, so the walk comes back to where it has been.
	while (at >= 0 && !path.includes(at)) {
		path.push(at);
		at = needs[at]?.find((needed) => !free.has(needed)) ?? -1;
	}
	return at < 0 ? [] : path.slice(path.indexOf(at));
}

/** The indexes of the tasks that need each task. */
export function usersOf(needs: readonly (readonly number[])[]): readonly (readonly number[])[] {
	const users: number[][] = needs.map(() => []);
	for (const [at, needed] of needs.entries()) for (const one of needed) users[one]?.push(at);
	return users;
}
