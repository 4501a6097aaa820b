// Rehearsals end to end, with real pi: the verb of the command line, `/rehearse`, and that nothing of it reaches the person's things.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBench, openProject, packageUnderTest, piScript, runNode } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { exampleProject, rehearse } from "./playing.ts";

const oneWorkflow = (phase: string) => ({
	".pi/workflows/small/workflow.yaml":
		"name: Small\ncommandName: small\ninitialMessage: 'Do {description}'\nphases: [a.md, b.md]\n",
	".pi/workflows/small/a.md": `---\nid: a\nname: First\nemoji: 🅰\n${phase}---\nLook.\n`,
	".pi/workflows/small/b.md": "---\nid: b\nname: Second\nemoji: 🅱\n---\nWrite.\n",
});

describe("pi-chronicle rehearse", () => {
	it("plays a scenario to the end and changes only the copy", async () => {
		const project = exampleProject();
		const before = project.list().map((path) => [path, project.read(path)]);
		const { code, stdout, stderr, left } = await rehearse(
			project,
			"workflow",
			"feature",
			"Add",
			"a",
			"--month",
			"option",
		);
		expect(stderr).toBe("");
		expect(stdout).toContain("Add a --month option");
		expect(stdout).toContain("Scenario: .pi/rehearsals/workflows/feature.yaml");
		expect(stdout).toMatch(/write src\/select\.js +refused: This phase may not write/);
		expect(stdout).toContain("DONE: 6 visits, 20 calls, 1 refused.");
		expect(code).toBe(0);
		expect(project.list().map((path) => [path, project.read(path)])).toEqual(before);
		expect(left).toEqual([]);
		expect(readdirSync(project.agentFolder)).toEqual(["settings.json"]);
	});

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

	it("gives the whole report as JSON, and keeps the copy when asked to", async () => {
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

	it("plays the person where a phase waits for one, and leaves the understudy waiting", async () => {
		const files = oneWorkflow("advance: person\n");
		files[".pi/workflows/small/b.md"] = files[".pi/workflows/small/b.md"].replace(
			"---\nWrite",
			"advance: person\n---\nWrite",
		);
		const project = openProject({ files });
		const { code, stdout } = await rehearse(project, "small");
		expect(stdout.match(/the rehearsal goes on with \/workflow next/g)).toHaveLength(2);
		expect(stdout).toMatch(/DONE: 2 visits, \d+ calls\./);
		expect(stdout).not.toContain("workflow_step");
		expect(code).toBe(0);
	});

	it("says where a run stops that cannot get on, and what it never reached", async () => {
		const project = openProject({
			files: {
				...oneWorkflow(""),
				".pi/rehearsals/workflows/small.yaml": "phases:\n  a:\n    - cancel: true\n    - cancel: true\n",
			},
		});
		const { code, stdout } = await rehearse(project, "small");
		expect(stdout).toMatch(/● Small > 🅰 First/);
		expect(stdout).toContain("STOPPED");
		expect(stdout).toContain("Phases that were never reached: Second.");
		expect(code).toBe(1);
	});

	it("warns of a script for a phase that is not there", async () => {
		const project = openProject({
			files: { ...oneWorkflow(""), ".pi/rehearsals/workflows/small.yaml": "phases:\n  aa: [Hm.]\n  b#2: []\n" },
		});
		const { code, stdout } = await rehearse(project, "small");
		expect(stdout).toMatch(/small\.yaml warning: .*`aa`/);
		expect(stdout).not.toContain("`b`");
		expect(code).toBe(0);
	});

	it.each([
		["a name that is not there", ["smal"], /no workflow and no chronicle smal.*Did you mean `small`/],
		["a workflow that runs only inside others", ["inner"], /only inside others/],
		["a definition that does not load", ["broken"], /broken\/workflow\.yaml:\d+.*phases/s],
		["a scenario that cannot be read", ["small", "--scenario", "bad.yaml"], /bad\.yaml:2:7 .*sya/s],
		["a scenario that is not there", ["small", "--scenario", "no.yaml"], /no\.yaml There is no such scenario/],
		["a slip in an option", ["small", "--jsn"], /no option --jsn.*`--json`/],
		["an option that is not there", ["--fast", "small"], /no option --fast/],
		["no name at all", [], /Workflows here: small\./],
		["a pi that is not there", ["small", "--pi", "/nowhere/pi.js"], /There is no file/],
	])("refuses %s with 2", async (_, args, message) => {
		const project = openProject({
			files: {
				...oneWorkflow(""),
				".pi/workflows/inner/workflow.yaml": "name: Inner\nshow: workflows\nphases: [../small/a.md]\n",
				".pi/workflows/broken/workflow.yaml": "name: Broken\ncommandName: broken\ninitialMessage: x\n",
				"bad.yaml": "idle:\n  - { sya: x }\n",
			},
		});
		const { code, stderr, stdout, left } = await rehearse(project, ...args);
		expect(stderr).toMatch(message);
		expect(stdout).toBe("");
		expect(code).toBe(2);
		expect(left).toEqual([]);
	});

	it("says with --json in one object why nothing is played", async () => {
		const project = openProject({ files: oneWorkflow("") });
		for (const [args, message] of [
			[["smal", "--json"], "Did you mean `small`?"],
			[["--json"], "Name a workflow"],
			[["small", "--json", "--keeep"], "`--keep`"],
		] as const) {
			const { code, stdout } = await rehearse(project, ...args);
			expect(code).toBe(2);
			expect(JSON.parse(stdout)).toMatchObject({
				verb: "rehearse",
				error: { message: expect.stringContaining(message) },
			});
		}
	});

	it("explains itself", async () => {
		const project = openProject();
		expect(await rehearse(project, "--help")).toMatchObject({ code: 0, stdout: expect.stringContaining("--scenario") });
		const unknown = await runNode(project, [packageUnderTest().cli, "reherse"]);
		expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("rehearse") });
	});
});

