// The machine: `transition(run, event) → { run, actions }`. Pure: no disk, no clock, no chance. It says what must be done and does nothing.
// T1 exactly one current state and one stage; T2 every move is legal or a person's; T3 what a run owes follows from the run alone, so it is
// owed again after a crash; T4 an event that does not apply changes nothing; T5 a run that is over launches nothing.
import { EMPTY_SNAPSHOT } from "../snapshot/index.ts";
import { compileDefinition, hashCleanup } from "../template/index.ts";
import { countQuestions, skipTime } from "./account.ts";
import type { Action } from "./action.ts";
import { notice } from "./budget.ts";
import { takeDecision } from "./decide.ts";
import type { Created, LedgerEvent, Opened, Recovered } from "./event.ts";
import { owed } from "./pending-actions.ts";
import {
	takeAbort,
	takeApproval,
	takeLimits,
	takeModel,
	takePause,
	takeRejection,
	takeRelease,
	takeReopening,
	takeRestored,
	takeResume,
	takeRewind,
	takeWords,
} from "./person.ts";
import { countVisit, newVisit } from "./proceed.ts";
import { isRefusal, type Reduced, type Refusal, refuse } from "./refusal.ts";
import { NO_CALLS, type Run, SCHEMA_VERSION } from "./run.ts";
import { takeCleanup, takeEnd, takeFiles } from "./shutdown.ts";
import { NO_SPEND } from "./spend.ts";
import {
	leave,
	takeDelivery,
	takeLaunchFailure,
	takeModelSwitch,
	takeMoveRequest,
	takeSnapshot,
	takeSpend,
	takeStart,
	takeToolEnd,
	takeToolStart,
	takeTurnEnd,
} from "./work.ts";

export interface Step {
	readonly run: Run;
	/** What is owed now and was not owed before. After a crash: `owed(run)`. */
	readonly actions: readonly Action[];
	/** Why the event does not apply: then `run` is what it was, and the event is not to be recorded. */
	readonly refusal?: Refusal;
}

/** Takes one event in. */
export function transition(run: Run, event: LedgerEvent): Step {
	const next = reduce(run, event);
	if (isRefusal(next)) return { run, actions: [], refusal: next };
	const before = new Set(owed(run).map(({ key }) => key));
	return { run: next, actions: owed(next).filter(({ key }) => !before.has(key)) };
}

/** The run after `event`, for reading a ledger: one that does not apply is passed over. */
export function foldEvent(run: Run, event: LedgerEvent): Run {
	const next = reduce(run, event);
	return isRefusal(next) ? run : next;
}

/** The run that an event begins; `undefined` where it begins none, or the template's definition cannot be read any more. */
export function startRun(event: LedgerEvent): Run | undefined {
	if (event.kind === "created") return beginRun(event);
	return event.kind === "recovered" ? recover(event) : undefined;
}

function recover({ run, seq, at }: LedgerEvent & Recovered): Run | undefined {
	const plan = compileDefinition(run.template.definition, run.template.name);
	return plan && { ...run, plan, cleanupHash: hashCleanup(plan) ?? null, seq, updatedAt: at };
}

/** The run that its first event begins; `undefined` where the template's definition cannot be read any more. */
export function beginRun(event: LedgerEvent & Created): Run | undefined {
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

function reduce(run: Run, event: LedgerEvent): Reduced {
	if (event.seq <= run.seq) return refuse("stale", "This event has been taken in already.");
	return take({ ...run, seq: event.seq, updatedAt: event.at }, event);
}

function take(run: Run, event: LedgerEvent): Reduced {
	switch (event.kind) {
		case "created":
			return refuse("unexpected", "The run exists.");
		case "opened":
			return takeOver(run, event);
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
			return takeDecision(run, event);
		case "worker_started":
			return takeStart(run, event);
		case "launch_failed":
			return takeLaunchFailure(run, event);
		case "tool_started":
			return takeToolStart(run, event);
		case "tool_ended":
			return takeToolEnd(run, event);
		case "used":
			return takeSpend(run, event);
		case "model_switched":
			return takeModelSwitch(run, event);
		case "turn_settled":
			return takeTurnEnd(run, event);
		case "delivered":
			return takeDelivery(run, event);
		case "snapshot_updated":
			return takeSnapshot(run, event);
		case "move_requested":
			return takeMoveRequest(run, event);
		case "worker_ended":
			return takeEnd(run, event);
		case "files_measured":
		case "files_unmeasured":
			return takeFiles(run, event);
		case "files_restored":
		case "files_unrestored":
			return takeRestored(run, event);
		case "cleanup_ended":
			return takeCleanup(run, event);
		case "strays_stopped":
			return run;
		case "approved":
			return takeApproval(run, event);
		case "rejected":
			return takeRejection(run, event);
		case "resumed":
			return takeResume(run, event);
		case "released":
			return takeRelease(run, event);
		case "limits_changed":
			return takeLimits(run, event);
		case "model_changed":
			return takeModel(run, event);
		case "told":
			return takeWords(run, event);
		case "pause_requested":
			return takePause(run, event);
		case "abort_requested":
			return takeAbort(run, event);
		case "reopened":
			return takeReopening(run, event);
		case "rewind_requested":
			return takeRewind(run, event);
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

/** Another supervisor has the run: whatever was going on under the last one is in doubt. */
function takeOver(run: Run, _event: LedgerEvent & Opened): Reduced {
	const { stage } = run;
	switch (stage.kind) {
		case "launching":
		case "working":
			return leave(run, "now", { kind: "again", because: "interrupted", delayMs: 0 });
		case "leaving":
			return stage.launch ? { ...run, stage: { ...stage, how: "now" } } : run;
		case "asking": {
			const { question } = stage;
			if (question.side === "entry" && question.target === run.state) return run;
			// The answer is bound to the files: they are looked at again, and asked about anew if they have changed.
			const left = leave(run, "now", {
				kind: "ask",
				target: question.target,
				summary: question.summary,
				earlier: question,
			});
			return { ...left, status: run.status };
		}
		case "recording":
		case "baselining":
		case "restoring":
		case "waiting":
		case "over":
			return run;
	}
}
