// `pi-chronicle check` over every kind of definition: valid files, problems with their places, and files of other tools.
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import {
	checkout,
	openBench,
	openProject,
	type Project,
	packageUnderTest,
	piScript,
	runNode,
} from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";

async function check(project: Project, ...args: string[]) {
	return runNode(project, [packageUnderTest().cli, "check", ...args], { env: { PI_CHRONICLE_PI: piScript() } });
}

const good = {
	".pi/workflows/w/workflow.yaml": "name: W\ncommandName: w\ninitialMessage: 'Do {description}'\nphases: [a.md]\n",
	".pi/workflows/w/a.md": "---\nid: a\nname: A\nemoji: x\n---\nLook.\n",
	".pi/chronicle/workflows/t.json": { states: { plan: { agent: "builder", next: ["over"] }, over: { next: [] } } },
	".pi/agents/builder.md": "---\nname: builder\ndescription: Builds\ntools: read, bash\n---\nYou build.\n",
	".pi/agents/README.md": "Who is who.\n",
	".pi/agents/teams.yaml": "build:\n  - builder\n",
	".pi/damage-control-rules.yaml": "zeroAccessPaths: [.env]\n",
	".pi/rehearsals/workflows/w.yaml": "phases:\n  a:\n    - next: Done.\n",
	".pi/rehearsals/chronicles/t.yaml": "states:\n  plan:\n    - go: over\n",
	".pi/sequences/s.yaml": "steps: [Look at the tests.]\n",
};

