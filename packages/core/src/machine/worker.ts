// Applies a worker's events: it starts, calls tools, spends, saves findings, requests a move, stops.
// Reports from any launch other than the current one change nothing; spend is reported as a total per conversation, so a repeated or
// late report neither loses nor doubles any; a requested move takes precedence over a limit that the worker has just reached.

import { judgeUse, NO_USE, outcomeFingerprint, useCall, useRequests, type VisitUse } from "../bounds/index.ts";
import { addOutput, addSummary, cutText, updateSnapshot } from "../snapshot/index.ts";
import { HUMAN_INTERVENTION } from "../template/index.ts";
import { advance } from "./advance.ts";
import { explainReached, notice, reached, visitLimits, warnOfCeilings } from "./budget/budget.ts";
import { addToolCall, addToTotals } from "./budget/totals.ts";
import { chooseWinner, outputIn } from "./candidates.ts";
import { resolveInherited } from "./children/inherit.ts";
import { leaveState } from "./leave-state.ts";
import { outboxOfLaunch, queueReminder } from "./outbox.ts";
import { judgeMove, legalTargets } from "./plan/moves.ts";
import { planOf } from "./plan/plan.ts";
import { type Calls, NO_CALLS } from "./run/calls.ts";
import type { ParkCause } from "./run/decision-event.ts";
import type {
	Delivered,
	LaunchFailed,
	LedgerEvent,
	ModelSwitched,
	MoveRequested,
	OutputRefused,
	ProviderDue,
	SnapshotUpdated,
	ToolEnded,
	ToolStarted,
	TurnSettled,
	Used,
	WorkerStarted,
} from "./run/event.ts";
import type { LaunchId } from "./run/launch.ts";
import { launchKey } from "./run/launch.ts";
import { type ProviderWait, waitAfter } from "./run/provider-wait.ts";
import { type Reduced, refuse } from "./run/refusal.ts";
import type { AfterStop, ConversationState, PauseReason, Run, Stage, Stopping } from "./run/run.ts";
import { SUMMARY_BYTES } from "./run/run-outcome.ts";
import { greaterSpend, NO_SPEND, spendBeyond } from "./run/spend.ts";
import { closeQuestion } from "./run/user-question.ts";
import { pauseWorker, stopWorker } from "./shutdown.ts";
import { shutdownOf } from "./stopping.ts";

type Working = Extract<Stage, { kind: "working" }>;
type Alive = (Working | Stopping) & { readonly launch: LaunchId };

const openCalls = 16;
const recentCalls = 8;
const argsShown = 160;
const providerDelayMs = 5000;

/** The stage, if the worker of `visit` and `attempt` may still report. */
function aliveStage({ stage }: Run, visit: number, attempt: number): Alive | undefined {
	if (stage.kind !== "working" && stage.kind !== "stopping") return undefined;
	const { launch } = stage;
	// Returns the stage itself, not a copy: this runs for every report of a worker.
	return launch && launch.visit === visit && launch.attempt === attempt ? (stage as Alive) : undefined;
}

const staleWorker = () =>
	refuse("stale", "This was decided in an earlier visit or attempt: that worker's part of the run is over.");

function sameLaunch(one: LaunchId, other: LaunchId): boolean {
	return launchKey(one) === launchKey(other);
}

export function onWorkerStarted(run: Run, event: LedgerEvent & WorkerStarted): Reduced {
	const { stage } = run;
	const { pid, model, at } = event;
	const noted = event.notice === undefined ? run : notice(run, event.notice);
	// The worker was stopped during startup.
	if (stage.kind === "stopping" && stage.launch && sameLaunch(stage.launch, event) && stage.startedAt === "")
		return { ...noted, stage: { ...stage, startedAt: at, seenAt: at } };
	if (stage.kind !== "launching" || !sameLaunch(stage.launch, event)) return staleWorker();
	const conversation: ConversationState | null =
		run.conversation && event.conversation === "new"
			? { ...run.conversation, settled: NO_SPEND, touched: false }
			: run.conversation;
	const first = new Set(outboxOfLaunch(run));
	return {
		...noted,
		conversation,
		outbox: run.outbox.map((message) => (first.has(message) ? { ...message, given: true } : message)),
		stage: {
			kind: "working",
			launch: stage.launch,
			because: stage.because,
			since: stage.since,
			startedAt: at,
			seenAt: at,
			worker: { pid, model },
		},
	};
}

