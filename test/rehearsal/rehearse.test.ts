// Rehearsals end to end, with real pi: the verb of the command line, `/rehearse`, and that nothing of it reaches the person's things.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
	checkout,
	openBench,
	openProject,
	type Project,
	packageUnderTest,
	piScript,
	runNode,
} from "../harness/index.ts";

const example = join(checkout, "examples", "receipts");

function exampleProject(): Project {
	const project = openProject({ name: "receipts" });
	cpSync(example, project.folder, { recursive: true });
	return project;
}

/** Runs `pi-chronicle rehearse …`; temporary files go where they can be counted. */
async function rehearse(project: Project, ...args: string[]) {
	const temp = join(project.home, "tmp");
	mkdirSync(temp, { recursive: true });
	const done = await runNode(project, [packageUnderTest().cli, "rehearse", ...args], {
		env: { TMPDIR: temp, PI_CHRONICLE_PI: piScript() },
	});
	// pi keeps caches of compiled code in the folder for temporary files.
	const caches = new Set(["jiti", "node-compile-cache"]);
	return { ...done, left: readdirSync(temp).filter((name) => !caches.has(name)) };
}

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
		const { code, stdout, stderr, left } = await rehearse(project, "feature", "Add", "a", "--", "--month option");
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
		["a name that is not there", ["smal"], /no workflow smal.*Did you mean `small`/],
		["a workflow that runs only inside others", ["inner"], /only inside others/],
		["a definition that does not load", ["broken"], /broken\/workflow\.yaml:\d+.*phases/s],
		["a scenario that cannot be read", ["small", "--scenario", "bad.yaml"], /bad\.yaml:2:7 .*sya/s],
		["a scenario that is not there", ["small", "--scenario", "no.yaml"], /no\.yaml There is no such scenario/],
		["an option that is not there", ["small", "--fast"], /--fast/],
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

	it("explains itself", async () => {
		const project = openProject();
		expect(await rehearse(project, "--help")).toMatchObject({ code: 0, stdout: expect.stringContaining("--scenario") });
		const unknown = await runNode(project, [packageUnderTest().cli, "reherse"]);
		expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("rehearse") });
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
		expect(failed.stdout + failed.stderr).toContain("There is no workflow nope");
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
