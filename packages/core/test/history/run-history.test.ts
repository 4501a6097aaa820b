// The history of a run: visits, workers, waits, files and figures, from the events alone; and what a rewind finds in it.
import { describe, expect, it } from "vitest";
import { keptBefore, readHistory, startOfVisit } from "../../src/history/index.ts";
import { conversationsOf, endPhrase } from "../../src/history/visit.ts";
import type { CommandEnded, EventBody, LedgerEvent, WorkerOutcome } from "../../src/machine/index.ts";
import { EMPTY_SNAPSHOT } from "../../src/snapshot/index.ts";
import {
	ask,
	crash,
	definition,
	go,
	here,
	open,
	reopen,
	rest,
	since,
	spend,
	start,
	type TestRun,
} from "../machine/test-run.ts";

const template = (state: object = {}, more: object = {}) =>
	definition({ a: { persona: "A", next: ["b"], ...state }, b: { persona: "B", next: ["a", "done"] } }, more);
const ledger = (events: readonly LedgerEvent[]) => ({
	async *events() {
		yield* events;
	},
});
const historyOf = ({ events }: TestRun) => readHistory(ledger(events));
const visitsOf = async (testRun: TestRun) => (await historyOf(testRun)).visits;
const tree = (letter: string) => letter.repeat(40);
const measure = (testRun: TestRun, purpose: "baseline" | "changes", files: string, more: object = {}) =>
	testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose, tree: files, ...more } as EventBody);
const end = (testRun: TestRun, outcome: WorkerOutcome = { kind: "stopped" }) => {
	const { stage } = testRun.run;
	if (!("launch" in stage) || !stage.launch) throw new Error("no worker");
	return testRun.say({ kind: "worker_ended", ...stage.launch, outcome });
};
const ids = ({ run: { visit, attempt, launch } }: TestRun) => ({ visit, attempt, launch });
const pause: EventBody = { kind: "pause_requested", cause: "person", detail: "" };

