// Shuts a worker down: stop it, run the state's cleanup, measure the files, continue with `after`.
// Cleanup runs whenever a worker has ended, for any reason, before the next one starts; files are measured after cleanup, so that its
// changes are not attributed to the next worker; after a crash, the shutdown resumes at the first unrecorded step.

import { setTime } from "../definition/index.ts";
import { addChanges, checkedOutIn, type MeasuredChanges, nameFiles, setChanges } from "../snapshot/index.ts";
import type { StatePlan } from "../template/index.ts";
import { advance, decideOn, escalate, startAgain } from "./advance.ts";
import { raiseQuestion } from "./approval.ts";
import { explainReached, notice, reached } from "./budget/budget.ts";
import { addToTotals } from "./budget/totals.ts";
import { workedMs } from "./budget/worked-time.ts";
import { keepFolders } from "./children/kept-child-folders.ts";
import { startTake } from "./children/take.ts";
import { approvedCleanup, childrenPlanOf, planOf } from "./plan/plan.ts";
import { NOTHING_TO_DO } from "./run/child-group.ts";
import type { CleanupEnded } from "./run/command-event.ts";
import type { FilesMeasured, FilesUnmeasured, LedgerEvent, WorkerEnded, WorkerOutcome } from "./run/event.ts";
import type { LaunchId, LaunchReason } from "./run/launch.ts";
import { launchKey } from "./run/launch.ts";
import { type Reduced, refuse } from "./run/refusal.ts";
import type { AfterStop, Baseline, PauseReason, Run, Stage, Stopping, VisitRecord } from "./run/run.ts";
import { NO_WORKER, shutdownOf } from "./stopping.ts";

/** Stops the run's worker, if any, and continues with `after`. */
export function stopWorker(run: Run, how: Stopping["how"], after: AfterStop): Run {
	const { stage } = run;
	const starting = stage.kind === "launching" ? { ...NO_WORKER, launch: stage.launch } : NO_WORKER;
	return { ...run, stage: shutdownOf(run, how, after, stage.kind === "working" ? stage : starting) };
}

/** Stops the run's worker. Once the run may continue, another worker does the visit again, because of `because`. */
export function pauseWorker(run: Run, how: Stopping["how"], because: LaunchReason = "resumed"): Run {
	return stopWorker(run, how, { kind: "again", because, delayMs: 0 });
}

type Launched = Extract<Stage, { kind: "launching" | "working" | "stopping" }>;

/** Whether the worker or command of the stage is that of `event`. */
export function isOf(stage: Stage, event: LaunchId): stage is Launched {
	if (stage.kind !== "launching" && stage.kind !== "working" && stage.kind !== "stopping") return false;
	return stage.launch !== null && launchKey(stage.launch) === launchKey(event);
}

/** The run without its worker or command, whose time is counted. Of a lost one, only the time up to its last report is known. */
export function endLaunch(run: Run, { visit, at }: LedgerEvent & LaunchId, isLost: boolean): Run {
	const { stage } = run;
	if (stage.kind !== "working" && stage.kind !== "stopping") return run;
	const activeMs = workedMs(stage, isLost ? stage.seenAt : at);
	const timed = addToTotals(run, stage.kind === "stopping" ? stage.state : run.state, visit, { activeMs });
	if (stage.kind === "working") return timed;
	const { uncountedMs: _uncounted, askedAt: _asked, ...left } = stage;
	return { ...timed, stage: { ...left, launch: null, startedAt: "", seenAt: "" } };
}

export function onWorkerEnded(run: Run, event: LedgerEvent & WorkerEnded): Reduced {
	const { stage } = run;
	if (!isOf(stage, event)) return refuse("stale", "That worker has already ended.");
	const ended = endLaunch(run, event, event.outcome.kind === "lost");
	const quiet: Run = { ...ended, questions: [], calls: interruptCalls(run, launchKey(event)) };
	if (stage.kind === "stopping") return quiet;
	const { question } = quiet;
	// Without a worker, the question is still asked. One that was stopped for the wait may have missed the answer.
	if (question && (question.answer === null || event.outcome.kind === "stopped"))
		return {
			...quiet,
			stage: shutdownOf(quiet, "now", { kind: "again", because: "answered", delayMs: 0 }, NO_WORKER, null),
		};
	return stopAfterFault(quiet, event.outcome);
}

