// Commands of the user turned into events for the current run: when they apply, and the reason when they don't.

import { type ApprovalQuestion, decide, isRefusal } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { crash, definition, go, open, rest, start, type TestRun } from "../../../../core/test/machine/test-run.ts";
import { answerEvent } from "../../../src/local/supervisor/index.ts";
import { parseArguments } from "../../../src/ui/commands/arguments.ts";
import type { RunCommand } from "../../../src/ui/commands/run-command.ts";
import { type Steering, steerings } from "../../../src/ui/commands/steering.ts";
import { optionsIn } from "../../../src/ui/option-usage.ts";

const template = (approval = false) =>
	definition(
		{
			planning: { persona: "A", next: ["coding"], requires_approval: approval },
			coding: { persona: "B", next: ["done", "planning"] },
		},
		{ limits: { pair_moves: 1, tokens: 1000 } },
	);
const atWork = () => start(open(template()));
const asking = () => go(start(open(template(true))), "coding");
const paused = () => rest(atWork().say({ kind: "pause_requested", cause: "person", detail: "Paused." }));
const circle = () => go(start(go(atWork(), "coding")), "planning");
const over = () => rest(atWork().say({ kind: "abort_requested" }));

/** The events of the command line `line`, such as `resume --cost 5 go on`, for a run. */
async function wordOf(testRun: TestRun, line: string): Promise<RunCommand> {
	const [name = "", ...words] = line.split(/\s/).filter(Boolean);
	const steering = steerings.find((one) => one.name === name) as Steering;
	const parsed = parseArguments(words, { options: optionsIn(steering.options), textAfter: 0 });
	if ("error" in parsed) throw new Error(parsed.error);
	const made = steering.make(parsed);
	if ("code" in made) return { kind: "refused", message: made.message };
	const ledger = {
		run: testRun.run,
		events: async function* () {
			yield* testRun.events;
		},
	} as unknown as ReadLedger;
	// As written, from the first word on.
	const at = line.indexOf(parsed.text[0] ?? "", name.length);
	return made(ledger, parsed.text.length === 0 ? "" : line.slice(at));
}

/** The events of a word are taken by the machine as they are. */
async function say(testRun: TestRun, line: string): Promise<TestRun> {
	const word = await wordOf(testRun, line);
	if (word.kind !== "events") throw new Error(`${line}: ${JSON.stringify(word)}`);
	for (const event of word.events) {
		testRun.say(event);
		expect(testRun.refusal, event.kind).toBe("");
	}
	return testRun;
}

/** What the machine says to the events of a word that comes when the run is elsewhere. */
function replies(testRun: TestRun, word: RunCommand, question?: ApprovalQuestion): string[] {
	const events =
		word.kind === "events"
			? word.events
			: word.kind === "answer" && question
				? [answerEvent(question, word.approval)].filter((event) => event !== undefined)
				: [];
	return events.map((event) => {
		const batch = decide(testRun.run, event, testRun.run.updatedAt);
		return isRefusal(batch) ? batch.message : "taken";
	});
}

