// Folds an event log line by line: no I/O, memory independent of the log's length.
// The fold ends at damage that no valid line follows (a torn end); damage with valid lines after it is damage in the middle, and the log is
// refused; numbers are consecutive; a line written under an older lease than one before it does not count;
// `recovered` holds the whole run: damage before it no longer matters.
import { foldEvent, type LedgerEvent, type Run, startRun } from "@pi-chronicle/core/machine";
import { decodeLine } from "./line.ts";

export interface FoldResult {
	/** `undefined` if not even the first event could be read. */
	readonly run: Run | undefined;
	/** Valid bytes from the start of the log. */
	readonly soundBytes: number;
	/** Invalid bytes after them: a torn end. */
	readonly tornBytes: number;
	readonly lastSeq: number;
	readonly lastFence: number;
	/** Lines of a supervisor that had lost its lease. */
	readonly fencedLines: number;
	/** `gap`: an event is missing. `middle`: valid lines follow a damaged one. `template`: the definition cannot be read. */
	readonly fault: "gap" | "middle" | "template" | "newer" | undefined;
	/** Offset of the line at fault. */
	readonly faultAt: number;
}

export interface EventFold {
	/** Takes the next line (without its LF), which starts at byte `at` of the log. */
	add(line: Buffer, at: number): void;
	/** `length`: bytes of the log, including what follows the last LF. */
	end(length: number): FoldResult;
}

export interface FoldStart {
	/** Run of the checkpoint that the bytes continue. */
	readonly run: Run;
	readonly offset: number;
	readonly fence: number;
}

interface FoldState {
	run: Run | undefined;
	lastSeq: number;
	lastFence: number;
	soundBytes: number;
	fencedLines: number;
	fault: FoldResult["fault"];
	faultAt: number;
	/** Offset of the first damaged line since the last valid one. */
	damagedAt: number | undefined;
}

/** Folds a whole log, or the part after a checkpoint. `newestSchema`: the newest supported format. */
export function openEventFold(start: FoldStart | undefined, newestSchema: number): EventFold {
	const state: FoldState = {
		run: start?.run,
		lastSeq: start?.run.seq ?? 0,
		lastFence: start?.fence ?? 0,
		soundBytes: start?.offset ?? 0,
		fencedLines: 0,
		fault: undefined,
		faultAt: 0,
		damagedAt: undefined,
	};
	return {
		add: (line, at) => foldLine(state, line, at, newestSchema),
		end(length) {
			const { damagedAt: _, ...result } = state;
			return { ...result, tornBytes: length - state.soundBytes };
		},
	};
}

function foldLine(state: FoldState, line: Buffer, at: number, newestSchema: number): void {
	const event = decodeLine(line);
	const end = at + line.length + 1;
	if (event?.kind === "recovered" && event.seq > state.lastSeq && fenceOf(event) >= state.lastFence) {
		const run = startRun(event);
		state.fault = run ? undefined : "template";
		state.damagedAt = undefined;
		acceptEvent(state, event, run, end);
		return;
	}
	if (state.fault) return;
	if (!event) state.damagedAt ??= at;
	else if (state.damagedAt !== undefined) blame(state, "middle", state.damagedAt);
	else if (fenceOf(event) < state.lastFence) {
		state.fencedLines += 1;
		state.soundBytes = end;
	} else if (event.seq !== state.lastSeq + 1) blame(state, "gap", at);
	else {
		const run = state.run ? foldEvent(state.run, event) : firstRun(event, newestSchema);
		if (typeof run === "string") blame(state, run, at);
		else acceptEvent(state, event, run, end);
	}
}

function firstRun(event: LedgerEvent, newestSchema: number): Run | "newer" | "template" {
	if (event.kind === "created" && event.schemaVersion > newestSchema) return "newer";
	return startRun(event) ?? "template";
}

function acceptEvent(state: FoldState, event: LedgerEvent, run: Run | undefined, end: number): void {
	state.run = run;
	state.lastSeq = event.seq;
	state.lastFence = fenceOf(event);
	state.soundBytes = end;
}

function blame(state: FoldState, fault: NonNullable<FoldResult["fault"]>, at: number): void {
	state.fault = fault;
	state.faultAt = at;
}

function fenceOf(event: LedgerEvent): number {
	return event.fence ?? 0;
}
