// `import` for each format with valid, unusual, broken and hostile files. What it writes passes `check`, and nothing of the original is lost.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openProject as openChronicleProject } from "../../../src/local/index.ts";
import { withoutControls } from "../../../src/pi/index.ts";
import { checkProject } from "../../../src/tools/check/index.ts";
import { fileSlug } from "../../../src/tools/migration/draft.ts";
import { importDefinitions } from "../../../src/tools/migration/import.ts";
import type { CommandHost } from "../../../src/ui/commands/index.ts";
import { parseArguments } from "../../../src/ui/index.ts";
import { optionsIn } from "../../../src/ui/option-usage.ts";
import { openFolder } from "../../harness/folder.ts";
import { needsPosix } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";
import { formats, type ImportFixture, planned } from "./formats.ts";
import { shapes } from "./shapes.ts";

interface Written {
	readonly files: readonly string[];
	readonly notes: readonly string[];
}

function projectIn(cwd: string) {
	const agentFolder = join(cwd, "..", "no-agent-folder");
	const pi = { command: process.execPath, args: [], version: undefined };
	return openChronicleProject({ cwd, home: join(cwd, "..", "no-home"), agentFolder, trust: "trusted", pi });
}

/** Imports into the project `cwd`, in this process. */
async function importInto(cwd: string, ...args: string[]) {
	const parsed = parseArguments(args, { options: optionsIn(importDefinitions.options) });
	if ("error" in parsed) throw new Error(parsed.error);
	const host = { prefix: "pi-chronicle " } as CommandHost;
	const { signal } = new AbortController();
	const result = await importDefinitions.perform({ project: projectIn(cwd), parsed, text: "", host, signal });
	if (result.kind === "silent") throw new Error("silent");
	if (result.kind === "refused") return { exitCode: 2, lines: [result.message], written: [] as Written[], refused: [] };
	const data = result.data as { written: Written[]; refused: { file: string; reason: string }[] };
	return { exitCode: result.exitCode ?? 0, lines: result.lines, ...data };
}

function filesBelow(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => !entry.isDirectory())
		.map((entry) =>
			join(entry.parentPath, entry.name)
				.slice(folder.length + 1)
				.replaceAll("\\", "/"),
		)
		.sort();
}

const textsBelow = (folder: string) =>
	filesBelow(folder)
		.map((file) => readFileSync(join(folder, file), "utf8"))
		.join("\n");

/** A folder with the files of a fixture, and an empty project. */
function stage({ path, text, beside = {} }: ImportFixture, change: (text: string) => string | Buffer = (same) => same) {
	const from = openFolder(Object.fromEntries(Object.entries(beside).map(([file, each]) => [file, change(each)])));
	mkdirSync(dirname(join(from, path)), { recursive: true });
	writeFileSync(join(from, path), change(text));
	return { from, file: join(from, path), to: openFolder({ "package.json": "{}" }) };
}

