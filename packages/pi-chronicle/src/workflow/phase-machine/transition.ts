// The workflow machine: a pure function from a run and an event to the next run and actions.
// The given run is not mutated; a running run can always be moved or ended: by `next` of a model that has read the phase, or by
// `advance` of the user; a refused event changes nothing, except that it may drop a pending cancel question; the user can always
// abandon; a decision of the model counts only in the visit in which it was made.
import {
	judgeUse,
	NO_USE,
	useMessage,
	useRequests,
	VISIT_DEFAULTS,
	type VisitLimits,
	type VisitUse,
} from "@pi-chronicle/core/bounds";
import type { EndedVisit, ExitKind, ModelDecision, WorkflowAction, WorkflowEvent, WorkflowRefusal } from "./event.ts";
import {
	currentPhase,
	definitionOf,
	loopedPosition,
	loopsLeft,
	nextPosition,
	phaseAt,
	previousPosition,
	relocate,
	scopeOf,
	waitsForUser,
} from "./position.ts";
import {
	isActive,
	type LiveWorkflowRun,
	noReminders,
	type PauseCause,
	type Position,
	type WorkflowRun,
} from "./run.ts";

export interface WorkflowTransition {
	readonly run: WorkflowRun;
	readonly actions: readonly WorkflowAction[];
}

/** Maximum number of earlier phases that `back` searches for a name. */
const farBack = 10_000;

/** Applies one event to a run. Never throws; an event that cannot be applied gives a `refused` action. */
export function workflowTransition(run: WorkflowRun, event: WorkflowEvent): WorkflowTransition {
	if (!isActive(run)) return event.kind === "begun" ? still(run) : refuseEvent(run, { kind: "ended" });
	switch (event.kind) {
		case "next":
		case "loop":
			return moveByModel(withoutCancel(run), event);
		case "cancel":
			return cancelByModel(run, event);
		case "ask":
			return askTheUser(withoutCancel(run), event);
		case "status":
		case "begun":
			return still(withoutCancel(run));
		case "abandon":
			return endWorkflow(withoutCancel(run), "cancelled", undefined);
		case "advance":
		case "skip":
		case "back":
			return moveByUser(withoutCancel(run), event);
		case "pause":
			if (run.status.kind === "paused") return refuseEvent(run, { kind: "already-paused" });
			return pause(run, event.by, event.why);
		case "resume":
			return resume(run);
		case "reload":
			return reload(run, event);
		case "spoken":
			return continueByMessage({ ...withoutCancel(run), reminders: noReminders, use: undefined });
		case "worked":
			return still(run.reminders.row === 0 ? run : { ...run, reminders: { ...run.reminders, row: 0 } });
		case "called":
			return event.fingerprints.length === 0
				? still(run)
				: countUse(run, useMessage(run.use ?? NO_USE, inRound(run, event.fingerprints)));
		case "asked":
			return countUse(run, useRequests(run.use ?? NO_USE, 1));
		case "stopped":
			return stop(run, event);
		case "failed":
			return run.status.kind === "paused" ? still(run) : pause(run, "error", event.why);
	}
}

function still(run: WorkflowRun): WorkflowTransition {
	return { run, actions: [] };
}

function refuseEvent(run: WorkflowRun, refusal: WorkflowRefusal): WorkflowTransition {
	return { run, actions: [{ kind: "refused", refusal }] };
}

function withoutCancel(run: WorkflowRun): WorkflowRun {
	return run.askedToCancel === undefined ? run : { ...run, askedToCancel: undefined };
}

function moveByModel(run: WorkflowRun, event: Extract<WorkflowEvent, { kind: "next" | "loop" }>): WorkflowTransition {
	if (run.kind === "stale") return refuseEvent(run, { kind: "stale", missing: run.missing });
	if (run.status.kind === "paused") return refuseEvent(run, { kind: "paused" });
	if (run.question !== undefined) return refuseEvent(run, { kind: "asked" });
	if (isEarlier(run, event.decision)) return refuseEvent(run, { kind: "earlier-visit", phase: currentPhase(run).name });
	const { kind: way, at, summary, gate } = event;
	if (way === "next") {
		if (waitsForUser(run))
			return refuseEvent(run, { kind: "person-decides", phase: currentPhase(run).name, wanted: "next" });
		return move(run, nextPosition(run.definitions, run.position), { way, at, summary, gate });
	}

	const scope = scopeOf(run);
	if (!scope.loopable) return refuseEvent(run, { kind: "not-loopable", scope: scope.name });
	if (loopsLeft(run) === 0)
		return refuseEvent(run, { kind: "loops-used-up", scope: scope.name, max: scope.maxLoops ?? 0 });
	return move(run, loopedPosition(run.definitions, run.position), { way, at, summary });
}