/** The calls after the end of worker `by`. A call of `ask_user` is not interrupted: its result is the answer. */
function interruptCalls({ calls, question }: Run, by: string): Run["calls"] {
	const asking = calls.open.filter(({ call }) => call === question?.call);
	const cut = calls.open.filter(({ call }) => call !== question?.call);
	return { ...calls, open: asking, ...(cut.length > 0 ? { interrupted: { by, calls: cut } } : {}) };
}

/** Handles a worker that ended without being stopped and without a move. */
function stopAfterFault(run: Run, outcome: WorkerOutcome): Run {
	const rest = (after: AfterStop): Run => ({ ...run, stage: shutdownOf(run, "now", after, NO_WORKER, null) });
	const again = (because: "crashed" | "timed_out" | "resumed"): AfterStop => ({ kind: "again", because, delayMs: 0 });
	const hold = (of: PauseReason): Run => ({ ...rest(again("resumed")), hold: of });
	if (outcome.kind === "timed_out" && outcome.limit !== "idle") {
		const measure = reached(run);
		if (outcome.limit === "budget") {
			const detail = measure ? explainReached(measure) : "The time that the parent run leaves is used up.";
			return hold({ status: "budget_exceeded", cause: "budget", detail });
		}
		return hold({
			status: "paused",
			cause: "timeout",
			detail: `The worker of "${run.state}" took longer than ${setTime(planOf(run).wallMs)}; its work is kept.`,
		});
	}
	const idle = outcome.kind === "timed_out";
	if (run.visitRecord.crashes >= run.plan.limits.retries)
		return hold({ status: "paused", cause: idle ? "timeout" : "crash", detail: explainOutcome(run, outcome) });
	const counted: Run = {
		...rest(again(idle ? "timed_out" : "crashed")),
		visitRecord: { ...run.visitRecord, crashes: run.visitRecord.crashes + 1 },
	};
	return notice(counted, explainOutcome(run, outcome));
}

function explainOutcome(run: Run, outcome: WorkerOutcome): string {
	const who = `The worker of "${run.state}"`;
	const detail = "detail" in outcome && outcome.detail ? `: ${outcome.detail.slice(0, 200)}` : ".";
	switch (outcome.kind) {
		case "exited":
			return `${who} ended with exit code ${outcome.code} and without a transition${detail}`;
		case "killed":
			return `${who} was killed by ${outcome.signal}${detail}`;
		case "timed_out":
			return `${who} was silent for too long.`;
		case "lost":
		case "stopped":
			return `${who} ended unexpectedly.`;
	}
}

/** The cleanup command to run now; `undefined` once all of them have ended. A repeated question runs none again. */
export function dueCleanup(
	run: Run,
	{ after, state, index }: Pick<Stopping, "after" | "state" | "index">,
): StatePlan["cleanup"][number] | undefined {
	return after.kind === "ask" && after.earlier ? undefined : approvedCleanup(run, state)[index];
}

export function onCleanupEnded(run: Run, event: LedgerEvent & CleanupEnded): Reduced {
	const { stage } = run;
	if (stage.kind !== "stopping" || stage.launch || stage.visit !== event.visit || stage.index !== event.index)
		return refuse("stale", "That cleanup is over.");
	const command = dueCleanup(run, stage);
	if (!command) return refuse("stale", "No cleanup command is due.");
	const next: Run = { ...run, stage: { ...stage, index: stage.index + 1 } };
	const { result } = event;
	if (result.kind === "exited" && result.code === 0) return next;
	const how = explainResult(result).slice(0, 120);
	const detail = `A cleanup command of "${stage.state}" failed (${how}): ${command.command.slice(0, 100)}`;
	const noted = notice(next, detail);
	return command.onFailure === "pause" && !run.hold
		? { ...noted, hold: { status: "paused", cause: "cleanup", detail } }
		: noted;
}

/** How a command ended, as part of a sentence. */
export function explainResult(result: CleanupEnded["result"]): string {
	switch (result.kind) {
		case "exited":
			return `exit code ${result.code}`;
		case "killed":
			return result.signal;
		case "timed_out":
			return "its time limit";
		case "unstarted":
		case "refused":
			return result.detail;
	}
}

