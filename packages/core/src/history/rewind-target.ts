// Targets of a rewind, read from the ledger: the start of a visit, or the state that an earlier rewind replaced.
import type { ReadLedger } from "../ports/index.ts";
import { RunHistory } from "./run-history.ts";
import type { VisitStart } from "./visit.ts";

/** The start of visit `number`; `undefined` if the run has not reached it. Reads the ledger up to that point. */
export async function startOfVisit(
	ledger: Pick<ReadLedger, "events">,
	number: number,
): Promise<VisitStart | undefined> {
	const history = new RunHistory();
	for await (const event of ledger.events()) {
		history.take(event);
		const start = history.visit(number)?.start;
		if (start) return start;
	}
	return undefined;
}

/** The state that a rewind replaced. `seq` is the event that kept it; `undefined` if there is no such event. */
export async function keptBefore(ledger: Pick<ReadLedger, "events">, seq: number): Promise<VisitStart | undefined> {
	const history = new RunHistory();
	for await (const event of ledger.events()) {
		const step = history.take(event);
		if (event.seq !== seq) continue;
		if (!step || event.kind !== "files_measured" || event.purpose !== "before") return undefined;
		const { visit, state, snapshot, pairMoves } = step.after;
		return { visit, state, tree: event.tree, checkedOut: event.checkedOut, snapshot, pairMoves };
	}
	return undefined;
}
