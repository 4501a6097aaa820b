import {
	addSpend,
	commandOutcomeText,
	foldEvent,
	type LedgerEvent,
	NO_SPEND,
	type Run,
	type Spend,
	spendBeyond,
	startRun,
} from "../machine/index.ts";
import type { ReadLedger } from "../ports/index.ts";
import {
	commandEnd,
	endPhrase,
	type Launch,
	type LaunchEnd,
	type NumberedMove,
	type Visit,
	type Wait,
} from "./visit.ts";
import { childrenAfter, withoutLost } from "./visit-child.ts";

type Growing<T> = { -readonly [Key in keyof T]: T[Key] };

interface GrowingVisit extends Growing<Omit<Visit, "launches" | "waits" | "files" | "trees">> {
	readonly launches: Growing<Launch>[];
	readonly waits: Growing<Wait>[];
	readonly trees: Growing<Visit["trees"]>;
	readonly files: Growing<Visit["files"]>;
}

/** Reads the whole history of a run. */
export async function readHistory(ledger: Pick<ReadLedger, "events">): Promise<RunHistory> {
	const history = new RunHistory();
	for await (const event of ledger.events()) history.take(event);
	return history;
}

/** The effect of one event. */
export interface HistoryStep {
	/** `undefined` if the event started the run. */
	readonly before: Run | undefined;
	readonly after: Run;
	/** Milliseconds since the epoch; never earlier than the event before. */
	readonly at: number;
}

/** When a lost process was last seen: the time of its end is unknown. */
function lastSeen(before: Run | undefined, at: number): number {
	const stage = before?.stage;
	return stage && "seenAt" in stage && stage.seenAt !== "" ? Math.min(Date.parse(stage.seenAt), at) : at;
}

const working: LaunchEnd = { kind: "working", words: "is running" };
const endUnknown: LaunchEnd = { kind: "lost", words: "lost its supervisor; how it ended is not recorded" };

/** Accumulates events one at a time. */
export class RunHistory {
	/** The run after the last event; `undefined` before the first. */
	run: Run | undefined;
	/** Times of the first and the last event. */
	beganAt = 0;
	lastAt = 0;
	readonly moves: NumberedMove[] = [];
	readonly #visits = new Map<number, GrowingVisit>();
	/** The tree that the last rewind restored. */
	#restored: string | undefined;
	readonly #rewinds = new Rewinds();

	/** In the order they began. */
	get visits(): readonly Visit[] {
		return [...this.#visits.values()];
	}

	/** The visit with that number, if it has begun. */
	visit(number: number): Visit | undefined {
		return this.#visits.get(number);
	}

	/** Adds the next event. Returns `undefined` if the first event does not start a run. */
	take(event: LedgerEvent): HistoryStep | undefined {
		const before = this.run;
		const after = before ? foldEvent(before, event) : startRun(event);
		if (!after) return undefined;
		// Time never runs backward, even if the clock was set back.
		const at = Math.max(Date.parse(event.at) || this.lastAt, this.lastAt);
		const quietFrom = before ? this.lastAt : at;
		if (!before) this.beganAt = at;
		this.lastAt = at;
		this.run = after;
		// The event did not apply.
		if (after === before) return { before, after, at };
		if (before) this.#takeWait(before, event, quietFrom, at);
		for (const [number, undone] of this.#rewinds.take(event)) {
			const changed = this.#visits.get(number);
			if (changed) changed.undone = undone;
		}
		const visit = this.#enter(after.visit, after.state, at);
		const parent = this.#visits.get((before ?? after).visit);
		if (parent) parent.children = withoutLost(childrenAfter(parent.children, event, at), after.children);
		this.#takeChoice(before, after);
		this.#takeTrees(event, (before ?? after).visit, at);
		this.#takeWork(event, before, at);
		this.#takeMove(event, before ?? after, at);
		this.#takeStart(visit, after);
		this.#takeFigures(event, before, after, visit);
		return { before, after, at };
	}

	/** Marks workers without a recorded end as lost, because no process supervises the run. */
	abandon(): void {
		for (const { launches } of this.#visits.values())
			for (const launch of launches) if (launch.end === working) launch.end = endUnknown;
	}

	#enter(number: number, state: string, at: number): GrowingVisit {
		const known = this.#visits.get(number);
		if (known) return known;
		const visit: GrowingVisit = {
			number,
			state,
			beganAt: at,
			endedAt: undefined,
			start: undefined,
			launches: [],
			waits: [],
			children: [],
			choice: undefined,
			spend: NO_SPEND,
			activeMs: 0,
			toolCalls: 0,
			summary: "",
			trees: { before: undefined, after: undefined },
			files: { from: undefined, to: undefined, changes: [], more: 0, unmeasured: undefined },
			left: undefined,
			undone: false,
		};
		this.#visits.set(number, visit);
		return visit;
	}

	#takeChoice(before: Run | undefined, { choices }: Run): void {
		const last = choices === before?.choices ? undefined : choices.at(-1);
		const visit = last && this.#visits.get(last.visit);
		if (visit) visit.choice = last;
	}

