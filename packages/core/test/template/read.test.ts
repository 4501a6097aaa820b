// Template files: accepted notations, the resulting template, and the diagnostics for the others.
import { describe, expect, it } from "vitest";
import { sampleTemplate } from "../../../pi-chronicle/test/sample-template.ts";
import { openSource } from "../../src/definition/index.ts";
import { compileDefinition, readTemplate, type Template } from "../../src/template/index.ts";

const read = (text: string, file = "/t/sample.json") => readTemplate(openSource(file, text), "sample");
const states = (body: unknown, more: object = {}) => read(JSON.stringify({ name: "t", states: body, ...more }));
const problems = (text: string) => read(text).diagnostics.map(({ severity, code }) => `${severity} ${code}`);
const templateOf = (result: ReturnType<typeof read>): Template => {
	if (!result.read) throw new Error(JSON.stringify(result.diagnostics));
	return result.read.template;
};

describe("the specification's sample", () => {
	it("loads unchanged: the first state is initial, the undefined target ends the run, approval is asked on exit", () => {
		const result = read(sampleTemplate);
		const template = templateOf(result);
		expect(template.initial).toBe("planning");
		expect([...template.states.keys()]).toEqual(["planning", "implementation", "verification"]);
		expect(template.states.get("planning")).toMatchObject({
			persona: { kind: "persona", name: "Software Architect" },
			approval: { entry: false, exit: true },
			terminal: false,
		});
		expect(template.states.get("verification")).toMatchObject({ terminal: true, implicit: true, next: [] });
		expect(template.states.get("verification")?.persona).toBeUndefined();
		expect(result.diagnostics).toMatchObject([
			{ severity: "warning", code: "undefined-state", file: "/t/sample.json", line: 11, column: 16 },
		]);
	});
	it("its definition is kept verbatim, and compiles again to the same template", () => {
		const { read: given } = read(sampleTemplate);
		expect(given?.definition).toEqual(JSON.parse(sampleTemplate));
		expect(compileDefinition(JSON.parse(JSON.stringify(given?.definition)), "other")).toEqual(given?.template);
	});
	it("its hash depends on content, not on notation", () => {
		const hash = read(sampleTemplate).read?.hash;
		expect(hash).toMatch(/^[0-9a-f]{64}$/);
		expect(read(`// a comment\n${sampleTemplate.replaceAll("  ", "\t")}`).read?.hash).toBe(hash);
		expect(read(sampleTemplate.replace("Senior", "Junior")).read?.hash).not.toBe(hash);
	});
});

describe("notation", () => {
	it.each([
		["a byte order mark and CRLF", `\ufeff${sampleTemplate.replaceAll("\n", "\r\n")}`, "/t/a.json"],
		[
			"comments and trailing commas",
			sampleTemplate.replace('"planning"],', '"planning"], /* why */').replace("}\n}", "},}\n// end"),
			"/t/a.json",
		],
		[
			"JSON5 keys and quotes",
			sampleTemplate.replace('"name"', "name").replace('"Senior Engineer"', "'Senior Engineer'"),
			"/t/a.json",
		],
		[
			"YAML",
			"name: Feature Implementation\nstates:\n  planning:\n    persona: Software Architect\n    next: [implementation]\n    requires_approval: true\n  implementation:\n    persona: Senior Engineer\n    next:\n      - verification\n      - planning\n",
			"/t/a.yaml",
		],
	])("%s read as the same template", (_, text, file) => {
		const result = read(text, file);
		expect(result.read?.definition).toEqual(JSON.parse(sampleTemplate));
	});
});

describe("the dialect of published templates", () => {
	const published = (state: object, more: object = {}) =>
		templateOf(
			states(
				{
					begin: { agent: "planner", next: ["commit"] },
					commit: { agent: "git-ops", next: ["done"], ...state },
					done: { agent: "writer", next: [] },
				},
				{ initial: "begin", ...more },
			),
		);
	it.each([
		[{ requires_approval: true }, { entry: true, exit: false }],
		[
			{ requires_approval: true, approval_mode: "post" },
			{ entry: false, exit: true },
		],
		[
			{ requires_approval: true, approval_mode: "pre" },
			{ entry: true, exit: false },
		],
		[{ requires_approval: "exit" }, { entry: false, exit: true }],
		[{ requires_approval: false }, { entry: false, exit: false }],
	])("%j asks at %j", (state, approval) => {
		const template = published(state);
		expect(template.dialect).toBe("ae");
		expect(template.states.get("commit")?.approval).toEqual(approval);
	});
	it("reads agents, time limits, skills, and a terminal state that still has a worker", () => {
		const template = published({ timeout_minutes: 10, extra_skills: ["accessibility"], description: "d" });
		expect(template.states.get("commit")).toMatchObject({
			persona: { kind: "agent", name: "git-ops" },
			wallMs: 600_000,
			skills: ["accessibility"],
			description: "d",
		});
		expect(template.states.get("done")).toMatchObject({ terminal: true, persona: { kind: "agent", name: "writer" } });
	});
	it("a template with our $schema asks on exit", () => {
		const template = published({ requires_approval: true }, { $schema: "./chronicle-template.json" });
		expect(template.states.get("commit")?.approval).toEqual({ entry: false, exit: true });
	});
});

