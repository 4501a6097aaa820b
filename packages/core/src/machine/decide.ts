// The decider: turns an event into one batch for the ledger. Pure: no disk, no clock, no randomness.
// An event and the decisions that it leads to are appended together; a prefix of a batch, as left by a crash, folds to a run that
// yields the same remaining decisions; an event that does not apply is not recorded.
import { dueApproval } from "./approval.ts";
import { awaitHost } from "./plan/host-labels.ts";
import type { EventBody, LedgerEvent } from "./run/event.ts";
import { isRefusal, type Refusal } from "./run/refusal.ts";
import type { Run } from "./run/run.ts";
import { foldEvent, reduce } from "./transition.ts";

/** Events to append in one write, in order, and the run after them. */
export interface Batch {
	readonly events: readonly EventBody[];
	readonly run: Run;
}

/**
 * The events to record for `event` at `at` (ISO 8601): decisions cut off by a crash, the event, and the decisions that it leads to.
 * `offered`: labels of this host of an engine; absent: it does every state.
 */
export function decide(run: Run, event: EventBody, at: string, offered?: readonly string[]): Batch | Refusal {
	const before = addDecisions({ run, events: [] }, at, offered);
	const next = reduce(before.run, stamp(event, before.run, at));
	return isRefusal(next) ? next : addDecisions({ run: next, events: [...before.events, event] }, at, offered);
}

function addDecisions(batch: Batch, at: string, offered: readonly string[] | undefined): Batch {
	const due = dueEvent(batch.run, offered);
	if (!due) return batch;
	const run = foldEvent(batch.run, stamp(due, batch.run, at));
	return addDecisions({ run, events: [...batch.events, due] }, at, offered);
}

function dueEvent(run: Run, offered: readonly string[] | undefined): EventBody | undefined {
	const { stage } = run;
	if (stage.kind !== "deciding") return dueApproval(run);
	return awaitHost(run, stage.decision, offered) ?? stage.decision;
}

/** The event with the sequence number and time that the ledger will assign. */
function stamp(event: EventBody, { seq }: Run, at: string): LedgerEvent {
	return { ...event, seq: seq + 1, at };
}
