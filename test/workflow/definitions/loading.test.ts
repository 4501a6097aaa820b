// Which definitions load from which files, and what is said about those that do not: cases 1–20.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { afterEach, describe, expect, it } from "vitest";
import {
	type Catalogue,
	listLines,
	loadCatalogue,
	usageLines,
	visibleCommands,
	workflowRoots,
} from "../../../src/workflow/definitions/index.ts";
import { openTree, phaseFile, type TreeFiles, workflowFiles, workflowYaml } from "./tree.ts";

const keys = ({ definitions }: Catalogue) => [...definitions.keys()];
const rejected = (catalogue: Catalogue) => [...catalogue.rejected.keys()];
const errors = ({ diagnostics }: Catalogue) => diagnostics.filter(({ severity }) => severity === "error");

describe("where workflows are found", () => {
	it("case 1: a global workflow is offered with its command and name", () => {
		const tree = openTree(workflowFiles("global/x", ["a"], { name: "My X", commandName: "do-x" }));
		const catalogue = tree.load();
		expect(usageLines(catalogue)).toContain("  do-x — My X");
		expect(catalogue.diagnostics).toEqual([]);
	});

	it("case 2: a project's definition replaces the global one of the same directory name wholly", () => {
		const tree = openTree({
			...workflowFiles("global/x", ["a", "b", "c", "d"], { roleInstruction: "Global role" }),
			...workflowFiles("project/x", ["a", "b", "c", "d", "e"]),
		});
		const here = tree.load().definitions.get("x");
		expect(here?.entries).toHaveLength(5);
		expect(here).toMatchObject({ tier: "project", roleInstruction: undefined });
		expect(loadCatalogue({ ...tree.roots, projectRoot: undefined }).definitions.get("x")?.entries).toHaveLength(4);
	});

	it("field 45: nothing of a project is read unless the caller says where it is", () => {
		const tree = openTree(workflowFiles("project/x", ["a"]));
		expect(keys(loadCatalogue({ ...tree.roots, projectRoot: undefined }))).toEqual([]);
		expect(workflowRoots({ agentDir: "/a", cwd: "/w", trusted: false })).toEqual({
			globalRoot: join("/a", "workflows"),
			projectRoot: undefined,
		});
		expect(workflowRoots({ agentDir: "/a", cwd: "/w", trusted: true }).projectRoot).toBe(
			join("/w", ".pi", "workflows"),
		);
	});

	describe("case 3: the global root follows pi's agent directory", () => {
		const before = process.env.PI_CODING_AGENT_DIR;
		afterEach(() => {
			if (before === undefined) delete process.env.PI_CODING_AGENT_DIR;
			else process.env.PI_CODING_AGENT_DIR = before;
		});
		it.each([
			["/opt/a", "/opt/a/workflows"],
			["", join(homedir(), ".pi", "agent", "workflows")],
			["~/elsewhere", join(homedir(), "elsewhere", "workflows")],
		])("%j → %s", (value, expected) => {
			process.env.PI_CODING_AGENT_DIR = value;
			expect(workflowRoots({ agentDir: getAgentDir(), cwd: "/w", trusted: false }).globalRoot).toBe(expected);
		});
	});

	it("passes over whatever has no workflow.yaml, other tools' files among it", () => {
		const tree = openTree({
			"project/review.yaml": "name: review\nflow: { kind: parallel }\n",
			"project/work.workflow.yaml": "version: 1\nsteps: {}\n",
			"project/workflow.yaml": "not: ours",
			"project/_shared/scout.md": phaseFile("scout"),
			"project/notes/deep/deeper/workflow.yaml": workflowYaml(["a.md"]),
		});
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual([]);
		expect(catalogue.diagnostics).toEqual([]);
	});

	it.each(["workflow.yml", "Workflow.yaml"])("says that %s is not read", (name) => {
		const tree = openTree({ [`global/x/${name}`]: workflowYaml(["a.md"]) });
		if (loadCatalogue(tree.roots).definitions.size > 0) return;
		expect(tree.lines(tree.load().diagnostics)).toEqual([
			expect.stringMatching(new RegExp(`^global/x/${name}:1:1 warning: .*Rename it`)),
		]);
	});

	it("case 15: a workflow one level below a directory without workflow.yaml is found by its own name", () => {
		const tree = openTree({
			...workflowFiles("global/_shared/code-review", ["s1", "s2"], {
				show: "workflows",
				commandName: null,
				initialMessage: null,
			}),
			...workflowFiles("global/release", ["build", "@code-review"]),
		});
		expect(keys(tree.load())).toEqual(["code-review", "release"]);
	});

	it("case 15: two nested ones of one name reject each other; a direct one wins over a nested one", () => {
		const tree = openTree({
			...workflowFiles("global/_a/review", ["a"]),
			...workflowFiles("global/_b/review", ["b"]),
			...workflowFiles("global/parent", ["@review"]),
			...workflowFiles("global/_a/plan", ["a"]),
			...workflowFiles("global/plan", ["p"]),
		});
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["plan"]);
		expect(catalogue.definitions.get("plan")?.file).toContain(join("global", "plan"));
		expect(rejected(catalogue)).toEqual(["parent", "review"]);
		const said = tree.lines(catalogue.diagnostics).join("\n");
		expect(said).toMatch(/_a\/review\/workflow.yaml:1:1 More than one workflow has the directory name `review`/);
		expect(said).toMatch(/_b\/review\/workflow.yaml:1:1 More than one/);
		expect(said).toMatch(/_a\/plan\/workflow.yaml:1:1 warning: Another workflow has the directory name `plan`/);
	});

	it.skipIf(process.platform === "win32")(
		"loads linked directories with phases beside them, and survives links that lead back",
		() => {
			const tree = openTree({
				...workflowFiles("elsewhere/mine", ["a"]),
				...workflowFiles("elsewhere/shared/review", ["r"], { show: "workflows" }),
				...workflowFiles("global/x", ["b", "@mine", "@review"]),
			});
			symlinkSync("../elsewhere/mine", join(tree.folder, "global", "mine"));
			symlinkSync("../elsewhere/shared", join(tree.folder, "global", "_linked"));
			symlinkSync(".", join(tree.folder, "global", "self"));
			symlinkSync("..", join(tree.folder, "global", "up"));
			symlinkSync("nowhere", join(tree.folder, "global", "dangling"));
			mkdirSync(join(tree.folder, "global", "empty"));
			symlinkSync("../..", join(tree.folder, "global", "empty", "up"));
			symlinkSync("ring-b", join(tree.folder, "global", "ring-a"));
			symlinkSync("ring-a", join(tree.folder, "global", "ring-b"));
			const catalogue = tree.load();
			expect(keys(catalogue)).toEqual(["mine", "review", "x"]);
			expect(errors(catalogue)).toEqual([]);
		},
	);

	it("says so where a root or a directory in it cannot be listed", () => {
		const tree = openTree({ global: "a file", ...workflowFiles("project/x", ["a"]) });
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["x"]);
		expect(catalogue.diagnostics.map(({ code }) => code)).toEqual(["not-a-directory"]);
	});

	it("does not depend on how a directory lists its names, or on names that look like numbers", () => {
		const tree = openTree({
			...workflowFiles("global/b", ["p"]),
			...workflowFiles("global/10", ["p"], { commandName: "ten" }),
			...workflowFiles("global/9", ["p"], { commandName: "nine" }),
			...workflowFiles("global/a", ["p"]),
			...workflowFiles("global/C", ["p"]),
		});
		expect(keys(tree.load())).toEqual(["10", "9", "C", "a", "b"]);
	});
});