function moveByUser(
	run: WorkflowRun,
	event: Extract<WorkflowEvent, { kind: "advance" | "skip" | "back" }>,
): WorkflowTransition {
	if (run.kind === "stale") return refuseEvent(run, { kind: "stale", missing: run.missing });
	const { at } = event;
	if (event.kind === "skip") return move(run, nextPosition(run.definitions, run.position), { way: "skip", at });
	const { summary } = event;
	if (event.kind === "advance")
		return move(run, nextPosition(run.definitions, run.position), { way: "next", at, summary, by: "person" });
	const { to: name } = event;
	const target = earlier(run, name);
	if (target) return move(run, target, { way: "back", at, summary });
	return refuseEvent(
		run,
		name === undefined ? { kind: "at-start" } : { kind: "no-earlier-phase", name, names: earlierPhases(run) },
	);
}

/** The positions before the current one, nearest first. */
function* before(run: LiveWorkflowRun): Generator<Position> {
	let position = previousPosition(run.definitions, run.position);
	for (let looked = 0; position && looked < farBack; looked++) {
		yield position;
		position = previousPosition(run.definitions, position);
	}
}

/** The previous phase, or the nearest earlier one with this id or name. */
function earlier(run: LiveWorkflowRun, name: string | undefined): Position | undefined {
	const wanted = name?.toLowerCase();
	for (const position of before(run)) {
		const phase = phaseAt(run.definitions, position);
		if (wanted === undefined || phase.id === name || phase.name.toLowerCase() === wanted) return position;
	}
	return undefined;
}

/** The distinct ids of the phases before the current one, nearest first. */
export function earlierPhases(run: LiveWorkflowRun): string[] {
	return [...new Set([...before(run)].map((position) => phaseAt(run.definitions, position).id))];
}

/** Whether the model had not read the current phase, as it is defined now, when it decided. */
function isEarlier(run: LiveWorkflowRun, { seen }: ModelDecision): boolean {
	return seen !== run.step;
}

/** The model asks the user. Only the user's message, or a move by the user, ends the wait. */
function askTheUser(
	run: WorkflowRun,
	{ decision, question }: Extract<WorkflowEvent, { kind: "ask" }>,
): WorkflowTransition {
	if (run.kind === "stale") return refuseEvent(run, { kind: "stale", missing: run.missing });
	if (run.question !== undefined) return refuseEvent(run, { kind: "asked" });
	if (isEarlier(run, decision)) return refuseEvent(run, { kind: "earlier-visit", phase: currentPhase(run).name });
	return awaitAnswer(run, question);
}

function awaitAnswer(run: LiveWorkflowRun, question: string): WorkflowTransition {
	return {
		run: { ...run, question },
		actions: [
			{ kind: "persist", left: undefined },
			{ kind: "question", question },
		],
	};
}

type Move = EndedVisit & { readonly at: number };

function move(run: LiveWorkflowRun, to: Position | undefined, { at, ...left }: Move): WorkflowTransition {
	const { way, by } = left;
	if (!to) return endWorkflow({ ...run, step: run.step + 1, since: at }, "done", left);
	return {
		run: {
			...run,
			position: to,
			step: run.step + 1,
			since: at,
			question: undefined,
			reminders: noReminders,
			use: useAfter(run, way, by),
		},
		actions: [
			{ kind: "persist", left },
			{ kind: "moved", from: run.position, to, way },
		],
	};
}

/** Repetition counts across phases and loops, ceilings count per visit. A move by the user resets both. */
function useAfter({ use }: LiveWorkflowRun, way: ExitKind, by: Move["by"]): VisitUse | undefined {
	if (use === undefined || by === "person" || way === "skip" || way === "back") return undefined;
	return { ...use, requests: 0, calls: 0 };
}

function endWorkflow(run: WorkflowRun, how: "done" | "cancelled", left: EndedVisit | undefined): WorkflowTransition {
	return {
		run: { ...run, status: { kind: how }, question: undefined },
		actions: [
			{ kind: "persist", left },
			{ kind: "ended", how },
		],
	};
}

function cancelByModel(run: WorkflowRun, { decision }: Extract<WorkflowEvent, { kind: "cancel" }>): WorkflowTransition {
	const { message } = decision;
	if (run.kind === "live") {
		if (run.question !== undefined) return refuseEvent(withoutCancel(run), { kind: "asked" });
		const phase = currentPhase(run).name;
		if (isEarlier(run, decision)) return refuseEvent(withoutCancel(run), { kind: "earlier-visit", phase });
		// Cancelling lifts the limits of the workflow, so in this phase that is also the user's decision.
		if (waitsForUser(run)) return refuseEvent(run, { kind: "person-decides", phase, wanted: "cancel" });
	}
	// Only a later message confirms, because the model wrote it after reading the question.
	if (run.askedToCancel !== undefined && run.askedToCancel !== message)
		return endWorkflow(withoutCancel(run), "cancelled", undefined);
	return { run: { ...run, askedToCancel: message }, actions: [{ kind: "ask-cancel" }] };
}

function pause(run: WorkflowRun, by: PauseCause, why: string | undefined): WorkflowTransition {
	return {
		run: { ...withoutCancel(run), status: { kind: "paused", by, why } },
		actions: [
			{ kind: "persist", left: undefined },
			{ kind: "paused", by, why },
		],
	};
}

