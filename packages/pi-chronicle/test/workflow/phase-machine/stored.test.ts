// The stored form of a run in the session, and the handling of any other data found there.
import { describe, expect, it } from "vitest";
import {
	activeTime,
	currentPhase,
	type DatedState,
	type EndedVisit,
	foldHistory,
	type PhaseVisit,
	pinnedDefinitions,
	reachable,
	readPinned,
	readState,
	restoreRun,
	storeRun,
	type WorkflowRun,
	workflowTransition,
} from "../../../src/workflow/phase-machine/index.ts";
import { begin, drafts, happen, type Told } from "../definition-builder.ts";
import { referenceState } from "../reference-state.ts";

const definitions = drafts({ w: ["a", "b", "c"], p: ["a", "@s", "c"], s: ["s1", "s2"] });

/** The run that data in the session describes, or the problem with it. */
function open(data: unknown, source = definitions): WorkflowRun | string {
	const read = readState(data);
	if (read.kind === "invalid") return read.problem;
	const restored = restoreRun(read.state, { kind: "catalogue", definitions: source });
	return restored.kind === "run" ? restored.run : restored.problem;
}

function live(data: unknown) {
	const run = open(data);
	if (typeof run === "string" || run.kind !== "live") throw new Error(`not live: ${JSON.stringify(run)}`);
	return run;
}

describe("states of the reference package", () => {
	it("are read unchanged", () => {
		const run = live(referenceState());
		expect([currentPhase(run).id, run.step, run.task, run.status.kind]).toEqual(["b", 1, "from before", "running"]);
	});

	it("may have an index without a path, and a missing count", () => {
		const { currentPath: _, globalStepCount: __, ...old } = referenceState();
		const run = live({ ...old, currentPhaseIndex: 2 });
		expect([run.position, run.step]).toEqual([[{ workflowKey: "w", phaseIndex: 2, loops: 0 }], 2]);
	});

	it("may have a path that ends at a reference, which means its first phase", () => {
		const run = live(referenceState({ workflowKey: "p", currentPath: [{ workflowKey: "p", phaseIndex: 1 }] }));
		expect(currentPhase(run).id).toBe("s1");
	});

	it("may have an unannounced end, which counts as an end", () => {
		const run = open(referenceState({ active: false, cancelled: true }));
		expect(typeof run === "string" ? run : run.status).toEqual({ kind: "cancelled" });
		const done = open(referenceState({ active: false }));
		expect(typeof done === "string" ? done : done.status).toEqual({ kind: "done" });
	});

	it("leave a run that only the user can end if their definition is gone", () => {
		const run = open(referenceState(), new Map());
		if (typeof run === "string") throw new Error(run);
		expect(run).toMatchObject({ kind: "stale", missing: "w", status: { kind: "running" } });
		for (const event of [
			{ kind: "next", at: 1, message: "m" },
			{ kind: "loop", at: 1, message: "m" },
			{ kind: "skip", at: 1 },
			{ kind: "back", at: 1 },
		] as const)
			expect(happen(run, event)).toEqual({
				run,
				actions: [{ kind: "refused", refusal: { kind: "stale", missing: "w" } }],
			});
		expect(happen(run, { kind: "abandon", at: 1 }).run.status.kind).toBe("cancelled");
		expect(happen(run, { kind: "reload", definitions }).run).toMatchObject({ kind: "live", step: 1 });
	});
});

