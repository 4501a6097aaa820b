// A stage for the supervisor's loop alone: the store in memory, copied files, and workers that play a script in this process. Real workers
// are tested in test/chronicle/engine/worker and test/chronicle/runs.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openSource } from "@pi-chronicle/core/definition";
import type { ApprovalQuestion, LedgerEvent } from "@pi-chronicle/core/machine";
import type {
	Approval,
	ChildOrder,
	Clock,
	HeldLedger,
	LaunchOrder,
	LedgerStore,
	SupervisorPorts,
} from "@pi-chronicle/core/ports";
import { hashCommands, readTemplate } from "@pi-chronicle/core/template";
import { openChildRuns } from "../../../src/local/project/child-runs.ts";
import { ChildTree, runsBelow } from "../../../src/local/project/run-tree.ts";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { openMemoryStore } from "../ledger/memory-store.ts";
import { value } from "../ledger/sample-events.ts";
import { openCopiedWorkspace } from "./copied-workspace.ts";
import { openScriptedLauncher, type Play } from "./scripted-launcher.ts";

export interface Stage {
	/** The folder that the run works in. */
	readonly folder: string;
	readonly store: LedgerStore;
	readonly ports: SupervisorPorts;
	readonly orders: LaunchOrder[];
	readonly commands: string[];
	readonly questions: ApprovalQuestion[];
	create(template: object, task?: string): Promise<HeldLedger>;
	/** Opens a run that no supervisor holds. */
	reopen(id: string): Promise<HeldLedger>;
	events(id: string): Promise<LedgerEvent[]>;
}

/** Opens a stage; it uses one of `plays` per launch and one of `approvals` per question; `now` is its clock. */
export function openStage(plays: Play[], approvals: Approval[] = [], now: () => number = Date.now): Stage {
	const clock: Clock = { now, sleep: async () => {} };
	const orders: LaunchOrder[] = [];
	const commands: string[] = [];
	const questions: ApprovalQuestion[] = [];
	const folder = openFolder();
	const store = openMemoryStore({ clock, folder: join(folder, ".pi") });
	const kept: Parameters<typeof openCopiedWorkspace>[1] = new Map();
	const launcher = openScriptedLauncher(plays, orders);
	const tree = new ChildTree((root) => runsBelow(store, root));
	const portsOf = (cwd: string, order?: Pick<ChildOrder, "ceilings">): SupervisorPorts => ({
		clock,
		self: { host: "here", pid: process.pid, started: "now" },
		launcher,
		workspace: openCopiedWorkspace(cwd, kept),
		...(order ? { ceilings: order.ceilings } : {}),
		children: openChildRuns({
			store,
			approvals: { statusOf: () => "approved", remember: async () => {} },
			tree,
			supervise(ledger, child, origin) {
				const childPorts = portsOf(child.cwd ?? cwd, child.order);
				return { supervision: supervise(ledger, childPorts, origin), workspace: childPorts.workspace };
			},
		}),
		approver: {
			async approve(question) {
				questions.push(question);
				return approvals.shift() ?? { kind: "undecided" };
			},
			ask: async () => undefined,
			answer: async () => ({ kind: "undecided" }),
		},
		async runStateCommand({ line, starts }) {
			await starts(line);
			commands.push(line);
			return { result: { kind: "exited", code: 0 }, ms: 1, bytes: 0 };
		},
		commands: {
			async run(command) {
				commands.push(command);
				return { result: { kind: "exited", code: command.includes("fail") ? 1 : 0 }, output: "" };
			},
		},
	});
	const ports = portsOf(folder);
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
			const cleanup = hashCommands(read.template);
			const created = await store.create({
				kind: "created",
				schemaVersion: 1,
				id: randomUUID(),
				template: { name: "t", hash: read.hash, definition: read.definition },
				task,
				...(cleanup ? { cleanupApproval: cleanup } : {}),
			});
			return value(created);
		},
		reopen: async (id) => value(await store.open(id)),
		async events(id) {
			const events: LedgerEvent[] = [];
			for await (const event of value(await store.read(id)).events()) events.push(event);
			return events;
		},
	};
}
