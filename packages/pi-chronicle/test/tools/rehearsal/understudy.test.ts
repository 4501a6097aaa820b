// The understudy's answers: pure, so every case is tested without pi.
import { describe, expect, it } from "vitest";
import { calledOffText, handoffReminder, requestText, successorText } from "../../../src/companions/handoff/texts.ts";
import { asksForHandoff } from "../../../src/tools/rehearsal/handoff-request.ts";
import { automaticScenario, type Cue, type Scenario } from "../../../src/tools/rehearsal/scenario.ts";
import { answer, label, type RequestContext, type RunPosition } from "../../../src/tools/rehearsal/understudy.ts";

const builtIn = ["read", "bash", "edit", "write"];
const phase = (over: Partial<Extract<RunPosition, { kind: "phase" }>> = {}): RunPosition => ({
	kind: "phase",
	root: "feature",
	scope: "feature",
	id: "plan",
	visit: 1,
	turn: 0,
	endedBy: "agent",
	...over,
});
const state = (over: Partial<Extract<RunPosition, { kind: "state" }>> = {}): RunPosition => ({
	kind: "state",
	root: "feature",
	id: "planning",
	attempt: 1,
	visit: 1,
	turn: 0,
	targets: ["implementation", "done"],
	...over,
});
const scene = (position: RunPosition, over: Partial<RequestContext> = {}): RequestContext => ({
	position,
	tools: new Set([...builtIn, "workflow_step"]),
	results: [],
	handoffAsked: false,
	sampleFile: "README.md",
	...over,
});
const worker = new Set([...builtIn, "workflow_transition", "workflow_update_snapshot"]);
const cue = (over: Partial<Cue>): Cue => ({
	say: "",
	calls: [],
	exit: undefined,
	waitMs: 0,
	fail: undefined,
	person: undefined,
	...over,
});
const tools = (place: RunPosition, over: Partial<RequestContext> = {}, scenario: Scenario = automaticScenario) =>
	answer(scenario, scene(place, over)).calls.map(({ tool }) => tool);

describe("the automatic script of a phase", () => {
	it("tries reading, running and writing, then moves on", () => {
		expect(tools(phase())).toEqual(["read", "bash", "write"]);
		expect(answer(automaticScenario, scene(phase({ turn: 1 }))).calls).toEqual([
			{ tool: "workflow_step", input: { action: "next", summary: "Rehearsed plan." } },
		]);
	});

	it("writes only notes, one per visit, regardless of the phase's name", () => {
		const path = (id: string, visit: number) =>
			answer(automaticScenario, scene(phase({ id, visit }))).calls.find(({ tool }) => tool === "write")?.input.path;
		expect(path("plan", 2)).toBe("rehearsal-notes/plan-2.md");
		expect(path("../../etc/passwd", 1)).toBe("rehearsal-notes/-..-etc-passwd-1.md");
		expect(path("...", 1)).toBe("rehearsal-notes/note-1.md");
		expect(path("Prüfung 2", 1)).toBe("rehearsal-notes/Prüfung-2-1.md");
	});

	it("calls only what the request offers", () => {
		const offer = (...names: string[]) => ({ tools: new Set([...names, "workflow_step"]) });
		expect(tools(phase(), offer("read"))).toEqual(["read"]);
		expect(tools(phase(), offer("ls", "bash"))).toEqual(["ls", "bash"]);
		expect(tools(phase(), offer("write"))).toEqual(["write"]);
		expect(tools(phase(), { ...offer("read"), sampleFile: undefined })).toEqual(["workflow_step"]);
		expect(tools(phase(), offer())).toEqual(["workflow_step"]);
	});

	it("reports how its calls ended", () => {
		const results = [
			{ tool: "read", failed: false, text: "…" },
			{ tool: "write", failed: true, text: "not in this phase" },
		];
		const { text } = answer(automaticScenario, scene(phase({ turn: 1 }), { results }));
		expect(text).toContain("read ok, write refused or failed.");
	});

	it("retries a refused exit once, then stops with the reason", () => {
		const results = [{ tool: "workflow_step", failed: true, text: "The run is paused." }];
		expect(tools(phase({ turn: 2 }), { results })).toEqual(["workflow_step"]);
		for (const turn of [3, 4, 50]) {
			const { calls, text } = answer(automaticScenario, scene(phase({ turn }), { results }));
			expect(calls).toEqual([]);
			expect(text).toContain("The run is paused.");
		}
	});

	it("stops at once without a way to move on", () => {
		expect(tools(phase({ turn: 1 }), { tools: new Set(builtIn) })).toEqual([]);
	});
});

