// Usage of a run by phase, in the entry that ends it.
import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, gate, openBench, type Rpc, say } from "../harness/index.ts";
import { openRpcStage, openStage, step } from "./stage.ts";

const phase = (id: string) => `---\nid: ${id}\nname: ${id.toUpperCase()}\nemoji: x\n---\nDo ${id}.`;

it("the final entry has time, tokens and cost of every phase, in the session and on the screen", async () => {
	const usage = { input: 900, output: 100 };
	const { tui } = await openBench({
		files: {
			".pi/workflows/two/workflow.yaml":
				"name: Two\ncommandName: two\ninitialMessage: '{description}'\nphases: [a.md, b.md]\n",
			".pi/workflows/two/a.md": phase("a"),
			".pi/workflows/two/b.md": phase("b"),
		},
		script: [
			say("working", { usage }),
			call("workflow_step", { action: "next" }, { usage }),
			call("workflow_step", { action: "next" }, { usage }),
			say("All done.", { usage }),
		],
		settings: { chronicle: { workflow: { countdown: 0 } } },
	});
	const pi = await tui({ cols: 100, rows: 40 });
	await pi.submit("/workflow two it");
	await pi.waitForScreen(/1\. A +.*2k tokens +\$0\.00/);
	await pi.waitForScreen(/The workflow took:/);
	// The last answer was given in the last phase, and comes when the workflow is over.
	expect(pi.screen()).toMatch(/2\. B +\d+s +2k tokens +\$0\.00/);
	expect(pi.screen()).toMatch(/total +\d+s +4k tokens +\$0\.00/);
	expect(pi.screen()).toContain("↑3.6k ↓400");
});

interface Row {
	name: string;
	ms: number;
	tokens: number;
	costUsd: number;
}

describe("the figures equal pi's own", () => {
	const usage = { input: 900, output: 100, cached: 30 };
	const figures = async (pi: Rpc) => {
		const ends = [
			...(await pi.customEntries<{ spent?: Row[] }>("workflow:complete")),
			...(await pi.customEntries<{ spent?: Row[] }>("workflow:spent")),
		];
		const rows = ends.flatMap(({ spent }) => spent ?? []);
		const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
		const stats = (await pi.send({ type: "get_session_stats" })) as { tokens: { total: number }; cost: number };
		expect(sum(({ tokens }) => tokens)).toBe(stats.tokens.total);
		expect(sum(({ costUsd }) => costUsd)).toBeCloseTo(stats.cost, 9);
		return rows;
	};

	it("at a cancel while idle, with the current phase", async () => {
		const { pi, play } = await openRpcStage({ w: [{ id: "a", autoContinue: false }, "b"] });
		play(say("What do you want?", { usage }));
		await pi.prompt("/workflow w it");
		await pi.settled();
		await pi.prompt("/cancel-workflow");
		expect((await figures(pi)).map(({ name }) => name)).toEqual(["A"]);
	});

	it("at a cancel in the middle of an answer, which is counted once complete", async () => {
		const { pi, play, server } = await openRpcStage({ w: ["a", "b", "c"] });
		const held = gate();
		play(
			call("workflow_step", { action: "next" }, { usage }),
			say("at work", { usage, after: held.opened }),
			say("ok", { usage }),
		);
		await pi.prompt("/workflow w it");
		await server.waitForRequest(2);
		await pi.prompt("/cancel-workflow");
		held.open();
		await pi.settled();
		const rows = await figures(pi);
		expect(rows.map(({ name, tokens }) => [name, tokens])).toEqual([
			["A", 1000],
			["B", 2000],
		]);
	});

	deepIt("when the model cancels, and when the user ends the last phase", async () => {
		const { pi, play } = await openRpcStage({ w: ["a", { id: "b", advance: "person" }] });
		play(step("cancel"), step("cancel"), say("cancelled", { usage }));
		await pi.prompt("/workflow w it");
		await pi.settled();
		expect((await figures(pi)).map(({ name }) => name)).toEqual(["A"]);
	});

	deepIt("and exclude pauses from the phase's time", async () => {
		const { pi, play } = await openRpcStage({ w: [{ id: "a", autoContinue: false }, "b"] });
		play(say("What do you want?", { usage }));
		const began = performance.now();
		await pi.prompt("/workflow w it");
		await pi.settled();
		await pi.prompt("/workflow pause");
		const paused = performance.now();
		const worked = paused - began;
		await new Promise((done) => setTimeout(done, 1_500));
		await pi.prompt("/workflow status");
		const [, seconds] = /in this phase for (\d+)s/.exec(pi.screen.notifications.at(-1)?.message ?? "") ?? [];
		expect(Number(seconds)).toBeLessThanOrEqual(Math.round(worked / 1_000));
		await pi.prompt("/cancel-workflow");
		const [row] = await figures(pi);
		expect(row?.ms).toBeLessThanOrEqual(worked);
	});

	deepIt("and exclude the time in which pi is closed", async () => {
		const stage = await openStage({ w: [{ id: "a", autoContinue: false }, "b"] });
		const session = stage.project.path("s.jsonl");
		stage.play("What do you want?");
		const first = await stage.rpc({ session });
		const began = performance.now();
		await first.prompt("/workflow w it");
		await first.settled();
		await first.close();
		const worked = performance.now() - began;
		await new Promise((done) => setTimeout(done, 1_500));
		const again = performance.now();
		const second = await stage.rpc({ session });
		await second.prompt("/workflow status");
		const [, seconds] = /in this phase for (\d+)s/.exec(second.screen.notifications.at(-1)?.message ?? "") ?? [];
		expect(Number(seconds)).toBeLessThanOrEqual(Math.round((worked + performance.now() - again) / 1_000));
		stage.play(step("next"), step("next"), "done");
		await second.run("go on");
		const rows = await figures(second);
		expect(rows.map(({ name }) => name)).toEqual(["A", "B"]);
		expect(rows[0]?.ms).toBeLessThanOrEqual(worked + performance.now() - again);
	});
});