describe("workflow.yaml", () => {
	const skipped: [string, Record<string, string | null>, string][] = [
		["case 4: no commandName", { commandName: null }, "`commandName` is missing"],
		["case 4: no initialMessage", { initialMessage: null }, "`initialMessage` is missing"],
		["case 4: a blank initialMessage", { initialMessage: "' '" }, "`initialMessage` is empty"],
		["case 4: an empty commandName", { commandName: "''" }, "`commandName` is empty"],
		["case 4: a commandName of two words", { commandName: "a b" }, "`commandName` is `a b`"],
		["case 4: a numeric commandName", { commandName: "12" }, 'Put it in quotes: `"12"`'],
		["case 6: show: hidden", { show: "hidden" }, "`show` is `hidden`"],
		["case 6: show: Workflows", { show: "Workflows" }, "Did you mean `workflows`?"],
		["case 6: show: true", { show: "true" }, "`show` must be"],
		["case 6: loopable: no", { loopable: "no" }, "`loopable` must be `true` or `false`"],
		["case 6: loopable: 'no'", { loopable: "'no'" }, "Write `false`"],
		["case 6: loopable: 0", { loopable: "0" }, "`loopable` must be"],
		["case 6: a misspelt loopable", { loopabel: "false" }, "Did you mean `loopable`?"],
		["a misspelt maxLoops", { maxLoop: "3" }, "Did you mean `maxLoops`?"],
		["a blank name", { name: "' '" }, "`name` is empty"],
		["a numeric name", { name: "2024" }, "`name` must be a text"],
		["sessionNameMaxLength: 0", { sessionNameMaxLength: "0" }, "a whole number of at least 1"],
		["sessionNameMaxLength: -5", { sessionNameMaxLength: "-5" }, "a whole number of at least 1"],
		["sessionNameMaxLength: 1.5", { sessionNameMaxLength: "1.5" }, "a whole number of at least 1"],
		["sessionNameMaxLength: '50'", { sessionNameMaxLength: "'50'" }, "without quotes"],
		["maxLoops: -1", { maxLoops: "-1" }, "a whole number of at least 0"],
		["autoContinue: off", { autoContinue: "off" }, "Write `false`"],
		["a list as roleInstruction", { roleInstruction: "[a]" }, "`roleInstruction` must be a text"],
	];
	it.each(skipped)("%s → skipped with a diagnostic, others still load", (_, fields, expected) => {
		const tree = openTree({ ...workflowFiles("global/bad", ["a"], fields), ...workflowFiles("global/good", ["a"]) });
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["good"]);
		expect(rejected(catalogue)).toEqual(["bad"]);
		expect(catalogue.rejected.get("bad")?.diagnostics.length).toBeGreaterThan(0);
		const said = tree.lines(errors(catalogue));
		expect(said.join("\n")).toContain(expected);
		for (const line of said) expect(line).toMatch(/^global\/bad\/workflow\.yaml:\d+:\d+ .* — /);
	});

	const entries: [string, string, string][] = [
		["no phases", "name: a\ncommandName: a\ninitialMessage: a\n", "`phases` is missing"],
		["an empty list", "name: a\ncommandName: a\ninitialMessage: a\nphases: []\n", "it is an empty list"],
		["a text", "name: a\ncommandName: a\ninitialMessage: a\nphases: a.md\n", "it is a text"],
		["a number among them", workflowYaml(["1"]), "`phases[1]` must be"],
		["nothing among them", workflowYaml([""]), "it is nothing"],
		["a misspelt subworkflow", `${workflowYaml(["a.md"])}  - subworkfow: x\n`, "Did you mean `subworkflow`?"],
		["a numeric subworkflow", `${workflowYaml(["a.md"])}  - subworkflow: 12\n`, 'Write `subworkflow: "12"`'],
		["a subworkflow without a name", `${workflowYaml(["a.md"])}  - subworkflow:\n`, "directory name"],
		["a list in the list", `${workflowYaml(["a.md"])}  - [b.md]\n`, "`phases[2]` must be"],
		["a directory name without subworkflow", workflowYaml(["review"]), "write `subworkflow: review`"],
		["a list at the top", "- a\n- b\n", "not a group of `key: value` fields"],
		["nothing at all", "# just a comment\n", "The file is empty"],
		["another tool's keys", "name: a\nflow:\n  kind: parallel\n", "seems to be written for another tool"],
		["a YAML error", "name: a\nphases: [\n", "not closed"],
		["a duplicate key", `${workflowYaml(["a.md"])}name: b\n`, "`name` is given twice"],
	];
	it.each(entries)("with %s is skipped and explained", (_, yaml, expected) => {
		const tree = openTree({ "global/x/workflow.yaml": yaml, "global/x/a.md": phaseFile("a") });
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual([]);
		expect(tree.lines(catalogue.diagnostics).join("\n")).toContain(expected);
		expect(listLines(catalogue).join("\n")).toContain("✗ x (global) does not load");
	});

	it("case 5: show: workflows needs neither command nor message, and is not offered", () => {
		const tree = openTree({
			...workflowFiles("global/inner", ["a"], { show: "workflows", commandName: null, initialMessage: null }),
			...workflowFiles("global/odd", ["a"], { show: "workflows", commandName: "''", initialMessage: "''" }),
			...workflowFiles("global/named", ["a"], { show: "workflows" }),
		});
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["inner", "named", "odd"]);
		expect(catalogue.diagnostics).toEqual([]);
		expect(visibleCommands(catalogue)).toEqual([]);
		expect(usageLines(catalogue).join("\n")).not.toContain("named");
		expect(catalogue.commands.get("named")?.show).toBe("workflows");
		expect(catalogue.definitions.get("inner")).toMatchObject({ commandName: undefined, initialMessage: "" });
	});

	it("fills in the defaults and keeps every field", () => {
		const tree = openTree({
			...workflowFiles("global/plain", ["a"]),
			...workflowFiles("global/full", ["a"], {
				show: "user",
				loopable: "false",
				autoContinue: "false",
				sessionNamePrefix: "''",
				sessionNameMaxLength: "7",
				roleInstruction: "''",
				advanceReminder: "Go {toolName}",
				blockReasonTemplate: "No {toolName}",
				notDoneReminder: "On",
				completionMessage: "Done {phaseCount}",
			}),
			...workflowFiles("global/looped", ["a"], { maxLoops: "3" }),
		});
		const { definitions } = tree.load();
		expect(definitions.get("plain")).toMatchObject({
			key: "plain",
			name: "Workflow plain",
			commandName: "plain",
			show: "user",
			loopable: true,
			maxLoops: undefined,
			autoContinue: true,
			sessionNamePrefix: "Workflow: ",
			sessionNameMaxLength: 50,
			roleInstruction: undefined,
			completionMessage: undefined,
			tier: "global",
			file: join(tree.folder, "global", "plain", "workflow.yaml"),
		});
		expect(definitions.get("full")).toMatchObject({
			loopable: false,
			autoContinue: false,
			sessionNamePrefix: "",
			sessionNameMaxLength: 7,
			roleInstruction: "",
			advanceReminder: "Go {toolName}",
			completionMessage: "Done {phaseCount}",
		});
		expect(definitions.get("looped")?.maxLoops).toBe(3);
		expect(Object.isFrozen(definitions.get("plain"))).toBe(true);
	});

	it("warns of fields that nothing reads, of words with a meaning of their own and of misspelt variables", () => {
		const tree = openTree(
			workflowFiles("global/x", ["a"], {
				description: "Something",
				commandName: "list",
				loopable: "false",
				maxLoops: "2",
				initialMessage: "'{descripton} and {unheard}'",
			}),
		);
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["x"]);
		expect(catalogue.diagnostics.map(({ severity }) => severity)).not.toContain("error");
		const said = tree.lines(catalogue.diagnostics).join("\n");
		expect(said).toContain("There is no field `description`.");
		expect(said).toContain("`list` is a word of `/workflow` itself");
		expect(said).toContain("`maxLoops` has no effect beside `loopable: false`");
		expect(said).toContain("`{descripton}` is no variable and stays as it is. Did you mean `{description}`?");
		expect(said).toContain("`{unheard}` is no variable");
	});
});

