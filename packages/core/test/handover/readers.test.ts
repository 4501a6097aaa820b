// Every promise about what a later reader knows, for every kind of reader: a table of readers and facts.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../pi-chronicle/test/harness/runs.ts";
import { briefOf, continuedText, entriesToShorten, firstMessageText, fullHandover } from "../../src/handover/index.ts";
import { inheritedBy, type LaunchReason, type LedgerEvent, type Run } from "../../src/machine/index.ts";
import { entryForModel } from "../../src/snapshot/index.ts";
import {
	ask,
	crash,
	definition,
	go,
	here,
	newTree,
	open,
	reopen,
	rest,
	resume,
	since,
	start,
	type TestRun,
} from "../machine/test-run.ts";

const states = {
	plan: { persona: "P", next: ["build"], requires_approval: "exit", output: { type: "object" } },
	build: {
		branches: {
			one: { persona: "B", next: ["done"], instructions: "Listen on {output.plan.port}." },
			two: { task: "only two", run: "nested" },
		},
		files: "own",
		on_conflict: "worker",
		merge_by: "M",
		next: ["check"],
	},
	check: { persona: "C", next: ["ship", "plan"] },
	ship: { persona: "S", next: ["done"] },
};
const nested = {
	name: "nested",
	states: {
		inner: {
			branches: { deep: { persona: "D", next: ["done"], instructions: "Use {output.plan.port}." } },
			next: ["done"],
		},
	},
};
const summary = "planned it\n\n* in two lines";
const words = "no new dependency,\n\tplease";

const place = (run: Run) => ({
	...{ cwd: "/p", file: "/p/.pi/handover.md", log: "/p/log", folders: new Map() },
	abilities: new Map(
		[...run.plan.states.values()].map((state) => [state, { edits: true, runs: true, other: false }] as const),
	),
});
const message = (run: Run, because: LaunchReason | "compacted" = "entered") =>
	firstMessageText(briefOf(run, because, place(run)));

/** A run whose plan is saved and approved, and whose children are planned. */
function planned(): TestRun {
	const testRun = start(
		open(definition(states, { limits: { moves: 99, pair_moves: 99 } }), {
			task: "make it listen",
			children: { nested },
		}),
	);
	const entry = { key: "port", text: "taken", fields: { file: "src/listen.ts", line: 7 } };
	testRun.say({
		kind: "snapshot_updated",
		...here(testRun),
		by: "worker",
		data: { findings: [entry], pendingTasks: [{ text: "first task\nwhole" }, { text: "second task" }] },
	});
	testRun.say({ kind: "move_requested", ...here(testRun), target: "build", summary, data: { port: 8081 } });
	rest(testRun);
	const { stage } = testRun.run;
	if (stage.kind !== "asking") throw new Error(stage.kind);
	testRun.say({ kind: "approved", answers: since(testRun), diff: stage.question.diff, words });
	testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose: "baseline", tree: newTree() });
	return testRun;
}

/** The run of a child, as its first event begins it. */
function childRun(parent: Run, number: number): TestRun {
	const child = parent.children?.children[number - 1];
	if (!child) throw new Error("no such child");
	const branch = child.merges === undefined ? Object.values(states.build.branches)[number - 1] : undefined;
	const isNested = parent.template.name === "t" && child.template === "nested";
	const own =
		parent.template.name === "nested"
			? nested.states.inner.branches.deep
			: (branch ?? { persona: "M", next: ["done"] });
	const template = isNested ? nested : { name: child.name, states: { [child.name]: own } };
	const created = {
		...{ kind: "created", schemaVersion: 1, id: child.id, task: child.task, seq: 1, at: parent.updatedAt },
		template: { name: template.name, hash: "", definition: template },
		parent: {
			run: parent.id,
			root: parent.id,
			visit: parent.visit,
			index: child.index,
			name: child.name,
			level: 1,
			files: "own",
		},
		inherited: inheritedBy(parent, child),
	};
	return resume([JSON.parse(JSON.stringify(created)) as LedgerEvent]);
}

