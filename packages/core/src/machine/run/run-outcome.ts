// The result of a run: what its last state with a summary has handed over, and what the run has found and left open. Pure.
import type { ChangeTotals, Finding, MeasuredChanges } from "../../snapshot/index.ts";
import { changedFiles, closingSummaries, cutText, summariesText } from "../../snapshot/index.ts";
import type { ApprovalQuestion } from "./approval-question.ts";
import type { ChildRun } from "./child-group.ts";
import type { Run } from "./run.ts";

/** Maximum bytes of a worker's summary in the record of its visit and in a question; the snapshot has all of it. */
export const SUMMARY_BYTES = 4000;

export interface RunOutcome {
	/** The last state that has left a summary; the run's state if none has. */
	readonly state: string;
	readonly visit: number;
	/** Its summary; empty if there is none. */
	readonly summary: string;
	/** The ledger has the whole summary. */
	readonly cut: boolean;
	/** The unresolved findings of that state; of a run that is not done, all of them. Oldest first. */
	readonly findings: readonly Finding[];
	/** Number of unresolved findings that are not listed here. */
	readonly moreFindings: number;
	/** The tasks that are still pending. */
	readonly pendingTasks: readonly Finding[];
	/** The children of the current visit, if the run ended among them. */
	readonly children: readonly Pick<ChildRun, "name" | "status" | "summary" | "detail">[];
	/** All files that the run has changed. */
	readonly files: ChangeTotals;
}

/** The result so far of a run, whether it has ended or not. */
export function outcomeOf(run: Run): RunOutcome {
	const { snapshot, status } = run;
	const closing = closingSummaries(snapshot.summaries);
	const [last] = closing;
	const state = last?.state ?? run.state;
	const findings =
		status === "done" ? snapshot.findings.filter((finding) => finding.state === state) : snapshot.findings;
	const all = snapshot.findings.length + snapshot.dropped.findings;
	return {
		state,
		visit: last?.visit ?? run.visit,
		summary: summariesText(closing),
		cut: closing.some(({ cut }) => cut),
		findings,
		moreFindings: all - findings.length,
		pendingTasks: snapshot.pendingTasks,
		children: (run.children?.children ?? []).map(({ name, status, summary, detail }) => ({
			name,
			status,
			summary,
			detail,
		})),
		files: changedFiles(snapshot),
	};
}

/** The whole summary of the worker whose move `question` asks about; the question has only its beginning. */
export function wholeSummary({ snapshot }: Run, { summary, visit, state }: ApprovalQuestion): string {
	const own = snapshot.summaries.findLast(
		(one) => one.visit === visit && one.state === state && one.child === undefined,
	);
	const beginning = cutText(own?.text ?? "", SUMMARY_BYTES).text;
	// The program may have put words before it.
	return own && summary.endsWith(beginning)
		? `${summary.slice(0, summary.length - beginning.length)}${own.text}`
		: summary;
}

/** The changes of the current visit as last measured. An earlier version has measured them into the list of the run's files only. */
export function visitChanges({ visit, visitRecord: { changed }, snapshot }: Run): MeasuredChanges {
	if (changed) return { changes: changed.first, total: changed.total };
	return { changes: snapshot.files.filter((file) => file.visit === visit) };
}
