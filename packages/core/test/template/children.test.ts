// States that are done by child runs: what is compiled, and each mistake with its place.
import { describe, expect, it } from "vitest";
import { openSource } from "../../src/definition/index.ts";
import { compileLimits } from "../../src/template/compile.ts";
import {
	compileDefinition,
	readTemplate,
	type StatePlan,
	type Template,
	visitLimitFields,
} from "../../src/template/index.ts";

const worker = { persona: "Builder", next: ["done"] };
const inline = { states: { work: worker } };

/** Reads a template whose state `build` has these fields; each problem as `severity code line: message`. */
function problemsOf(build: object, more: object = {}): string[] {
	const text = JSON.stringify({ name: "t", states: { build: { next: ["done"], ...build } }, ...more }, null, 1);
	const { diagnostics } = readTemplate(openSource("/t.json", text), "t");
	const lines = text.split("\n");
	return diagnostics.map(({ severity, code, line, message }) => {
		const key = /"([^"]+)"/.exec(lines[(line ?? 1) - 1] ?? "")?.[1];
		return `${severity} ${code} at ${key}: ${message}`;
	});
}

const branches = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`b${n}`, worker]));

describe("a state that is done by child runs", () => {
	it.each<[string, object]>([
		["a template by name", { run: "ship" }],
		["a template in place", { run: inline }],
		["a child per item", { run: "ship", for_each: "pendingTasks", as: "job", task: "Do {job}" }],
		["branches of both kinds", { branches: { a: { run: "ship", task: "x" }, b: worker } }],
		["a hundred branches", { branches: branches(100), join: 100 }],
		[
			"branches that need others",
			{ branches: { a: { run: "ship", needs: ["b"] }, b: worker, c: { ...worker, needs: "a, b" } } },
		],
		["a chain", { run: "ship", for_each: "findings", order: "chain" }],
		["every policy", { run: "ship", join: "any", on_failed: "continue", on_conflict: "fail", files: "own" }],
	])("loads with %s", (_, build) => {
		expect(problemsOf(build)).toEqual([]);
	});

	it.each<[string, object, RegExp]>([
		["a persona and run", { persona: "P", run: "ship" }, /^error two-doers at persona: .*`run` and `persona`/],
		["an agent and run", { agent: "p", run: "ship" }, /^error two-doers at agent/],
		["run and branches", { run: "ship", branches: { a: worker } }, /^error two-doers at branches/],
		["a persona and branches", { persona: "P", branches: { a: worker } }, /^error two-doers at persona/],
		["for_each without run", { persona: "P", for_each: "pendingTasks" }, /^error no-children at for_each/],
		["max_parallel without run", { persona: "P", max_parallel: 2 }, /^error no-children at max_parallel/],
		["join without run", { persona: "P", join: "any" }, /^error no-children at join/],
		["merge_by without run", { persona: "P", merge_by: "M" }, /^error no-children at merge_by/],
		["for_each with branches", { branches: { a: worker }, for_each: "findings" }, /^error no-effect at for_each/],
		["a task with branches", { branches: { a: worker }, task: "x" }, /^error no-effect at task/],
		["tools with run", { run: "ship", tools: ["read"] }, /^warning no-effect at tools/],
		["101 branches", { branches: branches(101) }, /^error \S+ at branches: .*100/],
		["no branch", { branches: {} }, /^error \S+ at branches/],
		["a branch that is no group", { branches: { a: "ship" } }, /^error \S+ at a: /],
		[
			"a higher join than branches",
			{ branches: { a: worker, b: worker }, join: 3 },
			/^error bad-value at join: .*3.*2 children/,
		],
		["a higher join than the only child", { run: "ship", join: 2 }, /^error bad-value at join: .*1 child\./],
		["join 0", { run: "ship", join: 0 }, /^error \S+ at join/],
		["join 101", { run: "ship", for_each: "findings", join: 101 }, /^error \S+ at join/],
		["another join", { run: "ship", join: "most" }, /^error \S+ at join: .*"any"/],
		["a list as run", { run: ["ship"] }, /^error \S+ at run/],
		["an empty run", { run: " " }, /^error \S+ at run/],
		["max_parallel 0", { run: "ship", max_parallel: 0 }, /^error \S+ at max_parallel/],
		["another files", { run: "ship", files: "mine" }, /^error \S+ at files/],
		["an unknown field of a branch", { branches: { a: { run: "ship", tsk: "x" } } }, /^error unknown-\S+ at tsk/],
		["a misspelled run", { rum: "ship" }, /^error unknown-\S+ at rum: .*run/],
		["a misspelled branches", { branchs: { a: worker } }, /^error unknown-\S+ at branchs: .*branches/],
		["a misspelled for_each", { run: "ship", foreach: "findings" }, /^error unknown-\S+ at foreach: .*for_each/],
		["another order", { run: "ship", for_each: "findings", order: "tree" }, /^error \S+ at order/],
		["order without run", { persona: "P", order: "chain" }, /^error no-children at order/],
		[
			"an order and needs",
			{ order: "chain", branches: { a: worker, b: { ...worker, needs: ["a"] } } },
			/^error two-orders at order/,
		],
		[
			"needs of an unknown branch",
			{ branches: { api: worker, b: { ...worker, needs: ["apj"] } } },
			/^error bad-needs at needs: .*`b` needs `apj`, which does not exist \(did you mean `api`\?\)/,
		],
		[
			"a branch that needs itself",
			{ branches: { a: { run: "x", needs: ["a"] } } },
			/^error bad-needs at needs: .*`a` needs itself/,
		],
		[
			"a circle of three",
			{ branches: { a: { ...worker, needs: ["b"] }, b: { ...worker, needs: ["c"] }, c: { ...worker, needs: ["a"] } } },
			/^error bad-needs at needs: .*`a` needs `b`, `b` needs `c`, `c` needs `a`: none of them can begin/,
		],
		["needs that are no list", { branches: { a: { ...worker, needs: { b: 1 } } } }, /^error \S+ at needs/],
		[
			"one of several that build on each other",
			{ take: "one", branches: { a: worker, b: { ...worker, needs: ["a"] } } },
			/^error no-effect at take/,
		],
		["a reserved name", { branches: { constructor: worker } }, /^error reserved-name at constructor/],
		["a mistake in a template in place", { run: { states: { work: { persona: 5 } } } }, /^error \S+ at persona/],
	])("is refused with %s", (_, build, expected) => {
		expect(
			problemsOf(build).find((problem) => expected.test(problem)),
			problemsOf(build).join("\n"),
		).toBeDefined();
	});

	it("is refused with two branches of one name, at the second", () => {
		const text =
			'{ "name": "t", "states": { "build": { "next": [],\n"branches": {\n"a": { "run": "x" },\n"a": { "run": "y" } } } } }';
		const { read, diagnostics } = readTemplate(openSource("/t.json", text), "t");
		expect(read).toBeUndefined();
		expect(diagnostics).toContainEqual(expect.objectContaining({ severity: "error", line: 4 }));
	});
});