it("tells every reader, children too, what the user had not committed before the run", () => {
	const told = "Uncommitted before the run (the user's): src/cli.js, src/filter.js (new) and 3 more";
	const begun = open(definition(states, { limits: { moves: 99, pair_moves: 99 } }), { children: { nested } });
	const uncommitted = { paths: ["src/cli.js", "src/filter.js"], count: 5, added: ["src/filter.js"] };
	begun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: newTree(), start: true, uncommitted });
	expect(message(begun.run)).toContain(told);
	// On an engine, the one who submits the run knows them.
	const [created] = open(definition(states)).events;
	expect(message(resume([{ ...created, uncommitted } as LedgerEvent]).run)).toContain(told);
	const parent = { ...planned().run, uncommitted };
	const child = childRun(parent, 1).run;
	expect(message(child)).toContain(told);
	const [grandchild] = parent.children?.children ?? [];
	expect(grandchild && inheritedBy(child, grandchild).uncommitted).toEqual(uncommitted);
});

function endChild(testRun: TestRun, index: number, data = {}): void {
	const child = testRun.run.children?.children[index - 1];
	testRun.say({
		...{
			kind: "child_ended",
			visit: testRun.run.visit,
			child: child?.id ?? "",
			status: "done",
			detail: "",
			tree: newTree(),
		},
		total: {
			spend: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, tokens: 0, costUsd: 0 },
			activeMs: 0,
			attempts: 1,
			toolCalls: 0,
		},
		handover: { summary: `${child?.name} did it:\n${"z".repeat(3000)} end of ${child?.name}`, data },
	} as never);
}

function joined(conflicts: readonly object[] = []): TestRun {
	const testRun = planned();
	endChild(testRun, 1, { findings: [{ text: "found", fields: { file: "x.ts" }, from: "one" }] });
	endChild(testRun, 2);
	testRun.say({ kind: "joined", visit: testRun.run.visit, before: newTree(), tree: newTree(), conflicts } as never);
	return testRun;
}

/** Moved to `check`. */
function checking(): TestRun {
	const testRun = joined();
	testRun.say({ kind: "join_applied", visit: testRun.run.visit, tree: newTree() });
	return start(rest(testRun));
}

const conflict = { path: "same.txt", kind: "content", ours: "your files and one", theirs: "two" };
const called = (testRun: TestRun): TestRun => {
	testRun.say({ kind: "tool_started", ...here(testRun), call: "c", tool: "edit", args: "a.ts" });
	return testRun.say({ kind: "tool_ended", ...here(testRun), call: "c", tool: "edit", ms: 1, bytes: 1, hash: "h" });
};

function crashed(): TestRun {
	return rest(crash(called(checking())));
}

function rewound(): TestRun {
	const testRun = checking();
	testRun.say({ kind: "told", text: "undone words" });
	testRun.say({ kind: "pause_requested", cause: "person", detail: "" });
	rest(testRun);
	const tree = newTree();
	const { snapshot } = testRun.run;
	testRun.say({ kind: "rewind_requested", to: 3, state: "check", tree, snapshot, pairMoves: {} });
	testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose: "before", tree: newTree() });
	return testRun.say({ kind: "files_restored", tree, before: newTree() });
}

/** The rewind of `rewound`, undone. */
function undone(): TestRun {
	const testRun = called(checking());
	testRun.say({ kind: "pause_requested", cause: "person", detail: "" });
	rest(testRun);
	const tree = newTree();
	const { snapshot } = testRun.run;
	const back = (to: number, more = {}) => {
		testRun.say({ kind: "rewind_requested", to, state: "check", tree, snapshot, pairMoves: {}, ...more });
		testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose: "before", tree: newTree() });
		testRun.say({ kind: "files_restored", tree, before: newTree() });
	};
	back(3);
	back(3, { kept: testRun.run.kept.at(-1)?.seq });
	return testRun;
}

/** The worker of `check` asked for a fresh one. */
function repeated(): TestRun {
	return rest(ask(checking(), "check", "half checked"));
}

const readers: Readonly<Record<string, () => string>> = {
	"the next state": () => message(checking().run),
	"a later state": () => message(start(go(checking(), "ship", "checked")).run),
	"a child": () => message(childRun(planned().run, 1).run),
	"a grandchild": () => {
		const child = childRun(planned().run, 2);
		child.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: newTree() });
		return message(childRun(child.run, 1).run);
	},
	"the merge worker": () => message(childRun(joined([conflict]).run, 3).run),
	"a replacement after a crash": () => message(crashed().run, "session_lost"),
	"a worker after a rewind": () => message(rewound().run),
	"a worker after a compaction": () => message(called(checking()).run, "compacted"),
	"a worker after a rewind that was undone": () => message(undone().run),
	"a fresh worker of the same state": () => message(repeated().run, "repeated"),
	"a worker on another host": () => {
		const testRun = called(checking());
		testRun.say({ kind: "opened", host: "other", pid: 3, started: "t", setBack: true });
		return message(rest(testRun).run, "session_lost");
	},
	"a run that was read from its ledger": () => message(resume(checking().events).run),
};

