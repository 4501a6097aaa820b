// A stage for the supervisor's loop alone: the real store in memory, and a launcher whose workers play a script in this process. Real
// workers are tested in test/chronicle/worker and in the runs of test/chronicle/runs.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openMemoryStore } from "../../../src/chronicle/ledger/index.ts";
import type { ApprovalQuestion } from "../../../src/chronicle/machine/index.ts";
import type {
	Approval,
	Clock,
	HeldLedger,
	LaunchOrder,
	LedgerStore,
	SupervisorPorts,
	Worker,
	WorkerHost,
} from "../../../src/chronicle/supervisor/index.ts";
import { hashCleanup, readTemplate } from "../../../src/chronicle/template/index.ts";
import { openSource } from "../../../src/definition/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { openCopiedWorkspace } from "./copied-workspace.ts";

/** What a worker does after it is up; it ends when this resolves. */
export type Play = (host: WorkerHost, order: LaunchOrder, ended: Promise<"boundary" | "now">) => Promise<void>;

export interface Stage {
	/** The folder that the run works in. */
	readonly folder: string;
	readonly store: LedgerStore;
	readonly ports: SupervisorPorts;
	readonly orders: LaunchOrder[];
	readonly commands: string[];
	readonly questions: ApprovalQuestion[];
	create(template: object, task?: string): Promise<HeldLedger>;
}

const clock: Clock = { now: () => Date.now(), sleep: async () => {} };

/** Opens a stage; `plays` are taken one per launch, `approvals` one per question. */
export function openStage(plays: Play[], approvals: Approval[] = []): Stage {
	const orders: LaunchOrder[] = [];
	const commands: string[] = [];
	const questions: ApprovalQuestion[] = [];
	const folder = openFolder();
	const store = openMemoryStore({ clock, folder: join(folder, ".pi") });
	const ok = <T>(value: T) => ({ ok: true as const, value });
	const ports: SupervisorPorts = {
		clock,
		self: { host: "here", pid: process.pid, started: "now" },
		launcher: {
			check: async () => [],
			retire: async () => {},
			spent: async () => undefined,
			stopStrays: async () => ({ stopped: 0, left: 0 }),
			async launch(order, host) {
				orders.push(order);
				const play = plays.shift();
				if (!play) return { ok: false, failure: { reason: "spawn", detail: "The script has no more workers." } };
				let stop: (how: "boundary" | "now") => void = () => {};
				const told = new Promise<"boundary" | "now">((resolve) => {
					stop = resolve;
				});
				const ended = new Promise<void>((resolve) => setImmediate(resolve))
					.then(() => Promise.race([play(host, order, told).then(() => told), told.then((how) => how)]))
					.then(() => ({ kind: "stopped" as const }));
				const worker: Worker = {
					started: { pid: 1, started: "s", model: "m/m", conversation: "new" },
					send: async () => true,
					end: (how) => stop(how),
					allow: () => {},
					ended,
				};
				return ok(worker);
			},
		},
		workspace: openCopiedWorkspace(folder),
		approver: {
			async approve(question) {
				questions.push(question);
				return approvals.shift() ?? { kind: "undecided" };
			},
			answer: async () => ({ kind: "undecided" }),
		},
		commands: {
			async run(command) {
				commands.push(command);
				return { result: { kind: "exited", code: 0 }, output: "" };
			},
		},
	};
	return {
		folder,
		store,
		ports,
		orders,
		commands,
		questions,
		async create(template, task = "do it") {
			const { read, diagnostics } = readTemplate(openSource("/t.json", JSON.stringify(template)), "t");
			if (!read) throw new Error(JSON.stringify(diagnostics));
			const cleanup = hashCleanup(read.template);
			const created = await store.create({
				kind: "created",
				schemaVersion: 1,
				id: randomUUID(),
				template: { name: "t", hash: read.hash, definition: read.definition },
				task,
				...(cleanup ? { cleanupApproval: cleanup } : {}),
			});
			if (!created.ok) throw new Error(created.failure.message);
			return created.value;
		},
	};
}

/** A worker that asks for one move and waits to be ended. */
export const moveTo =
	(target: string, summary = "done"): Play =>
	async (host, _order, ended) => {
		await host.requestMove(target, summary);
		await ended;
	};
