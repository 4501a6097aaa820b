// Cancel, pause and reminders: the decisions of the machine other than navigation.
import { describe, expect, it } from "vitest";
import {
	readState,
	restoreRun,
	storeRun,
	type WorkflowRun,
	workflowTransition,
} from "../../../src/workflow/phase-machine/index.ts";
import { begin, drafts, openHearing, type Told } from "../definition-builder.ts";

const patience = { row: 3, visit: 6 };
const stopped: Told = { kind: "stopped", patience };
const cancel = (message: string): Told => ({ kind: "cancel", at: 5000, message });
const next = (message: string): Told => ({ kind: "next", at: 5000, message });

/** Applies the events in turn; returns the run and, for each event, the kinds of its actions. */
function play(run: WorkflowRun, ...events: Told[]) {
	const told: string[][] = [];
	let current = run;
	const hear = openHearing();
	for (const event of events) {
		const { run: after, actions } = hear(current, event);
		current = after;
		told.push(actions.map((action) => (action.kind === "refused" ? action.refusal.kind : action.kind)));
	}
	return { run: current, told };
}

const flat = () => begin(drafts({ w: ["a", "b", "c"] }), "w");

describe("a cancel by the model", () => {
	it("asks for confirmation, and a repeated cancel in a later message ends the run", () => {
		const { run, told } = play(flat(), cancel("m1"), cancel("m2"));
		expect(told).toEqual([["ask-cancel"], ["persist", "ended"]]);
		expect(run.status.kind).toBe("cancelled");
	});

	it("only asks if both are in one message", () => {
		const { run, told } = play(flat(), cancel("m1"), cancel("m1"));
		expect(told).toEqual([["ask-cancel"], ["ask-cancel"]]);
		expect(run.status.kind).toBe("running");
	});

	it.each<[string, Told]>([
		["next", next("m2")],
		["loop", { kind: "loop", at: 5000, message: "m2" }],
		["status", { kind: "status" }],
		["a new run of the model", { kind: "begun" }],
		["a message of the user", { kind: "spoken" }],
		["skip", { kind: "skip", at: 5000 }],
		["pause", { kind: "pause", by: "person" }],
	])("asks again after %s", (_what, event) => {
		const { told } = play(flat(), cancel("m1"), event, cancel("m3"));
		expect(told[2]).toEqual(["ask-cancel"]);
	});

	it("is no longer pending after a refused next", () => {
		const { told } = play(flat(), next("m1"), cancel("m2"), next("m1"), cancel("m3"));
		expect(told).toEqual([["persist", "moved"], ["ask-cancel"], ["earlier-visit"], ["ask-cancel"]]);
	});

	it("is never stored while pending", () => {
		const { run } = play(flat(), cancel("m1"));
		const read = readState(JSON.parse(JSON.stringify(storeRun(run, { pinned: undefined }))));
		if (read.kind !== "state") throw new Error(read.problem);
		const restored = restoreRun(read.state, { kind: "catalogue", definitions: drafts({ w: ["a", "b", "c"] }) });
		if (restored.kind !== "run") throw new Error(restored.problem);
		expect(play(restored.run, cancel("m2")).told).toEqual([["ask-cancel"]]);
	});

	it("works while the run is paused, and if its definition is gone", () => {
		expect(play(flat(), { kind: "pause", by: "person" }, cancel("m1"), cancel("m2")).run.status.kind).toBe("cancelled");
		const stale = restoreRun(
			{ ...storeRun(flat(), { pinned: undefined }), active: true },
			{ kind: "catalogue", definitions: new Map() },
		);
		if (stale.kind !== "run") throw new Error(stale.problem);
		expect(play(stale.run, cancel("m1"), cancel("m2")).run.status.kind).toBe("cancelled");
	});
});

describe("a message", () => {
	it("may change the phase once: a second next or loop is refused", () => {
		const { run, told } = play(flat(), next("m1"), next("m1"), { kind: "loop", at: 1, message: "m1" }, next("m2"));
		expect(told).toEqual([["persist", "moved"], ["earlier-visit"], ["earlier-visit"], ["persist", "moved"]]);
		expect(run.position[0]?.phaseIndex).toBe(2);
	});
});

