// Removing runs: all of their files, nothing else, and never a run that a live process holds.
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunParent } from "@pi-chronicle/core/machine";
import { expect, it } from "vitest";
import { openFileStore } from "../../../src/local/ledger/index.ts";
import { type RunEntry, removeRuns, runNamed, runsOlderThan } from "../../../src/local/project/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { closeLater } from "../../harness/lifetime.ts";

const definition = { states: { plan: { persona: "Planner", next: [] } } };

function openStage() {
	const sessions = join(openFolder(), "sessions");
	let now = Date.parse("2026-01-01T00:00:00Z");
	const clock = { now: () => now, sleep: async () => {} };
	const store = openFileStore({ sessions, clock });
	return {
		sessions,
		store,
		clock,
		wait: (days: number) => {
			now += days * 86_400_000;
		},
		async create(held: "held" | "released", parent?: RunParent): Promise<string> {
			const id = randomUUID();
			const template = { name: "t", hash: "h", definition };
			const made = await store.create({
				kind: "created",
				schemaVersion: 1,
				id,
				template,
				task: "a secret task",
				...(parent ? { parent } : {}),
			});
			if (!made.ok) throw new Error(made.failure.message);
			if (held === "released") await made.value.releaseLease();
			else closeLater(() => made.value.releaseLease());
			mkdirSync(join(sessions, id, "workers"), { recursive: true });
			writeFileSync(join(sessions, id, "workers", "1.1.jsonl"), "{}\n");
			mkdirSync(join(sessions, id, "files", "objects"), { recursive: true });
			writeFileSync(join(sessions, id, "report.html"), "report");
			writeFileSync(join(sessions, `${id}.json.corrupt-1`), "damaged");
			return id;
		},
	};
}

it("a removed run leaves no files, and other runs are unchanged", async () => {
	const { store, sessions, create } = openStage();
	const [gone, stays] = [await create("released"), await create("released")];
	const others = readdirSync(sessions).filter((name) => !name.startsWith(gone));
	expect(await store.remove(gone)).toMatchObject({ ok: true, value: { bytes: expect.any(Number) } });
	expect(readdirSync(sessions)).toEqual(others);
	expect((await store.list()).map(({ id }) => id)).toEqual([stays]);
	expect(await store.remove(gone)).toMatchObject({ ok: false, failure: { reason: "unknown" } });
	for (const name of ["..", ".", "", "last", "../../x"]) expect((await store.remove(name)).ok).toBe(false);
	expect(readdirSync(sessions)).toEqual(others);
});

it("a run that a live process holds is not removed, neither by name nor by age", async () => {
	const { store, sessions, clock, wait, create } = openStage();
	const [held, free] = [await create("held"), await create("released")];
	wait(10);
	const young = await create("released");
	const found = await runsOlderThan({ store, clock }, 5);
	if ("reason" in found) throw new Error(found.message);
	expect(found.runs.map(({ id }) => id)).toEqual([free]);
	expect(found.staying).toEqual([{ id: held, why: expect.stringContaining(String(process.pid)) }]);
	const before = readdirSync(sessions).filter((name) => name.startsWith(held));
	const both = (await store.list()).filter((entry) => entry.kind === "run" && entry.id !== young);
	const removed = (await removeRuns({ store }, both as RunEntry[])).sort((one) => (one.id === held ? -1 : 1));
	expect(removed).toMatchObject([{ id: held, failure: { reason: "held" } }, { id: free }]);
	expect(readdirSync(sessions).filter((name) => name.startsWith(held))).toEqual(before);
	expect(readdirSync(sessions).filter((name) => name.startsWith(free))).toEqual([]);
	expect((await store.list()).map(({ id }) => id).sort()).toEqual([held, young].sort());
});

it.each([
	["working", "kept"],
	["waiting", "kept"],
	["joined", "removed"],
	["taken", "removed"],
	["discarded", "removed"],
	[undefined, "removed"],
] as const)("a run whose copy of the project is %s is %s, by name and by age", async (apart, then) => {
	const { store, clock, wait, create } = openStage();
	const id = await create("released");
	wait(10);
	const list = async () =>
		(await store.list()).map((one) => (one.kind === "run" ? { ...one, summary: { ...one.summary, apart } } : one));
	const stage = { store: { ...store, list } as typeof store, clock };
	const aged = await runsOlderThan(stage, 5);
	const why = expect.stringContaining("join or discard");
	expect(aged).toMatchObject(then === "kept" ? { runs: [], staying: [{ id, why }] } : { runs: [{ id }], staying: [] });
	for (const name of [id, id.slice(0, 8), "last"])
		expect(await runNamed(stage, name)).toMatchObject(then === "kept" ? { reason: "held", remedy: why } : [{ id }]);
});

