// The report's model of a ledger: totals, visits, waits, decisions of the user.

import type { LedgerEvent, UserEvent } from "@pi-chronicle/core/machine";
import { addSpend, NO_SPEND } from "@pi-chronicle/core/machine";
import { describe, expect, it } from "vitest";
import {
	ask,
	crash,
	definition,
	go,
	here,
	open,
	refold,
	reopen,
	rest,
	since,
	spend,
	start,
} from "../../../../core/test/machine/test-run.ts";
import { userAction } from "../../../src/ui/phrases/index.ts";
import { readReportModel } from "../../../src/ui/report/read-model.ts";
import { call, dayOfWork, foldedOnly, ledgerOf, used } from "./ledgers.ts";

const asIs = (text: string): string => text;
const tell = (events: readonly LedgerEvent[]) => readReportModel(ledgerOf(events), asIs);
const two = definition({
	plan: { persona: "P", next: ["build"] },
	build: { persona: "B", next: ["plan", "done"] },
	done: {},
});

describe("figures", () => {
	it("of states and of visits add up to the run's, after every event of a day", async () => {
		const { events } = dayOfWork();
		for (let length = 1; length <= events.length; length += 1) {
			const story = await tell(events.slice(0, length));
			const run = refold(events.slice(0, length));
			const { tokens, costUsd, activeMs, toolCalls } = run.totals;
			for (const parts of [story.visits, [...story.states.values()]]) {
				const spent = parts.reduce((sum, part) => addSpend(sum, part.spend), NO_SPEND);
				expect(spent.tokens).toBe(tokens);
				expect(spent.costUsd).toBeCloseTo(costUsd, 6);
				expect(parts.reduce((sum, part) => sum + part.activeMs, 0)).toBe(activeMs);
				expect(parts.reduce((sum, part) => sum + part.toolCalls, 0)).toBe(toolCalls);
			}
			expect(story.moves.length).toBe(run.moves.total);
			expect(story.run).toEqual(run);
		}
	});

	it("count time of workers, not of waits, and of a lost worker only the known time", async () => {
		const play = open(two);
		start(play);
		call(play.wait(10_000), "read", "{}", 500);
		play.wait(3_600_000);
		reopen(play);
		play.say({ kind: "worker_ended", ...play.due("end_worker").launch, outcome: { kind: "lost" } });
		const { visits, endedAt, beganAt } = await tell(play.events);
		const [visit] = visits;
		expect(visit?.waits).toEqual([{ kind: "interrupted", from: expect.any(Number), to: expect.any(Number) }]);
		expect(endedAt - beganAt).toBeGreaterThan(3_600_000);
		expect(visit?.activeMs).toBeLessThan(20_000);
		const [launch] = visit?.launches ?? [];
		expect((launch?.endedAt ?? 0) - (launch?.startedAt ?? 0)).toBe(visit?.activeMs);
		expect(launch?.end).toEqual({ kind: "lost", words: "was lost with its supervisor" });
	});

	it("are differences: a repeated report adds nothing", async () => {
		const play = open(two);
		start(play);
		used(play, 1000, 0.1);
		used(play, 1000, 0.1);
		expect((await tell(play.events)).states.get("plan")?.spend.tokens).toBe(1000);
	});
});

describe("visits", () => {
	it("list their waits by cause", async () => {
		const { visits } = await tell(dayOfWork().events);
		const kinds = visits.map(({ state, waits }) => [state, ...new Set(waits.map(({ kind }) => kind))]);
		expect(kinds).toEqual([
			["planning", "approval"],
			["implementation"],
			["verification"],
			["implementation", "budget"],
			["human_intervention", "human"],
			["verification"],
			["documentation"],
			["done"],
		]);
	});

	it("list how each worker ended, in the order of attempts", async () => {
		const { visits } = await tell(dayOfWork().events);
		const ends = visits.map(({ launches }) => launches.map(({ attempt, end }) => `${attempt} ${end.kind}`));
		expect(ends).toEqual([
			["1 rejected", "2 moved"],
			["1 crashed", "2 moved"],
			["1 moved"],
			["1 stopped", "2 moved"],
			[],
			["1 moved"],
			["1 moved"],
			[],
		]);
	});

	it("keep the trees before and after them, and only their own changes", async () => {
		const play = open(two);
		start(play, "1".repeat(40));
		ask(play, "build");
		play.say({ kind: "worker_ended", ...play.due("end_worker").launch, outcome: { kind: "stopped" } });
		play.say({
			kind: "files_measured",
			visit: 1,
			purpose: "changes",
			tree: "2".repeat(40),
			changes: [{ path: "a", change: "A", added: 1, removed: 0 }],
			more: 3,
		});
		start(play);
		play.say({ kind: "worker_ended", ...here(play), launch: 1, outcome: { kind: "exited", code: 1 } });
		play.say({ kind: "files_unmeasured", visit: 2, purpose: "changes", detail: "no git" });
		const [first, second] = (await tell(play.events)).visits;
		expect(first?.files).toMatchObject({ from: "1".repeat(40), to: "2".repeat(40), more: 3, unmeasured: undefined });
		expect(second?.files).toMatchObject({ from: "2".repeat(40), to: undefined, changes: [], unmeasured: "no git" });
	});

	it("of a reopened run end when the run ended", async () => {
		const play = open(two);
		go(start(play), "build");
		go(start(play), "done");
		const ended = Date.parse(play.events.at(-1)?.at ?? "");
		play.wait(86_400_000).say({ kind: "reopened", answers: since(play), to: "plan", words: "again" });
		const { visits } = await tell(play.events);
		expect(visits.map(({ number, endedAt }) => [number, endedAt === ended])).toEqual([
			[1, false],
			[2, false],
			[3, true],
			[4, false],
		]);
		expect(visits[2]?.waits).toEqual([{ kind: "over", from: ended, to: ended + 86_400_000 }]);
	});
});

