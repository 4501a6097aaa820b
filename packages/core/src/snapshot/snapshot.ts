// Data that must outlive a worker, bounded in size: entries dropped here stay in the event log.
// Every list has its own limit, in bytes of JSON. `knowledge.ts` adds findings and tasks.
import { type MergedLines, mergeChanges, placeChanges } from "./changed-files.ts";
import type { Entry } from "./entry.ts";
import { type ChangeTotals, type FileChange, type MeasuredChanges, measuredTotals, totalChanges } from "./files.ts";

/** Maximum characters of one text from an agent: a finding, a task, or the summary of a move. */
export const LONGEST_TEXT = 32_000;

export interface Snapshot {
	/** Oldest first, like `pendingTasks`. */
	readonly findings: readonly Finding[];
	readonly pendingTasks: readonly Finding[];
	/** Findings and tasks that are done or wrong, the last resolved last; absent: none. */
	readonly resolved?: readonly ResolvedEntry[];
	/** Files that the run has changed, as measured, last changed last. */
	readonly files: readonly (FileChange & { readonly visit: number })[];
	/** All changes since the run started, where `files` lists only some of them. */
	readonly changed?: ChangeTotals;
	/** Final summaries of visits, newest last. */
	readonly summaries: readonly Summary[];
	/** What states have handed over as data, the newest of each, oldest first; absent: nothing. */
	readonly outputs?: readonly StateOutput[];
	/** Number of the next id. */
	readonly nextId: number;
	/** Numbers of entries dropped from a list since it was last empty; absent: none, or counted by an earlier version in `dropped` alone. */
	readonly missing?: { readonly findings: number; readonly pendingTasks: number };
	/** Numbers of dropped entries; the event log keeps the entries. */
	readonly dropped: {
		readonly findings: number;
		readonly pendingTasks: number;
		readonly files: number;
		readonly summaries: number;
	};
}

export interface Finding extends Entry {
	/** `f12` for a finding, `t12` for a pending task. */
	readonly id: string;
	/** The visit that saved it last, and its state. */
	readonly visit: number;
	readonly state: string;
	/** Name of the child that saved it, with those of the children in between: `api/tests`. Absent: the state's own worker. */
	readonly child?: string;
	/** Who saved it first, if another state or child has saved it since. */
	readonly first?: EntryOrigin;
	/** Text and fields are truncated; the event log has them in full. */
	readonly cut?: true;
	/** Earlier texts of the same key, newest first. */
	readonly earlier?: readonly string[];
}

/** Who saved an entry. */
export type EntryOrigin = Pick<Finding, "visit" | "state" | "child">;

/** An entry as it is recorded. */
export interface SavedEntry extends Entry {
	/** The child whose entry it is, as `child` of a `Finding`. Absent in events of earlier versions, which put it before key or text. */
	readonly from?: string;
	/** Id of the entry that it replaces; absent also in events of earlier versions, where an entry of the same key is replaced. */
	readonly replaces?: string;
	/** Id of the resolved entry that it is again. */
	readonly reopens?: string;
}

export interface ResolvedEntry extends Finding {
	/** The visit that resolved it. */
	readonly resolvedIn: number;
}

/** Data that a state has handed over. */
export interface StateOutput {
	readonly state: string;
	readonly visit: number;
	/** JSON data. */
	readonly data: unknown;
}

interface Summary {
	readonly state: string;
	readonly visit: number;
	/** Name of the child whose result it is; absent: of the state itself. */
	readonly child?: string;
	/** It is what the command of the state printed. */
	readonly command?: true;
	readonly text: string;
	readonly cut?: true;
}

/** Data that an agent saves; `data.ts` parses it from the tool's arguments. */
export interface SnapshotData {
	readonly findings?: readonly SavedEntry[];
	readonly pendingTasks?: readonly SavedEntry[];
	/** Ids, keys or texts of entries that are done or wrong. */
	readonly resolve?: readonly string[];
	/** Ids of the entries that `resolve` named when it was recorded: only these are resolved. Absent in events of earlier versions. */
	readonly resolved?: readonly string[];
}

export const EMPTY_SNAPSHOT: Snapshot = {
	findings: [],
	pendingTasks: [],
	files: [],
	summaries: [],
	nextId: 1,
	dropped: { findings: 0, pendingTasks: 0, files: 0, summaries: 0 },
};

/** Maximum bytes of JSON in each list; `summaries`: those of one visit. */
const room = { files: 4000, olderSummaries: 4000, summaries: 64_000 };
/** Maximum bytes of a state's summary (any that is accepted fits), of a child's, and of older ones; the event log has the rest. */
const summaryBytes = { own: 3 * LONGEST_TEXT, child: 12_000, older: 1000 };

export type SavedBy = { readonly visit: number; readonly state: string };

/**
 * Adds the final summary of a visit, or of a child in it. Those of the visit before stay whole, because this one may still go on: its other
 * workers read them too. Older ones are shortened.
 */
