// A failover of the database: the primary is lost while a run is under way, and the address that hosts and users know leads to its standby.
import { describe, expect, it } from "vitest";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres, startPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { openEngineStage, openStageModel } from "./engine-stage.ts";
import { openLink } from "./link.ts";

describe("a failover to a synchronous standby", needsPostgres, () => {
	it("loses no event, records none twice and costs no attempt, also while the standby is read-only", {
		timeout: patient(120_000),
	}, async () => {
		const primary = await startPostgres();
		const link = await openLink(primary.url);
		const stage = await openEngineStage(await openStageModel(), {
			cluster: { ...primary, url: link.url },
			lease: 60,
		});
		const standby = await primary.addStandby();
		const replication = async () =>
			(await stage.database.query<{ sync_state: string }>("SELECT sync_state FROM pg_stat_replication")).rows;
		await expect.poll(replication, { timeout: patient(20_000) }).toEqual([{ sync_state: "sync" }]);
		const host = stage.host("a");
		const gate = stage.gate();
		const run = await stage.submit(gate);
		await stage.approve(run);
		await stage.untilAtGate(run);
		const before = await stage.events(run);

		primary.stop("immediate");
		link.lead(standby.url);
		// The command ends, and its end is recorded, while the standby takes no changes yet.
		gate.open();
		const isReadOnly = () => host.log().includes("read-only");
		await expect.poll(isReadOnly, { timeout: patient(40_000) }).toBe(true);
		standby.promote();
		await stage.inspect(run);
		const after = await stage.events(run);
		expect(after.slice(0, before.length)).toEqual(before);
		expect(after.filter((event) => event.kind === "worker_ended" && event.outcome.kind === "lost")).toEqual([]);
		expect(after.filter(({ kind }) => kind === "opened")).toHaveLength(1);
	});
});
