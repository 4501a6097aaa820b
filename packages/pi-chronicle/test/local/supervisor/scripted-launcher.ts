// A launcher whose workers play a script in this process: a second `WorkerLauncher`, for tests that are not about processes.

import type { Spend } from "@pi-chronicle/core/machine";
import type { LaunchOrder, Worker, WorkerHost, WorkerLauncher } from "@pi-chronicle/core/ports";

/** What a worker does after it is up; it ends when this resolves. */
export type Play = (host: WorkerHost, order: LaunchOrder, ended: Promise<"boundary" | "now">) => Promise<void>;

/** `plays` are taken one per launch; every order is added to `orders`. */
export function openScriptedLauncher(plays: Play[], orders: LaunchOrder[] = []): WorkerLauncher {
	const spent = new Map<string, Spend>();
	return {
		check: async () => [],
		keepReady: async () => {},
		abilities: async (states) => new Map(states.map((state) => [state, { edits: true, runs: true, other: false }])),
		redactSessions: async () => {},
		readSpend: async (_folder, key) => spent.get(key),
		stopOrphans: async () => ({ stopped: 0, left: 0 }),
		async launch(order, host) {
			orders.push(order);
			const play = plays.shift();
			if (!play) return { ok: false, failure: { reason: "spawn", detail: "The script has no more workers." } };
			let over = false;
			let stop: (how: "boundary" | "now") => void = () => {};
			const told = new Promise<"boundary" | "now">((resolve) => {
				stop = resolve;
			});
			const listening: WorkerHost = {
				...host,
				report(report) {
					if (over) return;
					if (report.kind === "used") spent.set(order.conversation.key, report.spend);
					host.report(report);
				},
			};
			const ended = new Promise<void>((resolve) => setImmediate(resolve))
				.then(() => Promise.race([play(listening, order, told).then(() => told), told.then((how) => how)]))
				.then(() => {
					over = true;
					return { kind: "stopped" as const };
				});
			const worker: Worker = {
				started: { pid: process.pid, started: "s", model: "scripted/one", conversation: "new" },
				send: async () => !over,
				reply: () => {},
				stop: (how) => stop(how),
				setLimits: () => {},
				ended,
			};
			return { ok: true, value: worker };
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