const chronicle = (state: Record<string, unknown> = {}) => ({
	".pi/chronicle/workflows/round.json": {
		name: "Round",
		states: {
			plan: { persona: "Planner", next: ["build"], ...state },
			build: { persona: "Builder", next: ["check"] },
			check: { persona: "Checker", next: ["shipped", "build"] },
			shipped: { next: [] },
		},
	},
});

describe("a chronicle", () => {
	it("is played by real workers through every state, asks answered, to its end", {
		timeout: patient(90_000),
	}, async () => {
		const project = openProject({ files: chronicle({ requires_approval: true, tools: ["read"], model: "opus" }) });
		const { code, stdout, stderr, left } = await rehearse(project, "round", "--json");
		const report = JSON.parse(stdout);
		const parts = report.parts.map(({ id, visit }: { id: string; visit: number }) => `${id} ${visit}`);
		expect(parts).toEqual(["plan 1", "build 1", "check 1"]);
		expect(report).toMatchObject({ outcome: "done", missed: [], program: { kind: "chronicle" } });
		expect(stderr).toMatch(/\? .*plan.* The rehearsal agrees\./);
		expect(report.parts[0].calls.map(({ tool }: { tool: string }) => tool)).not.toContain("write");
		expect(report.changes.map(({ path }: { path: string }) => path)).toEqual([
			"rehearsal-notes/build-1.md",
			"rehearsal-notes/check-1.md",
		]);
		expect(project.list()).toEqual([".pi/chronicle/workflows/round.json"]);
		expect([code, left]).toEqual([0, []]);
	});

	it("stops where its script leads nowhere, and says what it waits for", { timeout: patient(60_000) }, async () => {
		const script = "states:\n  plan:\n    - go: human_intervention\n";
		const project = openProject({ files: { ...chronicle(), ".pi/rehearsals/chronicles/round.yaml": script } });
		const { code, stdout } = await rehearse(project, "round");
		expect(stdout).toMatch(/● plan/);
		expect(stdout).toContain("STOPPED in plan");
		expect(stdout).toContain("States that were never reached: build, check.");
		expect(code).toBe(1);
	});

	it("must be told from a workflow of its name", async () => {
		const project = openProject({ files: { ...oneWorkflow(""), ...chronicle() } });
		project.write(".pi/chronicle/workflows/small.json", { states: { a: { persona: "A", next: [] } } });
		const { code, stderr } = await rehearse(project, "small");
		expect(stderr).toContain("put the word workflow or chronicle before the name");
		expect(code).toBe(2);
	});
});

describe("/rehearse", () => {
	it("plays beside the session, tells every part, and the model never hears of it", async () => {
		const { project, server, rpc } = await openBench({
			files: oneWorkflow("tools: { allow: [read] }\n"),
			script: ["Hello."],
		});
		const pi = await rpc();
		await pi.prompt("/rehearse small Try it");
		await pi.run("hi");
		await pi.screen.notified("DONE: 2 visits");
		expect(pi.screen.notifications.map(({ message }) => message).join("\n")).toMatch(
			/Try it[\s\S]*✓ Small > 🅰 First[\s\S]*✓ Small > 🅱 Second/,
		);
		expect(server.requests).toHaveLength(1);
		expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/rehears|understudy/i);
		expect(project.exists("rehearsal-notes")).toBe(false);
	});

	it("ends with its session, copy and all", async () => {
		const { project, rpc } = await openBench({
			files: {
				...oneWorkflow(""),
				".pi/rehearsals/workflows/small.yaml": "phases:\n  a:\n    - { say: Hm., wait: 60000 }\n",
			},
		});
		const temp = join(project.home, "tmp");
		mkdirSync(temp);
		const pi = await rpc({ env: { TMPDIR: temp } });
		await pi.prompt("/rehearse small");
		await pi.screen.notified("Rehearsal of");
		while (!existsSync(temp) || readdirSync(temp).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
		await pi.close();
		expect(readdirSync(temp).filter((name) => name.startsWith("pi-rehearsal-"))).toEqual([]);
	});

	it("works in print mode, where a failure shows in the exit", async () => {
		const { print } = await openBench({ files: oneWorkflow("") });
		const done = await print("/rehearse small");
		expect(done.stdout).toContain("DONE: 2 visits");
		const failed = await print("/rehearse nope");
		expect(failed.stdout + failed.stderr).toContain("There is no workflow and no chronicle nope");
		expect(failed.code).toBe(2);
	});

	it("plays nothing of a project that is not trusted", async () => {
		const { rpc } = await openBench({ files: oneWorkflow(""), trusted: false });
		const pi = await rpc({ args: ["--no-approve"] });
		await pi.prompt("/rehearse small");
		await pi.screen.notified(/trust/);
	});
});

describe("outside of a rehearsal", () => {
	it("the understudy is in nobody's list of models", async () => {
		const { project } = await openBench();
		const list = await runNode(project, [piScript(), "--offline", "-e", packageUnderTest().root, "--list-models"]);
		expect(list.stdout).toContain("scripted");
		expect(list.stdout + list.stderr).not.toContain("understudy");
	});
});