describe("decisions of the user", () => {
	const said = async (events: readonly LedgerEvent[]) =>
		(await tell(events)).decisions.map(({ what, words }) => `${what}: ${words}`);

	it("are listed in order, with their messages", async () => {
		expect(await said(dayOfWork().events)).toEqual([
			"Rejected the move from planning to implementation: Drafts must not be in the file. Please say how you test the totals.",
			"Approved the move from planning to implementation: Good. Go on.",
			"Set the limits of the run: cost $6.00: ",
			"Resumed the run: The cent is worth it.",
			"Sent the worker a message: Look at how src/invoices/sum.ts rounds before you change anything.",
			"Allowed the refused move from implementation to verification: Once more is fine.",
		]);
	});

	it("leave out pauses by a ceiling or a closed session", async () => {
		const play = start(open(two));
		play.say({ kind: "pause_requested", cause: "interrupted", detail: "The session was closed." });
		expect(await said(play.events)).toEqual([]);
		expect((await tell(rest(play).events)).incidents.map(({ what }) => what)).toEqual([
			"The run waits (interrupted): The session was closed.",
		]);
	});

	it("leave out commands that did not apply", async () => {
		const play = start(open(two));
		const stray = { kind: "approved", answers: 1, diff: "x", seq: 99, at: "2030-01-01T01:00:00.000Z" } as const;
		expect(await said([...play.events, stray])).toEqual([]);
	});

	it("have a phrase for every kind", () => {
		const { run } = start(open(two));
		const snapshot = run.snapshot;
		const kinds: UserEvent[] = [
			{ kind: "approved", answers: 1, diff: "" },
			{ kind: "rejected", answers: 1, words: "no" },
			{ kind: "resumed", answers: 1 },
			{ kind: "released", answers: 1 },
			{ kind: "released", answers: 1, to: "plan" },
			{ kind: "released", answers: 1, done: true },
			{ kind: "limits_changed", limits: { tokens: 5_000_000, activeMs: 60_000, moves: 9 }, state: "plan" },
			{ kind: "told", text: "hi" },
			{ kind: "pause_requested", cause: "person", detail: "lunch" },
			{ kind: "abort_requested" },
			{ kind: "reopened", answers: 1, to: "plan" },
			{ kind: "rewind_requested", to: 2, state: "plan", tree: "t", snapshot, pairMoves: {} },
		];
		const phrases = kinds.map(
			(event) => userAction({ seq: 9, at: "2030-01-01T00:00:00.000Z", ...event } as LedgerEvent, run)?.what,
		);
		expect(new Set(phrases).size).toBe(kinds.length);
		expect(phrases).toContain("Set the limits of plan: 5M tokens, active time 1m00s, 9 moves");
	});
});

describe("the guard and the tools", () => {
	it("list a blocked call with its rule and arguments, and count it separately from failed calls", async () => {
		const { blocked, tools, questions } = await tell(dayOfWork().events);
		expect(blocked).toMatchObject([
			{
				visit: 2,
				state: "implementation",
				tool: "bash",
				args: '{"command":"rm -rf ~/.cache/fonts"}',
				rule: "rm with a recursive flag outside of the project",
			},
		]);
		expect(tools.find(({ tool }) => tool === "bash")).toMatchObject({ calls: 9, failed: 2, blocked: 1 });
		expect(questions).toMatchObject([{ title: "Install pdf-writer?", verdict: "allowed" }]);
	});
});

describe("an incomplete ledger", () => {
	it("of a newer version: unknown events are counted and skipped", async () => {
		const play = start(open(two));
		const strange = {
			kind: "moon_phase",
			phase: 3,
			seq: play.run.seq + 1,
			at: "2030-01-01T02:00:00.000Z",
		} as unknown as LedgerEvent;
		const story = await tell([...play.events, strange]);
		expect(story.gaps).toEqual(["1 event is of an unknown kind; it is skipped."]);
		expect(story.visits).toHaveLength(1);
	});

	it("that fails in the middle is reported up to there", async () => {
		const play = go(start(open(two)), "build");
		const story = await readReportModel(
			{
				...ledgerOf(play.events),
				async *events() {
					yield* play.events.slice(0, 5);
					throw new Error("the disk is gone");
				},
			},
			asIs,
		);
		expect(story.gaps).toEqual(["The events could only be read in part: the disk is gone"]);
		expect(story.run.seq).toBe(5);
	});

	it("without events is reported from its folded state", async () => {
		const { run } = dayOfWork();
		const story = await readReportModel(foldedOnly(run), asIs);
		expect(story.moves.map(({ number, from, to }) => `${number} ${from} ${to}`).at(0)).toBe(
			"1 planning implementation",
		);
		expect(story.states.get("planning")?.spend.tokens).toBe(171_000);
		expect(story.gaps).toHaveLength(2);
	});

	it("that starts with another event is reported from its folded state", async () => {
		const { run, events } = dayOfWork();
		const story = await readReportModel(
			{
				...foldedOnly(run),
				async *events() {
					yield* events.slice(3);
				},
			},
			asIs,
		);
		expect(story.visits).toEqual([]);
		expect(story.run).toBe(run);
	});

	it("keeps the usage of crashed workers", async () => {
		const play = start(open(two));
		play.say({ kind: "used", ...here(play), spend: spend(500, 0.05) });
		crash(play);
		expect((await tell(play.events)).states.get("plan")?.spend.tokens).toBe(500);
	});
});
