// The preview that the user reads before deciding on a draft: outline, limits, estimate; and the instructions for the model.
import { describe, expect, it } from "vitest";
import { templateSchema } from "../../../../../scripts/definition-reference.ts";
import { openProject } from "../../../src/local/index.ts";
import { draftOf } from "../../../src/tools/plan/draft.ts";
import { type Outline, outlineOf } from "../../../src/tools/plan/outline.ts";
import { planLines } from "../../../src/tools/plan/preview.ts";
import { askedKind, correctionPrompt, draftPrompt, guidePrompt } from "../../../src/tools/plan/prompt.ts";
import { openFolder } from "../../harness/folder.ts";
import { packageFolder } from "../../harness/under-test.ts";

/** The outline of a draft whose files are in a project; the first one starts it. */
async function outline(files: Readonly<Record<string, string | object>>): Promise<Outline | string> {
	const texts = Object.entries(files).map(([path, text]) => ({
		path,
		text: typeof text === "string" ? text : JSON.stringify(text),
	}));
	const cwd = openFolder(Object.fromEntries(texts.map(({ path, text }) => [path, text])));
	const read = draftOf(texts);
	if (read.kind === "problems") throw new Error(read.problems.join("\n"));
	const [home, agentFolder] = [`${cwd}/home`, `${cwd}/home/.pi/agent`];
	const pi = { command: "pi", args: [], version: undefined };
	return outlineOf(read.draft, openProject({ cwd, home, agentFolder, trust: "trusted", pi }));
}

const template = ".pi/chronicle/workflows/fix.yaml";
const workflow = ".pi/workflows/fix/workflow.yaml";
const phase = (id: string, more: string) => `---\nid: ${id}\nname: ${id.toUpperCase()}\nemoji: x\n${more}---\nDo it.\n`;

describe("the outline of a chronicle", () => {
	const work = { persona: "Engineer", next: ["done"] };
	const of = (state: object, more: object = {}) =>
		outline({ [template]: { name: "Fix it", states: { a: { ...work, ...state } }, ...more } });

	it("has the name that starts it, its title, its chart and its limits", async () => {
		const limits = { cost_usd: 2, tokens: 1_500_000, minutes: 90, moves: 7 };
		expect(await of({}, { limits })).toMatchObject({
			command: "fix",
			title: "Fix it",
			steps: [["a", "Engineer"]],
			limits: "$2.00, 1.5M tokens, 1h30m, 7 moves",
			maxUsd: 2,
		});
		expect(await of({})).toMatchObject({ limits: "$20.00, 50M tokens, 10h00m, 40 moves", maxUsd: 20 });
	});

	it.each<[what: string, state: object, text: string]>([
		["some tools", { tools: ["read", "bash"] }, "Engineer · only read, bash"],
		["no tools", { tools: [] }, "Engineer · only no tools"],
		["an approval at its end", { requires_approval: true }, "Engineer · asks you"],
		["an approval at its start", { requires_approval: "entry" }, "Engineer · asks you"],
		["child runs", { persona: undefined, branches: { x: work, y: work } }, "child runs: x, y"],
	])("describes a state with %s", async (_what, state, text) => {
		expect(await of(state)).toMatchObject({ steps: [["a", text]] });
	});

	it("leaves out states that only end the run", async () => {
		const states = { a: work, over: { next: [] } };
		expect(await outline({ [template]: { states } })).toMatchObject({ steps: [["a", "Engineer"]] });
	});

	it("does not exist for a template that does not load", async () => {
		expect(await outline({ [template]: "states: 7\n" })).toBe("The template fix does not load.");
	});
});

describe("the outline of a workflow", () => {
	const files = (head: string, more = "") => ({
		[workflow]: `name: Fix it\ninitialMessage: Go\n${head}phases: [a.md]\n`,
		".pi/workflows/fix/a.md": phase("a", more),
	});

	it.each([
		["all tools", "", "all tools"],
		["a blacklist", "tools: { blacklist: [edit, write] }\n", "not edit, write"],
		["a whitelist", "tools: { whitelist: [read] }\n", "only read"],
		["capabilities", "tools: { allow: [read, write] }\n", "may read, write"],
		["an end by the user", "advance: person\n", "all tools · you end it"],
	])("describes a phase with %s", async (_what, more, text) => {
		expect(await outline(files("commandName: go\n", more))).toMatchObject({
			command: "go",
			title: "Fix it",
			steps: [["A", text]],
			limits: "loops without a limit",
		});
	});

	it("has its limit of loops, and the phases of workflows inside it", async () => {
		const inner = { ".pi/workflows/inner/workflow.yaml": "name: I\nshow: workflows\nphases: [b.md]\n" };
		expect(
			await outline({
				[workflow]:
					"name: F\ncommandName: go\ninitialMessage: Go\nmaxLoops: 3\nphases: [a.md, { subworkflow: inner }]\n",
				...{ ".pi/workflows/fix/a.md": phase("a", ""), ".pi/workflows/inner/b.md": phase("b", "") },
				...inner,
			}),
		).toMatchObject({
			limits: "3 loops",
			steps: [
				["A", "all tools"],
				["B", "all tools"],
			],
		});
	});

	it.each(["", "commandName: go\nshow: workflows\n"])(
		"does not exist if the workflow cannot be started: %o",
		async (head) => {
			expect(await outline(files(head))).toBe(`${workflow} has no commandName, so it cannot be started.`);
		},
	);
});

