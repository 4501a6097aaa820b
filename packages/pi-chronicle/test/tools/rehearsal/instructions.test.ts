// Instructions that their agent cannot follow: which wordings are orders, and what each state and phase can do. Pure, on files.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatPlace } from "@pi-chronicle/core/definition";
import { describe, expect, it } from "vitest";
import { readTemplateFile } from "../../../src/local/index.ts";
import { loadAgentRegistry } from "../../../src/persona/index.ts";
import {
	aroundTemplates,
	checkPhaseInstructions,
	checkTemplateInstructions,
} from "../../../src/tools/rehearsal/instructions/index.ts";
import { needsIn } from "../../../src/tools/rehearsal/instructions/needs.ts";
import { loadCatalogue } from "../../../src/workflow/index.ts";
import { checkout, openFolder } from "../../harness/index.ts";

describe("an order", () => {
	it.each([
		["Run all tests.", "shell"],
		["Run the project's tests once.", "shell"],
		["Read the diff. Then run the test suite again.", "shell"],
		["- Read it\n- Run `npm test` and compare", "shell"],
		["Execute every command of the README.", "shell"],
		["You must run the linter.", "shell"],
		["Commit the change with a short message.", "shell"],
		["Edit src/cli.js: no. Edit `src/cli.js` instead of its copy", undefined],
		["Edit the configuration file.", "write"],
		["Read the report, and fix the bug.", "write"],
		["Fix all remaining findings.", "write"],
		["Implement the plan.", "write"],
		["Write a failing test for it.", "write"],
		["Update the README.", "write"],
		["Use a git worktree for the comparison.", "worktree"],
		["Ask the user which one they want.", "user"],
		["Confirm the version with the user.", "user"],
		["For each finding, read the code.", "findings"],
		["Verify every finding yourself.", "findings"],
		["Do the pending tasks in order.", "tasks"],
		["For every pending task: the test, then the code.", "tasks"],
	])("is %j", (text, kind) => {
		expect(needsIn(text)[0]?.kind).toBe(kind);
	});

	it.each([
		"Do not run the tests.",
		"Never edit a file here.",
		"If you can, run the tests.",
		"When the tests fail, fix the code in the next state.",
		"Describe how to run the tests.",
		"Name the command that runs the project's tests.",
		"The reviewers cannot run commands: they know what you save.",
		"The builder runs all tests and fixes the bugs.",
		"Write the acceptance criteria of the task first.",
		"Write a test plan.",
		"Add a test case to the list of your summary.",
		"Write the code names of the releases down.",
		"Run through the list once more.",
		"Run `workflow_transition` when you are done.",
		"Save one finding for each. Read the code behind every finding again.",
		"Save findings as you go; order the findings by severity.",
		"Split the work into pending tasks. For each pending task, name the test.",
		"Then the steps, at most seven, one pending task each: its files, the test that proves it.",
		"Do the task.",
		"Fix the scope of the review.",
		"Create a plan. Implement nothing.",
		"Write a script to a temporary folder.",
		"Update the snapshot.",
		"Change the way you think about it.",
		"The user may ask me anything.",
		"Check with a debugger what happens.",
	])("is not %j", (text) => {
		expect(needsIn(text)).toEqual([]);
	});
});

const reader = { persona: "Reader", tools: ["read", "grep"], next: ["done"] };

/** Warnings about a template, each as `line:column message`. */
function problemsOf(template: object | string, files: Record<string, string> = {}): string[] {
	const folder = openFolder({
		"template.yaml": typeof template === "string" ? template : JSON.stringify(template, null, 1),
		...files,
	});
	const registry = loadAgentRegistry({
		...{ cwd: folder, project: "trusted", agentFolder: join(folder, "none"), home: join(folder, "none") },
	});
	const found = readTemplateFile(join(folder, "template.yaml"), "project");
	if (!found?.read) throw new Error(JSON.stringify(found?.diagnostics));
	return checkTemplateInstructions(found, aroundTemplates(registry, [found])).map(
		({ file, line, column, message }) => `${file.slice(folder.length + 1)}:${line}:${column} ${message}`,
	);
}