export function onLaunchFailed(run: Run, event: LedgerEvent & LaunchFailed): Reduced {
	const { stage } = run;
	if (stage.kind === "stopping" && stage.launch && sameLaunch(stage.launch, event))
		return { ...run, stage: { ...stage, launch: null } };
	if (stage.kind !== "launching" || !sameLaunch(stage.launch, event)) return staleWorker();
	const noted = notice(run, event.detail);
	if (event.reason === "session_lost") return advance({ ...noted, conversation: null }, "session_lost");
	if (event.reason === "spawn" && run.visitRecord.crashes < run.plan.limits.retries)
		return advance(countCrash(noted), "crashed", providerDelayMs);
	if (event.reason === "budget") {
		const hold: PauseReason = { status: "budget_exceeded", cause: "budget", detail: event.detail };
		return advance({ ...noted, hold }, "resumed");
	}
	const cause: ParkCause = event.reason === "rules" ? "guard" : "launch";
	return advance({ ...noted, hold: { status: "paused", cause, detail: event.detail } }, "resumed");
}

/** Counts a worker or command that failed without an outcome. */
export function countCrash(run: Run): Run {
	return { ...run, visitRecord: { ...run.visitRecord, crashes: run.visitRecord.crashes + 1 } };
}

/** The run after a report at `at`, which confirms that the worker has received its first message. */
function alive(run: Run, stage: Alive, at: string, calls: Calls = run.calls): Run {
	const { conversation, outbox } = run;
	const interrupted = calls.interrupted.calls.length > 0;
	return {
		...run,
		stage: { ...stage, seenAt: at },
		calls: interrupted ? { ...calls, interrupted: NO_CALLS.interrupted } : calls,
		conversation: conversation && !conversation.touched ? { ...conversation, touched: true } : conversation,
		outbox: outbox.some(({ given }) => given) ? outbox.filter(({ given }) => !given) : outbox,
	};
}

export function onToolStarted(run: Run, event: LedgerEvent & ToolStarted): Reduced {
	const stage = aliveStage(run, event.visit, event.attempt);
	if (!stage) return staleWorker();
	const { call, tool, args, print } = event;
	const begun = { call, tool, args: args.slice(0, argsShown), print };
	const open = [...run.calls.open, begun].slice(-openCalls);
	return alive(providerAnswers(run), stage, event.at, { ...run.calls, open });
}

export function onToolEnded(run: Run, event: LedgerEvent & ToolEnded): Reduced {
	const stage = aliveStage(run, event.visit, event.attempt);
	if (!stage) return staleWorker();
	const begun = run.calls.open.find(({ call }) => call === event.call);
	const failed = event.error === true || event.blocked !== undefined;
	const recent = [...run.calls.recent, { tool: event.tool, args: begun?.args ?? "", failed }].slice(-recentCalls);
	const open = run.calls.open.filter((other) => other !== begun);
	const seen = alive(addToolCall(run, event.visit, event.blocked !== undefined), stage, event.at, {
		...run.calls,
		open,
		recent,
	});
	// Calls in older ledgers have no fingerprint and do not count against the limits of a visit.
	if (begun?.print === undefined) return seen;
	const outcome = event.blocked ?? event.timeless ?? event.hash;
	const print = outcome === "" ? undefined : outcomeFingerprint(begun.print, outcome);
	return judgeVisit(seen, useCall(seen.visitRecord.use ?? NO_USE, print), event.seq);
}

/** Records the usage of a visit. Queues a reminder if the model repeats itself, or stops the worker at its next boundary. */
function judgeVisit(run: Run, use: VisitUse, seq: number): Run {
	const counted: Run = { ...run, visitRecord: { ...run.visitRecord, use } };
	if (run.stage.kind !== "working") return counted;
	const verdict = judgeUse(run.visitRecord.use ?? NO_USE, use, visitLimits(run));
	switch (verdict.kind) {
		case "fine":
			return counted;
		case "nudge": {
			return notice(queueReminder(counted, seq, verdict.text), `"${run.state}": ${verdict.text}`);
		}
		case "stop": {
			const cause = verdict.cause === "circling" ? "circling" : "visit_limit";
			const hold: PauseReason = { status: "paused", cause, detail: `"${run.state}" was stopped. ${verdict.text}` };
			return pauseWorker({ ...counted, hold }, "boundary");
		}
	}
}

