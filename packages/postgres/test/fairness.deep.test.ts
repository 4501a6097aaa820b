// A host of several projects takes their runs in turn, whatever waits in each.
import { describe, expect, it } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { moveTo } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { openHostStage } from "./host-stage.ts";

describe("a host", needsPostgres, () => {
	it("takes a run of each project in turn, of each the most urgent first", { timeout: patient(60_000) }, async () => {
		const projects = ["big", "middle", "small"];
		const stage = await openHostStage(projects);
		const backlog = { big: [1, 2, 3, 4, 5], middle: [11, 12], small: [21] };
		for (const [project, runs] of Object.entries(backlog)) for (const n of runs) await stage.submit(n, { project });
		const order: number[] = [];
		const play = (n: number) => {
			order.push(n);
			return moveTo("done");
		};
		const host = await stage.host("a", { slots: 1, projects, play });
		await expect.poll(() => order.length, { timeout: patient(40_000) }).toBe(8);
		expect(order).toEqual([1, 11, 21, 2, 12, 3, 4, 5]);
		await host.stop();
	});
});