describe("limits of visits", () => {
	const limits = {
		...{ attempts: 2, retries: 3, nudges: 4, rejections: 6, no_progress: 7, requests: 8, calls: 9 },
		...{ pause_seconds: 10, cache_reads: "ignore", warn_at: 0.5 },
	};
	const ofRun = { cost_usd: 1, tokens: 5, minutes: 3, moves: 4, pair_moves: 2 };
	/** The limits of each inline child of `build`, at any depth, as its own ledger has them. */
	const childLimits = (build: object, more: object = {}): object[] => {
		const text = JSON.stringify({ name: "t", states: { build: { next: ["done"], ...build } }, ...more });
		const { read, diagnostics } = readTemplate(openSource("/t.json", text), "t");
		expect(diagnostics).toEqual([]);
		const below = (template: Template | undefined): object[] =>
			[...(template?.states.values() ?? [])].flatMap(({ children }) =>
				(children?.branches ?? []).flatMap(({ template: of }) => {
					if (of.kind === "named") return [];
					const { definition } = of;
					const compiled = compileDefinition(definition, "c");
					const written = (definition as { limits?: object }).limits ?? {};
					return [written, ...below(compiled)];
				}),
			);
		return below(read?.template);
	};
	const shapes: [string, object, number][] = [
		["states", { branches: { a: worker, b: worker } }, 2],
		["a template in place", { run: inline }, 1],
		["a template in place for each item", { run: inline, for_each: "pendingTasks" }, 1],
		["templates in branches", { branches: { a: { run: inline } } }, 1],
		[
			"branches in branches",
			{ branches: { a: { run: { states: { x: { next: ["done"], branches: { b: worker } } } } } } },
			2,
		],
	];

	it.each(shapes)("of a template reach children that are %s; limits of a run do not", (_, build, count) => {
		expect(childLimits(build, { limits: { ...limits, ...ofRun } })).toEqual(Array(count).fill(limits));
		expect(childLimits(build)).toEqual(Array(count).fill({}));
	});

	it.each(Object.entries(limits))(
		"%s of a template gives way to that of the state with the children, then to the child's",
		(key, value) => {
			const own = typeof value === "string" ? "count" : key === "warn_at" ? 0.9 : 12;
			const child = { ...inline, limits: { [key]: own, cost_usd: 2 } };
			expect(childLimits({ run: child }, { limits })).toEqual([{ ...limits, [key]: own, cost_usd: 2 }]);
			if (key === "requests" || key === "calls" || key === "attempts")
				expect(childLimits({ run: inline, limits: { [key]: 11, cost_usd: 2 } }, { limits })).toEqual([
					{ ...limits, [key]: 11 },
				]);
		},
	);

	it("of a run apply to the worker that merges", () => {
		expect(compileLimits(undefined)).toMatchObject(
			compileDefinition({ states: { a: worker }, limits: visitLimitFields(compileLimits(undefined)) }, "m")?.limits ??
				{},
		);
	});
});

