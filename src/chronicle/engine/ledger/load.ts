// Reading one run from disk: the checkpoint and the events after it, or all events where the checkpoint does not help.
// D1 nothing is written; D2 the log is the truth: a checkpoint that knows more than the log is not believed; D3 what is damaged, newer or
// another program's is named and left alone.
import { open, readFile, stat } from "node:fs/promises";
import type { Result, StoreFailure } from "../../core/index.ts";
import { type Created, type LedgerEvent, type Run, SCHEMA_VERSION } from "../../core/index.ts";
import { type CheckpointRead, type LogPosition, readCheckpoint } from "./checkpoint.ts";
import { diskFailure, undefinedIfMissing } from "./disk.ts";
import { type FoldResult, type FoldStart, openEventFold } from "./fold.ts";
import type { RunPaths } from "./layout.ts";
import { decodeLine } from "./line.ts";

export interface Loaded {
	readonly run: Run;
	/** Sound bytes of the log. */
	readonly size: number;
	readonly lastFence: number;
	/** Bytes behind them. */
	readonly tornBytes: number;
	readonly repairs: readonly string[];
	/** The checkpoint file is there and is no checkpoint. */
	readonly checkpointDamaged: boolean;
	/** The log is there, so the run can be gone on with. */
	readonly hasLog: boolean;
	/** The events that a sound checkpoint was made of are not sound themselves. */
	readonly logDamaged: boolean;
	/** Where the checkpoint stands that this was read from; absent: it was folded from all events. */
	readonly log?: LogPosition;
}

const chunkBytes = 1 << 16;

export async function loadRun(paths: RunPaths): Promise<Result<Loaded, StoreFailure>> {
	try {
		return await load(paths);
	} catch (error) {
		return { ok: false, failure: diskFailure(error, paths.log) };
	}
}

async function load(paths: RunPaths): Promise<Result<Loaded, StoreFailure>> {
	const text = await readFile(paths.checkpoint, "utf8").catch(undefinedIfMissing);
	const size = await stat(paths.log).then(({ size }) => size, undefinedIfMissing);
	// An empty log without a checkpoint is of a run whose beginning was never recorded: nobody has been told that there is one.
	if (text === undefined && (size === undefined || size === 0))
		return storeFailure("unknown", "There is no such run here.", "Look at the list of runs.");
	const first = text?.includes('"cut":') && size !== undefined ? await readFirst(paths.log) : undefined;
	const checkpoint: CheckpointRead | undefined = text === undefined ? undefined : readCheckpoint(text, () => first);
	if (checkpoint?.kind === "newer")
		return storeFailure(
			"newer",
			`${paths.checkpoint} was written by a newer version (format ${checkpoint.schemaVersion}; this one knows ${SCHEMA_VERSION}).`,
			"Update the package; the file is left as it is.",
		);
	if (checkpoint?.kind === "foreign")
		return storeFailure("foreign", `${paths.checkpoint} is no ledger of this program.`, "It is left as it is.");
	if (size === undefined) return withoutLog(paths, checkpoint);
	if (checkpoint?.kind === "read" && checkpoint.log.offset <= size) {
		const { log, run, proved } = checkpoint;
		// Where the log does not have the event that the checkpoint stands at, one of them lies: a checksum says which.
		const sound = await endsWithEvent(paths.log, log.offset, log.seq);
		const tail = sound || proved ? await foldLog(paths.log, { run, offset: log.offset, fence: log.fence }) : undefined;
		const lost = `Events before byte ${log.offset} of ${paths.log} are damaged; the run goes on from its checkpoint.`;
		if (tail && !tail.fault && tail.run)
			return { ok: true, value: { ...loaded(tail, tail.run, sound ? [] : [lost], false), logDamaged: !sound, log } };
	}
	const whole = await foldLog(paths.log);
	const damaged = checkpoint?.kind === "damaged";
	return whole
		? judgeFold(paths, whole, checkpoint, damaged)
		: storeFailure("corrupt", `${paths.log} is empty.`, restore);
}

