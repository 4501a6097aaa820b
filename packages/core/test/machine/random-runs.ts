// Random runs for property tests: templates, workers and users that act in any order, validly or not, and crash.
// The world keeps its own counts (launches, spending, requests) and compares them with the run's after every event.
import fc from "fast-check";
import { expect } from "vitest";
import {
	type Action,
	type EventBody,
	isParked,
	type LaunchId,
	type LedgerEvent,
	launchKey,
	measures,
	pendingActions,
	planOf,
} from "../../src/machine/index.ts";
import { definition, newTree, open, resume, spend, type TestRun } from "./test-run.ts";

interface Conversation {
	tokens: number;
	reported: number;
}

/** The world's own counts. */
export interface World {
	readonly testRun: TestRun;
	/** The launch with a live process. */
	alive: LaunchId | undefined;
	key: string;
	readonly conversations: Map<string, Conversation>;
	/** Keys of actions in progress in this supervisor. */
	readonly busy: Set<string>;
	launches: number;
	/** Moves that were accepted for a worker. */
	promised: number;
	/** Launches with a dead process. */
	readonly gone: LaunchId[];
}

const names = ["a", "b", "c", "d"];
export const templates = fc
	.record({
		states: fc.array(
			fc.record({
				next: fc.uniqueArray(fc.constantFrom(...names, "done", "end", "human_intervention"), { maxLength: 4 }),
				requires_approval: fc.constantFrom<unknown>(false, false, false, true, "entry", "both"),
				cleanup: fc.constantFrom<string[]>([], [], ["x"], ["x", "y"]),
				polling: fc.boolean(),
			}),
			{ minLength: 1, maxLength: 4 },
		),
		limits: fc.record({
			tokens: fc.constantFrom(60, 400, 100_000),
			moves: fc.constantFrom(3, 8, 40),
			pair_moves: fc.constantFrom(1, 3),
			attempts: fc.constantFrom(1, 3, 5),
			retries: fc.constantFrom(0, 1, 2),
			nudges: fc.constantFrom(0, 2),
			rejections: fc.constantFrom(1, 3),
		}),
	})
	.map(({ states, limits }) =>
		definition(Object.fromEntries(states.map((state, index) => [names[index], { persona: "P", ...state }])), {
			limits,
		}),
	);

/** One thing that happens: which of the possible ones, and two numbers to fill it with. */
export const stories = fc.array(fc.tuple(fc.nat(99), fc.nat(999), fc.nat(999)), { minLength: 5, maxLength: 90 });

function worldOf(testRun: TestRun): World {
	return {
		testRun,
		alive: undefined,
		key: "",
		conversations: new Map(),
		busy: new Set(),
		launches: 0,
		promised: 0,
		gone: [],
	};
}

function say(world: World, body: EventBody): boolean {
	const before = world.testRun.run;
	world.testRun.say(body);
	check(world);
	const taken = world.testRun.refusal === "";
	if (taken && before.stage.kind === "over")
		expect(["reopened", "rewind_requested", "opened"], "taken by a run that is over").toContain(body.kind);
	if (taken && body.kind === "approved" && before.stage.kind === "asking")
		expect(body.diff, "an approval of other files").toBe(before.stage.question.diff);
	if (taken && body.kind === "worker_ended") world.gone.push(body);
	return taken;
}

