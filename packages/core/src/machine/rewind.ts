// Applies a rewind: the user returns run and files to the start of an earlier visit, or undoes a rewind.
// Nothing changes before the files are restored; a rewind undoes the decisions and the knowledge since its target, and is itself undoable.

import { counted } from "../definition/index.ts";
import { checkedOutIn, type FileChange, nameFiles } from "../snapshot/index.ts";
import { advance, moveTo } from "./advance.ts";
import { notice } from "./budget/budget.ts";
import { stopChildren } from "./children/settle-children.ts";
import { refuseDiscarded } from "./children/take-copy.ts";
import { rewindDecisions } from "./decision-record.ts";
import { isState, planOf } from "./plan/plan.ts";
import { reloadTemplate } from "./reload.ts";
import type { FilesRestored, FilesUnrestored, LedgerEvent } from "./run/event.ts";
import { takeUp } from "./run/left-stage.ts";
import { isRefusal, type Reduced, refuse } from "./run/refusal.ts";
import type { Run } from "./run/run.ts";
import type { RewindRequested } from "./run/user-event.ts";
import { stopWorker } from "./shutdown.ts";
import { decidedEarlier } from "./user-decisions.ts";

type Restoring = Extract<Run["stage"], { kind: "restoring" }>;

/** The last rewind that can be undone, as the command after which the run is as before it; `undefined`: there is none. */
export function undoOf(run: Run): string | undefined {
	const last = run.kept.at(-1);
	if (!last || missingCandidates(run, { to: last.visit, state: last.state }) !== undefined) return undefined;
	return `rewind kept-${last.seq}`;
}

/** Why a visit that chooses a child cannot start again: the candidates no longer exist. */
function missingCandidates(run: Run, { to, state }: Pick<RewindRequested, "to" | "state">): string | undefined {
	const arrived = run.history.find(({ visit }) => visit === to - 1);
	if (arrived?.cause !== "children" || planOf(run, arrived.from).children?.take !== "one") return undefined;
	if (run.candidates?.judge === state && run.candidates.group.visit === arrived.visit) return undefined;
	return `The children that visit ${to} chooses from no longer exist: rewind to visit ${arrived.visit} ("${arrived.from}").`;
}

export function onRewindRequested(before: Run, event: LedgerEvent & RewindRequested): Reduced {
	const run = takeUp(before);
	const { stage } = run;
	const loaded = event.reload ? reloadTemplate(run, event.reload, event.state) : run;
	if (isRefusal(loaded)) return loaded;
	if (!isState(loaded, event.state)) return refuse("unknown_state", `"${event.state}" is not a state of this run.`);
	if (event.to < 1 || event.to > run.visit) return refuse("illegal", `The run has ${run.visit} visits.`);
	const earlier = decidedEarlier(run, event.seen && { visit: event.seen.visit });
	if (earlier) return earlier;
	const discarded = refuseDiscarded(run);
	if (discarded) return discarded;
	const gone = missingCandidates(run, event);
	if (gone !== undefined) return refuse("illegal", gone);
	const { kind, to, state, tree, snapshot, pairMoves, kept, reload } = event;
	const known = { kept, ...(reload ? { reload } : {}) };
	const rewind: RewindRequested = { kind, to, state, tree, snapshot, pairMoves, ...known };
	if (run.children && (stage.kind === "children" || stage.kind === "waiting" || stage.kind === "asking"))
		return stopChildren({ ...run, status: "running", hold: null }, "abort", { kind: "rewind", rewind });
	// Nobody restores the files of the rewind that was given up, and what was there before it is kept.
	if (stage.kind === "restoring" && run !== before) return { ...run, stage: { ...stage, rewind } };
	return startRewind(run, rewind);
}

