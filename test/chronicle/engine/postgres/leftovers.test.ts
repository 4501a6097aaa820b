// What a host has of a child besides its snapshots: an outage of the database is no answer of the parent.
import { expect, it } from "vitest";
import { openLeftovers } from "../../../../src/chronicle/engine/postgres/leftovers.ts";

const outage = { ok: false, failure: { reason: "io", message: "The database cannot be reached.", remedy: "" } };
const removed = { ok: false, failure: { reason: "unknown", message: "No run has the id.", remedy: "" } };

it.each([
	["own", 2],
	["shared", 0],
])("what the parent of a child with %s files keeps is read until the database answers", async (files, reads) => {
	const answers = [outage, removed];
	const store = { read: async () => answers.shift() };
	const run = { id: "child", parent: { run: "parent", files } };
	const leftovers = openLeftovers({ store, run, database: { name: "db", shell: "" } } as never);
	expect(await leftovers.keep()).toEqual({ ok: true, value: [] });
	expect(2 - answers.length).toBe(reads);
});
