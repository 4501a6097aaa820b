// The command line: positions of options, errors for unknown arguments, and other programs' ledgers.
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { checkout, openProject, type Project, packageUnderTest, runProgram } from "../../harness/index.ts";
import { chronicle, withTemplates } from "../../runs/bench.ts";

const one = { states: { build: { persona: "Engineer", next: ["done"] } } };
/** As another program writes them. */
const foreign = {
	id: "0123456789abcdef",
	workflowName: "Feature",
	workflowDef: { name: "Feature", initial: "planning", states: {} },
	currentState: "coding",
	initialTask: "",
	history: [
		{
			state: "planning",
			agentName: "planner",
			completedAt: 1771883144996,
			tokensUsed: 1200,
			summary: "Two steps.",
			taskGiven: "A list of things",
		},
	],
	snapshot: { keyFindings: ["The port is 8081."], pendingTasks: ["Write tests"], modifiedFiles: ["a.ts"], custom: {} },
	totalTokens: 1200,
	status: "running",
	lastUpdated: 1771883144996,
};

let project: Project;
beforeAll(() => {
	project = openProject({
		trusted: true,
		files: {
			...withTemplates({ good: one }),
			".pi/chronicle/sessions/0123456789abcdef.json": foreign,
			".pi/agents/odd.md": "---\nname: odd\ntools: [read\n---\nOdd.",
			".pi/agents/teams.yaml": "web:\n  - nobody\n",
		},
	});
});

/** The first line of the output, with the exit code. */
async function said(words: readonly string[]): Promise<string> {
	const { code, stdout, stderr } = await chronicle(project, words);
	return `${code} ${(stdout || stderr).split("\n", 1)[0]}`;
}

describe("before the command", () => {
	it("help and version of the program and of a verb are printed", async () => {
		const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as { version: string };
		for (const words of [["--version"], ["-V"]]) expect(await said(words)).toBe(`0 pi-chronicle ${version}`);
		for (const words of [["--help"], ["help"]]) expect(await said(words)).toBe("0 pi-chronicle <command> [arguments…]");
		for (const words of [
			["help", "tell"],
			["--help", "tell"],
			["tell", "-h"],
		])
			expect(await said(words)).toBe("0 pi-chronicle tell [options] [run] <words…>");
	});

	it("options of verbs are accepted", async () => {
		const elsewhere = await chronicle(project, ["--cwd", project.folder, "--json", "list"], { cwd: project.home });
		expect(elsewhere.data).toMatchObject({
			verb: "list",
			templates: expect.arrayContaining([expect.objectContaining({ name: "good", from: "project" })]),
		});
		expect(await said(["--cwdd", "x", "list"])).toBe(
			"2 Unknown option before the command: --cwdd. Did you mean `--cwd`?",
		);
	});
});

describe("an unknown argument", () => {
	it("a misspelled verb is refused with a suggestion, with --json as one object", async () => {
		const { code, data, stderr } = await chronicle(project, ["statsu", "--json"]);
		expect(code).toBe(2);
		expect(data).toMatchObject({
			verb: "statsu",
			error: { code: "usage", message: expect.stringContaining("`status`") },
		});
		expect(stderr).toContain("`status`");
		expect(await said(["good", "do", "it"])).toContain("pi-chronicle run good");
	});

	it.each([
		[["list", "good"], 'Too many arguments: "good"'],
		[["status", "last", "now"], 'Too many arguments: "now"'],
		[["report", "last", "now"], 'Too many arguments: "now"'],
		[["pause", "everything"], '"everything" is not a run'],
		[["approve", "3f2a9", "fine"], 'No run matches "3f2a9"'],
		[["rewind", "last", "1", "2"], "Name a visit by its number"],
		[["list", "--cwd", "./good.json"], "The folder "],
		[["list", "--cwd", "circle"], "The folder "],
	])("%j", async (words, message) => {
		if (words.includes("circle")) symlinkSync("circle", project.path("circle"));
		expect(await said(words)).toContain(`2 ${message}`);
	});
});

describe("a ledger of another program", () => {
	it("is shown by its id or a prefix of one, and not resumed", async () => {
		const status = await chronicle(project, ["status", "0123"]);
		expect(status.code).toBe(0);
		for (const words of ["Feature 01234567 · running · coding", "AE", "Task: A list of things"])
			expect(status.stdout).toContain(words);
		const view = await chronicle(project, ["view", "--json", foreign.id.toUpperCase()]);
		expect(view.data).toMatchObject({
			foreign: "AE",
			state: "coding",
			history: [{ state: "planning", who: "planner", at: "2026-02-23T21:45:44.996Z", summary: "Two steps." }],
			snapshot: { findings: ["The port is 8081."], pendingTasks: ["Write tests"], files: ["a.ts"] },
		});
		expect(await said(["resume", "0123"])).toMatch(/^2 0123456789abcdef is a ledger of AE/);
		expect(await said(["diff", "0123"])).toMatch(/^2 0123456789abcdef is a ledger of AE/);
		expect(JSON.parse(project.read(".pi/chronicle/sessions/0123456789abcdef.json"))).toEqual(foreign);
	});

	it("an ambiguous prefix is refused with its candidates", async () => {
		writeFileSync(
			project.path(".pi/chronicle/sessions/01ffffffffffffff.json"),
			JSON.stringify({ ...foreign, id: "01ffffffffffffff" }),
		);
		expect(await said(["status", "01"])).toMatch(/^2 2 runs start with "01": (0123\S*|01ff\S*), /);
	});
});

