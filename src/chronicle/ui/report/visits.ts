// Visits as they grow while a run's events are read: their workers, waits, money and files. Only what a report shows is kept.

import type { FileChange } from "../../core/index.ts";
import { addSpend, type LedgerEvent, NO_SPEND, type Run, type Spend } from "../../core/index.ts";
import { endPhrase } from "./phrases.ts";
import type { Launch, LaunchEnd, NumberedMove, ReportedVisit, Wait } from "./report-model.ts";

type Growing<T> = { -readonly [Key in keyof T]: T[Key] };

interface GrowingVisit extends Growing<Omit<ReportedVisit, "launches" | "waits" | "files">> {
	readonly launches: Growing<Launch>[];
	readonly waits: Growing<Wait>[];
	readonly files: {
		from: string | undefined;
		to: string | undefined;
		changes: readonly FileChange[];
		more: number;
		unmeasured: string | undefined;
	};
}

const atWork: LaunchEnd = { kind: "working", words: "is at work" };

const endUnknown: LaunchEnd = { kind: "lost", words: "lost its supervisor; how it ended is not recorded" };

export interface VisitList {
	readonly visits: readonly ReportedVisit[];
	/** Takes in what an event changed. `quietFrom`: when the run was last heard of before it. */
	take(event: LedgerEvent, before: Run | undefined, after: Run, at: number, quietFrom: number): void;
	/** Nobody has the run any more: workers whose end is not recorded are at work no more. */
	abandon(): void;
	leave(visit: number, left: NumberedMove | undefined, at: number): void;
	/** The visit of that number, if it has begun. */
	of(number: number): ReportedVisit | undefined;
}

export function openReportedVisits(): VisitList {
	const list: GrowingVisit[] = [];
	const byNumber = new Map<number, GrowingVisit>();

	function enter(number: number, state: string, at: number): GrowingVisit {
		const known = byNumber.get(number);
		if (known) return known;
		const visit: GrowingVisit = {
			number,
			state,
			beganAt: at,
			endedAt: undefined,
			launches: [],
			waits: [],
			spend: NO_SPEND,
			activeMs: 0,
			toolCalls: 0,
			summary: "",
			files: { from: undefined, to: undefined, changes: [], more: 0, unmeasured: undefined },
			left: undefined,
		};
		byNumber.set(number, visit);
		list.push(visit);
		return visit;
	}

	function launchOf(visit: GrowingVisit | undefined, attempt: number, launch: number): Growing<Launch> | undefined {
		return visit?.launches.findLast((one) => one.attempt === attempt && one.launch === launch);
	}

	function takeWork(event: LedgerEvent, before: Run | undefined, at: number): void {
		switch (event.kind) {
			case "attempt_reserved": {
				const { visit, attempt, launch, because } = event;
				const common = { startedAt: undefined, endedAt: undefined, model: undefined };
				byNumber.get(visit)?.launches.push({ visit, attempt, launch, because, ...common, end: atWork });
				return;
			}
			case "worker_started": {
				const one = launchOf(byNumber.get(event.visit), event.attempt, event.launch);
				if (one) Object.assign(one, { startedAt: at, model: event.model });
				return;
			}
			case "launch_failed": {
				const one = launchOf(byNumber.get(event.visit), event.attempt, event.launch);
				const end: LaunchEnd = { kind: "unstarted", words: `could not be started: ${event.detail}` };
				if (one) Object.assign(one, { endedAt: at, end });
				return;
			}
			case "worker_ended": {
				const one = launchOf(byNumber.get(event.visit), event.attempt, event.launch);
				if (!one) return;
				const lost = event.outcome.kind === "lost";
				const stage = before?.stage;
				// Of a worker that was lost only the time up to its last sign of life is known.
				const seen = lost && stage && "seenAt" in stage && stage.seenAt !== "" ? Date.parse(stage.seenAt) : at;
				one.endedAt = Math.min(seen, at);
				if (one.end === atWork) one.end = endPhrase(event.outcome);
				return;
			}
			case "move_requested": {
				const visit = byNumber.get(event.visit);
				if (!visit) return;
				visit.summary = event.summary;
				const one = visit.launches.findLast(({ attempt }) => attempt === event.attempt);
				if (one)
					one.end =
						event.target === visit.state && event.target !== "done"
							? { kind: "stopped", words: "asked to begin the state anew" }
							: { kind: "moved", words: `asked for ${event.target}` };
				return;
			}
			case "rejected": {
				const one = before && byNumber.get(before.visit)?.launches.at(-1);
				if (one?.end.kind === "moved")
					one.end = { kind: "rejected", words: `${one.end.words}, which a person rejected` };
				return;
			}
			case "files_measured": {
				const visit = byNumber.get(event.visit);
				if (event.purpose !== "changes" || !visit) return;
				Object.assign(visit.files, { to: event.tree, changes: event.changes ?? [], more: event.more ?? 0 });
				visit.files.unmeasured = undefined;
				return;
			}
			case "files_unmeasured": {
				const visit = byNumber.get(event.visit);
				if (visit) visit.files.unmeasured = event.detail;
				return;
			}
		}
	}

	return {
		visits: list,
		of: (number) => byNumber.get(number),
		take(event, before, after, at, quietFrom) {
			const here = before && byNumber.get(before.visit);
			if (before && here) {
				const kind = waitOf(before, event, at - quietFrom);
				if (kind !== undefined) addWait(here, kind, quietFrom, at);
			}
			const visit = enter(after.visit, after.state, at);
			takeWork(event, before, at);
			visit.files.from ??= after.baseline?.tree ?? undefined;
			const of = byNumber.get("visit" in event ? event.visit : after.visit) ?? visit;
			const { spend, activeMs, toolCalls } = growth(before, after);
			of.spend = addSpend(of.spend, spend);
			of.activeMs += activeMs;
			of.toolCalls += toolCalls;
		},
		abandon() {
			for (const { launches } of list)
				for (const launch of launches) if (launch.end === atWork) launch.end = endUnknown;
		},
		leave(number, left, at) {
			const visit = byNumber.get(number);
			if (visit) Object.assign(visit, { left, endedAt: visit.endedAt ?? at });
		},
	};
}

