// The children that a state plans: how many, with which names and tasks, and whether they need folders of their own.
import { describe, expect, it } from "vitest";
import { foldEvent, isRefusal, type LedgerEvent } from "../../../src/machine/index.ts";
import { hashDefinition } from "../../../src/template/index.ts";
import { branches, parentTemplate, plan, total } from "../child-steps.ts";
import { definition, go, type OpenOptions, open, since, start, type TestRun } from "../test-run.ts";

const worker = { persona: "Builder", next: ["done"] };
const ship = definition({ work: worker });
const children = { ship };

/** A run whose first worker has saved this, in one call or several, and whose second state `b` is done by children. */
function planAfter(data: object, fields: object, more: OpenOptions = {}): TestRun {
	const template = definition({
		a: { persona: "A", next: ["b"] },
		b: { run: "ship", next: ["c"], ...fields },
		c: { persona: "C", next: ["done"] },
	});
	const testRun = start(open(template, { children, task: "the whole", ...more }));
	for (const saved of [data].flat())
		testRun.say({ kind: "snapshot_updated", visit: 1, attempt: 1, by: "worker", data: saved });
	return go(testRun, "b");
}

const lacksFiles = "The children need folders of their own, but the files cannot be kept: no git";
const list = (text: string) => ({ findings: [{ key: "parts", text }] });
const planned = ({ run }: TestRun) => run.children?.children ?? [];
const tasks = (testRun: TestRun) => planned(testRun).map(({ task }) => task);
const names = (testRun: TestRun) => planned(testRun).map(({ name }) => name);

describe("children of a list", () => {
	it.each<[string, string, readonly string[]]>([
		["JSON texts and numbers", '["x", 2, " y "]', ["x", "2", " y "]],
		["an empty JSON list", "[]", []],
		["lines", "x\n\n  y  \n", ["x", "y"]],
		["bullets and numbers", "- x\n* y\n1. z\n22) w\n-v", ["x", "y", "z", "w", "-v"]],
		["one line", "x", ["x"]],
		[
			"JSON objects: their text, or their id if they have none, and their other fields",
			'[{"id":"a","needs":[]},{"id":"b","needs":["a"],"files":["x"]},{"id":3,"title":"C","size":2},{"a":1}]',
			["a", 'b\nfiles: ["x"]', "C\nsize: 2", "a: 1"],
		],
	])("are one per entry of %s", (_kind, text, expected) => {
		const testRun = planAfter(list(text), { for_each: "parts" });
		if (expected.length > 0) expect(tasks(testRun)).toEqual(expected);
		else expect(testRun.run).toMatchObject({ state: "c", children: null });
	});

	it.each<[string, object, object, RegExp]>([
		["is not saved", {}, { for_each: "parts" }, /names "parts", but no worker has saved a list/],
		["is broken JSON", list("[1,"), { for_each: "parts" }, /"parts" is not valid JSON/],
		[
			"has an entry that is no text",
			list('["x", ["y"]]'),
			{ for_each: "parts" },
			/Entry 2 of "parts" has no text for `\{item\}` in the task: it is \["y"\]/,
		],
		[
			"has null as the first entry",
			list("[null]"),
			{ for_each: "parts" },
			/Entry 1 of "parts" has no text .* it is null/,
		],
		["has an empty entry", list("[{}]"), { for_each: "parts" }, /Entry 1 of "parts" has no text .* it is \{\}/],
		[
			"has more than a hundred entries",
			list(JSON.stringify(Array.from({ length: 101 }, (_, n) => n))),
			{ for_each: "parts" },
			/has 101 entries, and a state can have at most 100/,
		],
		["was cut", list(`["${"x".repeat(20_000)}"]`), { for_each: "parts" }, /"parts" is too long to be saved completely/],
	])("wait for the user where the list %s", (_kind, data, fields, expected) => {
		const { run } = planAfter(data, fields);
		expect(run).toMatchObject({ status: "paused", state: "b", children: null, hold: { cause: "children" } });
		expect(run.hold?.detail).toMatch(expected);
	});

	it("are at most a hundred", () => {
		const items = Array.from({ length: 100 }, (_, n) => `item ${n}`);
		expect(tasks(planAfter(list(JSON.stringify(items)), { for_each: "parts" }))).toEqual(items);
	});

	it("have the fields of a finding or a task, and all of it as `{item}`; a list may be a field", () => {
		const entry = { text: "Race", fields: { file: "a.ts", lines: [3, 5] } };
		const fields = { for_each: "findings", task: "Fix {item.file}:{item.lines.0}, {item.title}. {item}" };
		expect(tasks(planAfter({ findings: [entry] }, fields))).toEqual([
			"Fix a.ts:3, Race. Race\nfile: a.ts\nlines: [3,5]",
		]);
		const saved = { findings: [{ key: "parts", text: "", fields: { items: ["x", "y"] } }] };
		expect(tasks(planAfter(saved, { for_each: "parts" }))).toEqual(["x", "y"]);
	});

	it.each(["pendingTasks", "findings"] as const)(
		"are one per entry of %s, and none where entries were dropped",
		(source) => {
			const entries = [{ key: "k", text: "x" }, { text: "y" }];
			const testRun = planAfter({ [source]: entries }, { for_each: source });
			const saved = testRun.run.snapshot[source];
			expect(planned(testRun).map(({ task, entry, name }) => [task, entry, name])).toEqual([
				["x", saved[0]?.id, "b 1: k"],
				["y", saved[1]?.id, "b 2: y"],
			]);
			const many = Array.from({ length: 100 }, (_, n) => ({ text: `${n} ${"x".repeat(400)}` }));
			expect(planAfter({ [source]: many }, { for_each: source }).run.hold?.detail).toMatch(
				/^\d+ \w+ were dropped because of their length/,
			);
			const ids = many.map((_, n) => `${source === "findings" ? "f" : "t"}${n + 1}`);
			const over = [{ [source]: many }, { resolve: ids, resolved: ids }, { [source]: [{ text: "z" }] }];
			expect(tasks(planAfter(over, { for_each: source }))).toEqual(["z"]);
		},
	);

	it("complete their pending task, but only once they are done", () => {
		const testRun = planAfter({ pendingTasks: [{ text: "x" }, { text: "y" }] }, { for_each: "pendingTasks" });
		const end = (number: number, status: "done" | "failed") => {
			const child = planned(testRun)[number - 1];
			testRun.say({
				...{ kind: "child_ended", visit: 2, child: child?.id ?? "", status, detail: "", tree: "t", total: total(0) },
				handover: { summary: "s", data: {} },
			});
		};
		end(1, "failed");
		expect(testRun.run.snapshot.pendingTasks.map(({ text }) => text)).toEqual(["x", "y"]);
		end(2, "done");
		expect(testRun.run.snapshot.pendingTasks.map(({ text }) => text)).toEqual(["x"]);
	});

	it("leave the state at once if there is nothing to do", () => {
		const testRun = planAfter({}, { for_each: "pendingTasks" });
		expect(testRun.run).toMatchObject({
			state: "c",
			childCount: 0,
			stage: { kind: "stopping", after: { kind: "enter" } },
		});
		expect(testRun.run.notices).toEqual(['There was nothing to do for the children of "b".']);
		expect(testRun.run.history.at(-1)).toMatchObject({ cause: "children", summary: "There was nothing to do." });
	});
});

