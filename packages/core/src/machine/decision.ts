// Applies a recorded decision to the run: reserves an attempt, moves, parks or finishes.
// Only the pending decision applies; moves are counted only here.
import { cutText } from "../snapshot/index.ts";
import { HUMAN_INTERVENTION, pairKey } from "../template/index.ts";
import { advance, countVisit, newVisit } from "./advance.ts";
import { allowanceOf, notice } from "./budget/budget.ts";
import { addToTotals } from "./budget/totals.ts";
import { dropCandidates } from "./candidates.ts";
import { onChildrenPlanned } from "./children/children.ts";
import { explainCause } from "./plan/moves.ts";
import { NO_CALLS } from "./run/calls.ts";
import type { ChildrenPlanned } from "./run/child-event.ts";
import type { AttemptReserved, DecisionEvent, Moved, Parked } from "./run/decision-event.ts";
import type { LedgerEvent } from "./run/event.ts";
import { launchKey } from "./run/launch.ts";
import { type Reduced, refuse } from "./run/refusal.ts";
import type { Move, Run, Stage } from "./run/run.ts";
import { NO_SPEND } from "./run/spend.ts";

type Deciding = Extract<Stage, { kind: "deciding" }>;

const historyLength = 100;
const wholeSummaries = 10;
const summaryBytes = 800;
const oldSummaryBytes = 100;

export function onDecision(run: Run, event: LedgerEvent & DecisionEvent): Reduced {
	const { stage } = run;
	// Earlier versions resumed a run that lacks files for its children without measuring them again.
	if (stage.kind === "baselining" && event.kind === "parked" && event.cause === "children") return onParked(run, event);
	if (stage.kind !== "deciding" || !isSameDecision(stage.decision, event))
		return refuse("unexpected", "No such decision is due.");
	switch (event.kind) {
		case "attempt_reserved":
			return reserve(run, stage, event);
		case "children_planned":
			return onChildrenPlanned(run, event);
		case "moved":
			return applyMove(run, stage, event);
		case "parked":
			return onParked(run, event);
		case "provider_awaited":
			return { ...run, status: "awaiting_provider", stage: { kind: "awaiting_provider", since: event.seq } };
		case "finished":
			return {
				...run,
				status: event.status,
				hold: null,
				outbox: [],
				question: null,
				providerWait: null,
				stage: { kind: "over", since: event.seq },
				notices: event.detail ? notice(run, event.detail).notices : run.notices,
			};
	}
}

function onParked(run: Run, { status, cause, detail, seq }: LedgerEvent & Parked): Run {
	return { ...run, status, hold: { status, cause, detail }, stage: { kind: "waiting", since: seq } };
}

/** Whether `event` is the pending decision. Texts may differ, because the ledger redacts secrets. */
function isSameDecision(due: DecisionEvent, event: DecisionEvent): boolean {
	switch (due.kind) {
		case "attempt_reserved":
			return event.kind === due.kind && launchKey(event) === launchKey(due);
		case "children_planned":
			return event.kind === due.kind && event.visit === due.visit && sameChildren(due, event);
		case "provider_awaited":
			return event.kind === due.kind && event.visit === due.visit;
		case "moved":
			return event.kind === due.kind && event.visit === due.visit && event.from === due.from && event.to === due.to;
		case "parked":
		case "finished":
			return event.kind === due.kind && event.status === due.status;
	}
}

/** Ledgers of earlier versions have other ids: theirs count. */
function sameChildren(due: ChildrenPlanned, { children }: ChildrenPlanned): boolean {
	return (
		due.children.length === children.length &&
		due.children.every(({ index, branch }, at) => children[at]?.index === index && children[at].branch === branch)
	);
}

