// kill -9 of the supervisor at its named points, one after another in one run, each time gone on with in another process. Real pi, scripted
// model. What must hold at the end is in stage.ts.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openModelServer } from "../../harness/model-server.ts";
import { patient } from "../../harness/patience.ts";
import { answer, requestsOfPlay } from "./play.ts";
import { openKillStage } from "./stage.ts";

it.each<[string, string[]]>([
	[
		"around the launch of a worker and what it saves",
		[
			"before files_measured",
			"before attempt_reserved",
			"after attempt_reserved",
			"worker is up",
			"after worker_started",
			"before snapshot_updated",
			"after snapshot_updated",
			"after tool_started",
		],
	],
	[
		"around a move with an approval",
		[
			"before move_requested",
			"after move_requested",
			"before worker_ended",
			"after worker_ended",
			"before doing ask_approval",
			"before approved",
			"after approved",
			"before moved",
			"after moved",
		],
	],
	[
		"around cleanup and the end of the run",
		[
			"after moved#2",
			"before doing clean_up",
			"before cleanup_ended",
			"after cleanup_ended",
			"before files_measured",
			"before finished",
			"after finished",
		],
	],
])("R17 R23 R24 %s", { timeout: patient(120_000) }, async (_, points) => {
	const server = await openModelServer(answer);
	const stage = openKillStage(server);
	let run: string | undefined;
	for (const point of points) {
		const supervisor = stage.supervisor(run === undefined ? {} : { run }, point);
		run ??= await supervisor.run;
		expect((await supervisor.over).exit, `dies at "${point}"`).toEqual({ kind: "killed", signal: "SIGKILL" });
	}
	if (run === undefined) throw new Error("no run");
	await stage.finish(run);
	await stage.inspect(run);
	// A kill costs at most the one answer that was on its way.
	expect(server.requests.length).toBeLessThanOrEqual(requestsOfPlay + points.length);
});

it("R24 R26 resumed while its worker still lives: that one is stopped first, and there are never two", {
	timeout: patient(60_000),
}, async () => {
	const server = await openModelServer(answer);
	const stage = openKillStage(server);
	const first = stage.supervisor();
	const run = await first.run;
	await server.waitForRequest(1);
	// A supervisor that is frozen is not dead: nobody may take its run.
	if (first.child.pid) process.kill(first.child.pid, "SIGSTOP");
	const other = await stage.supervisor({ run }).over;
	expect(other.exit).not.toEqual({ kind: "exited", code: 0 });
	if (first.child.pid) process.kill(first.child.pid, "SIGCONT");
	expect((await first.over).last).toEqual({ ended: "parked", status: "done" });
	await stage.inspect(run);
});

it("R26 R47 a supervisor that awakes after its run was taken from it does nothing to it, nor to the other's worker", {
	timeout: patient(60_000),
}, async () => {
	const server = await openModelServer(answer);
	const stage = openKillStage(server);
	const first = stage.supervisor();
	const run = await first.run;
	await server.waitForRequest(1);
	if (first.child.pid) process.kill(first.child.pid, "SIGSTOP");
	// What the refusal tells a person to do who knows that the other one is dead: here it is not.
	const folder = stage.project.path(join(".pi", "chronicle", "sessions", run));
	for (const name of readdirSync(folder).filter((name) => name.startsWith("lease."))) rmSync(join(folder, name));
	const second = stage.supervisor({ run });
	const started = async () =>
		(await stage.events(run)).findLast(({ kind, fence }) => kind === "worker_started" && (fence ?? 0) > 1);
	await expect.poll(started, { timeout: patient(20_000) }).toBeDefined();
	if (first.child.pid) process.kill(first.child.pid, "SIGCONT");
	expect((await first.over).last).toMatchObject({ ended: "failed", failure: { reason: "fenced" } });
	expect((await second.over).last).toEqual({ ended: "parked", status: "done" });
	const ends = (await stage.events(run)).flatMap((event) =>
		event.kind === "worker_ended" ? [event.outcome.kind] : [],
	);
	expect(ends).toEqual(["lost", "stopped", "stopped", "stopped"]);
	await stage.inspect(run);
});