describe("fields", () => {
	it("requires_approval takes both sides", () => {
		const template = templateOf(states({ a: { persona: "A", next: ["done"], requires_approval: "both" } }));
		expect(template.states.get("a")?.approval).toEqual({ entry: true, exit: true });
	});
	it("cleanup may be a string, a list, or objects with limits", () => {
		const template = templateOf(
			states({
				a: { persona: "A", next: ["b"], cleanup: "make stop" },
				b: {
					persona: "B",
					next: ["done"],
					cleanup: ["one", { command: "two", timeout_seconds: 5, on_failure: "pause" }],
				},
			}),
		);
		expect(template.states.get("a")?.cleanup).toEqual([
			{ command: "make stop", timeoutMs: 30_000, onFailure: "continue" },
		]);
		expect(template.states.get("b")?.cleanup).toEqual([
			{ command: "one", timeoutMs: 30_000, onFailure: "continue" },
			{ command: "two", timeoutMs: 5000, onFailure: "pause" },
		]);
	});
	it("limits have units and defaults", () => {
		const body = {
			a: { persona: "A", next: ["b"], limits: { cost_usd: 1, minutes: 2 } },
			b: { persona: "B", next: ["a", "done"] },
		};
		expect(templateOf(states(body)).limits).toMatchObject({
			pairMoves: 3,
			moves: 40,
			retries: 1,
			nudges: 2,
			costUsd: 20,
		});
		const template = templateOf(
			states(body, {
				limits: { cost_usd: 5, tokens: 2_000_000, minutes: 90, moves: 12, pair_moves: { default: 4, "b<->a": 7 } },
			}),
		);
		expect(template.limits).toMatchObject({
			costUsd: 5,
			tokens: 2_000_000,
			activeMs: 5_400_000,
			moves: 12,
			pairMoves: 4,
			pairs: { "a <-> b": 7 },
		});
		expect(template.states.get("a")?.limits).toEqual({ costUsd: 1, activeMs: 120_000 });
		expect(templateOf(states(body, { limits: { max_pair_moves: 9 } })).limits.pairMoves).toBe(9);
		expect(templateOf(states(body, { limits: { cost_usd: 5 } })).limits.moves).toBe(40);
	});
	it("every limit of a run has a default", () => {
		expect(templateOf(states({ a: { persona: "A", next: ["done"] } })).limits).toEqual({
			costUsd: 20,
			tokens: 50_000_000,
			activeMs: 600 * 60_000,
			moves: 40,
			pairMoves: 3,
			pairs: {},
			attempts: 5,
			retries: 1,
			nudges: 2,
			rejections: 5,
			noProgress: 3,
			requests: 400,
			calls: 800,
			pauseMs: 60_000,
			countCacheReads: true,
			warnAt: 0.8,
		});
	});
	it.each([["read, grep"], [["read", "grep"]]])("tools %j are two names", (tools) => {
		expect(templateOf(states({ a: { persona: "A", next: ["done"], tools } })).states.get("a")?.tools).toEqual([
			"read",
			"grep",
		]);
	});
	it("all four kinds of end end the run", () => {
		const template = templateOf(
			states({
				a: { persona: "A", next: ["b", "c", "done", "nowhere"] },
				b: { persona: "B", next: [] },
				c: { description: "nothing to do" },
				done: { persona: "D", next: ["a"] },
			}),
		);
		expect([...template.states.values()].filter(({ terminal }) => terminal).map(({ name }) => name)).toEqual([
			"b",
			"c",
			"done",
			"nowhere",
		]);
	});
	it("a state without a persona uses its own name as the role, never an empty one", () => {
		const result = states({ review: { next: ["done"] } });
		expect(templateOf(result).states.get("review")?.persona).toEqual({ kind: "persona", name: "review" });
		expect(result.diagnostics.map(({ code }) => code)).toContain("no-persona");
	});
	it("human_intervention may be defined to list where to go", () => {
		const template = templateOf(
			states({ a: { persona: "A", next: ["done", "human_intervention"] }, human_intervention: { next: ["a"] } }),
		);
		expect(template.states.get("human_intervention")).toMatchObject({ terminal: false, next: ["a"] });
		expect(template.states.get("human_intervention")?.persona).toBeUndefined();
	});
});