const restore = "Restore it from a copy, or remove the run's files; they are left as they are.";

function judgeFold(
	paths: RunPaths,
	fold: FoldResult,
	checkpoint: CheckpointRead | undefined,
	damaged: boolean,
): Result<Loaded, StoreFailure> {
	switch (fold.fault) {
		case "newer":
			return storeFailure(
				"newer",
				`${paths.log} was written by a newer version.`,
				"Update the package; the file is left as it is.",
			);
		case "template":
			return storeFailure("corrupt", `The first event of ${paths.log} does not begin a run that can be read.`, restore);
		case "middle":
		case "gap": {
			const what = fold.fault === "gap" ? "events are missing" : "the text is damaged";
			return storeFailure(
				"corrupt",
				`In ${paths.log}, ${what} at byte ${fold.faultAt}, with sound events behind it.`,
				restore,
			);
		}
		case undefined:
			break;
	}
	if (!fold.run) return storeFailure("corrupt", `${paths.log} holds no whole event.`, restore);
	const repairs: string[] = [];
	const known: LogPosition | undefined = checkpoint && "log" in checkpoint ? checkpoint.log : undefined;
	if (damaged) repairs.push(`${paths.checkpoint} was damaged, or changed by hand, and is made again from the events.`);
	if (known && known.seq > fold.lastSeq)
		repairs.push(
			`The last ${known.seq - fold.lastSeq === 1 ? "event" : `${known.seq - fold.lastSeq} events`} of the log ${known.seq - fold.lastSeq === 1 ? "is" : "are"} lost; the run goes on from event ${fold.lastSeq}.`,
		);
	return { ok: true, value: loaded(fold, fold.run, repairs, damaged) };
}

function loaded(fold: FoldResult, run: Run, repairs: readonly string[], checkpointDamaged: boolean): Loaded {
	return {
		run,
		size: fold.soundBytes,
		lastFence: fold.lastFence,
		tornBytes: fold.tornBytes,
		repairs: [
			...repairs,
			...(fold.tornBytes > 0
				? [`The end of the log was torn: its last ${fold.tornBytes} bytes are no whole event and are left out.`]
				: []),
			...(fold.fencedLines > 0
				? [`${fold.fencedLines} events of a process that had lost the run are passed over.`]
				: []),
		],
		checkpointDamaged,
		hasLog: true,
		logDamaged: false,
	};
}

/** A run whose events are gone can be looked at and not gone on with. */
function withoutLog(paths: RunPaths, checkpoint: CheckpointRead | undefined): Result<Loaded, StoreFailure> {
	if (checkpoint?.kind !== "read")
		return storeFailure("corrupt", `${paths.checkpoint} is damaged, and ${paths.log} is gone.`, restore);
	const { run, log } = checkpoint;
	return {
		ok: true,
		value: {
			run,
			size: 0,
			lastFence: log.fence,
			tornBytes: 0,
			repairs: [`${paths.log} is gone: this is what the last checkpoint says.`],
			checkpointDamaged: false,
			hasLog: false,
			logDamaged: false,
		},
	};
}

/**
 * Lines among the first `size` bytes of a log that are damaged: those before a checkpoint are not looked at when a run is read. What was
 * recovered from counts no more.
 */
export async function countDamaged(path: string, size: number): Promise<number> {
	let damaged = 0;
	await readLines(path, 0, (line, at) => {
		if (at >= size) return;
		const event = decodeLine(line);
		if (!event) damaged += 1;
		else if (event.kind === "recovered") damaged = 0;
	});
	return damaged;
}

/** A longer line is taken for sound: it is looked at when all events are. */
const longestLine = 1 << 22;

