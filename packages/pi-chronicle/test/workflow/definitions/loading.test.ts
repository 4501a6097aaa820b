// Fields of workflow.yaml, and bad input.
import { execFileSync } from "node:child_process";
import { rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listLines, usageLines, visibleCommands } from "../../../src/workflow/definitions/index.ts";
import { cpuMs } from "../../harness/cpu.ts";
import { needsPosix } from "../../harness/needs.ts";
import { within } from "../../harness/patience.ts";
import { errors, keys, openTree, phaseFile, rejected, workflowFiles, workflowYaml } from "./tree.ts";

describe("workflow.yaml", () => {
	const skipped: [string, Record<string, string | null>, string][] = [
		["no commandName", { commandName: null }, "`commandName` is missing"],
		["no initialMessage", { initialMessage: null }, "`initialMessage` is missing"],
		["a blank initialMessage", { initialMessage: "' '" }, "`initialMessage` is empty"],
		["an empty commandName", { commandName: "''" }, "`commandName` is empty"],
		["a commandName of two words", { commandName: "a b" }, "`commandName` is `a b`"],
		["a numeric commandName", { commandName: "12" }, 'Put it in quotes: `"12"`'],
		["show: hidden", { show: "hidden" }, "`show` is `hidden`"],
		["show: Workflows", { show: "Workflows" }, "Did you mean `workflows`?"],
		["show: true", { show: "true" }, "`show` must be"],
		["loopable: no", { loopable: "no" }, "`loopable` must be `true` or `false`"],
		["loopable: 'no'", { loopable: "'no'" }, "Write `false`"],
		["loopable: 0", { loopable: "0" }, "`loopable` must be"],
		["a misspelt loopable", { loopabel: "false" }, "Did you mean `loopable`?"],
		["loopable without a value", { loopable: "" }, "`loopable` has no value"],
		["show without a value", { show: "" }, "`show` has no value"],
		["maxLoops without a value", { maxLoops: "~" }, "`maxLoops` has no value"],
		["autoContinue without a value", { autoContinue: "null" }, "`autoContinue` has no value"],
		["limits for the whole workflow", { tools: "{blacklist: [edit]}" }, "Write limits in the phase files"],
		["a blacklist for the whole workflow", { blacklist: "[edit]" }, "Write limits in the phase files"],
		["readonly", { readonly: "true" }, "Write limits in the phase files"],
		["a commandName with a slash", { commandName: "/fix" }, "Write `fix`"],
		["a commandName with other letters", { commandName: "größe!" }, "Write `gro-e`"],
		["a commandName with space around it", { commandName: "' fix '" }, "without surrounding spaces"],
		["a misspelt maxLoops", { maxLoop: "3" }, "Did you mean `maxLoops`?"],
		["a blank name", { name: "' '" }, "`name` is empty"],
		["a numeric name", { name: "2024" }, "`name` must be a string"],
		["sessionNameMaxLength: 0", { sessionNameMaxLength: "0" }, "a whole number of at least 1"],
		["sessionNameMaxLength: -5", { sessionNameMaxLength: "-5" }, "a whole number of at least 1"],
		["sessionNameMaxLength: 1.5", { sessionNameMaxLength: "1.5" }, "a whole number of at least 1"],
		["sessionNameMaxLength: '50'", { sessionNameMaxLength: "'50'" }, "without quotes"],
		["maxLoops: -1", { maxLoops: "-1" }, "a whole number of at least 0"],
		["autoContinue: off", { autoContinue: "off" }, "Write `false`"],
		["a list as roleInstruction", { roleInstruction: "[a]" }, "`roleInstruction` must be a string"],
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
		["an empty list", "name: a\ncommandName: a\ninitialMessage: a\nphases: []\n", "but is an empty list"],
		["a text", "name: a\ncommandName: a\ninitialMessage: a\nphases: a.md\n", "but is a string"],
		["a number among them", workflowYaml(["1"]), "`phases[1]` must be"],
		["nothing among them", workflowYaml([""]), "but is nothing"],
		["a misspelt subworkflow", `${workflowYaml(["a.md"])}  - subworkfow: x\n`, "Did you mean `subworkflow`?"],
		[
			"a limit next to subworkflow",
			`${workflowYaml(["a.md"])}  - subworkflow: y\n    loopable: false\n`,
			"takes no other field: `loopable`",
		],
		[
			"tools next to subworkflow",
			`${workflowYaml(["a.md"])}  - subworkflow: y\n    tools: [read]\n`,
			"takes no other field: `tools`",
		],
		["a phase in place", `${workflowYaml(["a.md"])}  - name: plan\n    prompt: do it\n`, "into its own file"],
		["a file as a field", `${workflowYaml(["a.md"])}  - file: b.md\n`, "Write only the path: `- b.md`"],
		["a numeric subworkflow", `${workflowYaml(["a.md"])}  - subworkflow: 12\n`, 'Write `subworkflow: "12"`'],
		["a subworkflow without a name", `${workflowYaml(["a.md"])}  - subworkflow:\n`, "folder name"],
		["a list in the list", `${workflowYaml(["a.md"])}  - [b.md]\n`, "`phases[2]` must be"],
		["a directory name without subworkflow", workflowYaml(["review"]), "write `subworkflow: review`"],
		["a list at the top", "- a\n- b\n", "does not consist of `key: value` fields"],
		["nothing at all", "# just a comment\n", "The file is empty"],
		["another tool's keys", "name: a\nflow:\n  kind: parallel\n", "a pi-agents workflow; it is not read"],
		["a YAML error", "name: a\nphases: [\n", "end with a ]"],
		["a duplicate key", `${workflowYaml(["a.md"])}name: b\n`, "`name` is duplicated"],
	];
	it.each(entries)("with %s is skipped and explained", (_, yaml, expected) => {
		const tree = openTree({ "global/x/workflow.yaml": yaml, "global/x/a.md": phaseFile("a") });
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual([]);
		expect(tree.lines(catalogue.diagnostics).join("\n")).toContain(expected);
		expect(listLines(catalogue).join("\n")).toContain("✗ x (global) does not load");
	});

	it("with show: workflows needs neither command nor message, and is not offered", () => {
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

	it("warns about unused fields, reserved words and misspelled variables", () => {
		const tree = openTree(
			workflowFiles("global/x", ["a"], {
				description: "Something",
				commandName: "list",
				loopable: "false",
				maxLoops: "2",
				initialMessage: "'{descripton} and {unheard} and {unheard}'",
			}),
		);
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["x"]);
		expect(catalogue.diagnostics.map(({ severity }) => severity)).not.toContain("error");
		const said = tree.lines(catalogue.diagnostics).join("\n");
		expect(said).toContain("Unknown field `description`.");
		expect(said).toContain("`list` is a command of `/workflow`");
		expect(said).toContain("`maxLoops` has no effect with `loopable: false`");
		expect(said).toContain("`{descripton}` is not a variable and is not replaced. Did you mean `{description}`?");
		expect(said.split("`{unheard}` is not a variable")).toHaveLength(2);
	});

	it("warns about an unreachable commandName", () => {
		const tree = openTree(workflowFiles("global/x", ["a"], { commandName: "--status" }));
		expect(tree.lines(tree.load().diagnostics).join("\n")).toContain("so this workflow cannot be started");
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
	it.each(files)("a %s workflow.yaml or phase file is explained and affects nothing else", (_, content, code) => {
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

	it("pipes in place of files are never opened", needsPosix, () => {
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

	it("many repetitions of a mistake take linear time", async () => {
		const tree = openTree(workflowFiles("global/x", ["a"], { initialMessage: `"${"{descripton} ".repeat(60_000)}"` }));
		const ms = await cpuMs(() => {
			expect(tree.load().diagnostics.map(({ code }) => code)).toEqual(["unknown-variable"]);
		});
		expect(ms).toBeLessThan(within(1_500));
	});

	it("many mistakes in one file are counted, not all listed", () => {
		const tree = openTree({
			"global/x/workflow.yaml": workflowYaml(Array.from({ length: 5000 }, (_, index) => `p${index}.md`)),
		});
		const catalogue = tree.load();
		expect(catalogue.diagnostics.length).toBeLessThanOrEqual(101);
		expect(catalogue.diagnostics.map(({ code }) => code)).toContain("more-problems");
	});

	it("a phase file that is used often is reported once", () => {
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

	it("a file that disappears while loading does not crash", () => {
		const tree = openTree(workflowFiles("global/x", ["a", "b"]));
		unlinkSync(join(tree.folder, "global", "x", "b.md"));
		expect(errors(tree.load()).map(({ code }) => code)).toEqual(["absent-phase"]);
	});
});
