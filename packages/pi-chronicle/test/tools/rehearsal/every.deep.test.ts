// Whole coverage rehearsals in real pi: both kinds of definitions with their exact reports, the examples, and the command in pi.
import { expect, it } from "vitest";
import { openBench, openProject } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { exampleProject, rehearse } from "./example-project.ts";

interface Reported {
	readonly text: string;
	readonly why?: string;
}
const texts = (items: readonly Reported[]) =>
	items.map(({ text, why }) => (why === undefined ? text : `${text}: ${why}`));

const round = {
	".pi/chronicle/workflows/round.json": {
		name: "Round",
		states: {
			plan: { persona: "Planner", tools: ["read"], next: ["build"] },
			build: { persona: "Builder", next: ["check"], requires_approval: true, limits: { attempts: 2 } },
			check: { agent: "checker", next: ["shipped", "build", "check"], questions: "none" },
			shipped: { next: [] },
		},
		limits: { pair_moves: 2, requests: 8, calls: 10, attempts: 3, no_progress: 2, nudges: 1, rejections: 2, moves: 9 },
	},
	".pi/agents/checker.md": "---\nname: checker\ndescription: Checks.\ntools: read, bash\n---\nCheck it.\n",
};

it("rehearse --every covers a chronicle and reports the unreachable", { timeout: patient(240_000) }, async () => {
	const { code, stdout, stderr } = await rehearse(openProject({ files: round }), "round", "--every", "--json");
	const report = JSON.parse(stdout);
	expect(texts(report.notCovered), stderr).toEqual([]);
	expect(texts(report.notEnforced)).toEqual([]);
	expect(texts(report.covered)).toEqual([
		"plan → build",
		"plan → human_intervention",
		"build → check",
		"build → human_intervention",
		"check → shipped",
		"check → build",
		"check → check",
		"check → human_intervention",
		"exit of build: yes",
		"exit of build: no",
		"plan asks the user",
		"build asks the user",
		"plan refuses write",
		"check refuses write",
	]);
	expect(texts(report.unreachable)).toEqual([
		"check asks the user: its `questions` are `none`",
		"build: nothing limits its tools",
	]);
	expect([report.outcome, code]).toEqual(["complete", 0]);
});

it("rehearse --every covers approvals on entry, terminal states with a worker, moves and releases", {
	timeout: patient(240_000),
}, async () => {
	const definition = {
		states: {
			first: { persona: "A", requires_approval: "entry", next: ["second"] },
			second: { persona: "B", next: ["first", "last"] },
			last: { persona: "C", requires_approval: "exit" },
			human_intervention: { next: ["second"] },
		},
		limits: { moves: 2, attempts: 2, rejections: 1, requests: 5, calls: 7 },
	};
	const project = openProject({ files: { ".pi/chronicle/workflows/asks.json": definition } });
	const { code, stdout, stderr } = await rehearse(project, "asks", "--every", "--json");
	const report = JSON.parse(stdout);
	expect(texts(report.notCovered), stderr).toEqual([]);
	expect(texts(report.covered)).toEqual(
		expect.arrayContaining([
			"human_intervention → second",
			"last → done",
			"entry of first: yes",
			"entry of first: no",
			"exit of last: yes",
			"exit of last: no",
		]),
	);
	expect([report.outcome, code]).toEqual(["complete", 0]);
});

it("rehearse --every covers a nested workflow, loops, back and a phase that the user ends", {
	timeout: patient(240_000),
}, async () => {
	const phase = (id: string, fields: string) => `---\nid: ${id}\nname: ${id}\nemoji: x\n${fields}---\nDo it.\n`;
	const files = {
		".pi/workflows/outer/workflow.yaml":
			"name: Outer\ncommandName: outer\nloopable: false\ninitialMessage: 'Do {description}'\nlimits: { requests: 9 }\nphases:\n  - a.md\n  - subworkflow: inner\n  - c.md\n",
		".pi/workflows/outer/a.md": phase("a", "tools: { allow: [read] }\n"),
		".pi/workflows/outer/c.md": phase("c", "advance: person\ntools: { blacklist: [bash] }\nlimits: { calls: 7 }\n"),
		".pi/workflows/inner/workflow.yaml": "name: Inner\nshow: workflows\nmaxLoops: 1\nphases: [b.md, r.md]\n",
		".pi/workflows/inner/b.md": phase("b", "tools: { allow: [read, write] }\n"),
		".pi/workflows/inner/r.md": phase("r", "tools: [read, grep]\n"),
	};
	const { code, stdout, stderr } = await rehearse(openProject({ files }), "outer", "--every", "--json");
	const report = JSON.parse(stdout);
	expect(texts(report.notCovered), stderr).toEqual([]);
	expect(texts(report.notEnforced)).toEqual([]);
	expect(texts(report.covered)).toEqual([
		"a → inner/b",
		"a refuses write",
		"inner/b → inner/r",
		"inner/b refuses bash",
		"inner/r → c",
		"inner/r refuses write",
		"c → end",
		"c refuses bash",
		"end of c: yes",
		"end of c: no",
		"the agent cannot end c",
		"inner/b ↺ loop of Inner",
		"inner/r ↺ loop of Inner",
		"inner/b → a (back)",
		"inner/r → inner/b (back)",
		"c → inner/r (back)",
	]);
	expect([report.outcome, code]).toEqual(["complete", 0]);
});

