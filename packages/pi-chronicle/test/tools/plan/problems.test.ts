// The problems of a draft: all of them in one round, with positions and names as in the draft, and each with a remedy that leads to a valid
// draft.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openProject } from "../../../src/local/index.ts";
import { type DraftFile, draftOf } from "../../../src/tools/plan/draft.ts";
import { draftProblems } from "../../../src/tools/plan/examine.ts";
import { openFolder } from "../../harness/folder.ts";
import { checkout } from "../../harness/under-test.ts";

const path = ".pi/chronicle/workflows/month.yaml";

/** The problems of a draft whose files are in a project. */
async function problemsOf(...files: readonly DraftFile[]): Promise<string[]> {
	const cwd = openFolder(Object.fromEntries(files.map(({ path, text }) => [path, text])));
	const read = draftOf(files);
	const draft = read.kind === "draft" ? read.draft : read.rest;
	if (!draft) throw new Error("no draft");
	const pi = { command: "pi", args: [], version: undefined };
	const [home, agentFolder] = [`${cwd}/home`, `${cwd}/home/.pi/agent`];
	// The check of a workflow's models may start pi.
	const env = { ...process.env, HOME: home, PI_CODING_AGENT_DIR: agentFolder };
	const project = openProject({ cwd, home, agentFolder, trust: "trusted", pi, env });
	return [...(read.kind === "problems" ? read.problems : []), ...(await draftProblems(draft, project))];
}

describe("the problems of a draft", () => {
	it("of shapes, links, tools, agents and templates are found together", async () => {
		const text = `limits: { max_cost_usd: 2, minutes: many }
states:
  plan: { persona: architect, tools: [read, reed], next: [biuld], timeout_minutes: soon }
  build:
    branches:
      api: { agent: no-such-agent, tools: [bsah], instruction: Write it }
      docs: { run: no-such-template }
    next: [review]
  review: { persona: reviewer, instructions: "Use {output.plan.command}", next: [done] }
`;
		const all = await problemsOf({ path, text }, { path: ".pi/agents/../x.md", text: "" });
		for (const words of [
			/x\.md is not a definition file/,
			/month\.yaml:1:11 .*max_cost_usd.*Did you mean `cost_usd`/,
			/month\.yaml:1:\d+ .*`limits\.minutes`/,
			/month\.yaml:3:\d+ .*`biuld` is not defined.*`build`/,
			/month\.yaml:3:\d+ .*`reed`.*`read`/,
			/month\.yaml:3:\d+ .*`states\.plan\.timeout_minutes`/,
			/month\.yaml:6:\d+ .*no-such-agent/,
			/month\.yaml:6:\d+ .*bsah.*`bash`/,
			/month\.yaml:6:\d+ .*`instruction` in `states\.build\.branches\.api`.*Did you mean `instructions`/,
			/month\.yaml:7:\d+ .*no-such-template/,
			/month\.yaml:9:\d+ .*output\.plan\.command/,
		])
			expect(all.join("\n")).toMatch(words);
		for (const each of all) expect(each).not.toMatch(/or keep it|\/home\/|(?:^| )\/\w+\/\w+/);
	});

	it("of a workflow and of a sequence are found together, too", async () => {
		const workflow = ".pi/workflows/fix/workflow.yaml";
		const all = await problemsOf(
			{ path: workflow, text: "name: Fix\ncommandname: fix\nphases: [a.md, b.md]\n" },
			{ path: ".pi/workflows/fix/a.md", text: "---\nid: 1\nname: A\nemoji: x\ntools:\n  alow: [read]\n---\nDo it.\n" },
		);
		for (const words of [/commandname.*`commandName`/, /b\.md/, /a\.md:2:\d+ /, /a\.md:6:\d+ .*alow.*`allow`/])
			expect(all.join("\n")).toMatch(words);
		const sequence = await problemsOf({ path: ".pi/sequences/a.yaml", text: "step: [a]\nmax_cost: 2\nruns: 0\n" });
		for (const words of [/Did you mean `steps`/, /Did you mean `maxCost`/, /`runs`/])
			expect(sequence.join("\n")).toMatch(words);
	});

	const workflow = ".pi/workflows/fix/workflow.yaml";
	const phase = (head: string) => ({
		path: ".pi/workflows/fix/a.md",
		text: `---\n${head}\n---\nDo it. {tsk}\n`,
	});
	const head = "name: Fix\ncommandName: fix\ninitialMessage: Go\n";
	it.each<[string, readonly DraftFile[], readonly RegExp[]]>([
		[
			"a wrong entry of phases, those of the phase files",
			[{ path: workflow, text: `${head}phases: [{ workflow: nope }, a.md]\n` }, phase("id: 1\nname: A\nemoji: x")],
			[/starts with `workflow`/, /a\.md:2:5 error: `id`/, /`\{tsk\}`/],
		],
		[
			"a wrong field of a phase, its unknown tool",
			[
				{ path: workflow, text: `${head}phases: [a.md]\n` },
				phase("id: a\nname: A\nemoji: x\nshell: maybe\ntools:\n  allow: [reed]\nlimits: { requests: many }"),
			],
			[/`shell`/, /`limits\.requests`/, /`reed`.*`read`/, /`\{tsk\}`/],
		],
		[
			"an empty agent, its other fields",
			[
				{ path, text: "states:\n  a: { agent: x, next: [done] }\n" },
				{ path: ".pi/agents/x.md", text: "---\nname: x\ndescription: d\ntools: reed\ntoools: x\n---\n" },
			],
			[/is empty/, /reed.*`read`/, /`toools`/],
		],
		[
			"a wrong field of one state, what the instructions of others ask for",
			[
				{
					path,
					text: `states:
  a: { persona: p, tools: [read], instructions: "Run the tests. {output.zz.y}", next: [b] }
  b: { persona: q, tools: [read], instructions: "Run the tests. Use {output.c.x}", next: [c] }
  c: { persona: q, next: [done], timeout_minutes: soon, output: { type: object, properties: { x: { type: string } } } }
`,
				},
			],
			[
				/timeout_minutes/,
				/output\.zz\.y/,
				/"a" is told "Run the tests"/,
				/"b" is told "Run the tests"/,
				/reads \{output\.c\.x\}/,
			],
		],
		[
			"a target without a list, the other fields of the state",
			[{ path, text: "states:\n  a: { persona: p, tools: reed, next: b }\n  b: { persona: p, next: [done] }\n" }],
			[/`states\.a\.next` must be a list/, /a: .*`reed`/],
		],
	])("include, beside %s", async (_what, files, expected) => {
		const all = (await problemsOf(...files)).join("\n");
		for (const words of expected) expect(all).toMatch(words);
		expect(all).not.toMatch(/cannot be reached/);
	});

	it.each(["chronicle", "workflow", "sequence"])("of the guide for a %s: its own examples have none", async (kind) => {
		const text = readFileSync(join(checkout, "packages/pi-chronicle/skills", `${kind}-authoring`, "SKILL.md"), "utf8");
		const blocks = text.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```/gm);
		const files = [...blocks].map(([, path = "", text = ""]) => ({ path, text }));
		expect(files.length).toBeGreaterThan(0);
		expect(await problemsOf(...files)).toEqual([]);
	});
});
