// Task lists of other tools, in files of the shapes that those tools write.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../pi-chronicle/test/harness/runs.ts";
import { readTaskList } from "../../src/tasks/index.ts";

interface Task {
	readonly id: string;
	readonly title: string;
	readonly details?: string;
	readonly needs: readonly string[];
}

function tasksOf(text: string): readonly Task[] {
	const read = readTaskList(text);
	if ("problem" in read) throw new Error(read.problem);
	return read.items as readonly Task[];
}

/** `id < needs`, one per task. */
const order = (text: string) => tasksOf(text).map(({ id, needs }) => `${id} < ${needs.join(" ")}`.trim());

describe("a tasks.md of Spec Kit", () => {
	const text = [
		"# Tasks: Receipts",
		"",
		"## Format: `[ID] [P?] [Story] Description`",
		"- **[P]**: Can run in parallel (different files, no dependencies)",
		"",
		"## Phase 1: Setup",
		"- [x] T001 Create the project",
		"- [ ] T002 Add the linter",
		"- [ ] T003 [P] Configure CI in .github/workflows/ci.yml",
		"- [ ] T004 [P] Configure hooks",
		"",
		"## Phase 2: User Story 1 (P1) 🎯",
		"### Tests",
		"- [ ] T005 [P] [US1] Contract test in tests/a.test.ts",
		"### Implementation",
		"- [ ] T006 [P] [US1] Model in src/a.ts",
		"  Keep the fields of the form.",
		"- [ ] T007 [P] [US1] Model in src/b.ts",
		"- [ ] T008 [US1] Service (depends on T006, T007)",
		"",
		"## Dependencies & Execution Order",
		"- **Setup (Phase 1)**: No dependencies",
		"```",
		'- [ ] T099 Task: "an example"',
		"```",
	].join("\n");

	it("gives an order: tasks with [P] side by side, the others one after another, phase after phase", () => {
		expect(order(text)).toEqual([
			"T002 <",
			"T003 < T002",
			"T004 < T002",
			"T005 < T003 T004",
			"T006 < T005",
			"T007 < T005",
			"T008 < T006 T007",
		]);
	});

	it("keeps the words of each task, and the lines below it", () => {
		expect(tasksOf(text)[4]).toEqual({
			...{ id: "T006", title: "[US1] Model in src/a.ts", needs: ["T005"] },
			details: "Keep the fields of the form.",
		});
	});

	it("takes ranges, and Windows line ends", () => {
		const lines = ["- [ ] T001 [P] a", "- [ ] T002 [P] b", "- [ ] T003 [P] c", "- [ ] T004 [P] d (after T001-T003)"];
		expect(order(lines.join("\r\n")).at(-1)).toBe("T004 < T001 T002 T003");
	});
});

describe("a list in Markdown", () => {
	it.each<[string, string, string[]]>([
		["bullets need nothing", "- a\n- b", ["#1 <", "#2 <"]],
		[
			"an indented item needs the one above it",
			"- a\n  - b\n    - c\n  - d\n- e",
			["#1 <", "#2 < #1", "#3 < #2", "#4 < #1", "#5 <"],
		],
		["tabs indent", "* a\n\t* b", ["#1 <", "#2 < #1"]],
		["numbers follow each other", "1. a\n2. b\n3. c", ["1 <", "2 < 1", "3 < 2"]],
		["a new list begins anew", "# A\n1. a\n# B\n5. b", ["1 <", "5 <"]],
		["check boxes alone are tasks", "- [ ] a\n  - detail\n- [ ] b", ["#1 <", "#2 <"]],
		["what is done is left out", "- [x] a\n  - [ ] b", ["#2 <"]],
		[
			"a task that is done leaves the order as it is",
			"- [ ] T001 a\n- [x] T002 b\n- [ ] T003 c",
			["T001 <", "T003 < T001"],
		],
		[
			"tasks side by side after one that is done",
			"- [ ] T001 a\n- [x] T002 b\n- [X] T003 c\n- [ ] T004 [P] d\n- [ ] T005 [P] e",
			["T001 <", "T004 < T001", "T005 < T001"],
		],
		[
			"an item below one that is done",
			"- [ ] a\n  - [x] b\n    - [ ] c\n- [x] d\n  - [ ] e",
			["#1 <", "#3 < #1", "#5 <"],
		],
		[
			"any other mark in a box",
			"- [/] a\n- [!] b\n- [>] c\n- [-] d\n- [~] e\n- [✓] f\n- [?](link)",
			["#1 <", "#2 <", "#3 <"],
		],
		["a task that needs itself, which the check of lists refuses", "- [ ] T001 a (depends on T001)", ["T001 < T001"]],
		["numbered check boxes", "- [ ] 1. a\n  - [ ] 1.1 b\n- [ ] 2. c (depends on 1.1)", ["1 <", "1.1 < 1", "2 < 1 1.1"]],
		[
			"a numbered item follows all below the one before it",
			"- [x] 1. a\n- [ ] 2. b\n  - [ ] 2.1 c\n  - [ ] 2.2 d\n- [ ] 3. e",
			["2 <", "2.1 < 2", "2.2 < 2 2.1", "3 < 2 2.1 2.2"],
		],
		[
			"numbers that occur twice are no ids",
			"1. a\n   1. b\n2. c\n# B\n1. d\n2. e\n3. f",
			["#1 <", "#2 < #1", "#3 < #1 #2", "#4 <", "#5 < #4", "3 < #5"],
		],
		["optional tasks of Kiro", "- [ ] 1. a\n- [ ]* 1.1 b", ["1 <", "1.1 < 1"]],
		["words before numbers", "- [ ] Task 1: a\n- [ ] **Task 2:** b (needs Task 1)", ["1 <", "2 < 1"]],
		["keys of issues", "- [ ] APP-1 a\n- [ ] APP-2 b [depends on APP-1]", ["APP-1 <", "APP-2 < APP-1"]],
		[
			"what lines below a task or its words say",
			"- [ ] T001 [P] a\n- [ ] t002 [p] b\n  - **Depends on:** T001\n- [ ] T003 [P] c, depends on T001 to T002\n- [ ] T004 [P] d\n  Depends on: Node 24",
			["T001 <", "T002 < T001", "T003 < T001 T002", "T004 <"],
		],
	])("%s", (_, text, expected) => {
		expect(order(text)).toEqual(expected);
	});

	it.each([
		["- [ ] **T001**: Do a", "Do a"],
		["- [ ] T001 [P] - Do a", "Do a"],
		["- [ ] APP-1: Do a", "APP-1: Do a"],
		["- [ ] UTF-8 in names", "UTF-8 in names"],
		["- [ ]* Do a", "Do a"],
		["- [ ] *a* is kept", "*a* is kept"],
	])("keeps the words of %s", (line, title) => {
		expect(tasksOf(line)[0]?.title).toBe(title);
	});

	it("without items is a problem", () => {
		expect(readTaskList("# Nothing\n\nText.")).toEqual({ problem: "has no list of tasks" });
	});

	it("never needs a task that is not left, whatever is in it", () => {
		const line = fc.tuple(
			fc.nat(3),
			fc.constantFrom("- ", "* ", "1. ", "- [ ] ", "- [x] ", "## "),
			fc.constantFrom("a", "T001 [P] b", "T002 c", "2.1 d"),
		);
		fc.assert(
			fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
				const read = readTaskList(lines.map(([deep, sign, words]) => `${"  ".repeat(deep)}${sign}${words}`).join("\n"));
				const tasks = "items" in read ? (read.items as readonly Task[]) : [];
				const ids = new Set(tasks.map(({ id }) => id));
				for (const { id, needs } of tasks) for (const one of needs) expect(ids.has(one) && one !== id).toBe(true);
			}),
			{ numRuns: runs() },
		);
	});
});

