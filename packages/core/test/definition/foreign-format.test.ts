// Files of other tools are recognized by their structure, whatever their name, and none of ours is mistaken for one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkout } from "../../../pi-chronicle/test/harness/index.ts";
import {
	foreignFormat,
	foreignMarkdown,
	openSource,
	parseFrontMatter,
	parseJson,
	parseYaml,
} from "../../src/definition/index.ts";

const formatOf = (yaml: string) => {
	const { root } = parseYaml(openSource("/x.yaml", yaml));
	return root && foreignFormat(root);
};

describe("a file of another tool", () => {
	it.each([
		[
			"spec-kit",
			"schema_version: '1.0'\nworkflow: { id: cycle, name: C }\nsteps:\n  - { id: a, type: shell, run: x }\n",
		],
		["GitHub Actions", "name: CI\non: [push]\njobs:\n  test: { runs-on: ubuntu, steps: [] }\n"],
		[
			"agent chain",
			"one:\n  description: D\n  steps:\n    - { agent: scout, prompt: $INPUT }\ntwo:\n  steps: [{ agent: x }]\n",
		],
		["agent chain", "chains:\n  one:\n    steps:\n      - { agent: scout, prompt: $INPUT }\n"],
		["pi-agents", "name: r\nparams: []\nflow:\n  kind: sequence\n  steps: []\n"],
		[
			"pi-workflows",
			"version: 1\nstart: a\nsteps:\n  a: { prompt: x, transitions: { ready: b } }\n  b: { prompt: y }\n",
		],
		[
			"taskflow",
			"name: t\nphases:\n  - { id: scan, agent: scout, task: Look }\n  - { id: fix, dependsOn: [scan], task: Fix }\n",
		],
		["XState", "id: m\ninitial: idle\nstates:\n  idle: { on: { GO: run } }\n  run: {}\n"],
		["Step Functions", "StartAt: A\nStates: { A: { Type: Task, End: true } }\n"],
		["node editor", "nodes: [{ id: 1 }]\nedges: []\n"],
		["CrewAI agents", "researcher: { role: R, goal: G, backstory: B }\n"],
		["CrewAI tasks", "research: { description: D, expected_output: O, agent: researcher }\n"],
		["Claude Code", "permissions: { allow: [Read], deny: ['Bash(rm:*)'] }\n"],
		["another guard", "permission: { bash: { '*': ask } }\n"],
		["another tool (it has `stages`)", "stages:\n  - build\n  - test\n"],
		["another tool (it has `steps`)", "name: x\nsteps: [{ run: ls }]\n"],
	])("is one of %s", (name, yaml) => {
		const format = formatOf(yaml);
		expect(format?.name).toContain(name);
		expect(format?.remedy).toContain("leave it unchanged");
		expect(format?.remedy).not.toMatch(/rename|remove|delete/i);
		const command = { import: "pi-chronicle import", plan: "/plan", nothing: "" }[format?.use ?? "nothing"];
		expect(format?.remedy).toContain(command);
	});

	it.each([
		["our workflow", "name: W\ncommandName: w\ninitialMessage: x\nphases: [a.md, { subworkflow: b }]\n"],
		["our workflow with phases as another tool writes them", "commandName: w\nphases: [{ id: a, task: a.md }]\n"],
		["our workflow with a slip", "name: W\nphases: { a: b }\ntasks: 1\n"],
		["our template", "states:\n  a: { persona: P, next: [b] }\n  b: { agent: x, next: [] }\n"],
		["a template with a state called flow", "states:\n  flow: { persona: P, next: [] }\n"],
		["our rules", "bashToolPatterns: [{ pattern: x }]\nzeroAccessPaths: [.env]\n"],
		["our teams", "build: [planner, builder]\nreview:\n  description: D\n  members: [a]\n"],
		["our scenario", "phases:\n  plan:\n    - { say: x, next: true }\n"],
		["a scenario of a chronicle", "states:\n  plan:\n    - { go: build }\n"],
		["a text", "just words\n"],
		["a list", "- a\n- b\n"],
	])("is not %s", (_, yaml) => {
		expect(formatOf(yaml)).toBeUndefined();
	});

	it("is not one of the examples", () => {
		const below = join(checkout, "examples");
		const files = readdirSync(below, { recursive: true, encoding: "utf8" }).filter((path) =>
			/\.pi\/.*\.(ya?ml|json)$/.test(path),
		);
		expect(files.length).toBeGreaterThan(10);
		for (const path of files) {
			const source = openSource(join(below, path), readFileSync(join(below, path), "utf8"));
			const { root } = path.endsWith(".json") ? parseJson(source) : parseYaml(source);
			expect([path, root && foreignFormat(root)]).toEqual([path, undefined]);
		}
	});
});

describe("Markdown of another tool", () => {
	const of = (text: string) => {
		const { fields, body } = parseFrontMatter(openSource("/x.md", text), "optional");
		return foreignMarkdown(fields, body)?.name;
	};
	it.each([
		["a Claude Code command", "---\ndescription: D\nargument-hint: '[x]'\n---\nDo $1.\n"],
		["a Claude Code command", "---\ndescription: D\n---\nFix $ARGUMENTS.\n"],
		["a skill", "---\nname: s\ndescription: D\nallowed-tools: Read\n---\nHow.\n"],
		["a Cursor rule", "---\nglobs: ['*.ts']\n---\nUse tabs.\n"],
		["a pi-agents workflow", "---\nname: w\nflow: { kind: agent }\n---\n"],
		[undefined, "---\nname: builder\ntools: read, write\n---\nYou build for $5.\n"],
		[undefined, "---\nid: a\nname: A\nemoji: x\n---\nLook.\n"],
		[undefined, "Only text, $ARGUMENTS too.\n"],
	])("is %s", (name, text) => {
		const found = of(text);
		if (name === undefined) expect(found).toBeUndefined();
		else expect(found).toContain(name);
	});
});
