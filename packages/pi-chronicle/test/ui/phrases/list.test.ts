// Runs in a list: child runs stand below their parent, and many of them are counted.

import type { LedgerEntry } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import type { Project } from "../../../src/local/index.ts";
import { runLines } from "../../../src/ui/phrases/index.ts";
import { failedRun } from "../runs.ts";

const id = (number: number): string => `${String(number).padStart(8, "0")}-1111-4222-8333-944455556666`;

function run(number: number, parent?: { run: number; index: number; name: string }, status = "done"): LedgerEntry {
	return {
		kind: "run",
		id: id(number),
		holder: undefined,
		summary: {
			template: "ship",
			task: `task ${number}`,
			status,
			state: "build",
			updatedAt: "",
			costUsd: 0,
			tokens: 0,
			...(parent ? { parent: { ...parent, run: id(parent.run), visit: 1 } } : {}),
		},
	};
}

const project = { store: {}, sessions: "/nowhere", clock: { now: () => 0 } } as unknown as Project;
const linesOf = (entries: readonly LedgerEntry[]) => runLines(project, "", entries);

describe("the list of runs", () => {
	it("shows children in their order below their parent, and theirs below them", async () => {
		const lines = await linesOf([
			run(4, { run: 3, index: 1, name: "deep" }),
			run(3, { run: 1, index: 2, name: "two" }),
			run(2, { run: 1, index: 1, name: "one" }),
			run(9),
			run(1),
		]);
		expect(lines.slice(1).map((line) => /^( *)0*(\d+) .*· (.*)$/.exec(line)?.slice(1))).toEqual([
			["  ", "9", "ship: task 9"],
			["  ", "1", "ship: task 1"],
			["    ", "2", "one: task 2"],
			["    ", "3", "two: task 3"],
			["      ", "4", "deep: task 4"],
		]);
	});

	it("counts more than five children, and shows one whose parent is gone as a run", async () => {
		const children = Array.from({ length: 6 }, (_, index) =>
			run(index + 10, { run: 1, index: index + 1, name: "x" }, index === 0 ? "failed" : "done"),
		);
		const five = await linesOf([...children.slice(1), run(1)]);
		expect(five).toHaveLength(7);
		expect((await linesOf([...children, run(1)])).slice(2)).toEqual(["    6 children: 1 failed, 5 done"]);
		expect((await linesOf([run(2, { run: 1, index: 1, name: "x" })]))[1]).toMatch(/^ {2}0/);
	});

	it("draws the film strip of a run that works or waits, below it, as wide as the list", async () => {
		const { run: now } = failedRun();
		const read = { run: { ...now, status: "running" }, repairs: [], holder: undefined, folder: "/r" } as unknown;
		const store = { read: async () => ({ ok: true, value: read }) };
		const lines = await runLines({ ...project, store } as unknown as Project, "", [run(1, undefined, "running")]);
		expect(lines[2]).toMatch(/^ {12}┃.*Plan ✓.*┃.*Build ✓.*┃.*Check ✓/);
		for (const line of lines) expect(line.length).toBeLessThanOrEqual(78);
		expect((await linesOf([run(1)])).join("\n")).not.toContain("┃");
	});

	it.each([
		["a question", ["done", "asks", "awaiting_approval"], [1, 2, 0]],
		["every other wait", ["running", "failed", "paused", "human_intervention", "budget_exceeded"], [2, 3, 4, 0, 1]],
		["an interrupted run", ["running", "interrupted"], [1, 0]],
		["what runs", ["done", "running", "aborted", "queued", "awaiting_provider"], [1, 3, 4, 0, 2]],
		["the newest of one kind", ["done", "failed", "aborted", "done"], [0, 1, 2, 3]],
	])("begins with what waits for the user, then what runs, newest first: %s", async (_what, statuses, order) => {
		const store = { read: async () => ({ ok: false }) };
		const entries = statuses.map((status, number) => run(number, undefined, status));
		const lines = await runLines({ ...project, store } as unknown as Project, "", entries);
		expect(lines.slice(1).map((line) => Number(line.slice(2, 10)))).toEqual(order);
	});

	it("puts a run first whose child asks", async () => {
		const store = { read: async () => ({ ok: false }) };
		const entries = [run(3), run(2, { run: 1, index: 1, name: "one" }, "asks"), run(1, undefined, "running")];
		const lines = await runLines({ ...project, store } as unknown as Project, "", entries);
		expect(lines.slice(1).map((line) => Number(/\d{8}/.exec(line)?.[0]))).toEqual([1, 2, 3]);
	});
});
