// Decides the next step when no worker and no action is left: the only gate before a launch.
// Nothing is launched while the run is on hold, has reached a limit, waits for the user or is over; the files of a visit are
// measured before its first worker starts; a launch is recorded before it happens.
import { type ChildrenPlan, HUMAN_INTERVENTION } from "../template/index.ts";
import { raiseQuestion } from "./approval.ts";
import { explainReached, reached } from "./budget/budget.ts";
import { NO_STATE_TOTALS } from "./budget/totals.ts";
import { filesNow, planChildren } from "./plan/child-plan.ts";
import { planOf } from "./plan/plan.ts";
import type { DecisionEvent, MoveCause } from "./run/decision-event.ts";
import type { LaunchReason } from "./run/launch.ts";
import type { ProviderWait } from "./run/provider-wait.ts";
import type { Baseline, PauseReason, Run, Stopping, VisitRecord } from "./run/run.ts";
import { unansweredQuestion } from "./run/user-question.ts";

/** Decides the next step. `because` is the reason for launching a worker, `delayMs` the wait before the launch. */
export function advance(run: Run, because: LaunchReason, delayMs = 0): Run {
	if (run.children?.ofCopy) return continueJoinOfCopy(run);
	const plan = planOf(run);
	if (run.state === HUMAN_INTERVENTION)
		return { ...run, status: "human_intervention", hold: null, stage: { kind: "waiting", since: run.seq } };
	if (plan.terminal && !plan.persona && !plan.children && !plan.command) return finishInState(run);
	const hold = run.hold ?? holdAtCeiling(run);
	if (hold) return park(run, hold);
	const question = unansweredQuestion(run);
	if (question) return parkForAnswer(run, question.text);
	if (!run.baseline) return { ...run, status: "running", stage: { kind: "baselining", because } };
	if (plan.approval.entry && run.visit === 1 && !run.visitRecord.granted) return askEntry(run, run.baseline);
	// The children's files are being joined, perhaps in a later state.
	if (run.children) return { ...run, status: "running", stage: { kind: "children", since: run.seq } };
	if (plan.children) return enterChildren(run, plan.children, because);
	if (run.providerWait && !run.providerWait.trying) return awaitProvider(run, run.providerWait);
	return reserveAttempt(run, because, delayMs);
}

/** The run itself has ended. */
function continueJoinOfCopy(run: Run): Run {
	return run.hold ? park(run, run.hold) : { ...run, status: "running", stage: { kind: "children", since: run.seq } };
}

/** The run, about to record that it waits for its provider. */
function awaitProvider(run: Run, { since, next, until, tries, detail }: ProviderWait): Run {
	return decideOn(run, { kind: "provider_awaited", visit: run.visit, since, next, until, tries, detail });
}

/** Plans the children of this visit. */
function enterChildren(entered: Run, plan: ChildrenPlan, because: LaunchReason): Run {
	if (plan.fromFile && !entered.list) return { ...entered, status: "running", stage: { kind: "baselining", because } };
	const planned = planChildren(entered, plan);
	// Whoever plans again reads the file again.
	const { list: _, ...run } = entered;
	if (planned.kind === "problem") {
		const lacksFiles = run.baseline?.tree === null;
		const hold = { status: "paused", cause: "children", detail: planned.detail.slice(0, 500) } as const;
		// What kept the files from being measured may be gone when the user resumes.
		return park(lacksFiles ? { ...run, baseline: null } : run, hold);
	}
	const { files, children } = planned;
	// What the user said since the last worker: each child begins with it, and nobody else can read it.
	const told = children.length === 0 ? [] : run.outbox.filter(({ from }) => from === "person").map(({ id }) => id);
	const event = { kind: "children_planned", visit: run.visit, base: filesNow(run), files, children } as const;
	return decideOn({ ...run, status: "running" }, told.length === 0 ? event : { ...event, told });
}

