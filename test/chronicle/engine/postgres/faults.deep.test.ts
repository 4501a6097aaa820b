// Every case of faults.ts, one after another on one stage: real pi, real Postgres, real git, hosts as processes of their own.
import { beforeAll, describe, it } from "vitest";
import { patient } from "../../../harness/patience.ts";
import { needsPostgres } from "../../../harness/postgres.ts";
import { type EngineHost, type EngineStage, openEngineStage, openStageModel } from "./engine-stage.ts";
import { faults } from "./faults.ts";

describe("a run on an engine comes to its end", needsPostgres, () => {
	let stage: EngineStage;
	beforeAll(async () => {
		stage = await openEngineStage(await openStageModel());
	});
	it.each(Object.entries(faults))("when %s", { timeout: patient(240_000) }, async (_name, play) => {
		const hosts: EngineHost[] = [];
		try {
			await play(stage, (...args) => {
				const host = stage.host(...args);
				hosts.push(host);
				return host;
			});
		} catch (error) {
			for (const { name, log } of hosts) console.error(`── ${name}\n${log()}`);
			throw error;
		} finally {
			for (const { child } of hosts) await child.kill();
			stage.project.killProcesses();
		}
	});
});