describe("invalid values are not accepted:", () => {
	const path = (...currentPath: unknown[]) => referenceState({ currentPath });
	const bad: [string, unknown][] = [
		["no object", "text"],
		["null", null],
		["a list", []],
		["nothing in it", {}],
		["no workflow", referenceState({ workflowKey: undefined })],
		["an empty key", referenceState({ workflowKey: "" })],
		["an empty path", path()],
		["a path that is a text", referenceState({ currentPath: "w" })],
		["a part that is null", path(null)],
		["a part without a number", path({ workflowKey: "w" })],
		["a number that is a text", path({ workflowKey: "w", phaseIndex: "1" })],
		["a negative number", path({ workflowKey: "w", phaseIndex: -1 })],
		["a fraction", path({ workflowKey: "w", phaseIndex: 1.5 })],
		["not a number", path({ workflowKey: "w", phaseIndex: Number.NaN })],
		["a number that is too large", path({ workflowKey: "w", phaseIndex: 3 })],
		["a huge number", path({ workflowKey: "w", phaseIndex: 1e300 })],
		["another workflow at its root", path({ workflowKey: "p", phaseIndex: 0 })],
		[
			"an inner workflow that is not there",
			path({ workflowKey: "w", phaseIndex: 0 }, { workflowKey: "s", phaseIndex: 0 }),
		],
		["a flag that is a text", referenceState({ active: "yes" })],
		["a flag that is a number", referenceState({ cancelled: 0 })],
		["a step that is a text", referenceState({ globalStepCount: "1" })],
		["a negative step", referenceState({ globalStepCount: -1 })],
		["a time that is a text", referenceState({ startedAt: "now" })],
		["an id that is a number", referenceState({ taskId: 7 })],
		["a task that is a list", referenceState({ taskDescription: [] })],
		["a pause without a cause", referenceState({ paused: {} })],
		["a visit that ended in no way", referenceState({ left: { way: "jump" } })],
	];
	it.each(bad)("%s", (_what, data) => {
		expect(typeof open(data)).toBe("string");
	});

	it("keys of the object prototype are ordinary keys", () => {
		for (const key of ["constructor", "__proto__", "toString"])
			expect(
				open(referenceState({ workflowKey: key, currentPath: [{ workflowKey: key, phaseIndex: 0 }] })),
			).toMatchObject({
				kind: "stale",
				missing: key,
			});
	});

	it("unknown fields are ignored", () => {
		expect(live(referenceState({ later: { than: "now" } })).step).toBe(1);
	});
});

describe("a position is found by the id of its phase", () => {
	it("if a phase was inserted before it and the pinned copy is lost", () => {
		const state = storeRun(live(referenceState()), { pinned: undefined });
		const changed = drafts({ w: ["new", "a", "b", "c"] });
		const run = open(JSON.parse(JSON.stringify(state)), changed);
		if (typeof run === "string" || run.kind !== "live") throw new Error("not live");
		expect([run.position[0]?.phaseIndex, currentPhase(run).id]).toEqual([2, "b"]);
		expect(open(state, drafts({ w: ["a", "c"] }))).toMatchObject({ kind: "stale", missing: "b" });
	});

	it("but must match a pinned copy exactly", () => {
		const read = readState(storeRun(live(referenceState()), { pinned: "e1" }));
		if (read.kind !== "state") throw new Error(read.problem);
		const pinned = (keys: string[]) =>
			restoreRun(read.state, { kind: "pinned", definitions: drafts({ w: keys }), task: "whole" });
		expect(pinned(["a", "b"])).toMatchObject({ kind: "run", run: { kind: "live", task: "whole" } });
		expect(pinned(["b", "a"])).toMatchObject({ kind: "invalid" });
	});
});