describe("names and conflicts", () => {
	it("case 14: two workflows with one command: the project's wins, then the smaller name, and both are told", () => {
		const tree = openTree({
			...workflowFiles("global/a", ["p"], { commandName: "go" }),
			...workflowFiles("project/z", ["p"], { commandName: "go" }),
			...workflowFiles("global/10", ["p"], { commandName: "run" }),
			...workflowFiles("global/9", ["p"], { commandName: "run" }),
		});
		const catalogue = tree.load();
		expect(catalogue.commands.get("go")?.key).toBe("z");
		expect(catalogue.commands.get("run")?.key).toBe("10");
		expect(keys(catalogue)).toHaveLength(4);
		const said = tree.lines(catalogue.diagnostics);
		expect(said).toHaveLength(2);
		expect(said[0]).toMatch(/^global\/9\/workflow.yaml:2:14 warning: `\/workflow run` starts the global workflow `10`/);
		expect(said[1]).toMatch(
			/^global\/a\/workflow.yaml:2:14 warning: `\/workflow go` starts the project's workflow `z`/,
		);
	});

	it("case 14: a hidden workflow never stands before a visible one", () => {
		const tree = openTree({
			...workflowFiles("project/a", ["p"], { commandName: "go", show: "workflows" }),
			...workflowFiles("global/z", ["p"], { commandName: "go" }),
		});
		expect(tree.load().commands.get("go")?.key).toBe("z");
	});

	it("case 17: names of prototype members are names like others", () => {
		const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
		const tree = openTree(
			Object.assign({}, ...names.map((name) => workflowFiles(`global/${name}`, ["a"], { commandName: name }))),
		);
		expect(keys(tree.load())).toEqual([...names].sort());
		const missing = openTree(
			workflowFiles(
				"global/x",
				names.map((name) => `@${name}`),
			),
		);
		const catalogue = missing.load();
		expect(keys(catalogue)).toEqual([]);
		expect(errors(catalogue).map(({ code }) => code)).toEqual(names.map(() => "missing-reference"));
		const inFile = openTree({
			"global/x/workflow.yaml": `${workflowYaml(["a.md"])}__proto__: {polluted: true}\n`,
			"global/x/a.md": phaseFile("a", "__proto__: {tools: 1}"),
		});
		expect(inFile.load().definitions.get("x")).not.toHaveProperty("polluted");
	});

	it.each([
		["not parsed", { "project/x/workflow.yaml": "name: [\n" }],
		["not valid", workflowFiles("project/x", ["a"], { show: "hidden" })],
		["a directory", { "project/x/workflow.yaml/keep": "" }],
		["a missing phase", { "project/x/workflow.yaml": workflowYaml(["gone.md"]) }],
		["a missing reference", workflowFiles("project/x", ["@nothing"])],
	] as [string, TreeFiles][])(
		"case 20: a project's workflow that is %s hides the global one, and says so",
		(what, files) => {
			const tree = openTree({
				...workflowFiles("global/x", ["a"]),
				...workflowFiles("global/y", ["@x"]),
				...files,
			});
			const catalogue = tree.load();
			expect(keys(catalogue)).toEqual([]);
			expect(catalogue.rejected.get("x")?.tier).toBe("project");
			const said = tree.lines(catalogue.rejected.get("x")?.diagnostics ?? []).join("\n");
			if (what !== "a missing reference")
				expect(said).toContain("the global one of the same name is not used in its place");
			expect(tree.lines(catalogue.rejected.get("y")?.diagnostics ?? []).join("\n")).toContain(
				"runs `x`, which does not load",
			);
		},
	);

	it("case 20: an invalid global workflow does not matter where the project has its own", () => {
		const tree = openTree({
			...workflowFiles("global/x", ["a"], { show: "hidden" }),
			...workflowFiles("project/x", ["a"]),
		});
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["x"]);
		expect(rejected(catalogue)).toEqual([]);
		expect(catalogue.diagnostics).toEqual([]);
	});
});

