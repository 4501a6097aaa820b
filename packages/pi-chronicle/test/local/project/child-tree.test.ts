// The bound on the children of a tree of runs: counted from the ledgers, so that a restart at any point changes nothing.
import { randomUUID } from "node:crypto";
import type { Run } from "@pi-chronicle/core/machine";
import { MAX_RUNS_IN_TREE } from "@pi-chronicle/core/machine";
import type { ChildOrder, HeldLedger } from "@pi-chronicle/core/ports";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { childAt, parentTemplate, plan } from "../../../../core/test/machine/child-steps.ts";
import { openChildRuns } from "../../../src/local/project/child-runs.ts";
import { ChildTree, runsBelow, runsOf, runTrees } from "../../../src/local/project/run-tree.ts";
import { runs } from "../../harness/runs.ts";
import { openStage } from "../supervisor/stage.ts";

/** A store with a run, whose children of all levels are created as a process would. */
async function openTree() {
	const { store, create } = openStage([]);
	const testRun = plan(parentTemplate({ branches: { one: { persona: "B", next: ["done"] } } }));
	const planned = childAt(testRun, 1);
	const { run } = await create(parentTemplate({ branches: { one: { persona: "B", next: ["done"] } } }));
	const supervise = (ledger: HeldLedger) => ({ supervision: { ledger } as never, workspace: {} as never });
	const approvals = { statusOf: () => "approved" as const, remember: async () => {} };
	/** The children here are created without events of their parents that plan them. */
	const below = async (root: string) =>
		runTrees(await store.list()).flatMap((tree) =>
			(tree.entry.id === root ? runsOf(tree).slice(1) : []).map(({ id }) => id),
		);
	/** What one process knows, until it dies. */
	const process = (tree = new ChildTree(below)) => {
		const children = openChildRuns({ store, approvals, tree, supervise });
		return async (parent: Run, id: string = randomUUID()): Promise<Run | string> => {
			const child = { ...planned, id };
			const prepare = () => Promise.reject(new Error("It has no folder of its own."));
			const order = {
				parent,
				child,
				files: "shared",
				tree: null,
				prepare,
				ceilings: () => {
					throw new Error("It starts no worker.");
				},
			} satisfies ChildOrder;
			const started = await children.start(order);
			if (!started.ok) return started.failure.message;
			const { ledger } = started.value.supervision as unknown as { ledger: HeldLedger };
			await ledger.releaseLease();
			return ledger.run;
		};
	};
	return { run, process };
}

describe("the children of a tree", () => {
	it("are at most 500 over all levels, however often the process that starts them is killed", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.integer({ min: 0, max: MAX_RUNS_IN_TREE + 2 }), { maxLength: 4 }),
				fc.integer({ min: 1, max: 40 }),
				async (kills, deep) => {
					const { run, process } = await openTree();
					let start = process();
					// Each `deep` children, the next ones are children of the last of them.
					let parent = run;
					for (let number = 1; number <= MAX_RUNS_IN_TREE + 2; number += 1) {
						if (kills.includes(number)) start = process();
						const child = await start(parent);
						expect(typeof child, `${number}`).toBe(number <= MAX_RUNS_IN_TREE ? "object" : "string");
						if (typeof child === "string") expect(child).toMatch(/at most 500 children/);
						// A child with the parent's template.
						else if (number % deep === 0)
							parent = (child.parent?.level ?? 9) < 4 ? { ...run, id: child.id, parent: child.parent } : run;
					}
				},
			),
			{ numRuns: runs(0.03) },
		);
	});

	it("are also bounded if many start at once; an existing one is opened, and other trees are not counted", async () => {
		const { run, process } = await openTree();
		const start = process();
		const ids = Array.from({ length: MAX_RUNS_IN_TREE + 20 }, () => randomUUID());
		const started = await Promise.all(ids.map((id) => start(run, id)));
		expect(started.filter((one) => typeof one === "object")).toHaveLength(MAX_RUNS_IN_TREE);
		expect(await process()(run)).toMatch(/at most 500 children/);
		expect(await process()(run, ids[0])).toMatchObject({ id: ids[0] });
		const other = await openStage([]).create(parentTemplate({ branches: { one: { persona: "B", next: ["done"] } } }));
		expect(await process()(other.run)).toMatchObject({ parent: { root: other.run.id } });
	});

	it("do not count what could not be created", async () => {
		const tree = new ChildTree(async () => []);
		for (let number = 1; number < MAX_RUNS_IN_TREE; number += 1) expect(await tree.add("root", `${number}`)).toBe(true);
		expect(await tree.add("root", "lost")).toBe(true);
		expect(await tree.add("root", "late")).toBe(false);
		tree.remove("lost");
		expect(await tree.add("root", "late")).toBe(true);
	});
});

it("the runs below a run are those that its events and theirs planned, without those that were never created; no other run is read", async () => {
	const planned: Record<string, string[]> = { root: ["a", "never"], a: ["b", "lost"], b: [], other: ["c"] };
	const asked: string[] = [];
	const store = {
		ids: async () => ["other", "c", "lost", "b", "a", "root"],
		read: async (id: string) => {
			asked.push(id);
			const children = planned[id];
			if (!children) return { ok: false, failure: { reason: "corrupt", message: "", remedy: "" } };
			const events = async function* () {
				// One event for each visit with children.
				for (const child of children) yield { kind: "children_planned", children: [{ id: child }] };
			};
			return { ok: true, value: { run: { childCount: children.length }, events } };
		},
	} as unknown as Parameters<typeof runsBelow>[0];
	expect(await runsBelow(store, "root")).toEqual(["a", "b", "lost"]);
	expect(asked).toEqual(["root", "a", "b", "lost"]);
});