describe("a state's instructions", () => {
	it("are reported at the words that the worker cannot follow", () => {
		const yaml = [
			"name: T",
			"states:",
			"  look:",
			"    persona: Reader",
			"    tools: [read, grep]",
			"    next: [done]",
			"    instructions: |",
			"      Read the code. Then run all",
			"      tests, and fix the bug.",
			"  done: {}",
		];
		expect(problemsOf(yaml.join("\n"))).toEqual([
			'template.yaml:8:27 The state "look" is told "run all tests", but it may not run programs.',
			'template.yaml:9:18 The state "look" is told "fix the bug", but it may not change files.',
		]);
	});

	it.each([
		["Run all tests.", { tools: ["read", "bash"] }],
		["Fix the bug.", { tools: ["read", "edit"] }],
		["Run all tests. Fix the bug.", {}],
		["Fix the bug.", { tools: ["read", "bash"], shell: "free" }],
		["Run all tests.", { tools: ["read", "bash", "edit"], shell: "strict" }],
		["Run all tests.", { tools: ["read", "run_tests"] }],
	])("are not reported where the worker can: %s %j", (instructions, over) => {
		expect(
			problemsOf({ name: "T", states: { look: { persona: "R", next: ["done"], ...over, instructions }, done: {} } }),
		).toEqual([]);
	});

	it.each([
		["Run all tests.", { tools: ["read", "bash"], shell: "strict" }],
		["Fix the bug.", { tools: ["read", "bash"] }],
	])("are reported where the shell's limits refuse it: %s %j", (instructions, over) => {
		const look = { persona: "R", next: ["done"], ...over, instructions };
		expect(problemsOf({ name: "T", states: { look, done: {} } })).toHaveLength(1);
	});

	it("may rely on what any state before them saves, a parent's included", () => {
		const instructions = "Do the pending tasks in order. Verify every finding.";
		const work = { ...reader, tools: ["read"], instructions };
		const told = (states: object) => problemsOf({ name: "T", states });
		expect(told({ work, done: {} })).toHaveLength(2);
		expect(told({ plan: { ...reader, next: ["work"] }, work, done: {} })).toEqual([]);
		expect(
			told({ work: { ...work, next: ["check"] }, check: { ...reader, next: ["work", "done"] }, done: {} }),
		).toEqual([]);
		const parts = { branches: { one: work }, next: ["done"] };
		expect(told({ parts, done: {} })).toHaveLength(2);
		expect(told({ plan: { ...reader, next: ["parts"] }, parts, done: {} })).toEqual([]);
	});

	it("may read only data of states that can precede them", () => {
		const output = { type: "object", properties: { port: { type: "number" } } };
		const states = {
			plan: { ...reader, next: ["build"], output, instructions: "Use {output.check.port}." },
			build: { ...reader, next: ["check"], instructions: "Use {output.plan.port}." },
			check: { ...reader, output },
			done: {},
		};
		expect(problemsOf({ name: "T", states })).toEqual([
			expect.stringContaining('The state "plan" reads {output.check.port}, but no path leads from "check" to it'),
		]);
		expect(
			problemsOf({ name: "T", states: { ...states, check: { ...states.check, next: ["plan", "done"] } } }),
		).toEqual([]);
	});

	it("may ask the user unless the template or the state forbids it", () => {
		const look = { ...reader, instructions: "Ask the user which port to use." };
		expect(problemsOf({ name: "T", states: { look, done: {} } })).toEqual([]);
		expect(problemsOf({ name: "T", states: { look: { ...look, questions: "none" }, done: {} } })).toEqual([
			expect.stringContaining("`questions: none` takes away the tool that asks the user."),
		]);
	});

	it("include those of the agent's file", () => {
		const agent =
			"---\nname: scout\ndescription: Looks\ntools: read, grep\n---\n\nYou look.\nBe quick. Run the linter first.\n";
		expect(
			problemsOf(
				{ name: "T", states: { look: { agent: "scout", next: ["done"] }, done: {} } },
				{ ".pi/agents/scout.md": agent },
			),
		).toEqual([
			'.pi/agents/scout.md:8:11 The state "look" of T, whose agent this is, is told "Run the linter", but it may not run programs.',
		]);
	});
});

describe("a phase's instructions", () => {
	const problems = (tools: string, text: string): string[] => {
		const folder = openFolder({
			"w/workflow.yaml": "name: W\ncommandName: w\ninitialMessage: Do {description}\nphases: [a.md]\n",
			"w/a.md": `---\nid: a\nname: A\nemoji: x\n${tools}---\n\n${text}\n`,
		});
		const { definitions } = loadCatalogue({ globalRoot: folder, projectRoot: undefined });
		return [...definitions.values()]
			.flatMap(checkPhaseInstructions)
			.map((found) => `${formatPlace(found, folder)} ${found.message}`);
	};

	it.each([
		["tools: { allow: [read] }\n", "Run all tests.", 1],
		["tools: { allow: [read, exec] }\n", "Run all tests.", 0],
		["tools: [read]\n", "Run all tests.", 1],
		["tools: [read, bash]\n", "Run all tests. Fix the bug.", 1],
		["tools: { blacklist: [edit, write] }\n", "Run all tests.", 0],
		["tools: { blacklist: [edit, write], shell: strict }\n", "Run all tests.", 1],
		["tools: { blacklist: [edit, write], shell: unrestricted }\n", "Run all tests. Fix the bug.", 0],
		["tools: { blacklist: [edit, write] }\n", "Use a worktree of the last release.", 1],
		["", "Run all tests. Fix the bug. Ask the user.", 0],
	])("under %j: %s", (tools, text, count) => {
		expect(problems(tools, text)).toHaveLength(count);
	});
});

it("the package's definitions and examples have no such order", () => {
	for (const [definitions, agents] of [
		[join(checkout, "packages/pi-chronicle/definitions"), join(checkout, "packages/pi-chronicle/definitions")],
		[join(checkout, "examples/receipts/.pi"), join(checkout, "examples/receipts/.pi")],
	] as const) {
		const registry = loadAgentRegistry({
			cwd: join(agents, "none"),
			project: "untrusted",
			agentFolder: agents,
			home: join(agents, "none"),
		});
		expect(registry.agents.length).toBeGreaterThan(2);
		const folder = join(definitions, "chronicle/workflows");
		const found = readdirSync(folder).flatMap((name) => readTemplateFile(join(folder, name), "project") ?? []);
		for (const each of found) expect(checkTemplateInstructions(each, aroundTemplates(registry, found))).toEqual([]);
		const catalogue = loadCatalogue({ globalRoot: join(definitions, "workflows"), projectRoot: undefined });
		expect([...catalogue.definitions.values()].flatMap(checkPhaseInstructions)).toEqual([]);
	}
	const planning = readFileSync(
		join(checkout, "packages/pi-chronicle/definitions/workflows/bug-hunt/confirm.md"),
		"utf8",
	);
	expect(needsIn(planning).map(({ kind }) => kind)).toContain("shell");
});
