// The state machine: applies each kind of event to a run. Pure: no disk, no clock, no randomness. It records no decisions; see `decide.ts`.
// Exactly one current state and one stage; every move is legal or made by the user; pending actions are derived from the run only,
// so a crash loses none; an event that does not apply changes nothing; a run that is over launches nothing.

import { shortTime } from "../definition/index.ts";
import { checkedOutIn, EMPTY_SNAPSHOT } from "../snapshot/index.ts";
import { compileDefinition, hashCommands } from "../template/index.ts";
import { advance, countVisit, newVisit } from "./advance.ts";
import { onApprovalAsked } from "./approval.ts";
import { notice } from "./budget/budget.ts";
import { countQuestions, skipTime } from "./budget/totals.ts";
import {
	onChildDropped,
	onChildEnded,
	onChildParked,
	onChildSignaled,
	onChildSpent,
	onJoinApplied,
	onJoined,
	onJoinFailed,
} from "./children/children.ts";
import { onCopyDiscarded, onCopyTaken, onJoinRequested } from "./children/take-copy.ts";
import { isOutcomeAsked, onCommandEnded, onCommandStarted, takeOutcome } from "./command-run.ts";
import { onDecision } from "./decision.ts";
import { addDecision, onDecisionInherited } from "./decision-record.ts";
import { nameFirst, rememberAnswer } from "./given-answer.ts";
import { onHostAwaited } from "./plan/host-labels.ts";
import { onFilesRestored, onRewindRequested } from "./rewind.ts";
import { NO_CALLS } from "./run/calls.ts";
import { changeConditions } from "./run/condition.ts";
import type { Created } from "./run/created-event.ts";
import type { AskOpened, EventBody, EventKind, LedgerEvent, Recovered } from "./run/event.ts";
import { isRefusal, type Reduced, refuse } from "./run/refusal.ts";
import { type Run, SCHEMA_VERSION, type UserQuestion } from "./run/run.ts";
import { NO_SPEND } from "./run/spend.ts";
import { compileChildPlans, decodeRun, NOTHING_STORED } from "./run/stored-run.ts";
import type { AskAnswered } from "./run/user-event.ts";
import { unansweredQuestion } from "./run/user-question.ts";
import { onCleanupEnded, onFilesMeasured, onWorkerEnded } from "./shutdown.ts";
import { onGivenUp, onOpened } from "./takeover.ts";
import {
	onAbortRequested,
	onApproved,
	onLimitsChanged,
	onModelChanged,
	onPauseRequested,
	onRejected,
	onReleased,
	onReopened,
	onResumed,
	onTold,
} from "./user-decisions.ts";
import {
	onDelivered,
	onLaunchFailed,
	onModelSwitched,
	onMoveRequested,
	onOutputRefused,
	onProviderDue,
	onSnapshotUpdated,
	onToolEnded,
	onToolStarted,
	onTurnSettled,
	onUsed,
	onWorkerStarted,
} from "./worker.ts";

const titleLength = 200;

function onAskOpened(run: Run, event: LedgerEvent & AskOpened): Reduced {
	const { seq, title, at, call, visit, attempt, text, choices = [] } = event;
	if (call === undefined) {
		const questions = [...run.questions, { id: seq, title: title.slice(0, titleLength) }].slice(-5);
		return countQuestions({ ...run, questions }, at);
	}
	const { stage } = run;
	if (stage.kind !== "working" || stage.launch.visit !== visit || stage.launch.attempt !== attempt)
		return refuse("stale", "The run is being stopped, so the user was not asked. Ask again when you continue.");
	if (unansweredQuestion(run)) return refuse("unexpected", "The user has not answered the question before this one.");
	const question: UserQuestion = { seq, visit, call, text, choices, answer: null };
	return countQuestions({ ...run, status: "asks", question }, at);
}