/** Carries out one owed action, well or badly. `badly` 0 is well. */
function carryOut(world: World, action: Action, badly: number): void {
	const { testRun } = world;
	switch (action.kind) {
		case "measure_files":
			say(
				world,
				badly === 1
					? { kind: "files_unmeasured", visit: action.visit, purpose: action.purpose, detail: "x" }
					: {
							kind: "files_measured",
							visit: action.visit,
							purpose: action.purpose,
							tree: newTree(),
							changes: [{ path: `p${badly}`, change: "M" }],
						},
			);
			return;
		case "work": {
			if (world.busy.has(action.key)) return;
			world.busy.add(action.key);
			expect(world.alive, "a second worker beside a living one").toBeUndefined();
			expect(isParked(testRun.run), "a launch for a run that waits").toBe(false);
			const intent = testRun.events.findLast(({ kind }) => kind === "attempt_reserved");
			expect(intent, "a launch without a recorded intent").toMatchObject(action.launch);
			expect(planOf(testRun.run).persona, "a launch of a state that nobody does").toBeDefined();
			expect(
				measures(testRun.run).filter(({ spent, ceiling }) => spent >= ceiling),
				"a launch at a ceiling",
			).toEqual([]);
			if (badly === 1) {
				say(world, { kind: "launch_failed", ...action.launch, reason: "spawn", detail: "x" });
				return;
			}
			if (badly === 2 && action.conversation.kind === "continue" && !action.conversation.optional) {
				say(world, { kind: "launch_failed", ...action.launch, reason: "session_lost", detail: "x" });
				return;
			}
			world.launches += 1;
			world.alive = action.launch;
			world.key = action.conversation.key;
			if (!world.conversations.has(world.key)) world.conversations.set(world.key, { tokens: 0, reported: 0 });
			say(world, {
				kind: "worker_started",
				...action.launch,
				pid: 1,
				model: "m",
				conversation: action.conversation.kind === "new" ? "new" : "continued",
			});
			return;
		}
		case "await_provider":
			return void say(world, { kind: "provider_due", visit: action.visit });
		case "send":
			say(world, { kind: "delivered", message: action.message });
			return;
		case "end_worker":
			endWorker(world, action.launch);
			return;
		case "clean_up":
			say(world, {
				kind: "cleanup_ended",
				visit: action.visit,
				index: action.index,
				result: badly === 1 ? { kind: "timed_out" } : { kind: "exited", code: badly % 3 },
			});
			return;
		case "restore_files":
			say(
				world,
				badly === 1
					? { kind: "files_unrestored", tree: action.tree, detail: "x" }
					: { kind: "files_restored", tree: action.tree, before: newTree() },
			);
			return;
		case "ask_approval":
			return;
	}
}

/** Its last report, then its end; of a lost one the books are read instead. */
function endWorker(world: World, launch: LaunchId): void {
	const lost = world.alive === undefined || launchKey(world.alive) !== launchKey(launch);
	const { run } = world.testRun;
	if (lost)
		world.key = (run.stage.kind === "stopping" ? run.stage.closing?.key : undefined) ?? run.conversation?.key ?? "";
	report(world, launch, lost);
	world.alive = undefined;
	say(world, { kind: "worker_ended", ...launch, outcome: lost ? { kind: "lost" } : { kind: "stopped" } });
}

function report(world: World, { visit, attempt }: LaunchId, lost = false): void {
	const conversation = world.conversations.get(world.key);
	if (!conversation) return;
	const used = { kind: "used", visit, attempt, spend: spend(conversation.tokens) } as const;
	if (say(world, lost ? { ...used, lost } : used)) conversation.reported = conversation.tokens;
}

function act(world: World, [what, one, two]: readonly [number, number, number]): void {
	const { testRun, alive } = world;
	const { run } = testRun;
	const due = pendingActions(run).filter(({ key, kind }) => kind !== "ask_approval" && !world.busy.has(key));
	if (what < 45 && due.length > 0) {
		const action = due[one % due.length];
		if (action) carryOut(world, action, two % 6);
		return;
	}
	if (alive && what < 75) {
		workerActs(world, alive, one, two);
		return;
	}
	const late = world.gone[one % (world.gone.length || 1)];
	if (what >= 90 && what < 92 && late) {
		lateReport(world, late, two);
		return;
	}
	if (what >= 98 && !isParked(run)) {
		giveUp(world);
		return;
	}
	if (what >= 92) {
		crash(world, two % 2 === 0);
		return;
	}
	personActs(world, one, two);
}

/** A late report of a process that has ended: nothing changes. */
function lateReport(world: World, { visit, attempt, launch }: LaunchId, two: number): void {
	const before = world.testRun.run;
	const { stage } = before;
	// A report names its attempt only: the next process of the same attempt may well say the same.
	const same = "launch" in stage && stage.launch?.visit === visit && stage.launch.attempt === attempt;
	if (two % 2 === 0 || same)
		say(world, { kind: "worker_ended", visit, attempt, launch, outcome: { kind: "exited", code: 0 } });
	else say(world, { kind: "move_requested", visit, attempt, target: "done", summary: "late" });
	expect(world.testRun.refusal, "a late report").not.toBe("");
	expect(world.testRun.run).toBe(before);
}