/** Ends a pause, which leaves a question open, or ends the wait for the answer to a question. */
function resume(run: WorkflowRun): WorkflowTransition {
	const paused = run.status.kind === "paused";
	if (!paused && run.question === undefined) return refuseEvent(run, { kind: "not-paused" });
	if (run.kind === "stale") return refuseEvent(run, { kind: "stale", missing: run.missing });
	return goOn(run, paused ? run.question : undefined);
}

function goOn(run: LiveWorkflowRun, question: string | undefined): WorkflowTransition {
	return {
		run: { ...withoutCancel(run), question, status: { kind: "running" }, reminders: noReminders, use: undefined },
		actions: [{ kind: "persist", left: undefined }, { kind: "resumed" }],
	};
}

/** The user's message resumes a paused run and answers its question. */
function continueByMessage(run: WorkflowRun): WorkflowTransition {
	const waits = run.status.kind === "paused" || run.question !== undefined;
	return waits && run.kind === "live" ? goOn(run, undefined) : still(run);
}

/** The calls as those of their round: what a definition allows to be repeated a limited number of times is no sign of missing progress. */
function inRound(run: WorkflowRun, fingerprints: readonly string[]): readonly string[] {
	if (run.kind === "stale") return fingerprints;
	const round = run.position.flatMap(({ workflowKey, loops }) =>
		definitionOf(run.definitions, workflowKey).maxLoops === undefined ? [] : [loops],
	);
	return round.some((loops) => loops > 0) ? fingerprints.map((call) => `${call} ${round.join(".")}`) : fingerprints;
}

/** Records the use of the visit: may nudge the model, or pause the run at a bound. */
function countUse(run: WorkflowRun, use: VisitUse): WorkflowTransition {
	if (run.kind === "stale" || run.status.kind !== "running") return still(run);
	const verdict = judgeUse(run.use ?? NO_USE, use, limitsOfVisit(run));
	const counted: LiveWorkflowRun = { ...run, use };
	switch (verdict.kind) {
		case "fine":
			return still(counted);
		case "nudge":
			return { run: counted, actions: [{ kind: "nudge", text: verdict.text }] };
		case "stop":
			return pause(counted, "bounds", verdict.text.replace(/\.$/, ""));
	}
}

/** The bounds of the current phase: its own, else those of the nearest workflow around it. */
function limitsOfVisit(run: LiveWorkflowRun): VisitLimits {
	const { limits, polling = false } = currentPhase(run);
	const around = run.position.toReversed().map(({ workflowKey }) => definitionOf(run.definitions, workflowKey).limits);
	const nearest = (key: "requests" | "calls") =>
		[limits, ...around].find((one) => one?.[key] !== undefined)?.[key] ?? VISIT_DEFAULTS[key];
	return { requests: nearest("requests"), calls: nearest("calls"), polling };
}

function stop(
	run: WorkflowRun,
	{ patience, question }: Extract<WorkflowEvent, { kind: "stopped" }>,
): WorkflowTransition {
	if (run.kind === "stale" || run.status.kind !== "running") return still(run);
	if (run.question !== undefined || waitsForUser(run) || !continuesAutomatically(run))
		return { run, actions: [{ kind: "wait" }] };
	const { row, visit } = run.reminders;
	const exhausted = row >= patience.row || visit >= patience.visit;
	// A model that was told how to ask, and asks in its text again, does ask the user.
	if (question !== undefined && (run.reminders.question || exhausted)) return awaitAnswer(run, question);
	if (row >= patience.row) return pause(run, "reminders", `${row} reminders in a row had no effect`);
	if (visit >= patience.visit) return pause(run, "reminders", `${visit} reminders did not end this phase`);
	const about = question === undefined ? "phase" : "question";
	const asked = run.reminders.question || about === "question";
	const reminders = { row: row + 1, visit: visit + 1, ...(asked ? { question: true as const } : {}) };
	return { run: { ...run, reminders }, actions: [{ kind: "remind", about, count: row + 1, of: patience.row }] };
}

/** Whether the model is reminded to continue: the phase decides, else every scope around it must allow it. */
function continuesAutomatically(run: LiveWorkflowRun): boolean {
	return (
		currentPhase(run).autoContinue ??
		run.position.every(({ workflowKey }) => definitionOf(run.definitions, workflowKey).autoContinue)
	);
}

function reload(run: WorkflowRun, { definitions }: Extract<WorkflowEvent, { kind: "reload" }>): WorkflowTransition {
	const found = relocate(run, definitions);
	if (found.kind === "gone") return refuseEvent(run, found);
	const { id, workflowKey, task, startedAt, uncommitted, step, since, status, question, reminders, use } = run;
	const facts = { id, workflowKey, task, startedAt, uncommitted, step, since, status, question, reminders, use };
	return {
		run: { kind: "live", definitions, position: found.position, askedToCancel: undefined, ...facts },
		actions: [{ kind: "persist", left: undefined }, { kind: "reloaded" }],
	};
}
