// kill -9 of the supervisor at its named points, one after another in one run, each time gone on with in another process. Real pi, scripted
// model. What must hold at the end is in stage.ts.
import { expect, it } from "vitest";
import { openModelServer } from "../../harness/model-server.ts";
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
])("R17 R23 R24 %s", { timeout: 120_000 }, async (_, points) => {
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
	timeout: 60_000,
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