describe("pause", () => {
	it("ends by resume", () => {
		const paused = play(flat(), { kind: "pause", by: "person" });
		expect(paused.told).toEqual([["persist", "paused"]]);
		const { told, run } = play(
			paused.run,
			next("m1"),
			{ kind: "begun" },
			stopped,
			next("m2"),
			{ kind: "resume" },
			next("m3"),
		);
		expect(told).toEqual([["paused"], [], [], ["paused"], ["persist", "resumed"], ["persist", "moved"]]);
		expect(run.status.kind).toBe("running");
	});

	it.each(["person", "interrupt", "error", "reminders", "bounds"] as const)(
		"by %s ends by the user's message",
		(by) => {
			const { told } = play(flat(), { kind: "pause", by }, { kind: "spoken" }, next("m1"));
			expect(told).toEqual([
				["persist", "paused"],
				["persist", "resumed"],
				["persist", "moved"],
			]);
		},
	);

	it("a second pause and a resume without a pause change nothing", () => {
		expect(play(flat(), { kind: "resume" }).told).toEqual([["not-paused"]]);
		const pause: Told = { kind: "pause", by: "person" };
		expect(play(flat(), pause, pause).told[1]).toEqual(["already-paused"]);
	});

	it("back and skip move a paused run and leave it paused", () => {
		const { run } = play(flat(), { kind: "pause", by: "person" }, { kind: "skip", at: 1 });
		expect([run.status.kind, run.position[0]?.phaseIndex]).toEqual(["paused", 1]);
	});
});

describe("reminders", () => {
	it("pause the run after three in a row", () => {
		const { told, run } = play(flat(), stopped, stopped, stopped, stopped, stopped);
		expect(told).toEqual([["remind"], ["remind"], ["remind"], ["persist", "paused"], []]);
		expect(run.status).toMatchObject({ kind: "paused", by: "reminders" });
	});

	it("restart their count after work, but keep the total of the phase", () => {
		const { told } = play(flat(), ...Array.from({ length: 7 }, (): Told[] => [stopped, { kind: "worked" }]).flat());
		const reminders = told.filter((_, index) => index % 2 === 0);
		expect(reminders).toEqual([...Array.from({ length: 6 }, () => ["remind"]), ["persist", "paused"]]);
	});

	it("restart their count in another phase and after a user message", () => {
		for (const event of [next("m"), { kind: "spoken" } as const]) {
			const { told } = play(flat(), stopped, stopped, stopped, event, stopped);
			expect(told.at(-1)).toEqual(["remind"]);
		}
	});

	it("a provider error pauses the run at once", () => {
		const { run, told } = play(flat(), { kind: "failed", why: "401 bad key" }, stopped);
		expect(told).toEqual([["persist", "paused"], []]);
		expect(run.status).toEqual({ kind: "paused", by: "error", why: "401 bad key" });
	});

	it("autoContinue: false of the phase or an outer workflow waits for the user", () => {
		const byPhase = begin(drafts({ w: [{ id: "a", autoContinue: false }, "b"] }), "w");
		expect(play(byPhase, stopped, next("m"), stopped).told).toEqual([["wait"], ["persist", "moved"], ["remind"]]);
		const byOuter = begin(
			drafts({ p: { entries: ["@s"], autoContinue: false }, s: ["a", { id: "b", autoContinue: true }] }),
			"p",
		);
		expect(play(byOuter, stopped, next("m"), stopped).told).toEqual([["wait"], ["persist", "moved"], ["remind"]]);
	});
});