describe("import", () => {
	it.each(formats)("turns $format into definitions that check accepts, and loses nothing", async (fixture) => {
		const { file, to, from } = stage(fixture);
		const { exitCode, written, lines } = await importInto(to, file);
		expect([exitCode, lines.filter((line) => line.startsWith("✗"))]).toEqual([0, []]);
		expect(written.flatMap(({ files }) => files).sort()).toEqual(fixture.makes);
		expect(filesBelow(to)).toEqual([...fixture.makes, "package.json"].sort());

		const checked = await checkProject(projectIn(to), []);
		expect(checked.findings.map(({ loads }) => loads)).not.toContain(false);
		expect([checked.sound, checked.findings.length]).toEqual([true, expect.any(Number)]);
		expect(checked.findings).not.toHaveLength(0);

		const notes = written.flatMap((each) => each.notes).join("\n");
		for (const wanted of fixture.notes) expect(notes).toContain(wanted);
		const texts = textsBelow(join(to, ".pi"));
		let at = 0;
		for (const wanted of fixture.contains) {
			expect(texts.slice(at)).toContain(wanted);
			at = texts.indexOf(wanted, at);
		}
		const marks = new Set(`${fixture.text}${textsBelow(from)}`.match(/MARK\d+/g));
		for (const mark of marks)
			expect(`${texts}\n${notes}`.toLowerCase(), mark).toMatch(new RegExp(`${mark}(?!\\d)`, "i"));
	});

	it.each(formats)("reads $format with Windows line endings and a byte order mark in the same way", async (fixture) => {
		const [plain, odd] = [stage(fixture), stage(fixture, (text) => `\ufeff${text.replaceAll("\n", "\r\n")}`)];
		await importInto(plain.to, plain.file);
		expect((await importInto(odd.to, odd.file)).exitCode).toBe(0);
		expect(filesBelow(odd.to)).toEqual(filesBelow(plain.to));
		expect(textsBelow(join(odd.to, ".pi"))).toBe(textsBelow(join(plain.to, ".pi")));
	});

	it.each(formats)("writes nothing of a damaged $format, and reports why", async (fixture) => {
		const damages: (readonly [string, (text: string) => string | Buffer])[] = [
			["not UTF-8", (text) => Buffer.concat([Buffer.from(text), Buffer.from([0xc3, 0x28])])],
			["binary", (text) => Buffer.from(`\0${text}`)],
			["10 MB", (text) => text + " ".repeat(10_000_000)],
		];
		for (const [name, damage] of damages) {
			const { file, to } = stage(fixture, damage);
			const { exitCode, lines, refused } = await importInto(to, file);
			expect([name, exitCode, refused.length]).toEqual([name, 2, 1]);
			expect(lines.join("\n")).toMatch(/UTF-8|zero|kB/);
			expect(filesBelow(to)).toEqual(["package.json"]);
		}
		if (!/\.(ya?ml|json)$/.test(fixture.path)) return;
		const { file, to } = stage(fixture, (text) => `${text}\n]]]: {`);
		const { exitCode, lines } = await importInto(to, file);
		expect([exitCode, filesBelow(to)]).toEqual([2, ["package.json"]]);
		expect(lines.join("\n")).toMatch(/:\d+:\d+ /);
	});

	it.each(formats)("replaces no file for $format without --force", async (fixture) => {
		const { file, to } = stage(fixture);
		const [first = ""] = fixture.makes;
		mkdirSync(dirname(join(to, first)), { recursive: true });
		writeFileSync(join(to, first), "mine\n");
		const dry = await importInto(to, file, "--dry-run", "--force");
		expect([dry.exitCode, dry.written.length]).toEqual([0, 1]);
		const kept = await importInto(to, file);
		expect(kept.exitCode).toBe(2);
		expect(kept.lines.join("\n")).toContain(`${first} already exists; --force replaces it.`);
		expect([readFileSync(join(to, first), "utf8"), filesBelow(to)]).toEqual(["mine\n", [first, "package.json"].sort()]);
		expect((await importInto(to, file, "--force")).exitCode).toBe(0);
		expect(readFileSync(join(to, first), "utf8")).not.toBe("mine\n");
	});

	it.each(planned)("names the plan that drafts a definition from %s: %s", async (name, path, text) => {
		const from = openFolder({ [path]: text });
		const to = openFolder({ "package.json": "{}" });
		const file = join(from, path);
		for (const source of [file, from]) {
			const { exitCode, refused } = await importInto(to, source);
			const reason = `This is ${name}. To draft a definition from it: pi-chronicle plan ${file}`;
			expect([exitCode, refused]).toEqual([2, [{ file, reason }]]);
		}
		expect(filesBelow(to)).toEqual(["package.json"]);
	});

	it("imports a folder of all formats at once: agents first, and existing files are kept", async () => {
		const from = openFolder({
			...Object.fromEntries(
				formats
					.filter(({ path }) => path.startsWith("."))
					.flatMap(({ path, text, beside = {} }) => [[path, text], ...Object.entries(beside)]),
			),
			".claude/agents/planner.md": "---\nname: planner\ndescription: Plans\ntools: Read\n---\nYou plan.\n",
			".claude/skills/style/SKILL.md": "---\nname: style\n---\nWrite short sentences.\n",
			".pi/xstate.json": { initial: "a", states: { a: { on: { GO: "b" } }, b: {} } },
			".claude/commands/broken.md": "---\nname: [\n---\nx\n",
			"src/unrelated.yaml": "steps: [a, b]\n",
		});
		const to = openFolder({ "package.json": "{}" });
		const { exitCode, lines } = await importInto(to, from);
		const text = lines.join("\n");
		expect(exitCode).toBe(1);
		expect(readFileSync(join(to, ".pi/chronicle/workflows/feature.yaml"), "utf8")).toContain("agent: planner");
		expect(text).toMatch(/✗ .*broken\.md: .*:\d+:\d+ /);
		expect(text).toMatch(/✗ .*xstate\.json: This is an XState state machine\. .* pi-chronicle plan /);
		expect(text).toMatch(/have no counterpart here[\s\S]*style\/SKILL\.md: a skill/);
		expect(text).not.toContain("unrelated");
		expect((await checkProject(projectIn(to), [])).sound).toBe(true);

		const again = await importInto(from, from);
		expect(again.lines.join("\n")).toMatch(/Already part of the project:[\s\S]*feature\.json/);
	});

	it("names a session, a task list and a skill with what helps", async () => {
		const from = openFolder({
			"s.jsonl": "{}\n",
			"k/SKILL.md": "---\nname: k\n---\n## Step 1\n",
			"tasks.md": "# Tasks\n\n- [x] T001 A\n- [ ] T002 B\n",
			"tasks.json": '{ "master": { "tasks": [{ "id": 1, "title": "A", "dependencies": [] }] } }',
			"refunds.md": "# Refunds\n\n1. A\n   - B\n2. C\n",
		});
		const taskList = /This is a task list\. .*for_each: \{ file: <path> \}/;
		const to = openFolder({ "package.json": "{}" });
		for (const [file, reason] of [
			["s.jsonl", /This is a session\. `\/sequence save/],
			["tasks.md", taskList],
			["tasks.json", taskList],
			["refunds.md", taskList],
			["k/SKILL.md", /This is a skill\. .* pi-chronicle plan /],
		] as const) {
			const { exitCode, lines } = await importInto(to, join(from, file));
			expect([exitCode, lines.join("\n")]).toEqual([2, expect.stringMatching(reason)]);
		}
	});

	it("takes fields without effect as text, and keeps mistakes in the others", async () => {
		const agent = (name: string, more: string): string => `---\nname: ${name}\n${more}---\nYou work.\n`;
		const from = openFolder({
			".claude/commands/fix.md": "---\nargument-hint: [a] | b\ndescription: One: two\n  three: four\n---\nDo $1.\n",
			".claude/agents/talker.md": agent("talker", 'description: Use it.\n  Context: x\n  user: "y" z\ntools: Read\n'),
			".claude/agents/bad.md": agent("bad", "tools: [Read\ndescription: d\n"),
		});
		const to = openFolder({ "package.json": "{}" });
		const { written, refused } = await importInto(to, from);
		expect(written.flatMap(({ files }) => files).sort()).toEqual([
			".pi/agents/talker.md",
			".pi/workflows/fix/01-fix.md",
			".pi/workflows/fix/workflow.yaml",
		]);
		expect(refused.map(({ file }) => file.slice(from.length + 1))).toEqual([join(".claude/agents/bad.md")]);
		expect(textsBelow(to)).toContain("[a] | b");
		expect((await checkProject(projectIn(to), [])).sound).toBe(true);
	});

	it("puts the folder before names that two files share", async () => {
		const agent = (text: string): string => `---\nname: twin\ndescription: d\n---\n${text}\n`;
		const from = openFolder({
			".claude/commands/ui/fix.md": "Fix the screen: $ARGUMENTS\n",
			".claude/commands/db/fix.md": "Fix the tables: $ARGUMENTS\n",
			"plugins/one/agents/twin.md": agent("First"),
			"plugins/two/agents/twin.md": agent("Second"),
			"docs/agents-design.md": agent("No agent"),
		});
		const to = openFolder({ "package.json": "{}" });
		const { exitCode, written } = await importInto(to, from);
		expect([exitCode, written.map(({ files }) => files[0]).sort()]).toEqual([
			0,
			[
				".pi/agents/agents-twin.md",
				".pi/agents/twin.md",
				".pi/workflows/fix/workflow.yaml",
				".pi/workflows/ui-fix/workflow.yaml",
			],
		]);
		const { findings, sound } = await checkProject(projectIn(to), []);
		expect([sound, findings.flatMap(({ diagnostics }) => diagnostics).map(({ message }) => message)]).toEqual([
			true,
			[],
		]);
	});

	it("omits a tool with an impossible name, not its agent", async () => {
		const from = openFolder({ "a.md": "---\nname: a\ndescription: d\ntools: Read, Web Search\n---\nYou look.\n" });
		const to = openFolder({ "package.json": "{}" });
		expect(await importInto(to, join(from, "a.md"))).toMatchObject({ exitCode: 0 });
		const typo = openFolder({ "b.md": "---\nname: b\ndescription: d\ntools: Raed\n---\nYou look.\n" });
		expect(await importInto(to, join(typo, "b.md"))).toMatchObject({ exitCode: 2 });
	});

	it("imports a workflow with those that it runs, and explains a phase file on its own", async () => {
		const workflow = (key: string, ...phases: string[]) =>
			`name: ${key}\ncommandName: ${key}\ninitialMessage: x\nphases: [${phases.join(", ")}]\n`;
		const phase = (id: string) => `---\nid: ${id}\nname: ${id}\nemoji: x\n---\nDo ${id}.\n`;
		const from = openFolder({
			"flows/outer/workflow.yaml": workflow("outer", "../_shared/look.md", "{ subworkflow: inner }"),
			"flows/inner/workflow.yaml": workflow("inner", "work.md", "{ subworkflow: innermost }"),
			"flows/inner/work.md": phase("work"),
			"flows/innermost/workflow.yaml": workflow("innermost", "../_shared/look.md"),
			"flows/_shared/look.md": phase("look"),
			"flows/_shared/unused.md": phase("unused"),
		});
		const to = openFolder({ "package.json": "{}" });
		const { exitCode, written } = await importInto(to, join(from, "flows/outer/workflow.yaml"));
		const all = [
			"_shared/look.md",
			"inner/work.md",
			"inner/workflow.yaml",
			"innermost/workflow.yaml",
			"outer/workflow.yaml",
		];
		expect([exitCode, written.flatMap(({ files }) => files).sort()]).toEqual([
			0,
			all.map((file) => `.pi/workflows/${file}`),
		]);
		expect((await checkProject(projectIn(to), [])).sound).toBe(true);
		const alone = await importInto(to, join(from, "flows/_shared/unused.md"));
		expect([alone.exitCode, alone.lines.join("\n")]).toEqual([2, expect.stringContaining("one phase of a workflow")]);
		const whole = await importInto(openFolder({ "package.json": "{}" }), join(from, "flows"));
		expect([whole.exitCode, whole.written.length]).toEqual([0, 3]);
		expect(whole.lines.join("\n")).toMatch(/These have no counterpart[\s\S]*unused\.md: a phase that none/);
		expect(whole.lines.join("\n")).not.toMatch(/look\.md: a phase/);
	});

	it("shows the result on a page first", async () => {
		const from = openFolder({ "many.md": "Do $ARGUMENTS.\n---\n", "commands/many.md": "Do $ARGUMENTS.\n" });
		const { lines } = await importInto(openFolder({ "package.json": "{}" }), join(from, "commands/many.md"));
		expect(lines.slice(-2)).toEqual([
			"1 definition written.",
			expect.stringMatching(/: pi-chronicle rehearse many <task>$/),
		]);

		const parsed = parseArguments([join(from, "commands/many.md")], { options: optionsIn(importDefinitions.options) });
		if ("error" in parsed) throw new Error(parsed.error);
		const host = { prefix: "/chronicle ", hasScreen: true } as CommandHost;
		const project = projectIn(openFolder({ "package.json": "{}" }));
		const { signal } = new AbortController();
		const shown = await importDefinitions.perform({ project, parsed, text: "", host, signal });
		expect(shown).toMatchObject({
			lines: expect.arrayContaining([expect.stringMatching(/^✓ /)]),
			view: { kind: "page" },
		});
		const [first, second] = shown.kind === "done" ? shown.lines : [];
		expect([first, second]).toEqual(["1 definition written.", "Try it without a model: /rehearse many <task>"]);
	});

	it.each<[what: string, agents: string[], read: string[]]>([
		["all of its agents", ["scout", "builder"], ["agent: scout", "agent: builder"]],
		["one of its agents", ["scout"], ["agent: scout", "persona: builder"]],
		["none of its agents", [], ["persona: scout", "persona: builder"]],
	])("of a template names the agents that the project has: %s", async (_what, agents, read) => {
		const states = { a: { agent: "scout", next: ["b"] }, b: { agent: "builder", next: ["done"] } };
		const from = openFolder({ "t.json": { name: "T", states } });
		const files = agents.map((name) => [`.pi/agents/${name}.md`, `---\nname: ${name}\n---\nYou work.\n`]);
		const to = openFolder({ "package.json": "{}", ...Object.fromEntries(files) });
		expect(await importInto(to, join(from, "t.json"))).toMatchObject({ exitCode: 0 });
		const text = textsBelow(join(to, ".pi/chronicle")).replaceAll('"', "");
		for (const wanted of read) expect(text).toContain(wanted);
	});

	it("explains what it can import if there is nothing to import", async () => {
		const to = openFolder({ "a/notes.md": "Only words.\n", "a/x.bin": "x" });
		expect(await importInto(to, "a")).toMatchObject({ exitCode: 2 });
		expect(await importInto(to, "nowhere")).toMatchObject({ exitCode: 2, lines: [expect.stringContaining("nowhere")] });
		expect(await importInto(to)).toMatchObject({ exitCode: 2 });
		const foreign = openFolder({ "x.json": { jobs: { a: { "runs-on": "x" } } } });
		const lines = expect.arrayContaining(["These have no counterpart here and stay unchanged:"]);
		expect(await importInto(to, join(foreign, "x.json"))).toMatchObject({ exitCode: 2, lines });
		expect(await importInto(to, "a", "--to", "nowhere")).toMatchObject({ exitCode: 2 });
	});
});

describe("a hostile file", () => {
	const names = [
		"../../outside",
		"..\\..\\outside",
		"/etc/passwd",
		"con",
		"__proto__",
		"constructor",
		"\u001b[31mred",
		"日本語",
		"a".repeat(500),
		" ",
		"0",
		"done",
		"x\u0000y",
	];

	it.each(names)("with the name %j everywhere results in names inside the project", async (name) => {
		const quoted = JSON.stringify(name);
		const from = openFolder({
			".pi/chronicle/workflows/t.json": { name, states: { a: { agent: name, next: ["b"] }, b: {} } },
			".pi/sequences/s.yaml": `description: d\nsteps: [${quoted}, x]\n`,
			".claude/commands/c.md": `---\nname: ${quoted}\ndescription: d\n---\n$ARGUMENTS\n`,
			".claude/agents/a.md": `---\nname: ${quoted}\ndescription: d\ntools: Read\n---\nYou work.\n`,
		});
		const to = openFolder({ "project/package.json": "{}" });
		const { lines } = await importInto(join(to, "project"), from);
		for (const file of filesBelow(to)) expect(file).toMatch(/^project\/(package\.json|\.pi\/[\w./-]+)$/);
		expect(filesBelow(to).join()).not.toContain("..");
		for (const line of lines) expect(withoutControls(line)).toBe(line);
		const { findings, further } = await checkProject(projectIn(join(to, "project")), []);
		expect(findings.filter(({ loads }) => !loads)).toEqual([]);
		expect(further.filter(({ severity }) => severity === "error")).toEqual([]);
	});

	it("results in file names that every operating system accepts", () => {
		for (const name of [...names, "COM1", "a b", "Ünïcode", "-x-"])
			expect(fileSlug(name)).toMatch(/^(?!\d+$)[a-z0-9][a-z0-9-]{0,50}$/);
		expect(fileSlug("con")).not.toBe("con");
	});

	it("cannot read text outside its folder", async () => {
		const from = openFolder({
			"secret.md": "TOP SECRET\n",
			"flows/x/workflow.yaml": "name: X\ncommandName: x\ninitialMessage: x\nphases: [../../secret.md]\n",
		});
		const to = openFolder({ "package.json": "{}" });
		await importInto(to, join(from, "flows"));
		expect(textsBelow(to)).not.toContain("TOP SECRET");
	});

	it("cannot make an import write through a link out of the project", needsPosix, async () => {
		const [outside, to] = [openFolder({ "kept.txt": "x" }), openFolder({ "package.json": "{}" })];
		mkdirSync(join(to, ".pi/chronicle"), { recursive: true });
		symlinkSync(outside, join(to, ".pi/chronicle/workflows"));
		const from = openFolder({ "one.yaml": "states: { a: { persona: P, next: [b] }, b: {} }\n" });
		const { exitCode, lines } = await importInto(to, join(from, "one.yaml"), "--force");
		expect([exitCode, filesBelow(outside)]).toEqual([2, ["kept.txt"]]);
		expect(lines.join("\n")).toContain("because of a link");

		const target = join(outside, "target.yaml");
		const second = openFolder({ ".pi/chronicle/workflows/other.yaml": "x" });
		symlinkSync(target, join(second, ".pi/chronicle/workflows/one.yaml"));
		expect((await importInto(second, join(from, "one.yaml"), "--force")).exitCode).toBe(2);
		expect([existsSync(target), lstatSync(join(second, ".pi/chronicle/workflows/one.yaml")).isSymbolicLink()]).toEqual([
			false,
			true,
		]);
	});

	it.each([
		[
			"aliases that multiply",
			"t.yaml",
			`a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nstates: { a: {} }\n`,
			/too long with its aliases expanded/,
		],
		["a template that is none", "t.json", '{ "states": { "a": { "persona": "P", "next": 5 } } }', /t: /],
		["deep nesting", "t.yaml", `states: ${"[{ a: ".repeat(60)}[]${"}]".repeat(60)}\n`, /nested more than/],
	])("with %s is refused with the reason", async (_, name, text, reason) => {
		const from = openFolder({ [name]: text });
		const to = openFolder({ "package.json": "{}" });
		const { exitCode, lines } = await importInto(to, join(from, name));
		expect([exitCode, filesBelow(to)]).toEqual([2, ["package.json"]]);
		expect(lines.join("\n")).toMatch(reason);
	});
});

describe("import names what did not become a definition:", () => {
	const agent = "---\nname: far\ndescription: Use when: far\ntools: Read\n---\nLook.\n";
	const inFolder = async (files: Record<string, string>) => {
		const from = openFolder(files);
		const to = openFolder({ "package.json": "{}" });
		return { ...(await importInto(to, from)), agents: filesBelow(to).filter((file) => file.endsWith(".md")) };
	};

	it.each<[string, Record<string, string>, readonly string[], RegExp, number]>([
		[
			"an agent outside a folder of agents",
			{ "categories/far.md": agent },
			[],
			/categories\/far\.md: This looks like an agent/,
			2,
		],
		[
			"an agent of a project where no tool looks",
			{ ".claude/settings.json": "{}", "tools/agents/far.md": agent },
			[],
			/far\.md: It lies where no tool/,
			2,
		],
		[
			"a design document beside agents",
			{ "agents/design.md": "---\ntitle: A\nname: B\n---\nText\n", "agents/far.md": agent },
			[".pi/agents/far.md"],
			/unknown format:\n {2}.*design\.md/,
			0,
		],
		[
			"plugins of a marketplace, at any depth",
			{ ".claude-plugin/marketplace.json": "{}", ".claude/x.md": "", "extra/p/q/agents/r/far.md": agent },
			[".pi/agents/far.md"],
			/x\.md/,
			0,
		],
	])("%s", async (_what, files, made, said, code) => {
		const { exitCode, lines, agents } = await inFolder(files);
		expect(lines.join("\n")).toMatch(said);
		expect([exitCode, agents]).toEqual([code, made]);
	});

	it("agents that the project reads in place are not copied", async () => {
		const folder = openFolder({
			".claude/agents/far.md": agent,
			".claude/agents/near/far.md": agent.replace("Look.", "Look near."),
			".claude/agents/twin/far.md": agent,
		});
		const { lines } = await importInto(folder, folder);
		expect(lines.join("\n")).toMatch(/Already part of the project:\n {2}\.claude\/agents\/far\.md/);
		expect(filesBelow(folder).filter((file) => file.startsWith(".pi/agents"))).toEqual([".pi/agents/near-far.md"]);
		expect((await checkProject(projectIn(folder), [])).sound).toBe(true);
	});
});

describe("import of a project with definitions of many tools", () => {
	let from: string;
	let lines: readonly string[];
	beforeAll(async () => {
		from = openFolder(Object.fromEntries(shapes.map(({ path, text }) => [path, text])));
		lines = (await importInto(from, from)).lines;
	}, patient(10_000));

	it("is sound", async () => {
		const checked = await checkProject(projectIn(from), []);
		expect([checked.sound, checked.findings.filter(({ loads }) => !loads)]).toEqual([true, []]);
	});

	it.each(shapes)("$shape", ({ path, makes, contains = [], said = [] }) => {
		const first = lines.findIndex((line) => line.includes(path));
		const about = makes === undefined ? lines : lines.slice(first, 1 + endOf(lines, first));
		for (const each of said) expect(about.join("\n")).toContain(each);
		if (makes === undefined) return;
		expect(lines[first]).toMatch(/^✓/);
		const text = readFileSync(join(from, makes), "utf8");
		for (const each of contains) expect(text).toContain(each);
	});
});

/** The last of the indented lines after `first`. */
function endOf(lines: readonly string[], first: number): number {
	const next = lines.findIndex((line, index) => index > first && !line.startsWith(" "));
	return next - 1;
}
