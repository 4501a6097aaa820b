// Scenario files: accepted forms, diagnostics, and the cues that apply to a visit.

import { openSource } from "@pi-chronicle/core/definition";
import { describe, expect, it } from "vitest";
import { automaticScenario, type Cue, findCues } from "../../../src/tools/rehearsal/scenario.ts";
import { readScenario, readScenarioFile } from "../../../src/tools/rehearsal/scenario-file.ts";
import { answer, label } from "../../../src/tools/rehearsal/understudy.ts";

const read = (text: string) => readScenario(openSource("/project/feature.yaml", text));
const problems = (text: string) => {
	const { scenario, diagnostics } = read(text);
	expect(scenario).toBeUndefined();
	return diagnostics.map(({ line, column, code }) => `${line}:${column} ${code}`);
};

describe("a scenario file", () => {
	it("may have texts, calls, exits, waits and failures", () => {
		const { scenario, diagnostics } = read(`
phases:
  plan:
    - I read it first.
    - say: Two files.
      call: { read: { path: a }, ls: }
      wait: 20
    - call:
        - read: { path: a }
        - read: { path: b }
    - fail: overloaded
    - next: Planned.
  review:
    - loop: true
states:
  planning:
    - remember: { findings: [The port is 8081.] }
    - go: { to: implementation, summary: Planned. }
  implementation: [{ go: done }]
idle: [Nothing runs.]
`);
		expect(diagnostics).toEqual([]);
		const cue = { say: "", calls: [], exit: undefined, waitMs: 0, fail: undefined, person: undefined };
		const readCall = (path: string) => ({ tool: "read", input: { path } });
		expect(scenario?.phases.get("plan")).toEqual([
			{ ...cue, say: "I read it first." },
			{ ...cue, say: "Two files.", calls: [readCall("a"), { tool: "ls", input: {} }], waitMs: 20 },
			{ ...cue, calls: [readCall("a"), readCall("b")] },
			{ ...cue, fail: "overloaded" },
			{ ...cue, exit: { kind: "step", action: "next", summary: "Planned." } },
		]);
		expect(scenario?.phases.get("review")).toEqual([{ ...cue, exit: { kind: "step", action: "loop", summary: "" } }]);
		expect(scenario?.states.get("planning")).toEqual([
			{
				...cue,
				calls: [{ tool: "workflow_update_snapshot", input: { findings: ["The port is 8081."] } }],
			},
			{ ...cue, exit: { kind: "transition", to: "implementation", summary: "Planned." } },
		]);
		expect(scenario?.states.get("implementation")).toEqual([
			{ ...cue, exit: { kind: "transition", to: "done", summary: "" } },
		]);
		expect(scenario?.idle).toEqual([{ ...cue, say: "Nothing runs." }]);
	});

	it("may be JSON, empty, and have a byte order mark, CRLF and anchors", () => {
		expect(read('{"phases": {"a": [{"say": "x", "next": "y"}]}}').scenario?.phases.get("a")).toHaveLength(1);
		expect(read("\uFEFFphases:\r\n  a:\r\n    - say: x\r\n").scenario?.phases.get("a")).toHaveLength(1);
		expect(read("phases:\n  a: &same [x, y]\n  b: *same\n").scenario?.phases.get("b")).toHaveLength(2);
		expect(read("").scenario).toMatchObject({ idle: [] });
		expect(read("# nothing yet\n").scenario).toMatchObject({ idle: [] });
	});

	it("keeps names such as __proto__ and constructor", () => {
		const { scenario } = read(
			"phases:\n  __proto__: [x]\n  constructor: [y]\nidle:\n  - call: { __proto__: { a: 1 } }\n",
		);
		expect([...(scenario?.phases.keys() ?? [])]).toEqual(["__proto__", "constructor"]);
		expect(scenario?.idle[0]?.calls).toEqual([{ tool: "__proto__", input: { a: 1 } }]);
	});
});

