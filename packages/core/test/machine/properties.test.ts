// Invariants of the machine for any template and any order of events, crashes included.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../pi-chronicle/test/harness/runs.ts";
import { type LedgerEvent, pendingActions, type Run } from "../../src/machine/index.ts";
import { play, stories, templates } from "./random-runs.ts";
import { definition, newTree, open, refold } from "./test-run.ts";

describe("the machine", () => {
	it("has one current state, makes legal moves only, reserves before launching, keeps its totals, and launches nothing after the end", () => {
		const reached = new Map<string, number>();
		fc.assert(
			fc.property(templates, stories, (template, story) => {
				const world = play(template, story);
				const { run } = world.testRun;
				reached.set(run.status, (reached.get(run.status) ?? 0) + 1);
				for (const { key, tokens, reported } of [...world.conversations].map(([key, books]) => ({ key, ...books })))
					expect(reported, `spend of ${key}`).toBe(tokens);
				const spent = [...world.conversations.values()].reduce((sum, { tokens }) => sum + tokens, 0);
				expect(run.totals.tokens).toBe(spent);
			}),
			{ numRuns: runs(3) },
		);
		// The plays are worth something only if they end in every way.
		expect([...reached.keys()].sort()).toEqual(
			expect.arrayContaining(["aborted", "awaiting_approval", "done", "human_intervention", "paused"]),
		);
	});
	it("folds the events alone to the same run, from any point", () => {
		fc.assert(
			fc.property(templates, stories, (template, story) => {
				const { testRun } = play(template, story);
				const events = testRun.events.map((event) => JSON.parse(JSON.stringify(event)) as LedgerEvent);
				const again = refold(events);
				expect(again).toEqual(testRun.run);
				// Taking the same events in twice changes nothing.
				expect(refold([...events, ...events.slice(1)])).toEqual(testRun.run);
				expect(pendingActions(again)).toEqual(pendingActions(testRun.run));
			}),
			{ numRuns: runs(0.6) },
		);
	});
	it("keeps its state small, however long the run", () => {
		const testRun = open(
			definition(
				{ a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["a"] } },
				{ limits: { moves: 9999, pair_moves: 9999, tokens: 1e12 } },
			),
		);
		let run: Run = testRun.run;
		for (let n = 0; n < 300; n += 1) {
			if (run.stage.kind === "baselining")
				testRun.say({ kind: "files_measured", visit: testRun.run.visit, purpose: "baseline", tree: newTree() });
			const { launch } = testRun.due("work");
			testRun.say({ kind: "worker_started", ...launch, pid: 1, model: "m", conversation: "new" });
			testRun.say({
				kind: "snapshot_updated",
				...launch,
				by: "worker",
				data: { findings: [{ text: `${n} ${"x".repeat(900)}` }], pendingTasks: [{ text: `${n} todo` }] },
			});
			testRun.say({
				kind: "move_requested",
				...launch,
				target: testRun.run.state === "a" ? "b" : "a",
				summary: `${n} ${"long words ".repeat(300)}`,
			});
			testRun.say({ kind: "worker_ended", ...launch, outcome: { kind: "stopped" } });
			testRun.say({
				kind: "files_measured",
				visit: launch.visit,
				purpose: "changes",
				tree: newTree(),
				changes: [{ path: `src/${n}.ts`, change: "M", added: 1, removed: 1 }],
			});
			run = testRun.run;
		}
		const { plan: _, ...kept } = run;
		expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(80 * 1024);
		expect(run.history.length).toBe(100);
		expect(run.moves.total).toBe(300);
	});
});