/** Whether the log's line that ends at byte `end` is the event `seq`. */
async function endsWithEvent(path: string, end: number, seq: number): Promise<boolean> {
	const file = await open(path, "r");
	try {
		for (let length = Math.min(end, 4096); ; length = Math.min(end, length * 8)) {
			const memory = Buffer.alloc(length);
			const { bytesRead } = await file.read(memory, 0, length, end - length);
			if (bytesRead < length || memory.at(-1) !== 10) return false;
			const before = memory.lastIndexOf(10, length - 2);
			if (before !== -1 || length === end) return decodeLine(memory.subarray(before + 1, length - 1))?.seq === seq;
			if (length >= longestLine) return true;
		}
	} finally {
		await file.close();
	}
}

/** Folds the log from the start, or what follows a checkpoint; `undefined` for an empty one. */
async function foldLog(path: string, start?: FoldStart): Promise<FoldResult | undefined> {
	const folder = openEventFold(start, { newestSchema: SCHEMA_VERSION });
	const length = await readLines(path, start?.offset ?? 0, (line, at) => folder.take(line, at));
	return length === 0 ? undefined : folder.end(length);
}

/**
 * Gives every line from byte `from` on to `take`, which must not keep it: the memory is used again. Resolves to the length of the file.
 */
async function readLines(path: string, from: number, take: (line: Buffer, at: number) => void): Promise<number> {
	const file = await open(path, "r");
	try {
		let memory = Buffer.allocUnsafe(chunkBytes);
		/** Bytes in memory that belong to a line whose end has not come. */
		let kept = 0;
		let at = from;
		for (;;) {
			if (kept === memory.length) {
				const wider = Buffer.allocUnsafe(memory.length * 2);
				memory.copy(wider, 0, 0, kept);
				memory = wider;
			}
			const { bytesRead } = await file.read(memory, kept, memory.length - kept, at);
			if (bytesRead === 0) return at;
			const length = kept + bytesRead;
			const first = at - kept;
			at += bytesRead;
			let begin = 0;
			for (let end = memory.indexOf(10); end !== -1 && end < length; end = memory.indexOf(10, begin)) {
				take(memory.subarray(begin, end), first + begin);
				begin = end + 1;
			}
			memory.copy(memory, 0, begin, length);
			kept = length - begin;
		}
	} finally {
		await file.close();
	}
}

/** Every event of the log after `after`, in order; damaged lines and those of a lost lease are passed over. */
export async function* readEvents(path: string, after: number): AsyncGenerator<LedgerEvent> {
	const file = await open(path, "r").catch(undefinedIfMissing);
	if (!file) return;
	try {
		let fence = 0;
		let rest = Buffer.alloc(0);
		const memory = Buffer.allocUnsafe(chunkBytes);
		for (;;) {
			const { bytesRead } = await file.read(memory, 0, chunkBytes, null);
			if (bytesRead === 0) return;
			const all = Buffer.concat([rest, memory.subarray(0, bytesRead)]);
			let from = 0;
			for (let end = all.indexOf(10); end !== -1; end = all.indexOf(10, from)) {
				const event = decodeLine(all.subarray(from, end));
				from = end + 1;
				if (!event || (event.fence ?? 0) < fence) continue;
				fence = event.fence ?? fence;
				if (event.seq > after) yield withoutCrc(event);
			}
			rest = Buffer.from(all.subarray(from));
		}
	} finally {
		await file.close();
	}
}

/** The event that was appended: `crc` belongs to its line. */
export function withoutCrc(event: LedgerEvent): LedgerEvent {
	const { crc: _, ...rest } = event as LedgerEvent & { crc?: string };
	return rest as LedgerEvent;
}

async function readFirst(path: string): Promise<Created | undefined> {
	for await (const event of readEvents(path, 0)) return event.kind === "created" ? event : undefined;
	return undefined;
}

export function storeFailure(
	reason: StoreFailure["reason"],
	message: string,
	remedy: string,
): { ok: false; failure: StoreFailure } {
	return { ok: false, failure: { reason, message, remedy } };
}
