// Evidence of a coverage rehearsal in the traces of a run: a plan alone covers nothing, and a failed limit is reported.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileDefinition } from "@pi-chronicle/core/template";
import { describe, expect, it } from "vitest";
import { chronicleEvidence, readSession, workflowEvidence } from "../../../src/tools/rehearsal/every/index.ts";
import { tally } from "../../../src/tools/rehearsal/rehearse-every.ts";
import type { PlayedVisit } from "../../../src/tools/rehearsal/visits.ts";

const worker = (next: string[], more = {}) => ({ persona: "P", next, ...more });
const template = compileDefinition(
	{
		states: {
			a: worker(["b"], { tools: ["read"] }),
			b: worker(["a", "end"], { requires_approval: "exit" }),
			end: { next: [] },
		},
		limits: { pair_moves: 1, moves: 2 },
	},
	"any",
);
if (!template) throw new Error("The template does not compile.");

type Events = Parameters<typeof chronicleEvidence>[1];
/** An event with the fields that count as evidence. */
const event = (kind: Events[number]["kind"], fields: object = {}) => ({ kind, ...fields }) as Events[number];
const moved = (from: string, to: string, cause = "worker", refused?: string) =>
	event("moved", { from, to, cause, refused });
const wants = (target: string) => event("move_requested", { target });
/** `scope`: a workflow, or in a child run of a chronicle its template. */
const visit = (id: string, outcome: "ok" | "failed" | "refused", scope?: string): PlayedVisit => ({
	what: "state",
	scope,
	id,
	name: id,
	visit: 1,
	calls: [{ tool: "write", with: "rehearsal-probe", outcome }],
	requests: [],
	ms: 1,
	left: true,
});

describe("evidence of a chronicle's run", () => {
	it("covers moves and answers in its ledger", () => {
		const events = [
			wants("b"),
			moved("a", "b"),
			wants("end"),
			event("rejected"),
			event("attempt_reserved", { because: "rejected" }),
			wants("a"),
			event("approved"),
			moved("b", "human_intervention", "pair_limit", "a"),
		];
		const { covered, broken, end } = chronicleEvidence(template, events, [visit("a", "refused")]);
		expect([...covered].sort()).toEqual(["approval:exit:b:no", "approval:exit:b:yes", "move:a>b", "tools:a"]);
		expect([...broken]).toEqual([]);
		expect(end).toBe("it waits for the user in human_intervention (pair_limit)");
	});

	it("covers a question once its answer is the result of the call", () => {
		const asked = event("ask_opened", { call: "q1" });
		const ended = event("tool_ended", { call: "q1" });
		const questions = (...events: Events) =>
			[...chronicleEvidence(template, events, []).covered].filter((id) => id.startsWith("question"));
		const answered = event("ask_answered");
		expect(questions(wants("b"), moved("a", "b"), asked, answered, ended)).toEqual(["question:b"]);
		for (const events of [
			[asked, ended],
			[asked, answered],
			[answered, ended],
			[asked, answered, asked, ended],
		])
			expect(questions(...events)).toEqual([]);
	});

	it("counts the calls of a child's worker only for the child's template", () => {
		const visits = [visit("a", "refused", "part")];
		expect([...chronicleEvidence(template, [], visits).covered]).toEqual([]);
		expect([...chronicleEvidence(template, [], visits, "part").covered]).toEqual(["tools:a"]);
		expect([...chronicleEvidence(template, [moved("a", "b", "children")], visits).covered]).toEqual(["move:a>b"]);
	});

	it.each<[string, Events, readonly PlayedVisit[], [string, string][]]>([
		["a call that was let through", [], [visit("a", "ok")], [["tools:a", "write was not refused"]]],
		["a call that ran and failed", [], [visit("a", "failed")], [["tools:a", "write was not refused"]]],
		[
			"a move that a person has refused",
			[wants("b"), moved("a", "b"), wants("end"), event("rejected"), moved("b", "end")],
			[],
			[["approval:exit:b:no", "the run moved on"]],
		],
	])("reports what was not refused: %s", (_, events, parts, expected) => {
		expect([...chronicleEvidence(template, events, parts).broken]).toEqual(expected);
	});
});

