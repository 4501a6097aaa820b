// Makes the report of a run out of its ledger: reads every event once, folds the run along with it, and never fails for a piece that cannot
// be read: what is missing is said in `gaps`.
// L1 figures are differences of the folded run's totals, so they add up to what the run itself says; L2 secrets are taken out of every
// event before it is looked at; L3 memory is bounded by visits, not by events.
import type { Redact } from "../../../safety/index.ts";
import type { ReadLedger } from "../../core/index.ts";
import {
	addSpend,
	foldEvent,
	type LedgerEvent,
	NO_SPEND,
	type PersonEvent,
	type Run,
	startRun,
} from "../../core/index.ts";
import { redactEvent } from "../../engine/index.ts";
import { incidentPhrase, personPhrase } from "./phrases.ts";
import type {
	BlockedCall,
	Ceiling,
	Incident,
	NumberedMove,
	PersonDecision,
	ReportModel,
	SpendPoint,
	StateFigures,
	ToolFigures,
	WorkerQuestionRecord,
} from "./report-model.ts";
import { growth, openReportedVisits } from "./visits.ts";

type Growing<T> = { -readonly [Key in keyof T]: T[Key] };

/** Of each list of happenings at most this many are kept; the rest is counted. */
const mostHappenings = 1000;
const mostPoints = 2000;