	/** `current`: the visit in which the event happened. */
	#takeTrees(event: LedgerEvent, current: number, at: number): void {
		if (event.kind === "moved") {
			const next = this.#enter(event.visit + 1, event.to, at);
			// A visit starts with the files that a rewind restored, otherwise with the last measurement before or after the move.
			next.trees.before = event.cause === "rewind" ? this.#restored : this.#visits.get(event.visit)?.trees.after;
			return;
		}
		const here = this.#visits.get(current);
		if (event.kind === "files_restored") {
			this.#restored = event.now ?? event.tree;
			if (here) here.trees.after = event.before;
			return;
		}
		if (event.kind !== "files_measured") return;
		const visit = this.#visits.get(event.visit);
		if (event.purpose === "baseline") {
			if (visit) visit.trees.before = event.tree;
			return;
		}
		if (visit) visit.trees.after = event.tree;
		if (here && event.visit === current - 1) here.trees.before = event.tree;
	}

	#takeStart(visit: GrowingVisit, { visit: number, state, baseline, snapshot, pairMoves }: Run): void {
		if (!baseline) return;
		const { tree, checkedOut } = baseline;
		visit.start ??= { visit: number, state, tree, checkedOut, snapshot, pairMoves };
		visit.files.from ??= baseline.tree ?? undefined;
	}

	#takeMove(event: LedgerEvent, { visit: current }: Run, at: number): void {
		if (event.kind === "moved") {
			const { from, to, cause, refused, visit } = event;
			const move = { number: this.moves.length + 1, from, to, cause, at, refused };
			this.moves.push(move);
			this.#leave(visit, move, at);
		} else if (event.kind === "finished") this.#leave(current, undefined, at);
	}

	#leave(number: number, left: NumberedMove | undefined, at: number): void {
		const visit = this.#visits.get(number);
		if (visit) Object.assign(visit, { left, endedAt: visit.endedAt ?? at });
	}

	#takeFigures(event: LedgerEvent, before: Run | undefined, after: Run, current: GrowingVisit): void {
		const visit = ("visit" in event ? this.#visits.get(event.visit) : undefined) ?? current;
		const { spend, activeMs, toolCalls } = growth(before, after);
		visit.spend = addSpend(visit.spend, spend);
		visit.activeMs += activeMs;
		visit.toolCalls += toolCalls;
	}

	#launch(visit: number, attempt: number, launch: number): Growing<Launch> | undefined {
		const launches = this.#visits.get(visit)?.launches;
		return launches?.findLast((one) => one.attempt === attempt && one.launch === launch);
	}

	#takeWork(event: LedgerEvent, before: Run | undefined, at: number): void {
		switch (event.kind) {
			case "attempt_reserved": {
				const { visit, attempt, launch, because } = event;
				const unstarted = { startedAt: undefined, endedAt: undefined, model: undefined, end: working };
				this.#visits.get(visit)?.launches.push({ visit, attempt, launch, because, reservedAt: at, ...unstarted });
				return;
			}
			case "worker_started": {
				const launch = this.#launch(event.visit, event.attempt, event.launch);
				if (launch)
					Object.assign(launch, { startedAt: at, model: event.model, ...(event.standby ? { standby: true } : {}) });
				return;
			}
			case "command_started": {
				const launch = this.#launch(event.visit, event.attempt, event.launch);
				if (launch) Object.assign(launch, { startedAt: at, command: event.command });
				return;
			}
			case "command_ended":
				this.#endCommand(event, before, at);
				return;
			case "launch_failed": {
				const launch = this.#launch(event.visit, event.attempt, event.launch);
				const end: LaunchEnd = { kind: "unstarted", words: `could not be started: ${event.detail}` };
				if (launch) Object.assign(launch, { endedAt: at, end });
				return;
			}
			case "worker_ended":
				this.#endWorker(event, before, at);
				return;
			case "move_requested":
				this.#requestMove(event);
				return;
			case "rejected":
				this.#reject(before?.visit);
				return;
			case "files_measured":
				this.#measureFiles(event);
				return;
			case "files_unmeasured": {
				const visit = this.#visits.get(event.visit);
				if (visit) visit.files.unmeasured = event.detail;
				return;
			}
		}
	}

	#endWorker(event: LedgerEvent & { kind: "worker_ended" }, before: Run | undefined, at: number): void {
		const launch = this.#launch(event.visit, event.attempt, event.launch);
		if (!launch) return;
		launch.endedAt = event.outcome.kind === "lost" ? lastSeen(before, at) : at;
		if (launch.end === working) launch.end = endPhrase(event.outcome);
	}

	#endCommand(event: LedgerEvent & { kind: "command_ended" }, before: Run | undefined, at: number): void {
		const visit = this.#visits.get(event.visit);
		const launch = this.#launch(event.visit, event.attempt, event.launch);
		if (!visit || !launch) return;
		const { result, command = launch.command ?? "" } = event;
		launch.endedAt = result.kind === "lost" ? lastSeen(before, at) : at;
		launch.end = commandEnd(result);
		visit.summary = commandOutcomeText(event, command);
	}

	#requestMove({ visit: number, attempt, target, summary }: LedgerEvent & { kind: "move_requested" }): void {
		const visit = this.#visits.get(number);
		if (!visit) return;
		visit.summary = summary;
		const launch = visit.launches.findLast((one) => one.attempt === attempt);
		if (!launch) return;
		const restarts = target === visit.state && target !== "done";
		launch.end = restarts
			? { kind: "stopped", words: "asked to restart the state" }
			: { kind: "moved", words: `asked for ${target}` };
	}

	#reject(number: number | undefined): void {
		const launch = number === undefined ? undefined : this.#visits.get(number)?.launches.at(-1);
		if (launch?.end.kind === "moved") launch.end = { kind: "rejected", words: `${launch.end.words}; rejected` };
	}

	#measureFiles({
		visit,
		purpose,
		tree,
		changes = [],
		more = 0,
		total,
	}: LedgerEvent & { kind: "files_measured" }): void {
		const files = this.#visits.get(visit)?.files;
		if (purpose === "changes" && files) Object.assign(files, { to: tree, changes, more, total, unmeasured: undefined });
	}

	#takeWait(before: Run, next: LedgerEvent, from: number, to: number): void {
		const kind = kindOfWait(before, next, to - from);
		const waits = this.#visits.get(before.visit)?.waits;
		if (kind === undefined || waits === undefined || to <= from) return;
		const last = waits.at(-1);
		if (last && last.kind === kind && last.to === from) last.to = to;
		else waits.push({ kind, from, to });
	}
}