describe("evidence of a workflow's run", () => {
	const phase = (id: string, advance: "agent" | "person") => ({
		kind: "phase",
		id,
		name: id,
		advance,
		tools: { kind: "free" },
	});
	const small = {
		key: "small",
		name: "Small",
		loopable: true,
		maxLoops: 1,
		autoContinue: true,
		entries: [phase("a", "agent"), phase("b", "person")],
	};
	const definitions = new Map([["small", small]]) as unknown as Parameters<typeof workflowEvidence>[0];
	const state = (phaseIndex: number, more = {}) => ({
		type: "custom",
		customType: "workflow:state",
		data: {
			active: true,
			workflowKey: "small",
			startedAt: 1,
			currentPath: [{ workflowKey: "small", phaseIndex, ...more }],
			...more,
		},
	});

	it("covers transitions, loops, refusals and pauses in its session", () => {
		const entries = [
			state(0),
			state(0, { loops: 1, left: { way: "loop" } }),
			state(1, { left: { way: "next" } }),
			{
				type: "message",
				message: { role: "toolResult", toolName: "workflow_step", details: { error: "person-decides" } },
			},
			{ type: "message", message: { role: "user", content: [{ type: "text", text: "Not like this." }] } },
			state(0, { left: { way: "back" } }),
			state(0, { paused: { by: "reminders", why: "3 reminders in a row had no effect" } }),
		];
		const { covered, broken } = workflowEvidence(definitions, "small", entries, [visit("a", "refused", "small")]);
		expect([...covered].sort()).toEqual([
			"back:small:1",
			"loop:small:0",
			"move:small:0",
			"person:small:1:agent",
			"person:small:1:no",
			"tools:small/a",
		]);
		expect([...broken]).toEqual([]);
	});

	it("skips lines of a session that are no entries, such as a torn last one", () => {
		const folder = mkdtempSync(join(tmpdir(), "evidence-"));
		const file = join(folder, "s.jsonl");
		const bad = ["", "null", "7", "[]", '{"type":1}', '{"type":"message","message":"text"}', '{"type":"mess'];
		writeFileSync(file, [JSON.stringify(state(0)), ...bad].join("\n"));
		const entries = readSession(file);
		rmSync(folder, { recursive: true });
		expect(entries).toEqual([state(0)]);
		const ask = { type: "message", message: { role: "user", details: null } };
		expect(workflowEvidence(definitions, "small", [...entries, ask], []).end).toBe("it stopped in a");
	});

	it("reports what was not refused", () => {
		const entries = [state(0), state(1, { left: { way: "next" } }), state(1, { active: false, left: { way: "next" } })];
		expect([...workflowEvidence(definitions, "small", entries, [visit("a", "ok", "small")]).broken]).toEqual([
			["person:small:1:agent", "the agent ended it"],
			["tools:small/a", "write was not refused"],
		]);
	});
});

describe("the coverage total", () => {
	const item = (id: string) => ({ id, group: "tools" as const, text: id });
	const run = (...covers: string[]) => ({ title: "", covers, script: {} });
	const shown = (covers: string[], covered: string[], broken: [string, string][] = []) => ({
		run: run(...covers),
		evidence: { covered: new Set(covered), broken: new Map(broken), end: "it paused" },
	});
	const plan = { items: [item("one"), item("two")], unreachable: [], skipped: [], runs: [] };

	it("is complete only if every item was seen", () => {
		expect(tally(plan, [shown(["one"], ["one"]), shown(["two"], ["two"])])).toMatchObject({ outcome: "complete" });
		const planned = tally(plan, [shown(["one", "two"], ["one"])]);
		expect(planned).toMatchObject({ outcome: "incomplete", notCovered: [{ id: "two", why: "tried, but it paused" }] });
		expect(tally(plan, [])).toMatchObject({ outcome: "incomplete", notCovered: [{ why: "no run reached it" }, {}] });
	});

	it("is incomplete with a refusal that failed once after holding, and with a skipped one", () => {
		const broken = tally(plan, [shown([], ["one", "two"]), shown([], [], [["two", "move 4 was made"]])]);
		expect(broken).toMatchObject({ outcome: "incomplete", notEnforced: [{ id: "two", why: "move 4 was made" }] });
		expect(broken.covered.map(({ id }) => id)).toEqual(["one"]);
		const skipped = { ...plan, items: [], skipped: [{ ...item("three"), why: "too long" }] };
		expect(tally(skipped, [])).toMatchObject({ outcome: "incomplete", notCovered: [{ id: "three" }] });
	});
});