it("show draws a template as a diagram", async () => {
	const shown = await chronicle(project, ["show", "good"]);
	expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/┌[\s\S]*Build[\s\S]*Engineer[\s\S]*Done/) });
	expect((await chronicle(project, ["show", "good", "--json"])).data).toMatchObject({
		mermaid: expect.stringContaining("flowchart TD"),
	});
	expect(await said(["show"])).toContain(
		"There are `good`, `comments`, `coverage`, `feature`, `migration`, `refactor`, `review`, `spec`, `triage` and `upgrade`.",
	);
	expect(await said(["show", "goood"])).toContain('2 There is no template "goood". Did you mean `good`?');
});

describe("check", () => {
	it("reports problems of agents and teams too, and follows the references of a named file", async () => {
		const all = await chronicle(project, ["check", "--json"]);
		expect(all.code).toBe(2);
		expect(all.data).toMatchObject({
			sound: false,
			files: [
				{ kind: "template", name: "good", diagnostics: [] },
				{ kind: "agent", diagnostics: [{ severity: "error", file: expect.stringMatching(/odd\.md$/) }] },
				{ kind: "team", diagnostics: [{ code: "unknown-member", line: 2 }] },
			],
		});
		project.write("draft.json", { states: { a: { agent: "od", next: ["done"] } } });
		const draft = await chronicle(project, ["check", "good", "draft.json"]);
		expect(draft.code).toBe(2);
		expect(draft.stdout).toMatch(/✓ .*good\.json[\s\S]*✗ draft\.json[\s\S]*There is no agent `od`/);
		symlinkSync("round.json", project.path("round.json"));
		const loop = await chronicle(project, ["check", "round.json"]);
		expect([loop.code, loop.stdout]).toEqual([2, expect.stringContaining("round.json")]);
		const misspelt = await chronicle(project, ["check", "goood"]);
		expect([misspelt.code, `${misspelt.stdout}${misspelt.stderr}`]).toEqual([2, expect.stringContaining("`good`")]);
	});
});

it("check does not pass templates that it skips because the project is untrusted", async () => {
	expect(await said(["check", "--no-approve"])).toMatch(/^2 ✗ The project's definitions are not read/);
	expect((await chronicle(project, ["check", "--no-approve", "--json"])).data).toMatchObject({
		sound: false,
		unread: true,
	});
});

it("an approval that cannot be stored starts nothing and says why", async () => {
	project.write("own/chronicle", "not a folder");
	project.write(".pi/chronicle/workflows/clean.json", {
		states: { a: { persona: "A", next: ["done"], cleanup: ["true"] } },
	});
	const env = { PI_CODING_AGENT_DIR: project.path("own"), ANTHROPIC_API_KEY: "none" };
	const { code, stderr } = await chronicle(project, ["run", "clean", "x", "--approve-cleanup"], { env });
	expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/could not be stored.*\b[A-Z]+\./) });
	expect(stderr).not.toMatch(/^\s+at /m);
});

describe("completion", () => {
	it("prints a script for each shell that the shell accepts", async () => {
		for (const shell of ["bash", "zsh", "fish"]) {
			const { code, stdout } = await chronicle(project, ["completion", shell]);
			expect(code).toBe(0);
			expect(stdout).toContain("pi-chronicle completion candidates --");
		}
		expect(await said(["completion", "tcsh"])).toMatch(/^2 pi-chronicle completion bash \| zsh \| fish/);
		expect(await said(["completion", "--help"])).toMatch(/^0 pi-chronicle completion/);
	});

	it("bash completes commands and templates by it", async () => {
		const { stdout: script } = await chronicle(project, ["completion", "bash"]);
		const command = `pi-chronicle() { ${JSON.stringify(process.execPath)} ${JSON.stringify(packageUnderTest().cli)} "$@"; }`;
		const complete = async (words: string) => {
			const line = `COMP_WORDS=(pi-chronicle ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _pi_chronicle; printf '%s\\n' "\${COMPREPLY[@]}"`;
			const { stdout, stderr } = await runProgram(project, ["bash", "-c", `${command}\n${script}\n${line}`]);
			expect(stderr).toBe("");
			return stdout.trim().split("\n");
		};
		expect(await complete("repo")).toEqual(["report"]);
		expect(await complete("run ''")).toContain("good");
		expect(await complete("resume --co")).toEqual(["--cost"]);
	});

	it("help groups the commands, with examples and exit codes", async () => {
		const { stdout } = await chronicle(project, ["--help"]);
		for (const words of ["Start and continue:", "Inspect:", "Definitions:", "Examples:", "Exit codes: 0 done"])
			expect(stdout).toContain(words);
		expect(stdout).not.toContain("More:");
	});
});