describe("a worker is told what it may change", () => {
	it.each([
		[{ edits: true, runs: true }, "judged", "You may read, edit and run commands in /p and in temporary folders."],
		[{ edits: true, runs: false }, "judged", "You may read and edit files in /p."],
		[
			{ edits: false, runs: true },
			"judged",
			"You may read files and run commands in /p, but not change the project. Temporary folders are free.",
		],
		[
			{ edits: false, runs: true },
			"strict",
			"You may read files and run commands in /p, but not change the project. Temporary folders are free.",
		],
		[{ edits: false, runs: true }, "free", "You may read files and run commands in /p."],
		[
			{ edits: false, runs: false },
			"judged",
			"You may read files in /p; you can neither run commands nor change anything.",
		],
	])("with the abilities %j and a shell that is %s", (may, shell, told) => {
		const { run } = start(open(definition({ look: { persona: "L", shell, next: ["done"] } })));
		const abilities = new Map([...run.plan.states.values()].map((state) => [state, { ...may, other: false }] as const));
		const text = firstMessageText(briefOf(run, "entered", { ...place(run), abilities }));
		expect(text.split("\n")).toContain(told);
	});
});

describe.each(Object.entries(readers))("%s knows", (name, read) => {
	const text = read();

	it("the run's task as the user wrote it, and that the rest is not the user's", () => {
		expect(text.startsWith("[From pi-chronicle, not from the user]\n")).toBe(true);
		expect(text).toMatch(/as the user wrote it:?\n\nmake it listen\n/);
	});
	it("what the user decided, verbatim, and what it is about", () => {
		expect(text).toContain(`approved the move from "plan" to "build" (visit 1, plan):\n<user>${words}</user>`);
	});
	it("a finding with all its fields", () => {
		expect(text).toContain("[f1] (from plan) port: taken\n  file: src/listen.ts\n  line: 7");
	});
	it("the tasks whole and in the order in which they were saved", () => {
		expect(text).toMatch(/\[t2\] \(from plan\) first task\n {2}whole\n- \[t3\] \(from plan\) second task/);
	});
	it("the data", () => expect(text).toContain('{"port":8081}'));
	it("the summary of the plan, whole where it is the last of its run", () => {
		expect(text).toContain(["a child", "a grandchild", "the merge worker"].includes(name) ? summary : "planned it");
	});
	it("each target with a meaning, and no other", () => {
		const targets = [...text.slice(text.indexOf("## How to end")).matchAll(/^- `(.*)`: (.*)$/gm)];
		expect(targets.length).toBeGreaterThan(1);
		for (const [, , meaning] of targets) expect(meaning).toBeTruthy();
		expect(text).toContain("workflow_transition");
	});
});