function onAskAnswered(run: Run, event: LedgerEvent & AskAnswered): Reduced {
	const { question, stage, hold } = run;
	const { answers, words, at, seq } = event;
	if (words === undefined)
		return countQuestions({ ...run, questions: run.questions.filter(({ id }) => id !== answers) }, at);
	if (stage.kind === "over") return refuse("over", "The run is over.");
	if (question?.seq !== answers || question.answer !== null) return refuse("answered", explainOther(run, answers));
	const decided = addDecision(run, event, { did: "answered", about: question.text, words });
	if (isOutcomeAsked(run))
		return stage.kind === "waiting" && hold?.cause === "question"
			? takeOutcome(decided, words)
			: refuse("unexpected", "The run does not wait for this answer yet.");
	const answered: Run = { ...decided, question: { ...question, answer: { seq, words } } };
	if (stage.kind === "waiting")
		return hold?.cause === "question" ? advance({ ...answered, status: "running", hold: null }, "answered") : answered;
	return countQuestions(run.status === "asks" ? { ...answered, status: "running" } : answered, at);
}

/** Why an answer to the event `answers` does not apply. */
function explainOther({ question, state }: Run, answers: number): string {
	if (question?.seq === answers && question.answer)
		return `This question has already been answered: "${question.answer.words.replace(/\s+/g, " ").slice(0, 200)}".`;
	return question && question.answer === null
		? `The run no longer asks this: it asks something else now (event ${question.seq}).`
		: `The run no longer asks this: it was answered, or the run has moved on; it is in "${state}" now.`;
}

/** The run after `event`, for reading a ledger: an event that does not apply is skipped. */
export function foldEvent(run: Run, event: LedgerEvent): Run {
	const next = reduce(run, event);
	return isRefusal(next) ? run : next;
}

/** The run that `created` or `recovered` starts; `undefined` for other events, or if this version cannot read the template's definition. */
export function startRun(event: LedgerEvent): Run | undefined {
	if (event.kind === "created") return beginRun(event);
	return event.kind === "recovered" ? recoverRun(event) : undefined;
}

function recoverRun({ run: stored, seq, at }: LedgerEvent & Recovered): Run | undefined {
	const run = decodeRun(stored);
	return run && { ...run, seq, updatedAt: at };
}

function beginRun(event: LedgerEvent & Created): Run | undefined {
	const { template, at } = event;
	const plan = compileDefinition(template.definition, template.name);
	if (!plan) return undefined;
	return {
		...NOTHING_STORED,
		schemaVersion: SCHEMA_VERSION,
		id: event.id,
		template,
		plan,
		childPlans: compileChildPlans(template.children),
		parent: event.parent ?? null,
		inherited: event.inherited ?? null,
		...(event.uncommitted ? { uncommitted: event.uncommitted } : {}),
		...checkedOutIn(event),
		...(event.apart ? { apart: {} } : {}),
		task: event.task,
		status: "running",
		state: plan.initial,
		visit: 1,
		attempt: 0,
		launch: 0,
		snapshot: event.inherited ? { ...EMPTY_SNAPSHOT, nextId: event.inherited.snapshot.nextId } : EMPTY_SNAPSHOT,
		history: [],
		totals: { ...NO_SPEND, activeMs: 0, toolCalls: 0, attempts: 0 },
		pairMoves: {},
		updatedAt: at,
		createdAt: at,
		seq: event.seq,
		stage: { kind: "baselining", because: "entered" },
		hold: null,
		states: countVisit({}, plan.initial),
		visitRecord: newVisit(at, false),
		baseline: null,
		conversation: null,
		calls: NO_CALLS,
		outbox: [],
		refused: null,
		moves: { total: 0, counted: 0 },
		limits: { run: {}, states: {} },
		warned: [],
		model: event.model ?? null,
		cleanupApproval: event.cleanupApproval ?? null,
		cleanupHash: hashCommands(plan) ?? null,
		questions: [],
		notices: event.parent?.notes ?? [],
		kept: [],
		unmeasured: [],
	};
}

