// Template files in detail: the place of each problem, the bounds, and the plan that each field of a state produces.
import { describe, expect, it } from "vitest";
import { openSource } from "../../src/definition/index.ts";
import { readTemplate, type Template } from "../../src/template/index.ts";

const read = (text: string) => readTemplate(openSource("/t/sample.json", text), "sample");
const states = (body: unknown, more: object = {}) => read(JSON.stringify({ name: "t", states: body, ...more }));
const problems = (text: string) => read(text).diagnostics.map(({ severity, code }) => `${severity} ${code}`);
const templateOf = (result: ReturnType<typeof read>): Template => {
	if (!result.read) throw new Error(JSON.stringify(result.diagnostics));
	return result.read.template;
};

describe("the place of a problem", () => {
	/** Line and column of the first problem with this code. */
	const placeOf = (text: string, code: string) => {
		const { line, column } = read(text).diagnostics.find((diagnostic) => diagnostic.code === code) ?? {};
		return line === undefined ? undefined : text.split("\n")[line - 1]?.slice((column ?? 1) - 1);
	};
	const a = '"a": { "persona": "A", "next": ["done"] }';
	it.each<[code: string, text: string, at: string]>([
		["undefined-state", `{ "initial":\n"b",\n"states": { ${a} } }`, '"b"'],
		[
			"reserved-name",
			`{ "initial":\n"human_intervention",\n"states": { ${a},\n"human_intervention": {} } }`,
			'"human_intervention",',
		],
		["reserved-name", `{ "states": {\n"human_intervention": {},\n${a} } }`, '"human_intervention"'],
		["no-order", '{ "states": { "a": { "persona": "A", "next": ["10"] },\n"10": {} } }', '"10"'],
		["alike", `{ "states": { ${a},\n"A-": { "persona": "A", "next": ["a"] } } }`, '"A-"'],
		["unreachable", `{ "states": { ${a},\n"b": { "persona": "A", "next": ["a"] } } }`, '"b"'],
		[
			"dead-end",
			'{ "states": {\n"a": { "persona": "A", "next": ["b"] },\n"b": { "persona": "A", "next": ["a"] } } }',
			'"a"',
		],
		["undefined-state", '{ "states": { "a": { "persona": "A", "next": [\n"b"] } } }', '"b"'],
		["undefined-state", `{ "limits": { "pair_moves": {\n"a <-> b": 2 } }, "states": { ${a} } }`, '"a <-> b"'],
		["bad-pair", `{ "limits": { "pair_moves": {\n"a <-> b <-> c": 2 } }, "states": { ${a} } }`, '"a <-> b <-> c"'],
		["bad-pair", `{ "limits": { "pair_moves": {\n" <-> b": 2 } }, "states": { ${a} } }`, '" <-> b"'],
		["wrong-type", `{ "limits": { "pair_moves": { "default":\n0 } }, "states": { ${a} } }`, "0 "],
		["wrong-type", `{ "limits": { "pair_moves":\n1.5 }, "states": { ${a} } }`, "1.5 "],
		["wrong-type", `{ "limits": { "pair_moves":\n"3" }, "states": { ${a} } }`, '"3"'],
		[
			"no-effect",
			'{ "states": { "a": { "persona": "A", "next": ["done"],\n"approval_mode": "pre" } } }',
			'"approval_mode"',
		],
		[
			"no-effect",
			'{ "states": { "a": { "persona": "A", "next": ["done"], "skills": ["x"],\n"extra_skills": ["y"] } } }',
			'"extra_skills"',
		],
		["no-effect", `{ "states": { ${a}, "done": {\n"next": ["a"] } } }`, '"next"'],
		["no-effect", '{ "states": { "a": { "agent": "A",\n"persona": "A", "next": ["done"] } } }', '"persona"'],
		["no-persona", '{ "states": {\n"a": { "next": ["done"] } } }', '"a"'],
		["reserved-name", `{ "states": { ${a}, "human_intervention": {\n"agent": "A" } } }`, '"agent"'],
		["reserved-name", `{ "states": { ${a}, "human_intervention": {\n"persona": "A" } } }`, '"persona"'],
		["named-twice", '{ "states": { "a": { "persona": "A", "next": ["done",\n"done"] } } }', '"done"'],
	])("%s: %s", (code, text, at) => {
		expect(placeOf(text, code)?.startsWith(at), placeOf(text, code)).toBe(true);
	});

	it.each([
		`{ "states": { ${a} } }`,
		'{ "initial": "10", "states": { "10": { "persona": "A", "next": ["done"] } } }',
		'{ "states": { "a10": { "persona": "A", "next": ["done"] } } }',
		'{ "states": { "01": { "persona": "A", "next": ["done"] } } }',
		`{ "limits": { "pair_moves": { "a <-> done": 2, "default": 1 } }, "states": { ${a} } }`,
		'{ "states": { "a": { "persona": "A", "next": ["done"], "requires_approval": true, "approval_mode": "pre" } } }',
		'{ "states": { "a": { "persona": "A", "next": ["b"] }, "b": { "instructions": "x", "persona": "A" } } }',
		`{ "states": { ${a}, "done": { "next": [] } } }`,
		'{ "states": { "a": { "persona": "A", "next": ["human_intervention"] }, "human_intervention": { "next": ["a", "done"] } } }',
	])("is nowhere in %s", (text) => expect(problems(text)).toEqual([]));
});

