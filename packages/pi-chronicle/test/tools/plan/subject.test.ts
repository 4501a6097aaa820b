// The file that a plan converts, and its words in the prompt.
import { expect, it } from "vitest";
import { draftPrompt } from "../../../src/tools/plan/prompt.ts";
import { readPlanWords } from "../../../src/tools/plan/subject.ts";
import { openFolder } from "../../harness/folder.ts";
import { packageFolder } from "../../harness/index.ts";

const chain = "fix:\n  steps: [{ agent: scout, prompt: $INPUT }]\n";
const cwd = openFolder({
	"chain.yaml": chain,
	"my chain.yaml": chain,
	"flow.md": "---\nflow: { kind: agent }\n---\n",
	"notes.md": "Do it well.\n",
	"large.txt": "x".repeat(300_000),
});

it.each<[words: string, path: string | undefined, format: string | undefined, task: string]>([
	["chain.yaml", "chain.yaml", "an agent chain file", ""],
	["chain.yaml  a greeting\nfor all", "chain.yaml", "an agent chain file", "a greeting\nfor all"],
	['"my chain.yaml" a task', "my chain.yaml", "an agent chain file", "a task"],
	["flow.md a task", "flow.md", "a pi-agents workflow", "a task"],
	["notes.md", "notes.md", undefined, ""],
	["@notes.md a task", "notes.md", undefined, "a task"],
	["notes.md needs a new title", undefined, undefined, "notes.md needs a new title"],
	["large.txt is too long", undefined, undefined, "large.txt is too long"],
	["nothing.yaml", undefined, undefined, "nothing.yaml"],
	// A sentence without spaces is longer than a name of a file may be.
	["报".repeat(100), undefined, undefined, "报".repeat(100)],
	[". is the project", undefined, undefined, ". is the project"],
	["Export the receipts", undefined, undefined, "Export the receipts"],
])("the words %j name the file %j", (words, path, format, task) => {
	const read = readPlanWords(words, cwd);
	if (typeof read === "string") throw new Error(read);
	expect([read.task, read.subject?.path, read.subject?.format]).toEqual([task, path, format]);
	const prompt = draftPrompt(read, packageFolder);
	expect(prompt.includes("# The file to convert")).toBe(path !== undefined);
	expect(prompt.endsWith(task || "The task of a run is given when it starts.")).toBe(true);
});

it("a file that is too large to convert is refused with its size", () => {
	expect(readPlanWords("@large.txt", cwd)).toMatch(/^large\.txt: The file is 300 kB/);
});