describe("phase paths", () => {
	it("case 10: files inside the root load, shared ones, odd names and absolute paths among them", () => {
		const tree = openTree({
			"global/_shared/scout.md": phaseFile("scout"),
			"global/x/..shared/p.md": phaseFile("p"),
			"global/x/...": phaseFile("dots"),
			"global/x/sub/deep.txt": phaseFile("deep"),
			"global/x/with space.md": phaseFile("space"),
		});
		const absolute = join(tree.folder, "global", "x", "here.md");
		tree.write({
			"global/x/here.md": phaseFile("here"),
			"global/x/workflow.yaml": workflowYaml([
				"../_shared/scout.md",
				"..shared/p.md",
				"./...",
				"sub/../sub/deep.txt",
				"with space.md",
				absolute,
			]),
		});
		const catalogue = tree.load();
		expect(tree.lines(catalogue.diagnostics)).toEqual([]);
		expect(catalogue.definitions.get("x")?.entries.map((entry) => entry.kind === "phase" && entry.id)).toEqual([
			"scout",
			"p",
			"dots",
			"deep",
			"space",
			"here",
		]);
	});

	it.each([
		"../../secret.md",
		"../../../../../../etc/passwd",
		"/etc/passwd",
		"..",
		"../..",
		"~/x.md",
		"../../nothing.md",
		"../../global-other/x.md",
	])("case 10: %s is refused", (path) => {
		const tree = openTree({
			"global/x/workflow.yaml": workflowYaml([path]),
			"secret.md": phaseFile("secret"),
			"global-other/x.md": phaseFile("other"),
		});
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual([]);
		expect(tree.lines(errors(catalogue)).join("\n")).toMatch(
			/^global\/x\/workflow\.yaml:5:5 .*(lies outside the directory|does not exist|is a directory|phase-failed)/,
		);
		if (path !== "~/x.md" && path !== "..") expect(errors(catalogue)[0]?.code).toBe("outside");
	});

	it.skipIf(process.platform === "win32")(
		"case 10: links that lead outside are refused, links inside are followed, dangling ones are told",
		() => {
			const tree = openTree({
				"secret.md": phaseFile("secret"),
				"outside/p.md": phaseFile("p"),
				"global/_shared/scout.md": phaseFile("scout"),
				...workflowFiles("global/inside", []),
			});
			const inside = join(tree.folder, "global", "inside");
			symlinkSync("../_shared/scout.md", join(inside, "fine.md"));
			symlinkSync("../../secret.md", join(inside, "leak.md"));
			symlinkSync("../../outside", join(inside, "out"));
			symlinkSync("nowhere.md", join(inside, "dangling.md"));
			symlinkSync("ring.md", join(inside, "ring.md"));
			const verdicts: [string, string | undefined][] = [
				["fine.md", undefined],
				["leak.md", "outside"],
				["out/p.md", "outside"],
				["dangling.md", "broken-link"],
				["ring.md", "broken-link"],
			];
			for (const [path, code] of verdicts) {
				tree.write({ "global/inside/workflow.yaml": workflowYaml([path]) });
				expect([path, errors(tree.load())[0]?.code]).toEqual([path, code]);
			}
		},
	);

	it.skipIf(process.platform === "win32")("case 10: a root that is itself a link is fine", () => {
		const tree = openTree({ ...workflowFiles("real/x", ["a"]), "real/_shared/s.md": phaseFile("s") });
		tree.write({ "real/x/workflow.yaml": workflowYaml(["a.md", "../_shared/s.md"]) });
		symlinkSync("real", join(tree.folder, "global"));
		expect(keys(tree.load())).toEqual(["x"]);
		tree.write({ "real/x/workflow.yaml": workflowYaml(["missing.md"]) });
		expect(errors(tree.load())[0]?.code).toBe("absent-phase");
	});

	it("a missing phase file is explained with the near name", () => {
		const tree = openTree({
			"global/x/planning.md": phaseFile("p"),
			"global/x/workflow.yaml": workflowYaml(["plannig.md", "gone/away.md", "..\\_shared\\a.md"]),
		});
		const said = tree.lines(tree.load().diagnostics);
		expect(said[0]).toMatch(
			/workflow.yaml:5:5 The phase file `plannig.md` does not exist. — Did you mean `planning.md`\?/,
		);
		expect(said[1]).toContain("`gone/away.md` does not exist");
		if (process.platform !== "win32") expect(said[2]).toContain("Separate directories with `/`");
	});
});