describe("the bounds of a template", () => {
	const many = (count: number) => {
		const name = (n: number) => `s${String(n).padStart(3, "0")}`;
		const body = Object.fromEntries(
			Array.from({ length: count }, (_, n) => [
				name(n),
				{ persona: "A", next: [n + 1 < count ? name(n + 1) : "done"] },
			]),
		);
		return states(body).diagnostics.map(({ code }) => code);
	};
	it("400 states; the first beyond them is named, or the file if it is only a target", () => {
		const body = (count: number) =>
			`{ "states": { ${Array.from({ length: count }, (_, n) => `\n"s${n}": { "persona": "A", "next": ["done"] }`).join(",")} } }`;
		const place = (count: number) => {
			const { line, column } = read(body(count)).diagnostics.find(({ code }) => code === "too-many") ?? {};
			return [line, column];
		};
		expect([place(400), place(401)]).toEqual([
			[1, 1],
			[402, 1],
		]);
	});
	it("400 states, one of which may be only named", () => {
		expect(many(399)).toEqual([]);
		expect(many(400)).toEqual(["too-many"]);
	});
	it("48 characters of a name, regardless of their bytes", () => {
		const named = (name: string) =>
			states({ [name]: { persona: "A", next: ["done"] } }).diagnostics.map(({ code }) => code);
		expect([named("x".repeat(48)), named("😀".repeat(48)), named("x".repeat(49))]).toEqual([[], [], ["too-long"]]);
	});
	it("20 cleanup commands", () => {
		const cleaned = (count: number) =>
			states({ a: { persona: "A", next: ["done"], cleanup: Array(count).fill("x") } }).read?.template.states.get("a")
				?.cleanup.length;
		expect([cleaned(20), cleaned(21)]).toEqual([20, undefined]);
	});
	it.each([
		["constructor", false],
		["valueOf", false],
		["constructor2", true],
		["a\u0085b", false],
		["a\u2028b", false],
		["a b", true],
		["ä", true],
		[" a", false],
		["a ", false],
	])("the name %j: %s", (name, good) => {
		expect(states({ [name]: { persona: "A", next: ["done"] } }).read !== undefined).toBe(good);
	});
});

describe("every field of a state", () => {
	it("has its value in the plan, in the plan's units", () => {
		const plan = (state: object, more: object = {}) =>
			templateOf(states({ a: { persona: "A", next: ["done"], ...state } }, more)).states.get("a");
		expect(plan({})).toEqual({
			name: "a",
			persona: { kind: "persona", name: "A" },
			next: ["done"],
			terminal: false,
			implicit: false,
			shell: "judged",
			approval: { entry: false, exit: false },
			skills: [],
			extensions: [],
			limits: {},
			wallMs: 3_600_000,
			idleMs: 900_000,
			cleanup: [],
			polling: false,
		});
		const all = {
			...{ description: "d", model: "m", models: ["m", "n"], thinking: "low", instructions: "i", polling: true },
			...{ skills: ["x", "y"], extra_skills: ["y", "z"], extensions: ["e"], team: "t" },
			limits: { cost_usd: 1, tokens: 2, minutes: 0.5, attempts: 3, requests: 4, calls: 5 },
			...{ timeout_minutes: 2, idle_minutes: 0.5 },
		};
		expect(plan(all)).toMatchObject({
			...{ description: "d", model: "m", models: ["m", "n"], thinking: "low", instructions: "i", polling: true },
			...{ skills: ["x", "y", "z"], extensions: ["e"], team: "t" },
			limits: { costUsd: 1, tokens: 2, activeMs: 30_000, attempts: 3, requests: 4, calls: 5 },
			...{ wallMs: 120_000, idleMs: 30_000 },
		});
		expect(plan({}, { team: "all" })?.team).toBe("all");
		expect(plan({ team: "own" }, { team: "all" })?.team).toBe("own");
	});
	it("asks at the time defined by the dialect and the mode", () => {
		const approval = (state: object, more: object = {}) =>
			templateOf(states({ a: { persona: "A", next: ["done"], ...state } }, more)).states.get("a")?.approval;
		expect(approval({ requires_approval: "entry" })).toEqual({ entry: true, exit: false });
		expect(approval({ requires_approval: "exit" })).toEqual({ entry: false, exit: true });
		expect(approval({ requires_approval: true, approval_mode: "post" })).toEqual({ entry: false, exit: true });
		expect(approval({ approval_mode: "pre" })).toEqual({ entry: false, exit: false });
	});
	it("a terminal state has a worker if it has instructions or a persona", () => {
		const body = (state: object) => templateOf(states({ a: { persona: "A", next: ["b"] }, b: state })).states.get("b");
		expect(body({ instructions: "x" })).toMatchObject({ terminal: true, persona: { kind: "persona", name: "b" } });
		expect(body({ description: "x" })?.persona).toBeUndefined();
	});
});
