// Resolves a name to one of the runs that a store lists.

import type { LedgerEntry, LedgerStore } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { askingElsewhere, namesRun, resolveLedger, resolveRun } from "../../../src/ui/commands/run-name.ts";

const summary = { template: "t", task: "x", state: "a", updatedAt: "", costUsd: 0, tokens: 0 };
const run = (id: string, status = "done"): LedgerEntry => ({
	kind: "run",
	id,
	summary: { ...summary, status },
	holder: undefined,
});
const one = "3f2a91c0-1111-4222-8333-944455556666";
const two = "3f2b91c0-1111-4222-8333-944455556666";
const face = "facade00-1111-4222-8333-944455556666";
const foreign: LedgerEntry = {
	kind: "foreign",
	id: "3f9999999999abcd",
	summary: { ...summary, status: "running" },
	format: "AE",
	story: { history: [], findings: [], pendingTasks: [], files: [] },
};
const torn: LedgerEntry = {
	kind: "unreadable",
	id: "77aa",
	failure: { reason: "corrupt", message: "It is torn.", remedy: "Restore it." },
};
const entries = [run(one), run(two, "awaiting_approval"), run(face), foreign, torn];
/** Finds ids of our own runs alone, as the store of files does. */
const project = {
	store: {
		recent: async () => entries,
		ids: async () => entries.map(({ id }) => id),
		entry: async (id: string) => entries.find((entry) => entry.id === id),
		async find(name: string) {
			const ids = entries.flatMap((entry) => (entry.kind === "run" ? [entry.id] : []));
			const found = name === "last" ? ids.slice(0, 1) : ids.filter((id) => id.startsWith(name));
			const [only] = found;
			if (only !== undefined && found.length === 1) return { ok: true, value: only };
			const reason = found.length > 1 ? "ambiguous" : "unknown";
			return { ok: false, failure: { reason, message: "", remedy: "" } };
		},
	} as Pick<LedgerStore, "recent" | "ids" | "entry" | "find"> as LedgerStore,
};

describe("an argument", () => {
	it.each([
		["last", true],
		["3f2a", true],
		["3F2A91C0", true],
		["3f2", false],
		["facade", true],
		["3f99", true],
		// Nothing but a slip in an id.
		["3f2a9999", true],
		["e97d1234", true],
		// Words.
		["face", false],
		["deadbeef", false],
		["8081", false],
		["2026-11-28", false],
		["-3f2a", false],
		["Last", false],
	])("%s names a run: %s", (word, is) => {
		const known = word === "face" ? entries.filter(({ id }) => id !== face) : entries;
		expect(
			namesRun(
				word,
				known.map(({ id }) => id),
			),
		).toBe(is);
	});
});

describe("a name", () => {
	const failure = async (name: string) => {
		const found = await resolveRun(project, name);
		return found.ok ? found.value : `${found.failure.reason}: ${found.failure.message}`;
	};
	it("finds a run by any unique prefix, in capitals too", async () => {
		expect(await failure("3F2A")).toBe(one);
		expect(await failure("last")).toBe(one);
		expect(await resolveRun(project, undefined, [two])).toEqual({ ok: true, value: two });
	});
	it("is refused with the reason: several candidates, another program's ledger, a torn ledger, or no match", async () => {
		expect(await failure("3f2")).toBe('ambiguous: 2 runs start with "3f2": 3f2a91c0, 3f2b91c0.');
		expect(await failure("3f")).toContain("3 runs start with");
		expect(await failure("3f99")).toMatch(/^foreign: 3f9999999999abcd is a ledger of AE/);
		expect(await resolveLedger(project, "3f99")).toEqual({ ok: true, value: foreign });
		expect(await failure("77a")).toBe("corrupt: It is torn.");
		expect(await failure("zz")).toBe('unknown: No run matches "zz".');
	});
});

it("an answer to a run without a question lists the runs that have one", async () => {
	expect(await askingElsewhere(project, one, "approve")).toBe(" Waiting for approval: 3f2b91c0. Name the run.");
	expect(await askingElsewhere(project, two, "approve")).toBe("");
});