describe("every problem is reported, at once and with its place", () => {
	const state = '"a": { "persona": "A", "next": ["done"] }';
	it.each([
		["torn", '{ "name": "x", "states": { "a": ', "syntax"],
		["empty", "", "empty"],
		["a list", "[]", "wrong-type"],
		["no states", '{ "name": "x" }', "missing-key"],
		["no state", '{ "states": {} }', "wrong-type"],
		["states as a list", '{ "states": [] }', "wrong-type"],
		["a state that is a text", '{ "states": { "a": "b" } }', "wrong-type"],
		["next as a text", '{ "states": { "a": { "persona": "A", "next": "b" } } }', "wrong-type"],
		["next as a group", '{ "states": { "a": { "persona": "A", "next": {} } } }', "wrong-type"],
		["a number in next", '{ "states": { "a": { "persona": "A", "next": [1] } } }', "wrong-type"],
		["null in next", '{ "states": { "a": { "persona": "A", "next": [null] } } }', "wrong-type"],
		["an empty name", '{ "states": { "": { "persona": "A" } } }', "empty-name"],
		["a name with a control character", '{ "states": { "a\\u0007": { "persona": "A" } } }', "bad-name"],
		["a name with blanks around it", '{ "states": { " a": { "persona": "A" } } }', "bad-name"],
		["a name that joins two", '{ "states": { "a<->b": { "persona": "A" } } }', "bad-name"],
		["a very long name", `{ "states": { "${"a".repeat(49)}": { "persona": "A" } } }`, "too-long"],
		...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"].flatMap(
			(name): [string, string, string][] => [
				[`the name ${name}`, `{ "states": { "${name}": { "persona": "A" } } }`, "reserved-name"],
				[`the target ${name}`, `{ "states": { "a": { "persona": "A", "next": ["${name}"] } } }`, "reserved-name"],
			],
		),
		["a duplicate state", `{ "states": { ${state}, ${state} } }`, "duplicate-key"],
		["a duplicate field", '{ "states": { "a": { "persona": "A", "persona": "B" } } }', "duplicate-key"],
		["an unknown initial", `{ "initial": "b", "states": { ${state} } }`, "undefined-state"],
		[
			"human_intervention as the beginning",
			'{ "states": { "human_intervention": { "next": ["a"] } } }',
			"reserved-name",
		],
		[
			"a persona for human_intervention",
			`{ "states": { ${state}, "human_intervention": { "persona": "A" } } }`,
			"reserved-name",
		],
		[
			"numbers as names without a beginning",
			'{ "states": { "2": { "persona": "A", "next": ["1"] }, "1": {} } }',
			"no-order",
		],
		[
			"an approval that is no approval",
			'{ "states": { "a": { "persona": "A", "requires_approval": "yes" } } }',
			"wrong-type",
		],
		["a negative limit", `{ "limits": { "cost_usd": -1 }, "states": { ${state} } }`, "wrong-type"],
		["a limit as text", `{ "limits": { "tokens": "many" }, "states": { ${state} } }`, "wrong-type"],
		[
			"an exception for no state",
			`{ "limits": { "pair_moves": { "a <-> b": 2 } }, "states": { ${state} } }`,
			"undefined-state",
		],
		["a list of tools without a value", '{ "states": { "a": { "persona": "A", "tools": null } } }', "empty-value"],
		["a cleanup without a value", '{ "states": { "a": { "persona": "A", "cleanup": null } } }', "empty-value"],
		["a cleanup that is a number", '{ "states": { "a": { "persona": "A", "cleanup": [1] } } }', "wrong-type"],
		["a cleanup without a command", '{ "states": { "a": { "persona": "A", "cleanup": [{}] } } }', "missing-key"],
		["an unknown thinking level", '{ "states": { "a": { "persona": "A", "thinking": "hihg" } } }', "bad-value"],
	])("refuses %s", (_, text, code) => {
		const { read: given, diagnostics } = read(text);
		expect(given).toBeUndefined();
		const found = diagnostics.find((diagnostic) => diagnostic.severity === "error" && diagnostic.code === code);
		expect(found, JSON.stringify(diagnostics)).toBeDefined();
		expect(found?.line).toBeGreaterThan(0);
		expect(found?.column).toBeGreaterThan(0);
	});
	it.each(["person", "agnet", "branch", "for_eac", "nxt"])(
		"refuses a state with the unknown field %s: it may say who does it",
		(key) => {
			const { read, diagnostics } = readTemplate(
				openSource("/t/a.json", JSON.stringify({ states: { a: { persona: "A", next: ["done"], [key]: "x" } } })),
				"a",
			);
			expect(read).toBeUndefined();
			expect(diagnostics).toMatchObject([{ severity: "error", code: "unknown-key" }]);
		},
	);

	it.each([
		["an unknown field", `{ "states": { ${state} }, "stats": {} }`, "unknown-key", "Did you mean `states`?"],
		[
			"an unknown field of a state",
			'{ "states": { "a": { "persona": "A", "next": ["done"], "modl": "x" } } }',
			"unknown-key",
			"Did you mean `model`?",
		],
		[
			"a target with a slip",
			`{ "states": { "plan": { "persona": "A", "next": ["implementaton"] }, "implementation": { "persona": "B" } } }`,
			"undefined-state",
			"Did you mean `implementation`?",
		],
		[
			"a state without a way in",
			`{ "states": { ${state}, "b": { "persona": "B", "next": ["done"] } } }`,
			"unreachable",
			"`b`",
		],
		[
			"states without an end",
			'{ "states": { "a": { "persona": "A", "next": ["b"] }, "b": { "persona": "B", "next": ["a"] } } }',
			"dead-end",
			"`a`, `b`",
		],
		[
			"a target named twice",
			'{ "states": { "a": { "persona": "A", "next": ["done", "done"] } } }',
			"named-twice",
			"`done`",
		],
		["names that are alike", `{ "states": { ${state}, "A": { "persona": "B", "next": ["a"] } } }`, "alike", "`A`"],
		[
			"an agent and a persona",
			'{ "states": { "a": { "agent": "A", "persona": "B", "next": ["done"] } } }',
			"no-effect",
			"`persona`",
		],
	])("warns of %s and loads", (_, text, code, words) => {
		const { read: given, diagnostics } = read(text);
		expect(given).toBeDefined();
		const found = diagnostics.find((diagnostic) => diagnostic.code === code);
		expect(found).toMatchObject({ severity: "warning" });
		expect(found?.message).toContain(words);
	});
	it("reserved targets need no definition; a slip in one is reported", () => {
		expect(
			problems('{ "states": { "a": { "persona": "A", "next": ["done", "failed", "human_intervention"] } } }'),
		).toEqual([]);
		const { diagnostics } = read('{ "states": { "a": { "persona": "A", "next": ["doen"] } } }');
		expect(diagnostics).toMatchObject([
			{
				code: "undefined-state",
				message: expect.stringContaining("Did you mean `done`?"),
				remedy: "Write `done`, or define it.",
			},
		]);
		expect(read('{ "states": { "a": { "persona": "A", "next": ["elsewhere"] } } }').diagnostics).toMatchObject([
			{ remedy: "Define it under `states` if it has work to do." },
		]);
	});
	it("a pair that names no state is reported besides unreadable limits, and a slip in `default` is named", () => {
		const text = `{ "limits": { "tokens": "many", "pair_moves": { "a <-> b": 2, "defalt": 3 } }, "states": { ${state} } }`;
		const { diagnostics } = read(text);
		expect(diagnostics.map(({ code }) => code).sort()).toEqual(["bad-pair", "undefined-state", "wrong-type"]);
		expect(diagnostics.find(({ code }) => code === "bad-pair")?.message).toContain("Did you mean `default`?");
	});
	it.each([
		["yes", "true"],
		["off", "false"],
		["pre", '"entry"'],
	])("an approval written as %s is suggested to be %s", (written, right) => {
		const text = `states:\n  a:\n    persona: A\n    requires_approval: ${written}\n`;
		expect(read(text, "/t.yaml").diagnostics).toMatchObject([{ line: 4, column: 24, remedy: `Write \`${right}\`.` }]);
	});
	it("aliases that would expand exponentially are reported at once", () => {
		const levels = [..."abcdefghi"].map((name, at) => {
			const before = at === 0 ? "x" : `*${"abcdefghi"[at - 1]}`;
			return `${name}: &${name} [${Array(9).fill(before).join(", ")}]`;
		});
		const text = `${levels.join("\n")}\nstates:\n  s: { persona: A, next: [done] }\n`;
		expect(read(text, "/t.yaml")).toMatchObject({ read: undefined, diagnostics: [{ code: "too-big" }] });
	});
	it("reports every problem in one pass", () => {
		const text =
			'{ "name": 3, "initial": "plan", "states": {\n "planning": { "next": "x", "requires_approval": "maybe" },\n "constructor": {},\n "a": { "agent": "z", "next": [3] } } }';
		expect(problems(text).filter((line) => line.startsWith("error"))).toEqual([
			"error wrong-type",
			"error reserved-name",
			"error wrong-type",
			"error wrong-type",
			"error wrong-type",
			"error undefined-state",
		]);
	});
});
