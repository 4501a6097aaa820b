// Which plain words ask for a run, and the one question that they lead to.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asksForRun, keptAnswer, listenForRuns } from "../../../src/tools/plan/plain-words.ts";
import { openFolder } from "../../harness/index.ts";

describe("a message", () => {
	it.each([
		"Run this as a chronicle",
		"do this as a run with a review",
		"Please start the feature chronicle for the --month option",
		"Kick off a supervised run for this",
		"use the month template for that",
		"Could you launch another run?",
		"Add a --month option. Use a chronicle for it.",
	])("asks for a run: %s", (text) => expect(asksForRun(text)).toBe(true));

	it.each([
		"Run the tests",
		"Do a dry run of the migration",
		"start a test run of CI",
		"In the long run this will break",
		"Why is the chronicle page slow?",
		"/chronicle feature Add a --month option",
		"! start a run",
		"In a run of three equal cards, use the first",
		"",
	])("does not ask for a run: %s", (text) => expect(asksForRun(text)).toBe(false));
});

/** A session that answers the question with `answer`, and what happened in it. */
function open(file: string, answer: string | undefined, { hasUI = true, decided = false } = {}) {
	let send: (event: object, ctx: object) => Promise<unknown> = async () => undefined;
	const seen = { questions: 0, follows: 0 };
	const select = async (_title: string, options: string[]) => {
		seen.questions += 1;
		return options.find((option) => option === answer);
	};
	const pi = { on: (_name: string, handler: typeof send) => (send = handler) };
	const proposals = {
		decided: () => decided || keptAnswer(file) !== undefined,
		follow: async () => {
			seen.follows += 1;
		},
	};
	listenForRuns(pi as never, proposals as never, file);
	const ctx = { hasUI, mode: "rpc", ui: { select, notify: () => {} } };
	const say = (text: string, source = "interactive") => send({ text, source }, ctx);
	return { seen, say };
}

describe("the question", () => {
	const asking = "Run this as a chronicle";
	const place = () => join(openFolder(), "chronicle", "proposals.json");

	it.each([
		["Yes, from now on", true, 1],
		["No, never", false, 0],
	])("is asked once, and its answer is kept for all sessions: %s", async (answer, on, follows) => {
		const file = place();
		const first = open(file, answer);
		await first.say("Run the tests");
		expect(first.seen.questions).toBe(0);
		expect(existsSync(file)).toBe(false);
		expect(await first.say(asking)).toBeUndefined();
		await first.say(asking);
		expect([first.seen, keptAnswer(file)]).toEqual([{ questions: 1, follows }, on]);
		const next = open(file, answer);
		await next.say(asking);
		expect(next.seen.questions).toBe(0);
	});

	it("that is put off keeps nothing, and is asked again in the next session only", async () => {
		const file = place();
		for (const answer of ["Not now", undefined]) {
			const session = open(file, answer);
			await session.say(asking);
			await session.say(asking);
			expect(session.seen).toEqual({ questions: 1, follows: 0 });
		}
		expect(existsSync(file)).toBe(false);
	});

	it("is not asked where it is decided, where nobody can answer, and of an extension", async () => {
		const file = place();
		const sessions = [
			open(file, "Yes, from now on", { decided: true }),
			open(file, "Yes, from now on", { hasUI: false }),
		];
		for (const { say } of sessions) await say(asking);
		const other = open(file, "Yes, from now on");
		await other.say(asking, "extension");
		expect([...sessions, other].map(({ seen }) => seen.questions)).toEqual([0, 0, 0]);
	});
});
