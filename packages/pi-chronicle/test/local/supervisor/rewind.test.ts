// Rewinding to an earlier visit and undoing that, interrupted or not.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { UserEvent } from "@pi-chronicle/core/machine";
import { expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { moveTo } from "./scripted-launcher.ts";
import { openStage } from "./stage.ts";

const two = {
	name: "t",
	states: { plan: { persona: "Planner", next: ["build"] }, build: { persona: "Builder", next: ["finished"] } },
};

it("an interrupted rewind still knows the files that it started with", async () => {
	const stage = openStage([moveTo("build"), moveTo("finished")]);
	const file = join(stage.folder, "a.txt");
	writeFileSync(file, "at first\n");
	const { run } = await supervise(await stage.create(two), stage.ports, "fresh").ended;
	const mine = "written by the person since\n";
	writeFileSync(file, mine);
	const measured = (await stage.events(run.id)).find(
		(event) => event.kind === "files_measured" && event.purpose === "baseline",
	);
	const back: UserEvent = {
		kind: "rewind_requested",
		to: 1,
		state: "plan",
		tree: measured?.kind === "files_measured" ? measured.tree : "",
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
	const cut = supervise(await stage.reopen(run.id), dying, "reopened");
	expect(await cut.submit(back)).toEqual({ refused: undefined });
	expect(await cut.ended).toMatchObject({ kind: "failed" });
	expect(readFileSync(file, "utf8")).toBe("half");
	const goOn = await supervise(await stage.reopen(run.id), stage.ports, "reopened").ended;
	expect(goOn.run).toMatchObject({ status: "paused", state: "plan", hold: { cause: "rewound" } });
	expect(readFileSync(file, "utf8")).toBe("at first\n");
	const restored = (await stage.events(run.id)).find(({ kind }) => kind === "files_restored");
	await stage.ports.workspace.restore(restored?.kind === "files_restored" ? restored.before : "");
	expect(readFileSync(file, "utf8")).toBe(mine);
});
