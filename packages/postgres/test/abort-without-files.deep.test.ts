// An abort needs no files: a run ends although the git remote, and with it its files, is out of reach.
import { renameSync } from "node:fs";
import { expect, it } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { moveTo } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { openHostStage } from "./host-stage.ts";

const definition = { name: "T", states: { a: { persona: "A", next: ["done"], cleanup: ["touch cleaned"] } } };

it.each(["files cannot be fetched", "set-up command fails"])(
	"a run whose %s is aborted, and nothing runs",
	{
		...needsPostgres,
		timeout: patient(60_000),
	},
	async (what) => {
		const stage = await openHostStage();
		await stage.submit(1, { definition });
		const id = "aaaaaaaa-0000-4000-8000-000000000001";
		if (what === "files cannot be fetched") renameSync(stage.remote, `${stage.remote}.away`);
		value(await stage.store().post(id, { kind: "abort_requested", words: "never mind" }));
		let launches = 0;
		const host = await stage.host("a", {
			served: what === "set-up command fails" ? { setup: "exit 3" } : {},
			play:
				() =>
				async (...given) => {
					launches += 1;
					await moveTo("done")(...given);
				},
		});
		const read = async () => value(await stage.store().read(id));
		await expect.poll(async () => (await read()).run.status, { timeout: patient(30_000) }).toBe("aborted");
		await expect.poll(async () => (await read()).holder).toBe(undefined);
		expect(launches).toBe(0);
		expect(host.log.join("\n")).toMatch(/It is aborted without its files: /);
	},
);