/** The run, whose state begins again with the files in `tree`; empty: unknown. */
export function startAgain(run: Run, because: LaunchReason, tree: string): Run {
	const { baseline } = run;
	// A worker's changes count from the start of the visit.
	const isMoved = baseline !== null && tree !== "" && planOf(run).children !== undefined;
	return advance(isMoved ? { ...run, baseline: { ...baseline, now: tree } } : run, because);
}

/** The run, about to record that it ends in its current state. */
export function finishInState(run: Run): Run {
	return decideOn(run, { kind: "finished", status: run.state === "failed" ? "failed" : "done" });
}

function askEntry({ list: _, ...run }: Run, { tree, why }: Baseline): Run {
	// A list is read once the user has approved.
	return raiseQuestion(run, {
		visit: run.visit,
		side: "entry",
		target: run.state,
		summary: "",
		diff: tree ?? "",
		unmeasured: why,
	});
}

function reserveAttempt(run: Run, because: LaunchReason, delayMs: number): Run {
	const { visit, attempt, launch } = run;
	// A provider that fails is no fault of the attempt.
	const isTry = because === "provider_error" && run.providerWait !== null;
	const { command, limits } = planOf(run);
	const continues = (because === "interrupted" || because === "answered" || isTry) && attempt > 0;
	const most = limits.attempts ?? run.plan.limits.attempts;
	if (!continues && run.visitRecord.tries >= Math.max(most, command?.attempts ?? 1))
		return escalate(run, "attempt_limit", run.state);
	const next = continues ? { visit, attempt, launch: launch + 1 } : { visit, attempt: attempt + 1, launch: 1 };
	return decideOn({ ...run, status: "running" }, { kind: "attempt_reserved", ...next, because }, null, delayMs);
}

function holdAtCeiling(run: Run): PauseReason | null {
	const measure = reached(run);
	return measure ? { status: "budget_exceeded", cause: "budget", detail: explainReached(measure) } : null;
}

/** The run, about to record that it waits for the user. */
export function park(run: Run, hold: PauseReason): Run {
	return decideOn({ ...run, hold }, { kind: "parked", ...hold });
}

/** The run, about to record that it waits for the answer to its worker's question. */
function parkForAnswer(run: Run, text: string): Run {
	return park(run, { status: "asks", cause: "question", detail: text.replace(/\s+/g, " ").trim().slice(0, 300) });
}

/** The run, about to record `decision`; `stopping` is the shutdown that continues afterward. */
export function decideOn(run: Run, decision: DecisionEvent, stopping: Stopping | null = null, delayMs = 0): Run {
	return { ...run, stage: { kind: "deciding", decision, stopping, delayMs } };
}

/** The run, about to record a move to `to`. */
export function moveTo(
	run: Run,
	to: string,
	cause: MoveCause,
	stopping: Stopping | null = null,
	refused?: string,
): Run {
	return decideOn(
		run,
		{ kind: "moved", visit: run.visit, from: run.state, to, cause, ...(refused === undefined ? {} : { refused }) },
		stopping,
	);
}

/** The run, about to record a move to `human_intervention` instead of `refused`. */
export function escalate(run: Run, cause: MoveCause, refused: string, stopping: Stopping | null = null): Run {
	return moveTo(run, HUMAN_INTERVENTION, cause, stopping, refused);
}

/** The record of a visit that starts at `at`. `granted`: the user sent the run there. */
export function newVisit(at: string, granted: boolean): VisitRecord {
	return {
		startedAt: at,
		attempts: 0,
		tokens: 0,
		costUsd: 0,
		activeMs: 0,
		toolCalls: 0,
		tries: 0,
		crashes: 0,
		nudges: 0,
		rejections: 0,
		granted,
		noProgress: { fingerprint: "", count: 0 },
		summary: "",
	};
}

/** The totals of all states with one more visit to `state`. */
export function countVisit(states: Run["states"], state: string): Run["states"] {
	const own = states[state] ?? NO_STATE_TOTALS;
	return { ...states, [state]: { ...own, visits: own.visits + 1 } };
}