describe("a visit", () => {
	it("begins with its move and ends with the next one, or with the run", async () => {
		const testRun = go(start(go(start(open(template())), "b", "built")), "done");
		const history = await historyOf(testRun);
		const { visits, moves, beganAt } = history;
		expect(visits.map(({ number, state, summary }) => [number, state, summary])).toEqual([
			[1, "a", "built"],
			[2, "b", "done"],
			[3, "done", ""],
		]);
		expect(visits.map(({ beganAt: from, endedAt }) => [from - beganAt, (endedAt ?? 0) - beganAt])).toEqual([
			[0, visits[1] && visits[1].beganAt - beganAt],
			[visits[1] && visits[1].beganAt - beganAt, visits[2] && visits[2].beganAt - beganAt],
			[visits[2] && visits[2].beganAt - beganAt, history.lastAt - beganAt],
		]);
		expect(moves.map(({ number, from, to, cause }) => [number, from, to, cause])).toEqual([
			[1, "a", "b", "worker"],
			[2, "b", "done", "worker"],
		]);
		expect(visits.map(({ left }) => left)).toEqual([...moves, undefined]);
		expect(history.visit(2)).toBe(visits[1]);
		expect(history.visit(4)).toBeUndefined();
	});

	it("has no end while the run is in it", async () => {
		const [visit] = await visitsOf(start(open(template())));
		expect([visit?.endedAt, visit?.left]).toEqual([undefined, undefined]);
	});

	it("counts the usage reported during it or for it, whichever visit the run is in", async () => {
		const testRun = start(open(template()));
		testRun.say({ kind: "used", ...here(testRun), spend: spend(10, 0.1) });
		testRun.say({ kind: "tool_started", ...here(testRun), call: "c", tool: "t", args: "" });
		ask(testRun.wait(5000), "b");
		testRun.say({ kind: "used", visit: 1, attempt: 1, spend: spend(15, 0.3) });
		testRun.say({ kind: "tool_ended", visit: 1, attempt: 1, call: "c", tool: "t", ms: 1, bytes: 1, hash: "" });
		start(rest(testRun));
		testRun.say({ kind: "used", ...here(testRun), spend: spend(4, 0.2) });
		const [one, two] = await visitsOf(testRun);
		expect([one?.spend.tokens, one?.spend.costUsd, one?.toolCalls]).toEqual([15, 0.3, 1]);
		expect([two?.spend.tokens, two?.spend.costUsd, two?.toolCalls]).toEqual([4, 0.2, 0]);
		expect(one?.activeMs).toBe(testRun.run.totals.activeMs);
		expect(two?.activeMs).toBe(0);
	});

	it("has the trees before and after it, and its measured changes", async () => {
		const testRun = open(template());
		measure(testRun, "baseline", tree("1"));
		ask(start(testRun), "b");
		end(testRun);
		const changes = [{ path: "x", change: "A" }] as const;
		testRun.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: tree("2"), changes, more: 3 });
		end(ask(start(testRun), "done"));
		testRun.say({ kind: "files_unmeasured", visit: 2, purpose: "changes", detail: "no git" });
		const [one, two, three] = await visitsOf(testRun);
		expect(one?.trees).toEqual({ before: tree("1"), after: tree("2") });
		expect(one?.files).toEqual({ from: tree("1"), to: tree("2"), changes, more: 3, unmeasured: undefined });
		expect(two?.trees).toEqual({ before: tree("2"), after: undefined });
		expect(two?.files).toMatchObject({ from: tree("2"), to: undefined, changes: [], more: 0, unmeasured: "no git" });
		expect(three?.start).toMatchObject({ visit: 3, state: "done", tree: null });
	});

	it("is no longer unmeasured once its changes are measured", async () => {
		const testRun = reopen(rest(ask(start(open(template({ requires_approval: true }))), "b"), tree("1")));
		testRun.say({ kind: "files_unmeasured", visit: 1, purpose: "changes", detail: "no git" });
		expect((await visitsOf(testRun))[0]?.files.unmeasured).toBe("no git");
		reopen(testRun);
		measure(testRun, "changes", tree("2"));
		expect((await visitsOf(testRun))[0]?.files).toMatchObject({ to: tree("2"), unmeasured: undefined });
	});
});

