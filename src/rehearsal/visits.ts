// The visits of a rehearsal, read from the journal that its processes write; never guessed from their output.
import { type JournalLine, openJournalReader } from "./journal.ts";
import type { PersonAnswer } from "./scenario.ts";
import type { WorkflowProgress } from "./session-position.ts";

/** One visit of a phase or state. */
export interface PlayedVisit {
	readonly what: "phase" | "state";
	/** Workflow that the phase belongs to. */
	readonly scope: string | undefined;
	readonly id: string;
	/** For display; the id where no other name is known. */
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

export type PlayedCall = Omit<Extract<JournalLine, { kind: "called" }>, "kind" | "at" | "order">;

type Entered = Extract<JournalLine, { kind: "entered" }>;

/** Follows a journal; a call belongs to the visit entered last. */
export class VisitTracker {
	readonly visits: PlayedVisit[] = [];
	private readonly reader: ReturnType<typeof openJournalReader>;
	private readonly onVisit: ((visit: PlayedVisit) => void) | undefined;
	private lastProgress: WorkflowProgress = "none";
	private answer: PersonAnswer | undefined;
	private open:
		| { line: Entered; calls: (PlayedCall & { order: number })[]; requests: number[]; until: number }
		| undefined;

	/** `journal`: its absolute path. `onVisit` is called at the end of a visit. */
	constructor(journal: string, onVisit?: (visit: PlayedVisit) => void) {
		this.reader = openJournalReader(journal);
		this.onVisit = onVisit;
	}

	/** Progress of the newest workflow run when pi last had nothing to do. */
	get progress(): WorkflowProgress {
		return this.lastProgress;
	}

	/** Takes the scenario's answer to the question asked now; `undefined`: yes. */
	takeAnswer(): PersonAnswer | undefined {
		const { answer } = this;
		this.answer = undefined;
		return answer;
	}

	/** Reads what has been written since the last call. */
	poll(): void {
		for (const line of this.reader.read()) this.onLine(line);
	}

	/** Ends the open visit, `left` if the run came to its end, and closes the journal. */
	end(last: "left" | "stopped"): void {
		this.closeVisit(last === "left", this.open?.until ?? 0);
		this.reader.close();
	}

	private onLine(line: JournalLine): void {
		if (line.kind === "settled") this.lastProgress = line.progress;
		if (line.kind === "answer") this.answer = line.answer;
		if (line.kind === "entered") this.onEntered(line);
		else if (this.open) this.open.until = line.at;
		if (line.kind === "asked") this.open?.requests.push(line.characters);
		if (line.kind !== "called") return;
		const { kind: _kind, at: _at, ...call } = line;
		this.open?.calls.push(call);
	}

	private onEntered(line: Entered): void {
		const current = this.open?.line;
		// The next worker of the same visit.
		if (current?.id === line.id && current.visit === line.visit && current.scope === line.scope) return;
		this.closeVisit(true, line.at);
		this.open = { line, calls: [], requests: [], until: line.at };
	}

	private closeVisit(left: boolean, at: number): void {
		if (!this.open) return;
		const { what, scope, id, visit, at: from } = this.open.line;
		const { requests } = this.open;
		const calls = this.open.calls.sort((a, b) => a.order - b.order).map(({ order: _order, ...call }) => call);
		const ms = Math.max(0, at - from);
		const played = { what, scope, id, name: id, visit, calls, requests, ms, left };
		this.open = undefined;
		this.visits.push(played);
		this.onVisit?.(played);
	}
}
