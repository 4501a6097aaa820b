// Reads the report model of a run from its ledger, each event once. It never fails because of unreadable data: `gaps` lists missing data.
// Every event is redacted before it is used; memory is bounded by visits, not by events.

import { errorMessage } from "../../../definition/index.ts";
import type { Redact } from "../../../safety/index.ts";
import type { ReadLedger } from "../../core/index.ts";
import {
	addSpend,
	growth,
	isKnownEvent,
	type LedgerEvent,
	NO_SPEND,
	type NumberedMove,
	type Run,
	RunHistory,
} from "../../core/index.ts";
import { redactEvent } from "../../engine/index.ts";
import { incidentPhrase, userPhrase } from "./phrases.ts";
import type {
	BlockedCall,
	Ceiling,
	Incident,
	ReportModel,
	SpendPoint,
	StateFigures,
	ToolFigures,
	UserDecision,
	WorkerQuestionRecord,
} from "./report-model.ts";

type Growing<T> = { -readonly [Key in keyof T]: T[Key] };

/** At most this many entries of each list are kept; the rest is counted. */
const maxEntries = 1000;
const maxPoints = 2000;

/** Reads the ledger. Never rejects. */
export async function readReportModel(read: ReadLedger, redact: Redact): Promise<ReportModel> {
	const builder = new ReportModelBuilder();
	const gaps: string[] = [...read.repairs];
	const counts = { taken: 0, unknown: 0, broken: 0 };
	try {
		for await (const event of read.events()) {
			const taken = takeSafely(builder, event, redact);
			if (taken === "unreadable") {
				gaps.push("The first readable event does not start a run: only the folded state is shown.");
				break;
			}
			counts[taken] += 1;
		}
	} catch (error) {
		gaps.push(`The events could only be read in part: ${errorMessage(error)}`);
	}
	gaps.push(...skippedEvents(counts));
	const { holder } = read;
	if (!holder || holder.alive === "no") builder.history.abandon();
	return builder.build(read.run, gaps);
}

function skippedEvents({ unknown, broken }: { readonly unknown: number; readonly broken: number }): string[] {
	const [events, they] = unknown === 1 ? ["event is", "it is"] : ["events are", "they are"];
	return [
		...(broken > 0 ? [`Invalid events: ${broken}. Their content is missing.`] : []),
		...(unknown > 0 ? [`${unknown} ${events} of an unknown kind; ${they} skipped.`] : []),
	];
}

type Taken = "taken" | "unknown" | "unreadable" | "broken";

/** A malformed event must not hide the others. */
function takeSafely(builder: ReportModelBuilder, event: LedgerEvent, redact: Redact): Taken {
	try {
		return builder.take(redactEvent(event, redact));
	} catch {
		return "broken";
	}
}

const noFigures = { visits: 0, attempts: 0, activeMs: 0, toolCalls: 0, spend: NO_SPEND };

class ReportModelBuilder {
	readonly history = new RunHistory();
	readonly #states = new Map<string, Growing<StateFigures>>();
	#spending: SpendPoint[] = [];
	readonly #ceilings: Ceiling[] = [];
	readonly #decisions: UserDecision[] = [];
	readonly #blocked: BlockedCall[] = [];
	readonly #questions = new Map<number, Growing<WorkerQuestionRecord>>();
	readonly #incidents: Incident[] = [];
	readonly #tools = new Map<string, Growing<ToolFigures>>();
	/** Arguments of the calls in flight. */
	readonly #open = new Map<string, string>();
	readonly #dropped = new Map<string, number>();

	take(event: LedgerEvent): Taken {
		const step = this.history.take(event);
		if (!step) return "unreadable";
		const { before, after, at } = step;
		if (after === before) return "taken";
		this.#takeFigures(event, before, after);
		this.#takeSpending(before, after, at);
		this.#takeIncident(event, before ?? after, at);
		this.#takeDecision(event, before ?? after, at);
		this.#takeCall(event, before ?? after, at);
		this.#takeQuestion(event, before ?? after, at);
		return isKnownEvent(event) ? "taken" : "unknown";
	}