describe("the automatic script of a state", () => {
	it("tries allowed calls, saves a finding, and moves to the first target", () => {
		expect(tools(state(), { tools: worker })).toEqual(["read", "bash", "write"]);
		const { calls } = answer(automaticScenario, scene(state({ turn: 1 }), { tools: worker }));
		expect(calls.map(({ tool }) => tool)).toEqual(["workflow_update_snapshot", "workflow_transition"]);
		expect(calls[1]?.input).toEqual({ target_state: "implementation", summary: "Rehearsed planning." });
	});

	it("retries a rejected move once, then tries the next target, and stops after the last", () => {
		const target = (turn: number) =>
			answer(automaticScenario, scene(state({ turn }), { tools: worker })).calls.map(({ input }) => input.target_state);
		expect(target(2)).toEqual(["implementation"]);
		expect(target(3)).toEqual(["done"]);
		expect(target(4)).toEqual([]);
	});
});

describe("a script", () => {
	const scenario: Scenario = {
		...automaticScenario,
		phases: new Map([
			[
				"plan",
				[
					cue({
						say: "I read.",
						calls: [
							{ tool: "read", input: { path: "a" } },
							{ tool: "foreign", input: {} },
						],
					}),
					cue({ say: "Hm.", waitMs: 5, fail: "overloaded" }),
					cue({ exit: { kind: "step", action: "loop", summary: "again" } }),
				],
			],
			["silent", []],
		]),
		idle: [cue({ say: "Nothing to do." })],
	};

	it("is followed message by message, without tools that are not offered", () => {
		const first = answer(scenario, scene(phase()));
		expect(first.calls).toEqual([{ tool: "read", input: { path: "a" } }]);
		expect(first.text).toContain("not called: foreign");
		expect(answer(scenario, scene(phase({ turn: 1 })))).toMatchObject({ waitMs: 5, fail: "overloaded" });
		expect(answer(scenario, scene(phase({ turn: 2 }))).calls).toEqual([
			{ tool: "workflow_step", input: { action: "loop", summary: "again" } },
		]);
	});

	it("ends with the automatic exit if it has no exit or its exit was refused", () => {
		expect(tools(phase({ turn: 3 }), {}, scenario)).toEqual(["workflow_step"]);
		expect(tools(phase({ turn: 4 }), {}, scenario)).toEqual(["workflow_step"]);
		expect(tools(phase({ turn: 5 }), {}, scenario)).toEqual([]);
		expect(tools(phase({ id: "silent" }), {}, scenario)).toEqual(["workflow_step"]);
	});

	it("leaves other phases to the automatic script, and answers prompts while nothing runs", () => {
		expect(tools(phase({ id: "build" }), {}, scenario)).toEqual(["read", "bash", "write"]);
		expect(answer(scenario, scene({ kind: "idle", turn: 0 })).text).toContain("Nothing to do.");
		expect(answer(scenario, scene({ kind: "idle", turn: 1 })).calls).toEqual([]);
	});
});

it("the understudy starts every text with the label that it is no model", () => {
	const places = [
		phase(),
		phase({ turn: 1 }),
		phase({ turn: 9 }),
		state(),
		state({ turn: 9 }),
		{ kind: "idle", turn: 0 },
	];
	for (const place of places as RunPosition[]) {
		expect(answer(automaticScenario, scene(place)).text.startsWith(label)).toBe(true);
		expect(answer(automaticScenario, scene(place, { tools: new Set() })).text.startsWith(label)).toBe(true);
	}
	expect(label).toMatch(/no real model/);
});

it("the understudy answers a text-only request, such as a summary, without calls", () => {
	expect(tools(phase(), { tools: new Set() })).toEqual([]);
});

it("the understudy calls handoff when the user asks for one, not whenever it has the tool", () => {
	const having = new Set([...builtIn, "workflow_step", "handoff"]);
	expect(tools(phase(), { tools: having, handoffAsked: true })).toEqual(["handoff"]);
	expect(tools(phase(), { tools: having })).toEqual(["read", "bash", "write"]);
	const [request, reminder] = [requestText("go on", false), handoffReminder("go on")];
	const asks = [[request], [request, "news"], [reminder], [calledOffText, request]].map(asksForHandoff);
	expect(asks).toEqual([true, true, true, true]);
	expect([[], ["news"], [request, calledOffText], [successorText("go on")]].map(asksForHandoff)).toEqual([
		...Array(4).fill(false),
	]);
});