export function onUsed(run: Run, event: LedgerEvent & Used): Reduced {
	const stage = aliveStage(run, event.visit, event.attempt);
	if (!stage) return staleWorker();
	const left = stage.kind === "stopping" && stage.visit !== run.visit;
	const conversation = left ? stage.closing : run.conversation;
	if (!conversation) return staleWorker();
	const touched = conversation.touched || event.spend.tokens > 0 || (event.spend.unreportedAnswers ?? 0) > 0;
	const settled = { ...conversation, settled: greaterSpend(conversation.settled, event.spend), touched };
	const spend = spendBeyond(event.spend, conversation.settled);
	const spent = addToTotals(run, stage.kind === "stopping" ? stage.state : run.state, event.visit, { spend });
	const seenAt = event.lost ? stage.seenAt : event.at;
	if (left) return { ...spent, stage: { ...stage, seenAt, closing: settled } };
	const seen: Run = { ...alive(spent, stage, seenAt), conversation: settled };
	if (stage.kind === "stopping") return seen;
	const warned = warnOfCeilings(seen, event.at);
	const measure = reached(warned, event.at);
	const { requests = 0 } = event;
	if (!measure)
		return requests === 0
			? warned
			: judgeVisit(closeQuestion(warned), useRequests(warned.visitRecord.use ?? NO_USE, requests), event.seq);
	const hold: PauseReason = { status: "budget_exceeded", cause: "budget", detail: explainReached(measure) };
	return pauseWorker({ ...(requests === 0 ? warned : closeQuestion(warned)), hold }, "boundary");
}

export function onModelSwitched(run: Run, event: LedgerEvent & ModelSwitched): Reduced {
	const stage = aliveStage(run, event.visit, event.attempt);
	if (!stage) return staleWorker();
	const noted = notice(run, `${event.from} failed, so ${event.to} goes on: ${event.detail}`);
	const seen = alive(noted, stage, event.at);
	if (stage.kind !== "working" || !stage.worker) return seen;
	return { ...seen, stage: { ...stage, seenAt: event.at, worker: { ...stage.worker, model: event.to } } };
}

export function onTurnSettled(run: Run, event: LedgerEvent & TurnSettled): Reduced {
	const stage = aliveStage(run, event.visit, event.attempt);
	if (stage?.kind !== "working") return staleWorker();
	const seen = alive(run, stage, event.at);
	const pause = (cause: ParkCause, detail: string): Run =>
		pauseWorker({ ...seen, hold: { status: "paused", cause, detail } }, "now");
	switch (event.stop) {
		case "quota":
			// A quota that is filled again at a known time is waited for.
			return event.retryAt === undefined
				? pause("quota", `The provider's quota is used up${detailOf(event)}`)
				: waitForProvider(seen, event);
		case "auth":
			return pause("auth", `The provider refuses the credentials${detailOf(event)}`);
		case "transient":
		case "provider_error": {
			if (event.stop === "transient" && event.waits) return waitForProvider(seen, event);
			if (run.visitRecord.crashes >= run.plan.limits.retries)
				return pause("provider", `The provider fails${detailOf(event)}`);
			// In ledgers of earlier versions, a passing fault is retried like this.
			const delayMs = event.stop === "transient" ? providerDelayMs * 2 ** run.visitRecord.crashes : 0;
			return stopWorker(countCrash(seen), "now", { kind: "again", because: "provider_error", delayMs });
		}
		case "finished":
		case "length":
		case "aborted": {
			if (run.visitRecord.nudges >= run.plan.limits.nudges)
				return pause("no_transition", `The worker of "${run.state}" stopped without a transition, reminders included.`);
			const answered = event.stop === "aborted" ? seen : providerAnswers(seen);
			return {
				...queueReminder(answered, event.seq, nudge(run, event.stop)),
				visitRecord: { ...run.visitRecord, nudges: run.visitRecord.nudges + 1 },
			};
		}
	}
}

/** The run, whose worker is stopped until the provider is tried again; it pauses if the provider fails for too long. */
function waitForProvider(run: Run, event: LedgerEvent & TurnSettled): Run {
	const wait = waitAfter(run.providerWait, event, run.plan.providerWaitMs);
	if ("kind" in wait)
		return pauseWorker({ ...run, hold: { status: "paused", cause: "provider", detail: wait.detail } }, "now");
	return stopWorker({ ...run, providerWait: wait }, "now", { kind: "again", because: "provider_error", delayMs: 0 });
}

/** The run, after a complete answer of its model. */
function providerAnswers(run: Run): Run {
	return run.providerWait ? { ...run, providerWait: null } : run;
}

export function onProviderDue(run: Run, event: LedgerEvent & ProviderDue): Reduced {
	const { stage, providerWait } = run;
	if (stage.kind !== "awaiting_provider" || !providerWait || event.visit !== run.visit) return staleWorker();
	return tryProvider(run, providerWait);
}

