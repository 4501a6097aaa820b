// The catalogue's lists for users, and the diagram of a workflow.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import {
	catalogueCheckLines,
	listLines,
	usageLines,
	workflowDiagram,
} from "../../../src/workflow/definitions/index.ts";
import { checkout } from "../../harness/index.ts";
import { openTree, phaseFile, workflowFiles, workflowYaml } from "./tree.ts";

function sample() {
	return openTree({
		...workflowFiles("global/release", ["build", "@review", "deploy"], { name: "Release Pipeline", loopable: "false" }),
		...workflowFiles("project/review", ["look", "judge"], { name: "Code Review", show: "workflows", maxLoops: "2" }),
		"project/review/judge.md": phaseFile("judge", "tools: {blacklist: [edit, write]}"),
		...workflowFiles("project/broken", ["a"], { show: "hidden" }),
	});
}

describe("lists for users", () => {
	it("/workflow prints usage, startable workflows, and those that did not load", () => {
		const tree = sample();
		expect(usageLines(tree.load(), tree.folder)).toEqual([
			"Usage: /workflow <name> <task>",
			"",
			"Workflows:",
			"  release  Release Pipeline",
			"",
			"1 workflow did not load (/workflow check lists all problems):",
			"  ✗ broken — project/broken/workflow.yaml:4:7 error: `show` is `hidden`; it must be `user` or `workflows`. — Write `user` or `workflows`.",
		]);
		for (let more = 0; more < 6; more++) tree.write({ [`project/more-${more}/workflow.yaml`]: "name: x\n" });
		const many = usageLines(tree.load());
		expect(many.filter((line) => line.startsWith("  ✗ "))).toHaveLength(5);
		expect(many.at(-1)).toBe("  … and 2 more");
		expect(usageLines(openTree().load()).join("\n")).toContain(".pi/workflows/<name>/workflow.yaml");
	});

	it("the list has every workflow with its phases and every one that did not load with its reasons", () => {
		const tree = sample();
		expect(listLines(tree.load(), tree.folder)).toEqual([
			"release — Release Pipeline (global, /workflow release)",
			"  🔧 Phase build → @review → 🔧 Phase deploy",
			"review — Code Review (project, inside others)",
			"  🔧 Phase look → 🔧 Phase judge (no edit, write)",
			"✗ broken (project) does not load: project/broken/workflow.yaml",
			"    project/broken/workflow.yaml:4:7 error: `show` is `hidden`; it must be `user` or `workflows`. — Write `user` or `workflows`.",
		]);
		expect(listLines(openTree().load())).toEqual(["No workflow is loaded."]);
	});

	it("a workflow whose command another one has is not shown as startable", () => {
		const tree = openTree({
			...workflowFiles("project/a", ["p"], { commandName: "go" }),
			...workflowFiles("global/b", ["p"], { commandName: "go" }),
		});
		const lines = listLines(tree.load()).join("\n");
		expect(lines).toContain("a — Workflow a (project, /workflow go)");
		expect(lines).toContain("b — Workflow b (global, name taken)");
	});

	it("the check prints every problem and counts", () => {
		const tree = sample();
		const further = [{ file: "/x", severity: "warning", code: "unknown-tool", message: "m", remedy: "r" } as const];
		const lines = catalogueCheckLines(tree.load(), further, tree.folder);
		expect(lines).toHaveLength(3);
		expect(lines.at(-1)).toBe("2 workflows loaded, 1 did not load: 1 error, 1 warning.");
		const good = openTree(workflowFiles("global/x", ["a"]));
		expect(catalogueCheckLines(good.load())).toEqual(["1 workflow loaded: no problems."]);
	});
});

describe("the diagram", () => {
	it("draws phases, workflows inside, loops, limits and the place of a run", () => {
		const catalogue = sample().load();
		const position = [
			{ workflowKey: "release", phaseIndex: 1 },
			{ workflowKey: "review", phaseIndex: 1 },
		];
		expect(workflowDiagram(catalogue, "release", position)).toEqual([
			"flowchart TD",
			'  p1["🔧 Phase build"]',
			'  subgraph s1 ["Code Review"]',
			'    p2["🔧 Phase look"]',
			'    p3["🔧 Phase judge<br/>no edit, write"]',
			"  end",
			'  p4["🔧 Phase deploy"]',
			"  done([DONE])",
			"  p2 --> p3",
			'  p3 -. "loop ≤ 2×" .-> p2',
			"  p1 --> p2",
			"  p3 --> p4",
			"  p4 --> done",
			"  style p3 stroke-width:4px",
		]);
		expect(workflowDiagram(catalogue, "nothing")).toEqual([]);
		const gated = openTree({
			...workflowFiles("project/w", ["a"]),
			"project/w/a.md": phaseFile("a", 'tools: {allow: [read]}\ngate: "make check"'),
		});
		expect(workflowDiagram(gated.load(), "w")).toContain('  p1["🔧 Phase a<br/>may read<br/>gate: make check"]');
	});

	it("is rendered by pi without a warning, regardless of its names", async () => {
		const odd = ['a "quoted" [x]', "b|c{d}", "e --> f; g", "<b>h</b> & #35;", "end", "subgraph", "`code`", "ü 😀"];
		const tree = openTree({
			...workflowFiles("global/inner", ["a", "b"], { name: JSON.stringify(odd.join(" ")), commandName: "inner" }),
			"global/x/workflow.yaml": workflowYaml([...odd.map((_, index) => `p${index}.md`), "@inner"]),
			...Object.fromEntries(
				odd.map((name, index) => [
					`global/x/p${index}.md`,
					phaseFile(`p${index}`).replace(`name: Phase p${index}`, `name: ${JSON.stringify(name)}`),
				]),
			),
		});
		const catalogue = tree.load();
		expect(tree.lines(catalogue.diagnostics)).toEqual([]);
		const renderer = pathToFileURL(join(checkout, "node_modules/lovely-mermaid/dist/index.js")).href;
		const { render } = (await import(renderer)) as {
			render: (text: string) => { warnings: unknown[]; plain: string[] } | null;
		};
		const art = render(workflowDiagram(catalogue, "x").join("\n"));
		expect(art?.warnings).toEqual([]);
		const drawn = art?.plain.join("\n") ?? "";
		for (const name of odd.slice(0, 6)) expect(drawn).toContain(name);
		expect(drawn).toContain("'code'");
	});

	it("stays small when shared workflows repeat", () => {
		const depth = 20;
		const tree = openTree({
			...Object.assign(
				{},
				...Array.from({ length: depth }, (_, index) =>
					workflowFiles(`global/n${index}`, [`@n${index + 1}`, `@n${index + 1}`]),
				),
			),
			...workflowFiles(`global/n${depth}`, ["p"]),
		});
		expect(workflowDiagram(tree.load(), "n0").length).toBeLessThan(500);
	});
});
