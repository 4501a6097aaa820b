// Compares the kinds of work by purpose and cost: the start of `/chronicle help`, and a page of the documentation.

interface Way {
	readonly name: string;
	readonly suits: string;
	readonly costs: string;
}

/** Cheapest first. */
export const ways: readonly Way[] = [
	{ name: "prompt", suits: "one thing that you review right away", costs: "one turn" },
	{ name: "skill", suits: "knowledge that is needed occasionally", costs: "its text, each time it is read" },
	{ name: "sequence", suits: "the same prompts, again and again", costs: "each prompt, in a fresh session" },
	{
		name: "workflow",
		suits: "ordered phases and tool limits, while you watch",
		costs: "one context that grows from phase to phase",
	},
	{
		name: "chronicle",
		suits: "hours of work, several roles, approvals",
		costs: "a fresh context for each state",
	},
	{ name: "children", suits: "independent parts", costs: "the sum of all, in the time of the slowest" },
];

/** One screen of 80 × 24. */
export function whichLines(): string[] {
	const width = Math.max(...ways.map(({ name }) => name.length));
	return [
		"Which one to use, cheapest first:",
		...ways.flatMap(({ name, suits, costs }) => [
			`  ${name.padEnd(width)}  ${suits}`,
			`  ${"".padEnd(width)}  costs ${costs}`,
		]),
	];
}