/** The states of a template and of those written in it, with what `tell` says of them. */
function statesOf(template: object, tell: (state: StatePlan) => string): string[] {
	const read = readTemplate(openSource("/t.json", JSON.stringify(template)), "t").read?.template;
	const below = (plan: Template | undefined): (Template | undefined)[] =>
		[...(plan?.states.values() ?? [])]
			.flatMap(({ children }) => children?.branches ?? [])
			// A child's ledger keeps the definition alone.
			.map(({ template: child }) =>
				child.kind === "inline" ? compileDefinition(child.definition, "child") : undefined,
			)
			.flatMap((child) => [child, ...below(child)]);
	return [read, ...below(read)].flatMap((plan) =>
		[...(plan?.states.values() ?? [])]
			.filter(({ name }) => name !== "done")
			.map((state) => `${state.name} ${tell(state)}`),
	);
}

it("`provider_wait` and `secret_files` of a template apply to children written in it that say nothing", () => {
	const said = (more: object): unknown[] => {
		const states = {
			build: { next: ["done"], branches: { a: worker, b: { run: { ...inline, provider_wait: "5m" } } } },
		};
		const read = readTemplate(openSource("/t.json", JSON.stringify({ states, ...more })), "t").read?.template;
		return [...(read?.states.values() ?? [])]
			.flatMap(({ children }) => children?.branches ?? [])
			.map(({ template: of }) => of.kind === "inline" && compileDefinition(of.definition, "c"))
			.map((child) => child && [child.providerWaitMs, child.secretFiles]);
	};
	expect(said({ provider_wait: 0, secret_files: "keep" })).toEqual([
		[0, "kept"],
		[300_000, "kept"],
	]);
	expect(said({})).toEqual([
		[undefined, "left out"],
		[300_000, "left out"],
	]);
});

describe("`shell` of a template", () => {
	const shellsOf = (template: object): string[] => statesOf(template, ({ shell }) => shell);
	const build = {
		branches: { b: worker, c: { run: inline }, d: { run: { ...inline, shell: "judged" } } },
		next: ["look"],
	};
	const look = { ...worker, shell: "strict" };

	it("applies to states and to children written in it that set none, also where only the child's ledger is read", () => {
		const states = { build, look };
		expect(shellsOf({ shell: "free", states })).toEqual([
			"build free",
			"look strict",
			...["b free", "work free", "work judged"],
		]);
		expect(shellsOf({ states }).filter((line) => line.endsWith("free"))).toEqual([]);
	});
});

describe("`questions` of a template or a state", () => {
	const asking = { ...worker, questions: "user" };
	const deep = { states: { fan: { branches: { leaf: worker }, next: ["done"] } } };
	const branches = {
		b: worker,
		c: asking,
		d: { run: inline },
		e: { run: { ...inline, questions: "user" } },
		f: { run: deep },
	};
	const questionsOf = (template: object): string[] => statesOf(template, ({ questions = "user" }) => questions);

	it("apply to children written in it that set none, at any depth", () => {
		const none = ["build none", "look none", "b none", "c user", "work none", "work user", "fan none", "leaf none"];
		const states = { build: { branches, next: ["look"] }, look: worker };
		expect(questionsOf({ questions: "none", states })).toEqual(none);
		const one = { ...states, build: { ...states.build, questions: "none" } };
		expect(questionsOf({ states: one })).toEqual(none.with(1, "look user"));
		expect(
			questionsOf({ questions: "none", states: { ...states, build: { ...states.build, questions: "user" } } }),
		).toEqual(["build user", "look none", "b user", "c user", "work user", "work user", "fan user", "leaf user"]);
	});
});