export function onFilesMeasured(run: Run, event: LedgerEvent & (FilesMeasured | FilesUnmeasured)): Reduced {
	const { stage } = run;
	const tree = event.kind === "files_measured" ? event.tree : null;
	const noted = noteFiles(run, event);
	if (stage.kind === "restoring" && event.purpose === "before")
		return tree === null ? refuse("unexpected", "The files were not kept.") : keepBefore(noted, stage, tree);
	if (stage.kind === "baselining" && event.purpose === "baseline" && event.visit === run.visit)
		return advance(
			{ ...withList(withStart(noted, event), event), baseline: run.baseline ?? baselineOf(event) },
			stage.because,
		);
	if (
		stage.kind !== "stopping" ||
		stage.launch ||
		event.purpose !== "changes" ||
		event.visit !== stage.visit ||
		dueCleanup(run, stage)
	)
		return refuse("stale", "The run expects no measurement now.");
	const why = unmeasuredBy(run, event);
	const known = withMeasurement(noted, stage, event, why);
	return continueAfter(known, stage, event, why);
}

/** Remembers the list in a file that the state needs. */
function withList(run: Run, event: FilesLooked): Run {
	if (!childrenPlanOf(run)?.fromFile) return run;
	const read = event.kind === "files_measured" ? event.list : undefined;
	return { ...run, list: read ?? { problem: "could not be read" } };
}

/** Remembers the files before the first worker. */
function withStart(run: Run, event: FilesLooked): Run {
	if (event.kind !== "files_measured" || !event.start) return run;
	const { tree: startTree, uncommitted } = event;
	return { ...run, startTree, ...(uncommitted ? { uncommitted } : {}) };
}

/** The run with the changes of a visit. `why`: why they are unknown or incomplete. */
function withMeasurement(run: Run, { visit, state }: Stopping, event: FilesLooked, why: string | undefined): Run {
	const measured: Partial<FilesMeasured> = event.kind === "files_measured" ? event : {};
	return {
		...run,
		calls: savedCalls(run, visit, event),
		snapshot: withFiles(run.snapshot, visit, measured),
		visitRecord: visit === run.visit ? withChanges(run.visitRecord, measured) : run.visitRecord,
		unmeasured: [
			...run.unmeasured.filter((one) => one.visit !== visit),
			...(why === undefined ? [] : [{ visit, state, why }]),
		].slice(-maxUnmeasured),
	};
}

function withFiles(snapshot: Run["snapshot"], visit: number, measured: Partial<FilesMeasured>): Run["snapshot"] {
	const { changes = [], more = 0, total, ofRun } = measured;
	if (ofRun === undefined) return addChanges(snapshot, changes, more, visit);
	if (ofRun === "unknown") return addChanges(snapshot, changes, more, visit, "exact");
	return setChanges(snapshot, ofRun === "same" ? { changes, more, total } : ofRun, changes, visit);
}

/** Bytes of JSON of the changes that a run lists for its current visit; the event has more. */
const listedBytes = 6000;

function withChanges({ changed: _, ...record }: VisitRecord, { changes, total }: MeasuredChanges): VisitRecord {
	// Without totals, an earlier version has measured.
	if (changes === undefined || total === undefined) return record;
	let left = listedBytes;
	const cut = changes.findIndex((change) => {
		left -= Buffer.byteLength(JSON.stringify(change)) + 1;
		return left < 0;
	});
	return { ...record, changed: { total, first: cut < 0 ? changes : changes.slice(0, cut) } };
}

/** The calls after the files of `visit` are measured: their changes are in a snapshot. */
function savedCalls({ calls, visit: now }: Run, visit: number, { kind }: FilesLooked): Run["calls"] {
	if (kind === "files_unmeasured" || visit !== now) return calls;
	return { ...calls, recent: calls.recent.map((call) => ({ ...call, saved: true })) };
}

const maxKept = 8;
const maxUnmeasured = 8;

