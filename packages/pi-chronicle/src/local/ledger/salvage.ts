// Examines the files of a run and rebuilds a damaged ledger from what is whole: the log, its copy and the state file.
// Every event whose checksum is correct stays in the log; the run continues from the last state that follows from whole events or from a
// state file with a correct checksum, never from a guess; damaged files are copied before they are replaced; only under the lease.
import { copyFile, readFile, rename, rm } from "node:fs/promises";
import { counted } from "@pi-chronicle/core/definition";
import { encodeRun, foldEvent, type LedgerEvent, type Run, SCHEMA_VERSION, startRun } from "@pi-chronicle/core/machine";
import type { Result, StoreFailure } from "@pi-chronicle/core/ports";
import { isNoFile, readLines, replaceFile, undefinedIfMissing } from "../../disk/index.ts";
import { type CheckpointRead, readCheckpoint } from "./checkpoint.ts";
import { diskFailure, storeFailure } from "./failures.ts";
import { pathsOf, prepareSessions, type RunPaths } from "./layout.ts";
import { takeLease } from "./lease.ts";
import { decodeLine, encodeLine, stampEvent } from "./line.ts";
import type { RunsPlace } from "./list-runs.ts";
import { countDamaged, loadRun } from "./load.ts";
import { logCopyPath, readablePaths } from "./log-copy.ts";
import { withoutCrc } from "./read-events.ts";

/** What is damaged in the files of a run, one sentence each; none if they are sound. `isReadable`: the run can be opened as it is. */
export interface LedgerExamination {
	readonly damage: readonly string[];
	readonly isReadable: boolean;
}

/** Verifies the checksums of all events and of the state file of run `id`. Changes nothing. */
export async function examineLedger({ sessions, copies }: RunsPlace, id: string): Promise<LedgerExamination> {
	const paths = await readablePaths(pathsOf(sessions, id), copies);
	const read = await loadRun(paths);
	if (!read.ok) {
		const { reason, message } = read.failure;
		return { damage: reason === "unknown" ? [] : [message], isReadable: false };
	}
	const { repairs, hasLog, size, logDamaged } = read.value;
	const damaged = hasLog && !logDamaged ? await countDamaged(paths.log, size) : 0;
	const lines = damaged === 0 ? [] : [`${counted(damaged, "damaged line")} in ${paths.log}.`];
	return { damage: [...repairs, ...lines], isReadable: hasLog };
}

export interface Salvage {
	/** What was found and done, one sentence each. */
	readonly lines: readonly string[];
	/** Ranges of lost events, first and last number. */
	readonly lost: readonly (readonly [first: number, last: number])[];
	readonly changed: boolean;
}

/** Rebuilds the ledger of run `id`, if it is damaged. `now`: milliseconds since the epoch. */
export async function salvageLedger(place: RunsPlace, id: string, now: number): Promise<Result<Salvage, StoreFailure>> {
	const paths = pathsOf(place.sessions, id);
	try {
		const { damage } = await examineLedger(place, id);
		const read = await loadRun(paths);
		if (damage.length === 0 && read.ok && read.value.hasLog)
			return { ok: true, value: { lines: ["All events are whole."], lost: [], changed: false } };
		const found = await gather(paths, place);
		if (found.newer !== undefined)
			return storeFailure("newer", `${found.newer} was written by a newer version.`, "Update the package.");
		const base = furthest(found);
		if (!base) return beyondRepair(paths, found);
		const fence = Math.max(0, ...found.events.map((event) => event.fence ?? 0));
		const lease = await takeLease(paths.folder, fence);
		if (!lease.ok) return lease;
		try {
			return { ok: true, value: await rebuild(paths, { ...found, base, fence: lease.value.fence, now }) };
		} finally {
			await lease.value.release();
		}
	} catch (error) {
		return { ok: false, failure: diskFailure(error, paths.log) };
	}
}

interface FoundLedger {
	/** Whole events, of the log and its copy, by number. */
	readonly events: readonly LedgerEvent[];
	readonly checkpoint: CheckpointRead | undefined;
	/** The file that a newer version has written. */
	readonly newer: string | undefined;
}

async function gather(paths: RunPaths, { copies }: RunsPlace): Promise<FoundLedger> {
	const all: LedgerEvent[] = [];
	for (const path of [paths.log, ...(copies ? [logCopyPath(copies, paths)] : [])])
		all.push(...(await wholeEvents(path)));
	const events = inOrder(all);
	const text = isNoFile(paths.checkpoint)
		? undefined
		: await readFile(paths.checkpoint, "utf8").catch(undefinedIfMissing);
	const created = events.find((event) => event.kind === "created");
	const checkpoint = text === undefined ? undefined : readCheckpoint(text, () => created);
	const isNewer = created !== undefined && created.schemaVersion > SCHEMA_VERSION;
	const newer = checkpoint?.kind === "newer" ? paths.checkpoint : isNewer ? paths.log : undefined;
	return { events, checkpoint, newer };
}

