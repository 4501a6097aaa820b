// The runs of a list as trees: every run is in exactly one, a child in the order in which its parent planned it; the children that wait for the user.

import type { ApprovalQuestion, Run } from "@pi-chronicle/core/machine";
import type { LedgerEntry, LedgerStore } from "@pi-chronicle/core/ports";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
	firstRuns,
	parentOf,
	type RunTree,
	runsOf,
	runTrees,
	waitingChildren,
} from "../../../src/local/project/run-tree.ts";
import { runs } from "../../harness/runs.ts";

type Place = { run: string; visit: number; index: number };
const run = (id: string, parent?: Place): LedgerEntry =>
	({ kind: "run", id, summary: parent ? { parent: { ...parent, name: id } } : {} }) as LedgerEntry;
const child = (id: string, of: string, index: number, visit = 1) => run(id, { run: of, visit, index });

/** `a(b(c),d)` for a tree. */
const shape = ({ entry, children }: RunTree): string =>
	children.length === 0 ? entry.id : `${entry.id}(${children.map(shape).join(",")})`;

it.each<[what: string, entries: LedgerEntry[], trees: string[]]>([
	["no runs", [], []],
	["runs without children, in the list's order", [run("b"), run("a")], ["b", "a"]],
	["children before their parent", [child("c", "b", 1), child("b", "a", 1), run("a")], ["a(b(c))"]],
	[
		"children by visit, then by index",
		[child("x", "a", 1, 2), child("y", "a", 100), child("z", "a", 2), run("a")],
		["a(z,y,x)"],
	],
	["a child whose parent is not in the list", [child("b", "gone", 1), run("a")], ["b", "a"]],
	["runs that cannot be read", [{ kind: "unreadable", id: "u" } as LedgerEntry, run("a")], ["u", "a"]],
	["foreign runs", [{ kind: "foreign", id: "f", summary: {} } as LedgerEntry], ["f"]],
])("%s", (_what, entries, trees) => {
	expect(runTrees(entries).map(shape)).toEqual(trees);
	expect(firstRuns(entries).map(({ id }) => id)).toEqual(trees.map((tree) => tree.replace(/\(.*/, "")));
});

it("every run is in exactly one tree, after its parent", () => {
	const entries = fc
		.array(fc.record({ parent: fc.nat(20), visit: fc.nat(3), index: fc.nat(100) }), { maxLength: 20 })
		.map((all) =>
			all.map(({ parent, ...at }, n) => run(`r${n}`, parent < n ? { run: `r${parent}`, ...at } : undefined)),
		);
	fc.assert(
		fc.property(entries, (all) => {
			const ordered = runTrees(all).flatMap(runsOf);
			expect(ordered.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
			const places = new Map(ordered.map(({ id }, place) => [id, place]));
			for (const entry of ordered)
				expect(places.get(parentOf(entry) ?? "") ?? -1).toBeLessThan(places.get(entry.id) ?? -1);
		}),
		{ numRuns: runs() },
	);
});

const asked = { seq: 3 } as ApprovalQuestion;
const stopping = (earlier: ApprovalQuestion | null) =>
	({ kind: "stopping", after: { kind: "ask", earlier } }) as Run["stage"];

it.each<[what: string, stage: Run["stage"], waits: boolean]>([
	["asks", { kind: "asking", question: asked }, true],
	["lost its supervisor while it asked", stopping(asked), true],
	["has not asked yet", stopping(null), false],
])("a child that %s waits for the user, whatever its parent knows of it: %s", async (_what, stage, waits) => {
	const of = (parts: object) => ({ stage, children: null, hold: null, ...parts }) as Run;
	const store = {
		read: async () => ({ ok: true, value: { run: of({}) } }),
	} as unknown as Pick<LedgerStore, "read">;
	for (const status of ["pending", "parked"]) {
		const children = { children: [{ id: "c", name: "c", status }] };
		const waiting = await waitingChildren(store, of({ stage: { kind: "children" }, children }));
		expect(waiting.map(({ names }) => names)).toEqual(waits ? [["c"]] : []);
	}
});