/** What the totals have grown by. */
export function growth(
	before: Run | undefined,
	after: Run,
): { spend: Spend; activeMs: number; toolCalls: number; attempts: number } {
	const { totals } = after;
	const earlier = before?.totals;
	if (!earlier || earlier === totals) return { spend: NO_SPEND, activeMs: 0, toolCalls: 0, attempts: 0 };
	return {
		spend: {
			input: totals.input - earlier.input,
			output: totals.output - earlier.output,
			cacheRead: totals.cacheRead - earlier.cacheRead,
			cacheWrite: totals.cacheWrite - earlier.cacheWrite,
			tokens: totals.tokens - earlier.tokens,
			costUsd: totals.costUsd - earlier.costUsd,
			unmeteredTokens: totals.unmeteredTokens - earlier.unmeteredTokens,
		},
		activeMs: totals.activeMs - earlier.activeMs,
		toolCalls: totals.toolCalls - earlier.toolCalls,
		attempts: totals.attempts - earlier.attempts,
	};
}

/** Shorter silences before a supervisor takes the run on are its start, not a wait. */
const silenceMs = 2000;

/** What the run waited for between `before` and the next event. */
function waitOf({ stage, status }: Run, next: LedgerEvent, ms: number): Wait["kind"] | undefined {
	switch (stage.kind) {
		case "asking":
			return "approval";
		case "waiting":
			return status === "human_intervention" ? "human" : status === "budget_exceeded" ? "budget" : "paused";
		case "over":
			return "over";
		case "deciding":
		case "baselining":
		case "launching":
		case "working":
		case "stopping":
		case "restoring":
			return next.kind === "opened" && ms > silenceMs ? "interrupted" : undefined;
	}
}

function addWait({ waits }: GrowingVisit, kind: Wait["kind"], from: number, to: number): void {
	if (to <= from) return;
	const last = waits.at(-1);
	if (last && last.kind === kind && last.to === from) last.to = to;
	else waits.push({ kind, from, to });
}