/** The run after `event`, or why the event does not apply. */
export function reduce(run: Run, event: LedgerEvent): Reduced {
	if (event.seq <= run.seq) return refuse("stale", "This event is already recorded.");
	const next = handle({ ...run, seq: event.seq, updatedAt: event.at }, event);
	return isRefusal(next) ? nameFirst(run, event, next) : rememberAnswer(next, event);
}

type EventHandler<K extends EventKind> = (run: Run, event: LedgerEvent & Extract<EventBody, { kind: K }>) => Reduced;

const handlers: { readonly [K in EventKind]: EventHandler<K> } = {
	created: () => refuse("unexpected", "The run already exists."),
	opened: onOpened,
	recovered: (_, event) =>
		recoverRun(event) ?? refuse("unexpected", "The template's definition can no longer be read."),
	clock_jumped: (run, { ms }) => notice(skipTime(run, ms), explainJump(ms)),
	noted: (run, { text }) => notice(run, text),
	condition_changed: (run, event) => ({ ...run, conditions: changeConditions(run.conditions, event) }),
	attempt_reserved: onDecision,
	children_planned: onDecision,
	moved: onDecision,
	provider_awaited: onDecision,
	parked: onDecision,
	finished: onDecision,
	host_awaited: onHostAwaited,
	given_up: onGivenUp,
	worker_started: onWorkerStarted,
	launch_failed: onLaunchFailed,
	command_started: onCommandStarted,
	command_ended: onCommandEnded,
	tool_started: onToolStarted,
	tool_ended: onToolEnded,
	used: onUsed,
	model_switched: onModelSwitched,
	turn_settled: onTurnSettled,
	provider_due: onProviderDue,
	delivered: onDelivered,
	snapshot_updated: onSnapshotUpdated,
	move_requested: onMoveRequested,
	output_refused: onOutputRefused,
	worker_ended: onWorkerEnded,
	files_measured: onFilesMeasured,
	files_unmeasured: onFilesMeasured,
	files_restored: onFilesRestored,
	files_unrestored: onFilesRestored,
	cleanup_ended: onCleanupEnded,
	strays_stopped: (run) => run,
	child_parked: onChildParked,
	child_spent: onChildSpent,
	child_ended: onChildEnded,
	child_signaled: onChildSignaled,
	child_dropped: onChildDropped,
	decision_inherited: onDecisionInherited,
	joined: onJoined,
	join_applied: onJoinApplied,
	join_failed: onJoinFailed,
	approved: onApproved,
	rejected: onRejected,
	resumed: onResumed,
	released: onReleased,
	limits_changed: onLimitsChanged,
	model_changed: onModelChanged,
	told: onTold,
	pause_requested: onPauseRequested,
	abort_requested: onAbortRequested,
	reopened: onReopened,
	rewind_requested: onRewindRequested,
	join_requested: onJoinRequested,
	copy_taken: onCopyTaken,
	copy_discarded: onCopyDiscarded,
	approval_asked: onApprovalAsked,
	ask_opened: onAskOpened,
	ask_answered: onAskAnswered,
};

/** Whether this version knows the kind of the event. */
export function isKnownEvent({ kind }: LedgerEvent): boolean {
	return Object.hasOwn(handlers, kind);
}

function handle(run: Run, event: LedgerEvent): Reduced {
	// Kinds that a newer version writes are kept in the ledger and have no effect here.
	if (!isKnownEvent(event)) return run;
	const handler = handlers[event.kind] as (run: Run, event: LedgerEvent) => Reduced;
	return handler(run, event);
}

function explainJump(ms: number): string {
	const time = shortTime(Math.abs(ms));
	return ms < 0
		? `The clock was set back by ${time} while a worker worked; its time is counted as it passed.`
		: `The machine slept, or the clock was set, for ${time} while a worker worked: they do not count.`;
}
