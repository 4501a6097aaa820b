// The end of a child's run as its parent records it: why it ended, and what the parent keeps of it. Pure.
import type { ChildEnded, ChildRun, Run } from "@pi-chronicle/core/machine";
import { closingSummaries, cutText, outputsOf, type SnapshotData, summariesText } from "@pi-chronicle/core/snapshot";
import { totalOf } from "./child-reporter.ts";

const detailBytes = 500;

export interface EndOfChild {
	readonly run: Run;
	/** Of the event `finished`; `undefined`: another process recorded it. */
	readonly detail: string | undefined;
}

/** The event without the files of the child. */
export function endedEvent(visit: number, child: ChildRun, { run, detail }: EndOfChild): Omit<ChildEnded, "tree"> {
	const status = run.status === "done" || run.status === "failed" ? run.status : "aborted";
	const decisions = run.decisions.filter(({ undone, above }) => undone === undefined && !above);
	return {
		kind: "child_ended",
		visit,
		child: child.id,
		status,
		detail: status === "done" ? "" : cutText(endReasonOf(run, detail), detailBytes).text,
		total: totalOf(run),
		handover: {
			summary: summariesText(closingSummaries(run.snapshot.summaries)) || run.visitRecord.summary,
			data: handoverOf(child, run),
			...(decisions.length > 0 ? { decisions } : {}),
			...outputOf(run),
		},
	};
}

/**
 * Why the child is not done, on one line; empty if nothing is known. `detail`: that of its last event, if this process has seen it. Otherwise the child moved
 * to its last state for the reason in the summary, or was ended for the one in its last notice.
 */
function endReasonOf({ history, state, notices, status }: Run, detail: string | undefined): string {
	const last = history.at(-1);
	const moved = status === "failed" && last?.to === state ? last.summary : undefined;
	return (moved ?? detail ?? notices.at(-1) ?? "").replace(/\s+/g, " ").trim();
}

/** What the child's last state with data has handed over. */
function outputOf({ status, snapshot }: Run): { readonly output?: unknown } {
	const last = outputsOf(snapshot).at(-1);
	return last && status === "done" ? { output: last.data } : {};
}

/** The child's findings and open tasks, under its name, and what it has resolved of those of its parent. */
function handoverOf({ name }: ChildRun, { snapshot, inherited }: Run): SnapshotData {
	const named = (entries: Run["snapshot"]["findings"]) =>
		entries.map(({ key, text, fields, child }) => ({
			key,
			text,
			fields,
			from: child === undefined ? name : `${name}/${child}`,
		}));
	const findings = named(snapshot.findings);
	const pendingTasks = named(snapshot.pendingTasks);
	const resolve = inherited?.resolved ?? [];
	return {
		...(resolve.length > 0 ? { resolve } : {}),
		...(findings.length > 0 ? { findings } : {}),
		...(pendingTasks.length > 0 ? { pendingTasks } : {}),
	};
}