describe("a command for an earlier visit", () => {
	const elsewhere = "This was decided in an earlier visit (visit 1); the run is in visit 2";
	it.each(["approve", "reject no", "release planning"])(
		"%s applies to its own question and to no later one",
		async (line) => {
			const testRun = asking();
			const word = await wordOf(testRun, line);
			const { stage } = testRun.run;
			const question = stage.kind === "asking" ? stage.question : undefined;
			testRun.say({ kind: "approved", answers: question?.seq ?? 0, diff: question?.diff ?? "" });
			expect(replies(testRun, word, question)).toEqual([expect.stringContaining(elsewhere)]);
		},
	);
	it.each(["resume", "resume mind it", "release coding", "tell mind it", "rewind 1"])("%s", async (line) => {
		const testRun = paused();
		const word = await wordOf(testRun, line);
		// Another user sends it on, and it waits again in the next visit.
		const { stage } = testRun.run;
		testRun.say({ kind: "released", answers: stage.kind === "waiting" ? stage.since : 0, to: "coding" });
		const last = replies(testRun, word).at(-1);
		expect(last).toContain(elsewhere);
		rest(start(testRun).say({ kind: "pause_requested", cause: "person", detail: "Again." }));
		expect(replies(testRun, word).at(-1)).toContain(elsewhere);
	});
	it("tell applies to the attempt that was current", async () => {
		const testRun = atWork();
		const word = await wordOf(testRun, "tell mind it");
		expect(replies(testRun, word)).toEqual(["taken"]);
		start(rest(crash(testRun)));
		expect(replies(testRun, word)).toEqual([expect.stringContaining("in an earlier attempt (1.1)")]);
	});
	it("an answer may name its visit", async () => {
		for (const line of ["approve --visit 2", "reject --visit 2 no", "tell --visit 2 x", "release --visit 2 coding"])
			expect(await wordOf(asking(), line)).toMatchObject({
				kind: "refused",
				message: expect.stringContaining("This was decided in an earlier visit"),
			});
		expect(await wordOf(asking(), "approve --visit 1")).toMatchObject({ kind: "answer" });
		expect(await wordOf(asking(), "approve --visit x")).toMatchObject({ kind: "refused" });
	});
	it("a command after another user's answer or after the end is refused with that reason", async () => {
		const testRun = paused();
		const word = await wordOf(testRun, "resume");
		await say(testRun, "resume");
		expect(replies(testRun, word)).toEqual(['This was already answered; the run continues in "planning".']);
		await say(testRun, "abort");
		rest(testRun);
		expect(replies(testRun, word)).toEqual(["The run is over (aborted) and waits for no answer."]);
	});
	it.each(["approve", "reject", "tell", "resume", "release coding", "abort", "reopen coding"])(
		"a message above the limit is refused, not cut: %s",
		async (verb) => {
			const word = await wordOf(asking(), `${verb} ${"x".repeat(100_100)}`);
			expect(word).toMatchObject({ kind: "refused", message: expect.stringContaining("at most 8000 characters") });
		},
	);
});