function startRewind(run: Run, rewind: RewindRequested): Reduced {
	const { stage } = run;
	switch (stage.kind) {
		case "deciding":
		case "children":
		case "restoring":
			return refuse("unexpected", "A rewind has not ended yet: wait for it, or resume the run if it was interrupted.");
		case "stopping":
			return { ...run, status: "running", stage: { ...stage, how: "now", after: { kind: "rewind", rewind } } };
		case "launching":
		case "working":
			return stopWorker(run, "now", { kind: "rewind", rewind });
		case "awaiting_provider":
		case "waiting":
		case "asking":
		case "baselining":
		case "over":
			return {
				...run,
				status: "running",
				stage: { kind: "restoring", rewind, back: { status: run.status, stage }, before: null },
			};
	}
}

/** Files that are named in the sentence about a rewind. */
const maxNamed = 8;

export function onFilesRestored(run: Run, event: LedgerEvent & (FilesRestored | FilesUnrestored)): Reduced {
	const { stage } = run;
	if (stage.kind !== "restoring" || stage.rewind.tree !== event.tree)
		return refuse("stale", "No rewind is in progress.");
	if (event.kind === "files_unrestored") return giveUp(run, stage, event);
	const { to, state, snapshot, pairMoves, kept: from, reload } = stage.rewind;
	const undo = run.kept.at(-1);
	const { left = [], leftMore = 0, changes = [], more = 0 } = event;
	const notBack = left.length + leftMore;
	const where =
		from === undefined ? `at the start of visit ${to}` : `as they were in visit ${to}, before a rewind (kept-${from})`;
	const missing = notBack > 0 ? ` Not brought back: ${nameFiles(left, notBack)}.` : "";
	const detail = `Files and run are back ${where}.${changedText(event.changes, more)}${missing}`;
	const hold = { status: "paused", cause: "rewound", detail } as const;
	const rewound = {
		...(from === undefined ? { to } : { kept: from }),
		files: changes.length + more,
		left: notBack,
		leftFirst: left.slice(0, 5),
	};
	const kept = run.kept.map((one) => (one === undo ? { ...one, rewound } : one));
	const back = { ...run, ...checkedOutIn(event) };
	const noted = notBack > 0 ? notice(back, `Not brought back by the rewind: ${nameFiles(left, notBack)}`) : back;
	// Ids are never reused, not even after a rewind.
	const known = { ...snapshot, nextId: Math.max(snapshot.nextId, run.snapshot.nextId) };
	const baseline = { tree: event.now ?? event.tree, ...checkedOutIn(event) };
	const loaded = reload ? reloadTemplate(noted, reload, state) : noted;
	const current = isRefusal(loaded) ? noted : loaded;
	const decisions = rewindDecisions(run.decisions, stage.rewind, run.visit);
	const moved = moveTo({ ...current, kept, snapshot: known, decisions, pairMoves, baseline, hold }, state, "rewind");
	const way = undoOf(moved);
	return way === undefined ? moved : { ...moved, hold: { ...hold, detail: `${detail} ${way} undoes it.` } };
}

/** What the rewind has changed in the files, with the first names; nothing where it is unknown. */
function changedText(changes: readonly FileChange[] | undefined, more: number): string {
	if (!changes) return "";
	const count = changes.length + more;
	if (count === 0) return " No file had to be changed.";
	const named = changes.slice(0, maxNamed).map(({ path, from }) => (from === undefined ? path : `${from} → ${path}`));
	const others = count > named.length ? ` and ${count - named.length} more` : "";
	return ` ${counted(count, "file")} changed: ${named.join(", ")}${others}.`;
}

/** The run where it was before a rewind whose files could not be restored. */
function giveUp(run: Run, { before, back = null }: Restoring, { detail: why }: FilesUnrestored): Run {
	const undo = run.kept.at(-1);
	const way = before && undo ? ` What was there before is kept: rewind kept-${undo.seq}.` : "";
	const detail = `The files could not be brought back: ${why}${way}`;
	const noted = notice(run, detail);
	// Older ledgers do not record the stage to return to.
	if (back) return { ...noted, ...back };
	return advance({ ...noted, hold: { status: "paused", cause: "workspace", detail } }, "resumed");
}