describe("the written state", () => {
	it("can be read by the reference package", () => {
		const state = storeRun(begin(definitions, "p"), { pinned: "e1" });
		expect(state).toMatchObject({
			active: true,
			workflowKey: "p",
			currentPath: [{ workflowKey: "p", phaseIndex: 0 }],
			globalStepCount: 0,
			taskId: expect.stringMatching(/^wf-\d+-\w{6}$/),
			taskDescription: "the task",
			startedAt: 1000,
			completionNotified: false,
			cancelled: false,
		});
	});

	it("has the same size after a thousand phases as after one, whatever the task", () => {
		const long = begin(drafts({ w: ["a", "b"], p: ["@w"] }), "p", "long ".repeat(2_000));
		const size = (run: WorkflowRun) => JSON.stringify(storeRun(run, { pinned: "a1b2c3d4", left })).length;
		const left = {
			phaseId: "a",
			way: "next",
			from: 1_747_234_567_890,
			to: 1_747_234_567_890,
			summary: undefined,
		} as const;
		let run: WorkflowRun = long;
		for (let step = 0; step < 1_000; step++)
			run = happen(run, { kind: step % 2 ? "loop" : "next", at: 1_747_234_567_890, message: `m${step}` }).run;
		expect(run.step).toBe(1_000);
		expect(size(run)).toBeLessThan(600);
		expect(size(run) - size(long)).toBeLessThan(30);
	});

	it("cuts the task to the available room, and has all of it at the start", () => {
		const task = `${'Make "it" work:\n'.repeat(5)}and test it`;
		for (const [key, whole] of [
			["w", true],
			["deep", false],
		] as const) {
			const run = begin(
				drafts({ w: ["a", "b"], deep: ["@in"], in: ["@further"], further: ["a phase", "b"] }),
				key,
				task,
			);
			expect(storeRun(run, { pinned: "a1b2c3d4", note: "begun" }).taskDescription).toBe(task);
			const { run: moved } = happen(run, { kind: "next", at: 1_747_234_567_890, message: "m" });
			const state = storeRun(moved, { pinned: "a1b2c3d4", left: { way: "next", summary: "s".repeat(500) } });
			expect(state.taskDescription === task).toBe(whole);
			expect(task.startsWith(state.taskDescription.replace("…", ""))).toBe(true);
			expect(state.taskDescription.length).toBeGreaterThan(20);
			expect(Buffer.byteLength(JSON.stringify(state)) - 500).toBeLessThan(470);
		}
		const endless = storeRun(begin(definitions, "w", "x".repeat(100_000)), { pinned: "e", note: "begun" });
		expect(Buffer.byteLength(JSON.stringify(endless))).toBeLessThan(2_600);
	});

	it("keeps the summary of the model, within bounds", () => {
		const next = { kind: "next", at: 2000, message: "m", summary: "s".repeat(40_000) } as const;
		const { run, actions } = happen(begin(definitions, "w"), next);
		const persist = actions.find((action) => action.kind === "persist");
		const state = storeRun(run, { pinned: undefined, left: persist?.left });
		expect(Buffer.byteLength(state.left?.summary ?? "")).toBe(32_000);
	});

	it("is never cut within a character", () => {
		const run = begin(definitions, "w", "🏳️‍🌈".repeat(40));
		expect(storeRun(run, { pinned: undefined }).taskDescription.isWellFormed()).toBe(true);
	});
});

describe("the pinned copy", () => {
	const copy = (keys: string[], root = "p") => ({
		version: 1,
		taskId: "wf-1",
		task: "all of it",
		root,
		definitions: JSON.parse(
			JSON.stringify(pinnedDefinitions(new Map([...definitions].filter(([key]) => keys.includes(key))))),
		),
	});

	it("contains the workflow and its references, and reads back unchanged", () => {
		expect([...reachable(definitions, "p").keys()]).toEqual(["p", "s"]);
		const read = readPinned(copy(["p", "s"]));
		expect(read?.task).toBe("all of it");
		expect(read && pinnedDefinitions(read.definitions)).toEqual(pinnedDefinitions(reachable(definitions, "p")));
	});

	it("is refused if a part is missing, circular or of another kind, so that no limit is lost", () => {
		const whole = copy(["p", "s"]);
		expect(readPinned(copy(["p"]))).toBeUndefined();
		expect(readPinned(copy(["p", "s"], "q"))).toBeUndefined();
		expect(readPinned({ ...whole, version: 2 })).toBeUndefined();
		expect(readPinned(undefined)).toBeUndefined();
		const broken = (change: (definition: Record<string, unknown>) => void) => {
			const next = structuredClone(whole);
			change(next.definitions[1]);
			return readPinned(next);
		};
		expect(broken(() => {})).toBeDefined();
		expect(broken((s) => Object.assign(s, { entries: [] }))).toBeUndefined();
		expect(broken((s) => Object.assign(s, { entries: [{ kind: "reference", key: "p" }] }))).toBeUndefined();
		expect(
			broken((s) => Object.assign((s.entries as object[])[0] ?? {}, { tools: { kind: "blacklist" } })),
		).toBeUndefined();
		expect(broken((s) => Object.assign((s.entries as object[])[0] ?? {}, { tools: undefined }))).toBeUndefined();
	});
});