/** The increase in the totals. */
function growth(before: Run | undefined, after: Run): { spend: Spend; activeMs: number; toolCalls: number } {
	const { totals } = after;
	const earlier = before?.totals;
	if (!earlier || earlier === totals) return { spend: NO_SPEND, activeMs: 0, toolCalls: 0 };
	return {
		spend: spendBeyond(totals, earlier),
		activeMs: totals.activeMs - earlier.activeMs,
		toolCalls: totals.toolCalls - earlier.toolCalls,
	};
}

/** Milliseconds. A shorter gap before a supervisor opens the run is its startup, not a wait. */
const silenceMs = 2000;

/** The reason for a wait between a run's last event and the next one; `undefined` if there was none. */
function kindOfWait({ stage, status }: Run, next: LedgerEvent, ms: number): Wait["kind"] | undefined {
	if (status === "asks" && stage.kind !== "over") return "asks";
	switch (stage.kind) {
		case "asking":
			return next.kind === "approval_asked" ? undefined : "approval";
		case "waiting":
			return status === "human_intervention" ? "human" : status === "budget_exceeded" ? "budget" : "paused";
		case "over":
			return "over";
		case "awaiting_provider":
			return "provider";
		case "deciding":
		case "baselining":
		case "launching":
		case "working":
		case "stopping":
		case "children":
		case "restoring":
			return next.kind === "opened" && ms > silenceMs ? "interrupted" : undefined;
	}
}

interface RewindSeen {
	/** `seq` of the event that kept the state before the rewind. */
	readonly kept: number | undefined;
	/** The visits that it undid. */
	readonly undone: readonly number[];
}

class Rewinds {
	#requested: (LedgerEvent & { kind: "rewind_requested" }) | undefined;
	#kept: number | undefined;
	readonly #done: RewindSeen[] = [];
	readonly #undone = new Set<number>();

	/** The visits that the event undoes (`true`) or restores (`false`). */
	take(event: LedgerEvent): Map<number, boolean> {
		if (event.kind === "rewind_requested") {
			this.#requested = event;
			this.#kept = undefined;
		} else if (event.kind === "files_measured" && event.purpose === "before") this.#kept = event.seq;
		else if (event.kind === "files_unrestored") this.#requested = undefined;
		else if (event.kind === "moved" && event.cause === "rewind" && this.#requested)
			return this.#rewind(this.#requested, event.visit);
		return new Map();
	}

	#rewind({ to, kept }: { readonly to: number; readonly kept?: number }, last: number): Map<number, boolean> {
		const changed = new Map<number, boolean>();
		// A rewind to a kept state returns to the end of visit `to`, any other to its start.
		const first = kept === undefined ? to : to + 1;
		for (let visit = first; visit <= last; visit += 1) if (!this.#undone.has(visit)) changed.set(visit, true);
		const earlier = kept === undefined ? undefined : this.#done.find((rewind) => rewind.kept === kept);
		for (const visit of earlier?.undone ?? []) changed.set(visit, false);
		for (const [visit, undone] of changed)
			if (undone) this.#undone.add(visit);
			else this.#undone.delete(visit);
		const undone = [...changed].flatMap(([visit, isUndone]) => (isUndone ? [visit] : []));
		this.#done.push({ kept: this.#kept, undone });
		this.#requested = undefined;
		return changed;
	}
}
