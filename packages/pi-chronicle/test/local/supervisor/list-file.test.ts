// Task lists in files of the project: each becomes children in its order, and what is wrong with one is named.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { moveTo, type Play } from "./scripted-launcher.ts";
import { openStage } from "./stage.ts";

const run = { states: { work: { persona: "Builder", next: ["done"] } } };
const definition = (fields: object = {}) => ({
	name: "t",
	states: { build: { run, for_each: { file: "tasks.md" }, next: ["done"], ...fields } },
});

/** Runs the children of the list; resolves to the first lines of their tasks in the order in which they began, and to the run. */
async function play(text: string | undefined, fields: object = {}) {
	const begun: string[] = [];
	const work: Play = async (host, order, ended) => {
		begun.push(/^## (?:The|Your) task.*\n\n(.*)/m.exec(order.message.new)?.[1] ?? "");
		await moveTo("done", "did it")(host, order, ended);
	};
	const stage = openStage(Array.from({ length: 20 }, () => work));
	const file = join(stage.folder, "tasks.md");
	if (text !== undefined) writeFileSync(file, text);
	const ledger = await stage.create(definition(fields));
	const { run: ended } = await supervise(ledger, stage.ports, "fresh").ended;
	return { begun, run: ended, file, stage };
}

describe("a task list in a file", () => {
	it("is done in its order", async () => {
		const text = "- [x] T001 done\n- [ ] T002 one\n- [ ] T003 [P] two\n- [ ] T004 [P] three\n- [ ] T005 four\n";
		const { begun, run: ended } = await play(text);
		expect(ended.status).toBe("done");
		expect([begun[0], begun.slice(1, 3).sort(), begun[3]]).toEqual(["one", ["three", "two"], "four"]);
	});

	it("that is a tasks.json of Taskmaster gives its fields to `task`", async () => {
		const tasks = [
			{ id: 1, title: "one" },
			{ id: 2, title: "two", dependencies: [1] },
		];
		const { begun } = await play(JSON.stringify({ master: { tasks } }), { task: "Do {item.title} ({item.id})" });
		expect(begun).toEqual(["Do one (1)", "Do two (2)"]);
	});

	it("with nothing left to do is left at once", async () => {
		expect((await play("- [x] a\n")).run.status).toBe("done");
	});

	it.each<[string, string | undefined, RegExp]>([
		["is missing", undefined, /"tasks.md" does not exist/],
		["has no tasks", "Text.", /"tasks.md" has no list of tasks/],
		["has a task that needs an unknown one", "- [ ] T001 a (depends on T009)", /needs `T009`, which does not exist/],
		["has a circle", "- [ ] T001 [P] a (needs T002)\n- [ ] T002 [P] b (needs T001)", /none of them can begin/],
		["has an id twice", "- [ ] T001 a\n- [ ] T001 b", /have the same id, `T001`/],
		["has 101 tasks", Array.from({ length: 101 }, (_, n) => `- t${n}`).join("\n"), /101 entries/],
	])("that %s makes the run wait", async (_, text, expected) => {
		const { run: ended } = await play(text);
		expect(ended.hold?.detail).toMatch(expected);
	});

	it("is read again when the run is resumed", async () => {
		const { run: waiting, file, stage } = await play(undefined);
		writeFileSync(file, "- a\n");
		const opened = await stage.store.open(waiting.id);
		if (!opened.ok) throw new Error(opened.failure.message);
		const supervision = supervise(opened.value, stage.ports, "reopened");
		const { stage: wait } = waiting;
		await supervision.submit({ kind: "resumed", answers: wait.kind === "waiting" ? wait.since : 0 });
		expect((await supervision.ended).run.status).toBe("done");
		rmSync(file);
	});
});