describe("a question to the user", () => {
	const question: Told = { kind: "ask", message: "m1", question: "Which?" };
	const answer: Told = { kind: "spoken" };

	it("waits without reminders and refuses every step of the model until the user's message", () => {
		const { told, run } = play(
			flat(),
			question,
			stopped,
			next("m2"),
			cancel("m2"),
			{ kind: "status" },
			answer,
			next("m3"),
		);
		expect(told).toEqual([
			["persist", "question"],
			["wait"],
			["asked"],
			["asked"],
			[],
			["persist", "resumed"],
			["persist", "moved"],
		]);
		expect(run.question).toBeUndefined();
	});

	it("is stored, survives a pause, and ends with a move of the user", () => {
		const paused = play(flat(), question, { kind: "pause", by: "person" }).run;
		const state = JSON.parse(JSON.stringify(storeRun(paused, { pinned: undefined })));
		expect(state).toMatchObject({ active: true, asks: "Which?", paused: { by: "person" } });
		const read = readState(state);
		if (read.kind !== "state") throw new Error(read.problem);
		const restored = restoreRun(read.state, { kind: "catalogue", definitions: drafts({ w: ["a", "b", "c"] }) });
		if (restored.kind !== "run") throw new Error(restored.problem);
		const resumed = play(restored.run, { kind: "resume" });
		expect([resumed.run.status.kind, resumed.run.question]).toEqual(["running", "Which?"]);
		expect(play(resumed.run, { kind: "resume" }).run.question).toBeUndefined();
		expect(play(resumed.run, { kind: "skip", at: 1 }).run.question).toBeUndefined();
		expect(readState({ ...state, asks: 1 }).kind).toBe("invalid");
	});

	it("at the end of a text is answered by one reminder, and is asked the second time", () => {
		const asks: Told = { kind: "stopped", patience: { row: 3, visit: 6 }, question: "Which?" };
		expect(play(flat(), asks, { kind: "worked" }, asks).told).toEqual([["remind"], [], ["persist", "question"]]);
		expect(play(flat(), asks, answer, asks).told.at(-1)).toEqual(["remind"]);
		expect(play(flat(), stopped, stopped, stopped, asks).told.at(-1)).toEqual(["persist", "question"]);
		const { actions } = workflowTransition(flat(), {
			kind: "stopped",
			patience: { row: 3, visit: 6 },
			question: "Which?",
		});
		expect(actions).toEqual([{ kind: "remind", about: "question", count: 1, of: 3 }]);
	});
});

describe("a finished run", () => {
	it("refuses every event", () => {
		const done = play(begin(drafts({ w: ["a"] }), "w"), next("m1")).run;
		for (const event of [next("m2"), cancel("m2"), { kind: "resume" }, { kind: "back", at: 1 }, stopped] as Told[]) {
			const { told, run } = play(done, event);
			expect(told).toEqual([["ended"]]);
			expect(run).toBe(done);
		}
	});
});

describe("reload", () => {
	const before = drafts({ p: ["a", "@s", "@s", "z"], s: ["s1", "s2"] });
	const at = (run: WorkflowRun) => run.position.map(({ workflowKey, phaseIndex }) => `${workflowKey}:${phaseIndex}`);
	const second = play(begin(before, "p"), next("1"), next("2"), next("3"), next("4")).run;

	it("finds the phase by its id and by its path of references", () => {
		expect(at(second)).toEqual(["p:2", "s:1"]);
		const after = drafts({ p: ["new", "a", "@s", "b", "@s", "z"], s: ["s0", "s2", "s1"] });
		const { run, told } = play(second, { kind: "reload", definitions: after });
		expect(told).toEqual([["persist", "reloaded"]]);
		expect(at(run)).toEqual(["p:4", "s:1"]);
	});

	it("is refused if the phase or a workflow on its path is gone, and nothing changes", () => {
		for (const [after, what, id] of [
			[drafts({ p: ["a", "@s", "@s"], s: ["s1"] }), "phase", "s2"],
			[drafts({ p: ["a", "z"], s: ["s1", "s2"] }), "workflow", "s"],
			[drafts({ q: ["a"] }), "workflow", "p"],
		] as const) {
			const { run, actions } = workflowTransition(second, { kind: "reload", definitions: after });
			expect(actions).toEqual([{ kind: "refused", refusal: { kind: "gone", what, id } }]);
			expect(run).toBe(second);
		}
	});
});
