// Examples in documents and skills load, and schemas and tables agree with the reader.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadSkills } from "@earendil-works/pi-coding-agent";
import { openSource, parseYaml } from "@pi-chronicle/core/definition";
import { Compile } from "typebox/schema";
import { describe, expect, it } from "vitest";
import { workflowSchemas } from "../../../../../scripts/definition-reference.ts";
import { loadCatalogue, variables } from "../../../src/workflow/definitions/index.ts";
import { beginWorkflowRun, firstPosition } from "../../../src/workflow/phase-machine/index.ts";
import { variablesOf } from "../../../src/workflow/prompts/index.ts";
import { readDocument } from "../../docs/blocks.ts";
import { checkout } from "../../harness/index.ts";
import { openTree, phaseFile, workflowFiles, workflowYaml } from "./tree.ts";

describe.each(["docs/workflows.md", "packages/pi-chronicle/skills/workflow-authoring/SKILL.md"])("%s", (path) => {
	it("shows files that load unchanged", () => {
		const { blocks } = readDocument(path, readFileSync(join(checkout, path), "utf8"));
		const files = blocks.flatMap((block) => {
			const file = block.words.has("invalid") ? undefined : block.values.get("file");
			return file?.startsWith(".pi/workflows/")
				? [[file.replace(".pi/workflows/", "project/"), `${block.text}\n`]]
				: [];
		});
		expect(files.length).toBeGreaterThan(4);
		const tree = openTree(Object.fromEntries(files));
		const catalogue = tree.load();
		expect(tree.lines(catalogue.diagnostics)).toEqual([]);
		const shown = files.filter(([file]) => file?.endsWith("workflow.yaml")).map(([file]) => file?.split("/").at(-2));
		expect([...catalogue.definitions.keys()]).toEqual(shown.sort());
	});
});

describe("schemas/", () => {
	const schemas = workflowSchemas();
	it.each(Object.entries(schemas))("%s is up to date", (name, schema) => {
		const path = join(checkout, "packages/pi-chronicle/schemas", name);
		const text = `${JSON.stringify(schema, null, "\t")}\n`;
		if (process.env.UPDATE_SCHEMAS) writeFileSync(path, text);
		expect(JSON.parse(readFileSync(path, "utf8")), "run `npm run schemas`").toEqual(JSON.parse(text));
	});

	const base = { name: null, commandName: null, initialMessage: null };
	const hidden = { ...base, name: "x", show: "workflows" };
	it.each<[string, boolean]>([
		[workflowYaml(["a.md"]), true],
		[workflowYaml(["a.md"], { maxLoops: "3", loopable: "true", autoContinue: "false", sessionNamePrefix: "''" }), true],
		[workflowYaml(["a.md"], hidden), true],
		[workflowYaml(["a.md"], base), false],
		[workflowYaml(["a.md"], { commandName: null }), false],
		[workflowYaml(["a.md"], { commandName: "'a b'" }), false],
		[workflowYaml(["a.md"], { show: "hidden" }), false],
		[workflowYaml(["a.md"], { loopable: "no" }), false],
		[workflowYaml(["a.md"], { sessionNameMaxLength: "0" }), false],
		[workflowYaml(["1"]), false],
		[`${workflowYaml(["a.md"])}  - {workflow: x}\n`, false],
		["name: x\ncommandName: x\ninitialMessage: x\nphases: []\n", false],
	])("workflow %#: the schema judges as the reader does", (yaml, valid) => {
		const tree = openTree({ "global/x/workflow.yaml": yaml, "global/x/a.md": phaseFile("a") });
		expect(loadCatalogue(tree.roots).definitions.has("x")).toBe(valid);
		expect(Compile(schemas["workflow.schema.json"]).Check(plainValue(yaml))).toBe(valid);
	});

	it.each<[string[], boolean]>([
		[[], true],
		[["tools: read, grep"], true],
		[["tools: [read, grep]"], true],
		[["tools: {blacklist: [edit], shell: strict}"], true],
		[["tools: {allow: [read, write]}", "availableProfiles: a, b", "autoContinue: false"], true],
		[["tools: {blacklist: [edit], whitelist: [read]}"], false],
		[["tools: {blacklist: {a: 1}}"], false],
		[["tools: {allow: [wirte]}"], false],
		[["tools: {allow: [read], shell: strict}"], false],
		[["tools: {shell: strict}"], false],
		[["tools: {whitelist: 'read, grep'}"], true],
		[["tools: {whitelist: read}"], false],
		[["tool: {blacklist: [edit]}"], false],
	])("phase %#: the schema judges as the reader does", (lines, valid) => {
		const content = phaseFile("a", ...lines);
		const tree = openTree({ "global/x/workflow.yaml": workflowYaml(["a.md"]), "global/x/a.md": content });
		expect(loadCatalogue(tree.roots).definitions.has("x")).toBe(valid);
		expect(Compile(schemas["phase.schema.json"]).Check(plainValue(content.split("---\n")[1] ?? ""))).toBe(valid);
	});
});

it("the skill is found by pi, and adds nothing to requests until it is used", () => {
	const { skills, diagnostics } = loadSkills({
		cwd: checkout,
		agentDir: join(checkout, "none"),
		skillPaths: [join(checkout, "packages/pi-chronicle/skills")],
		includeDefaults: false,
	});
	expect(diagnostics).toEqual([]);
	expect(skills.map(({ name, disableModelInvocation }) => [name, disableModelInvocation])).toContainEqual([
		"workflow-authoring",
		true,
	]);
});

it("the documents name exactly the existing variables", () => {
	const text = readFileSync(join(checkout, "docs/workflows.md"), "utf8");
	const named = [...text.matchAll(/^\| `\{(\w+)\}` \|/gm)].map(([, name]) => name);
	expect(named).toEqual([...variables.keys()]);
});

it("the documented variables are those that a run fills in", () => {
	const tree = openTree(workflowFiles("global/x", ["a"]));
	const { definitions } = tree.load();
	const position = firstPosition(definitions, "x");
	const run = beginWorkflowRun({ id: "wf-1-a", definitions, workflowKey: "x", task: "t", at: 0, position });
	expect([...variablesOf(run).keys()].sort()).toEqual([...variables.keys()].sort());
});

/** The plain value of a YAML text. */
function plainValue(yaml: string): unknown {
	const source = openSource("/x.yaml", yaml);
	const plain = (node: ReturnType<typeof parseYaml>["root"]): unknown => {
		if (!node) return undefined;
		if (node.kind === "scalar") return node.value;
		if (node.kind === "list") return node.items.map(plain);
		return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plain(value)]));
	};
	return plain(parseYaml(source).root);
}
