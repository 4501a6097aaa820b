// Data that must outlive a worker, bounded in size: entries dropped here stay in the event log.
// K1 every list has its own limit, in bytes of JSON; K2 ids are never reused; K3 a later value for a key replaces the earlier one, which is
// kept with it; K4 the same text twice is one entry.
import { mergeChanges } from "./changed-files.ts";
import type { FileChange } from "./files.ts";

export interface Snapshot {
	/** Oldest first, like `pendingTasks`. */
	readonly findings: readonly Finding[];
	readonly pendingTasks: readonly Finding[];
	/** Files that the run has changed, as measured, last changed last. */
	readonly files: readonly (FileChange & { readonly visit: number })[];
	/** Final summaries of visits, newest last. */
	readonly summaries: readonly Summary[];
	/** What states have handed over as data, the newest of each, oldest first; absent: nothing. */
	readonly outputs?: readonly StateOutput[];
	/** Number of the next id. */
	readonly nextId: number;
	/** Numbers of dropped entries; the event log keeps the entries. */
	readonly dropped: {
		readonly findings: number;
		readonly pendingTasks: number;
		readonly files: number;
		readonly summaries: number;
	};
}

export interface Finding {
	/** `f12` for a finding, `t12` for a pending task. */
	readonly id: string;
	readonly key?: string;
	readonly text: string;
	readonly visit: number;
	readonly state: string;
	/** The event log has the full text. */
	readonly cut?: true;
	/** Earlier texts of the same key, newest first. */
	readonly earlier?: readonly string[];
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
	readonly text: string;
	readonly cut?: true;
}

/** Data that an agent saves; `data.ts` parses it from the tool's arguments. */
export interface SnapshotData {
	readonly findings?: readonly { readonly key?: string; readonly text: string }[];
	readonly pendingTasks?: readonly { readonly key?: string; readonly text: string }[];
	/** Ids, keys or texts of entries that are done or wrong. */
	readonly resolve?: readonly string[];
}

export const EMPTY_SNAPSHOT: Snapshot = {
	findings: [],
	pendingTasks: [],
	files: [],
	summaries: [],
	nextId: 1,
	dropped: { findings: 0, pendingTasks: 0, files: 0, summaries: 0 },
};

/** Maximum bytes of JSON in each list. */
const room = { findings: 14_000, pendingTasks: 6000, files: 5000, summaries: 4000 };
/** Maximum bytes of one text; the event log has the rest. */
const textBytes = 1500;
const earlierTexts = 3;
const earlierBytes = 200;

type Where = { readonly visit: number; readonly state: string };

/** Adds the data that an agent or the user saves. */
export function updateSnapshot(snapshot: Snapshot, data: SnapshotData, where: Where): Snapshot {
	let { nextId } = snapshot;
	const resolved = new Set((data.resolve ?? []).map(plain));
	const rest = (entries: readonly Finding[]): readonly Finding[] =>
		resolved.size === 0 ? entries : entries.filter((entry) => !answersTo(entry, resolved));
	const takeIn = (
		entries: readonly Finding[],
		given: SnapshotData["findings"],
		letter: "f" | "t",
	): readonly Finding[] => {
		let list = entries;
		for (const { key, text } of given ?? []) {
			const same = list.find((entry) =>
				key === undefined
					? plain(entry.text) === plain(cutText(text, textBytes).text)
					: entry.key !== undefined && plain(entry.key) === plain(key),
			);
			const entry = enter(
				same,
				same?.id ?? `${letter}${nextId++}`,
				{ ...(key === undefined ? {} : { key }), text },
				where,
			);
			list = [...list.filter((other) => other !== same), entry];
		}
		return list;
	};
	const findings = keepNewest(takeIn(rest(snapshot.findings), data.findings, "f"), room.findings);
	const pendingTasks = keepNewest(takeIn(rest(snapshot.pendingTasks), data.pendingTasks, "t"), room.pendingTasks);
	return {
		...snapshot,
		findings: findings.kept,
		pendingTasks: pendingTasks.kept,
		nextId,
		dropped: {
			...snapshot.dropped,
			findings: snapshot.dropped.findings + findings.dropped,
			pendingTasks: snapshot.dropped.pendingTasks + pendingTasks.dropped,
		},
	};
}

/** The result of saving, in sentences for the agent: the new ids, and the names that match no entry. */
export function explainSaved(before: Snapshot, after: Snapshot, data: SnapshotData): string {
	const known = new Set([...before.findings, ...before.pendingTasks]);
	const fresh = [...after.findings, ...after.pendingTasks].filter((entry) => !known.has(entry)).map(({ id }) => id);
	const strange = unknownNames(before, data.resolve ?? []);
	return [
		fresh.length > 0 ? `Saved as ${fresh.join(", ")}; every later state will know it.` : "Saved.",
		strange.length > 0 ? `Nothing is known as ${strange.map((name) => `"${name.slice(0, 80)}"`).join(", ")}.` : "",
	]
		.filter(Boolean)
		.join(" ");
}

/** Those of `names` that match no entry, as written. */
export function unknownNames(snapshot: Snapshot, names: readonly string[]): string[] {
	const entries = [...snapshot.findings, ...snapshot.pendingTasks];
	return names.filter((name) => !entries.some((entry) => answersTo(entry, new Set([plain(name)]))));
}

/** Adds the final summary of a visit. */
export function addSummary(snapshot: Snapshot, text: string, where: Where): Snapshot {
	const others = snapshot.summaries.filter(({ visit }) => visit !== where.visit);
	const summaries = keepNewest([...others, { ...where, ...cutText(text, textBytes) }], room.summaries);
	return {
		...snapshot,
		summaries: summaries.kept,
		dropped: { ...snapshot.dropped, summaries: snapshot.dropped.summaries + summaries.dropped },
	};
}

/** Adds the files that a visit changed; `more` is the number of unlisted ones. */
export function addChanges(snapshot: Snapshot, changes: readonly FileChange[], more: number, visit: number): Snapshot {
	if (changes.length === 0 && more === 0) return snapshot;
	const files = keepNewest(mergeChanges(snapshot.files, changes, visit), room.files);
	return {
		...snapshot,
		files: files.kept,
		dropped: { ...snapshot.dropped, files: snapshot.dropped.files + files.dropped + more },
	};
}

function enter(same: Finding | undefined, id: string, given: { key?: string; text: string }, where: Where): Finding {
	const { text, cut } = cutText(given.text, textBytes);
	const key = given.key ?? same?.key;
	const changed = same && same.text !== text && given.key !== undefined;
	const earlier = changed
		? [cutText(same.text, earlierBytes).text, ...(same.earlier ?? [])].slice(0, earlierTexts)
		: same?.earlier;
	return {
		id,
		...(key === undefined ? {} : { key }),
		text,
		...where,
		...(cut ? { cut } : {}),
		...(earlier ? { earlier } : {}),
	};
}

function answersTo({ id, key, text }: Finding, names: ReadonlySet<string>): boolean {
	return names.has(id) || (key !== undefined && names.has(plain(key))) || names.has(plain(text));
}

/** Normalizes a text for comparison: ignores case, extra whitespace and final punctuation. */
function plain(words: string): string {
	return words
		.toLowerCase()
		.replace(/\s+/g, " ")
		.trim()
		.replace(/[.!;:]+$/, "");
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

/** The newest entries that fit, at least one. */
function keepNewest<T>(
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
