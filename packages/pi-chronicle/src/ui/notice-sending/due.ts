// The notices of one run, derived from its ledger. Pure but for reading the ledger.
import { continuesAlone, foldEvent, type LedgerEvent, type Run, startRun } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { noticeKind } from "../../local/index.ts";
import type { NoticeSource } from "./notice.ts";

/** Every notice of the events after `after`, oldest first. A run that nobody supervises, although it should go on, is interrupted. */
export async function noticesOf(ledger: ReadLedger, after: number): Promise<readonly NoticeSource[]> {
	const found: NoticeSource[] = [];
	let run: Run | undefined;
	for await (const event of ledger.events()) {
		const before: Run | undefined = run;
		run = next(before, event);
		const kind = run && before && event.seq > after ? noticeKind(run, event, before) : undefined;
		if (run && before && kind !== undefined) found.push({ kind, seq: event.seq, at: event.at, run, before });
	}
	const last = ledger.run;
	if (isLeftBehind(ledger))
		found.push({ kind: "interrupted", seq: last.seq, at: last.updatedAt, run: last, before: last });
	return found;
}

function next(run: Run | undefined, event: LedgerEvent): Run | undefined {
	return (event.kind === "recovered" ? startRun(event) : run && foldEvent(run, event)) ?? startRun(event) ?? run;
}

function isLeftBehind({ run, holder, queued }: ReadLedger): boolean {
	const isLeft = holder === undefined || holder.alive === "no";
	return run.parent === null && continuesAlone(run.status) && isLeft && queued === undefined;
}
