// Rewinding to an earlier visit and undoing that, interrupted or not.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { HeldLedger } from "../../../../src/chronicle/core/index.ts";
import type { PersonEvent } from "../../../../src/chronicle/core/machine/index.ts";
import { supervise } from "../../../../src/chronicle/engine/supervisor/index.ts";
import { moveTo } from "./scripted-launcher.ts";
import { openStage, type Stage } from "./stage.ts";

const two = {
	name: "t",
	states: { plan: { persona: "Planner", next: ["build"] }, build: { persona: "Builder", next: ["finished"] } },
};

async function reopen(stage: Stage, id: string): Promise<HeldLedger> {
	const opened = await stage.store.open(id);
	if (!opened.ok) throw new Error(opened.failure.message);
	return opened.value;
}

it("an interrupted rewind still knows the files that it started with", async () => {
	const stage = openStage([moveTo("build"), moveTo("finished")]);
	const file = join(stage.folder, "a.txt");
	writeFileSync(file, "at first\n");
	const { run } = await supervise(await stage.create(two), stage.ports, "fresh").ended;
	const mine = "written by the person since\n";
	writeFileSync(file, mine);
	const read = await stage.store.read(run.id);
	let first = "";
	if (read.ok)
		for await (const event of read.value.events())
			if (event.kind === "files_measured" && event.purpose === "baseline") first ||= event.tree;
	const back: PersonEvent = {
		kind: "rewind_requested",
		to: 1,
		state: "plan",
		tree: first,
		snapshot: run.snapshot,
		pairMoves: {},
	};
	const dying = {
		...stage.ports,
		workspace: {
			...stage.ports.workspace,
			restore: async () => {
				writeFileSync(file, "half");
				throw new Error("the power is gone");
			},
		},
	};
	const cut = supervise(await reopen(stage, run.id), dying, "reopened");
	expect(await cut.submit(back)).toEqual({ refused: undefined });
	expect(await cut.ended).toMatchObject({ kind: "failed" });
	expect(readFileSync(file, "utf8")).toBe("half");
	const goOn = await supervise(await reopen(stage, run.id), stage.ports, "reopened").ended;
	expect(goOn.run).toMatchObject({ status: "paused", state: "plan", hold: { cause: "rewound" } });
	expect(readFileSync(file, "utf8")).toBe("at first\n");
	const after = await stage.store.read(run.id);
	let before = "";
	if (after.ok)
		for await (const event of after.value.events()) if (event.kind === "files_restored") before = event.before;
	await stage.ports.workspace.restore(before);
	expect(readFileSync(file, "utf8")).toBe(mine);
});
