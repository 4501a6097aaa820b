// A suspended supervisor is not dead: its run is not taken over, and once it has lost the lease it does not touch the run. Real pi, scripted model.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { openModelServer } from "../harness/model-server.ts";
import { patient } from "../harness/patience.ts";
import { answer } from "./sample-run.ts";
import { openKillStage } from "./stage.ts";

it("resuming a run stops a worker that is still alive, so that two never run at once", {
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

deepIt(
	"a supervisor that was suspended and has lost its lease changes neither the run nor the new worker",
	{
		timeout: patient(60_000),
	},
	async () => {
		const server = await openModelServer(answer);
		const stage = openKillStage(server);
		const first = stage.supervisor();
		const run = await first.run;
		await server.waitForRequest(1);
		if (first.child.pid) process.kill(first.child.pid, "SIGSTOP");
		// The remedy in the refusal, for a user who knows that the other supervisor is dead: here it is not.
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
	},
);
