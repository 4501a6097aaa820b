// Texts that describe steps, converted to phases.
import { describe, expect, it } from "vitest";
import { importSteps, phasesOf } from "../../src/migration/phases-of-text.ts";

const shape = (body: string) => phasesOf(body, "Whole").map(({ title }) => title);
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `${n + 1}. item ${n + 1}`).join("\n");

describe("the phases of a text", () => {
	it.each<[what: string, body: string, titles: string[]]>([
		["no steps", "Only words.", ["Whole"]],
		["two steps as headings", "## Step 1: look\na\n## Step 2\nb", ["Step 1: look", "Step 2"]],
		["headings with numbers", "### 1. Look\na\n### 2) Do\nb", ["Look", "Do"]],
		["one heading that is a step", "## Step 1\na", ["Whole"]],
		["headings that are no steps", "## Rules\na\n## Tips\nb", ["Whole"]],
		["headings of level 1 and 5", "# Step 1\na\n##### Step 2\nb", ["Whole"]],
		["headings in a code block", "```\n## Step 1\n## Step 2\n```", ["Whole"]],
		["a code block with a shorter fence inside", "````\n```\n## Step 1\n```\n## Step 2\n````", ["Whole"]],
		["headings after a code block", "```\nx\n```\n## Step 1\n## Step 2", ["Step 1", "Step 2"]],
		["a list under a heading that promises one", `## Steps\n${numbered(2)}`, ["item 1", "item 2"]],
		["a list without a heading", numbered(3), ["item 1", "item 2", "item 3"]],
		["a list under another heading", `## Options\n${numbered(3)}`, ["Whole"]],
		["a list of one item", `## Steps\n${numbered(1)}`, ["Whole"]],
		[
			"the longest of several lists",
			`## Steps\n${numbered(2)}\n\n${numbered(3)}\n\n${numbered(2)}`,
			["item 1", "item 2", "item 3"],
		],
		["the first of two lists as long", "1. a\n2. b\n\n1. c\n2. d", ["a", "b"]],
		["bold titles with explanations", "1. **Look** — at it\n2. Do: it\n3. a-b", ["Look", "Do", "a-b"]],
	])("with %s", (_what, body, titles) => {
		expect(shape(body)).toEqual(titles);
	});

	it("keep text before the first step, and every line of a step", () => {
		const [first, second] = phasesOf("Intro\n## Step 1\none\n## Notes\nkept\n## Step 2\ntwo", "Whole");
		expect(first?.body).toBe("one\n\n---\n\nThis applies to all phases:\n\nIntro\n\n## Notes\n\nkept");
		expect(second?.body).toBe("two");
		expect(phasesOf("## Step 1\none\n## Step 2\ntwo", "Whole")[0]?.body).toBe("one");
		const [, listed] = phasesOf("1. a\n2. b\n   more\n", "Whole");
		expect(listed?.body).toBe("b\nmore");
	});

	it.each([
		["Wait for approval.", "person"],
		["Ask the user for explicit confirmation.", "person"],
		["Get the team approval", "person"],
		["Ask nothing. The approval is there.", undefined],
		["Do it.", undefined],
	])("are ended by the user if the text says so: %s", (body, advance) => {
		expect(phasesOf(body, "Whole")[0]?.advance).toBe(advance);
	});
});

describe("a recorded sequence", () => {
	it("has a phase for each prompt, named by its first line, and notes what a phase cannot send", () => {
		const notes: { where: string; what: string }[] = [];
		const input = { file: "/s.jsonl", format: "a session", stem: "s", title: "T", notes };
		const { files, kind } = importSteps([" Look\nat it", "x".repeat(61), "/compact", ""], input);
		expect(kind).toBe("workflow");
		const names = files.map(({ text }) => /^name: (.*)$/m.exec(text)?.[1]);
		expect(names).toEqual(["T", "Look", "x".repeat(60), "/compact", "Step 4"]);
		expect(notes).toMatchObject([{ where: "step 3", what: expect.stringContaining("`/compact` is a command") }]);
	});
});
