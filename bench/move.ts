// How long a run waits from one worker to the next.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Run, SCHEMA_VERSION } from "../src/chronicle/core/machine/index.ts";
import { hashDefinition } from "../src/chronicle/core/template/index.ts";
import { openFileStore } from "../src/chronicle/engine/ledger/index.ts";
import { supervise } from "../src/chronicle/engine/supervisor/index.ts";
import { openProjectLauncher } from "../src/chronicle/engine/worker/index.ts";
import { openGitWorkspace } from "../src/chronicle/engine/workspace/index.ts";
import { findPi, isPiCommand, linkRpc, ownPiSearch, type PiCommand } from "../src/pi/index.ts";
import { processStart, startChild } from "../src/process/index.ts";
import { call, openBench, say } from "../test/harness/index.ts";
import type { Project } from "../test/harness/project.ts";
import { type Figures, median } from "./figure.ts";
import { installedPackage } from "./packed.ts";

const clock = { now: () => Date.now(), sleep: (ms: number) => sleep(ms) };
function ownPi(): PiCommand {
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) throw new Error(pi.message);
	return pi;
}
export async function bench(): Promise<Figures> {
	const n = Number(process.env.N ?? 8);
	const approval = process.env.APPROVAL === "1";
	const think = Number(process.env.THINK ?? 900);
	const ring = Object.fromEntries(
		Array.from({ length: n }, (_, k) => [
			`s${k}`,
			{
				persona: `Walker ${k % 2}`,
				next: [k + 1 < n ? `s${k + 1}` : "done"],
				...(approval ? { requires_approval: true } : {}),
			},
		]),
	);
	const requests: { state: string; at: number }[] = [];
	const { project } = await openBench({
		git: true,
		files: { "a.txt": "a\n" },
		script: async (request) => {
			const [, state] = /the state "s(\d+)"/.exec(request.users[0] ?? "") ?? [];
			if (state === undefined) {
				requests.push({ state: "bare", at: Date.now() });
				return say("Something.");
			}
			requests.push({ state: `s${state}`, at: Date.now() });
			await sleep(think);
			const next = Number(state) + 1;
			return call("workflow_transition", { target_state: next < n ? `s${next}` : "done", summary: "On." });
		},
	});
	const cwd = project.folder;
	const own = join(cwd, ".pi", "chronicle");
	const store = openFileStore({ sessions: join(own, "sessions"), clock });
	const definition = { name: "bench", limits: { moves: n + 1 }, states: ring };
	const created = await store.create({
		kind: "created",
		schemaVersion: SCHEMA_VERSION,
		id: randomUUID(),
		template: { name: "bench", hash: hashDefinition(definition), definition },
		task: "Go.",
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
				workerEntry: process.env.ENTRY ?? join(installedPackage(), "worker.ts"),
			}),
			workspace: openGitWorkspace({ cwd, folder: ledger.folder, leftOut: [own] }),
			approver: {
				approve: async () => {
					await sleep(300);
					return { kind: "approved" };
				},
				answer: async () => ({ kind: "undecided" }),
			},
			commands: { run: async () => ({ result: { kind: "exited", code: 0 }, output: "" }) },
			clock,
			self: { host: "here", pid: process.pid, started: processStart(process.pid) ?? "" },
		},
		"fresh",
	);
	const log: { kind: string; at: number; standby?: unknown }[] = [];
	supervision.watch(
		(_, event) =>
			void log.push({ kind: event.kind, at: Date.now(), standby: (event as { standby?: unknown }).standby }),
	);
	const { kind, run } = await supervision.ended;
	console.error(kind, run.status, run.notices);
	const rows: Record<string, number>[] = [];
	let k = 0;
	for (let i = 0; i < log.length; i++) {
		const e = log[i]!;
		if (e.kind !== "moved") continue;
		k += 1;
		const req = requests.find((r) => r.state === `s${k}`);
		if (!req) continue;
		const row: Record<string, number> = {};
		for (let j = i + 1; j < log.length && log[j]!.kind !== "moved"; j++) {
			const f = log[j]!;
			if (
				["worker_ended", "files_measured", "attempt_reserved", "worker_started"].includes(f.kind) &&
				row[f.kind] === undefined
			)
				row[f.kind] = f.at - e.at;
			if (f.kind === "worker_started") {
				if (f.standby) row.standby = 1;
				break;
			}
		}
		row.request = req.at - e.at;
		rows.push(row);
	}
	console.table(rows);
	const med = median(rows.map((r) => r.request ?? 0));
	// bare
	const bare: number[] = [];
	for (let b = 0; b < 5; b++) {
		const began = Date.now();
		const { command, args } = ownPi();
		const child = startChild({
			command,
			args: [
				...args,
				"--mode",
				"rpc",
				"--no-extensions",
				"--no-skills",
				"--no-prompt-templates",
				"--no-themes",
				"--no-session",
				"--model",
				"scripted/one",
			],
			cwd,
			env: project.environment(),
		});
		const link = linkRpc(child, { activity() {}, dialog() {}, oversized() {}, event() {} });
		requests.length = 0;
		await link.send({ type: "prompt", message: "Say something." });
		while (!requests.some((r) => r.state === "bare")) await sleep(5);
		bare.push(requests[0]!.at - began);
		child.endInput();
		await child.exited;
	}
	return {
		name: "move",
		rows: [
			{ figure: "move", value: med, unit: "ms" },
			{ figure: "bare", value: median(bare), unit: "ms" },
		],
	};
}
