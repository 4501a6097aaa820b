// A supervisor in a separate process, to be killed: the real store, launcher and git workspace, run from the sources. It reads its parameters
// from the environment and writes one JSON line when the run exists and one when its supervision is over.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openSource } from "@pi-chronicle/core/definition";
import { SCHEMA_VERSION } from "@pi-chronicle/core/machine";
import type { Approver, Clock, CommandRunner, HeldLedger } from "@pi-chronicle/core/ports";
import { hashCommands, hashDefinition, readTemplate } from "@pi-chronicle/core/template";
import { openFileStore } from "../../src/local/ledger/index.ts";
import { type CommandPlace, runStateCommand } from "../../src/local/project/state-command.ts";
import { supervise } from "../../src/local/supervisor/index.ts";
import { freezeRunRules, openProjectLauncher } from "../../src/local/worker/index.ts";
import { openGitWorkspace } from "../../src/local/workspace/index.ts";
import { findPi, isPiCommand, ownPiSearch } from "../../src/pi/index.ts";
import { processStart } from "../../src/process/index.ts";
import { askingTask, userAnswer } from "./sample-run.ts";

export interface KillOrders {
	readonly cwd: string;
	readonly home: string;
	readonly agentFolder: string;
	/** Absolute path of the template. */
	readonly template: string;
	/** Id of the run to continue; absent: a new one. */
	readonly run?: string;
	/** The extension that workers load. */
	readonly worker: string;
	/** The user's answer: `nobody` leaves the run waiting. */
	readonly approval: "yes" | "nobody" | "no, then yes";
	/** Workers that are kept ready. */
	readonly standby: number;
}

export const ordersVariable = "CHRONICLE_KILL_ORDERS";

const clock: Clock = {
	now: () => Date.now(),
	sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 50))),
};

const commands: CommandRunner = {
	run: (command, cwd, timeoutMs) =>
		new Promise((resolve) => {
			const child = spawn("/bin/sh", ["-c", command], { cwd, stdio: "ignore", timeout: timeoutMs });
			child.on("exit", (code) => resolve({ result: { kind: "exited", code: code ?? 1 }, output: "" }));
		}),
};

async function main(orders: KillOrders): Promise<void> {
	const sessions = join(orders.cwd, ".pi", "chronicle", "sessions");
	const store = openFileStore({ sessions, clock });
	const held = orders.run === undefined ? await begin() : await store.open(orders.run);
	if (!held.ok) throw new Error(held.failure.message);
	const ledger: HeldLedger = held.value;
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) throw new Error(pi.message);
	let asked = 0;
	const approver: Approver = {
		async approve() {
			asked += 1;
			if (orders.approval === "nobody") return { kind: "undecided" };
			return orders.approval === "yes" || asked > 1 ? { kind: "approved" } : { kind: "rejected", words: "Plan again." };
		},
		// Without standbys, the worker's process is stopped before the answer comes.
		async ask() {
			await new Promise((resolve) => setTimeout(resolve, orders.standby > 0 ? 20 : 150));
			return orders.approval === "nobody" ? undefined : userAnswer;
		},
		answer: async () => ({ kind: "undecided" }),
	};
	const place: CommandPlace = {
		...{ run: ledger.run.id, standing: () => "approved", agentFolder: orders.agentFolder, env: process.env },
		rules: () => freezeRunRules(orders.cwd, orders.home, orders.agentFolder),
	};
	say({ run: ledger.run.id });
	const supervision = supervise(
		ledger,
		{
			launcher: openProjectLauncher({
				cwd: orders.cwd,
				home: orders.home,
				agentFolder: orders.agentFolder,
				trust: "trusted",
				pi,
				env: process.env,
				workerEntry: orders.worker,
				standby: { max: orders.standby, waitMs: 60_000 },
			}),
			workspace: openGitWorkspace({
				cwd: orders.cwd,
				folder: ledger.folder,
				leftOut: [join(orders.cwd, ".pi", "chronicle")],
			}),
			approver,
			commands,
			runStateCommand: (order, signal) => runStateCommand(place, order, signal),
			clock,
			questionMs: 50,
			self: { host: "here", pid: process.pid, started: processStart(process.pid) ?? "" },
		},
		orders.run === undefined ? "fresh" : "reopened",
	);
	const end = await supervision.ended;
	say({ ended: end.kind, status: end.run.status, ...(end.kind === "failed" ? { failure: end.failure } : {}) });

	async function begin() {
		const text = readFileSync(orders.template, "utf8");
		const { read, diagnostics } = readTemplate(openSource(orders.template, text), orders.template);
		if (!read) throw new Error(JSON.stringify(diagnostics));
		const { template, definition } = read;
		const approved = hashCommands(template);
		return store.create({
			kind: "created",
			schemaVersion: SCHEMA_VERSION,
			id: randomUUID(),
			template: { name: template.name, hash: hashDefinition(definition), definition, file: orders.template },
			task: askingTask,
			model: "scripted/one",
			...(approved === undefined ? {} : { cleanupApproval: approved }),
		});
	}
}

function say(line: object): void {
	process.stdout.write(`${JSON.stringify(line)}\n`);
}

const orders = process.env[ordersVariable];
if (orders !== undefined) await main(JSON.parse(orders));
