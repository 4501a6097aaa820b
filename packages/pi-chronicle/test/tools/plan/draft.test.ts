// A draft in a model's answer: all of its files or all problems, and nothing outside the folders of definitions.
import { assert, constantFrom, property, string, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { readDraft } from "../../../src/tools/plan/draft.ts";
import { estimateRun } from "../../../src/tools/plan/estimate.ts";

const block = (path: string, text = "states: {}", fence = "```") => `${fence}yaml file=${path}\n${text}\n${fence}`;
const template = ".pi/chronicle/workflows/fix.yaml";
const workflow = ".pi/workflows/fix/workflow.yaml";

describe("a draft", () => {
	it.each([
		["a template", block(template), "chronicle", [template]],
		[
			"a template in JSON",
			block(".pi/chronicle/workflows/fix.json", "{}"),
			"chronicle",
			[".pi/chronicle/workflows/fix.json"],
		],
		[
			"a workflow with its phases, and text between them",
			`Because.\n\n${block(workflow)}\nThen:\n${block(".pi/workflows/fix/plan.md", "---\nid: plan\n---")}`,
			"workflow",
			[workflow, ".pi/workflows/fix/plan.md"],
		],
		[
			"an agent",
			`${block(template)}\n${block(".pi/agents/tester.md")}`,
			"chronicle",
			[template, ".pi/agents/tester.md"],
		],
		["lines that end with CR LF", block(template).replaceAll("\n", "\r\n"), "chronicle", [template]],
		["tildes as the fence", block(template, "a: 1", "~~~"), "chronicle", [template]],
		["blocks that name no file", `\`\`\`bash\nls\n\`\`\`\n${block(template)}`, "chronicle", [template]],
	])("of %s is read", (_what, answer, kind, paths) => {
		const read = readDraft(answer);
		expect(read).toMatchObject({ kind: "draft", draft: { kind, key: "fix" } });
		expect(read.kind === "draft" && read.draft.files.map(({ path }) => path)).toEqual(paths);
	});

	it("keeps the text of a file with a fence inside a longer fence", () => {
		const inner = "---\nid: plan\n---\n```bash\nnpm test\n```";
		const read = readDraft(`${block(workflow)}\n${block(".pi/workflows/fix/plan.md", inner, "````")}`);
		expect(read.kind === "draft" && read.draft.files[1]?.text).toBe(`${inner}\n`);
	});

	it.each([
		["without a file", "I would rather not.", /The answer contains no file/],
		["whose first file starts nothing", `${block(".pi/agents/tester.md")}\n${block(template)}`, /first file must be/],
		[
			"with a file of the project",
			`${block(template)}\n${block("src/index.ts")}`,
			/src\/index\.ts is not a definition file/,
		],
		["that leaves its folder", `${block(template)}\n${block(".pi/agents/../../x.md")}`, /is not a definition file/],
		["with an absolute path", `${block(template)}\n${block("/etc/x.md")}`, /is not a definition file/],
		["with settings", `${block(template)}\n${block(".pi/settings.json")}`, /is not a definition file/],
		["with guard rules", `${block(template)}\n${block(".pi/damage-control-rules.yaml")}`, /is not a definition file/],
		["with a file twice", `${block(template)}\n${block(template)}`, /written twice/],
		["that is cut off", `${block(template)}\n\`\`\`yaml file=.pi/agents/a.md\nname:`, /does not end/],
		["with a huge file", block(template, "x".repeat(200_000)), /more than 100000 characters/],
		[
			"with too many files",
			[block(template), ...Array.from({ length: 50 }, (_, index) => block(`.pi/agents/a${index}.md`))].join("\n"),
			/has 51 files/,
		],
	])("%s is refused with the reason", (_what, answer, reason) => {
		const read = readDraft(answer);
		expect(read.kind === "problems" ? read.problems.join("\n") : "").toMatch(reason);
	});

	it.each([
		["40 files", (more: number) => Array.from({ length: 39 + more }, (_, n) => block(`.pi/agents/a${n}.md`))],
		["100,000 characters in a file", (more: number) => [block(".pi/agents/a.md", "x".repeat(99_999 + more))]],
	])("may have %s, and no more", (_what, blocks) => {
		const kinds = [0, 1].map((more) => readDraft([block(template), ...blocks(more)].join("\n")).kind);
		expect(kinds).toEqual(["draft", "problems"]);
	});

	it("never names a path outside the folders of definitions, regardless of the model's answer", () => {
		const parts = constantFrom(
			"..",
			".",
			".pi",
			"agents",
			"workflows",
			"chronicle",
			"a",
			"a.md",
			"fix.yaml",
			"workflow.yaml",
			"",
		);
		const paths = tuple(parts, parts, parts, parts, string()).map(([a, b, c, d, e]) => `${a}/${b}/${c}/${d}${e}`);
		assert(
			property(paths, (path) => {
				const read = readDraft(`${block(template)}\n${block(path)}`);
				if (read.kind !== "draft") return;
				for (const file of read.draft.files) {
					expect(file.path).toMatch(/^\.pi\/(agents|workflows|chronicle\/workflows)\/[\w/.-]+$/);
					expect(file.path.split("/")).not.toContain("..");
				}
			}),
		);
	});
});

describe("an estimate", () => {
	it("is a range: from the rehearsal to busy visits, at the price of the draft's tokens", () => {
		const { tokens, costUsd } = estimateRun([[4_000, 8_000], [4_000]], { tokens: 1_000, costUsd: 0.01 });
		// 1,000 + 2,000 + 1,000 tokens of requests, and 250 of output for each.
		expect(tokens[0]).toBe(4_750);
		// Two visits of 30 requests: 1,000 tokens, and 1,500 more with each.
		expect(tokens[1]).toBe(2 * (30 * 1_250 + 1_500 * 435));
		expect(costUsd?.map((usd) => usd.toFixed(4))).toEqual(["0.0475", (tokens[1] / 100_000).toFixed(4)]);
	});

	it("has no cost without a price, and is empty without requests", () => {
		expect(estimateRun([[400]], { tokens: 500, costUsd: 0 }).costUsd).toBeUndefined();
		expect(estimateRun([[400]], { tokens: 1, costUsd: 0.01 }).costUsd?.[0]).toBeCloseTo(3.5);
		expect(estimateRun([[], []], { tokens: 500, costUsd: 1 })).toEqual({ tokens: [0, 0], costUsd: [0, 0] });
	});
});
