import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadAgentRegistry, resolvePersona } from "../../src/persona/index.ts";

let base: string;
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(tmpdir(), "cast-")));
	mkdirSync(join(base, "project", ".git"), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, text: string | Buffer): void {
	mkdirSync(dirname(join(base, path)), { recursive: true });
	writeFileSync(join(base, path), text);
}

function agent(path: string, name: string, more = "tools: read"): void {
	write(path, `---\nname: ${name}\n${more}\n---\nPrompt of ${path}\n`);
}

function cast(cwd = "project", project: "trusted" | "untrusted" = "trusted") {
	return loadAgentRegistry({
		cwd: join(base, cwd),
		project,
		agentFolder: join(base, "home/.pi/agent"),
		home: join(base, "home"),
	});
}

function promptOf(name: string, options: { kind?: "agent" | "persona"; team?: string; cwd?: string } = {}): string {
	const found = resolvePersona({ kind: options.kind ?? "agent", name, team: options.team }, cast(options.cwd));
	return found.kind === "persona" ? found.persona.prompt : `${found.problem.code}: ${found.problem.message}`;
}

describe("locations of agents", () => {
	it(".pi/agents before .claude/agents before agents before the user's own", () => {
		const folders = [
			"project/.pi/agents",
			"project/.claude/agents",
			"project/agents",
			"home/.pi/agent/agents",
			"home/.claude/agents",
		];
		for (const folder of folders.toReversed()) {
			agent(`${folder}/builder.md`, "Builder");
			expect(promptOf("builder")).toBe(`Prompt of ${folder}/builder.md`);
		}
		expect(cast().agents).toHaveLength(1);
	});

	it("duplicates in one folder are reported with both files; in two folders one replaces the other", () => {
		agent("project/.pi/agents/a.md", "Builder");
		agent("project/.pi/agents/sub/b.md", "builder");
		agent("home/.pi/agent/agents/a.md", "builder");
		const { agents, diagnostics } = cast();
		expect(agents.map(({ origin }) => origin.file)).toEqual([join(base, "project/.pi/agents/a.md")]);
		expect(diagnostics).toMatchObject([
			{
				file: join(base, "project/.pi/agents/sub/b.md"),
				severity: "warning",
				code: "same-name",
				message: expect.stringContaining(join(base, "project/.pi/agents/a.md")),
			},
		]);
	});

	it("in a subfolder of a repository: the nearest folder first, then those above it, none above the root", () => {
		agent("project/.pi/agents/builder.md", "builder");
		agent("project/deep/er/agents/builder.md", "builder");
		agent("project/.claude/agents/other.md", "other");
		agent(".pi/agents/outside.md", "outside");
		expect(promptOf("builder", { cwd: "project/deep/er" })).toBe("Prompt of project/deep/er/agents/builder.md");
		expect(promptOf("builder", { cwd: "project/deep" })).toBe("Prompt of project/.pi/agents/builder.md");
		expect(promptOf("other", { cwd: "project/deep/er" })).toBe("Prompt of project/.claude/agents/other.md");
		expect(promptOf("outside")).toContain("unknown-agent");
	});

	it("an untrusted project is ignored", () => {
		agent("project/.pi/agents/builder.md", "builder");
		agent("home/.pi/agent/agents/mine.md", "mine");
		expect(cast("project", "untrusted").agents.map(({ name }) => name)).toEqual(["mine"]);
	});

	it("a file that cannot be read or parsed hides no other", () => {
		agent("project/.pi/agents/good.md", "good");
		write("project/.pi/agents/bad.md", "---\nname: [bad\n---\nx");
		mkdirSync(join(base, "project/.pi/agents/folder.md"));
		write("project/.pi/agents/README.md", "# Our agents");
		const { agents, diagnostics } = cast();
		expect(agents.map(({ name }) => name)).toEqual(["good"]);
		expect(diagnostics).toMatchObject([{ file: join(base, "project/.pi/agents/bad.md"), line: 2 }]);
	});
});

