// A run of 2,000 visits, as the run view reads it.

import { definition, go, open, start } from "../../../../core/test/machine/test-run.ts";
import type { ViewSource } from "../../../src/ui/screen/view-source.ts";
import { fiveStates } from "../runs.ts";

/** Each page's key with words that it has once it is drawn. */
export const pagesOfManyVisits = [
	["1", "check →"],
	["2", "No conversation yet."],
	["3", "No changes."],
	["4", "Nothing is known yet."],
	["5", "The worker started"],
] as const;

export function openManyVisits(): ViewSource {
	const limits = { moves: 10_000, pair_moves: 10_000, minutes: 100_000, tokens: 90_000_000 };
	const play = open(definition(fiveStates, { limits }));
	go(start(play), "build");
	for (let index = 0; index < 1000; index += 1) {
		go(start(play), "check", "words ".repeat(40));
		go(start(play), "build", "words ".repeat(40));
	}
	start(play);
	return {
		run: () => play.run,
		watch: () => () => {},
		async *events(after) {
			for (const event of play.events) if (event.seq > after) yield event;
		},
		diff: async () => ({ kind: "none", reason: "No changes." }),
		outputs: () => [],
		transcript: () => undefined,
		child: async () => undefined,
	};
}
