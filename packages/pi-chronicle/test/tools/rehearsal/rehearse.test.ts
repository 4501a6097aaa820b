// Rehearsals end to end, with real pi: the command line's verb, `/rehearse`, and no effect on the user's files.
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt, sampled } from "../../harness/deep-it.ts";
import { openBench, openProject, packageUnderTest, piScript, runNode } from "../../harness/index.ts";
import { chronicle, exampleProject, oneWorkflow, rehearse } from "./example-project.ts";

describe("pi-chronicle rehearse", () => {
	it("follows a scenario to the end and changes only the copy", async () => {
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

	it.each(
		sampled([
			["an unknown name", ["smal"], /no workflow and no chronicle smal.*Did you mean `small`/],
			["a workflow that runs only inside others", ["inner"], /only inside other workflows/],
			["a definition that does not load", ["broken"], /broken\/workflow\.yaml:\d+.*phases/s],
			["a scenario that cannot be read", ["small", "--scenario", "bad.yaml"], /bad\.yaml:2:7 .*sya/s],
			["a missing scenario", ["small", "--scenario", "no.yaml"], /no\.yaml The scenario file does not exist/],
			["a misspelled option", ["small", "--jsn"], /Unknown option: --jsn\..*--json/],
			["an unknown option", ["--fast", "small"], /Unknown option: --fast/],
			["no name at all", [], /Workflows here: .*release, small\./],
			["a pi that does not exist", ["small", "--pi", "/nowhere/pi.js"], /does not exist/],
		]),
	)("refuses %s with 2", async (_, args, message) => {
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

	it("reports a refusal with --json as one object", async () => {
		const project = openProject({ files: oneWorkflow("") });
		for (const [args, message] of [
			[["smal", "--json"], "Did you mean `small`?"],
			[["--json"], "Missing name of a workflow"],
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

	deepIt("lets the scripted user answer with a message or go back where a phase waits for them", async () => {
		const files = oneWorkflow("");
		files[".pi/workflows/small/b.md"] = files[".pi/workflows/small/b.md"].replace(
			"---\nWrite",
			"advance: person\n---\nWrite",
		);
		const script =
			"phases:\n  b:\n    - { say: Is it right?, reject: Not yet. }\n    - { say: Now?, sent: a }\n  b#2:\n    - Done.\n";
		const project = openProject({ files: { ...files, ".pi/rehearsals/workflows/small.yaml": script } });
		const { code, stdout } = await rehearse(project, "small");
		expect(stdout).toMatch(/answers Not yet\.[\s\S]*answers \/workflow back a\.[\s\S]*answers \/workflow next/);
		expect(stdout).toMatch(/DONE: 4 visits/);
		expect(code).toBe(0);
	});

	it("prints its help", async () => {
		const project = openProject();
		expect(await rehearse(project, "--help")).toMatchObject({ code: 0, stdout: expect.stringContaining("--scenario") });
		const unknown = await runNode(project, [packageUnderTest().cli, "reherse"]);
		expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("rehearse") });
	});
});

describe("a chronicle", () => {
	it("is distinguished from a workflow of the same name by an argument or a scenario; otherwise both commands are suggested", async () => {
		const project = openProject({ files: { ...oneWorkflow(""), ...chronicle() } });
		project.write(".pi/chronicle/workflows/small.json", { states: { a: { persona: "A", next: ["end"] } } });
		project.write("phases.yaml", "phases:\n  a:\n    - next: By the scenario.\n");
		const { code, stderr } = await rehearse(project, "small", "a", "task");
		expect(stderr).toContain("pi-chronicle rehearse workflow small a task\n");
		expect(stderr).toContain("pi-chronicle rehearse chronicle small a task\n");
		expect(code).toBe(2);
		const told = await rehearse(project, "small", "--scenario", "phases.yaml");
		expect(told.stdout).toContain("Rehearsal of the workflow small");
		expect(told.code).toBe(0);
	});
});

describe("/rehearse", () => {
	it("runs next to the session, reports every part, and adds nothing to the model's context", async () => {
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

	deepIt("asks which is meant if a workflow and a chronicle share a name", async () => {
		const { project, rpc } = await openBench({ files: oneWorkflow("") });
		project.write(".pi/chronicle/workflows/small.json", { states: { a: { persona: "A", next: ["end"] } } });
		const pi = await rpc({ answers: ["workflow"] });
		await pi.prompt("/rehearse small");
		await pi.screen.notified("DONE: 2 visits");
	});

	deepIt("ends with its session and removes its copy", async () => {
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

	deepIt("works in print mode, where a failure sets the exit code", async () => {
		const { print } = await openBench({ files: oneWorkflow("") });
		const done = await print("/rehearse small");
		expect(done.stdout).toContain("DONE: 2 visits");
		const failed = await print("/rehearse nope");
		expect(failed.stdout + failed.stderr).toContain("There is no workflow and no chronicle nope");
		expect(failed.code).toBe(2);
	});

	it("refuses definitions of an untrusted project", async () => {
		const { rpc } = await openBench({ files: oneWorkflow(""), trusted: false });
		const pi = await rpc({ args: ["--no-approve"] });
		await pi.prompt("/rehearse small");
		await pi.screen.notified(/trust/);
	});
});

describe("outside of a rehearsal", () => {
	it("the understudy is in no list of models", async () => {
		const { project } = await openBench();
		const list = await runNode(project, [piScript(), "--offline", "-e", packageUnderTest().root, "--list-models"]);
		expect(list.stdout).toContain("scripted");
		expect(list.stdout + list.stderr).not.toContain("understudy");
	});
});