/** Reads the ledger. Never rejects. */
export async function readReportModel(read: ReadLedger, redact: Redact): Promise<ReportModel> {
	const teller = openModelBuilder();
	const gaps: string[] = [...read.repairs];
	let unknown = 0;
	let broken = 0;
	try {
		for await (const event of read.events()) {
			const taken = takeSafely(teller, event, redact);
			if (taken === "unreadable") {
				gaps.push("The first event that can be read does not begin a run: only the folded state is shown.");
				break;
			}
			if (taken === "unknown") unknown += 1;
			if (taken === "broken") broken += 1;
		}
	} catch (error) {
		gaps.push(`The events could not be read to their end: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (broken > 0) gaps.push(`Events that make no sense to this version: ${broken}. What they tell is missing.`);
	if (unknown > 0)
		gaps.push(
			`${unknown} ${unknown === 1 ? "event is" : "events are"} of a kind that this version does not know; ${unknown === 1 ? "it is" : "they are"} passed over.`,
		);
	const { holder } = read;
	if (!holder || holder.alive === "no") teller.abandon();
	return teller.end(read.run, gaps);
}

/** One event that is not what it should be must not hide the others. */
function takeSafely(
	teller: ModelBuilder,
	event: LedgerEvent,
	redact: Redact,
): "taken" | "unknown" | "unreadable" | "broken" {
	try {
		return teller.take(redactEvent(event, redact));
	} catch {
		return "broken";
	}
}

interface ModelBuilder {
	take(event: LedgerEvent): "taken" | "unknown" | "unreadable";
	/** Nobody has the run now. */
	abandon(): void;
	end(given: Run, gaps: string[]): ReportModel;
}

function openModelBuilder(): ModelBuilder {
	const visits = openReportedVisits();
	const moves: NumberedMove[] = [];
	const states = new Map<string, Growing<StateFigures>>();
	let spending: SpendPoint[] = [];
	const ceilings: Ceiling[] = [];
	const people: PersonDecision[] = [];
	const blocked: BlockedCall[] = [];
	const questions = new Map<number, Growing<WorkerQuestionRecord>>();
	const incidents: Incident[] = [];
	const tools = new Map<string, Growing<ToolFigures>>();
	const open = new Map<string, string>();
	const dropped = new Map<string, number>();
	let run: Run | undefined;
	let beganAt = 0;
	let lastAt = 0;

	function keep<T>(list: T[], item: T, name: string): void {
		if (list.length < mostHappenings) list.push(item);
		else dropped.set(name, (dropped.get(name) ?? 0) + 1);
	}

	function take(event: LedgerEvent): "taken" | "unknown" | "unreadable" {
		const before = run;
		const after: Run | undefined = before ? foldEvent(before, event) : startRun(event);
		if (!after) return "unreadable";
		// A clock that was set back does not turn time round.
		const at = Math.max(Date.parse(event.at) || lastAt, lastAt);
		if (!before) beganAt = at;
		const quietFrom = before ? lastAt : at;
		lastAt = at;
		// What did not apply changed nothing, so it tells nothing.
		if (after === before) return "taken";
		run = after;
		visits.take(event, before, after, at, quietFrom);
		takeFigures(event, before, after, at);
		return note(event, before ?? after, at);
	}

	function takeFigures(event: LedgerEvent, before: Run | undefined, after: Run, at: number): void {
		const grown = growth(before, after);
		const visit = visits.of("visit" in event ? event.visit : after.visit);
		const name = visit?.state ?? after.state;
		const own = states.get(name) ?? { visits: 0, attempts: 0, activeMs: 0, toolCalls: 0, spend: NO_SPEND };
		states.set(name, {
			visits: after.states[name]?.visits ?? 0,
			attempts: own.attempts + grown.attempts,
			activeMs: own.activeMs + grown.activeMs,
			toolCalls: own.toolCalls + grown.toolCalls,
			spend: addSpend(own.spend, grown.spend),
		});
		const entered = states.get(after.state);
		if (!entered) states.set(after.state, { visits: 1, attempts: 0, activeMs: 0, toolCalls: 0, spend: NO_SPEND });
		if (grown.spend.tokens > 0 || grown.spend.costUsd > 0) {
			spending.push({ at, tokens: after.totals.tokens, costUsd: after.totals.costUsd });
			if (spending.length > mostPoints) spending = spending.filter((_, index) => index % 2 === 1);
		}
		const { costUsd = after.plan.limits.costUsd, tokens = after.plan.limits.tokens } = after.limits.run;
		const last = ceilings.at(-1);
		if (!last || last.costUsd !== costUsd || last.tokens !== tokens) ceilings.push({ at, costUsd, tokens });
	}

	/** Notes what the event tells beyond figures. */
	function note(event: LedgerEvent, before: Run, at: number): "taken" | "unknown" {
		const where = { at, visit: before.visit, state: before.state };
		const incident = incidentPhrase(event);
		if (incident) {
			const visit = "visit" in event ? event.visit : before.visit;
			keep(incidents, { at, visit, state: visits.of(visit)?.state ?? before.state, ...incident }, "incidents");
		}
		switch (event.kind) {
			case "moved": {
				const { from, to, cause, refused, visit } = event;
				const move = { number: moves.length + 1, from, to, cause, at, refused };
				moves.push(move);
				visits.leave(visit, move, at);
				return "taken";
			}
			case "finished":
				visits.leave(before.visit, undefined, at);
				return "taken";
			case "tool_started":
				open.set(`${event.visit}.${event.attempt} ${event.call}`, event.args);
				return "taken";
			case "tool_ended": {
				const key = `${event.visit}.${event.attempt} ${event.call}`;
				const args = open.get(key) ?? "";
				open.delete(key);
				takeTool(event);
				if (event.blocked !== undefined) {
					const state = visits.of(event.visit)?.state ?? before.state;
					const call = { at, visit: event.visit, state, tool: event.tool, args, rule: event.blocked };
					keep(blocked, call, "blocked calls");
				}
				return "taken";
			}
			case "worker_ended":
				open.clear();
				return "taken";
			case "snapshot_updated":
				if (event.by === "person")
					keep(people, { ...where, what: "Changed what the run knows", words: wordsOf(event.data) }, "people's words");
				return "taken";
			case "ask_opened":
				if (questions.size < mostHappenings)
					questions.set(event.seq, { ...where, title: event.title, text: event.text, verdict: "open" });
				return "taken";
			case "ask_answered": {
				const question = questions.get(event.answers);
				if (question) question.verdict = event.verdict;
				return "taken";
			}
			case "approved":
			case "rejected":
			case "resumed":
			case "released":
			case "limits_changed":
			case "model_changed":
			case "told":
			case "pause_requested":
			case "abort_requested":
			case "reopened":
			case "rewind_requested": {
				const phrase = personPhrase(event satisfies PersonEvent, before);
				if (phrase) keep(people, { ...where, ...phrase }, "people's words");
				return "taken";
			}
			case "created":
			case "recovered":
			case "noted":
			case "clock_jumped":
			case "opened":
			case "attempt_reserved":
			case "parked":
			case "worker_started":
			case "launch_failed":
			case "used":
			case "model_switched":
			case "turn_settled":
			case "delivered":
			case "move_requested":
			case "files_measured":
			case "files_unmeasured":
			case "files_restored":
			case "files_unrestored":
			case "cleanup_ended":
			case "strays_stopped":
				return "taken";
			default:
				return "unknown";
		}
	}

	function takeTool({ tool, ms, bytes, error, blocked: rule }: LedgerEvent & { kind: "tool_ended" }): void {
		const own = tools.get(tool) ?? { tool, calls: 0, failed: 0, blocked: 0, ms: 0, longestMs: 0, bytes: 0 };
		tools.set(tool, {
			tool,
			calls: own.calls + 1,
			failed: own.failed + (error && rule === undefined ? 1 : 0),
			blocked: own.blocked + (rule === undefined ? 0 : 1),
			ms: own.ms + ms,
			longestMs: Math.max(own.longestMs, ms),
			bytes: own.bytes + bytes,
		});
	}

	return {
		take,
		abandon: () => visits.abandon(),
		end(given, gaps) {
			const shown = run ?? given;
			if (!run) gaps.push("There are no events to be read: visits, times and tool calls are not known.");
			for (const [name, count] of dropped) gaps.push(`${count} more ${name} are in the ledger and not here.`);
			return {
				run: shown,
				beganAt: run ? beganAt : Date.parse(given.createdAt) || 0,
				endedAt: run ? lastAt : Date.parse(given.updatedAt) || 0,
				visits: visits.visits,
				moves: run ? moves : movesOf(given),
				states: run ? states : statesOf(given),
				spending,
				ceilings,
				people,
				blocked,
				questions: [...questions.values()],
				incidents,
				tools: [...tools.values()].sort((one, other) => other.calls - one.calls),
				gaps,
			};
		},
	};
}

function wordsOf({
	findings = [],
	pendingTasks = [],
	resolve = [],
}: (LedgerEvent & { kind: "snapshot_updated" })["data"]): string {
	return [
		...findings.map(({ key, text }) => (key === undefined ? text : `${key}: ${text}`)),
		...pendingTasks.map(({ text }) => `to do: ${text}`),
		...resolve.map((name) => `done: ${name}`),
	].join("\n");
}

/** What a folded run alone remembers of its moves. */
function movesOf({ history, moves }: Run): NumberedMove[] {
	const first = moves.total - history.length;
	return history.map(({ from, to, cause, at, refused }, index) => ({
		number: first + index + 1,
		from,
		to,
		cause,
		at: Date.parse(at) || 0,
		refused,
	}));
}

function statesOf({ states }: Run): Map<string, StateFigures> {
	return new Map(
		Object.entries(states).map(([name, { visits, attempts, activeMs, tokens, costUsd, cacheRead }]) => [
			name,
			{ visits, attempts, activeMs, toolCalls: 0, spend: { ...NO_SPEND, tokens, costUsd, cacheRead } },
		]),
	);
}
