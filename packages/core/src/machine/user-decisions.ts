// Applies the user's decisions: approve, reject, resume, release, pause, abort, rewind, limits, messages.
// An answer names the event that it answers and applies once; only these events end a wait; nothing here launches a worker: every
// launch passes the gate in `advance.ts`.

import { HUMAN_INTERVENTION } from "../template/index.ts";
import { advance, decideOn, escalate, finishInState, moveTo, park, startAgain } from "./advance.ts";
import { isAnswerTo, openQuestion } from "./approval.ts";
import { measures, reached, spentText } from "./budget/budget.ts";
import { overrideWinner, winnerOf } from "./candidates.ts";
import { chooseResolution, continueChildren, reviveChildren } from "./children/children.ts";
import { stopChildren } from "./children/settle-children.ts";
import { startTake } from "./children/take.ts";
import { refuseDiscarded } from "./children/take-copy.ts";
import { addDecision, hearDecision, releaseSubject, resumeSubject, subjectOf } from "./decision-record.ts";
import { MESSAGE_LENGTH, OUTBOX_LENGTH } from "./outbox.ts";
import { isState, planOf } from "./plan/plan.ts";
import { reloadTemplate } from "./reload.ts";
import { type ChildGroup, isSettled } from "./run/child-group.ts";
import type { LedgerEvent } from "./run/event.ts";
import { shutdownLeft, takeUp } from "./run/left-stage.ts";
import { isRefusal, type Reduced, type Refusal, refuse } from "./run/refusal.ts";
import type { Run } from "./run/run.ts";
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
	Seen,
	TemplateReload,
	Told,
} from "./run/user-event.ts";
import { dueQuestion, unansweredQuestion } from "./run/user-question.ts";
import { pauseWorker, stopWorker } from "./shutdown.ts";
import { tryProvider } from "./worker.ts";

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
export function awaitedAnswer(run: Run): number | undefined {
	const { stage } = run;
	const question = dueQuestion(run) ?? openQuestion(run);
	if (question) return question.seq;
	switch (stage.kind) {
		case "awaiting_provider":
		case "waiting":
		case "over":
			return stage.since;
		default:
			return undefined;
	}
}

/** The refusal of an answer that does not match the current wait. */
function answeredEarlier(run: Run, { seen }: { readonly seen?: Seen }): Refusal {
	const earlier = decidedEarlier(run, seen && { visit: seen.visit });
	if (earlier) return earlier;
	switch (run.stage.kind) {
		case "asking":
		case "awaiting_provider":
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
	if (stage.kind !== "asking") return answeredEarlier(run, event);
	const { diff, target, side } = stage.question;
	if (!isAnswerTo(stage.question, event.answers) || diff !== event.diff) return answeredEarlier(run, event);
	const about = subjectOf(stage.question, event);
	const queued = hearDecision({ ...run, status: "running" }, event, { did: "approved", about });
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
	if (stage.kind !== "asking" || !isAnswerTo(stage.question, event.answers)) return answeredEarlier(run, event);
	const queued = hearDecision(run, event, { did: "rejected", about: subjectOf(stage.question) });
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
			detail: `The user does not want "${run.state}" to begin yet.`,
		} as const;
		return advance({ ...queued, hold }, "entered");
	}
	const rejections = run.visitRecord.rejections + 1;
	const noted: Run = {
		...queued,
		status: "running",
		visitRecord: { ...run.visitRecord, rejections, tries: 0, crashes: 0, nudges: 0, use: undefined },
	};
	if (rejections < run.plan.limits.rejections && planOf(run).command) {
		const detail = `The user does not want the run to leave "${run.state}". Its command runs again when the run is resumed.`;
		return park(noted, { status: "paused", cause: "person", detail });
	}
	return rejections >= run.plan.limits.rejections
		? escalate(noted, "rejection_limit", target)
		: startAgain(noted, "rejected", stage.question.diff);
}

export function onResumed(run: Run, event: LedgerEvent & Resumed): Reduced {
	const { stage } = run;
	if (stage.kind === "awaiting_provider" && stage.since === event.answers && run.providerWait) {
		const heard = hearDecision(run, event, { did: "resumed", about: resumeSubject(run, event) });
		return tryProvider(heard, run.providerWait);
	}
	if (stage.kind !== "waiting" || stage.since !== event.answers) return answeredEarlier(run, event);
	if (dueQuestion(run)) return refuse("unexpected", "The run waits for the answer to a question: answer it.");
	if (run.status === "human_intervention")
		return refuse(
			"unexpected",
			"The run waits in human_intervention: release it to the requested move or to another state.",
		);
	const loaded = event.reload ? reloadWhileWaiting(run, event.reload) : run;
	if (isRefusal(loaded)) return loaded;
	// The join of a run that has ended starts none of its states.
	const measure = loaded.children?.ofCopy ? undefined : reached(loaded);
	if (measure) return refuse("limit", `The limit on ${measure.name} is still reached: raise it first.`);
	const fresh: Run = {
		...hearDecision(event.otherBranch ? withoutBranch(loaded) : loaded, event, {
			did: "resumed",
			about: resumeSubject(loaded, event),
		}),
		status: "running",
		hold: null,
		providerWait: null,
		visitRecord: { ...run.visitRecord, tries: 0, crashes: 0, nudges: 0, use: undefined },
	};
	if (stage.left && stage.left.kind !== "children") return { ...fresh, stage: stage.left };
	if (run.children) return continueChildren(reviveChildren(fresh));
	return advance(fresh, fresh.conversation ? "resumed" : "entered");
}