export function addSummary(
	snapshot: Snapshot,
	text: string,
	where: SavedBy & Pick<Summary, "child" | "command">,
): Snapshot {
	const others = snapshot.summaries.filter(({ visit, child }) => visit !== where.visit || child !== where.child);
	const before = visitsBefore(others, where.visit);
	const older = others
		.filter(({ visit }) => visit !== where.visit && !before.has(visit))
		.map((one) => ({ ...one, ...cutText(one.text, summaryBytes.older) }));
	const added = { ...where, ...cutText(text, where.child === undefined ? summaryBytes.own : summaryBytes.child) };
	const lists = [
		keepNewest(older, room.olderSummaries),
		keepNewest(
			others.filter(({ visit }) => before.has(visit)),
			room.summaries,
		),
		keepNewest([...others.filter(({ visit }) => visit === where.visit), added], room.summaries),
	];
	const dropped = lists.reduce((sum, list) => sum + list.dropped, snapshot.dropped.summaries);
	return {
		...snapshot,
		summaries: lists.flatMap(({ kept }) => kept),
		dropped: { ...snapshot.dropped, summaries: dropped },
	};
}

/** The last visit with a summary before visit `now`. Commands hand on what was there before them: their visits, and the one before these. */
export function visitsBefore(summaries: readonly Summary[], now: number | undefined): ReadonlySet<number> {
	const before = new Set<number>();
	for (const { visit, command } of summaries.toReversed()) {
		if (visit === now) continue;
		before.add(visit);
		if (!command) break;
	}
	return before;
}

/** What a run has come to, oldest first: the summaries of the last visit that is no command, and of the commands after it. */
export function closingSummaries(summaries: readonly Summary[]): readonly Summary[] {
	const visits = visitsBefore(summaries, undefined);
	const last = summaries.filter(({ visit }) => visits.has(visit));
	const withChildren = new Set(last.flatMap(({ visit, child }) => (child === undefined ? [] : [visit])));
	return last.filter(({ visit, child }) => child !== undefined || !withChildren.has(visit));
}

/** Summaries as one text; empty without any. */
export function summariesText(summaries: readonly Summary[]): string {
	return summaries.map(({ child, text }) => (child === undefined ? text : `${child}: ${text}`)).join("\n");
}

/** Adds the files that a visit changed, where nothing could be compared with the run's start; `more` is the number of unlisted ones. */
export function addChanges(
	snapshot: Snapshot,
	changes: readonly FileChange[],
	more: number,
	visit: number,
	lines: MergedLines = "last",
): Snapshot {
	if (changes.length === 0 && more === 0) return snapshot;
	const files = keepNewest(mergeChanges(snapshot.files, changes, visit, lines), room.files);
	return {
		...snapshot,
		files: files.kept,
		dropped: { ...snapshot.dropped, files: snapshot.dropped.files + files.dropped + more },
	};
}

/** Replaces the list of files by all changes `ofRun` since the run started; `changes` are those of `visit`. */
export function setChanges(
	snapshot: Snapshot,
	ofRun: MeasuredChanges,
	changes: readonly FileChange[],
	visit: number,
): Snapshot {
	const total = measuredTotals(ofRun);
	const { changed: _, ...known } = snapshot;
	const { kept } = keepNewest(placeChanges(snapshot.files, ofRun, { changes, visit }), room.files);
	const dropped = total.files - kept.length;
	return {
		...known,
		files: kept,
		...(dropped > 0 ? { changed: total } : {}),
		dropped: { ...snapshot.dropped, files: dropped },
	};
}

/** Counts all files that the run has changed, also those that the snapshot does not list. */
export function changedFiles({ files, dropped, changed }: Snapshot): ChangeTotals {
	return changed ?? totalChanges(files, dropped.files);
}

/** Cuts `text` to at most `bytes` bytes of UTF-8, between characters. */
export function cutText(text: string, bytes: number): { text: string; cut?: true } {
	if (Buffer.byteLength(text) <= bytes) return { text };
	// The cut may split a character: the decoder inserts a replacement mark, which is removed.
	const start = Buffer.from(text.slice(0, bytes))
		.subarray(0, bytes - 3)
		.toString("utf8");
	return { text: `${start.replace(/\ufffd+$/, "")}…`, cut: true };
}

/** The newest entries that fit into `bytes` of JSON, at least one. */
export function keepNewest<T>(
	entries: readonly T[],
	bytes: number,
): { readonly kept: readonly T[]; readonly dropped: number } {
	let left = bytes;
	let first = entries.length;
	while (first > 0) {
		left -= Buffer.byteLength(JSON.stringify(entries[first - 1])) + 1;
		if (left < 0 && first < entries.length) break;
		first -= 1;
	}
	return { kept: first === 0 ? entries : entries.slice(first), dropped: first };
}