describe("pi-chronicle check", () => {
	it("accepts the examples and counts their definitions", async () => {
		const project = openProject({});
		cpSync(join(checkout, "examples", "receipts"), project.folder, { recursive: true });
		const { code, stdout } = await check(project);
		expect(stdout).toMatch(
			/4 workflows, 4 chronicle templates, 4 agents, 2 teams, 1 rule file, 7 scenarios: no problems\./,
		);
		expect(code).toBe(0);
	});

	it("accepts a project with every kind of definition, and an empty one", async () => {
		const { code, stdout } = await check(openProject({ files: good }));
		expect(stdout).toContain(
			"1 workflow, 1 chronicle template, 1 agent, 1 team, 1 rule file, 2 scenarios, 1 saved sequence: no problems.",
		);
		expect(code).toBe(0);
		expect(await check(openProject({ files: { "a.txt": "" } }))).toMatchObject({ code: 0 });
	});

	it.each<[string, Record<string, unknown>, RegExp]>([
		[
			"a workflow",
			{ ".pi/workflows/w/workflow.yaml": "name: W\ncommandName: w\ninitialMessage: x\n" },
			/w\/workflow\.yaml:1:1 .*phases/,
		],
		["a phase", { ".pi/workflows/w/a.md": "no front matter\n" }, /w\/a\.md:1:1 .*front matter/],
		["a template", { ".pi/chronicle/workflows/t.json": '{\n "states": { "a": { "next": 5 } }\n}\n' }, /t\.json:2:\d+ /],
		[
			"an agent that a template wants",
			{ ".pi/chronicle/workflows/t.json": '{ "states": {\n "plan": { "agent": "nobody", "next": [] } } }\n' },
			/t\.json:2:\d+ error: plan: There is no agent `nobody`/,
		],
		["an agent's front matter", { ".pi/agents/other.md": "---\nname: [\n---\nText.\n" }, /other\.md:\d+:\d+ /],
		["an agent without instructions", { ".pi/agents/other.md": "---\nname: other\n---\n" }, /other\.md:\d+:\d+ /],
		["a file of teams", { ".pi/agents/teams.yaml": "just words\n" }, /teams\.yaml:1:1 /],
		[
			"a rule file",
			{ ".pi/damage-control-rules.yaml": "zeroAcessPaths: [.env]\n" },
			/rules\.yaml:1:1 .*zeroAcessPaths/,
		],
		["a scenario", { ".pi/rehearsals/workflows/w.yaml": "phases:\n  a:\n    - { sya: x }\n" }, /w\.yaml:3:\d+ .*sya/],
		["a sequence", { ".pi/sequences/s.yaml": "steps: 5\n" }, /sequences\/s\.yaml:1:\d+ /],
	])("exits with 2 and reports the place of a problem in %s", async (_, files, message) => {
		const { code, stdout } = await check(openProject({ files: { ...good, ...files } as typeof good }));
		expect(stdout).toMatch(message);
		expect(stdout).toMatch(/[1-9]\d* errors?,/);
		expect(code).toBe(2);
	});

	it("exits with 0 and warns about fields without effect", async () => {
		const { code, stdout } = await check(
			openProject({
				files: {
					...good,
					".pi/workflows/w/a.md": "---\nid: a\nname: A\nemoji: x\ntools: { blacklist: [edti] }\n---\nLook.\n",
					".pi/rehearsals/workflows/w.yaml": "phases:\n  b:\n    - next: Done.\n",
					".pi/rehearsals/workflows/ww.yaml": "phases: {}\n",
					".pi/agents/thoughts.md": "What I think.\n",
					".pi/workflows/flat.yaml": "name: F\nphases: [a.md]\n",
				},
			}),
		);
		expect(stdout).toMatch(/a\.md:\d+:\d+ warning: .*`edti`/);
		expect(stdout).toMatch(/w\.yaml warning: .*`b`/);
		expect(stdout).toMatch(/ww\.yaml:1:1 warning: There is no workflow ww/);
		expect(stdout).toMatch(/thoughts\.md:1:1 warning: .*no front matter/);
		expect(stdout).toMatch(/flat\.yaml:1:1 warning: .*folder/);
		expect(code).toBe(0);
	});

	it("blames the agent file without front matter, not the team that names it", async () => {
		const { code, stdout } = await check(
			openProject({
				files: { ...good, ".pi/agents/builder.md": "You build.\n", ".pi/chronicle/workflows/t.json": {} },
			}),
		);
		expect(stdout).toMatch(/✗ \.pi\/agents\/builder\.md\n +\S*builder\.md:1:1 error: The file has no front matter/);
		expect(stdout).toMatch(/teams\.yaml:2:5 warning: `builder` in the team `build` is described in `.*builder\.md`/);
		expect(stdout).not.toContain("is not a known agent");
		expect(code).toBe(2);
	});

	it("names file and line of the field, also in templates that children run", async () => {
		const { code, stdout } = await check(
			openProject({
				files: {
					...good,
					".pi/chronicle/workflows/parent.json":
						'{ "states": {\n"a": { "run": "prat", "next": ["b"] },\n"b": { "next": ["c"], "branches": {\n"x": { "run": "part" },\n"y": {\n"agent": "nobody",\n"next": ["done"] } } },\n"c": { "persona": "C", "tools": ["raed"] } } }',
					".pi/chronicle/workflows/part.json": '{ "states": {\n"work": { "next": ["done"],\n"agent": "nowhere" } } }',
				},
			}),
		);
		expect(stdout).toMatch(/parent\.json:2:15 error: a: There is no template `prat`\. Did you mean `part`\?/);
		expect(stdout).toMatch(/parent\.json:6:10 error: b\/y\/y: .*`nobody`/);
		expect(stdout).toMatch(/parent\.json:8:33 error: c: .*`raed`/);
		// Once for the template that runs it, once for itself.
		expect(stdout.match(/part\.json:3:10 error: (b\/x\/)?work: .*`nowhere`/g)).toHaveLength(2);
		expect(code).toBe(2);
	});

	it("lists files of other tools and asks for no change to them", async () => {
		const foreign = {
			".pi/workflows/spec/workflow.yml": "workflow: { id: s }\nsteps:\n  - { id: a, command: speckit.specify }\n",
			".pi/workflows/chart/workflow.yaml": "flow: { kind: sequence, steps: [] }\n",
			".pi/workflows/work.workflow.yaml": "start: a\nsteps:\n  a: { transitions: { ready: b } }\n",
			".pi/workflows/run.js": "export default () => {};\n",
			".pi/agents/agent-chain.yaml": "one:\n  steps:\n    - { agent: builder, prompt: $INPUT }\n",
			".pi/agents/my-chains.yml": "one:\n  steps:\n    - { agent: builder, prompt: $INPUT }\n",
			".pi/taskflows/t.json": { name: "t", phases: [{ id: "a", agent: "b", task: "c" }] },
			".pi/chronicle/workflows/machine.json": { initial: "a", states: { a: { on: { GO: "b" } }, b: {} } },
			".claude/commands/fix.md": "Fix $ARGUMENTS.\n",
			".claude/settings.json": { permissions: { deny: ["Bash(rm:*)"] } },
			".specify/workflows/cycle/workflow.yml": "workflow: { id: c }\nsteps: [{ id: a }]\n",
		};
		const project = openProject({
			files: { ...good, ...foreign, ".pi/settings.json": { permissions: { deny: [] } } },
			trusted: true,
		});
		const { code, stdout } = await check(project);
		for (const file of Object.keys(foreign))
			expect(stdout).toMatch(new RegExp(`^  ${file.replaceAll(".", "\\.")}: an? `, "m"));
		expect(stdout).toContain("no problems");
		expect(stdout).not.toMatch(/rename|remove it|delete/i);
		expect(stdout).not.toContain(".pi/settings.json");
		expect(code).toBe(0);
		const json = JSON.parse((await check(project, "--json")).stdout);
		expect(json.foreign).toHaveLength(Object.keys(foreign).length);
		expect(json.counts).toMatchObject({ workflow: { found: 1, usable: 1 }, scenario: { found: 2, usable: 2 } });
	});

	it("keeps the guard closed for another tool's rules, and names the tool", async () => {
		const { code, stdout } = await check(
			openProject({ files: { ".pi/damage-control-rules.yaml": "permission: { bash: { '*': ask } }\n" } }),
		);
		expect(stdout).toMatch(/rules\.yaml:1:1 error: This is a permissions file of another guard/);
		expect(code).toBe(2);
	});

	deepIt("checks a named file, folder or definition, and reports a missing one", async () => {
		const project = openProject({
			files: {
				...good,
				".pi/workflows/broken/workflow.yaml": "name: B\n",
				"elsewhere/x/workflow.yaml": "name: X\ncommandName: x\ninitialMessage: i\nphases: [a.md]\n",
				"elsewhere/x/a.md": "---\nid: a\nname: A\nemoji: x\n---\nLook.\n",
				"elsewhere/scenario.yaml": "states:\n  plan:\n    - { goo: x }\n",
				"elsewhere/chain.yaml": "one:\n  steps: [{ agent: a, prompt: p }]\n",
			},
		});
		for (const [name, wanted, text] of [
			["w", 0, "1 workflow, 1 scenario: no problems"],
			[".pi/workflows/broken", 2, "1 workflow (1 invalid)"],
			[".pi/agents", 0, "1 agent, 1 team: no problems"],
			["elsewhere/x", 0, "1 workflow: no problems"],
			["elsewhere/x/workflow.yaml", 0, "1 workflow: no problems"],
			["elsewhere/scenario.yaml", 2, "scenario.yaml:3:9"],
			["elsewhere/chain.yaml", 0, "an agent chain file"],
			["buidler", 2, "Did you mean `builder`?"],
		] as const) {
			const { code, stdout } = await check(project, name);
			expect([name, stdout.includes(text) ? text : stdout]).toEqual([name, text]);
			expect([name, code]).toEqual([name, wanted]);
		}
	});

	it("reads nothing from an untrusted project, and says so", async () => {
		const { code, stdout } = await check(openProject({ files: good, trusted: false }), "--no-approve");
		expect(stdout).toContain("pi does not trust the project");
		expect(stdout).not.toContain("builder");
		expect(code).toBe(2);
	});

	it("reports a problem of an agent that a template names only once", async () => {
		const builder = "---\nname: builder\ndescription: Builds\n---\nYou build.\n";
		const { code, stdout } = await check(openProject({ files: { ...good, ".pi/agents/builder.md": builder } }));
		expect(stdout.match(/lists no tools/g)).toHaveLength(1);
		expect(code).toBe(0);
	});

	deepIt("is recommended by the check commands in pi", { timeout: patient(90_000) }, async () => {
		const { rpc } = await openBench({ files: good });
		const pi = await rpc();
		await pi.prompt("/workflow check");
		await pi.screen.notified(/1 workflow loaded[\s\S]*pi-chronicle check/);
		await pi.prompt("/chronicle check");
		await pi.screen.notified(/t\.json[\s\S]*pi-chronicle check/);
	});
});
