// Folds an event log line by line: no I/O, memory independent of the log's length.
// F1 the fold ends at the first damaged place that nothing sound follows (a torn end); a damaged place with sound lines behind it is
// damage in the middle, and the log is refused; F2 numbers follow each other without gaps; F3 a line written under an older lease than
// one before it is no part of the story; F4 `recovered` tells the whole run: what is damaged before it does not matter any more.
import { foldEvent, type LedgerEvent, type Run, startRun } from "../../core/index.ts";
import { decodeLine } from "./line.ts";

export interface FoldResult {
	/** `undefined` where not even the first event could be read. */
	readonly run: Run | undefined;
	/** Bytes of the log, from its beginning, that are sound. */
	readonly soundBytes: number;
	/** Bytes behind them that are not: a torn end. */
	readonly tornBytes: number;
	readonly lastSeq: number;
	readonly lastFence: number;
	/** Lines of a supervisor that had lost its lease. */
	readonly fencedLines: number;
	/** `gap`: an event is missing. `middle`: a damaged line has sound ones behind it. `template`: its definition cannot be read. */
	readonly fault: "gap" | "middle" | "template" | "newer" | undefined;
	/** Offset of the line at fault. */
	readonly faultAt: number;
}

export interface EventFold {
	/** Takes the next line (without its LF), which begins at byte `at` of the log. */
	take(line: Buffer, at: number): void;
	/** `length`: bytes of the log, what follows the last LF included. */
	end(length: number): FoldResult;
}

export interface FoldStart {
	/** Run of the checkpoint that the bytes continue. */
	readonly run: Run;
	readonly offset: number;
	readonly fence: number;
}

/** Folds a whole log, or what follows a checkpoint. `onEvent` sees every event that counts. */
export function openEventFold(
	start?: FoldStart,
	options: { newestSchema: number; onEvent?: (event: LedgerEvent) => void } = {
		newestSchema: Number.POSITIVE_INFINITY,
	},
): EventFold {
	let run = start?.run;
	let lastSeq = start?.run.seq ?? 0;
	let lastFence = start?.fence ?? 0;
	let soundBytes = start?.offset ?? 0;
	let fencedLines = 0;
	let fault: FoldResult["fault"];
	let faultAt = 0;
	/** Offset of the first damaged line since the last sound one. */
	let damagedAt: number | undefined;

	const take = (bytes: Buffer, at: number): void => {
		const event = decodeLine(bytes);
		if (event?.kind === "recovered" && event.seq > lastSeq && (event.fence ?? 0) >= lastFence) {
			run = startRun(event);
			fault = run ? undefined : "template";
			damagedAt = undefined;
			lastSeq = event.seq;
			lastFence = event.fence ?? 0;
			soundBytes = at + bytes.length + 1;
			options.onEvent?.(event);
			return;
		}
		if (fault) return;
		if (!event) {
			damagedAt ??= at;
			return;
		}
		if (damagedAt !== undefined) {
			fault = "middle";
			faultAt = damagedAt;
			return;
		}
		const fence = event.fence ?? 0;
		if (fence < lastFence) fencedLines += 1;
		else if (event.seq !== lastSeq + 1) {
			fault = "gap";
			faultAt = at;
			return;
		} else if (run) {
			run = foldEvent(run, event);
			lastSeq = event.seq;
			lastFence = fence;
			options.onEvent?.(event);
		} else {
			if (event.kind === "created" && event.schemaVersion > options.newestSchema) fault = "newer";
			else run = startRun(event);
			if (!run) {
				fault ??= "template";
				faultAt = at;
				return;
			}
			lastSeq = event.seq;
			lastFence = fence;
			options.onEvent?.(event);
		}
		soundBytes = at + bytes.length + 1;
	};

	return {
		take,
		end: (length) => ({
			run,
			soundBytes,
			tornBytes: length - soundBytes,
			lastSeq,
			lastFence,
			fencedLines,
			fault,
			faultAt,
		}),
	};
}
