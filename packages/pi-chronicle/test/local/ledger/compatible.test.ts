// Ledgers of earlier versions stay readable and resumable. Fixture folders are never rewritten: a new format gets a new folder.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pendingActions, type Run, SCHEMA_VERSION } from "@pi-chronicle/core/machine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFileStore } from "../../../src/local/ledger/index.ts";
import { created, tell, value } from "./sample-events.ts";

const id = "0a1b2c3d-1111-4222-8333-444455556666";
let sessions: string;

beforeEach(() => {
	sessions = mkdtempSync(join(tmpdir(), "compatible-"));
	cpSync(join(import.meta.dirname, "fixtures", "v1"), sessions, { recursive: true });
});
afterEach(() => rmSync(sessions, { recursive: true, force: true }));

/** What the first version wrote, in its own words. */
function check(run: Run): void {
	expect(run).toMatchObject({
		id,
		status: "paused",
		state: "review",
		visit: 4,
		attempt: 1,
		task: "Round amounts half to even",
	});
	expect(run.history.map(({ from, to, cause, refused }) => [from, to, cause, refused])).toEqual([
		["planning", "coding", "worker", undefined],
		["coding", "human_intervention", "pair_limit", "planning"],
		["human_intervention", "review", "released", undefined],
	]);
	expect(run.totals).toMatchObject({ tokens: 1130, costUsd: 0.23, attempts: 4, toolCalls: 1 });
	expect(run.snapshot.findings).toMatchObject([
		{ id: "f1", key: "rounding", text: "half to even now", earlier: ["half up today"] },
	]);
	expect(run.snapshot.pendingTasks).toEqual([]);
	expect(run.snapshot.files.map(({ path, change }) => `${change} ${path}`)).toEqual([
		"M src/total.js",
		"A test/total.test.js",
	]);
	expect(run.hold).toMatchObject({ cause: "person" });
}

describe("a ledger of version 1", () => {
	it("gives the same run from its checkpoint and from its events alone", async () => {
		const store = openFileStore({ sessions, clock: Date });
		const { run } = value(await store.read(id));
		check(run);
		rmSync(join(sessions, `${id}.json`));
		expect(value(await store.read(id)).run).toEqual(run);
	});
	it("is listed, and continues where it was; 0.2.0 then refuses it", async () => {
		const store = openFileStore({ sessions, clock: Date });
		expect(earlierReads(sessions, id)).toBe(true);
		expect(await store.list()).toMatchObject([
			{ kind: "run", id, summary: { status: "paused", state: "review", template: "Feature" } },
		]);
		const ledger = value(await store.open(id));
		const { stage } = ledger.run;
		if (stage.kind !== "waiting") throw new Error(stage.kind);
		const run = await tell(ledger, ledger.run, { kind: "resumed", answers: stage.since });
		expect(pendingActions(run)).toMatchObject([
			{ kind: "work", state: "review", because: "resumed", conversation: { kind: "continue", key: "4.1" } },
		]);
		value(await ledger.checkpoint(run, "if due"));
		await ledger.releaseLease();
		expect(earlierReads(sessions, id)).toBe(false);
	});
});

/** Whether 0.2.0 reads a run: it refuses one whose checkpoint, or else its first event, has a newer format than its own, and leaves its files unchanged. */
function earlierReads(folder: string, run: string): boolean {
	const checkpoint = join(folder, `${run}.json`);
	const text = existsSync(checkpoint)
		? readFileSync(checkpoint, "utf8")
		: firstLine(join(folder, `${run}.events.jsonl`));
	return (JSON.parse(text) as { schemaVersion: number }).schemaVersion <= 1;
}

const firstLine = (path: string) => readFileSync(path, "utf8").split("\n", 1)[0] ?? "";

it("0.2.0 refuses a new run, by its checkpoint and by its events alone", async () => {
	const store = openFileStore({ sessions, clock: Date });
	const ledger = value(await store.create({ ...created(), schemaVersion: SCHEMA_VERSION }));
	await ledger.releaseLease();
	const run = ledger.run.id;
	expect(earlierReads(sessions, run)).toBe(false);
	rmSync(join(sessions, `${run}.json`));
	expect(earlierReads(sessions, run)).toBe(false);
});