function workerActs(world: World, alive: LaunchId, one: number, two: number): void {
	const { visit, attempt } = alive;
	const conversation = world.conversations.get(world.key);
	switch (one % 7) {
		case 0:
			if (conversation) conversation.tokens += two % 40;
			report(world, alive);
			return;
		case 1:
		case 2: {
			const before = world.testRun.run;
			const plan = planOf(before);
			const targets = [...plan.next, before.state, "human_intervention", "done", "nowhere"];
			const target = targets[two % targets.length] ?? "";
			if (conversation) conversation.tokens += 3;
			report(world, alive);
			if (say(world, { kind: "move_requested", visit, attempt, target, summary: `s${two}` })) world.promised += 1;
			return;
		}
		case 3:
			say(world, { kind: "tool_started", visit, attempt, call: `c${two}`, tool: "bash", args: "{}" });
			return;
		case 4:
			say(world, {
				kind: "turn_settled",
				visit,
				attempt,
				stop: (["finished", "length", "transient", "quota"] as const)[two % 4] ?? "finished",
				...(two % 8 < 4 ? { waits: {} } : {}),
			});
			return;
		case 5:
			if (conversation) conversation.tokens += two % 10;
			report(world, alive);
			world.alive = undefined;
			say(world, {
				kind: "worker_ended",
				...alive,
				outcome: two % 2 ? { kind: "killed", signal: "SIGKILL" } : { kind: "timed_out", limit: "wall" },
			});
			return;
		case 6:
			say(world, { kind: "snapshot_updated", visit, attempt, by: "worker", data: { findings: [{ text: `f${two}` }] } });
			return;
	}
}

function personActs(world: World, one: number, two: number): void {
	const { run } = world.testRun;
	const { stage } = run;
	const answers =
		stage.kind === "waiting" || stage.kind === "awaiting_provider" || stage.kind === "over"
			? stage.since
			: stage.kind === "asking"
				? stage.question.seq
				: two;
	const diff = stage.kind === "asking" && two % 5 ? stage.question.diff : "other";
	const to = names[two % names.length] ?? "a";
	const said: EventBody[] = [
		{ kind: "approved", answers, diff },
		{ kind: "rejected", answers, words: "no" },
		{ kind: "resumed", answers },
		{ kind: "released", answers },
		{ kind: "released", answers, to },
		{ kind: "told", text: `t${two}` },
		{ kind: "pause_requested", cause: "person", detail: "x" },
		{ kind: "limits_changed", limits: { tokens: run.totals.tokens + two } },
		{ kind: "reopened", answers, to },
		...(two % 20 === 0 ? [{ kind: "abort_requested" } as const] : []),
		...(two % 10 === 0
			? [
					{
						kind: "rewind_requested",
						to: 1 + (two % run.visit),
						state: "a",
						tree: "t",
						snapshot: run.snapshot,
						pairMoves: {},
					} as const,
				]
			: []),
	];
	const event = said[one % said.length];
	if (!event || !say(world, event)) return;
	const after = world.testRun.run;
	if ("answers" in event) {
		// P1: the same answer once more does nothing.
		say(world, event);
		expect(world.testRun.refusal, `${event.kind} taken twice`).not.toBe("");
		expect(world.testRun.run).toBe(after);
	}
}

/** The supervisor dies, with or without its worker; another one takes the run. */
function crash(world: World, workerToo: boolean): void {
	const { alive } = world;
	world.busy.clear();
	if (alive && workerToo) world.alive = undefined;
	say(world, { kind: "opened", host: "h", pid: 3, started: "u" });
	// What another supervisor sees is what the events say.
	if (alive && !workerToo) world.alive = undefined;
}

/** The hosts of an engine give the run up; its worker died with the last of them. */
function giveUp(world: World): void {
	world.busy.clear();
	world.alive = undefined;
	const before = world.testRun.run;
	expect(say(world, { kind: "given_up", detail: "x" })).toBe(true);
	const { run } = world.testRun;
	expect(run).toMatchObject({ status: "paused", state: before.state, visit: before.visit, totals: before.totals });
	expect(isParked(run)).toBe(true);
}

