// Plays cases of faults, several at the same time on stages of their own: real pi, real Postgres, real git, hosts as processes of their own.
import { beforeAll, describe, it } from "vitest";
import { keepForFile } from "../../pi-chronicle/test/harness/lifetime.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import type { EngineHost, EngineStage } from "./engine-stage.ts";

/** Plays a case with hosts that it starts by `host`. */
export type Fault = (stage: EngineStage, host: EngineStage["host"]) => Promise<void>;

/** Most of a case is waiting for leases. */
const stages = 3;

/** A test for each case, on stages that `open` gives. */
export function describeFaults(
	title: string,
	faults: Readonly<Record<string, Fault>>,
	open: (number: number) => Promise<readonly EngineStage[]>,
): void {
	describe(title, needsPostgres, () => {
		const idle: EngineStage[] = [];
		const waiting: ((stage: EngineStage) => void)[] = [];

		beforeAll(async () => {
			idle.push(...(await open(stages)));
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
}

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
		// What it leaves must not meet the next case.
		await stage.database.query("DELETE FROM chronicle.run");
		await (await stage.database.boss()).deleteAllJobs();
		throw error;
	} finally {
		for (const { child } of hosts) await child.kill();
		stage.project.killProcesses();
	}
}
