// Runs whose reports are hard to lay out: many states, many visits, unbreakable words.

import { ask, definition, go, open, start } from "../../../../core/test/machine/test-run.ts";
import type { Conversation } from "../../../src/ui/report/conversation.ts";
import { fiveStates } from "../runs.ts";
import { restWith, used } from "./ledgers.ts";

/** What the first worker of the day of work said and did. */
export const dayTalk: Conversation = {
	hidden: 4,
	project: "/p",
	first: [
		{ who: "user", parts: [{ kind: "text", text: "Plan the export." }] },
		{
			who: "worker",
			parts: [
				{
					...{ kind: "call", tool: "bash", words: "npm test", written: [] },
					result: { tool: "bash", text: "2 failed", isError: true },
				},
			],
		},
		{ who: "worker", parts: [{ kind: "text", text: "The totals are rounded twice." }] },
	],
	last: [
		{
			who: "worker",
			parts: [
				{ kind: "text", text: "Here is the plan." },
				{ ...{ kind: "call", tool: "write", words: "plan.md", written: [] }, result: undefined },
			],
		},
	],
};

/** One way through sixty states. */
export function sixtyStates() {
	const name = (index: number) => `state-${index}`;
	const states = Object.fromEntries(
		Array.from({ length: 60 }, (_, index) => [name(index), { persona: "P", next: [name(index + 1)] }]),
	);
	const play = open(definition({ ...states, [name(60)]: {} }, { limits: { moves: 999, minutes: 100_000 } }));
	for (let index = 0; index < 60; index += 1) go(start(play).wait(30_000), name(index + 1), `Left ${index}.`);
	return play.events;
}

/** 2,000 visits. */
export function manyVisits() {
	const play = open(
		definition(fiveStates, { limits: { moves: 10_000, pair_moves: 10_000, minutes: 100_000, tokens: 90_000_000 } }),
	);
	go(start(play), "build", "words ".repeat(60));
	for (let index = 0; index < 1000; index += 1) {
		used(start(play), 500, 0.001);
		go(play.wait(20_000), "check", "words ".repeat(60));
		go(start(play).wait(20_000), "build", "words ".repeat(60));
	}
	return play.events;
}

/** 104 visits of 25 states, some of them days apart. */
export function longRun() {
	const name = (index: number) => `state-${index % 25}`;
	const states = Object.fromEntries(
		Array.from({ length: 25 }, (_, index) => [name(index), { persona: "P", next: [name(index + 1), "done"] }]),
	);
	const play = open(
		definition(
			{ ...states, done: {} },
			{ limits: { moves: 1000, pair_moves: 1000, tokens: 90_000_000, minutes: 100_000 } },
		),
	);
	for (let index = 0; index < 104; index += 1) {
		start(play);
		used(play.wait(1000 * ((index * 37) % 900)), 1000 * ((index * 13) % 700), 0.01 * (index % 9));
		go(play.wait(60_000), index === 103 ? "done" : name(index + 1), `Visit ${index} is over.`);
		if (index % 40 === 7) play.wait(20 * 3_600_000);
	}
	return play.events;
}

/** Names and texts without a place to break, and from other scripts. */
export function wideWords() {
	const names = [
		"W".repeat(48),
		"最終的な検証と文書化のための非常に長い状態の名前をここに書く",
		"التحقق_من_النتائج_النهائية",
		"done",
	];
	const [first = "", second = "", third = ""] = names;
	const play = open(
		definition({
			[first]: { persona: "P", next: [second], requires_approval: true },
			[second]: { persona: "P", next: [third] },
			[third]: { persona: "P", next: ["done"] },
			done: {},
		}),
		{ task: `${"task".repeat(200)} and more` },
	);
	start(play);
	ask(play.wait(50_000), second, "Summary".repeat(90));
	restWith(play, [
		{ path: `${"folder/".repeat(30)}${"name".repeat(40)}.ts`, change: "M", added: 12_345, removed: 6789 },
	]);
	play.say({
		kind: "rejected",
		answers: play.run.stage.kind === "asking" ? play.run.stage.question.seq : 0,
		words: "no".repeat(400),
	});
	start(play);
	play.say({
		kind: "snapshot_updated",
		visit: 1,
		attempt: 2,
		by: "worker",
		data: { findings: [{ key: "k".repeat(80), text: "f".repeat(700) }] },
	});
	return play.events;
}
