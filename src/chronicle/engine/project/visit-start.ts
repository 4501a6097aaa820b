// What the record says of one visit: how it began, and which kept states of the files lie around it. Read off the events.

import type { ReadLedger, Snapshot } from "../../core/index.ts";
import { foldEvent, type Run, startRun } from "../../core/index.ts";

/** Where a visit began, and what was known then. */
export interface VisitStart {
	readonly visit: number;
	readonly state: string;
	/** `null`: its files could not be measured. */
	readonly tree: string | null;
	readonly snapshot: Snapshot;
	readonly pairMoves: Readonly<Record<string, number>>;
}

/** How visit `visit` began; `undefined` where it has not got that far. Folds the whole record up to it. */
export async function startOfVisit(ledger: Pick<ReadLedger, "events">, visit: number): Promise<VisitStart | undefined> {
	let run: Run | undefined;
	for await (const event of ledger.events()) {
		run = run ? foldEvent(run, event) : startRun(event);
		// A visit has begun once its files are known: until then the one before it is being put to rest.
		if (run?.visit !== visit || !run.baseline) continue;
		const { state, baseline, snapshot, pairMoves } = run;
		return { visit, state, tree: baseline.tree, snapshot, pairMoves };
	}
	return undefined;
}

/** What was there when a rewind took it away; `seq` is the event that kept it. `undefined` where there is no such event. */
export async function keptBefore(
	ledger: Pick<ReadLedger, "events">,
	seq: number,
): Promise<(VisitStart & { readonly kept: number }) | undefined> {
	let run: Run | undefined;
	for await (const event of ledger.events()) {
		run = run ? foldEvent(run, event) : startRun(event);
		if (event.seq < seq) continue;
		if (!run || event.seq > seq || event.kind !== "files_measured" || event.purpose !== "before") return undefined;
		const { visit, state, snapshot, pairMoves } = run;
		return { visit, state, tree: event.tree, snapshot, pairMoves, kept: seq };
	}
	return undefined;
}

export interface VisitTrees {
	readonly state: string;
	/** Kept state of the files at its start and, where it is over or was looked at, at its end. */
	readonly before: string | undefined;
	readonly after: string | undefined;
}

/** The kept states of the files around every visit, by its number. */
export async function treesOfVisits(ledger: Pick<ReadLedger, "events" | "run">): Promise<Map<number, VisitTrees>> {
	const visits = new Map<number, VisitTrees>();
	let current: { readonly visit: number; readonly state: string } = { visit: 1, state: ledger.run.plan.initial };
	let restored: string | undefined;
	const note = (visit: number, state: string, found: Partial<VisitTrees>): void => {
		const known = visits.get(visit) ?? { state, before: undefined, after: undefined };
		visits.set(visit, { ...known, ...found });
	};
	for await (const event of ledger.events()) {
		if (event.kind === "moved") {
			const left = visits.get(event.visit);
			current = { visit: event.visit + 1, state: event.to };
			// What was measured before the move, or is measured after it, is where the next visit begins; files that came back are.
			note(current.visit, current.state, { before: event.cause === "rewind" ? restored : left?.after });
		} else if (event.kind === "files_measured" && event.purpose === "baseline")
			note(event.visit, current.state, { before: event.tree });
		else if (event.kind === "files_measured") {
			note(event.visit, visits.get(event.visit)?.state ?? current.state, { after: event.tree });
			if (event.visit === current.visit - 1) note(current.visit, current.state, { before: event.tree });
		} else if (event.kind === "files_restored") {
			restored = event.now ?? event.tree;
			note(current.visit, current.state, { after: event.before });
		}
	}
	return visits;
}