	build(folded: Run, gaps: string[]): ReportModel {
		const { run, beganAt, lastAt, visits, moves } = this.history;
		if (!run) gaps.push("No readable events: visits, times and tool calls are unknown.");
		for (const [name, count] of this.#dropped) gaps.push(`${count} more ${name} are only in the ledger.`);
		return {
			run: run ?? folded,
			beganAt: run ? beganAt : Date.parse(folded.createdAt) || 0,
			endedAt: run ? lastAt : Date.parse(folded.updatedAt) || 0,
			visits,
			moves: run ? moves : movesOf(folded),
			states: run ? this.#states : statesOf(folded),
			spending: this.#spending,
			ceilings: this.#ceilings,
			decisions: this.#decisions,
			blocked: this.#blocked,
			questions: [...this.#questions.values()],
			incidents: this.#incidents,
			tools: [...this.#tools.values()].sort((one, other) => other.calls - one.calls),
			gaps,
		};
	}

	#keep<T>(list: T[], item: T, name: string): void {
		if (list.length < maxEntries) list.push(item);
		else this.#dropped.set(name, (this.#dropped.get(name) ?? 0) + 1);
	}

	/** The visit that an event belongs to, with its state. */
	#placeOf(event: LedgerEvent, current: Run): { readonly visit: number; readonly state: string } {
		const visit = "visit" in event ? event.visit : current.visit;
		return { visit, state: this.history.visit(visit)?.state ?? current.state };
	}

	#takeFigures(event: LedgerEvent, before: Run | undefined, after: Run): void {
		const { spend, attempts, activeMs, toolCalls } = growth(before, after);
		const { state } = this.#placeOf(event, after);
		const own = this.#states.get(state) ?? noFigures;
		this.#states.set(state, {
			visits: after.states[state]?.visits ?? 0,
			attempts: own.attempts + attempts,
			activeMs: own.activeMs + activeMs,
			toolCalls: own.toolCalls + toolCalls,
			spend: addSpend(own.spend, spend),
		});
		if (!this.#states.has(after.state)) this.#states.set(after.state, { ...noFigures, visits: 1 });
	}

	#takeSpending(before: Run | undefined, after: Run, at: number): void {
		const { spend } = growth(before, after);
		if (spend.tokens > 0 || spend.costUsd > 0) {
			this.#spending.push({ at, tokens: after.totals.tokens, costUsd: after.totals.costUsd });
			if (this.#spending.length > maxPoints) this.#spending = this.#spending.filter((_, index) => index % 2 === 1);
		}
		const { costUsd = after.plan.limits.costUsd, tokens = after.plan.limits.tokens } = after.limits.run;
		const last = this.#ceilings.at(-1);
		if (!last || last.costUsd !== costUsd || last.tokens !== tokens) this.#ceilings.push({ at, costUsd, tokens });
	}

	#takeIncident(event: LedgerEvent, current: Run, at: number): void {
		const incident = incidentPhrase(event);
		if (incident) this.#keep(this.#incidents, { at, ...this.#placeOf(event, current), ...incident }, "incidents");
	}

	#takeDecision(event: LedgerEvent, current: Run, at: number): void {
		const phrase = userPhrase(event, current);
		const { visit, state } = current;
		if (phrase) this.#keep(this.#decisions, { at, visit, state, ...phrase }, "user decisions");
	}

	#takeCall(event: LedgerEvent, current: Run, at: number): void {
		switch (event.kind) {
			case "tool_started":
				this.#open.set(`${event.visit}.${event.attempt} ${event.call}`, event.args);
				return;
			case "tool_ended": {
				const key = `${event.visit}.${event.attempt} ${event.call}`;
				const args = this.#open.get(key) ?? "";
				this.#open.delete(key);
				this.#countCall(event);
				const { tool, blocked: rule } = event;
				if (rule !== undefined)
					this.#keep(this.#blocked, { at, ...this.#placeOf(event, current), tool, args, rule }, "blocked calls");
				return;
			}
			case "worker_ended":
				this.#open.clear();
		}
	}

	#countCall({ tool, ms, bytes, error, blocked: rule }: LedgerEvent & { kind: "tool_ended" }): void {
		const own = this.#tools.get(tool) ?? { tool, calls: 0, failed: 0, blocked: 0, ms: 0, longestMs: 0, bytes: 0 };
		this.#tools.set(tool, {
			tool,
			calls: own.calls + 1,
			failed: own.failed + (error && rule === undefined ? 1 : 0),
			blocked: own.blocked + (rule === undefined ? 0 : 1),
			ms: own.ms + ms,
			longestMs: Math.max(own.longestMs, ms),
			bytes: own.bytes + bytes,
		});
	}

	#takeQuestion(event: LedgerEvent, { visit, state }: Run, at: number): void {
		if (event.kind === "ask_opened") {
			const { title, text, seq } = event;
			const question = { at, visit, state, title, text, verdict: "open" } as const;
			if (this.#questions.size < maxEntries) this.#questions.set(seq, question);
		} else if (event.kind === "ask_answered") {
			const question = this.#questions.get(event.answers);
			if (question) Object.assign(question, { verdict: event.verdict, words: event.words });
		}
	}
}

/** The moves kept in a folded run, for reports without events. */
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
