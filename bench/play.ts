// Plays a chronicle run with real workers, and starts a bare pi for comparison.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type LedgerEvent, type Run, SCHEMA_VERSION } from "@pi-chronicle/core/machine";
import type { Approver } from "@pi-chronicle/core/ports";
import { hashDefinition } from "@pi-chronicle/core/template";
import { openFileStore } from "../packages/pi-chronicle/src/local/ledger/index.ts";
import { nobody, supervise } from "../packages/pi-chronicle/src/local/supervisor/index.ts";
import { openProjectLauncher } from "../packages/pi-chronicle/src/local/worker/index.ts";
import { openGitWorkspace } from "../packages/pi-chronicle/src/local/workspace/index.ts";
import { findPi, isPiCommand, linkRpc, ownPiSearch, type PiCommand } from "../packages/pi-chronicle/src/pi/index.ts";
import { processStart, startChild } from "../packages/pi-chronicle/src/process/index.ts";
import type { Project } from "../packages/pi-chronicle/test/harness/project.ts";

const clock = { now: () => Date.now(), sleep: (ms: number) => sleep(ms) };

function ownPi(): PiCommand {
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) throw new Error(pi.message);
	return pi;
}

export interface PlayOptions {
	/** Root folder of the package that provides the worker. */
	readonly root: string;
	/** Number of standby workers; it may change while the run is played. */
	readonly standby: { readonly max: number };
	/** Default: no approver. */
	readonly approver?: Approver;
	/** Called for every event, once it is on disk. */
	watch(event: LedgerEvent): void;
}

/** Supervises a run of `definition` in `project` until it parks. */
export async function playRun(project: Project, definition: object, options: PlayOptions): Promise<Run> {
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
				workerEntry: join(options.root, "worker.ts"),
				standby: {
					get max() {
						return options.standby.max;
					},
					waitMs: 60_000,
				},
			}),
			workspace: openGitWorkspace({ cwd, folder: ledger.folder, leftOut: [own] }),
			approver: options.approver ?? nobody,
			commands: { run: async () => ({ result: { kind: "exited", code: 0 }, output: "" }) },
			runStateCommand: async () => ({ result: { kind: "exited", code: 0 }, ms: 0, bytes: 0 }),
			clock,
			self: { host: "here", pid: process.pid, started: processStart(process.pid) ?? "" },
		},
		"fresh",
	);
	supervision.watch((_, event) => options.watch(event));
	const { kind, run } = await supervision.ended;
	if (kind === "failed") throw new Error("The run could not be recorded.");
	return run;
}

/** Runs a bare pi with one answer of the model; returns the milliseconds from start to exit. */
export async function playBarePi(project: Project, more: readonly string[] = ["--no-session"]): Promise<number> {
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
