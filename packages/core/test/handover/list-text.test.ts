// What a worker is told about the list that a following state needs: who does what it says has saved a list that starts the children.
import { describe, expect, it } from "vitest";
import { briefOf, firstMessageText, savedLists } from "../../src/handover/index.ts";
import { awaitedLists, explainLists, explainSavedLists, type Run } from "../../src/machine/index.ts";
import { bindToKnown, readSnapshotData, updateSnapshot } from "../../src/snapshot/index.ts";
import { branches } from "../machine/child-steps.ts";
import { definition, open, start } from "../machine/test-run.ts";

/** A run in `plan`, whose followers are `states`, by default one that does the list `source`. */
function planning(source: unknown, more: object = {}, states: object = {}, next = ["build"]): Run {
	const build = { run: { states: branches("x") }, for_each: source, next: ["done"], ...more };
	const plan = { persona: "P", next, output: { type: "object" } };
	return start(open(definition({ plan, ...states, build }))).run;
}

function told(run: Run, edits = true): string {
	const abilities = new Map([...run.plan.states.values()].map((state) => [state, { edits, runs: true, other: false }]));
	const place = { cwd: "/p", file: "/p/handover.md", log: "/p/log", folders: new Map(), abilities };
	return firstMessageText(briefOf(run, "entered", place)).replace(/^[\s\S]*## How to end/, "");
}

/** The run after a call of `workflow_update_snapshot`, and what the call says of lists. */
function save(run: Run, given: unknown): { readonly run: Run; readonly said: string } {
	const read = readSnapshotData(given);
	if (read.kind === "refused") throw new Error(read.reason);
	const data = bindToKnown(run.snapshot, read.data);
	const after = { ...run, snapshot: updateSnapshot(run.snapshot, data, { visit: run.visit, state: run.state }) };
	return { run: after, said: explainSavedLists(after, data) };
}

const two = [
	{ id: "a", text: "the model" },
	{ id: "b", text: "the api", needs: ["a"] },
];

describe("the list that a following state needs", () => {
	it.each<[string, unknown, object, string[]]>([
		[
			"a saved list",
			"parts",
			{},
			[
				'`{"parts":[…]}`',
				"An entry is its agent's task: a text, or an object with a `text`.",
				"`needs`, a list of ids",
			],
		],
		["fields of entries", "parts", { task: "Do {item.what} in {item.where.file}" }, ["`what`, `where`"]],
		["another name of the item", "parts", { as: "part", task: "Do {part.what}" }, ["An entry has `what`"]],
		["a chain", "chain", { order: "chain" }, ["Each begins with what the one before it has changed."]],
		["pending tasks", "pendingTasks", {}, ["`pending_tasks` of `workflow_update_snapshot`"]],
		["findings", "findings", {}, ["`findings` of `workflow_update_snapshot`"]],
		["data of this state", "output.plan.a.parts", {}, ["the list `data.a.parts` of your `workflow_transition`"]],
		["a file", { file: "tasks.md" }, {}, ["the task list in the file tasks.md, as you leave it."]],
	])("%s", (_, source, more, parts) => {
		const text = told(planning(source, more));
		for (const part of ["`build` starts an agent for each entry", ...parts]) expect(text).toContain(part);
		if (source === "chain") expect(text).not.toContain("`needs`");
	});

	it.each<[string, (call: unknown[]) => unknown]>([
		["pendingTasks", (entries) => ({ pending_tasks: entries })],
		["findings", (entries) => ({ findings: entries })],
	])("saved as %s starts one child for each", (source, given) => {
		const { run, said } = save(planning(source), given(two));
		expect([explainLists(run, "build", undefined), said]).toEqual([[], '"build" will start 2 agents with it.']);
	});

	it.each(["parts", "Parts of the work", "2nd list", "tasks.todo"])(
		"saved as the text says under %j, in one call",
		(name) => {
			const run = planning(name);
			expect(explainLists(run, "build", undefined).join()).toContain("no worker has saved a list under this key");
			const [, shape = ""] = /`(\{.*\[…\]\})`/.exec(told(run)) ?? [];
			const { run: after, said } = save(run, JSON.parse(shape.replace("…", JSON.stringify(two).slice(1, -1))));
			expect([explainLists(after, "build", undefined), said]).toEqual([[], '"build" will start 2 agents with it.']);
			expect(Object.keys(savedLists(awaitedLists(run)))).toEqual([name]);
			// In another case, and as models write lists too.
			for (const given of [{ [name.toUpperCase()]: two }, { findings: [{ key: name, items: two }] }])
				expect(explainLists(save(run, given).run, "build", undefined)).toEqual([]);
		},
	);

	it("is judged as soon as it is saved", () => {
		const wrong = [two[1], { id: "c", text: "x", needs: ["d"] }];
		expect(save(planning("parts"), { parts: wrong }).said).toMatch(/^"build" cannot start with that: .*`a`/);
		expect(save(planning("parts"), { parts: ["x".repeat(9000)] }).said).toContain("too long to be saved completely");
		expect(save(planning("parts", { task: "{item.what}" }), { parts: [{ id: "a" }] }).said).toContain("what");
		expect(save(planning("parts"), { findings: ["Port 80."] }).said).toBe("");
	});

	it("is told before a command, and only to the last worker before the children", () => {
		const test = { command: "true", next: ["build", "plan"] };
		const behind = planning("parts", {}, { test }, ["test"]);
		expect(told(behind)).toContain('`{"parts":[…]}`');
		expect(explainLists(behind, "test", undefined).join()).toContain("no worker has saved a list");
		const look = { persona: "P", next: ["build"] };
		const earlier = planning("parts", {}, { look }, ["look"]);
		expect(told(earlier)).not.toContain("parts");
		expect(awaitedLists(earlier, "look")).toHaveLength(1);
		const other = { persona: "P", next: ["build"], output: { type: "object" } };
		expect(told(planning("output.other.parts", {}, { other }, ["build", "other"]))).not.toContain("`data.");
	});

	it("in a file is not to be left by a worker that cannot write", () => {
		expect(told(planning({ file: "tasks.md" }), false)).toContain("the task list in the file tasks.md.");
	});
});