describe("only some readers know", () => {
	it.each([
		...["the next state", "a worker after a compaction", "a replacement after a crash"],
		...["a worker after a rewind that was undone", "a fresh worker of the same state"],
	])("the results of the children, whole: %s", (name) => {
		const text = readers[name]?.() ?? "";
		for (const child of ["one", "two"]) expect(text).toContain(`${child} did it:\n${"z".repeat(3000)} end of ${child}`);
		expect(text).toContain("(from one) found\n  file: x.ts");
	});
	it("what is resolved, apart from what is open: the next state", () => {
		const testRun = checking();
		testRun.say({
			...{ kind: "snapshot_updated", ...here(testRun), by: "worker" as const },
			data: { resolve: ["t2"], resolved: ["t2"] },
		} as never);
		const text = message(start(go(testRun, "ship")).run);
		expect(text).toMatch(/### Pending tasks, in order\n- \[t3\] \(from plan\) second task\n/);
		expect(text).toContain("### Done or wrong by now\n- [t2] (from plan) first task");
	});
	it("whose end a target is", () => {
		expect(readers["a child"]?.()).toContain("- `done`: the end of your part");
		const { run } = start(go(checking(), "ship", "checked"));
		expect(message(run)).toContain("- `done`: the end of the run");
	});
	it("their siblings, their reader, and nothing that a sibling found", () => {
		const text = readers["a child"]?.() ?? "";
		expect(text).toContain('the child "one" of the run "t"');
		expect(text).toContain('"two"');
		expect(text).toContain('go to "check" of that run');
		const testRun = planned();
		endChild(testRun, 1, { findings: [{ text: "found by one", from: "one" }] });
		expect(message(childRun(testRun.run, 2).run)).not.toContain("found by one");
	});
	it.each([
		["a worker that continues", { persona: "R", next: ["done"] }, true],
		["a worker that ends the run", { persona: "R", next: [] }, true],
		["children", { branches: { x: { persona: "X", next: ["done"] } }, next: ["done"] }, true],
		["nobody", { next: [] }, false],
	])("their reader: %s", (_, report, isRead) => {
		const parent = open(definition({ build: { branches: states.build.branches, next: ["report"] }, report }), {
			children: { nested },
		});
		parent.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: newTree() });
		expect(message(childRun(parent.run, 1).run).includes('go to "report" of that run')).toBe(isRead);
	});
	it("the parent's data in the instructions of a child and of a grandchild", () => {
		expect(readers["a child"]?.()).toContain("Listen on 8081.");
		expect(readers["a grandchild"]?.()).toContain("Use 8081.");
	});
	it("the conflicts, the markers and both sides, if they merge", () => {
		const text = readers["the merge worker"]?.() ?? "";
		expect(text).toContain("Your task, from pi-chronicle");
		expect(text).toContain("- same.txt (content): your files and one against two");
		for (const part of ["<<<<<<<", "|||||||", "=======", ">>>>>>>", "Its task: only two", "end of one", "end of two"])
			expect(text).toContain(part);
	});
	it("that the files are as an earlier worker left them, or set back, as is true", () => {
		const kept = readers["a replacement after a crash"]?.() ?? "";
		expect(kept).toContain("The files are as it left them.");
		expect(kept).toContain("Its last finished calls:\n- edit a.ts");
		const moved = readers["a worker on another host"]?.() ?? "";
		expect(moved).toContain("what these calls changed is undone.\n- edit a.ts");
		expect(moved).not.toContain("as it left them");
	});
	it("that calls whose changes were published are kept on another host", () => {
		const testRun = start(crashed());
		testRun.say({ kind: "opened", host: "other", pid: 3, started: "t", setBack: true });
		expect(message(rest(testRun).run, "session_lost")).toContain("Its last finished calls:\n- edit a.ts");
	});
	it("what an earlier worker of their state handed over, apart from the state before", () => {
		const text = readers["a fresh worker of the same state"]?.() ?? "";
		expect(text).toMatch(/### Summary of this state by an earlier worker, or by you\n- visit 3, check: half checked\n/);
		expect(text).toContain("An earlier worker of this state asked for a fresh one");
	});
	it.each(["rejected", "resumed", "crashed", "interrupted"])(
		"that their work before a compaction is their own, also if they were %s before",
		(because) => {
			const { run } = called(start(crashed()));
			expect(run.attempt).toBeGreaterThan(1);
			expect(message(run, "compacted")).not.toMatch(/earlier worker of this state|do not see|last finished calls/);
			expect(message(run, because as LaunchReason)).toContain("earlier worker");
		},
	);
	it("that a rewind was undone, and the calls before it", () => {
		expect(readers["a worker after a rewind that was undone"]?.()).toContain(
			'The user undid a rewind. The files are again as they were in visit 3 ("check"), with what its workers had changed by then.\nIts last finished calls:\n- edit a.ts',
		);
	});
	it("what a rewind undid: files, visits and decisions", () => {
		const text = readers["a worker after a rewind"]?.() ?? "";
		expect(text).toContain(
			'set the run back to the start of visit 3 ("check"). The files are as they were then: what visit 3 changed is undone.',
		);
		expect(text).toMatch(
			/Undone, because the user set the run back to before them:\n- told \(visit 3, check\):\n<user>undone words<\/user>/,
		);
	});
});