describe("an agent's name", () => {
	beforeEach(() => {
		agent("project/.pi/agents/builder.md", "builder");
		agent("project/.pi/agents/red-team.md", "red-team");
		agent("project/.pi/agents/architect.md", "Software Architect");
		agent("project/.pi/agents/advocate.md", "devil's-advocate");
		agent("project/.pi/agents/storage.md", "netapp-tigers.ontap-specialist");
		agent("project/.pi/agents/a.md", "one.reviewer");
		agent("project/.pi/agents/b.md", "two.reviewer");
		agent("project/.pi/agents/n8n/n8n-builder.md", "n8n builder");
		agent("project/.pi/agents/deep/builder.md", "builder");
		agent("project/.pi/agents/umlaut.md", "Prüfer");
	});

	it.each([
		["builder", "builder.md"],
		["BUILDER", "builder.md"],
		["  Builder ", "builder.md"],
		["builder.md", "builder.md"],
		["red-team", "red-team.md"],
		["Red Team", "red-team.md"],
		["red_team", "red-team.md"],
		["RedTeam", "red-team.md"],
		["Software Architect", "architect.md"],
		["software-architect", "architect.md"],
		["architect", "architect.md"],
		["devil's-advocate", "advocate.md"],
		["Devils Advocate", "advocate.md"],
		["netapp-tigers.ontap-specialist", "storage.md"],
		["ontap-specialist", "storage.md"],
		["Ontap Specialist", "storage.md"],
		["n8n/n8n-builder", "n8n/n8n-builder.md"],
		["N8N/N8N-Builder.md", "n8n/n8n-builder.md"],
		["n8n-builder", "n8n/n8n-builder.md"],
		["prüfer", "umlaut.md"],
		["Pru\u0308fer", "umlaut.md"],
	])("%s is %s", (name, file) => {
		expect(promptOf(name)).toBe(`Prompt of project/.pi/agents/${file}`);
		expect(promptOf(name, { kind: "persona" })).toBe(`Prompt of project/.pi/agents/${file}`);
	});

	it("an unknown agent is a problem with a suggestion and the known names", () => {
		const found = resolvePersona({ kind: "agent", name: "biulder" }, cast());
		expect(found).toMatchObject({
			kind: "none",
			problem: {
				code: "unknown-agent",
				message: expect.stringContaining("`builder`"),
				remedy: expect.stringContaining("`red-team`"),
			},
		});
	});

	it("a last segment that two agents share is ambiguous", () => {
		expect(promptOf("reviewer")).toMatch(/^ambiguous-agent: .*`one\.reviewer` or `two\.reviewer`/);
	});

	it("a persona that names no agent becomes a role description", () => {
		for (const words of ["Senior Engineer", "An accountant who reads code", "Pröfer"]) {
			const prompt = promptOf(words, { kind: "persona" });
			expect(prompt).toContain(words);
			expect(prompt.length).toBeGreaterThan(60);
		}
		const text = "You review database migrations.\nNothing else.";
		expect(promptOf(text, { kind: "persona" })).toBe(text);
		expect(promptOf("   ", { kind: "persona" })).toContain("empty-persona");
	});

	it("a persona whose file is broken does not become a role", () => {
		write("project/.pi/agents/tester.md", "---\nname: tester\n---\n");
		expect(promptOf("tester", { kind: "persona" })).toMatch(/^no-prompt: .*tester\.md/);
		agent("project/.pi/agents/typo.md", "typo", "tools: read, gash");
		expect(promptOf("typo", { kind: "persona" })).toMatch(/^unknown-tool: .*typo\.md:3/);
	});
});