function reserve(run: Run, stage: Deciding, event: LedgerEvent & AttemptReserved): Reduced {
	const { visit, attempt, launch, because } = event;
	const fresh = attempt !== run.attempt || run.attempt === 0;
	const key = `${visit}.${attempt}`;
	const begins = because === "entered" || because === "repeated" || because === "session_lost";
	const conversation =
		(begins && fresh) || !run.conversation ? { key, settled: NO_SPEND, touched: false } : run.conversation;
	const counted = fresh ? addToTotals(run, run.state, visit, { attempts: 1 }) : run;
	return {
		...counted,
		attempt,
		launch,
		conversation,
		visitRecord: { ...counted.visitRecord, tries: counted.visitRecord.tries + (fresh ? 1 : 0) },
		stage: {
			kind: "launching",
			launch: { visit, attempt, launch },
			because,
			since: event.seq,
			delayMs: stage.delayMs,
			allowance: allowanceOf(run),
		},
	};
}

function applyMove(run: Run, { stopping }: Deciding, event: LedgerEvent & Moved): Reduced {
	const { from, to, cause, refused } = event;
	const byPerson = cause === "released" || cause === "reopened" || cause === "person" || cause === "rewind";
	const { attempts, tokens, costUsd, activeMs, toolCalls, summary } = run.visitRecord;
	const entry: Move = {
		from,
		to,
		at: event.at,
		cause,
		summary: cutText(summary, summaryBytes).text,
		visit: event.visit,
		metrics: { attempts, tokens, costUsd, activeMs, toolCalls },
		refused,
	};
	const moved: Run = {
		...keepCandidates(run, to, byPerson ? "person" : "worker"),
		status: "running",
		state: to,
		visit: run.visit + 1,
		attempt: 0,
		launch: 0,
		history: appendMove(run.history, entry),
		...counters(run, event),
		states: countVisit(run.states, to),
		visitRecord: newVisit(event.at, byPerson),
		// After a rewind, the visit starts with the restored files.
		baseline: cause === "rewind" ? run.baseline : null,
		conversation: null,
		calls: NO_CALLS,
		children: null,
		question: null,
		providerWait: null,
		refused: to === HUMAN_INTERVENTION ? { from, to: refused ?? from, cause } : null,
	};
	const noted = to === HUMAN_INTERVENTION ? notice(moved, explainCause(cause, from, refused ?? from)) : moved;
	return stopping ? { ...noted, stage: stopping } : advance(noted, "entered");
}

/** Keeps the candidates until one is taken: while their judge works, and while the user decides instead. */
function keepCandidates(run: Run, to: string, by: "person" | "worker"): Run {
	return to === run.candidates?.judge || to === HUMAN_INTERVENTION ? run : dropCandidates(run, by);
}

/** Pair and move counts after a move: a worker's move counts; a release by the user resets the released cap. */
function counters(run: Run, { from, to, cause }: Moved): Pick<Run, "pairMoves" | "moves"> {
	const total = run.moves.total + 1;
	switch (cause) {
		case "worker":
		case "command":
		case "children": {
			if (to === HUMAN_INTERVENTION) return { pairMoves: run.pairMoves, moves: { ...run.moves, total } };
			const pair = pairKey(from, to);
			return {
				pairMoves: { ...run.pairMoves, [pair]: (run.pairMoves[pair] ?? 0) + 1 },
				moves: { total, counted: run.moves.counted + 1 },
			};
		}
		case "released": {
			const { refused } = run;
			const { [refused ? pairKey(refused.from, refused.to) : ""]: _, ...others } = run.pairMoves;
			return {
				pairMoves: others,
				moves: { total, counted: refused?.cause === "move_limit" ? 0 : run.moves.counted },
			};
		}
		case "reopened":
			return { pairMoves: {}, moves: { total, counted: 0 } };
		default:
			return { pairMoves: run.pairMoves, moves: { ...run.moves, total } };
	}
}

/** Appends a move, drops the oldest beyond the limit, and shortens the summaries of older ones. */
function appendMove(history: readonly Move[], entry: Move): readonly Move[] {
	const last = history.length - wholeSummaries;
	const old = history[last];
	const aged =
		old && Buffer.byteLength(old.summary) > oldSummaryBytes
			? history.with(last, { ...old, summary: cutText(old.summary, oldSummaryBytes).text })
			: history;
	return [...aged, entry].slice(-historyLength);
}
