// Locations of workflows, and the resolution of names.
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { getAgentDir } from "@earendil-works/pi-coding-agent";
import { afterEach, describe, expect, it } from "vitest";
import { loadCatalogue, usageLines, workflowRoots } from "../../../src/workflow/definitions/index.ts";
import { needsPosix } from "../../harness/needs.ts";
import { errors, keys, openTree, phaseFile, rejected, type TreeFiles, workflowFiles, workflowYaml } from "./tree.ts";

describe("locations of workflows", () => {
	it("include the global folder, with command and name", () => {
		const tree = openTree(workflowFiles("global/x", ["a"], { name: "My X", commandName: "do-x" }));
		const catalogue = tree.load();
		expect(usageLines(catalogue)).toContain("  do-x  My X");
		expect(catalogue.diagnostics).toEqual([]);
	});

	it("a project's definition completely replaces the global one with the same directory name", () => {
		const tree = openTree({
			...workflowFiles("global/x", ["a", "b", "c", "d"], { roleInstruction: "Global role" }),
			...workflowFiles("project/x", ["a", "b", "c", "d", "e"]),
		});
		const here = tree.load().definitions.get("x");
		expect(here?.entries).toHaveLength(5);
		expect(here).toMatchObject({ tier: "project", roleInstruction: undefined });
		expect(loadCatalogue({ ...tree.roots, projectRoot: undefined }).definitions.get("x")?.entries).toHaveLength(4);
	});

	it("no project is read unless the caller gives its folder", () => {
		const tree = openTree(workflowFiles("project/x", ["a"]));
		expect(keys(loadCatalogue({ ...tree.roots, projectRoot: undefined }))).toEqual([]);
		expect(workflowRoots({ agentDir: "/a", cwd: "/w", trusted: false })).toMatchObject({
			globalRoot: join("/a", "workflows"),
			projectRoot: undefined,
		});
		expect(workflowRoots({ agentDir: "/a", cwd: "/w", trusted: true }).projectRoot).toBe(
			join("/w", ".pi", "workflows"),
		);
	});

	describe("the global root follows pi's agent directory", () => {
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

	it("directories without workflow.yaml are skipped, including other tools' files", () => {
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

	it.each(["workflow.yml", "Workflow.yaml"])("a file named %s is reported as not read", (name) => {
		const tree = openTree({ [`global/x/${name}`]: workflowYaml(["a.md"]) });
		if (loadCatalogue(tree.roots).definitions.size > 0) return;
		expect(tree.lines(tree.load().diagnostics)).toEqual([
			expect.stringMatching(new RegExp(`^global/x/${name}:1:1 warning: .*rename it`)),
		]);
	});

	it("a workflow one level below a directory without workflow.yaml is found by its own name", () => {
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

	it("two nested ones with one name reject each other; a direct one wins over a nested one", () => {
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
		expect(said).toMatch(/_a\/review\/workflow.yaml:1:1 More than one workflow has the folder name `review`/);
		expect(said).toMatch(/_b\/review\/workflow.yaml:1:1 More than one/);
		expect(said).toMatch(/_a\/plan\/workflow.yaml:1:1 warning: Another workflow has the folder name `plan`/);
	});

	it("linked directories load, with their phase files, and link cycles are handled", needsPosix, () => {
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
	});

	it("dangling links are reported, and a dangling workflow.yaml still claims its name", needsPosix, () => {
		const tree = openTree({
			...workflowFiles("global/x", ["a"]),
			...workflowFiles("global/y", ["a"]),
			"project/x/a.md": phaseFile("a"),
			"project/_in/z/a.md": phaseFile("a"),
		});
		for (const directory of ["project/x", "project/_in/z"])
			symlinkSync("nowhere.yaml", join(tree.folder, directory, "workflow.yaml"));
		symlinkSync("nowhere", join(tree.folder, "project", "gone"));
		const catalogue = tree.load();
		// The project's workflow replaces the global one even if it is broken.
		expect([keys(catalogue), rejected(catalogue)]).toEqual([["y"], ["x", "z"]]);
		const said = tree.lines(catalogue.diagnostics).join("\n");
		expect(said).toMatch(/^project\/_in\/z\/workflow\.yaml:1:1 The file is a broken link/m);
		expect(said).toMatch(/^project\/x\/workflow\.yaml:1:1 The file is a broken link/m);
		expect(said).toMatch(/^project\/gone warning: This link is broken/m);
		rmSync(join(tree.folder, "project", "x", "workflow.yaml"));
		tree.write({ "project/_in/z/nowhere.yaml": workflowYaml(["a.md"], { commandName: "z" }) });
		expect(keys(tree.load())).toEqual(["x", "y", "z"]);
	});

	it("an unreadable root or directory is reported", () => {
		const tree = openTree({ global: "a file", ...workflowFiles("project/x", ["a"]) });
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["x"]);
		expect(catalogue.diagnostics.map(({ code }) => code)).toEqual(["not-a-directory"]);
	});

	it("the result does not depend on directory order, or on names that look like numbers", () => {
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

describe("names and conflicts", () => {
	it("two workflows with one command: the project's wins, then the smaller name, and both are reported", () => {
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

	it("a hidden workflow never shadows a visible one", () => {
		const tree = openTree({
			...workflowFiles("project/a", ["p"], { commandName: "go", show: "workflows" }),
			...workflowFiles("global/z", ["p"], { commandName: "go" }),
		});
		expect(tree.load().commands.get("go")?.key).toBe("z");
	});

	it("names of prototype members are ordinary names", () => {
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
			"global/x/a.md": phaseFile("a", "__proto__: {polluted: 1}"),
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
		"a project's workflow that is %s hides the global one, which is reported",
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
			if (what !== "a missing reference") expect(said).toContain("the global one of the same name does not replace it");
			expect(tree.lines(catalogue.rejected.get("y")?.diagnostics ?? []).join("\n")).toContain(
				"runs `x`, which does not load",
			);
		},
	);

	it("an invalid global workflow does not matter if the project has its own", () => {
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
