// Cost of a supervisor compared with its workers: its own time per state, and idle cost while a run waits.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Run } from "@pi-chronicle/core/machine";
import { call, fixtureExtension, openBench, say } from "../packages/pi-chronicle/test/harness/index.ts";
import type { Project } from "../packages/pi-chronicle/test/harness/project.ts";
import { type Figures, median } from "./figure.ts";
import { installedPackage } from "./packed.ts";
import { playBarePi, playRun } from "./play.ts";

const states = 16;

/** Supervises a run of `definition` until it parks; returns the run and the milliseconds from each recorded launch intent to the next. */
async function play(project: Project, definition: object): Promise<{ readonly run: Run; readonly perState: number[] }> {
	const intents: number[] = [];
	const run = await playRun(project, definition, {
		root: installedPackage(),
		// The model answers immediately, so each worker start counts in full.
		standby: { max: 0 },
		watch: ({ kind }) => {
			if (kind === "attempt_reserved") intents.push(performance.now());
		},
	});
	return { run, perState: intents.slice(1).map((at, index) => at - (intents[index] ?? at)) };
}

/** Options of any pi that resembles a worker, apart from the worker extension. */
const dressed = (project: Project) => [
	"-e",
	fixtureExtension("empty"),
	"--session",
	project.path(`${randomUUID()}.jsonl`),
];

export async function bench(): Promise<Figures> {
	const ring = Object.fromEntries(
		Array.from({ length: states }, (_, n) => [
			`s${n}`,
			{ persona: "Walker", next: [n + 1 < states ? `s${n + 1}` : "done"] },
		]),
	);
	const { project } = await openBench({
		git: true,
		files: { "a.txt": "a\n" },
		script: (request) => {
			const [, state] = /the state "s(\d+)"/.exec(request.users[0] ?? "") ?? [];
			if (state === undefined) return say("Something.");
			const next = Number(state) + 1;
			const target = next < states ? `s${next}` : "done";
			return call("workflow_transition", { target_state: target, summary: "On." });
		},
	});
	await playBarePi(project);
	const alone: number[] = [];
	const likeWorkers: number[] = [];
	const pis = async () => {
		for (let n = 0; n < states / 2; n++) {
			alone.push(await playBarePi(project));
			likeWorkers.push(await playBarePi(project, dressed(project)));
		}
	};
	await pis();
	const { run, perState } = await play(project, { name: "bench", limits: { moves: states + 1 }, states: ring });
	if (run.status !== "done") throw new Error(`The run is ${run.status}: ${run.notices.join(" ")}`);
	await pis();

	const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
	const before = timers();
	const waiting = await play(project, {
		name: "bench",
		states: {
			s0: { persona: "Walker", requires_approval: true, next: ["s1"] },
			s1: { persona: "Walker", next: ["done"] },
		},
	});
	if (waiting.run.status !== "awaiting_approval") throw new Error(`The run is ${waiting.run.status}.`);
	const used = process.cpuUsage();
	const seconds = 3;
	await sleep(seconds * 1000);
	const { user, system } = process.cpuUsage(used);
	// Not right after the worker has ended: a standby for the next state would start a moment later.
	const left = timers() - before;
	return {
		name: "supervisor",
		rows: [
			{ figure: "one state, from launch intent to launch intent", value: median(perState), unit: "ms" },
			{ figure: "a bare pi with one answer, from start to exit", value: median(alone), unit: "ms" },
			{
				figure: "the same with an empty extension and a session, like a worker",
				value: median(likeWorkers),
				unit: "ms",
			},
			{
				figure: "the supervisor's own time per state",
				value: Math.max(0, median(perState) - median(alone)),
				unit: "ms",
				must: { most: 60 },
			},
			{ figure: "timers while a run waits", value: left, unit: "timers", must: { most: 0 } },
			{
				figure: "share of one core while a run waits",
				value: ((user + system) / 1e6 / seconds) * 100,
				unit: "%",
				must: { most: 0.5 },
			},
		],
		how: `A run of ${states} states with real workers on a scripted server, no standby, durable appends, file snapshots in a repository; medians. The bare pi starts with the same options, without extension and session.`,
	};
}
