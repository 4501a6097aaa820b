// Who uses the documents about sessions, settings, agent files and help: the model, and the result that each document promises.
import { expect } from "vitest";
import { call } from "../harness/index.ts";
import type { DocumentProject } from "./document-project.ts";
import type { Use } from "./follow.ts";
import { errorsOf, move, turns, write } from "./use-parts.ts";

/** Says something to the session's model and returns the results of its calls. */
async function resultsOf(at: DocumentProject, text: string): Promise<string> {
	const pi = await at.pi();
	const before = pi.toolResults().length;
	await pi.run(text);
	return JSON.stringify(pi.toolResults().slice(before));
}

const companions: Use = {
	document: "docs/companions.md",
	files: { "parser.txt": "parse\n" },
	script: turns(
		[/Write it down/, [call("notebook_write", { name: "facts", content: "It must retry three times." })]],
		[/own words:(?:\\n|\s)+write the tests for the parser/, [write("parser-test.txt")]],
		[/write the tests for the parser/, [call("handoff", { context: "The parser is in parser.txt." })]],
		[/CHILD TASK/, ["The child says blue."]],
		[/Ask a child/, [call("spawn", { prompt: "CHILD TASK: which color?" })]],
		[/Write the first/, [write("first.txt")]],
		[/Write the second/, [write("second.txt")]],
	),
	deeds: [
		[
			/^\/notebook on$/,
			async (at) => expect(await resultsOf(at, "Write it down")).toContain('"tool":"notebook_write","error":false'),
		],
		[/^\/notebook search/, async (_at, { printed }) => expect(printed).toContain("retry three times")],
		[
			/^\/handoff/,
			async ({ project }) => {
				await expect.poll(() => project.exists("parser-test.txt"), { timeout: 20_000 }).toBe(true);
			},
		],
		[/^\/spawn on$/, async (at) => expect(await resultsOf(at, "Ask a child")).toContain("The child says blue.")],
		[/^\/readonly on$/, async (at) => expect(await errorsOf(at, "Write the first")).toEqual([true])],
		[/^\/readonly off$/, async (at) => expect(await errorsOf(at, "Write the second")).toEqual([false])],
	],
	async result({ project }) {
		expect([project.exists("first.txt"), project.exists("second.txt")]).toEqual([false, true]);
	},
};

const step = (summary: string) => call("workflow_step", { action: "next", summary });

const workflows: Use = {
	document: "docs/workflows.md",
	sections: ["Quick start"],
	files: { "total.txt": "wrong\n" },
	script: turns([
		/the total is wrong/,
		[
			write("total.txt", "too early\n"),
			step("It starts at one. total.txt has to change."),
			write("total.txt", "right\n"),
			step("Repaired."),
		],
	]),
	answers: "later",
	deeds: [
		[
			/^\/workflow fix/,
			async (at) => {
				const pi = await at.pi();
				await pi.screen.notified(/DONE/, 40_000);
				await expect.poll(() => pi.toolResults().map(({ error }) => error)).toEqual([true, false, false, false]);
				expect(at.project.read("total.txt")).toBe("right\n");
			},
		],
	],
};

const settings: Use = {
	document: "docs/settings.md",
	files: { ".pi/chronicle/workflows/note.json": { states: { write: { persona: "Writer", next: ["done"] } } } },
	script: ({ results }) => (results.length === 0 ? write("note.txt") : move("done")),
	async result(at) {
		const ran = await at.run("pi-chronicle run --approve note Write a note");
		expect(ran.code, ran.printed).toBe(0);
		expect(at.project.exists("note.txt")).toBe(false);
		const [join = ""] = /pi-chronicle --approve join \w+/.exec(ran.printed) ?? [];
		expect((await at.run(join)).code).toBe(0);
		expect(at.project.read("note.txt")).toBe("note.txt\n");
	},
};

const personas: Use = {
	document: "docs/personas.md",
	files: { ".pi/chronicle/workflows/plan.json": { states: { build: { agent: "builder", next: ["done"] } } } },
	script: ({ system, tools, results }) => {
		const isBuilder = system.includes("You build what was planned") && tools.includes("write");
		return isBuilder && results.length === 0 ? write("built.txt") : move("done");
	},
	async result(at) {
		expect((await at.run("pi-chronicle run --approve plan Build it")).code).toBe(0);
		expect(at.project.read("built.txt")).toBe("built.txt\n");
	},
};

const troubleshooting: Use = {
	document: "docs/troubleshooting.md",
	example: "receipts",
	script: [],
	async result(at) {
		expect((await at.run("pi-chronicle doctor --fix")).code).toBe(0);
		expect(at.project.git("status", "--short")).toBe("");
	},
};

const commands: Use = { document: "docs/commands.md", script: [] };

export const sessionUses: readonly Use[] = [companions, workflows, settings, personas, troubleshooting, commands];