async function wholeEvents(path: string): Promise<LedgerEvent[]> {
	const events: LedgerEvent[] = [];
	if (isNoFile(path)) return events;
	try {
		for await (const { lines } of readLines(path))
			for (const { bytes } of lines) {
				const event = decodeLine(bytes);
				if (event) events.push(withoutCrc(event));
			}
	} catch (error) {
		undefinedIfMissing(error);
	}
	return events;
}

/** One event per number, without those of a process that had lost the run. */
function inOrder(all: readonly LedgerEvent[]): LedgerEvent[] {
	const newest = new Map<number, LedgerEvent>();
	for (const event of all) {
		const known = newest.get(event.seq);
		if (!known || fenceOrZero(event) > fenceOrZero(known)) newest.set(event.seq, event);
	}
	let fence = 0;
	return [...newest.values()]
		.sort((one, other) => one.seq - other.seq)
		.filter((event) => {
			if (fenceOrZero(event) < fence) return false;
			fence = fenceOrZero(event);
			return true;
		});
}

function fenceOrZero({ fence = 0 }: LedgerEvent): number {
	return fence;
}

/** The last state that is certain: whole events from a start without a gap. */
function furthest({ events, checkpoint }: FoundLedger): Run | undefined {
	const bySeq = new Map(events.map((event) => [event.seq, event]));
	const starts = [
		...events.flatMap((event) => startRun(event) ?? []),
		...(checkpoint?.kind === "read" && checkpoint.proved ? [checkpoint.run] : []),
	];
	const reached = starts.map((start) => {
		let run = start;
		for (let next = bySeq.get(run.seq + 1); next; next = bySeq.get(run.seq + 1)) run = foldEvent(run, next);
		return run;
	});
	return reached.sort((one, other) => other.seq - one.seq)[0];
}

function beyondRepair({ log }: RunPaths, { events }: FoundLedger) {
	const rest = events.length === 0 ? "no event of it is whole" : "its first event is lost, and no state file is whole";
	return storeFailure(
		"corrupt",
		`${log} cannot be repaired: ${rest}.`,
		"Nothing was changed. Put the run's files back from a backup, or remove the run.",
	);
}

async function rebuild(
	paths: RunPaths,
	{ events, base, fence, now }: FoundLedger & { readonly base: Run; readonly fence: number; readonly now: number },
): Promise<Salvage> {
	const at = new Date(now).toISOString();
	const kept = await keepDamaged(paths, at.replaceAll(":", "-"));
	const last = Math.max(base.seq, events.at(-1)?.seq ?? 0);
	const lost = gaps(events, last);
	const isWhole = lost.length === 0 && base.seq === last;
	const recovered = isWhole
		? []
		: [stampEvent({ kind: "recovered", run: encodeRun(base) }, { seq: last + 1, at, fence })];
	await prepareSessions(paths.log.slice(0, -`/${base.id}.events.jsonl`.length));
	await replaceFile(paths.log, [...events, ...recovered].map(encodeLine).join(""));
	// The next one is made from the events.
	await rm(paths.checkpoint, { force: true });
	const after = events.filter(({ seq }) => seq > base.seq);
	const lines = [
		`${counted(events.length, "whole event is", "whole events are")} kept.`,
		...lost.map(([first, end]) => (first === end ? `Event ${first} is lost.` : `Events ${first} to ${end} are lost.`)),
		...(events.length === 0 ? ["Whether there were later events is unknown."] : []),
		...(isWhole ? [] : [`The run continues as it was after event ${base.seq}: ${base.status} in ${base.state}.`]),
		...(after.length > 0
			? [
					`${counted(after.length, "whole event after it stays", "whole events after it stay")} in the log without effect.`,
				]
			: []),
		...kept.map((copy) => `The damaged file is kept as ${copy}.`),
	];
	return { lines, lost, changed: true };
}

/** Copies the files that are about to be replaced; returns the copies. */
async function keepDamaged({ log, checkpoint }: RunPaths, stamp: string): Promise<string[]> {
	const kept: string[] = [];
	for (const path of [log, checkpoint]) {
		const copy = `${path}.damaged-${stamp}`;
		const keep = isNoFile(path) ? rename : copyFile;
		const copied = await keep(path, copy).then(() => true, undefinedIfMissing);
		if (copied) kept.push(copy);
	}
	return kept;
}

/** The ranges of missing numbers from 1 to `last`. */
function gaps(events: readonly LedgerEvent[], last: number): [number, number][] {
	const missing: [number, number][] = [];
	let next = 1;
	for (const { seq } of events) {
		if (seq > next) missing.push([next, seq - 1]);
		next = seq + 1;
	}
	if (last >= next) missing.push([next, last]);
	return missing;
}
