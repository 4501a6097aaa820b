// The state machine: what each kind of event does to a run. Pure: no disk, no clock, no chance. It decides nothing; see `decide.ts`.
// T1 exactly one current state and one stage; T2 every move is legal or a person's; T3 pending actions follow from the run alone, so a crash
// does not lose one; T4 an event that does not apply changes nothing; T5 a run that is over launches nothing.
import { EMPTY_SNAPSHOT } from "../snapshot/index.ts";
import { compileDefinition, hashCleanup } from "../template/index.ts";
import { countVisit, newVisit } from "./advance.ts";
import { notice } from "./budget.ts";
import { onDecision } from "./decision.ts";
import type { Created, LedgerEvent, Recovered } from "./event.ts";
import {
	onAbortRequested,
	onApproved,
	onFilesRestored,
	onLimitsChanged,
	onModelChanged,
	onPauseRequested,
	onRejected,
	onReleased,
	onReopened,
	onResumed,
	onRewindRequested,
	onTold,
} from "./person.ts";
import { isRefusal, type Reduced, refuse } from "./refusal.ts";
import { NO_CALLS, type Run, SCHEMA_VERSION } from "./run.ts";
import { onCleanupEnded, onFilesMeasured, onWorkerEnded } from "./shutdown.ts";
import { NO_SPEND } from "./spend.ts";
import { restoreRun } from "./stored-run.ts";
import { countQuestions, skipTime } from "./totals.ts";
import {
	onDelivered,
	onLaunchFailed,
	onModelSwitched,
	onMoveRequested,
	onSnapshotUpdated,
	onToolEnded,
	onToolStarted,
	onTurnSettled,
	onUsed,
	onWorkerStarted,
	stopWorker,
} from "./worker.ts";

/** The run after `event`, for reading a ledger: one that does not apply is passed over. */
export function foldEvent(run: Run, event: LedgerEvent): Run {
	const next = reduce(run, event);
	return isRefusal(next) ? run : next;
}

/** The run that `created` or `recovered` starts; `undefined` for other events, or where this version cannot read the template's definition. */
export function startRun(event: LedgerEvent): Run | undefined {
	if (event.kind === "created") return beginRun(event);
	return event.kind === "recovered" ? recover(event) : undefined;
}

function recover({ run: stored, seq, at }: LedgerEvent & Recovered): Run | undefined {
	const run = restoreRun(stored);
	return run && { ...run, seq, updatedAt: at };
}

function beginRun(event: LedgerEvent & Created): Run | undefined {
	const { template, at } = event;
	const plan = compileDefinition(template.definition, template.name);
	if (!plan) return undefined;
	return {
		schemaVersion: SCHEMA_VERSION,
		id: event.id,
		template,
		plan,
		task: event.task,
		status: "running",
		state: plan.initial,
		visit: 1,
		attempt: 0,
		launch: 0,
		snapshot: EMPTY_SNAPSHOT,
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
		cleanupHash: hashCleanup(plan) ?? null,
		questions: [],
		notices: [],
		kept: [],
		unmeasured: [],
	};
}

/** The run after `event`, or why the event does not apply. */
export function reduce(run: Run, event: LedgerEvent): Reduced {
	if (event.seq <= run.seq) return refuse("stale", "This event is already recorded.");
	return handle({ ...run, seq: event.seq, updatedAt: event.at }, event);
}

function handle(run: Run, event: LedgerEvent): Reduced {
	switch (event.kind) {
		case "created":
			return refuse("unexpected", "The run exists.");
		case "opened":
			return onOpened(run);
		case "recovered":
			return recover(event) ?? refuse("unexpected", "The template's definition cannot be read any more.");
		case "clock_jumped":
			return notice(skipTime(run, event.ms), explainJump(event.ms));
		case "noted":
			return notice(run, event.text);
		case "attempt_reserved":
		case "moved":
		case "parked":
		case "finished":
			return onDecision(run, event);
		case "worker_started":
			return onWorkerStarted(run, event);
		case "launch_failed":
			return onLaunchFailed(run, event);
		case "tool_started":
			return onToolStarted(run, event);
		case "tool_ended":
			return onToolEnded(run, event);
		case "used":
			return onUsed(run, event);
		case "model_switched":
			return onModelSwitched(run, event);
		case "turn_settled":
			return onTurnSettled(run, event);
		case "delivered":
			return onDelivered(run, event);
		case "snapshot_updated":
			return onSnapshotUpdated(run, event);
		case "move_requested":
			return onMoveRequested(run, event);
		case "worker_ended":
			return onWorkerEnded(run, event);
		case "files_measured":
		case "files_unmeasured":
			return onFilesMeasured(run, event);
		case "files_restored":
		case "files_unrestored":
			return onFilesRestored(run, event);
		case "cleanup_ended":
			return onCleanupEnded(run, event);
		case "strays_stopped":
			return run;
		case "approved":
			return onApproved(run, event);
		case "rejected":
			return onRejected(run, event);
		case "resumed":
			return onResumed(run, event);
		case "released":
			return onReleased(run, event);
		case "limits_changed":
			return onLimitsChanged(run, event);
		case "model_changed":
			return onModelChanged(run, event);
		case "told":
			return onTold(run, event);
		case "pause_requested":
			return onPauseRequested(run, event);
		case "abort_requested":
			return onAbortRequested(run, event);
		case "reopened":
			return onReopened(run, event);
		case "rewind_requested":
			return onRewindRequested(run, event);
		case "ask_opened":
			return countQuestions(
				{ ...run, questions: [...run.questions, { id: event.seq, title: event.title.slice(0, 200) }].slice(-5) },
				event.at,
			);
		case "ask_answered":
			return countQuestions({ ...run, questions: run.questions.filter(({ id }) => id !== event.answers) }, event.at);
		default:
			// A kind that a newer version writes: it is kept in the ledger and means nothing here.
			return run;
	}
}

function explainJump(ms: number): string {
	const minutes = Math.round(Math.abs(ms) / 6000) / 10;
	return ms < 0
		? `The clock was set back by ${minutes} min while a worker worked; its time is counted as it passed.`
		: `The machine slept, or the clock was set, for ${minutes} min while a worker worked: they do not count.`;
}

/** Another supervisor holds the run: whatever the last one left unfinished is in doubt. */
function onOpened(run: Run): Run {
	const { stage } = run;
	switch (stage.kind) {
		case "launching":
		case "working":
			return stopWorker(run, "now", { kind: "again", because: "interrupted", delayMs: 0 });
		case "stopping":
			return stage.launch ? { ...run, stage: { ...stage, how: "now" } } : run;
		case "asking": {
			const { question } = stage;
			if (question.side === "entry" && question.target === run.state) return run;
			// The answer is bound to the files: they are looked at again, and asked about anew if they have changed.
			const left = stopWorker(run, "now", {
				kind: "ask",
				target: question.target,
				summary: question.summary,
				earlier: question,
			});
			return { ...left, status: run.status };
		}
		case "deciding":
		case "baselining":
		case "restoring":
		case "waiting":
		case "over":
			return run;
	}
}
