// What a rewind can return to, read from the record: the start of a visit, or what an earlier rewind took away.
import type { ReadLedger } from "../ports/index.ts";
import { RunHistory } from "./run-history.ts";
import type { VisitStart } from "./visit.ts";

/** How visit `number` began; `undefined` where it has not got that far. Reads the record up to there. */
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

/** What was there when a rewind took it away; `seq` is the event that kept it. `undefined` where there is no such event. */
export async function keptBefore(
	ledger: Pick<ReadLedger, "events">,
	seq: number,
): Promise<(VisitStart & { readonly kept: number }) | undefined> {
	const history = new RunHistory();
	for await (const event of ledger.events()) {
		const step = history.take(event);
		if (event.seq < seq) continue;
		if (!step || event.seq > seq || event.kind !== "files_measured" || event.purpose !== "before") return undefined;
		const { visit, state, snapshot, pairMoves } = step.after;
		return { visit, state, tree: event.tree, snapshot, pairMoves, kept: seq };
	}
	return undefined;
}
