// Longer rehearsals: without a scenario, to a dead end, of a chronicle with real workers. Real pi.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openProject } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { chronicle, exampleProject, oneWorkflow, rehearse } from "./example-project.ts";

describe("pi-chronicle rehearse", () => {
	it.each(["feature", "bug-hunt", "docs-pass"])("improvises through %s without a scenario", async (name) => {
		const project = exampleProject();
		rmSync(project.path(".pi/rehearsals"), { recursive: true });
		const { code, stdout } = await rehearse(project, "workflow", name);
		expect(stdout).toContain("No scenario");
		expect(stdout).toMatch(/rehearsal-notes\/\S+ +refused/);
		expect(stdout).toMatch(/rehearsal-notes\/\S+ +ok/);
		expect(stdout).toContain("DONE");
		expect(stdout).not.toContain("never reached");
		expect(code).toBe(0);
	});

	it("prints the whole report as JSON, and keeps the copy on request", async () => {
		const project = openProject({ files: oneWorkflow("tools: { allow: [read] }\n") });
		const { code, stdout, stderr, left } = await rehearse(project, "small", "--json", "--keep");
		const report = JSON.parse(stdout);
		expect(report).toMatchObject({
			outcome: "done",
			program: { kind: "workflow", name: "small" },
			parts: [
				{
					id: "a",
					visit: 1,
					left: true,
					calls: [{ tool: "bash", outcome: "ok" }, { tool: "write", outcome: "refused" }, {}],
				},
				{ id: "b", visit: 1, left: true },
			],
			missed: [],
			changes: [{ path: "rehearsal-notes/b-1.md", what: "added" }],
		});
		expect(stderr).toContain("DONE");
		expect(readFileSync(join(report.kept, "rehearsal-notes/b-1.md"), "utf8")).toContain("no real model");
		expect(left).toHaveLength(1);
		expect(code).toBe(0);
	});

	it("acts as the user where a phase waits for one, and keeps the understudy waiting", async () => {
		const files = oneWorkflow("advance: person\n");
		files[".pi/workflows/small/b.md"] = files[".pi/workflows/small/b.md"].replace(
			"---\nWrite",
			"advance: person\n---\nWrite",
		);
		const project = openProject({ files });
		const { code, stdout } = await rehearse(project, "small");
		expect(stdout.match(/the rehearsal answers \/workflow next/g)).toHaveLength(2);
		expect(stdout).toMatch(/DONE: 2 visits, \d+ calls\./);
		expect(stdout).not.toContain("workflow_step");
		expect(code).toBe(0);
	});

	it("reports where a run stopped, and the phases it never reached", async () => {
		const project = openProject({
			files: {
				...oneWorkflow(""),
				".pi/rehearsals/workflows/small.yaml": "phases:\n  a:\n    - cancel: true\n    - cancel: true\n",
			},
		});
		const { code, stdout } = await rehearse(project, "small");
		expect(stdout).toMatch(/● Small > 🅰 First/);
		expect(stdout).toContain("STOPPED");
		expect(stdout).toContain("Phases never reached: Second.");
		expect(code).toBe(1);
	});

	it("answers a worker's questions: as the scenario says, otherwise with the first proposed answer", async () => {
		const project = openProject({
			files: {
				...chronicle(),
				".pi/rehearsals/chronicles/round.yaml": `states:
  plan:
    - call: { ask_user: { question: Which port? } }
      answer: "8080"
    - call: { ask_user: { question: Which host?, choices: [the old one, the new one] } }
    - go: build
`,
			},
		});
		const { code, stdout } = await rehearse(project, "chronicle", "round");
		expect(stdout).toContain("? Which port? The rehearsal answers: 8080.");
		expect(stdout).toContain("? Which host? The rehearsal answers: the old one.");
		expect(stdout).not.toContain("failed");
		expect(code, stdout).toBe(0);
	});

	it("warns about a script for an unknown phase", async () => {
		const project = openProject({
			files: { ...oneWorkflow(""), ".pi/rehearsals/workflows/small.yaml": "phases:\n  aa: [Hm.]\n  b#2: []\n" },
		});
		const { code, stdout } = await rehearse(project, "small");
		expect(stdout).toMatch(/small\.yaml warning: .*`aa`/);
		expect(stdout).not.toContain("`b`");
		expect(code).toBe(0);
	});
});

describe("a chronicle", () => {
	it("is rehearsed by real workers through every state, with approvals, to its end", {
		timeout: patient(90_000),
	}, async () => {
		const project = openProject({ files: chronicle({ requires_approval: true, tools: ["read"], model: "opus" }) });
		const { code, stdout, stderr, left } = await rehearse(project, "round", "--json");
		const report = JSON.parse(stdout);
		const parts = report.parts.map(({ id, visit }: { id: string; visit: number }) => `${id} ${visit}`);
		expect(parts).toEqual(["plan 1", "build 1", "check 1"]);
		expect(report).toMatchObject({ outcome: "done", missed: [], program: { kind: "chronicle" } });
		expect(stderr).toMatch(/\? .*plan.* The rehearsal approves\./);
		expect(report.parts[0].calls.map(({ tool }: { tool: string }) => tool)).not.toContain("write");
		expect(report.changes.map(({ path }: { path: string }) => path)).toEqual([
			"rehearsal-notes/build-1.md",
			"rehearsal-notes/check-1.md",
		]);
		expect(project.list()).toEqual([".pi/chronicle/workflows/round.json"]);
		expect([code, left]).toEqual([0, []]);
	});

	it("lets the scripted user say no and send the run elsewhere", { timeout: patient(120_000) }, async () => {
		const script = [
			"states:",
			"  plan:",
			"    - { go: build, reject: Name the risks. }",
			"    - { say: There are none., go: build, sent: { to: check, words: Only look. } }",
			"  check:",
			"    - { go: shipped }",
		];
		const project = openProject({
			files: {
				...chronicle({ requires_approval: true, next: ["build", "check"] }),
				".pi/rehearsals/chronicles/round.yaml": `${script.join("\n")}\n`,
			},
		});
		const { code, stdout, stderr } = await rehearse(project, "round", "--json");
		const { parts, outcome } = JSON.parse(stdout);
		expect(stderr).toMatch(
			/\? .*plan.* The rehearsal rejects: Name the risks\.\n[\s\S]*\? .*plan.* The rehearsal sends it to check\./,
		);
		expect(parts.map(({ id, visit }: { id: string; visit: number }) => `${id} ${visit}`)).toEqual([
			"plan 1",
			"check 1",
		]);
		expect([outcome, code]).toEqual(["done", 0]);
	});

	it("has a git history of one commit in the copy", { timeout: patient(60_000) }, async () => {
		const script = "states:\n  plan:\n    - { call: { bash: { command: git log --oneline } } }\n    - go: build\n";
		const project = openProject({ files: { ...chronicle(), ".pi/rehearsals/chronicles/round.yaml": script } });
		const { code, stdout } = await rehearse(project, "round");
		expect(stdout).toMatch(/bash git log --oneline +ok/);
		expect(code).toBe(0);
	});

	it("stops at a dead end of its script, and reports the pending question", { timeout: patient(60_000) }, async () => {
		const script = "states:\n  plan:\n    - go: human_intervention\n";
		const project = openProject({ files: { ...chronicle(), ".pi/rehearsals/chronicles/round.yaml": script } });
		const { code, stdout } = await rehearse(project, "round");
		expect(stdout).toMatch(/● plan/);
		expect(stdout).toContain("STOPPED in plan");
		expect(stdout).toContain("States never reached: build, check.");
		expect(code).toBe(1);
	});
});
