import { describe, expect, it } from "vitest";
import { openModelServer } from "../harness/model-server.ts";
import { patient } from "../harness/patience.ts";
import { answer, requestsOfPlay } from "./sample-run.ts";
import { openKillStage } from "./stage.ts";

describe.each([
	["with standbys", 2],
	["without standbys", 0],
])("%s", (_name, standby) => {
	it.each<[string, string[]]>([
		[
			"during a worker's launch and its snapshot updates",
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
			"during a move that needs approval",
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
			"while a worker asks the user",
			[
				"before ask_opened",
				"after ask_opened",
				"before doing ask_user",
				"before ask_answered",
				"after ask_answered",
				"before doing reply",
				"after doing reply",
			],
		],
		[
			"during cleanup and at the end of the run",
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
	])("%s", { timeout: patient(120_000) }, async (_, points) => {
		const server = await openModelServer(answer);
		const stage = openKillStage(server, standby);
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
});