describe("the task of a child", () => {
	it.each<[string, object, readonly string[]]>([
		["is the item of a list", { for_each: "parts" }, ["x", "y"]],
		[
			"may name the item, its number and the run's task",
			{ for_each: "parts", task: "{index}/{item}/{task}" },
			["1/x/the whole", "2/y/the whole"],
		],
		["may name the item as `as` says", { for_each: "parts", as: "part", task: "{part} {item}" }, ["x x", "y y"]],
		[
			"keeps what it does not know",
			{ for_each: "parts", task: "{other} {} { item } {toString}" },
			Array(2).fill("{other} {} { item } {toString}"),
		],
		["without a list is the run's", {}, ["the whole"]],
		["without a list has no item", { task: "{item} of {task} {index}" }, ["{item} of the whole 1"]],
	])("%s", (_kind, fields, expected) => {
		expect(tasks(planAfter(list('["x","y"]'), fields))).toEqual(expected);
	});

	it("is whole, and a problem if it is too long beside the run's", () => {
		const part = (task: string, length: number) =>
			plan(parentTemplate({ branches: { x: { run: "ship", task } } }), { children, task: "y".repeat(length) });
		expect(tasks(part("Part of: {task} TAIL", 9000))).toEqual([`Part of: ${"y".repeat(9000)} TAIL`]);
		expect(tasks(part("{task}", 70_000))).toEqual(["y".repeat(70_000)]);
		expect(part("Part of: {task} TAIL", 70_000).run.hold?.detail).toMatch(/^The task of a child has 70014 characters/);
	});
});

describe("the name of a child", () => {
	it("is its branch's name, or the state's with a number and the start of the item", () => {
		expect(names(plan())).toEqual(["one", "two", "three"]);
		const items = ["a  b\tc", "x".repeat(40), "x".repeat(41), " "];
		expect(names(planAfter(list(JSON.stringify(items)), { for_each: "parts" }))).toEqual([
			"b 1: a b c",
			`b 2: ${"x".repeat(40)}`,
			`b 3: ${"x".repeat(39)}…`,
			"b 4",
		]);
	});

	it("and its id are unique and deterministic", () => {
		const ids = (testRun: TestRun) => planned(testRun).map(({ id }) => id);
		const first = ids(plan());
		expect(new Set([...first, ...ids(planAfter({}, {}))]).size).toBe(4);
		expect(ids(plan())).toEqual(first);
		for (const id of first) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
	});
});

