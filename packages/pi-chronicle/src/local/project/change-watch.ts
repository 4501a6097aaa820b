// Counts the files that the current visit of a live run has changed so far, for display only; records nothing.
// The files are measured only after a call that may have changed some, and less often the longer the visit takes, to stay cheap in large projects;
// a failed measurement reports nothing.
import type { LedgerEvent, Run } from "@pi-chronicle/core/machine";
import type { ChangeTotals } from "@pi-chronicle/core/snapshot";
import type { SupervisedRun } from "./supervised-run.ts";

export interface VisitChanges extends ChangeTotals {
	readonly visit: number;
}

/** Minimum milliseconds between two measurements. */
const minMs = 3000;
/** Maximum share of time spent measuring, and the share of a visit's age between two measurements. */
const shareOfTime = 0.05;
const shareOfAge = 0.1;
const harmless = new Set(["read", "grep", "find", "ls", "workflow_transition", "workflow_update_snapshot"]);

/** Calls `later` after `ms` milliseconds; the returned function cancels it. */
export type Schedule = (ms: number, later: () => void) => () => void;

/** Reports the changes of the current visit to `listener` until the returned function is called. */
export function watchChanges(
	{ supervision, workspace }: Pick<SupervisedRun, "supervision" | "workspace">,
	after: Schedule,
	listener: (changes: VisitChanges) => void,
): () => void {
	let waiting: (() => void) | undefined;
	let looking = false;
	let stale = false;
	let ended = false;
	const control = new AbortController();
	let lastLook = 0;
	let lookTook = 0;
	let visitBegan = performance.now();
	let visit = supervision.run.visit;

	const look = async (): Promise<void> => {
		const { run } = supervision;
		const before = run.baseline?.tree;
		if (ended || before === undefined || before === null || run.stage.kind !== "working") return;
		looking = true;
		stale = false;
		const began = performance.now();
		try {
			const now = await workspace.snapshot({ signal: control.signal });
			const compared = now.ok ? await workspace.changes(before, now.value.tree, 0, control.signal) : now;
			if (compared.ok && !ended && supervision.run.visit === run.visit) {
				listener({ visit: run.visit, ...compared.value.total });
			}
		} catch {
			// The supervision reports files that cannot be measured when it measures them itself.
		} finally {
			looking = false;
			lastLook = performance.now();
			lookTook = lastLook - began;
			if (stale) soon();
		}
	};
	const soon = (): void => {
		stale = true;
		if (waiting || looking || ended) return;
		const now = performance.now();
		const gap = Math.max(minMs, lookTook / shareOfTime, (now - visitBegan) * shareOfAge);
		waiting = after(Math.max(minMs / 3, lastLook + gap - now), () => {
			waiting = undefined;
			void look();
		});
	};
	const unwatch = supervision.watch((run: Run, event: LedgerEvent) => {
		if (run.visit !== visit) {
			visit = run.visit;
			visitBegan = performance.now();
			waiting?.();
			waiting = undefined;
		}
		if (event.kind === "tool_ended" && event.blocked === undefined && !harmless.has(event.tool)) soon();
	});
	return () => {
		ended = true;
		control.abort();
		waiting?.();
		unwatch();
	};
}