describe("a worker", () => {
	it("is listed from its reservation on, with its model, its times and its reason", async () => {
		const testRun = crash(start(open(template())));
		start(rest(testRun));
		const history = await historyOf(testRun);
		const [first, second] = history.visits[0]?.launches ?? [];
		expect(first).toMatchObject({ visit: 1, attempt: 1, launch: 1, because: "entered", model: "m/m" });
		expect(first?.end).toEqual({ kind: "crashed", words: "was killed by SIGKILL" });
		expect(second).toMatchObject({ visit: 1, attempt: 2, launch: 1, because: "crashed", endedAt: undefined });
		expect(second?.end).toMatchObject({ kind: "working" });
		expect((first?.endedAt ?? 0) - (first?.startedAt ?? 0)).toBe(testRun.run.totals.activeMs);
		history.abandon();
		expect(history.visits[0]?.launches.map(({ end: { kind } }) => kind)).toEqual(["crashed", "lost"]);
	});

	it("that could not be started says why", async () => {
		const testRun = open(template());
		measure(testRun, "baseline", tree("1"));
		testRun.say({ kind: "launch_failed", ...testRun.due("work").launch, reason: "model", detail: "no such model" });
		const [launch] = (await visitsOf(testRun))[0]?.launches ?? [];
		expect(launch).toMatchObject({ startedAt: undefined, end: { kind: "unstarted" }, endedAt: expect.any(Number) });
		expect(launch?.end.words).toContain("no such model");
	});

	it("that requested a move ended by it; a request for its own state is a restart, and a rejection is shown", async () => {
		const moved = await visitsOf(go(start(open(template())), "b"));
		expect(moved[0]?.launches[0]?.end).toEqual({ kind: "moved", words: "asked for b" });
		const restarted = await visitsOf(go(start(open(template())), "a"));
		expect(restarted[0]?.launches[0]?.end).toEqual({ kind: "stopped", words: "asked to restart the state" });
		const asked = rest(ask(start(open(template({ requires_approval: true }))), "b"));
		asked.say({ kind: "rejected", answers: since(asked), words: "no" });
		start(asked);
		const [first, second] = (await visitsOf(asked))[0]?.launches ?? [];
		expect(first?.end).toEqual({ kind: "rejected", words: "asked for b; rejected" });
		expect(second?.end.kind).toBe("working");
	});

	it("of an earlier attempt keeps its own end when a later one requests a move", async () => {
		const testRun = start(rest(crash(start(open(template())))));
		ask(testRun, "b");
		const launches = (await visitsOf(testRun))[0]?.launches ?? [];
		expect(launches.map(({ end: { kind } }) => kind)).toEqual(["crashed", "moved"]);
	});

	it("of a state named done ends by a move to done", async () => {
		const testRun = start(open(definition({ done: { persona: "A", next: [] } })));
		expect((await visitsOf(go(testRun, "done")))[0]?.launches[0]?.end).toEqual({
			kind: "moved",
			words: "asked for done",
		});
	});

	it("that was lost ended with its last report, any other when its end was recorded", async () => {
		for (const [outcome, ms] of [
			[{ kind: "lost" }, 4000],
			[{ kind: "stopped" }, 64_000],
		] as const) {
			const testRun = start(open(template()));
			testRun.wait(4000).say({ kind: "used", ...here(testRun), spend: spend(1) });
			end(testRun.wait(60_000), outcome);
			const [launch] = (await visitsOf(testRun))[0]?.launches ?? [];
			expect((launch?.endedAt ?? 0) - (launch?.startedAt ?? 0)).toBe(ms);
		}
	});

	it.each<[WorkerOutcome, string, string]>([
		[{ kind: "lost" }, "lost", "was lost with its supervisor"],
		[{ kind: "stopped" }, "stopped", "was ended"],
		[{ kind: "exited", code: 3 }, "crashed", "ended by itself with exit code 3"],
		[{ kind: "exited", code: 3, detail: "x" }, "crashed", "ended by itself with exit code 3: x"],
		[{ kind: "killed", signal: "SIGTERM" }, "crashed", "was killed by SIGTERM"],
		[{ kind: "killed", signal: "SIGTERM", detail: "x" }, "crashed", "was killed by SIGTERM: x"],
		[{ kind: "timed_out", limit: "idle" }, "timed_out", "was silent for too long"],
	])("%j has a description", (outcome, kind, words) => {
		expect(endPhrase(outcome)).toEqual({ kind, words });
	});

	it("has a conversation of its own only as the first process of an attempt", async () => {
		const testRun = reopen(start(open(template())));
		start(rest(end(testRun, { kind: "lost" })));
		start(rest(crash(testRun)));
		const [visit] = await visitsOf(testRun);
		expect(visit?.launches.map(({ attempt, launch }) => [attempt, launch])).toEqual([
			[1, 1],
			[1, 2],
			[2, 1],
		]);
		expect(visit && conversationsOf(visit)).toEqual(["1.1", "1.2"]);
	});
});

