// What a run has come to: the summaries that its end hands on.
import { describe, expect, it } from "vitest";
import { addSummary, closingSummaries, EMPTY_SNAPSHOT, summariesText } from "../../src/snapshot/index.ts";

type Saved = Parameters<typeof addSummary>[2];

const worker = (visit: number): Saved => ({ visit, state: "work" });
const command = (visit: number): Saved => ({ visit, state: "test", command: true });
const child = (visit: number, name: string): Saved => ({ visit, state: "parts", child: name });

const rows: readonly [string, readonly (readonly [string, Saved])[], string][] = [
	["nothing", [], ""],
	[
		"a worker",
		[
			["Older.", worker(1)],
			["Built.", worker(2)],
		],
		"Built.",
	],
	[
		"a command after a worker",
		[
			["Built.", worker(1)],
			["It passes.", command(2)],
		],
		"Built.\nIt passes.",
	],
	[
		"commands after a worker that tried twice",
		[
			["Built.", worker(1)],
			["It fails.", command(2)],
			["Mended.", worker(3)],
			["It passes.", command(4)],
			["It lints.", command(5)],
		],
		"Mended.\nIt passes.\nIt lints.",
	],
	[
		"only commands",
		[
			["It passes.", command(1)],
			["It lints.", command(2)],
		],
		"It passes.\nIt lints.",
	],
	[
		"children",
		[
			["Planned.", worker(1)],
			["A.", child(2, "a")],
			["B.", child(2, "b")],
		],
		"a: A.\nb: B.",
	],
	[
		"a command after children whose files a worker merged",
		[
			["A.", child(1, "a")],
			["B.", child(1, "b")],
			["Merged.", { visit: 1, state: "parts" }],
			["It passes.", command(2)],
		],
		"a: A.\nb: B.\nIt passes.",
	],
];

describe("what a run hands on at its end", () => {
	it.each(rows)("after %s", (_, saved, text) => {
		const { summaries } = saved.reduce((snapshot, [words, by]) => addSummary(snapshot, words, by), EMPTY_SNAPSHOT);
		expect(summariesText(closingSummaries(summaries))).toBe(text);
	});
});
