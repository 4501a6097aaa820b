// Applies the user's decisions: approve, reject, resume, release, pause, abort, rewind, limits, messages.
// P1 an answer names the event that it answers and applies once; P2 only these events end a wait; P3 nothing here launches a worker: every
// launch passes the gate in `advance.ts`.

import { HUMAN_INTERVENTION } from "../template/index.ts";
import { advance, decideOn, escalate, finishInState, moveTo, startAgain } from "./advance.ts";
import { measures, notice, reached } from "./budget.ts";
import { overrideWinner, winnerOf } from "./candidates.ts";
import { type ChildGroup, isSettled } from "./child-group.ts";
import { chooseResolution, continueChildren, reviveChildren } from "./children.ts";
import type { FilesRestored, FilesUnrestored, LedgerEvent } from "./event.ts";
import { MESSAGE_LENGTH, OUTBOX_LENGTH, queueMessage } from "./outbox.ts";
import { isState, planOf } from "./plan.ts";
import { isRefusal, type Reduced, type Refusal, refuse } from "./refusal.ts";
import { reloadTemplate } from "./reload.ts";
import type { Run } from "./run.ts";
import { stopChildren } from "./settle-children.ts";
import { nameFiles, pauseWorker, stopWorker } from "./shutdown.ts";
import { startTake } from "./take.ts";
import type {
	AbortRequested,
	Approved,
	LimitsChanged,
	ModelChanged,
	PauseRequested,
	Rejected,
	Released,
	Reopened,
	Resumed,
	RewindRequested,
	Seen,
	TemplateReload,
	Told,
} from "./user-event.ts";

const over = () => refuse("over", "The run is over.");

/** Why a decision based on `seen` does not apply to the current run; `undefined` if it does. */
export function decidedEarlier({ visit, attempt, state }: Run, seen: Seen | undefined): Refusal | undefined {
	if (!seen) return undefined;
	const now = `the run is in visit ${visit} ("${state}") now: look at it again.`;
	if (seen.visit !== visit)
		return refuse("earlier", `This was decided in an earlier visit (visit ${seen.visit}); ${now}`);
	if (seen.attempt === undefined || seen.attempt === 0 || seen.attempt === attempt) return undefined;
	return refuse(
		"earlier",
		`This was decided in an earlier attempt (${seen.visit}.${seen.attempt}); the current attempt is ${attempt}: look at it again.`,
	);
}

/** `seq` of the event that an answer must name now; `undefined` while the run waits for no answer. */
export function awaitedAnswer({ stage }: Run): number | undefined {
	switch (stage.kind) {
		case "asking":
			return stage.question.seq;
		case "waiting":
		case "over":
			return stage.since;
		case "stopping":
			// The supervisor died while asking; the same question is asked again.
			return stage.after.kind === "ask" ? stage.after.earlier?.seq : undefined;
		default:
			return undefined;
	}
}

/** The refusal of an answer that does not match the current wait. */
function answered(run: Run, { seen }: { readonly seen?: Seen }): Refusal {
	const earlier = decidedEarlier(run, seen && { visit: seen.visit });
	if (earlier) return earlier;
	switch (run.stage.kind) {
		case "asking":
		case "waiting":
			return refuse("answered", "The run is waiting for something else now: look at it again.");
		case "over":
			return refuse("answered", `The run is over (${run.status}) and waits for no answer.`);
		default:
			return refuse("answered", `This was already answered; the run continues in "${run.state}".`);
	}
}

export function onApproved(run: Run, event: LedgerEvent & Approved): Reduced {
	const { stage } = run;
	if (stage.kind !== "asking") return answered(run, event);
	const { seq, diff, target, side } = stage.question;
	if (seq !== event.answers || diff !== event.diff) return answered(run, event);
	const queued = queueMessage({ ...run, status: "running" }, event.seq, event.words);
	const agreed =
		event.winner === undefined ? queued : overrideWinner(queued, stage.question, event.winner, event.words);
	if (isRefusal(agreed)) return agreed;
	if (side === "conflict")
		return event.choice
			? chooseResolution(agreed, event.choice, event.resolved)
			: refuse("illegal", "The files conflict. Choose how to resolve the conflict: ours, theirs, worker or hand.");
	if (side === "entry" && target === run.state)
		return advance({ ...agreed, visitRecord: { ...run.visitRecord, granted: true } }, "entered");
	const { terminal } = planOf(run);
	if (winnerOf(agreed, target) !== undefined) return startTake(agreed, terminal ? null : target);
	return terminal ? finishInState(agreed) : moveTo(agreed, target, "worker");
}

