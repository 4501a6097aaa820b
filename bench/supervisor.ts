// What a supervisor costs beside the workers that it starts: its own time per state, and nothing while a run waits.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Run, SCHEMA_VERSION } from "../src/chronicle/core/machine/index.ts";
import { hashDefinition } from "../src/chronicle/core/template/index.ts";
import { openFileStore } from "../src/chronicle/engine/ledger/index.ts";
import { nobody, supervise } from "../src/chronicle/engine/supervisor/index.ts";
import { openProjectLauncher } from "../src/chronicle/engine/worker/index.ts";
import { openGitWorkspace } from "../src/chronicle/engine/workspace/index.ts";
import { findPi, isPiCommand, linkRpc, ownPiSearch, type PiCommand } from "../src/pi/index.ts";
import { processStart, startChild } from "../src/process/index.ts";
import { call, fixtureExtension, openBench, say } from "../test/harness/index.ts";
import type { Project } from "../test/harness/project.ts";
import { type Figures, median } from "./figure.ts";
import { installedPackage } from "./packed.ts";

const states = 16;
const clock = { now: () => Date.now(), sleep: (ms: number) => sleep(ms) };
function ownPi(): PiCommand {
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) throw new Error(pi.message);
	return pi;
}

/** Supervises a run of `definition` until it rests; gives the run and the milliseconds from each recorded intent to launch to the next. */
async function play(project: Project, definition: object): Promise<{ readonly run: Run; readonly perState: number[] }> {
	const cwd = project.folder;
	const own = join(cwd, ".pi", "chronicle");
	const store = openFileStore({ sessions: join(own, "sessions"), clock });
	const created = await store.create({
		kind: "created",
		schemaVersion: SCHEMA_VERSION,
		id: randomUUID(),
		template: { name: "bench", hash: hashDefinition(definition), definition },
		task: "Go round.",
		model: "scripted/one",
	});
	if (!created.ok) throw new Error(created.failure.message);
	const ledger = created.value;
	const supervision = supervise(
		ledger,
		{
			launcher: openProjectLauncher({
				cwd,
				home: project.home,
				agentFolder: project.agentFolder,
				trust: "trusted",
				pi: ownPi(),
				env: project.environment(),
				workerEntry: join(installedPackage(), "worker.ts"),
			}),
			workspace: openGitWorkspace({ cwd, folder: ledger.folder, leftOut: [own] }),
			approver: nobody,
			commands: { run: async () => ({ result: { kind: "exited", code: 0 }, output: "" }) },
			clock,
			self: { host: "here", pid: process.pid, started: processStart(process.pid) ?? "" },
		},
		"fresh",
	);
	const intents: number[] = [];
	supervision.watch((_, event) => {
		if (event.kind === "attempt_reserved") intents.push(performance.now());
	});
	const { kind, run } = await supervision.ended;
	if (kind === "failed") throw new Error("The run could not be recorded.");
	return { run, perState: intents.slice(1).map((at, index) => at - (intents[index] ?? at)) };
}

/** What any pi of a worker's kind is started with beside what the worker is about. */
const dressed = (project: Project) => [
	"-e",
	fixtureExtension("empty"),
	"--session",
	project.path(`${randomUUID()}.jsonl`),
];

/** A pi of its own from its start to its end, with one answer of the model in between. */
async function bare(project: Project, more: readonly string[] = ["--no-session"]): Promise<number> {
	const began = performance.now();
	const { command, args } = ownPi();
	const flags = ["--mode", "rpc", "--no-extensions", "--no-skills", "--no-prompt-templates", "--no-themes", ...more];
	const child = startChild({
		command,
		args: [...args, ...flags, "--model", "scripted/one"],
		cwd: project.folder,
		env: project.environment(),
	});
	let settled: () => void = () => {};
	const answered = new Promise<void>((resolve) => {
		settled = resolve;
	});
	const link = linkRpc(child, {
		activity() {},
		dialog() {},
		oversized() {},
		event: ({ type }) => {
			if (type === "agent_settled") settled();
		},
	});
	await link.send({ type: "prompt", message: "Say something." });
	await Promise.race([answered, child.exited]);
	child.endInput();
	await child.exited;
	return performance.now() - began;
}

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
	await bare(project);
	const alone: number[] = [];
	const likeWorkers: number[] = [];
	const pis = async () => {
		for (let n = 0; n < states / 2; n++) {
			alone.push(await bare(project));
			likeWorkers.push(await bare(project, dressed(project)));
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
	const left = timers() - before;
	const used = process.cpuUsage();
	const seconds = 3;
	await sleep(seconds * 1000);
	const { user, system } = process.cpuUsage(used);
	return {
		name: "supervisor",
		rows: [
			{ figure: "one state, from intent to intent", value: median(perState), unit: "ms" },
			{ figure: "a bare pi with one answer, from start to end", value: median(alone), unit: "ms" },
			{
				figure: "the same with an empty extension and a session, as every worker has",
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
		how: `A run of ${states} states with real workers on a scripted server, every event made durable, files kept in a repository; medians. The bare pi is started with the same options, without extension and session.`,
	};
}