describe("a persona that cannot be found", () => {
	const remedyOf = (wish: { kind: "agent" | "persona"; name: string; team?: string }, at = cast()): string => {
		const found = resolvePersona(wish, at);
		return found.kind === "none" ? found.problem.remedy : "";
	};

	it("is reported with the known names in one sentence: none, one or many", () => {
		expect(remedyOf({ kind: "agent", name: "x" })).toMatch(/^Agent files are .* use `persona`\.$/);
		agent("project/.pi/agents/builder.md", "builder");
		expect(remedyOf({ kind: "agent", name: "x" })).toMatch(/^There is only `builder`\. /);
		agent("project/.pi/agents/critic.md", "critic");
		expect(remedyOf({ kind: "agent", name: "x" })).toMatch(/^There are `builder` and `critic`\. /);
		for (let at = 0; at < 15; at++) agent(`project/.pi/agents/n${at}.md`, `n${at}`);
		expect(remedyOf({ kind: "agent", name: "x" })).toMatch(/^There are `builder`, `critic`, .* and 2 more\. /);
	});

	it("in a team gets no suggestion to describe a role", () => {
		agent("project/.pi/agents/builder.md", "builder");
		write("project/.pi/agents/teams.yaml", "web: [builder]\n");
		expect(remedyOf({ kind: "persona", name: "Designer", team: "web" })).toBe(
			"There is only `builder`. A role described as text belongs to no team.",
		);
	});

	it("is reported with a Markdown file of that name that is no agent, and with an untrusted project's unread agents", () => {
		write("project/.pi/agents/builder.md", "# How to build");
		expect(remedyOf({ kind: "agent", name: "Builder" })).toMatch(/builder\.md has no front matter/);
		expect(remedyOf({ kind: "agent", name: "builder" }, cast("project", "untrusted"))).toContain("not trusted");
	});

	it.each([
		["the name in a broken file", "odd-file.md", "---\nname: 'tester' # it tests\ntools: [read\n---\nYou test."],
		["a file in another encoding", "tester.md", Buffer.from("---\nname: tester\n---\nYou test.", "utf16le")],
	])("%s is not taken for a role description", (_, file, content) => {
		write(`project/.pi/agents/${file}`, content);
		for (const kind of ["agent", "persona"] as const)
			expect(promptOf("Tester", { kind })).toMatch(new RegExp(`^[a-z0-9-]+: .*${file}`));
	});

	it("a broken file of that name is reported even if another agent matches", () => {
		write("project/.pi/agents/tester.md", "---\nname: tester\ntools: [read\n---\nYou test.");
		agent("home/.pi/agent/agents/tester.md", "tester");
		expect(resolvePersona({ kind: "agent", name: "tester" }, cast())).toMatchObject({
			kind: "persona",
			notices: [{ message: expect.stringMatching(/project\/\.pi\/agents\/tester\.md:\d/) }],
		});
	});
});

