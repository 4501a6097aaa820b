// A run with two children in a repository of 25,000 files: how long it takes to begin, and in all.
import { equal } from "node:assert/strict";
import { playIn } from "../packages/pi-chronicle/test/real/play.ts";
import { large } from "../packages/pi-chronicle/test/real/repositories.ts";
import { type Figures, median } from "./figure.ts";

const files = 25_000;
const rounds = 3;

export async function bench(): Promise<Figures> {
	const plays = [];
	for (let round = 0; round < rounds; round += 1) {
		const { before, during, after, ...times } = await playIn(large(files));
		// The project's own check is as without a run until the children are joined.
		equal(during, before);
		equal(after, before.replaceAll("one", "two"));
		plays.push(times);
	}
	const count = files.toLocaleString("en-US");
	return {
		name: "large-repository",
		rows: [
			{
				figure: `${count} files: from the command to the first request of a child`,
				value: median(plays.map(({ firstMs }) => firstMs)),
				unit: "ms",
			},
			{
				figure: `${count} files: the run, from the command to its exit`,
				value: median(plays.map(({ runMs }) => runMs)),
				unit: "ms",
			},
		],
		how: "Two children with folders of their own, five calls in all, on a scripted server; medians of 3.",
	};
}
