// Lists of runs: resolving a name to a run, the listed fields, and ledgers of another implementation.

import type { Run } from "@pi-chronicle/core/machine";
import type { LeaseHolder, LedgerEntry } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { namedIds, readForeign, resolveRunId, summarizeRun } from "../../../src/local/ledger/list-runs.ts";

describe("a name", () => {
	const ids = ["abc1", "abd2", "abd23", "x"];
	it.each<[name: string, ids: readonly string[], found: string]>([
		["abc1", ids, "abc1"],
		["abc", ids, "abc1"],
		["x", ids, "x"],
		["abd2", ids, "abd2"],
		["last", ids, "abc1"],
		["abd", ids, 'ambiguous: 2 runs start with "abd".'],
		["ab", ids, 'ambiguous: 3 runs start with "ab".'],
		["bc1", ids, 'unknown: No run matches "bc1".'],
		["abc12", ids, 'unknown: No run matches "abc12".'],
		["", ["x"], 'unknown: No run matches "".'],
		["last", [], "unknown: There are no runs yet."],
	])("%j among %j is %s", (name, among, found) => {
		const read = resolveRunId(name, among);
		expect(read.ok ? read.value : `${read.failure.reason}: ${read.failure.message}`).toBe(found);
	});

	it("prefers root runs to child runs, and matches no unreadable run", () => {
		const run = (id: string, summary = {}) => ({ kind: "run", id, summary }) as LedgerEntry;
		const entries = [
			run("c", { parent: { run: "a" } }),
			{ kind: "unreadable", id: "u" } as LedgerEntry,
			run("a"),
			run("b"),
		];
		expect(namedIds(entries)).toEqual(["a", "b", "c"]);
	});
});

describe("a run in a list", () => {
	const run = (status: string, more: object = {}) =>
		({
			...{ template: { name: "t" }, task: "PASSWORD=hunter2hunter2", status, state: "a", updatedAt: "2030" },
			...{ totals: { costUsd: 1, tokens: 2 }, parent: null, ...more },
		}) as unknown as Run;
	const holder = (alive: LeaseHolder["alive"]) => ({ alive }) as LeaseHolder;

	it.each<[status: string, holder: LeaseHolder | undefined, shown: string]>([
		["running", undefined, "interrupted"],
		["running", holder("no"), "interrupted"],
		["running", holder("yes"), "running"],
		["running", holder("unknown"), "running"],
		["paused", undefined, "paused"],
		["done", holder("no"), "done"],
	])("%s under %o is %s", (status, held, shown) => {
		expect(summarizeRun(run(status), held)).toEqual({
			...{ template: "t", task: expect.not.stringContaining("hunter2"), status: shown, state: "a" },
			...{ updatedAt: "2030", costUsd: 1, tokens: 2 },
		});
	});

	it("names its parent, without its other fields", () => {
		const parent = { run: "p", root: "r", visit: 1, index: 2, name: "n", level: 1, files: "own" };
		expect(summarizeRun(run("done", { parent }), undefined).parent).toEqual({
			run: "p",
			visit: 1,
			index: 2,
			name: "n",
		});
	});
});

describe("a ledger of another implementation", () => {
	const ledger = {
		...{ id: "i", workflowName: "w", workflowDef: {}, currentState: "s", status: "RUNNING", totalTokens: 5 },
		...{ lastUpdated: 0, initialTask: " do it ", history: [], snapshot: {} },
	};
	const summary = (more: object) => readForeign({ ...ledger, ...more })?.summary;

	it.each<[what: string, data: unknown]>([
		["null", null],
		["a text", "x"],
		...["id", "workflowName", "workflowDef", "currentState"].flatMap((field): [string, unknown][] => [
			[`no ${field}`, { ...ledger, [field]: undefined }],
			[`a ${field} that is null`, { ...ledger, [field]: null }],
			[`a ${field} that is a number`, { ...ledger, [field]: 7 }],
		]),
	])("is not recognized: %s", (_what, data) => {
		expect(readForeign(data)).toBeUndefined();
	});

	it.each<[what: string, more: object, shown: object]>([
		["everything", {}, { template: "w", task: " do it ", status: "RUNNING", state: "s", costUsd: 0, tokens: 5 }],
		["its time", {}, { updatedAt: "1970-01-01T00:00:00.000Z" }],
		["no status", { status: 7 }, { status: "unknown" }],
		["no time", { lastUpdated: "x" }, { updatedAt: "" }],
		["a time that is none", { lastUpdated: 1e300 }, { updatedAt: "" }],
		["an endless time", { lastUpdated: Number.POSITIVE_INFINITY }, { updatedAt: "" }],
		["tokens that are a text", { totalTokens: "5" }, { tokens: 0 }],
		[
			"the task of its history",
			{ initialTask: " ", history: [7, null, { taskGiven: " " }, { taskGiven: " x " }] },
			{ task: "x" },
		],
		["no task", { initialTask: 7, history: "x" }, { task: "" }],
	])("is listed with %s", (_what, more, shown) => {
		expect(summary(more)).toMatchObject(shown);
	});

	it("has its visits and data, without fields of an unexpected shape", () => {
		const row = { state: "s", agentName: "A", completedAt: 0, tokensUsed: 3, summary: "did" };
		const odd = { state: 7, agentName: null, completedAt: "x", tokensUsed: "3", summary: [] };
		const snapshot = { keyFindings: ["f", 7], pendingTasks: "x", modifiedFiles: ["a"] };
		expect(readForeign({ ...ledger, history: [row, odd, 7, null], snapshot })?.story).toEqual({
			history: [
				{ state: "s", who: "A", at: "1970-01-01T00:00:00.000Z", tokens: 3, summary: "did" },
				{ state: "", who: "", at: "", tokens: 0, summary: "" },
			],
			...{ findings: ["f"], pendingTasks: [], files: ["a"] },
		});
		for (const other of [null, "x"])
			expect(readForeign({ ...ledger, history: other, snapshot: other })?.story).toEqual({
				...{ history: [], findings: [], pendingTasks: [], files: [] },
			});
	});
});
