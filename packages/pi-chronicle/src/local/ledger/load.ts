// Reads one run from disk: the checkpoint and the events after it, or all events if the checkpoint is unusable.
// Nothing is written; the log is the source of truth: a checkpoint ahead of the log is rejected; a file that is damaged, newer, or
// another program's is reported and not changed.
import { open, readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { type Created, type Run, SCHEMA_VERSION } from "@pi-chronicle/core/machine";
import type { Result, StoreFailure } from "@pi-chronicle/core/ports";
import { isNoFile, readLines, undefinedIfMissing } from "../../disk/index.ts";
import { type CheckpointRead, type LogPosition, readCheckpoint } from "./checkpoint.ts";
import { diskFailure, OWN_COMMAND, storeFailure } from "./failures.ts";
import { type FoldResult, type FoldStart, openEventFold } from "./fold.ts";
import type { RunPaths } from "./layout.ts";
import { decodeLine } from "./line.ts";
import { openEvents } from "./read-events.ts";

export interface LoadedRun {
	readonly run: Run;
	/** Valid bytes of the log. */
	readonly size: number;
	readonly lastFence: number;
	/** Bytes after them. */
	readonly tornBytes: number;
	readonly repairs: readonly string[];
	/** The checkpoint file exists but is not a checkpoint. */
	readonly checkpointDamaged: boolean;
	/** The log exists, so the run can be resumed. */
	readonly hasLog: boolean;
	/** The events before a valid checkpoint are damaged. */
	readonly logDamaged: boolean;
	/** Position of the checkpoint that this was read from; absent: it was folded from all events. */
	readonly log?: LogPosition;
}

/** Reads the run at `paths`. Disk errors are failures. */
export async function loadRun(paths: RunPaths): Promise<Result<LoadedRun, StoreFailure>> {
	try {
		return await load(paths);
	} catch (error) {
		const blocked = [paths.log, paths.checkpoint].find(isNoFile);
		return blocked === undefined
			? { ok: false, failure: diskFailure(error, paths.log) }
			: storeFailure("corrupt", `${blocked} is not a file.`, repairRemedy(paths));
	}
}

/** What to do about a log that cannot be read. */
function repairRemedy({ folder }: RunPaths): string {
	const command = `${OWN_COMMAND}repair ${basename(folder).slice(0, 8)}`;
	return `Run ${command}: it keeps all whole events and says what is lost. Nothing was changed.`;
}

function foreign({ checkpoint, folder }: RunPaths) {
	return storeFailure(
		"foreign",
		`${checkpoint} is not a ledger of this program.`,
		`Nothing was changed. If it was one, move the file away and run ${OWN_COMMAND}repair ${basename(folder).slice(0, 8)}.`,
	);
}

async function load(paths: RunPaths): Promise<Result<LoadedRun, StoreFailure>> {
	const text = await readFile(paths.checkpoint, "utf8").catch(undefinedIfMissing);
	const size = await stat(paths.log).then(({ size }) => size, undefinedIfMissing);
	// An empty log without a checkpoint: recording the start of the run failed, and its id was never returned.
	if (text === undefined && (size === undefined || size === 0))
		return storeFailure("unknown", "There is no such run.", "See the list of runs.");
	const first = text?.includes('"cut":') && size !== undefined ? await readFirst(paths.log) : undefined;
	const checkpoint = text === undefined ? undefined : readCheckpoint(text, () => first);
	if (checkpoint?.kind === "newer") {
		const formats = `format ${checkpoint.schemaVersion}; this one reads up to ${SCHEMA_VERSION}`;
		return newer(paths.checkpoint, ` (${formats})`);
	}
	if (checkpoint?.kind === "foreign" && !(await isNobodys(paths, checkpoint, size))) return foreign(paths);
	if (size === undefined) return withoutLog(paths, checkpoint);
	const fuller = await foldIfFuller(paths, checkpoint);
	if (fuller) return judgeFold(paths, fuller, checkpoint);
	const continued = checkpoint?.kind === "read" ? await continueCheckpoint(paths, checkpoint, size) : undefined;
	if (continued) return { ok: true, value: continued };
	const whole = await foldLog(paths.log);
	return whole
		? judgeFold(paths, whole, checkpoint)
		: storeFailure("corrupt", `${paths.log} is empty.`, repairRemedy(paths));
}

/** Whether a state file is nobody's ledger, such as `{}`, and whole events are next to it. */
async function isNobodys(
	{ log }: RunPaths,
	{ data }: CheckpointRead & { kind: "foreign" },
	size: number | undefined,
): Promise<boolean> {
	if (data.id !== undefined || data.workflowName !== undefined || size === undefined) return false;
	return (await readFirst(log)) !== undefined;
}

/** The whole log, if it has what an earlier version left out of the checkpoint. */
async function foldIfFuller(
	{ log }: RunPaths,
	checkpoint: CheckpointRead | undefined,
): Promise<FoldResult | undefined> {
	if (checkpoint?.kind !== "read" || !checkpoint.dated) return undefined;
	const fold = await foldLog(log);
	return fold?.run && !fold.fault && fold.lastSeq >= checkpoint.log.seq ? fold : undefined;
}

/** The run of a checkpoint with the events after it; `undefined` if the two do not match. */
async function continueCheckpoint(
	paths: RunPaths,
	{ log, run, proved }: CheckpointRead & { kind: "read" },
	size: number,
): Promise<LoadedRun | undefined> {
	if (log.offset > size) return undefined;
	// If the log lacks the checkpoint's last event, one of the two is wrong; the checksum decides.
	const sound = await endsWithEvent(paths.log, log.offset, log.seq);
	const tail = sound || proved ? await foldLog(paths.log, { run, offset: log.offset, fence: log.fence }) : undefined;
	if (!tail?.run || tail.fault) return undefined;
	const lost = `Events before byte ${log.offset} of ${paths.log} are damaged; the run continues from its checkpoint.`;
	return { ...loaded(tail, tail.run, sound ? [] : [lost], false), logDamaged: !sound, log };
}

function judgeFold(
	paths: RunPaths,
	fold: FoldResult,
	checkpoint: CheckpointRead | undefined,
): Result<LoadedRun, StoreFailure> {
	const { log } = paths;
	switch (fold.fault) {
		case "newer":
			return newer(log);
		case "template":
			return storeFailure("corrupt", `The first event of ${log} does not start a readable run.`, repairRemedy(paths));
		case "middle":
		case "gap": {
			const what = fold.fault === "gap" ? "events are missing" : "the text is damaged";
			const message = `In ${log}, ${what} at byte ${fold.faultAt}, and valid events follow.`;
			return storeFailure("corrupt", message, repairRemedy(paths));
		}
		case undefined:
			break;
	}
	if (!fold.run) return storeFailure("corrupt", `${log} has no complete event.`, repairRemedy(paths));
	const repairs: string[] = [];
	const damaged = checkpoint?.kind === "damaged" || checkpoint?.kind === "foreign";
	if (damaged) repairs.push(`${paths.checkpoint} was damaged or changed by hand; it is rebuilt from the events.`);
	const known = checkpoint && "log" in checkpoint ? checkpoint.log.seq - fold.lastSeq : 0;
	if (known > 0)
		repairs.push(
			`The last ${known === 1 ? "event" : `${known} events`} of the log ${known === 1 ? "is" : "are"} lost; the run continues from event ${fold.lastSeq}.`,
		);
	return { ok: true, value: loaded(fold, fold.run, repairs, damaged) };
}

function newer(path: string, formats = ""): { readonly ok: false; readonly failure: StoreFailure } {
	return storeFailure(
		"newer",
		`${path} was written by a newer version${formats}.`,
		"Update the package; nothing was changed.",
	);
}

function loaded(fold: FoldResult, run: Run, repairs: readonly string[], checkpointDamaged: boolean): LoadedRun {
	const torn = `The end of the log was torn: its last ${fold.tornBytes} bytes are an incomplete event and are ignored.`;
	const fenced = `${fold.fencedLines} events of a process that had lost the run are ignored.`;
	return {
		run,
		size: fold.soundBytes,
		lastFence: fold.lastFence,
		tornBytes: fold.tornBytes,
		repairs: [...repairs, ...(fold.tornBytes > 0 ? [torn] : []), ...(fold.fencedLines > 0 ? [fenced] : [])],
		checkpointDamaged,
		hasLog: true,
		logDamaged: false,
	};
}

/** A run whose events are missing can be inspected but not resumed. */
function withoutLog(paths: RunPaths, checkpoint: CheckpointRead | undefined): Result<LoadedRun, StoreFailure> {
	if (checkpoint?.kind !== "read")
		return storeFailure("corrupt", `${paths.checkpoint} is damaged, and ${paths.log} is missing.`, repairRemedy(paths));
	const { run, log } = checkpoint;
	return {
		ok: true,
		value: {
			run,
			size: 0,
			lastFence: log.fence,
			tornBytes: 0,
			repairs: [`${paths.log} is missing: this is the last checkpoint.`],
			checkpointDamaged: false,
			hasLog: false,
			logDamaged: false,
		},
	};
}

/**
 * Counts damaged lines in the first `size` bytes of a log, which loading skips before a checkpoint. Damage before a `recovered` event does
 * not count.
 */
export async function countDamaged(path: string, size: number): Promise<number> {
	let damaged = 0;
	for await (const { lines } of readLines(path))
		for (const { bytes, at } of lines) {
			if (at >= size) return damaged;
			const event = decodeLine(bytes);
			if (!event) damaged += 1;
			else if (event.kind === "recovered") damaged = 0;
		}
	return damaged;
}

/** A longer line counts as valid: it is checked when all events are read. */
const longestLine = 1 << 22;

/** Whether the log's line that ends at byte `end` is the event `seq`. */
async function endsWithEvent(path: string, end: number, seq: number): Promise<boolean> {
	const file = await open(path, "r");
	try {
		for (let length = Math.min(end, 4096); ; length = Math.min(end, length * 8)) {
			const bytes = Buffer.alloc(length);
			const { bytesRead } = await file.read(bytes, 0, length, end - length);
			if (bytesRead < length || bytes.at(-1) !== 10) return false;
			const before = bytes.lastIndexOf(10, length - 2);
			if (before !== -1 || length === end) return decodeLine(bytes.subarray(before + 1, length - 1))?.seq === seq;
			if (length >= longestLine) return true;
		}
	} finally {
		await file.close();
	}
}

/** Folds the log from the start, or from a checkpoint; `undefined` for an empty log. */
async function foldLog(path: string, start?: FoldStart): Promise<FoldResult | undefined> {
	const fold = openEventFold(start, SCHEMA_VERSION);
	let length = start?.offset ?? 0;
	for await (const { lines, end } of readLines(path, length)) {
		for (const { bytes, at } of lines) fold.add(bytes, at);
		length = end;
	}
	return length === 0 ? undefined : fold.end(length);
}

async function readFirst(path: string): Promise<Created | undefined> {
	for await (const event of openEvents(path)()) return event.kind === "created" ? event : undefined;
	return undefined;
}
