// The visits of a rehearsal, read from the journal that its processes write; never guessed from their output.
import { type JournalLine, openJournalReader } from "./journal.ts";
import type { UserAnswer } from "./scenario.ts";
import type { WorkflowProgress } from "./session-position.ts";

/** One visit of a phase or state. */
export interface PlayedVisit {
	readonly what: "phase" | "state";
	/** Workflow that the phase belongs to, or template of the child run. */
	readonly scope: string | undefined;
	/** Name of the child run; absent in the first run. */
	readonly child?: string;
	readonly id: string;
	/** For display; the id if no other name is known. */
	readonly name: string;
	readonly visit: number;
	readonly calls: readonly PlayedCall[];
	/** Characters of each request to the understudy, in order. */
	readonly requests: readonly number[];
	/** Milliseconds from entering it to leaving it. */
	readonly ms: number;
	/** `false` for the visit in which the run stopped. */
	readonly left: boolean;
}

export type PlayedCall = Omit<Extract<JournalLine, { kind: "called" }>, "kind" | "at" | "order" | "id" | "by">;

type Entered = Extract<JournalLine, { readonly kind: "entered" }>;

interface OpenVisit {
	readonly line: Entered;
	readonly calls: (PlayedCall & { readonly order: number })[];
	readonly requests: number[];
	until: number;
}

/** Follows a journal; a call belongs to the visit that its run entered last. */
export class VisitTracker {
	readonly visits: PlayedVisit[] = [];
	/** How each finished call ended, by its id. */
	readonly outcomes = new Map<string, PlayedCall["outcome"]>();
	private readonly reader: ReturnType<typeof openJournalReader>;
	private readonly onVisit: ((visit: PlayedVisit) => void) | undefined;
	private lastProgress: WorkflowProgress = "none";
	private answers: UserAnswer[] = [];
	/** By run; the first run is `undefined`. */
	private readonly open = new Map<string | undefined, OpenVisit>();

	/** `journal`: its absolute path. `onVisit` is called at the end of a visit. */
	constructor(journal: string, onVisit?: (visit: PlayedVisit) => void) {
		this.reader = openJournalReader(journal);
		this.onVisit = onVisit;
	}

	/** Progress of the newest workflow run when pi last had nothing to do. */
	get progress(): WorkflowProgress {
		return this.lastProgress;
	}

	/** Takes the scenario's answer to the question asked now, the newest that `fits`; `undefined`: yes. */
	takeAnswer(fits: (answer: UserAnswer) => boolean = () => true): UserAnswer | undefined {
		const answer = this.answers.findLast(fits);
		this.answers = this.answers.filter((one) => !fits(one));
		return answer;
	}

	/** Reads what has been written since the last call. */
	poll(): void {
		for (const line of this.reader.read()) this.onLine(line);
	}

	/** Ends the open visits, `left` if the run came to its end, and closes the journal. */
	end(last: "left" | "stopped"): void {
		for (const run of this.open.keys()) this.closeVisit(run, last === "left");
		this.reader.close();
	}

	private onLine(line: JournalLine): void {
		if (line.kind === "settled") this.lastProgress = line.progress;
		if (line.kind === "answer") this.answers.push(line.answer);
		const open = this.open.get(line.by);
		if (line.kind === "entered") this.onEntered(line);
		else if (open) open.until = line.at;
		if (line.kind === "asked") open?.requests.push(line.characters);
		if (line.kind !== "called") return;
		const { kind: _kind, at: _at, by: _by, id, ...call } = line;
		if (id !== undefined) this.outcomes.set(id, line.outcome);
		open?.calls.push(call);
	}

	private onEntered(line: Entered): void {
		const { by } = line;
		const open = this.open.get(by);
		// The next worker of the same visit.
		if (open && open.line.id === line.id && open.line.visit === line.visit && open.line.scope === line.scope) return;
		if (open) {
			open.until = line.at;
			this.closeVisit(by, true);
		}
		// A run leaves its state once its children have ended.
		if (by === undefined) for (const run of [...this.open.keys()]) this.closeVisit(run, true);
		this.open.set(by, { line, calls: [], requests: [], until: line.at });
	}

	private closeVisit(run: string | undefined, left: boolean): void {
		const open = this.open.get(run);
		if (!open) return;
		this.open.delete(run);
		const { what, scope, child, id, visit, at: from } = open.line;
		const played = {
			what,
			scope,
			child,
			id,
			name: id,
			visit,
			calls: open.calls.sort((a, b) => a.order - b.order).map(({ order: _order, ...call }) => call),
			requests: open.requests,
			ms: Math.max(0, open.until - from),
			left,
		};
		this.visits.push(played);
		this.onVisit?.(played);
	}
}
