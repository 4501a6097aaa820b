// What a person says, made from the run as it stands: what applies where, and why not elsewhere.
import { describe, expect, it } from "vitest";
import { parseArguments, type Steering, steerings, type Word } from "../../../src/chronicle/steering/index.ts";
import type { ReadLedger } from "../../../src/chronicle/supervisor/index.ts";
import { definition, go, open, rest, start, type Theatre } from "../machine/theatre.ts";

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

/** The word that `line`, such as `resume --cost 5 go on`, makes in a run. */
async function wordOf(theatre: Theatre, line: string): Promise<Word> {
	const [name = "", ...words] = line.split(" ").filter(Boolean);
	const steering = steerings.find((one) => one.name === name) as Steering;
	const parsed = parseArguments(words, { options: { ...steering.options }, textAfter: 0 });
	if ("error" in parsed) throw new Error(parsed.error);
	const made = steering.make(parsed);
	if ("code" in made) return { kind: "refused", message: made.message };
	const ledger = {
		run: theatre.run,
		events: async function* () {
			yield* theatre.events;
		},
	} as unknown as ReadLedger;
	return made(ledger, parsed.text.join(" "));
}

/** The events of a word are taken by the machine as they are. */
async function say(theatre: Theatre, line: string): Promise<Theatre> {
	const word = await wordOf(theatre, line);
	if (word.kind !== "events") throw new Error(`${line}: ${JSON.stringify(word)}`);
	for (const event of word.events) {
		theatre.say(event);
		expect(theatre.refusal, event.kind).toBe("");
	}
	return theatre;
}

describe("words that apply", () => {
	it("resume raises ceilings in the same breath, and gives words to the worker", async () => {
		const theatre = await say(paused(), "resume --cost $5 --tokens 2,000,000 --minutes 90 --moves 7 mind the gap");
		expect(theatre.run).toMatchObject({
			status: "running",
			limits: { run: { costUsd: 5, tokens: 2_000_000, activeMs: 5_400_000, moves: 7 } },
			outbox: [{ text: "mind the gap" }],
		});
		const state = await say(paused(), "resume --state coding --cost 1.5");
		expect(state.run.limits.states).toEqual({ coding: { costUsd: 1.5 } });
	});
	it("resume of a run that was only interrupted has nothing to say; one that asks is asked again", async () => {
		expect(await wordOf(atWork(), "resume")).toEqual({ kind: "nothing" });
		expect(await wordOf(asking(), "resume")).toEqual({ kind: "nothing" });
		expect((await say(atWork(), "resume --tokens 5000")).run.limits.run).toEqual({ tokens: 5000 });
	});
	it("answers name the question that was seen, also where its supervisor died while it asked", async () => {
		const theatre = asking();
		const { seq } = theatre.run.stage.kind === "asking" ? theatre.run.stage.question : { seq: 0 };
		expect(await wordOf(theatre, "approve use tabs")).toEqual({
			kind: "answer",
			question: seq,
			approval: { kind: "approved", words: "use tabs" },
		});
		expect(await wordOf(theatre, "reject no")).toMatchObject({ approval: { kind: "rejected", words: "no" } });
		expect(await wordOf(theatre, "release done never mind")).toMatchObject({
			kind: "answer",
			approval: { kind: "sent", to: "done", words: "never mind" },
		});
		theatre.say({ kind: "opened", host: "h", pid: 2, started: "t" });
		expect(await wordOf(theatre, "approve")).toMatchObject({ kind: "answer", question: seq });
	});
	it("release: the refused move, another state in any spelling, or done", async () => {
		expect((await say(circle(), "release")).run).toMatchObject({ state: "planning", pairMoves: {} });
		expect((await say(circle(), "release Coding")).run.state).toBe("coding");
		expect((await say(circle(), "release --done")).run.status).toBe("done");
		expect((await say(paused(), "release coding")).run.state).toBe("coding");
	});
	it("tell, pause, abort, reopen, rewind", async () => {
		expect((await say(atWork(), "tell hello there")).run.outbox).toMatchObject([{ text: "hello there" }]);
		expect((await say(atWork(), "pause")).run.stage).toMatchObject({ kind: "leaving", how: "boundary" });
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

describe("words that do not apply say why", () => {
	it.each([
		["approve", atWork, "nothing to approve"],
		["reject no", paused, "nothing to approve"],
		["reject", asking, "Say why"],
		["tell", atWork, "Say what"],
		["tell x", over, "is over"],
		["resume", circle, "release"],
		["resume --cost 5", circle, "events"],
		["resume", over, "reopen"],
		["resume --tokens 0", paused, "above 0"],
		["resume --tokens x", paused, 'not "x"'],
		["resume --state coding", paused, "goes with a new ceiling"],
		["resume --state nowhere --cost 1", paused, "no state"],
		["release", atWork, "at work"],
		["release", paused, "name the state"],
		["release", asking, "approve or reject"],
		["release codign", circle, "Did you mean `coding`?"],
		["release human_intervention", circle, "no state"],
		["reopen coding", paused, "Only a run that is over"],
		["reopen", over, "Name a state"],
		["reopen nowhere", over, "no state"],
		["rewind", paused, "Name a visit"],
		["rewind 9", paused, "has 1 visit"],
		["rewind 0", paused, "has 1 visit"],
		["rewind 3", circle, "nothing began there|had not begun"],
		["pause", paused, "waits already"],
		["abort", over, "is over"],
	])("%s", async (line, make, why) => {
		const word = await wordOf(make(), line);
		if (why === "events") expect(word.kind).toBe("events");
		else expect(word).toEqual({ kind: "refused", message: expect.stringMatching(new RegExp(why.replace("?", "\\?"))) });
	});
});