/** Remembers the files that a rewind is about to replace. `before` stays the first tree: after a crash, some files are already replaced. */
function keepBefore(run: Run, stage: Extract<Run["stage"], { kind: "restoring" }>, tree: string): Run {
	const { seq, updatedAt: at, visit, state } = run;
	const { recent } = run.calls;
	const calls = recent.length > 0 ? { calls: recent } : {};
	return {
		...run,
		kept: [...run.kept, { seq, at, visit, state, tree, ...calls, rewound: null }].slice(-maxKept),
		stage: { ...stage, before: stage.before ?? tree },
	};
}

type FilesLooked = LedgerEvent & (FilesMeasured | FilesUnmeasured);

/** Takes what a measurement reports besides changes: notices, what is checked out, folders that stay. */
function noteFiles(run: Run, event: FilesLooked): Run {
	if (event.kind === "files_unmeasured") return notice(run, `Files could not be measured: ${event.detail}`);
	const notes = [...(event.notes ?? [])];
	if (event.unkept && event.unkept.length > 0) notes.push(`Files could not be measured: ${nameFiles(event.unkept)}`);
	const noted = { ...notes.reduce(notice, run), ...checkedOutIn(event) };
	return keepFolders(noted, event.keptFolders ?? [], { visit: event.visit, state: run.state });
}

function baselineOf(event: FilesLooked): Baseline {
	if (event.kind !== "files_measured") return { tree: null, why: event.detail.slice(0, 500) };
	return { tree: event.tree, ...checkedOutIn(event) };
}

/** Why the visit's changes are unknown or incomplete; `undefined` if they are complete. */
function unmeasuredBy(run: Run, event: FilesLooked): string | undefined {
	if (event.kind === "files_unmeasured") return event.detail.slice(0, 500);
	if (event.changes === undefined)
		return `there is nothing to compare with: ${run.baseline?.why ?? "the files were not measured when the visit began"}`;
	return event.unkept && event.unkept.length > 0 ? nameFiles(event.unkept) : undefined;
}

/** Continues after a shutdown, once the files are measured. */
function continueAfter(run: Run, { after, visit }: Stopping, event: FilesLooked, unmeasured: string | undefined): Run {
	const { tree } = baselineOf(event);
	switch (after.kind) {
		case "enter":
			return advance({ ...run, baseline: baselineOf(event) }, "entered");
		case "ask":
			return askForApproval(run, visit, after, tree ?? "", unmeasured);
		case "again":
			return advance(run, run.conversation ? after.because : "entered", after.delayMs);
		case "repeat":
			return repeat(run, tree);
		case "take":
			return startTake(run, after.to);
		case "finish":
			return decideOn(run, {
				kind: "finished",
				status: after.status,
				...(after.detail ? { detail: after.detail } : {}),
			});
		case "rewind":
			return { ...run, stage: { kind: "restoring", rewind: after.rewind, back: null, before: null } };
	}
}

/** Asks for approval of the move. Repeats the question from before a crash if the files are unchanged. */
function askForApproval(
	run: Run,
	visit: number,
	{ earlier, target, summary }: Extract<AfterStop, { kind: "ask" }>,
	diff: string,
	unmeasured: string | undefined,
): Run {
	if (earlier?.diff === diff)
		return { ...run, status: "awaiting_approval", stage: { kind: "asking", question: earlier } };
	return raiseQuestion(run, { visit, side: sideOf(run), target, summary, diff, unmeasured });
}

function sideOf(run: Run): "entry" | "exit" {
	return planOf(run).approval.exit ? "exit" : "entry";
}

/** Restarts the state, unless it repeats itself without progress. */
function repeat(run: Run, tree: string | null): Run {
	const words = run.visitRecord.summary
		.toLowerCase()
		.replace(/[\s\d]+/g, " ")
		.slice(0, 200);
	const fingerprint = `${tree} ${words}`;
	const { noProgress } = run.visitRecord;
	const count = noProgress.fingerprint === fingerprint ? noProgress.count + 1 : 1;
	const noted: Run = {
		...run,
		conversation: null,
		visitRecord: { ...run.visitRecord, noProgress: { fingerprint, count } },
	};
	// Without a child nothing can change any more, not even with time.
	const isIdle = planOf(run).children !== undefined && run.visitRecord.summary === NOTHING_TO_DO;
	if (count >= run.plan.limits.noProgress && (isIdle || !planOf(run).polling))
		return escalate(noted, "no_progress", run.state);
	return startAgain(noted, "repeated", tree ?? "");
}
