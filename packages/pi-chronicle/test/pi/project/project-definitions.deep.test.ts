// Definitions of a project: announced once if nobody was asked for trust, not read if pi is set never to trust. Real pi and the
// command line, every kind of definition.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt, sampled } from "../../harness/deep-it.ts";
import { type Bench, openBench, packageUnderTest, runNode, say } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { workflowFiles } from "../../workflow/stage.ts";

const template = (who: Record<string, string>) => ({
	name: "Ship",
	states: { build: { ...who, next: ["done"] }, done: {} },
});
const files = {
	...workflowFiles({ fix: ["a"] }),
	".pi/chronicle/workflows/ship.json": template({ persona: "Careful Builder" }),
	".pi/agents/builder.md": "---\nname: builder\ndescription: builds\ntools: read\n---\nYou build.\n",
	".pi/rehearsals/workflows/fix.yaml": "description: SCENARIO-OF-THE-PROJECT\n",
	".pi/sequences/plan.yaml": "steps: [go]\n",
	".pi/sequences/notes.md": "no sequence\n",
};

interface Given {
	readonly settings?: Record<string, unknown>;
	readonly saved: boolean;
	readonly bare?: boolean;
}

async function open({ settings = {}, saved, bare = false }: Given): Promise<Bench> {
	// The user's own template names an agent of the project.
	const agentFiles = { "chronicle/workflows/own.json": template({ agent: "builder" }) };
	const bench = await openBench({ files: bare ? {} : files, agentFiles, settings, script: () => say("ok") });
	if (!saved) rmSync(join(bench.project.agentFolder, "trust.json"), { force: true });
	return bench;
}

const brought = "This project contains workflows fix; templates ship; agents builder; scenarios fix; sequences plan.";

describe("definitions of a project without a trust decision", () => {
	deepIt("are announced once per session, when a command first reads them", async () => {
		const pi = await (await open({ saved: false })).rpc();
		expect(pi.screen.text).not.toContain("This project contains");
		await pi.prompt("/chronicle list");
		await pi.screen.notified(/ship/i);
		await pi.prompt("/workflow list");
		await pi.screen.notified(/Workflow fix/);
		expect(pi.screen.text.split("This project contains")).toHaveLength(2);
		expect(pi.screen.text).toContain(brought);
	});

	it("are announced on stderr in print mode, not in the answer", async () => {
		const end = await (await open({ saved: false })).print("/workflow list");
		expect(end.stdout).toContain("Workflow fix");
		expect(end.stdout).not.toContain("This project contains");
		expect(end.stderr).toContain(brought);
	});

	it.each<[string, Given, readonly string[]]>(
		sampled([
			["if there are none", { saved: false, bare: true }, []],
			["if the user has trusted the project by hand", { saved: true }, []],
			["with --approve", { saved: false }, ["--approve"]],
		]),
	)("are not announced %s", async (_, given, args) => {
		const pi = await (await open(given)).rpc({ args: [...args] });
		await pi.prompt("/workflow list");
		await pi.prompt("/chronicle list");
		await pi.screen.notified(/own/i);
		expect(pi.screen.text).not.toContain("This project contains");
	});
});

const never = { defaultProjectTrust: "never" };

/** What a pi says of every kind. */
async function said(given: Given, args: readonly string[]): Promise<string> {
	const pi = await (await open(given)).rpc({ args: [...args] });
	for (const command of ["/workflow list", "/chronicle list", "/chronicle check own", "/rehearse"]) {
		const shown = pi.screen.notifications.length;
		await pi.prompt(command);
		await expect.poll(() => pi.screen.notifications.length, { timeout: patient(15_000) }).toBeGreaterThan(shown);
	}
	return pi.screen.text;
}

describe("`defaultProjectTrust: never`", () => {
	it("without a saved decision no workflow, template, agent or scenario is read, which is reported", async () => {
		const text = await said({ settings: never, saved: false }, []);
		expect(text).not.toMatch(/Workflow fix|\bship\b/i);
		expect(text).toContain("There is no agent `builder`");
		expect(text).toMatch(/not trusted|trust it first/);
		expect(text).toMatch(/Rehearsals run files of the project/);
	});

	it.each<[string, Given, readonly string[]]>(
		sampled([
			["a saved decision wins", { settings: never, saved: true }, []],
			["--approve wins", { settings: never, saved: false }, ["--approve"]],
		]),
	)("%s", async (_, given, args) => {
		const text = await said(given, args);
		expect(text).toContain("Workflow fix");
		expect(text).toMatch(/\bship\b/i);
		expect(text).not.toContain("There is no agent");
		expect(text).not.toMatch(/trust it first/);
	});

	it.each<[string, boolean, readonly string[], boolean]>(
		sampled([
			["nothing without a saved decision", false, [], false],
			["everything with one", true, [], true],
			["everything with --approve", false, ["--approve"], true],
			["nothing with --no-approve, whatever is saved", true, ["--no-approve"], false],
		]),
	)("the command line reads %s", async (_, saved, flags, reads) => {
		const { project } = await open({ settings: never, saved });
		const { cli } = packageUnderTest();
		const list = await runNode(project, [cli, "list", ...flags]);
		expect(/\bship\b/i.test(list.stdout)).toBe(reads);
		const check = await runNode(project, [cli, "check", "own", ...flags]);
		expect((check.stdout + check.stderr).includes("There is no agent `builder`")).toBe(!reads);
		expect(check.code).toBe(reads ? 0 : 2);
	});
});
