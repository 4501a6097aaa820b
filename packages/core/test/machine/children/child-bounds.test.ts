// The bounds of the texts and lists that a run keeps about its children.
import { describe, expect, it } from "vitest";
import { applyJoin, branches, childAt, conflict, end, join, parentTemplate, park, plan } from "../child-steps.ts";
import { definition, open, rest, start, type TestRun } from "../test-run.ts";

const long = "¤".repeat(900);
/** How many of the long text's characters are left in a text. */
const left = (text = "") => text.split("¤").length - 1;

const handover = (summary: string) => ({ handover: { summary, data: {} } });
/** As many children that are done, each with this summary. */
function done(count: number, fields: object = {}, summary = "s"): TestRun {
	const names = Array.from({ length: count }, (_, n) => `c${n + 1}`);
	const testRun = plan(parentTemplate({ branches: branches(...names), ...fields }));
	for (let number = 1; number <= count; number += 1) end(testRun, number, "done", handover(summary));
	return testRun;
}
const conflicts = (count: number, path = "f") => Array.from({ length: count }, (_, n) => conflict(`${path}${n + 1}`));

/** A run whose first state has handed over a long text, and whose second does something for each entry of `from`. */
function planAfter(from: string, task?: string): TestRun {
	const testRun = start(
		open(
			definition({
				a: { persona: "A", next: ["b"], output: { type: "object" } },
				b: { run: { states: branches("x") }, next: ["done"], for_each: from, ...(task ? { task } : {}) },
			}),
		),
	);
	const data = { list: [{ sub: { text: long } }] };
	return rest(
		testRun.say({ kind: "move_requested", visit: 1, attempt: 1, target: "b", summary: "s", data } as never),
	).say({ kind: "files_measured", visit: 2, purpose: "baseline", tree: "t" });
}

describe("of a text", () => {
	it.each<[what: string, most: number, kept: () => string | undefined]>([
		["why a child waits", 300, () => childAt(park(plan(), 1, "paused", long), 1).detail],
		["why a child failed", 300, () => childAt(end(plan(), 1, "failed", { detail: long }), 1).detail],
		[
			"an entry without a text for the task",
			80 - '{"text":"'.length,
			() => planAfter("output.a.list", "{item.sub}").run.hold?.detail,
		],
		[
			"data without the list that it is searched for",
			200 - '{"list":[{"sub":{"text":"'.length,
			() => planAfter("output.a.none").run.hold?.detail,
		],
	])("%s: %d characters", (_what, most, kept) => {
		expect(left(kept())).toBe(most);
	});

	it("why no child can start: 500 characters", () => {
		const { run } = open(parentTemplate()).say({
			...{ kind: "files_unmeasured", visit: 1, purpose: "baseline", detail: long },
		});
		expect(run.hold?.detail).toHaveLength(500);
	});

	it("a child's summary: 1,400 bytes", () => {
		const kept = (bytes: number) => childAt(end(plan(), 1, "done", handover("x".repeat(bytes))), 1).summary;
		expect(kept(1400)).toBe("x".repeat(1400));
		expect([Buffer.byteLength(kept(1401)), kept(1401).at(-1)]).toEqual([1400, "…"]);
	});

	it("the output of all children: 192 KB; further output is left out with a notice", () => {
		const testRun = plan(parentTemplate({ branches: branches("c1", "c2", "c3", "c4", "c5", "c6") }));
		const output = (number: number, value: unknown) =>
			end(testRun, number, "done", { handover: { summary: "s", data: {}, output: value } });
		// JSON adds two quotes.
		for (const number of [1, 2]) output(number, "x".repeat(65_534));
		output(3, "x".repeat(65_533));
		output(4, 12);
		output(5, 1);
		expect(testRun.run.notices.at(-1)).toContain('"c4" is left out');
		output(6, 1);
		expect(testRun.run.notices.at(-1)).toContain('"c6" is left out');
		const kept = testRun.run.children?.children.map(({ status, output: one }) => [status, one !== undefined]);
		expect(kept).toEqual([true, true, true, false, true, false].map((has) => ["done", has]));
	});

	const summaryOf = (count: number, size: number) => {
		const { stage } = rest(applyJoin(join(done(count, { requires_approval: true }, "x".repeat(size))))).run;
		return stage.kind === "asking" ? stage.question.summary : "";
	};

	it.each([
		[1, 1360],
		[4, 310],
		[17, 42],
		[18, 40],
		[30, 40],
	])("what %d children did: %d bytes each", (count, bytes) => {
		const first = (size: number) => summaryOf(count, size).split("\n")[1];
		expect(first(bytes)).toBe(`- c1: ${"x".repeat(bytes)}`);
		expect(first(bytes + 1)).toBe(`- c1: ${"x".repeat(bytes - 3)}…`);
	});

	it("what all children did: 1,800 bytes", () => {
		expect(Buffer.byteLength(summaryOf(40, 40))).toBe(1800);
	});
});

describe("of a list, the first", () => {
	it("paths that conflict in a run that fails: 5", () => {
		const named = (count: number) => {
			const { stage } = join(done(2, { on_conflict: "fail" }), conflicts(count)).run;
			return stage.kind === "stopping" && stage.after.kind === "finish" ? stage.after.detail : "";
		};
		expect(named(5)).toBe("The changes of the children conflict in f1, f2, f3, f4, f5.");
		expect(named(6)).toBe(named(5));
	});

	it("conflicts in the task of a worker that resolves them: 50", () => {
		const task = (path: string, count: number) =>
			childAt(join(done(2, { merge_by: "M" }), conflicts(count, path)), 3).task;
		expect(task("f", 50)).toContain("- f50 (content)");
		expect(task("f", 51)).not.toContain("- f51 ");
		expect(task("f", 51)).toContain("- and 1 more");
	});
});