describe("a continued conversation", () => {
	it("says what the user said and that files were set back", () => {
		const testRun = called(checking());
		testRun.say({ kind: "opened", host: "other", pid: 3, started: "t", setBack: true });
		rest(testRun);
		expect(continuedText(testRun.run, "interrupted")).toContain("what these calls changed is undone.\n- edit a.ts");
		const local = reopen(called(checking()));
		local.say({ kind: "told", text: "mind the gap" });
		rest(local);
		const text = continuedText(local.run, "interrupted");
		expect(text.startsWith("[From pi-chronicle, not from the user]")).toBe(true);
		expect(text).not.toContain("undone");
	});
});

describe("size", () => {
	it("what is known takes at most 24 KB; what is shortened is announced with the file, which has it whole", () => {
		const testRun = checking();
		const data = Array.from({ length: 60 }, (_, n) => ({ text: `finding ${n} ${"y".repeat(600)} end ${n}` }));
		testRun.say({ kind: "snapshot_updated", ...here(testRun), by: "worker", data: { findings: data } });
		const { run } = start(go(testRun, "ship", `sum ${"x".repeat(3900)} end`));
		const text = message(run);
		const known = text.slice(text.indexOf("## What is known"), text.indexOf("## How to end"));
		expect(Buffer.byteLength(known)).toBeLessThanOrEqual(24_100);
		expect(known).toContain(`sum ${"x".repeat(3900)} end`);
		const whole = fullHandover(briefOf(run, "entered", place(run)));
		for (const { text: one } of run.snapshot.findings) expect(whole).toContain(one);
	});
	it("keeps a plan of 21 KB, and shortens what is less needed first", () => {
		const testRun = start(open(definition({ a: { persona: "A", next: ["b"] }, b: { persona: "B", next: [] } })));
		const tasks = Array.from({ length: 30 }, (_, n) => ({ text: `step ${n} ${"x".repeat(680)}` }));
		const findings = [{ text: "y".repeat(6000) }];
		const data = { pendingTasks: tasks, findings };
		testRun.say({ kind: "snapshot_updated", ...here(testRun), by: "worker", data });
		const { run } = start(go(testRun, "b"));
		expect(run.snapshot.pendingTasks).toHaveLength(30);
		const text = message(run);
		for (const n of tasks.keys()) expect(text).toContain(`step ${n} xxx`);
		expect(text).toMatch(/Shortened here: .*1 finding\. Whole in \/p\/.pi\/handover\.md\./);
		const whole = fullHandover(briefOf(run, "entered", place(run)));
		for (const { text: one } of [...tasks, ...findings]) expect(whole).toContain(one);
	});
	it("the task of the whole run beside a child's own is whole in the file, which the message names where it cuts it", () => {
		const task = `First sentence of it. ${"w ".repeat(1500)}END`;
		const child = childRun({ ...planned().run, task }, 2).run;
		expect(message(child)).toMatch(/w … \(whole in \/p\/\.pi\/handover\.md\)/);
		expect(message(child)).not.toContain("END");
		expect(fullHandover(briefOf(child, "entered", place(child)))).toContain(task);
	});
	it("of decisions that a rewind undid, however many and long, a message names the newest", () => {
		const { run } = planned();
		const decision = { number: 1, seq: 1, at: "t", visit: 1, state: "plan", did: "answered", undone: 2 } as const;
		const long = (n: number) => `${n} ${"q".repeat(3900)} end ${n}`;
		const decisions = Array.from({ length: 40 }, (_, n) => ({ ...decision, about: long(n), words: long(n) }));
		const many = { ...run, decisions: [...run.decisions, ...decisions] };
		const before = Buffer.byteLength(message(run));
		expect(Buffer.byteLength(message(many))).toBeLessThan(before + 2300);
		expect(message(many)).toContain("(40 in all, whole in /p/.pi/handover.md)");
		expect(message(many)).toContain(words);
		expect(fullHandover(briefOf(many, "entered", place(many)))).toContain(long(0));
	});
	it("older summaries end with a sentence, and say where the rest is", () => {
		const testRun = start(
			open(
				definition({
					a: { persona: "A", next: ["b"] },
					b: { persona: "B", next: ["a", "c"] },
					c: { persona: "C", next: [] },
				}),
			),
		);
		const plan = `The plan is made. It has three steps: ${"a".repeat(40)}, ${"b".repeat(40)}, and the rest.\nThen ${"c".repeat(300)}`;
		const { run } = start(go(start(go(testRun, "b", plan)), "c", "built"));
		expect(message(run)).toContain(
			`### Older summaries, shortened; more of them in /p/.pi/handover.md\n- visit 1, a: ${plan.split("\n")[0]} …\n`,
		);
		expect(fullHandover(briefOf(run, "entered", place(run)))).toContain(plan);
	});
	it("the answer to a save announces the entries that the next message then cuts, and no others if the summary is long", () => {
		const entry = fc.record({ size: fc.integer({ min: 1, max: 4000 }), sign: fc.constantFrom("x", "é", "漢") });
		const lists = fc.record({
			findings: fc.array(entry, { maxLength: 12 }),
			pendingTasks: fc.array(entry, { maxLength: 6 }),
			summary: fc.oneof(fc.integer({ min: 1, max: 4000 }), fc.constant(4000)),
			files: fc.constantFrom(0, 5, 40),
		});
		let cuts = 0;
		fc.assert(
			fc.property(lists, ({ findings, pendingTasks, summary: length, files }) => {
				const testRun = checking();
				const named = (list: typeof findings, kind: string) =>
					list.map(({ size, sign }, n) => ({ text: `${kind} ${n} ${sign.repeat(size)}` }));
				const data = { findings: named(findings, "f"), pendingTasks: named(pendingTasks, "t") };
				testRun.say({ kind: "snapshot_updated", ...here(testRun), by: "worker", data });
				const announced = entriesToShorten(testRun.run);
				testRun.say({ kind: "move_requested", ...here(testRun), target: "ship", summary: "s".repeat(length) });
				const changes = Array.from({ length: files }, (_, n) => ({
					path: `src/folder/file-${n}.ts`,
					change: "M" as const,
				}));
				const { run } = start(rest(testRun, newTree(), changes));
				expect([run.state, run.snapshot.files.length]).toEqual(["ship", files]);
				const text = message(run);
				const { findings: kept, pendingTasks: tasks } = run.snapshot;
				const cut = [...tasks, ...kept]
					.filter((one) => !text.includes(`\n- ${entryForModel(one)}\n`))
					.map(({ id }) => id);
				expect(announced).toEqual(expect.arrayContaining(cut));
				if (length === 4000 && files === 40) expect(cut.toSorted()).toEqual(announced.toSorted());
				cuts += cut.length;
			}),
			{ numRuns: runs(0.5) },
		);
		expect(cuts).toBeGreaterThan(0);
	});
	it("what many children did to choose from is shortened together, and whole in the file", () => {
		const names = ["a", "b", "c", "d", "e", "f"];
		const branches = Object.fromEntries(names.map((name) => [name, { persona: "W", next: ["done"] }]));
		const work = { branches, take: "one", files: "own", next: ["judge"] };
		const testRun = open(definition({ work, judge: { persona: "J", next: ["done"] } }));
		testRun.say({ kind: "files_measured", visit: 1, purpose: "baseline", tree: newTree() });
		for (const index of names.keys()) endChild(testRun, index + 1);
		const { run } = start(rest(testRun));
		const text = message(run);
		for (const name of names) expect(text).toContain(`- \`${name}\`: ${name} did it:`);
		expect(text).toContain("Shortened here: 6 summaries. Whole in /p/.pi/handover.md.");
		expect(Buffer.byteLength(text)).toBeLessThan(14_500);
		expect(fullHandover(briefOf(run, "entered", place(run)))).toContain("end of f");
	});
	it("of more than 8 KB of decisions the newest are whole, and the rest is counted with the file", () => {
		const testRun = start(open(definition({ a: { persona: "A", next: ["b"] }, b: { persona: "B", next: [] } })));
		for (let n = 0; n < 4; n++) {
			testRun.say({ kind: "told", text: `${n} ${"w".repeat(3900)} end ${n}` });
			testRun.say({ kind: "delivered", message: testRun.run.seq });
		}
		const { run } = start(go(testRun, "b"));
		const text = message(run);
		expect(text).toContain(`3 ${"w".repeat(3900)} end 3`);
		expect(text).toContain("2 older decisions are in /p/.pi/handover.md: read it.");
		expect(fullHandover(briefOf(run, "entered", place(run)))).toContain(`0 ${"w".repeat(3900)} end 0`);
	});
});
