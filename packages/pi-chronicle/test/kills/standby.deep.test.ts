// kill -9 of a standby, of its supervisor, and of both, at points of its lifetime. Real pi, scripted model.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { findOrphans } from "../../src/process/index.ts";
import { gate } from "../harness/index.ts";
import { openModelServer } from "../harness/model-server.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { answer, requestsOfPlay, stateOf, stepOf } from "./sample-run.ts";
import { openKillStage } from "./stage.ts";

/** A run whose first worker waits for its answer until the gate opens; its standby is there. */
async function withStandby() {
	const held = gate();
	const server = await openModelServer(async (request) => {
		if (stateOf(request) === "planning" && stepOf(request) === 0) await held.opened;
		return answer(request);
	});
	const stage = openKillStage(server);
	const supervisor = stage.supervisor();
	const run = await supervisor.run;
	await server.waitForRequest(1);
	const worker = async (): Promise<number | undefined> => {
		const started = (await stage.events(run)).findLast(({ kind }) => kind === "worker_started");
		return started?.kind === "worker_started" ? started.pid : undefined;
	};
	const standbys = async (): Promise<number[]> => {
		const present = await worker();
		return findOrphans(run).flatMap(({ pid }) => (pid === present ? [] : [pid]));
	};
	await expect.poll(standbys, { timeout: patient(20_000), interval: 10 }).toHaveLength(1);
	const [standby = 0] = await standbys();
	return { held, server, stage, supervisor, run, standby };
}

const moments = [
	["right after it started", 0],
	["while it is starting", 150],
	["once it is ready", 1500],
] as const;

it.each(moments)("killing the standby %s costs only a cold start", { timeout: patient(60_000) }, async (_, ms) => {
	const { held, server, stage, supervisor, run, standby } = await withStandby();
	await sleep(ms);
	process.kill(standby, "SIGKILL");
	held.open();
	expect((await supervisor.over).last).toEqual({ ended: "parked", status: "done" });
	await stage.inspect(run);
	expect(server.requests).toHaveLength(requestsOfPlay);
	const outcomes = (await stage.events(run)).flatMap((event) =>
		event.kind === "worker_ended" ? [event.outcome.kind] : [],
	);
	expect(new Set(outcomes)).toEqual(new Set(["stopped"]));
});

it.each(moments)("killing the supervisor %s stops the standby", { timeout: patient(60_000) }, async (_, ms) => {
	const { held, stage, supervisor, run, standby } = await withStandby();
	await sleep(ms);
	await supervisor.child.kill();
	// Without anybody looking for orphans.
	const isAlive = () => findOrphans(run).some(({ pid }) => pid === standby);
	await expect.poll(isAlive, { timeout: patient(20_000), interval: 10 }).toBe(false);
	held.open();
	await stage.finish(run);
	await stage.inspect(run);
});

it("a run that waits without a user leaves no standby running; a rejection starts the state again", {
	timeout: patient(60_000),
}, async () => {
	const server = await openModelServer((request) => {
		const again = stateOf(request) === "planning" && request.users.length > 1;
		return again
			? call("workflow_transition", { target_state: "building", summary: "Planned again." })
			: answer(request);
	});
	const stage = openKillStage(server);
	const absent = stage.supervisor({ approval: "nobody" });
	const run = await absent.run;
	expect((await absent.over).last).toEqual({ ended: "parked", status: "awaiting_approval" });
	expect(findOrphans(run)).toEqual([]);
	const present = stage.supervisor({ run, approval: "no, then yes" });
	expect((await present.over).last).toEqual({ ended: "parked", status: "done" });
	await stage.inspect(run);
	const events = await stage.events(run);
	expect(events.filter(({ kind }) => kind === "rejected")).toHaveLength(1);
	expect(events.filter(({ kind }) => kind === "attempt_reserved")).toHaveLength(4);
});