export function onRejected(run: Run, event: LedgerEvent & Rejected): Reduced {
	const { stage } = run;
	if (stage.kind !== "asking" || stage.question.seq !== event.answers) return answered(run, event);
	const queued = queueMessage(run, event.seq, event.words);
	const { target, side } = stage.question;
	if (side === "conflict")
		return advance(
			{ ...queued, hold: { status: "paused", cause: "person", detail: "The conflicts of the join are not resolved." } },
			"resumed",
		);
	if (side === "entry" && target === run.state) {
		const hold = {
			status: "paused",
			cause: "person",
			detail: `A person does not want "${run.state}" to begin yet.`,
		} as const;
		return advance({ ...queued, hold }, "entered");
	}
	const rejections = run.visitRecord.rejections + 1;
	const noted: Run = {
		...queued,
		status: "running",
		visitRecord: { ...run.visitRecord, rejections, tries: 0, crashes: 0, nudges: 0, use: undefined },
	};
	return rejections >= run.plan.limits.rejections
		? escalate(noted, "rejection_limit", target)
		: startAgain(noted, "rejected", stage.question.diff);
}

export function onResumed(run: Run, event: LedgerEvent & Resumed): Reduced {
	const { stage } = run;
	if (stage.kind !== "waiting" || stage.since !== event.answers) return answered(run, event);
	if (run.status === "human_intervention")
		return refuse(
			"unexpected",
			"The run waits in human_intervention: release it to the requested move or to another state.",
		);
	const loaded = event.reload ? reloadWhileWaiting(run, event.reload) : run;
	if (isRefusal(loaded)) return loaded;
	const measure = reached(loaded);
	if (measure) return refuse("limit", `The ceiling on ${measure.name} is still reached: raise it first.`);
	const fresh: Run = {
		...queueMessage(loaded, event.seq, event.words),
		status: "running",
		hold: null,
		visitRecord: { ...run.visitRecord, tries: 0, crashes: 0, nudges: 0, use: undefined },
	};
	if (run.children) return continueChildren(reviveChildren(fresh));
	return advance(fresh, fresh.conversation ? "resumed" : "entered");
}

function reloadWhileWaiting(run: Run, reload: TemplateReload): Reduced {
	if (run.children)
		return refuse(
			"illegal",
			`The children of visit ${run.visit} were planned with the earlier template. To drop them and plan again: rewind ${run.visit} --reload.`,
		);
	return reloadTemplate(run, reload, run.state);
}

export function onReleased(run: Run, event: LedgerEvent & Released): Reduced {
	const { stage } = run;
	const waitsFor = stage.kind === "asking" ? stage.question.seq : stage.kind === "waiting" ? stage.since : undefined;
	if (waitsFor !== event.answers) return answered(run, event);
	const queued = queueMessage(run, event.seq, event.words);
	if (event.done && run.children)
		return stopChildren({ ...queued, status: "running" }, "abort", { kind: "finish", status: "done", detail: "" });
	if (event.done) return decideOn({ ...queued, hold: null }, { kind: "finished", status: "done" });
	if (run.status !== "human_intervention") return sendElsewhere(queued, event.to);
	// For a terminal state's worker, the refused move is the end of the run.
	const endsThere = event.to === undefined && run.refused !== null && planOf(run, run.refused.from).terminal;
	if (endsThere && run.refused?.cause === "rejection_limit")
		return decideOn(queued, { kind: "finished", status: "done" });
	const to = event.to ?? run.refused?.to;
	if (to === undefined || !isState(run, to)) return unknownState(run, to);
	return moveTo(queued, to, "released");
}

/** From a question or a pause, the user may send the run to any state; there is no refused move to release. */
function sendElsewhere(run: Run, to: string | undefined): Reduced {
	if (to === undefined)
		return refuse(
			"unexpected",
			`The run is not in ${HUMAN_INTERVENTION}: name the state to go to, or ${run.status === "awaiting_approval" ? "approve or reject the move" : "resume it"}.`,
		);
	if (!isState(run, to)) return unknownState(run, to);
	if (run.children) return stopChildren(run, "abort", { kind: "move", to });
	return moveTo({ ...run, status: "running", hold: null }, to, "person");
}

function unknownState(run: Run, name = ""): Reduced {
	return refuse("unknown_state", `"${name}" is not a state of this run. Its states are ${stateNames(run)}.`);
}