/** Holds after every event. */
function check(world: World): void {
	const { run } = world.testRun;
	expect(run.plan.states.has(run.state) || run.state === "human_intervention").toBe(true);
	const actions = pendingActions(run);
	expect(new Set(actions.map(({ key }) => key)).size).toBe(actions.length);
	if (run.stage.kind === "over" || run.stage.kind === "waiting") expect(actions).toEqual([]);
	if (isParked(run)) expect(run.status).not.toBe("running");
	const states = Object.values(run.states);
	const sum = (of: (state: { tokens: number; attempts: number; activeMs: number; visits: number }) => number) =>
		states.reduce((total, state) => total + of(state), 0);
	expect(sum(({ tokens }) => tokens)).toBe(run.totals.tokens);
	expect(sum(({ attempts }) => attempts)).toBe(run.totals.attempts);
	expect(sum(({ activeMs }) => activeMs)).toBe(run.totals.activeMs);
	expect(sum(({ visits }) => visits)).toBe(run.visit);
	if (run.history.length < 100) {
		const left = run.history.reduce((total, { metrics }) => total + metrics.tokens, 0);
		expect(left + run.visitRecord.tokens).toBe(run.totals.tokens);
	}
}

/** Holds over the whole story. */
function checkStory(world: World): void {
	const { run, events } = world.testRun;
	let state = "a";
	let visit = 1;
	let request: (LedgerEvent & { kind: "move_requested" }) | undefined;
	let approved = false;
	let over = false;
	for (const event of events) {
		if (event.kind === "move_requested") {
			request = event;
			approved = false;
		}
		if (event.kind === "approved") approved = true;
		if (event.kind === "finished") over = true;
		if (event.kind === "attempt_reserved") expect(over, "a launch of a run that is over").toBe(false);
		if (event.kind !== "moved") continue;
		if (event.cause === "reopened" || event.cause === "rewind") over = false;
		expect(event).toMatchObject({ from: state, visit });
		if (event.cause === "worker") {
			expect([...planOf(run, event.from).next, "human_intervention"]).toContain(event.to);
			expect(request, "a move that nobody asked for").toMatchObject({ target: event.to, visit: event.visit });
			const asks = planOf(run, event.from).approval.exit || planOf(run, event.to).approval.entry;
			if (asks && event.to !== "human_intervention") expect(approved, "a move that nobody approved").toBe(true);
			request = undefined;
		} else if (event.to !== "human_intervention")
			expect(["person", "released", "reopened", "rewind"]).toContain(event.cause);
		if (event.from === "human_intervention") expect(["released", "reopened", "rewind"]).toContain(event.cause);
		state = event.to;
		visit += 1;
	}
	expect(run).toMatchObject({ state, visit });
	expect(run.moves.total).toBe(visit - 1);
	expect(run.history.map((move) => move.visit)).toEqual([...Array(visit - 1).keys()].map((n) => n + 1).slice(-100));
	expect(world.launches).toBeLessThanOrEqual(events.filter(({ kind }) => kind === "attempt_reserved").length);
	const { plan: _, template: __, ...kept } = run;
	expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(64 * 1024);
}

/** From here on everything goes well and nobody says anything: the run must come to rest. */
function settle(world: World): void {
	for (let step = 0; step < 400; step += 1) {
		const { run } = world.testRun;
		if (isParked(run)) return;
		const [action] = pendingActions(run).filter(({ key }) => !world.busy.has(key));
		if (action) carryOut(world, action, 0);
		else if (world.alive) {
			const { visit, attempt } = world.alive;
			report(world, world.alive);
			if (isParked(world.testRun.run) || world.testRun.run.stage.kind === "stopping") continue;
			const [target = "done"] = planOf(run).next;
			if (say(world, { kind: "move_requested", visit, attempt, target, summary: `end ${step}` })) world.promised += 1;
		} else throw new Error(`stuck in ${JSON.stringify(run.stage)}`);
	}
	throw new Error("the run never comes to rest");
}

export function play(template: object, story: readonly (readonly [number, number, number])[]): World {
	const world = worldOf(open(template));
	check(world);
	for (const happening of story) act(world, happening);
	settle(world);
	checkStory(world);
	return world;
}

/** Continues a run whose supervisor and worker died after `events`, until it is parked or over. */
export function playAfterCrash(events: readonly LedgerEvent[]): World {
	const world = worldOf(resume(events));
	crash(world, true);
	settle(world);
	checkStory(world);
	return world;
}