describe("the command of a state", () => {
	it.each<[CommandEnded["result"], string, string, number]>([
		[{ kind: "exited", code: 0 }, "moved", "succeeded (exit code 0)", 60_000],
		[{ kind: "exited", code: 3 }, "failed", "failed with exit code 3", 60_000],
		[{ kind: "killed", signal: "SIGSEGV", code: 139 }, "crashed", "was killed by SIGSEGV (exit code 139)", 60_000],
		[{ kind: "timed_out" }, "timed_out", "took too long and was stopped", 60_000],
		[{ kind: "stopped" }, "stopped", "was stopped", 60_000],
		[{ kind: "lost" }, "lost", "was cut off, so its outcome is unknown", 0],
	])("is listed with its line, its times and its outcome: %j", async (result, kind, words, ms) => {
		const testRun = open(template({ persona: undefined, command: "{tests}" }));
		measure(testRun, "baseline", tree("a"));
		testRun.wait(500).say({ kind: "command_started", ...ids(testRun), command: "npm test", file: "/f.log" });
		const more = { command: "npm test", ms: 60_000, bytes: 9, output: "2 failed" };
		testRun.wait(60_000).say({ kind: "command_ended", ...ids(testRun), result, ...more });
		const [visit] = await visitsOf(testRun);
		const [launch] = visit?.launches ?? [];
		expect(launch).toMatchObject({ command: "npm test", end: { kind, words } });
		expect((launch?.endedAt ?? 0) - (launch?.startedAt ?? 0)).toBe(ms);
		expect(visit?.summary).toMatch(/^`npm test` [\s\S]*2 failed$/);
	});

	it("that may not run never started, and says why", async () => {
		const testRun = open(template({ persona: undefined, command: "x" }));
		measure(testRun, "baseline", tree("a"));
		const result = { kind: "refused", detail: "it is not approved" } as const;
		testRun.say({ kind: "command_ended", ...ids(testRun), result, ms: 0, bytes: 0 });
		const [visit] = await visitsOf(testRun);
		expect(visit?.launches).toMatchObject([{ startedAt: undefined, end: { kind: "unstarted" } }]);
		expect(visit?.launches[0]?.end.words).toBe("may not run: it is not approved");
	});
});

describe("a wait", () => {
	const told: EventBody = { kind: "told", text: "x" };
	it.each<[kind: string, bring: () => TestRun]>([
		["approval", () => rest(ask(start(open(template({ requires_approval: true }))), "b"))],
		["paused", () => rest(start(open(template())).say(pause))],
		["budget", () => measure(open(template({}, { limits: { minutes: 0 } })), "baseline", tree("1"))],
		["human", () => go(start(open(template())), "human_intervention")],
	])("for %s lasts from the event before it to the next, and joins those that follow at once", async (kind, bring) => {
		const testRun = bring();
		const from = Date.parse(testRun.run.updatedAt);
		testRun.wait(60_000).say(told);
		testRun.wait(30_000).say(told);
		expect((await visitsOf(testRun)).at(-1)?.waits).toEqual([{ kind, from, to: from + 90_000 }]);
	});

	it("of a run that is over lasts until it is reopened", async () => {
		const testRun = rest(start(open(template())).say({ kind: "abort_requested" }));
		const from = Date.parse(testRun.run.updatedAt);
		testRun.wait(60_000).say({ kind: "reopened", answers: since(testRun), to: "b" });
		expect((await visitsOf(testRun))[0]?.waits).toEqual([{ kind: "over", from, to: from + 60_000 }]);
	});

	it.each([
		[2000, 0],
		[2001, 1],
	])("without a supervisor, of %d ms: %d", async (ms, count) => {
		const testRun = start(open(template()));
		reopen(testRun.wait(ms));
		expect((await visitsOf(testRun))[0]?.waits.map(({ kind }) => kind)).toEqual(Array(count).fill("interrupted"));
	});

	it.each([0, -5000])("of %d ms is not a wait", async (ms) => {
		const testRun = rest(start(open(template())).say(pause));
		testRun.wait(ms).say(told);
		expect((await visitsOf(testRun)).at(-1)?.waits).toEqual([]);
	});

	it("does not exist while a worker works", async () => {
		expect((await visitsOf(start(open(template())).wait(60_000).say(told)))[0]?.waits).toEqual([]);
	});
});