/** The run, which tries its provider again. */
export function tryProvider(run: Run, wait: ProviderWait): Run {
	return advance({ ...run, status: "running", providerWait: { ...wait, trying: true } }, "provider_error");
}

function detailOf({ detail }: TurnSettled): string {
	return detail ? `: ${detail.slice(0, 200)}` : ".";
}

function nudge(run: Run, stop: TurnSettled["stop"]): string {
	const plan = planOf(run);
	const targets = (plan.terminal ? ["done"] : plan.next).map((name) => `"${name}"`).join(" or ");
	const cut = stop === "length" ? "Your last message was cut off at the length limit. " : "";
	const data = outputIn(run) ? ", and with data that fits its schema" : "";
	return `${cut}The state "${run.state}" is not over: it ends only with a call of workflow_transition. If your work here is done, call it with ${targets} and a summary${data}; ${wayOut(run)}otherwise go on working.`;
}

/** Only some states can hand over to the user. */
function wayOut(run: Run): string {
	return legalTargets(run).includes(HUMAN_INTERVENTION)
		? `if you cannot go on, call it with "${HUMAN_INTERVENTION}" and say why; `
		: "";
}

export function onDelivered(run: Run, event: LedgerEvent & Delivered): Reduced {
	const rest = run.outbox.filter(({ id }) => id !== event.message);
	return rest.length === run.outbox.length ? staleWorker() : { ...run, outbox: rest };
}

export function onSnapshotUpdated(run: Run, event: LedgerEvent & SnapshotUpdated): Reduced {
	if (event.by === "worker" && !aliveStage(run, event.visit, event.attempt)) return staleWorker();
	if (run.stage.kind === "over") return refuse("over", "The run is over.");
	const known = resolveInherited(run, event.data);
	return { ...known, snapshot: updateSnapshot(run.snapshot, event.data, { visit: run.visit, state: run.state }) };
}

/** Whether a move that the worker requests can still be granted. */
function openToMove(stage: Alive | undefined): stage is Alive {
	// A worker stopped by a limit or a pause finishes its message first: a move requested in that message counts.
	return (
		stage?.kind === "working" ||
		(stage?.kind === "stopping" && stage.how === "boundary" && stage.after.kind === "again")
	);
}

/** Counts as a reminder: after as many as the template allows, the run pauses. */
export function onOutputRefused(run: Run, event: LedgerEvent & OutputRefused): Reduced {
	const stage = aliveStage(run, event.visit, event.attempt);
	if (!openToMove(stage)) return staleWorker();
	const seen = alive(run, stage, event.at);
	const { visitRecord, plan } = run;
	if (visitRecord.nudges < plan.limits.nudges)
		return { ...seen, visitRecord: { ...visitRecord, nudges: visitRecord.nudges + 1 } };
	const [first = ""] = event.problems;
	const detail = `The data that the worker of "${run.state}" hands over does not fit, reminders included: ${first.slice(0, 300)}`;
	const held: Run = { ...seen, hold: run.hold ?? { status: "paused", cause: "no_transition", detail } };
	if (stage.kind === "stopping") return held;
	return pauseWorker(held, "boundary");
}

export function onMoveRequested(run: Run, event: LedgerEvent & MoveRequested): Reduced {
	const stage = aliveStage(run, event.visit, event.attempt);
	if (stage?.kind === "stopping" && !openToMove(stage))
		return refuse("illegal", "A transition has been made already, or the worker is being stopped: end your turn now.");
	if (!openToMove(stage)) return staleWorker();
	const { target } = event;
	const summary = cutText(event.summary, SUMMARY_BYTES).text;
	const judged = judgeMove(run, target);
	if (judged.kind === "illegal") return refuse("illegal", judged.message);
	const where = { visit: run.visit, state: run.state };
	const summarized = addSummary(run.snapshot, event.summary, where);
	const noted: Run = {
		...alive(providerAnswers(run), stage, event.at),
		snapshot: event.data === undefined ? summarized : addOutput(summarized, { ...where, data: event.data }),
		visitRecord: { ...run.visitRecord, summary },
	};
	const chosen = chooseWinner(noted, target, event.data);
	const worker = { ...stage, seenAt: event.at };
	const stopping = (after: AfterStop): Stopping => shutdownOf(run, "boundary", after, worker);
	return leaveState(chosen, { judged, target, summary, cause: "worker" }, stopping);
}
