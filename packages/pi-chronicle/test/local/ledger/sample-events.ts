// Sample events for ledger tests: a run in progress, recorded through the machine as the supervisor does.

import { decide, type EventBody, foldEvent, isRefusal, type Run } from "@pi-chronicle/core/machine";
import type { HeldLedger, Result, StoreFailure } from "@pi-chronicle/core/ports";
import { hashDefinition } from "@pi-chronicle/core/template";

export const id = "11111111-2222-4333-8444-555555555555";

export function created(
	more: { id?: string; definition?: object; task?: string } = {},
): EventBody & { kind: "created" } {
	const definition = more.definition ?? {
		name: "T",
		states: { a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["a", "done"] } },
		limits: { moves: 10_000, pair_moves: 10_000 },
	};
	return {
		kind: "created",
		schemaVersion: 1,
		id: more.id ?? id,
		template: { name: "T", hash: hashDefinition(definition), definition },
		task: more.task ?? "do it",
	};
}

export function value<T>(result: Result<T, StoreFailure>): T {
	if (!result.ok) throw new Error(JSON.stringify(result.failure));
	return result.value;
}

/** Appends one event with its decisions, and folds them. */
export async function tell(ledger: HeldLedger, run: Run, body: EventBody): Promise<Run> {
	const batch = decide(run, body, run.updatedAt);
	if (isRefusal(batch)) throw new Error(batch.message);
	return value(await ledger.append(batch.events, "durable")).reduce(foldEvent, run);
}

const tree = (n: number) => n.toString(16).padStart(40, "0");

/** One whole visit, from its launch to the next one's intent, with words of `bytes` bytes. */
export function visit(run: Run, bytes = 20): EventBody[] {
	const { visit: number, attempt, launch } = run;
	const at = { visit: number, attempt, launch };
	return [
		{
			kind: "worker_started",
			...at,
			pid: 12_345,
			model: "anthropic/claude-opus-4",
			rules: "0123456789abcdef",
			conversation: "new",
		},
		{
			kind: "move_requested",
			visit: number,
			attempt,
			target: run.state === "a" ? "b" : "a",
			summary: "x".repeat(bytes),
		},
		{ kind: "worker_ended", ...at, outcome: { kind: "stopped" } },
		{ kind: "files_measured", visit: number, purpose: "changes", tree: tree(number) },
	];
}

export const baseline: EventBody = { kind: "files_measured", visit: 1, purpose: "baseline", tree: tree(0) };
