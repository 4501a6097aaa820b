// Removing runs: all of their files, nothing else, and never a run that a live process holds.
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openFileStore } from "../../../../src/chronicle/engine/ledger/index.ts";
import { removeRuns, runNamed, runsOlderThan } from "../../../../src/chronicle/engine/project/index.ts";
import { openFolder } from "../../../harness/folder.ts";

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
		async create(held: "held" | "released"): Promise<string> {
			const id = randomUUID();
			const template = { name: "t", hash: "h", definition };
			const made = await store.create({ kind: "created", schemaVersion: 1, id, template, task: "a secret task" });
			if (!made.ok) throw new Error(made.failure.message);
			if (held === "released") await made.value.releaseLease();
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
	const removed = await removeRuns({ store }, [held, free]);
	expect(removed).toMatchObject([{ id: held, failure: { reason: "held" } }, { id: free }]);
	expect(readdirSync(sessions).filter((name) => name.startsWith(held))).toEqual(before);
	expect(readdirSync(sessions).filter((name) => name.startsWith(free))).toEqual([]);
	expect((await store.list()).map(({ id }) => id).sort()).toEqual([held, young].sort());
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
	expect(named).toMatchObject({ id });
	expect((await store.remove(id)).ok).toBe(true);
	expect(readdirSync(sessions)).toEqual([".gitignore"]);
});