it.each([
	["workflow", "feature"],
	["chronicle", "bug-fix"],
])("rehearse --every covers the example's %s %s", { timeout: patient(400_000) }, async (kind, name) => {
	const { code, stdout, stderr } = await rehearse(exampleProject(), kind, name, "--every", "--json");
	const report = JSON.parse(stdout);
	expect(texts([...report.notCovered, ...report.notEnforced]), stderr).toEqual([]);
	expect(code).toBe(0);
});

it("rehearse --every is a command in pi as well", { timeout: patient(120_000) }, async () => {
	const { project, rpc } = await openBench({
		files: {
			".pi/workflows/one/workflow.yaml":
				"name: One\ncommandName: one\ninitialMessage: x\nlimits: { requests: 5, calls: 7 }\nphases: [a.md]\n",
			".pi/workflows/one/a.md": "---\nid: a\nname: A\nemoji: x\n---\nDo it.\n",
		},
	});
	const pi = await rpc();
	await pi.prompt("/rehearse one --every Try it");
	await pi.screen.notified(/COMPLETE: \d+ of \d+ covered/, 90_000);
	expect(project.exists("rehearsal-notes")).toBe(false);
});

const tree = {
	".pi/chronicle/workflows/tree.json": {
		states: {
			plan: { persona: "Planner", next: ["build"] },
			build: { run: "part", for_each: "pendingTasks", next: ["both", "plan"] },
			both: {
				branches: {
					one: { persona: "Reader", tools: ["read"], next: ["done"] },
					two: { run: { states: { inner: { run: "small", task: "Look", next: ["done"] } } } },
				},
				next: ["shipped"],
			},
			shipped: { next: [] },
		},
		limits: { requests: 8, calls: 10, attempts: 2, no_progress: 2, nudges: 1, rejections: 1, moves: 9 },
	},
	".pi/chronicle/workflows/small.json": { states: { look: { persona: "Reader", questions: "none" } } },
	".pi/chronicle/workflows/part.json": {
		states: {
			work: { persona: "Builder", next: ["test"] },
			test: { persona: "Tester", next: ["done", "work"], requires_approval: true },
			done: {},
		},
		limits: { pair_moves: 2, attempts: 1 },
	},
};

it("rehearse --every covers the child runs of a chronicle", { timeout: patient(400_000) }, async () => {
	const { code, stdout, stderr } = await rehearse(openProject({ files: tree }), "tree", "--every", "--json");
	const report = JSON.parse(stdout);
	expect(texts(report.notCovered), stderr).toEqual([]);
	expect(texts(report.notEnforced)).toEqual([]);
	const covered = texts(report.covered);
	for (const text of [
		"plan → build",
		"build → both",
		"both → shipped",
		"part: work → test",
		"part: test → work",
		"part: test → done",
		"part: exit of test: yes",
		"part: exit of test: no",
		"part: work asks the user",
		"one: one asks the user",
		"one: one → done",
		"one: one refuses write",
		"two: inner → done",
	])
		expect(covered, stderr).toContain(text);
	expect(covered).not.toContain("build → plan");
	expect(code).toBe(0);
});

it("rehearse --every takes every way out of a command, and runs none", { timeout: patient(240_000) }, async () => {
	const definition = {
		states: {
			build: { persona: "A", questions: "none", next: ["test"] },
			test: { command: "touch ran; exit 9", next: { 0: "count", 3: "build", else: "build" } },
			count: {
				command: "touch ran",
				parse: "json",
				output: { type: "object", required: ["failed"], properties: { failed: { type: "integer" } } },
				next: JSON.parse('{ "when": "{output.count.failed} == 0", "then": "done", "else": "build" }'),
			},
			done: {},
		},
		limits: { pair_moves: 6 },
	};
	const project = openProject({ files: { ".pi/chronicle/workflows/tested.json": definition } });
	const { code, stdout, stderr } = await rehearse(project, "tested", "--every", "--json");
	const report = JSON.parse(stdout);
	expect(texts(report.notCovered), stderr).toEqual([]);
	expect(texts(report.covered)).toEqual(
		expect.arrayContaining([
			"test: 0 → count",
			"test: 3 → build",
			"test: else → build",
			"count: {output.count.failed} == 0 → done",
			"count: else → build",
		]),
	);
	expect([report.outcome, code]).toEqual(["complete", 0]);
	const scenario = "states:\n  test:\n    - { say: '2 failed', exit: 1 }\n  test#2:\n    - { exit: 0 }\n";
	project.write(".pi/rehearsals/chronicles/tested.yaml", scenario);
	const once = await rehearse(project, "tested", "--json");
	expect([once.code, JSON.parse(once.stdout).outcome], once.stderr).toEqual([0, "done"]);
});
