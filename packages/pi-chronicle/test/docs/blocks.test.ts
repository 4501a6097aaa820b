// The pure parts of the documents' test: reading a document, planning a block, comparing output.
import { describe, expect, it } from "vitest";
import { type Block, commandsOf, readDocument, rewriteGenerated } from "./blocks.ts";
import { missingLine, planBlock } from "./plan.ts";

function block(info: string, text = ""): Block {
	const [first] = readDocument("a.md", `\`\`\`${info}\n${text}\n\`\`\``).blocks;
	if (!first) throw new Error("no block");
	return first;
}

describe("reading a document", () => {
	it("finds blocks with their lines and info strings, indented ones and fences inside longer fences too", () => {
		const { blocks, problems } = readDocument(
			"a.md",
			[
				"# A",
				"- item",
				"  ~~~yaml file=x.yaml in=receipts",
				"  a: 1",
				"    b: 2",
				"  ~~~",
				"````markdown",
				"```js",
				"1",
				"```",
				"````",
			].join("\n"),
		);
		expect(problems).toEqual([]);
		expect(blocks.map(({ line, language, text }) => ({ line, language, text }))).toEqual([
			{ line: 3, language: "yaml", text: "a: 1\n  b: 2" },
			{ line: 7, language: "markdown", text: "```js\n1\n```" },
		]);
		expect(blocks[0]?.values).toEqual(
			new Map([
				["file", "x.yaml"],
				["in", "receipts"],
			]),
		);
	});

	it("finds links outside of code, images, reference links and HTML, and makes GitHub's anchors", () => {
		const source = [
			"## `/workflow` & you!",
			"## A b",
			"## A b",
			'[x](b.md#c) ![i](i.svg "t") `[no](no.md)`',
			"[r]: d.md",
			'<img src="e.svg">',
		];
		const { links, anchors } = readDocument("a.md", [...source, "```", "[no](no.md)", "# no", "```"].join("\n"));
		expect(links.map(({ target }) => target)).toEqual(["b.md#c", "i.svg", "d.md", "e.svg"]);
		expect([...anchors]).toEqual(["workflow--you", "a-b", "a-b-1"]);
	});

	it("reports unclosed blocks", () => {
		expect(readDocument("a.md", "x\n```js\n1").problems).toEqual(["a.md:2: the code block never ends"]);
		expect(readDocument("a.md", "<!-- generated:x -->\ny").problems).toEqual([
			"a.md:1: the generated section never ends",
		]);
		expect(readDocument("a.md", "<!-- /generated -->").problems).toHaveLength(1);
	});

	it("rewrites only generated sections", () => {
		const source =
			"a\n<!-- generated:x -->\nold\n<!-- /generated -->\n<!-- generated:y -->\nkept\n<!-- /generated -->\nb\n";
		expect(readDocument("a.md", source).generated).toEqual([
			{ name: "x", line: 2, text: "old" },
			{ name: "y", line: 5, text: "kept" },
		]);
		const fresh = rewriteGenerated(source, (name) => (name === "x" ? "new $& $1\n" : undefined));
		expect(fresh).toBe(source.replace("old", () => "new $& $1"));
		expect(rewriteGenerated(fresh, (name) => (name === "x" ? "new $& $1" : undefined))).toBe(fresh);
	});
});

describe("planning a block", () => {
	it.each([
		["bash run", { kind: "run", exit: 0 }],
		["sh run exit=3 in=receipts", { kind: "run", exit: 3 }],
		["bash", { kind: "covered", commands: ["npm ci", "npm test"] }],
		["pi", { kind: "named" }],
		["pi run", { kind: "type" }],
		["yaml file=.pi/workflows/a/workflow.yaml", { kind: "file", path: ".pi/workflows/a/workflow.yaml" }],
		["json file=a.json invalid", { kind: "invalid", path: "a.json" }],
		["ts part-of=src/a.ts", { kind: "part", of: "src/a.ts" }],
		["text output", { kind: "output" }],
		["text layout", { kind: "layout" }],
		["text trace", { kind: "trace" }],
		["text screen=running", { kind: "screen", name: "running" }],
		["mermaid", { kind: "diagram" }],
	])("%s", (info, plan) => {
		expect(planBlock(block(info, "# first\nnpm ci\n\nnpm test # all"))).toEqual(plan);
	});

	it.each(["", "yaml", "text", "rust", "rust file=a.rs", "bash runn", "yaml file=a.yaml fle=b", "js run"])(
		"%j is unknown, so it fails the test",
		(info) => {
			expect(planBlock(block(info)).kind).toBe("unknown");
		},
	);

	it("splits shell commands", () => {
		expect(commandsOf("# why\nnpm ci \\\n  --offline\n\necho a#b  # c\n")).toEqual(["npm ci --offline", "echo a#b"]);
	});
});

describe("comparing output", () => {
	const printed = "one\n  two (12 ms)\nthree\n";
	it.each([
		["one\nthree", undefined],
		["…\ntwo (… ms)\n\nthree", undefined],
		["three\none", "one"],
		["two", "two"],
		["tw.", "tw."],
	])("%j", (expected, missing) => {
		expect(missingLine(expected, printed)).toBe(missing);
	});
});
