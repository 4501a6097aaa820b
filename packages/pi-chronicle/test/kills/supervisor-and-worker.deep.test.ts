// kill -9 of the supervisor, of the worker and of both, at points of a worker's lifetime. Real pi, scripted model.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ModelRequest } from "../harness/model-request.ts";
import { openModelServer } from "../harness/model-server.ts";
import { patient } from "../harness/patience.ts";
import type { Reply } from "../harness/reply.ts";
import { answer, requestsOfPlay, stateOf, stepOf } from "./sample-run.ts";
import { type KillStage, openKillStage, type Supervisor } from "./stage.ts";

type Victim = "supervisor" | "worker" | "both";

/** Moments, in the order in which the sample run reaches them. */
const moments = [
	"before the first token",
	"in the middle of an answer",
	"in the middle of a command",
	"during cleanup",
] as const;
type Moment = (typeof moments)[number];

/** The moment that a request is, if it is one that has not been yet. */
function momentOf(request: ModelRequest): Moment | undefined {
	const at = `${stateOf(request)} ${stepOf(request)}`;
	if (at === "planning 0") return "before the first token";
	if (at === "planning 1") return "in the middle of an answer";
	return undefined;
}

it.each<[Victim, number]>([
	["supervisor", 2],
	["worker", 2],
	["both", 2],
	["supervisor", 0],
	["worker", 0],
	["both", 0],
])("kill -9 of the %s, at most %i standbys", { timeout: patient(120_000) }, async (victim, standby) => {
	let reached: (moment: Moment) => void = () => {};
	const been = new Set<Moment>();
	const server = await openModelServer(async (request): Promise<Reply> => {
		const reply = answer(request);
		const moment = momentOf(request);
		if (moment === undefined || been.has(moment)) return reply;
		been.add(moment);
		setTimeout(() => reached(moment), moment === "in the middle of an answer" ? 150 : 0);
		if (moment === "before the first token") await sleep(600);
		return reply.kind === "message" ? { ...reply, chunk: 3, delay: 40 } : reply;
	});
	const stage = openKillStage(server, standby);
	const wait = (moment: Moment): Promise<void> =>
		new Promise((resolve) => {
			reached = (at) => at === moment && resolve();
			const marker =
				moment === "in the middle of a command" ? "in-bash" : moment === "during cleanup" ? "in-cleanup" : undefined;
			if (marker === undefined) return;
			const look = (): void => {
				if (stage.project.exists(marker)) resolve();
				else setTimeout(look, 10);
			};
			look();
		});

	let supervisor = stage.supervisor();
	const run = await supervisor.run;
	for (const moment of moments) {
		const killed = moment === "during cleanup" && victim === "worker" ? undefined : moment;
		if (killed === undefined) continue;
		await Promise.race([
			wait(moment),
			supervisor.over.then(({ last }) => Promise.reject(new Error(JSON.stringify(last)))),
		]);
		supervisor = await kill(victim, moment, stage, supervisor, run);
	}
	expect((await supervisor.over).last).toEqual({ ended: "parked", status: "done" });
	await stage.inspect(run);
	expect(server.requests.length).toBeLessThanOrEqual(requestsOfPlay + moments.length);
	const told = server.requests.flatMap(({ users }) => users).join("\n");
	expect(told).toContain("In flight");
	expect(told).toContain("touch in-bash");
});

/** Kills, and returns the supervisor that continues: the same one if it was not killed. */
async function kill(
	victim: Victim,
	moment: Moment,
	stage: KillStage,
	supervisor: Supervisor,
	run: string,
): Promise<Supervisor> {
	if (victim !== "worker") {
		await supervisor.child.kill();
		await supervisor.over;
	}
	if (victim !== "supervisor" && moment !== "during cleanup") await stage.killWorker(run);
	return victim === "worker" ? supervisor : stage.supervisor({ run });
}