describe("a tasks.json of Taskmaster", () => {
	const task = (id: number, dependencies: readonly unknown[] = [], more: object = {}) => ({
		...{ id, title: `t${id}`, description: `d${id}`, status: "pending", priority: "high", dependencies },
		...more,
	});
	const sub = (id: number, dependencies: readonly unknown[] = [], status = "pending") => ({
		id,
		title: `s${id}`,
		status,
		dependencies,
	});

	it.each<[string, object, string[]]>([
		["at the top", { tasks: [task(1), task(2, [1])] }, ["1 <", "2 < 1"]],
		["below the tag master", { other: { tasks: [] }, master: { tasks: [task(1), task(2, ["1"])] } }, ["1 <", "2 < 1"]],
		["below another tag", { v2: { tasks: [task(3)], metadata: {} } }, ["3 <"]],
		[
			"that are done or cancelled",
			{ tasks: [task(1, [], { status: "done" }), task(2, [1]), task(3, [2], { status: "cancelled" })] },
			["2 <"],
		],
		[
			"with subtasks",
			{
				tasks: [
					task(1),
					task(2, [1], { subtasks: [sub(1), sub(2, [1]), sub(3, ["2.2"])] }),
					task(3, [2]),
					task(4, ["2.1"]),
				],
			},
			["1 <", "2.1 < 1", "2.2 < 1 2.1", "2.3 < 1 2.2", "3 < 2.1 2.2 2.3", "4 < 2.1"],
		],
		[
			"with subtasks that are done",
			{ tasks: [task(1, [], { subtasks: [sub(1, [], "done"), sub(2, [1])] })] },
			["1.2 <"],
		],
		["that name an unknown task", { tasks: [task(1, [9])] }, ["1 < 9"]],
	])("%s", (_, data, expected) => {
		expect(order(JSON.stringify(data))).toEqual(expected);
	});

	it("keeps title, description, details and test strategy", () => {
		const text = JSON.stringify({ tasks: [task(1, [], { details: "how", testStrategy: "proof" })] });
		expect(tasksOf(text)).toEqual([{ id: "1", title: "t1", details: "d1\nhow\nproof", needs: [] }]);
	});

	it.each<[string, string, RegExp]>([
		["two tags", JSON.stringify({ a: { tasks: [] }, b: { tasks: [] } }), /no tag "master", but "a", "b"/],
		["no tasks", "{}", /no list of tasks/],
		["broken JSON", '{ "tasks": [', /not valid JSON/],
	])("with %s is a problem", (_, text, expected) => {
		expect(readTaskList(text)).toEqual({ problem: expect.stringMatching(expected) });
	});
});

it("a list of JSON is taken as it is", () => {
	expect(readTaskList('[{ "id": "a" }, "b"]')).toEqual({ items: [{ id: "a" }, "b"] });
});