describe("teams", () => {
	beforeEach(() => {
		for (const name of ["planner", "builder", "reviewer"]) agent(`project/.pi/agents/${name}.md`, name);
		agent("project/.pi/agents/n8n/n8n-builder.md", "n8n-builder");
	});

	const shapes: [string, string][] = [
		["a block list", "frontend:\n  - planner\n  - builder\n"],
		["a flow list", "frontend: [planner, builder]\n"],
		["a blank after the colon", "frontend:  \n  - planner\n  - builder\n"],
		["a comment after the key", "frontend: # the web\n  - planner\n  - builder\n"],
		["quotes and comments in the list", "frontend:\n  - 'planner' # first\n  - \"builder\"\n"],
		["no indent", "frontend:\n- planner\n- builder\n"],
		["four blanks", "# all\n\nfrontend:\n    - planner\n    - builder"],
		[
			"an object with members",
			"frontend:\n  description: The web.\n  workspaceMode: shared\n  maxConcurrency: 2\n  members:\n    - planner\n    - builder\n",
		],
		["an object with agents", "frontend:\n  agents: [planner, builder]\n"],
		["members as objects", "frontend:\n  members:\n    - agent: planner\n      model: opus\n    - name: builder\n"],
		["members with what they do", "frontend:\n  - planner: plans\n  - builder: writes the code\n"],
		["a list of objects", "- name: frontend\n  members: [planner, builder]\n- name: other\n  agents: [reviewer]\n"],
		[
			"a list of objects below `teams`",
			"teams:\n  - name: frontend\n    description: The web.\n    members: planner, builder\n",
		],
		["names separated by commas", "frontend: planner, builder\n"],
		["a frame around it", "teams:\n  frontend: [planner, builder]\n"],
		["a name in quotes", "'frontend': [planner, builder]\n"],
		["display forms", "Frontend: [Planner, BUILDER]\n"],
	];
	it.each(
		shapes.flatMap(([what, text]) => [
			[what, text],
			[`${what}, CRLF`, text.replaceAll("\n", "\r\n")],
			[`${what}, byte order mark`, `\ufeff${text}`],
		]),
	)("%s", (_, text) => {
		write("project/.pi/agents/teams.yaml", text);
		expect(promptOf("planner", { team: "frontend" })).toBe("Prompt of project/.pi/agents/planner.md");
		expect(promptOf("Builder", { team: "FRONTEND", kind: "persona" })).toBe("Prompt of project/.pi/agents/builder.md");
		expect(promptOf("reviewer", { team: "frontend" })).toMatch(/^unknown-agent: .*in the team `frontend`/);
		expect(cast().diagnostics).toEqual([]);
	});

	it("team names with blanks and members by path", () => {
		write(
			"project/.pi/agents/teams.yaml",
			"agent experts:\n  - n8n/n8n-builder\n  - builder\n\npi-pi full:\n  - reviewer\n",
		);
		expect(promptOf("n8n-builder", { team: "Agent Experts" })).toBe("Prompt of project/.pi/agents/n8n/n8n-builder.md");
		expect(promptOf("reviewer", { team: "pi-pi full" })).toContain("reviewer.md");
		expect(promptOf("reviewer", { team: "PI pi-full" })).toContain("reviewer.md");
		expect(promptOf("builder", { team: "agent-experts" })).toContain("builder.md");
	});

	it("a persona in a team must be a member: no role is generated", () => {
		write("project/.pi/agents/teams.yaml", "frontend: [planner]\n");
		expect(promptOf("Senior Engineer", { team: "frontend", kind: "persona" })).toContain("unknown-agent");
		expect(promptOf("planner", { team: "fronted" })).toMatch(/^unknown-team: .*Did you mean `frontend`/);
	});

	it("an unknown member is reported with its line and a suggestion; the team remains", () => {
		write("project/.pi/agents/teams.yaml", "frontend:\n  - planner\n  - bulider\n");
		expect(cast().diagnostics).toMatchObject([
			{
				severity: "warning",
				code: "unknown-member",
				line: 3,
				column: 5,
				message: expect.stringContaining("`builder`"),
			},
		]);
		expect(promptOf("planner", { team: "frontend" })).toContain("planner.md");
	});

	it("a list that aliases expand is cut, and reported", () => {
		write(
			"project/.pi/agents/teams.yaml",
			`a: &a [${Array(40).fill("planner").join(", ")}]\nb: [${Array(40).fill("*a").join(", ")}]\n`,
		);
		expect(cast().diagnostics).toMatchObject([{ code: "too-many-members", line: 2 }]);
	});

	it("an empty team is reported, the others remain", () => {
		write("project/.pi/agents/teams.yaml", "empty:\nother:\n  - planner\nodd:\n  description: x\n");
		expect(cast().diagnostics.map(({ code, line }) => `${code} ${line}`)).toEqual(["empty-team 1", "no-members 4"]);
		expect(promptOf("planner", { team: "other" })).toContain("planner.md");
	});

	it("without a file there is one team, `all`", () => {
		expect(promptOf("reviewer", { team: "all" })).toContain("reviewer.md");
		expect(promptOf("reviewer", { team: "some" })).toContain("unknown-team");
	});
});

describe("skills", () => {
	it("are found by name or path, nearest first; a missing one is reported", () => {
		write("project/.pi/skills/deploy/SKILL.md", "---\nname: deploy\n---\nx");
		write("project/.claude/skills/lint/SKILL.md", "x");
		write("home/.pi/agent/skills/deploy/SKILL.md", "x");
		write("home/.pi/agent/skills/single.md", "x");
		write("project/.pi/agents/own/SKILL.md", "---\nname: own-skill\n---\nx");
		for (const [index, list] of [
			"[deploy, lint, single, ./own, nope]",
			"deploy, lint, single, ./own, nope",
			"\n  - deploy\n  - lint\n  - single\n  - ./own/SKILL.md\n  - nope",
		].entries()) {
			agent(`project/.pi/agents/a${index}.md`, `a${index}`, `tools: read\nskills: ${list}`);
			const found = cast().agents.find(({ name }) => name === `a${index}`);
			expect(found?.skills).toEqual([
				join(base, "project/.pi/skills/deploy"),
				join(base, "project/.claude/skills/lint"),
				join(base, "home/.pi/agent/skills/single.md"),
				join(base, "project/.pi/agents/own"),
			]);
			expect(found?.diagnostics).toMatchObject([{ code: "unknown-skill", message: expect.stringContaining("`nope`") }]);
		}
	});
});
