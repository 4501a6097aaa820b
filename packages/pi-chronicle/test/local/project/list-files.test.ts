// Task lists in files, as they are checked before a run starts.
import { openSource } from "@pi-chronicle/core/definition";
import { readTemplate } from "@pi-chronicle/core/template";
import { describe, expect, it } from "vitest";
import { listFileProblems } from "../../../src/local/project/list-files.ts";
import { openFolder } from "../../harness/index.ts";

const done = { next: ["done"] };
const tasks = { run: { states: { work: { persona: "B", ...done }, done: {} } }, for_each: { file: "specs/tasks.md" } };
const first = { tasks: { ...tasks, ...done }, done: {} };
const afterCommand = { check: { command: "true", next: ["tasks", "done"] }, ...first };
const afterWorker = { plan: { persona: "P", next: ["tasks"] }, ...first };

async function problems(states: object, files: Record<string, string>) {
	const { read, diagnostics } = readTemplate(openSource("/t.json", JSON.stringify({ states })), "t");
	if (!read) throw new Error(JSON.stringify(diagnostics));
	const found = await listFileProblems(read.template, openFolder(files));
	return found.map(({ state, severity, message }) => `${state} ${severity}: ${message}`);
}

describe("a list in a file, before the run", () => {
	it.each<[string, object, Record<string, string>, string[]]>([
		["a good one", first, { "specs/tasks.md": "- a\n" }, []],
		["a missing one", first, {}, ['tasks error: The list "specs/tasks.md" does not exist.']],
		[
			"a misspelled one",
			first,
			{ "specs/task.md": "- a\n" },
			['tasks error: The list "specs/tasks.md" does not exist. Did you mean `task.md`?'],
		],
		["one that a command may still write", afterCommand, {}, []],
		["one that a worker may still write", afterWorker, {}, []],
		[
			"one that a worker may have meant to write elsewhere",
			afterWorker,
			{ "specs/Tasks.md": "- a\n" },
			['tasks warning: The list "specs/tasks.md" does not exist. Did you mean `Tasks.md`?'],
		],
		[
			"one without tasks",
			first,
			{ "specs/tasks.md": "Text." },
			['tasks error: The list "specs/tasks.md" has no list of tasks.'],
		],
		[
			"a circle of three",
			first,
			{ "specs/tasks.md": "- [ ] T1 [P] a (needs T3)\n- [ ] T2 [P] b (needs T1)\n- [ ] T3 [P] c (needs T2)\n" },
			['tasks error: In "specs/tasks.md", `T1` needs `T3`, `T3` needs `T2`, `T2` needs `T1`: none of them can begin.'],
		],
		[
			"an entry without a field that the task names",
			{ ...first, tasks: { ...first.tasks, task: "{item.what} of {output.a.b}" } },
			{ "specs/tasks.md": '[{ "what": "a" }, { "id": "b" }]' },
			['tasks error: Entry 2 of "specs/tasks.md" has no text for `{item.what}` in the task: there is none.'],
		],
		[
			"101 entries",
			afterWorker,
			{ "specs/tasks.md": "- a\n".repeat(101) },
			["tasks warning: `for_each` has 101 entries, and a state can have at most 100 children."],
		],
	])("%s", async (_, states, files, expected) => {
		expect(await problems(states, files)).toEqual(expected);
	});
});