describe("history", () => {
	/** A run whose states are written as they come, each at the time that its step names. */
	function story(...steps: readonly (readonly [number, Told])[]) {
		const states: DatedState[] = [];
		let run: WorkflowRun = begin(definitions, "w");
		const write = (at: number, left: EndedVisit | undefined) =>
			states.unshift({ state: storeRun(run, { pinned: undefined, left }), at });
		states.unshift({ state: storeRun({ ...run, id: "wf-other" }, { pinned: undefined }), at: 900 });
		write(1000, undefined);
		for (const [at, told] of steps) {
			const { run: after, actions } = happen(run, told);
			run = after;
			for (const action of actions) if (action.kind === "persist") write(at, action.left);
		}
		return (now: number) => foldHistory(states, run.id, now);
	}
	const next = (at: number, summary?: string) =>
		[at, { kind: "next", at, message: `m${at}`, ...(summary ? { summary } : {}) }] as const;
	const pause = (at: number) => [at, { kind: "pause", by: "person" }] as const;
	const resume = (at: number) => [at, { kind: "resume" }] as const;

	it("is derived from the run's states only, oldest first", () => {
		expect(story(next(2000, "first"), next(3000))(9000).slice(0, 2)).toEqual([
			{ phaseId: "a", way: "next", from: 1000, to: 2000, paused: 0, summary: "first" },
			{ phaseId: "b", way: "next", from: 2000, to: 3000, paused: 0, summary: undefined },
		]);
	});

	it("includes the current visit, and the one in which the run was canceled", () => {
		expect(story(next(2000))(5000).at(-1)).toMatchObject({ phaseId: "b", way: undefined, from: 2000, to: 5000 });
		const cancelled = story(next(2000), [4000, { kind: "abandon", at: 4000 }])(9000);
		expect(cancelled).toHaveLength(2);
		expect(cancelled.at(-1)).toMatchObject({ phaseId: "b", way: undefined, from: 2000, to: 4000 });
	});

	it("excludes pauses: closed, open, ended by a cancel, or split by a move", () => {
		const times = (visits: readonly PhaseVisit[]) => visits.map(activeTime);
		expect(times(story(pause(1500), resume(1800), next(2000))(2500))).toEqual([700, 500]);
		expect(times(story(next(2000), pause(2100))(9000))).toEqual([1000, 100]);
		expect(times(story(pause(1500), [1900, { kind: "abandon", at: 1900 }])(9000))).toEqual([500]);
		expect(times(story(pause(1500), [1700, { kind: "skip", at: 1700 }], resume(2000))(2500))).toEqual([500, 500]);
	});
});

describe("what a change stores", () => {
	const run = begin(definitions, "w");
	const change = { pinned: undefined };
	const parts = ({ pin, left, note, away }: ReturnType<typeof storeRun>) => ({ pin, left, note, away });
	it.each<[stored: Parameters<typeof storeRun>[1], state: object]>([
		[{ pinned: "e1" }, { pin: "e1" }],
		[{ ...change, note: "resumed" }, { note: "resumed" }],
		[{ ...change, away: 7 }, { away: 7 }],
		[{ ...change, left: { way: "next", summary: undefined } }, { left: { way: "next" } }],
		[
			{ ...change, left: { way: "next", summary: "s", by: "person" } },
			{ left: { way: "next", summary: "s", by: "person" } },
		],
		[change, {}],
	])("%j: exactly that", (stored, state) => {
		const { pin, left, note, away, ...others } = storeRun(run, stored);
		expect(
			Object.fromEntries(Object.entries({ pin, left, note, away }).filter(([, part]) => part !== undefined)),
		).toEqual(state);
		const read = readState({ ...others, ...state });
		expect(read.kind === "state" && parts(read.state)).toEqual(parts({ ...others, ...state }));
	});

	it.each([[""], [3], [null], [undefined]])("with %j as its workflow is not accepted", (workflowKey) => {
		expect(readState(referenceState({ workflowKey, currentPath: undefined, currentPhaseIndex: 0 })).kind).toBe(
			"invalid",
		);
	});
});

describe("a message of the user", () => {
	it.each(["person", "interrupt", "error", "reminders", "bounds"] as const)("after a pause by %s", (by) => {
		const paused: WorkflowRun = { ...begin(definitions, "w"), status: { kind: "paused", by, why: undefined } };
		const { run } = workflowTransition(paused, { kind: "spoken" });
		expect(run.status.kind).toBe("running");
	});
});
