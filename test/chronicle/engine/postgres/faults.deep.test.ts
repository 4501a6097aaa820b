// Every case of faults.ts, several at a time, each on its own stage: real pi, real Postgres, real git, one process per host.
import { beforeAll, describe, it } from "vitest";
import { keepForFile } from "../../../harness/lifetime.ts";
import { patient } from "../../../harness/patience.ts";
import { needsPostgres } from "../../../harness/postgres.ts";
import { type EngineHost, type EngineStage, openEngineStage, openStageModel } from "./engine-stage.ts";
import { type Fault, faults } from "./faults.ts";

/** Most of a case is waiting for leases. */
const stages = 3;

describe("a run on an engine finishes", needsPostgres, () => {
	const idle: EngineStage[] = [];
	const waiting: ((stage: EngineStage) => void)[] = [];

	beforeAll(async () => {
		const server = await openStageModel();
		idle.push(...(await Promise.all(Array.from({ length: stages }, () => openEngineStage(server)))));
	}, patient(120_000));

	// What a case opens lives until the file ends: the lifetimes of tests are not for tests at the same time.
	it.concurrent.each(Object.entries(faults))("when %s", { timeout: patient(400_000) }, (_name, play) =>
		keepForFile(async () => {
			const stage = idle.pop() ?? (await new Promise<EngineStage>((resolve) => waiting.push(resolve)));
			await playCase(stage, play).finally(() => {
				const next = waiting.shift();
				if (next) next(stage);
				else idle.push(stage);
			});
		}),
	);
});

async function playCase(stage: EngineStage, play: Fault): Promise<void> {
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
}