/** The run without the branch that its visit began on, so that no join asks about it. */
function withoutBranch(run: Run): Run {
	const { children } = run;
	if (children?.ofCopy) return { ...run, children: { ...children, ofCopy: { ...children.ofCopy, otherBranch: true } } };
	if (!run.baseline) return run;
	const { checkedOut: _, ...baseline } = run.baseline;
	return { ...run, baseline };
}

function reloadWhileWaiting(run: Run, reload: TemplateReload): Reduced {
	if (run.children)
		return refuse(
			"illegal",
			`The children of visit ${run.visit} were planned with the earlier template. To drop them and plan again: rewind ${run.visit} --reload.`,
		);
	const { stage } = takeUp(run);
	const isLeaving = stage.kind === "stopping" && !["again", "repeat", "enter"].includes(stage.after.kind);
	if (isLeaving || stage.kind === "restoring")
		return refuse(
			"illegal",
			`Visit ${run.visit} is not over in the earlier template. To leave it: rewind ${run.visit} --reload, or resume without --reload.`,
		);
	return reloadTemplate(run, reload, run.state);
}

export function onReleased(run: Run, event: LedgerEvent & Released): Reduced {
	const { stage } = run;
	const waits = stage.kind === "waiting" || stage.kind === "awaiting_provider";
	const isAwaited =
		stage.kind === "asking" ? isAnswerTo(stage.question, event.answers) : waits && stage.since === event.answers;
	if (!isAwaited) return answeredEarlier(run, event);
	const queued = hearDecision(run, event, { did: "released", about: releaseSubject(run, event) });
	if (event.done && run.children)
		return stopChildren({ ...queued, status: "running" }, "abort", { kind: "finish", status: "done", detail: "" });
	if (event.done) return endAsDone({ ...queued, hold: null });
	if (run.state !== HUMAN_INTERVENTION) return sendElsewhere(queued, event.to);
	// For a terminal state's worker, the refused move is the end of the run.
	const endsThere = event.to === undefined && run.refused !== null && planOf(run, run.refused.from).terminal;
	if (endsThere && run.refused?.cause === "rejection_limit") return endAsDone(queued);
	const to = event.to ?? run.refused?.to;
	if (to === undefined || !isState(run, to)) return unknownState(run, to);
	return moveTo({ ...queued, status: "running", hold: null }, to, "released", shutdownLeft(run, { kind: "enter" }));
}

/** Ends the run as done. If the run was given up during a shutdown, the shutdown is completed first. */
function endAsDone(run: Run): Run {
	const stage = shutdownLeft(run, { kind: "finish", status: "done", detail: "" });
	return stage ? { ...run, status: "running", hold: null, stage } : decideOn(run, { kind: "finished", status: "done" });
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
	return moveTo({ ...run, status: "running", hold: null }, to, "person", shutdownLeft(run, { kind: "enter" }));
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
	if (stage.kind !== "over" || stage.since !== event.answers) return answeredEarlier(run, event);
	if (!isState(run, event.to)) return unknownState(run, event.to);
	const discarded = refuseDiscarded(run);
	if (discarded) return discarded;
	const about = `the run, which had ended as ${run.status}: it continues in "${event.to}"`;
	return moveTo(hearDecision(run, event, { did: "reopened", about }), event.to, "reopened");
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
	if (low)
		return refuse("limit", `The limit on ${low.name} must be above the amount already spent (${spentText(low)}).`);
	if (limits.moves !== undefined && state === undefined && limits.moves <= run.moves.counted)
		return refuse("limit", `The limit on moves must be above the ${run.moves.counted} already made.`);
	return { ...changed, warned: [] };
}

export function onModelChanged(run: Run, event: LedgerEvent & ModelChanged): Reduced {
	return run.stage.kind === "over" ? over() : { ...run, model: event.model };
}

export function onTold(run: Run, event: LedgerEvent & Told): Reduced {
	if (run.stage.kind === "over") return over();
	const earlier = decidedEarlier(run, event.seen);
	if (earlier) return earlier;
	if (run.children) return refuse("unexpected", explainWaitingChildren(run.children));
	if (run.outbox.length >= OUTBOX_LENGTH)
		return refuse("limit", `${OUTBOX_LENGTH} messages are already queued for the worker.`);
	if (event.text.length > MESSAGE_LENGTH)
		return refuse(
			"limit",
			`A message can have at most ${MESSAGE_LENGTH} characters: put the long part in a file and name the file.`,
		);
	return hearDecision(run, { ...event, words: event.text }, { did: "told" });
}

function explainWaitingChildren({ children }: ChildGroup): string {
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
		case "awaiting_provider":
			return park(held, held.hold ?? { status: "paused", cause, detail });
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
			const isWriting = stage.kind === "working" && !unansweredQuestion(run);
			const how = cause === "person" && isWriting ? "boundary" : "now";
			return pauseWorker(held, how);
		}
	}
}

export function onAbortRequested(before: Run, event: LedgerEvent & AbortRequested): Reduced {
	const { words, byParent } = event;
	const run = takeUp(byParent === undefined ? addDecision(before, event, { did: "aborted", words }) : before);
	const { stage } = run;
	const detail = (byParent ?? words ?? "").slice(0, 300);
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
		case "awaiting_provider":
		case "waiting":
		case "asking":
		case "baselining":
		case "restoring":
			return decideOn(run, { kind: "finished", status: "aborted", ...(detail ? { detail } : {}) });
	}
}
