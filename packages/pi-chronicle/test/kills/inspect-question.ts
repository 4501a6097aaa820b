// What must hold of the question of the sample run, whatever is killed.
import { deepEqual, equal, ok } from "node:assert/strict";
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import type { ModelRequest } from "../harness/model-request.ts";
import { stateOf, userAnswer } from "./sample-run.ts";

/**
 * The question was asked once and answered once, and from then on the model had the answer once in every request: as the result of its call, or,
 * where the conversation was lost with its host, in the first message.
 */
export function inspectQuestion(events: readonly LedgerEvent[], requests: readonly ModelRequest[]): void {
	const asked = events.flatMap((event) => (event.kind === "ask_opened" ? [event] : []));
	const answered = events.flatMap((event) => (event.kind === "ask_answered" ? [event] : []));
	deepEqual(
		answered.map(({ answers, words }) => ({ answers, words })),
		asked.map(({ seq }) => ({ answers: seq, words: userAnswer })),
	);
	equal(asked.length, 1);
	const call = asked[0]?.call ?? "";
	const seen = requests
		.filter((request) => stateOf(request) === "checking")
		.map(({ results, users }) => {
			const told = users.filter((text) => text.includes(userAnswer)).length;
			return told + results.filter(({ id, text }) => id === call && text.includes(userAnswer)).length;
		});
	const first = seen.indexOf(1);
	ok(first !== -1, "The model never read the answer.");
	deepEqual(new Set(seen.slice(first)), new Set([1]));
}