describe("an invalid scenario file", () => {
	it.each([
		["phases: []", ["1:9 wrong-type"]],
		["- phases", ["1:1 wrong-type"]],
		["fases: {}", ["1:1 unknown-key"]],
		["phases:\n  plan: text", ["2:9 wrong-type"]],
		["phases:\n  plan:\n    - sya: x", ["3:7 unknown-key"]],
		["phases:\n  plan:\n    - 3", ["3:7 wrong-type"]],
		["phases:\n  plan:\n    - next:", ["3:7 empty-value"]],
		["phases:\n  plan:\n    - next: a\n      loop: b", ["3:7 two-exits"]],
		["phases:\n  plan:\n    - next: a\n      go: b", ["3:7 two-exits"]],
		["phases:\n  plan:\n    - call: read", ["3:13 wrong-type"]],
		["phases:\n  plan:\n    - call: { read: a.txt }", ["3:21 wrong-type"]],
		["phases:\n  plan:\n    - wait: -1", ["3:13 wrong-type"]],
		["phases:\n  plan:\n    - wait: 600000", ["3:13 wrong-type"]],
		["phases:\n  plan:\n    - say: 3", ["3:12 wrong-type"]],
		["states:\n  a:\n    - go: { summary: x }", ["3:11 missing-key"]],
		["phases:\n  '#2': []\n  a#0: []\n  b#x: []", ["2:3 bad-name", "3:3 bad-name", "4:3 bad-name"]],
		["phases: [", ["1:10 syntax"]],
	])("%j", (text, expected) => {
		expect(problems(text)).toEqual(expected);
	});

	it("has all problems reported at once, in file order", () => {
		expect(problems("fases: {}\nphases:\n  a:\n    - sya: x\n    - call: 3\n  '#': []\nidle: 7\n")).toEqual([
			"1:1 unknown-key",
			"4:7 unknown-key",
			"5:13 wrong-type",
			"6:3 bad-name",
			"7:7 wrong-type",
		]);
	});

	it("with exponential aliases is refused", () => {
		const levels = Array.from({ length: 12 }, (_, level) =>
			level === 0
				? "a0: &a0 [x, x]"
				: `a${level}: &a${level} [${Array(9)
						.fill(`*a${level - 1}`)
						.join(", ")}]`,
		);
		const text = `idle:\n  - call:\n      read:\n${levels.map((line) => `        ${line}\n`).join("")}`;
		expect(problems(text)).toEqual([expect.stringContaining("too-large")]);
	});

	it("that does not exist is reported by name", () => {
		expect(readScenarioFile("/nowhere/feature.yaml")).toMatchObject({
			scenario: undefined,
			diagnostics: [{ file: "/nowhere/feature.yaml", code: "file-missing" }],
		});
	});
});

describe("the cues of a visit", () => {
	const script = (say: string): readonly Cue[] => [
		{ say, calls: [], exit: undefined, waitMs: 0, fail: undefined, person: undefined },
	];
	const scripts = new Map([
		["build", script("first")],
		["build#2", script("second")],
		["build#4", script("fourth")],
		["inner/build", script("inner")],
		["late#3", script("third")],
	]);
	const said = (scope: string | undefined, id: string, visit: number) =>
		findCues(scripts, { scopes: scope === undefined ? [] : [scope], id, visit })?.[0]?.say;

	it.each([
		["outer", "build", 1, "first"],
		["outer", "build", 2, "second"],
		["outer", "build", 3, "second"],
		["outer", "build", 9, "fourth"],
		[undefined, "build", 1, "first"],
		["inner", "build", 1, "inner"],
		["inner", "build", 5, "inner"],
		["outer", "late", 1, undefined],
		["outer", "late", 2, undefined],
		["outer", "late", 3, "third"],
		["outer", "other", 1, undefined],
	])("%s/%s, visit %i: %s", (scope, id, visit, expected) => {
		expect(said(scope, id, visit)).toBe(expected);
	});
});

describe("the script of a child run", () => {
	const scripts = new Map<string, readonly Cue[]>(
		["build", "part/build", "part 2/build", "part 3: src/a.js/build", "quick/build", "part 12/build#2"].map((name) => [
			name,
			[{ say: name, calls: [], exit: undefined, waitMs: 0, fail: undefined, person: undefined }],
		]),
	);

	it.each([
		["part 1: first", "part", 1, "part/build"],
		["part 2: second", "part", 1, "part 2/build"],
		["part 2: second: third", "part", 4, "part 2/build"],
		["part 2", "part", 1, "part 2/build"],
		["part 3: src/a.js", "part", 1, "part 3: src/a.js/build"],
		["part 3: src/b.js", "part", 1, "part/build"],
		["part 12: x", "part", 1, "part/build"],
		["part 12: x", "part", 2, "part 12/build"],
		["quick", "part", 1, "quick/build"],
		["slow", "part", 1, "part/build"],
		["slow", "other", 1, "build"],
	])("is that of %s before that of its template: %s, visit %i", (child, scope, visit, expected) => {
		const reply = answer(
			{ ...automaticScenario, states: scripts },
			{
				position: {
					...{ kind: "state", root: "t", scope, id: "build", visit, attempt: 1, turn: 0, targets: ["done"] },
					child: { id: "1", name: child },
				},
				tools: new Set(["read"]),
				results: [],
				handoffAsked: false,
				sampleFile: undefined,
			},
		);
		expect(reply.text).toBe(`${label} ${expected === "part 12/build" ? "part 12/build#2" : expected}`);
	});
});