describe("the preview", () => {
	const draft = { kind: "chronicle", key: "fix", files: [{ path: template, text: "" }] } as const;
	const outlined: Outline = {
		...{ command: "fix", title: "Fix it", chart: ["not a chart"], limits: "7 moves", maxUsd: undefined },
		steps: [
			["a", "Engineer"],
			["longer", "Tester"],
		],
	};
	const lines = (more: object = {}, usage = { tokens: 0, costUsd: 0 }, requests: number[][] = [[4000]]) =>
		planLines("the task", draft, { outline: { ...outlined, ...more }, requests, missed: [] }, usage);

	it("names the definition, its steps, the rehearsal, the estimate and the files", async () => {
		expect(await lines()).toEqual([
			"Fix it (chronicle fix)",
			"Task: the task",
			"",
			"  a       Engineer",
			"  longer  Tester",
			"",
			"Limits:     7 moves",
			"Rehearsal:  1 visit, to the end",
			"Estimate:   1.3k to 690k tokens",
			`Files:      ${template}`,
			"",
			"not a chart",
		]);
	});

	it("has the price if it is known, the usage of the drafting, and the ceiling of the run", async () => {
		const priced = await lines({ maxUsd: 2 }, { tokens: 1000, costUsd: 0.001 }, [[4000], [4000]]);
		expect(priced).toContain("Rehearsal:  2 visits, to the end");
		expect(priced).toContain("Estimate:   2.5k to 1.4M tokens, $0.0025 to $1.38; the run stops at $2.00");
		expect(priced).toContain("Drafting:   1k tokens, $0.0010");
		expect(await lines({}, { tokens: 0, costUsd: 0 }, [])).toContain("Estimate:   0 tokens");
	});

	it("names what the rehearsal did not reach", async () => {
		const shown = await planLines(
			"t",
			draft,
			{ outline: outlined, requests: [[1]], missed: ["a", "b"] },
			{ tokens: 0, costUsd: 0 },
		);
		expect(shown).toContain("Rehearsal:  1 visit, to the end; never reached: a, b");
	});
});

describe("the outline of a sequence", () => {
	it("has its steps, its runs and its ceiling", async () => {
		const file = ".pi/sequences/tidy.yaml";
		const text = "description: Tidy up\nruns: 3\nmaxCost: 2\nsteps:\n  - One step\n  - |\n    Another\n    step\n";
		expect(await outline({ [file]: text })).toMatchObject({
			command: "tidy",
			title: "Tidy up",
			steps: [
				["1", "One step"],
				["2", "Another"],
			],
			limits: "3 runs, $2.00",
			maxUsd: 2,
		});
	});
});

describe("the instructions for a draft", () => {
	const kinds = ["chronicle", "workflow", "sequence"] as const;

	it.each(kinds)("of a %s have only the guide of that kind, and end with the task", (kind) => {
		const task = `Write a ${kind} that exports one month`;
		const prompt = draftPrompt({ task, subject: undefined }, packageFolder);
		expect(prompt.endsWith(`# The task\n\n${task}`)).toBe(true);
		const words = { chronicle: "states:", workflow: "phases:", sequence: "steps:" };
		for (const other of kinds) expect(prompt.includes(words[other]), other).toBe(other === kind);
		expect(prompt).not.toMatch(/disable-model-invocation|Before you write|Checking the result/);
	});

	it("are about a chronicle unless the task names one other kind; the guide of another kind is sent when it is asked for", () => {
		for (const task of ["Export one month", "Is it a workflow or a sequence?"])
			expect(draftPrompt({ task, subject: undefined }, packageFolder)).toContain("# Writing chronicles");
		expect(askedKind("Two prompts are enough.\nkind: sequence")).toBe("sequence");
		expect(askedKind("**Kind:** `workflow`")).toBe("workflow");
		for (const answer of ["A kind answer.", "kind: poem", "```yaml file=.pi/sequences/a.yaml\n```"])
			expect(askedKind(answer)).toBeUndefined();
		expect(guidePrompt("sequence", packageFolder)).toContain("file=.pi/sequences/<name>.yaml");
	});

	it("for a chronicle say what children know, and name only fields that exist", () => {
		const prompt = draftPrompt({ task: "Export one month", subject: undefined }, packageFolder);
		for (const word of [
			"merge_by",
			"`task`",
			"{output.",
			"`output`",
			"for_each",
			"questions: none",
			"shell: free",
			"A child starts with",
		])
			expect(prompt).toContain(word);
		const fields = JSON.stringify(templateSchema());
		for (const [, name] of prompt.matchAll(/^\s*(?:\* )?`?([a-z_]+): /gm))
			if (name?.includes("_")) expect(fields, name).toContain(`"${name}"`);
	});

	it("list the problems, each followed by its details", () => {
		expect(correctionPrompt(["one\ntwo", "three"])).toContain("\n- one\n  two\n- three\n");
	});
});