describe("the template of a child", () => {
	it("is the pinned one with its hash, or the inline one", () => {
		const testRun = planAfter({}, {});
		expect(planned(testRun)).toMatchObject([{ template: "ship", hash: hashDefinition(ship), branch: 0, index: 1 }]);
		const inline = plan();
		expect(planned(inline).map(({ template, branch, index }) => [template, branch, index])).toEqual([
			["one", 0, 1],
			["two", 1, 2],
			["three", 2, 3],
		]);
	});

	it("must be pinned in the run", () => {
		const { run } = planAfter({}, { run: "other" });
		expect(run.hold?.detail).toBe('The template of "b" is not part of this run.');
	});
});

describe("folders of their own", () => {
	const inPlace = (state: object) => ({ run: { states: { work: { persona: "P", next: ["done"], ...state } } } });

	it.each<[string, object, OpenOptions, "own" | "shared"]>([
		["workers that may use any tool", inPlace({}), {}, "own"],
		["a tool that writes", inPlace({ tools: ["read", "edit"] }), {}, "own"],
		["bash", inPlace({ tools: ["bash"] }), {}, "own"],
		["tools that only read", inPlace({ tools: ["read", "grep", "find", "ls"] }), {}, "shared"],
		["tools that only read, with cleanup", inPlace({ tools: ["read"], cleanup: ["x"] }), {}, "own"],
		["tools that only read, with an extension", inPlace({ tools: ["read"], extensions: ["x"] }), {}, "own"],
		["a persona that only reads", inPlace({}), { readOnlyAgents: ["P"] }, "shared"],
		["another persona", inPlace({}), { readOnlyAgents: ["Q"] }, "own"],
		["a state without a worker", { run: { states: { work: { next: [] } } } }, {}, "shared"],
		["children that write", inPlace({ persona: undefined, branches: branches("x") }), {}, "own"],
		["a pinned template that writes", { run: "ship" }, {}, "own"],
		["a pinned template that reads", { run: "look" }, {}, "shared"],
		["`files: own`", { ...inPlace({ tools: ["read"] }), files: "own" }, {}, "own"],
		["`files: shared`", { ...inPlace({}), files: "shared" }, {}, "shared"],
	])("with %s", (_kind, fields, more, expected) => {
		const look = definition({ work: { ...worker, tools: ["read"] } });
		const { run } = plan(parentTemplate(fields), { children: { ship, look }, ...more });
		expect(run.hold).toBeNull();
		expect(run.children).toMatchObject({ files: expected, base: run.baseline?.tree });
	});

	it("need snapshots; shared files do not", () => {
		const unmeasured = (fields: object) =>
			open(parentTemplate(fields)).say({ kind: "files_unmeasured", visit: 1, purpose: "baseline", detail: "no git" });
		expect(unmeasured({}).run.hold).toMatchObject({ cause: "children", detail: lacksFiles });
		expect(unmeasured({ files: "shared" }).run.children).toMatchObject({ files: "shared", base: null });
	});

	it("are planned after a resume that could take the snapshot", () => {
		const measured = { visit: 1, purpose: "baseline" } as const;
		const lacking = open(parentTemplate({})).say({ kind: "files_unmeasured", ...measured, detail: "no git" });
		const parked = lacking.run;
		const resumed = () => lacking.say({ kind: "resumed", answers: since(lacking) });
		expect(resumed().due("measure_files")).toMatchObject(measured);
		expect(lacking.say({ kind: "files_unmeasured", ...measured, detail: "no git" }).run.hold).toEqual(parked.hold);
		resumed().say({ kind: "files_measured", ...measured, tree: "t2" });
		expect(lacking.run.children).toMatchObject({ files: "own", base: "t2" });
	});

	it("are read from a ledger of a version that parked again without a new snapshot", () => {
		const testRun = open(parentTemplate({})).say({
			kind: "files_unmeasured",
			visit: 1,
			purpose: "baseline",
			detail: "no git",
		});
		const parked = testRun.events.at(-1);
		const { run } = testRun.say({ kind: "resumed", answers: since(testRun) });
		const again = foldEvent(run, { ...parked, seq: run.seq + 1 } as LedgerEvent);
		expect(isRefusal(again) ? again : again.hold).toEqual({ status: "paused", cause: "children", detail: lacksFiles });
	});
});