describe("time", () => {
	it("never runs backward, and an unreadable one is that of the event before", async () => {
		const { events } = start(open(template()));
		const [first, ...others] = events;
		if (!first) throw new Error("no event");
		for (const at of ["1999-01-01T00:00:00.000Z", "never"]) {
			const history = await readHistory(ledger([first, ...others.map((event) => ({ ...event, at }))]));
			expect([history.beganAt, history.lastAt]).toEqual([Date.parse(first.at), Date.parse(first.at)]);
		}
	});

	it("passes with events that do not apply, which change nothing else", async () => {
		const testRun = start(open(template()));
		const last = testRun.events.at(-1);
		if (!last) throw new Error("no event");
		const at = new Date(Date.parse(last.at) + 5000).toISOString();
		const late: LedgerEvent = { kind: "delivered", message: 99, seq: last.seq + 1, at };
		const [before, after] = [await historyOf(testRun), await readHistory(ledger([...testRun.events, late]))];
		expect(after.lastAt - before.lastAt).toBe(5000);
		expect(after.visits).toEqual(before.visits);
	});

	it("does not begin with an event that starts no run", async () => {
		const history = await readHistory(ledger([{ kind: "noted", text: "x", seq: 1, at: "2030-01-01T00:00:00.000Z" }]));
		expect([history.run, history.visits, history.beganAt, history.lastAt]).toEqual([undefined, [], 0, 0]);
	});
});

describe("what a rewind finds", () => {
	it("is the first measured start of the visit", async () => {
		const testRun = open(template());
		measure(testRun, "baseline", tree("1"));
		start(testRun).say({
			kind: "snapshot_updated",
			...here(testRun),
			by: "worker",
			data: { findings: [{ text: "f" }] },
		});
		rest(ask(testRun, "b"), tree("2"));
		const { events } = testRun;
		expect(await startOfVisit(ledger(events), 1)).toMatchObject({
			visit: 1,
			state: "a",
			tree: tree("1"),
			pairMoves: {},
		});
		const second = await startOfVisit(ledger(events), 2);
		expect(second).toMatchObject({ visit: 2, state: "b", tree: tree("2"), pairMoves: { "a <-> b": 1 } });
		expect(second?.snapshot.findings).toHaveLength(1);
		expect(await startOfVisit(ledger(events), 3)).toBeUndefined();
	});

	it("in a visit without measured files is a start without a tree", async () => {
		const testRun = open(template()).say({ kind: "files_unmeasured", visit: 1, purpose: "baseline", detail: "no git" });
		expect(await startOfVisit(ledger(testRun.events), 1)).toMatchObject({ visit: 1, tree: null });
	});

	it("for the undo of an earlier rewind is what that rewind replaced, found by its event", async () => {
		const testRun = rest(start(open(template())).say(pause), tree("1"));
		testRun.say({
			kind: "rewind_requested",
			to: 1,
			state: "a",
			tree: tree("0"),
			snapshot: EMPTY_SNAPSHOT,
			pairMoves: {},
		});
		testRun.say({ kind: "files_measured", visit: 1, purpose: "before", tree: tree("9") });
		const seq = testRun.run.kept[0]?.seq ?? 0;
		testRun.say({ kind: "files_restored", tree: tree("0"), before: tree("9") });
		const { events } = testRun;
		expect(await keptBefore(ledger(events), seq)).toMatchObject({ visit: 1, state: "a", tree: tree("9") });
		for (const other of [1, 2, seq - 1, seq + 1, 999]) expect(await keptBefore(ledger(events), other)).toBeUndefined();
		expect(await keptBefore(ledger(events.filter((event) => event.seq !== seq)), seq)).toBeUndefined();
		const [one, two] = await visitsOf(testRun);
		expect([one?.trees.after, two?.trees.before]).toEqual([tree("9"), tree("0")]);
	});
});