describe("bad input", () => {
	const files: [string, string | Uint8Array, string][] = [
		["huge", `${workflowYaml(["a.md"])}# ${"x".repeat(10_000_000)}\n`, "too-large"],
		["binary", Uint8Array.of(0x89, 0x50, 0, 1, 2), "binary"],
		["UTF-16", Buffer.from(`\ufeff${workflowYaml(["a.md"])}`, "utf16le"), "utf-16"],
		["torn", Buffer.from("name: é").subarray(0, 7), "not-utf-8"],
		["deeply nested", `name: ${"[".repeat(100_000)}`, "too-deep"],
	];
	it.each(files)("a %s workflow.yaml or phase file is explained and harms nothing else", (_, content, code) => {
		const tree = openTree({
			...workflowFiles("global/good", ["a"]),
			"global/bad/workflow.yaml": content,
			...workflowFiles("global/other", ["a"]),
			"global/other/a.md": content,
		});
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["good"]);
		expect(rejected(catalogue)).toEqual(["bad", "other"]);
		expect(catalogue.rejected.get("bad")?.diagnostics[0]?.code).toBe(code);
		for (const { line, column, remedy } of catalogue.diagnostics) {
			expect(line).toBeGreaterThan(0);
			expect(column).toBeGreaterThan(0);
			expect(remedy).not.toBe("");
		}
		expect(catalogue.rejected.get("other")?.diagnostics.map((diagnostic) => diagnostic.code)).toContain("phase-failed");
	});

	it.skipIf(process.platform === "win32")("pipes in place of files are never opened", () => {
		const tree = openTree({
			...workflowFiles("global/good", ["a"]),
			...workflowFiles("global/other", ["a"]),
			"global/bad/keep": "",
		});
		execFileSync("sh", ["-c", `mkfifo "$0"`, join(tree.folder, "global", "bad", "workflow.yaml")]);
		rmSync(join(tree.folder, "global", "other", "a.md"));
		execFileSync("sh", ["-c", `mkfifo "$0"`, join(tree.folder, "global", "other", "a.md")]);
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["good"]);
		expect(errors(catalogue).map(({ code }) => code)).toEqual(["not-a-file", "not-a-file", "phase-failed"]);
	});

	it("many mistakes in one file are counted, not all listed", () => {
		const tree = openTree({
			"global/x/workflow.yaml": workflowYaml(Array.from({ length: 5000 }, (_, index) => `p${index}.md`)),
		});
		const catalogue = tree.load();
		expect(catalogue.diagnostics.length).toBeLessThanOrEqual(101);
		expect(catalogue.diagnostics.map(({ code }) => code)).toContain("more-problems");
	});

	it("a phase file that is used often is told of once", () => {
		const tree = openTree({
			"global/_shared/bad.md": "no front matter",
			...Object.fromEntries(
				["a", "b", "c"].map((key) => [
					`global/${key}/workflow.yaml`,
					workflowYaml(["../_shared/bad.md"], { commandName: key }),
				]),
			),
		});
		const codes = tree.load().diagnostics.map(({ code }) => code);
		expect(codes).toEqual(["no-front-matter", "phase-failed", "phase-failed", "phase-failed"]);
	});

	it("a vanishing file is no crash", () => {
		const tree = openTree(workflowFiles("global/x", ["a", "b"]));
		unlinkSync(join(tree.folder, "global", "x", "b.md"));
		expect(errors(tree.load()).map(({ code }) => code)).toEqual(["absent-phase"]);
	});
});