describe("a command that applies", () => {
	it("resume raises ceilings and sends a message to the worker in one command", async () => {
		const testRun = await say(paused(), "resume --cost $5 --tokens 2,000,000 --minutes 90 --moves 7 mind the gap");
		expect(testRun.run).toMatchObject({
			status: "running",
			limits: { run: { costUsd: 5, tokens: 2_000_000, activeMs: 5_400_000, moves: 7 } },
			outbox: [{ text: "mind the gap" }],
		});
		const state = await say(paused(), "resume --state coding --cost 1.5");
		expect(state.run.limits.states).toEqual({ coding: { costUsd: 1.5 } });
	});
	it("resume of a run that was only interrupted adds no event; a run with a question asks it again", async () => {
		expect(await wordOf(atWork(), "resume")).toEqual({ kind: "nothing" });
		expect(await wordOf(asking(), "resume")).toEqual({ kind: "nothing" });
		expect((await say(atWork(), "resume --tokens 5000")).run.limits.run).toEqual({ tokens: 5000 });
	});
	it("answers name the current question, even if its supervisor died while asking", async () => {
		const testRun = asking();
		const { seq } = testRun.run.stage.kind === "asking" ? testRun.run.stage.question : { seq: 0 };
		expect(await wordOf(testRun, "approve use tabs")).toEqual({
			kind: "answer",
			question: expect.objectContaining({ seq, visit: 1, target: "coding" }),
			approval: { kind: "approved", words: "use tabs" },
		});
		expect(await wordOf(testRun, "reject no")).toMatchObject({ approval: { kind: "rejected", words: "no" } });
		expect(await wordOf(testRun, "release done never mind")).toMatchObject({
			kind: "answer",
			approval: { kind: "sent", to: "done", words: "never mind" },
		});
		testRun.say({ kind: "opened", host: "h", pid: 2, started: "t" });
		expect(await wordOf(testRun, "approve")).toMatchObject({ kind: "answer", question: { seq } });
	});
	it("release takes the refused move, another state in any spelling, or done", async () => {
		expect((await say(circle(), "release")).run).toMatchObject({ state: "planning", pairMoves: {} });
		expect((await say(circle(), "release Coding")).run.state).toBe("coding");
		expect((await say(circle(), "release --done")).run.status).toBe("done");
		expect((await say(paused(), "release coding")).run.state).toBe("coding");
	});
	it.each([
		["n", "n"],
		["N", "N"],
		["3", "10"],
		["10", "10"],
		["YES", "yes"],
		["MAYBE", "MAYBE"],
		["maybe", "maybe"],
	])("answer %s is the choice %s", async (written, words) => {
		const asked = { visit: 1, attempt: 1, title: "?", text: "?", call: "q" };
		const choices = ["n", "N", "10", "yes", "maybe", "Maybe"];
		const testRun = atWork().say({ kind: "ask_opened", ...asked, choices });
		expect(await wordOf(testRun, `answer ${written}`)).toMatchObject({ events: [{ words }] });
	});
	it.each([
		["release coding do this:\n\n  - first", { to: "coding", words: "do this:\n\n  - first" }],
		["release use\n\tport 9", { kind: "released", words: "use\n\tport 9" }],
		["release --done all\n good", { done: true, words: "all\n good" }],
	])("release keeps words as they are written: %j", async (line, event) => {
		expect(await wordOf(circle(), line)).toMatchObject({ events: [event] });
		expect(await wordOf(circle(), "release codign do this")).toMatchObject({ kind: "refused" });
		expect(await wordOf(paused(), "release use port 9")).toMatchObject({ kind: "refused" });
	});
	it("reopen keeps words as they are written", async () => {
		const line = "reopen Coding do this:\n\n  - first";
		expect(await wordOf(over(), line)).toMatchObject({ events: [{ to: "coding", words: "do this:\n\n  - first" }] });
	});
	it("tell, pause, abort, reopen and rewind become their events", async () => {
		expect((await say(atWork(), "tell hello there")).run.outbox).toMatchObject([{ text: "hello there" }]);
		expect((await say(atWork(), "pause")).run.stage).toMatchObject({ kind: "stopping", how: "boundary" });
		expect((await say(atWork(), "abort no use")).run.stage).toMatchObject({
			after: { kind: "finish", detail: "no use" },
		});
		expect((await say(over(), "reopen coding")).run.state).toBe("coding");
		const second = start(go(atWork(), "coding"));
		expect((await say(second, "rewind 1")).run.stage).toMatchObject({
			after: { kind: "rewind", rewind: { to: 1, state: "planning" } },
		});
	});
});

describe("a command that does not apply gives its reason", () => {
	it.each([
		["approve", atWork, "Nothing to approve"],
		["reject no", paused, "Nothing to approve"],
		["reject", asking, "Tell the worker why"],
		["tell", atWork, "Write the message"],
		["tell x", over, "is over"],
		["resume", circle, "release"],
		["resume --cost 5", circle, "events"],
		["resume", over, "reopen"],
		["resume --tokens 0", paused, "above 0"],
		["resume --tokens x", paused, 'not "x"'],
		["resume --state coding", paused, "needs a limit"],
		["resume --state nowhere --cost 1", paused, "(no|not a) state"],
		["release", atWork, "is not waiting for you"],
		["release", paused, "name the state"],
		["release", asking, "approve or reject"],
		["release codign", circle, "Did you mean `coding`?"],
		["release human_intervention", circle, "not a state"],
		["reopen coding", paused, "Only a finished run"],
		["reopen", over, "Name a state"],
		["reopen nowhere", over, "not a state"],
		["rewind", paused, "Name a visit"],
		["rewind 9", paused, "has 1 visit"],
		["rewind 0", paused, "has 1 visit"],
		["rewind 3", circle, "nothing to restore|had not begun"],
		["pause", paused, "already waiting"],
		["abort", over, "is over"],
	])("%s", async (line, make, why) => {
		const word = await wordOf(make(), line);
		if (why === "events") expect(word.kind).toBe("events");
		else expect(word).toEqual({ kind: "refused", message: expect.stringMatching(new RegExp(why.replace("?", "\\?"))) });
	});
});