function stateNames(run: Run): string {
	return [...run.plan.states.keys()]
		.filter((name) => name !== HUMAN_INTERVENTION)
		.map((name) => `"${name}"`)
		.join(", ");
}

export function onReopened(run: Run, event: LedgerEvent & Reopened): Reduced {
	const { stage } = run;
	if (stage.kind !== "over" || stage.since !== event.answers) return answered(run, event);
	if (!isState(run, event.to)) return unknownState(run, event.to);
	return moveTo(queueMessage(run, event.seq, event.words), event.to, "reopened");
}

export function onLimitsChanged(run: Run, event: LedgerEvent & LimitsChanged): Reduced {
	if (run.stage.kind === "over") return over();
	const { state, limits } = event;
	if (state !== undefined && !isState(run, state))
		return refuse("unknown_state", `"${state}" is not a state of this run.`);
	const changed: Run = {
		...run,
		limits:
			state === undefined
				? { ...run.limits, run: { ...run.limits.run, ...limits } }
				: { ...run.limits, states: { ...run.limits.states, [state]: { ...run.limits.states[state], ...limits } } },
	};
	const at = state === undefined ? changed : { ...changed, state };
	const low = measures(at, event.at).find(
		({ name, figure, spent, ceiling }) =>
			limits[figure] !== undefined && name.includes(" of ") === (state !== undefined) && spent >= ceiling,
	);
	if (low) return refuse("limit", `The ceiling on ${low.name} must be above the amount already spent (${low.spent}).`);
	if (limits.moves !== undefined && state === undefined && limits.moves <= run.moves.counted)
		return refuse("limit", `The ceiling on moves must be above the ${run.moves.counted} already made.`);
	return { ...changed, warned: [] };
}

export function onModelChanged(run: Run, event: LedgerEvent & ModelChanged): Reduced {
	return run.stage.kind === "over" ? over() : { ...run, model: event.model };
}

export function onTold(run: Run, event: LedgerEvent & Told): Reduced {
	if (run.stage.kind === "over") return over();
	const earlier = decidedEarlier(run, event.seen);
	if (earlier) return earlier;
	if (run.children) return refuse("unexpected", explainChildren(run.children));
	if (run.outbox.length >= OUTBOX_LENGTH)
		return refuse("limit", `${OUTBOX_LENGTH} messages are already queued for the worker.`);
	if (event.text.length > MESSAGE_LENGTH)
		return refuse(
			"limit",
			`A message can have at most ${MESSAGE_LENGTH} characters: put the long part in a file and name the file.`,
		);
	return queueMessage(run, event.seq, event.text);
}

function explainChildren({ children }: ChildGroup): string {
	const open = children.filter((child) => !isSettled(child));
	if (open.length === 0) return "This state is done by child runs, and all of them have ended.";
	const named = open.slice(0, 10).map(({ id, name }) => `${id.slice(0, 8)} (${name})`);
	const listed = [...named, ...(open.length > 10 ? [`${open.length - 10} more`] : [])].join(", ");
	return `This state is done by child runs. Send the message to one of them: ${listed}.`;
}

export function onPauseRequested(run: Run, event: LedgerEvent & PauseRequested): Reduced {
	const { stage } = run;
	const { cause, detail } = event;
	const held: Run = { ...run, hold: run.hold ?? { status: "paused", cause, detail } };
	switch (stage.kind) {
		case "over":
			return over();
		case "waiting":
		case "asking":
			return refuse("unexpected", "The run is already waiting.");
		case "deciding":
		case "baselining":
		case "restoring":
			return held;
		case "stopping":
			return { ...held, stage: { ...stage, how: "now" } };
		case "children":
			return run.children?.phase === "working" && !run.children.stopping
				? stopChildren(held, "pause", { kind: "park" })
				: held;
		case "launching":
		case "working": {
			const how = cause === "person" && stage.kind === "working" ? "boundary" : "now";
			return pauseWorker(held, how);
		}
	}
}

export function onAbortRequested(run: Run, event: LedgerEvent & AbortRequested): Reduced {
	const { stage } = run;
	const detail = event.words?.slice(0, 300) ?? "";
	if (run.children && stage.kind !== "over")
		return stopChildren({ ...run, status: "running" }, "abort", { kind: "finish", status: "aborted", detail });
	switch (stage.kind) {
		case "over":
			return over();
		case "stopping":
			return {
				...run,
				status: "running",
				stage: { ...stage, how: "now", after: { kind: "finish", status: "aborted", detail } },
			};
		case "launching":
		case "working":
			return stopWorker(run, "now", { kind: "finish", status: "aborted", detail });
		case "deciding":
		case "children":
		case "waiting":
		case "asking":
		case "baselining":
		case "restoring":
			return decideOn(run, { kind: "finished", status: "aborted", ...(detail ? { detail } : {}) });
	}
}

