// Reads the report model of a run from its ledger, each event once. It never fails because of unreadable data: `gaps` lists missing data.
// Every event is redacted before it is used; memory is bounded by visits, not by events.
import { errorMessage } from "@pi-chronicle/core/definition";
import { type NumberedMove, RunHistory } from "@pi-chronicle/core/history";
import { addSpend, isKnownEvent, type LedgerEvent, NO_SPEND, type Run } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { redactEvent } from "../../local/index.ts";
import type { Redact } from "../../safety/index.ts";
import { incidentOf, userAction } from "../phrases/index.ts";
import type { Happening, ReportModel, StateFigures, ToolFigures, WorkerQuestionRecord } from "./report-model.ts";
import { type DoneCall, WorkCollector, WorkReader } from "./visit-work.ts";

type Growing<T> = { -readonly [Key in keyof T]: T[Key] };
type List<T> = T extends readonly (infer Item)[] ? Item[] : never;

/** At most this many entries of each list are kept; the rest is counted. */
const maxEntries = 1000;

/** Reads the ledger. Never rejects. */
export async function readReportModel(read: ReadLedger, redact: Redact): Promise<ReportModel> {
	return new ReportReader(redact).catchUp(read);
}

/** Reads a ledger again and again: each time, only the events that it has not read yet. */
export class ReportReader {
	readonly #redact: Redact;
	readonly #builder = new ReportModelBuilder();
	readonly #counts = { taken: 0, unknown: 0, broken: 0 };
	#seq = 0;
	#last: Promise<unknown> = Promise.resolve();

	constructor(redact: Redact) {
		this.#redact = redact;
	}

	/** Never rejects. Two calls at once read one after the other, so that none takes an event twice. */
	catchUp(read: ReadLedger): Promise<ReportModel> {
		this.#last = this.#last.then(() => this.#catchUp(read));
		return this.#last as Promise<ReportModel>;
	}

	async #catchUp(read: ReadLedger): Promise<ReportModel> {
		const gaps: string[] = [...read.repairs];
		try {
			for await (const event of read.events(this.#seq)) {
				const taken = takeSafely(this.#builder, event, this.#redact);
				if (taken === "unreadable") {
					gaps.push("The first readable event does not start a run: only the folded state is shown.");
					break;
				}
				this.#seq = event.seq;
				this.#counts[taken] += 1;
			}
		} catch (error) {
			gaps.push(`The events could only be read in part: ${errorMessage(error)}`);
		}
		const { broken, unknown } = this.#counts;
		if (broken > 0) gaps.push(`Invalid events: ${broken}. Their content is missing.`);
		const [events, they] = unknown === 1 ? ["event is", "it is"] : ["events are", "they are"];
		if (unknown > 0) gaps.push(`${unknown} ${events} of an unknown kind; ${they} skipped.`);
		const { holder } = read;
		if (!holder || holder.alive === "no") this.#builder.history.abandon();
		return this.#builder.build(read.run, gaps);
	}
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

class ReportModelBuilder {
	readonly history = new RunHistory();
	readonly #decisions: List<ReportModel["decisions"]> = [];
	readonly #blocked: List<ReportModel["blocked"]> = [];
	readonly #questions = new Map<number, Growing<WorkerQuestionRecord>>();
	readonly #incidents: List<ReportModel["incidents"]> = [];
	readonly #tools = new Map<string, ToolFigures>();
	readonly #dropped = new Map<string, number>();
	readonly #reader = new WorkReader();
	readonly #work = new WorkCollector();

	take(event: LedgerEvent): Taken {
		const step = this.history.take(event);
		if (!step) return "unreadable";
		const { before, after, at } = step;
		if (after === before) return "taken";
		const current = before ?? after;
		const visit = "visit" in event ? event.visit : current.visit;
		const place = { at, visit, state: this.history.visit(visit)?.state ?? current.state };
		const incident = incidentOf(event);
		if (incident) this.#keep(this.#incidents, { ...place, ...incident }, "incidents");
		const action = userAction(event, current);
		if (action) this.#keep(this.#decisions, { ...place, ...action }, "user decisions");
		const work = this.#reader.take(event, current, after, at);
		if (work) this.#work.add(work);
		if (work?.kind === "call") this.#takeCall(work, place);
		this.#takeQuestion(event, place);
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
			states: stateFigures(run ?? folded, visits),
			decisions: this.#decisions,
			blocked: this.#blocked,
			questions: [...this.#questions.values()],
			incidents: this.#incidents,
			tools: [...this.#tools.values()].sort((one, other) => other.calls - one.calls),
			workOf: (visit) => this.#work.of(visit),
			gaps,
		};
	}

	#keep<T>(list: T[], item: T, name: string): void {
		if (list.length < maxEntries) list.push(item);
		else this.#dropped.set(name, (this.#dropped.get(name) ?? 0) + 1);
	}

	#takeCall({ tool, args, rule, outcome, ms, bytes }: DoneCall, place: Happening): void {
		const own = this.#tools.get(tool) ?? { tool, calls: 0, failed: 0, blocked: 0, ms: 0, longestMs: 0, bytes: 0 };
		this.#tools.set(tool, {
			tool,
			calls: own.calls + 1,
			failed: own.failed + (outcome === "failed" ? 1 : 0),
			blocked: own.blocked + (outcome === "blocked" ? 1 : 0),
			ms: own.ms + ms,
			longestMs: Math.max(own.longestMs, ms),
			bytes: own.bytes + bytes,
		});
		if (rule !== undefined) this.#keep(this.#blocked, { ...place, tool, args, rule }, "blocked calls");
	}

	#takeQuestion(event: LedgerEvent, place: Happening): void {
		if (event.kind === "ask_opened" && this.#questions.size < maxEntries) {
			const { title, text, seq } = event;
			this.#questions.set(seq, { ...place, title, text, verdict: "open" });
		} else if (event.kind === "ask_answered") {
			const question = this.#questions.get(event.answers);
			if (question) Object.assign(question, { verdict: event.verdict, words: event.words });
		}
	}
}

function movesOf({ history, moves }: Run): NumberedMove[] {
	const first = moves.total - history.length;
	return history.map(({ from, to, cause, at, refused }, index) => ({
		...{ number: first + index + 1, from, to, cause, refused },
		at: Date.parse(at) || 0,
	}));
}

/** The figures of each state: the sum of its visits, so that no two tables of the report differ. */
function stateFigures({ states }: Run, visits: ReportModel["visits"]): Map<string, StateFigures> {
	if (visits.length > 0)
		return new Map(
			[...Map.groupBy(visits, ({ state }) => state)].map(([name, own]) => [
				name,
				{
					visits: own.length,
					attempts: states[name]?.attempts ?? 0,
					activeMs: own.reduce((sum, { activeMs }) => sum + activeMs, 0),
					toolCalls: own.reduce((sum, { toolCalls }) => sum + toolCalls, 0),
					spend: own.reduce((sum, { spend }) => addSpend(sum, spend), NO_SPEND),
				},
			]),
		);
	return new Map(
		Object.entries(states).map(([name, { visits, attempts, activeMs, tokens, costUsd, cacheRead }]) => [
			name,
			{ visits, attempts, activeMs, toolCalls: 0, spend: { ...NO_SPEND, tokens, costUsd, cacheRead } },
		]),
	);
}