it("a folder of runs that cannot be read is reported, and nothing in it is removed", async () => {
	const { store, sessions, clock } = openStage();
	rmSync(sessions, { recursive: true, force: true });
	symlinkSync(sessions, sessions);
	expect(await store.list()).toMatchObject([{ kind: "unreadable", failure: { reason: "io" } }]);
	for (const found of [await runsOlderThan({ store, clock }, 0), await runNamed({ store }, "last")])
		expect(found).toMatchObject({ reason: "io", message: expect.stringContaining(sessions) });
});

it("an interrupted removal is finished by repeating it; a damaged run can be removed", async () => {
	const { store, sessions, create } = openStage();
	const id = await create("released");
	rmSync(join(sessions, `${id}.events.jsonl`));
	writeFileSync(join(sessions, `${id}.json`), "{ torn");
	const named = await runNamed({ store }, id.slice(0, 8));
	expect(named).toMatchObject([{ id }]);
	expect((await store.remove(id)).ok).toBe(true);
	expect(readdirSync(sessions)).toEqual([".gitignore"]);
});

/** A root run, a child of it, and a child of that. */
async function openFamily(held: "held" | "released" = "released") {
	const stage = openStage();
	const root = await stage.create(held);
	const below = (run: string, level: number, index = 1): RunParent => ({
		run,
		root,
		visit: 1,
		index,
		name: `child ${index}`,
		level,
		files: "own",
	});
	stage.wait(0.01);
	const child = await stage.create("released", below(root, 1));
	stage.wait(0.01);
	const grandchild = await stage.create("released", below(child, 2));
	stage.wait(1);
	return { ...stage, root, child, grandchild, below };
}

it("removes a run with its child runs at every level", async () => {
	const { store, sessions, root, child, grandchild, create } = await openFamily();
	const other = await create("released");
	const named = await runNamed({ store }, root);
	if ("reason" in named) throw new Error(named.message);
	expect(named.map(({ id }) => id)).toEqual([root, child, grandchild]);
	expect((await removeRuns({ store }, named)).filter(({ failure }) => failure)).toEqual([]);
	expect((await store.list()).map(({ id }) => id)).toEqual([other]);
	expect(readdirSync(sessions).filter((name) => !name.startsWith(other))).toEqual([".gitignore"]);
});

it("refuses to remove a child run of a run that exists, and removes one whose parent is gone", async () => {
	const { store, root, child, grandchild } = await openFamily();
	for (const [id, parent] of [
		[child, root],
		[grandchild, child],
	] as const)
		expect(await runNamed({ store }, id)).toMatchObject({
			reason: "held",
			message: expect.stringContaining(parent.slice(0, 8)),
		});
	await store.remove(root);
	const named = await runNamed({ store }, child);
	expect(named).toMatchObject([{ id: child }, { id: grandchild }]);
});

it("keeps the child runs of a run that a living process holds", async () => {
	const { store, clock, root, child, grandchild } = await openFamily("held");
	const old = await runsOlderThan({ store, clock }, 0);
	expect(old).toMatchObject({ runs: [], staying: [{ id: root, why: expect.stringContaining(String(process.pid)) }] });
	const named = await runNamed({ store }, root);
	if ("reason" in named) throw new Error(named.message);
	expect(await removeRuns({ store }, named)).toMatchObject([
		{ id: root, failure: { reason: "held" } },
		{ id: child, failure: { reason: "held" } },
		{ id: grandchild, failure: { reason: "held" } },
	]);
	expect(await store.list()).toHaveLength(3);
});

it("prunes a tree of runs by its newest event, all of it or nothing", async () => {
	const { store, clock, wait, root, child, grandchild, create, below } = await openFamily();
	wait(10);
	const young = await create("released", below(root, 1, 2));
	expect(await runsOlderThan({ store, clock }, 5)).toMatchObject({ runs: [], staying: [] });
	wait(10);
	const old = await runsOlderThan({ store, clock }, 5);
	if ("reason" in old) throw new Error(old.message);
	expect(old.runs.map(({ id }) => id)).toEqual([root, child, grandchild, young]);
});

it("`last` names a root run, even if a child run is newer", async () => {
	const { store, root, child } = await openFamily();
	expect((await store.list()).map(({ id }) => id).indexOf(root)).toBeGreaterThan(0);
	expect(await store.find("last")).toEqual({ ok: true, value: root });
	expect(await store.find(child.slice(0, 8))).toEqual({ ok: true, value: child });
	expect(await runNamed({ store }, "last")).toMatchObject([{ id: root }, {}, {}]);
});