/** Why a visit that chooses a child cannot start again: the candidates no longer exist. */
function missingCandidates(run: Run, { to, state }: RewindRequested): string | undefined {
	const arrived = run.history.find(({ visit }) => visit === to - 1);
	if (arrived?.cause !== "children" || planOf(run, arrived.from).children?.take !== "one") return undefined;
	if (run.candidates?.judge === state && run.candidates.group.visit === arrived.visit) return undefined;
	return `The children that visit ${to} chooses from no longer exist: rewind to visit ${arrived.visit} ("${arrived.from}").`;
}

export function onRewindRequested(run: Run, event: LedgerEvent & RewindRequested): Reduced {
	const { stage } = run;
	const loaded = event.reload ? reloadTemplate(run, event.reload, event.state) : run;
	if (isRefusal(loaded)) return loaded;
	if (!isState(loaded, event.state)) return refuse("unknown_state", `"${event.state}" is not a state of this run.`);
	if (event.to < 1 || event.to > run.visit) return refuse("illegal", `The run has ${run.visit} visits.`);
	const earlier = decidedEarlier(run, event.seen && { visit: event.seen.visit });
	if (earlier) return earlier;
	const gone = missingCandidates(run, event);
	if (gone !== undefined) return refuse("illegal", gone);
	const { kind, to, state, tree, snapshot, pairMoves, kept, reload } = event;
	const known = { ...(kept === undefined ? {} : { kept }), ...(reload ? { reload } : {}) };
	const rewind: RewindRequested = { kind, to, state, tree, snapshot, pairMoves, ...known };
	if (run.children && (stage.kind === "children" || stage.kind === "waiting" || stage.kind === "asking"))
		return stopChildren({ ...run, status: "running", hold: null }, "abort", { kind: "rewind", rewind });
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

export function onFilesRestored(run: Run, event: LedgerEvent & (FilesRestored | FilesUnrestored)): Reduced {
	const { stage } = run;
	if (stage.kind !== "restoring" || stage.rewind.tree !== event.tree)
		return refuse("stale", "No rewind is in progress.");
	const { to, state, snapshot, pairMoves, kept: from, reload } = stage.rewind;
	const undo = run.kept.at(-1);
	if (event.kind === "files_unrestored") {
		const way = stage.before && undo ? ` What was there before is kept: rewind kept-${undo.seq}.` : "";
		const detail = `The files could not be brought back: ${event.detail}${way}`;
		const noted = notice(run, detail);
		// Older ledgers do not record the stage to return to.
		const { back = null } = stage;
		if (back) return { ...noted, ...back };
		return advance({ ...noted, hold: { status: "paused", cause: "workspace", detail } }, "resumed");
	}
	const { left = [], leftMore = 0, changes = [], more = 0 } = event;
	const notBack = left.length + leftMore;
	const where =
		from === undefined ? `at the start of visit ${to}` : `as they were in visit ${to}, before a rewind (kept-${from})`;
	const missing = notBack > 0 ? ` Not brought back: ${nameFiles(left, notBack)}.` : "";
	const way = undo ? ` rewind kept-${undo.seq} undoes it.` : "";
	const detail = `Files and run are back ${where}.${missing}${way}`;
	const hold = { status: "paused", cause: "rewound", detail } as const;
	const rewound = { files: changes.length + more, left: notBack, leftFirst: left.slice(0, 5) };
	const kept = run.kept.map((one) => (one === undo ? { ...one, rewound } : one));
	const noted = notBack > 0 ? notice(run, `Not brought back by the rewind: ${nameFiles(left, notBack)}`) : run;
	// Ids are never reused, not even after a rewind.
	const known = { ...snapshot, nextId: Math.max(snapshot.nextId, run.snapshot.nextId) };
	const baseline = { tree: event.now ?? event.tree };
	const loaded = reload ? reloadTemplate(noted, reload, state) : noted;
	const current = isRefusal(loaded) ? noted : loaded;
	return moveTo({ ...current, kept, snapshot: known, pairMoves, baseline, hold }, state, "rewind");
}
