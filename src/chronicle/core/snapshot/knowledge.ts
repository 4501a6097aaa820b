// Findings and pending tasks: adds what an agent saves, resolves what is done or wrong, and tells the agent what became of it. Pure.
// K2 ids are never reused; K3 a later entry with the same key replaces the earlier one, whose text is kept with it; K4 an entry that equals a
// known one is that entry; K5 pending tasks keep the order in which they were saved; K6 the answer names everything that is shortened or dropped.
import { counted, didYouMean, quoted } from "../../../definition/index.ts";
import { type Entry, entryForPeople } from "./entry.ts";
import {
	cutText,
	type Finding,
	keepNewest,
	type ResolvedEntry,
	type SavedBy,
	type Snapshot,
	type SnapshotData,
} from "./snapshot.ts";

/** Maximum bytes of JSON of tasks and findings together, of the tasks, which come first, and of what is resolved. */
const room = { all: 20_000, pendingTasks: 12_000, resolved: 1500 };
/** Maximum bytes of the text and the fields of an entry, and of an entry that is resolved; the event log has the rest. */
const entryBytes = 8000;
const resolvedBytes = 200;
/** Maximum length of the beginning of an entry, and number of tasks, in an answer. */
const titleBytes = 60;
const shownTasks = 20;
const earlierTexts = 3;
const earlierBytes = 200;

/**
 * The data as it is recorded, bound to what is known now: with the ids that it resolves. An entry with a known id as its key takes the place of
 * that entry.
 */
export function bindToKnown(snapshot: Snapshot, data: SnapshotData): SnapshotData {
	const known = [...snapshot.findings, ...snapshot.pendingTasks];
	const replaced: string[] = [];
	const bind = (given: Entry): Entry => {
		const found = known.find(({ id }) => id === given.key);
		if (!found) return given;
		const { key: _, ...entry } = given;
		if (found.key !== undefined) return { ...entry, key: found.key };
		replaced.push(found.id);
		return entry;
	};
	const findings = data.findings?.map(bind);
	const pendingTasks = data.pendingTasks?.map(bind);
	const resolve = [...(data.resolve ?? []), ...replaced];
	const names = new Set(resolve.map(plain));
	const resolved = known.filter((entry) => answersTo(entry, names)).map(({ id }) => id);
	return {
		...(findings ? { findings } : {}),
		...(pendingTasks ? { pendingTasks } : {}),
		...(resolve.length > 0 ? { resolve } : {}),
		...(resolved.length > 0 ? { resolved } : {}),
	};
}

/** Adds the data that an agent or the user saves. */
export function updateSnapshot(snapshot: Snapshot, data: SnapshotData, where: SavedBy): Snapshot {
	const names = new Set([...(data.resolve ?? []), ...(data.resolved ?? [])].map(plain));
	const isDone = (entry: Finding): boolean => answersTo(entry, names);
	const done = names.size === 0 ? [] : [...snapshot.findings, ...snapshot.pendingTasks].filter(isDone);
	let { nextId } = snapshot;
	const takeIn = (kind: "findings" | "pendingTasks"): readonly Finding[] => {
		let list = snapshot[kind].filter((entry) => !done.includes(entry));
		for (const given of data[kind] ?? []) {
			const same = list.find((entry) => isSame(entry, given));
			const id = same?.id ?? `${kind === "findings" ? "f" : "t"}${nextId++}`;
			const entry = enter(same, id, given, where);
			list =
				kind === "pendingTasks" && same
					? list.map((other) => (other === same ? entry : other))
					: [...list.filter((other) => other !== same), entry];
		}
		return list;
	};
	const taken = { findings: takeIn("findings"), pendingTasks: takeIn("pendingTasks") };
	const pendingTasks = keepNewest(taken.pendingTasks, room.pendingTasks);
	const left = room.all - Buffer.byteLength(JSON.stringify(pendingTasks.kept));
	const findings = keepNewest(taken.findings, left);
	return {
		...snapshot,
		findings: findings.kept,
		pendingTasks: pendingTasks.kept,
		...addResolved(
			snapshot,
			done.filter(({ id }) => data.resolved?.includes(id)),
			where.visit,
		),
		nextId,
		dropped: {
			...snapshot.dropped,
			findings: snapshot.dropped.findings + findings.dropped,
			pendingTasks: snapshot.dropped.pendingTasks + pendingTasks.dropped,
		},
	};
}

function addResolved({ resolved = [] }: Snapshot, done: readonly Finding[], visit: number): Pick<Snapshot, "resolved"> {
	if (done.length === 0) return {};
	const short = done.map((entry): ResolvedEntry => {
		const { id, key, state } = entry;
		const text = cutText(wordsOf(entry), resolvedBytes);
		return { id, ...(key === undefined ? {} : { key }), ...text, visit: entry.visit, state, resolvedIn: visit };
	});
	return { resolved: keepNewest([...resolved, ...short], room.resolved).kept };
}

/** The result of saving, in sentences for the agent. */
export function explainSaved(
	before: Snapshot,
	after: Snapshot,
	{ data, empty = 0 }: { readonly data: SnapshotData; readonly empty?: number },
): string {
	const known = new Map([...before.findings, ...before.pendingTasks].map((entry) => [entry.id, entry]));
	const now = [...after.findings, ...after.pendingTasks];
	const saved = now.filter((entry) => known.get(entry.id) !== entry);
	const resolved = data.resolved ?? [];
	return sentences([
		saved.length > 0 ? `Saved ${saved.map((entry) => savedAs(entry, known.get(entry.id))).join(", ")}.` : "",
		resolved.length > 0 ? `Resolved ${resolved.join(", ")}.` : "",
		...(data.resolve ?? []).map((name) => explainUnknown(before, name)),
		empty > 0 ? `Left out: ${counted(empty, "entry", "entries")} without content.` : "",
		explainMerged(now, data),
		explainShort(saved),
		explainDropped(before, after),
		openTasksText(after) || "No task is open.",
	]);
}

function sentences(parts: readonly string[]): string {
	return parts.filter(Boolean).join(" ");
}

function savedAs({ id }: Finding, earlier: Finding | undefined): string {
	return earlier ? `${id} (replaces what it was)` : id;
}

/** Why `name` resolved nothing; empty if it did. */
function explainUnknown(before: Snapshot, name: string): string {
	const [strange] = unknownNames(before, [name]);
	if (strange === undefined) return "";
	const shown = quoted(strange, 80);
	const gone = (before.resolved ?? []).find((entry) => answersTo(entry, new Set([plain(name)])));
	if (gone) return `${shown} was resolved before (${gone.id}).`;
	const entries = [...before.findings, ...before.pendingTasks];
	const names = new Map(
		entries.flatMap(({ id, key, text }) => [id, key, text].flatMap((one) => (one ? [[plain(one), one] as const] : []))),
	);
	return `Nothing is known as ${shown}.${didYouMean(plain(name), names.keys())}`;
}

/** Entries that were given and are known only in another wording. */
function explainMerged(now: readonly Finding[], { findings = [], pendingTasks = [] }: SnapshotData): string {
	const merged = [...findings, ...pendingTasks].flatMap((given) => {
		const found = given.key === undefined ? now.find((entry) => isSame(entry, given)) : undefined;
		return !found ||
			found.cut ||
			(found.text === given.text && JSON.stringify(found.fields) === JSON.stringify(given.fields))
			? []
			: [`${`"${titleOf(given)}"`} (${found.id})`];
	});
	return merged.length === 0
		? ""
		: `Not kept separately, because an entry differs only in case, spaces or final punctuation: ${merged.join(", ")}.`;
}

function explainShort(saved: readonly Finding[]): string {
	const ids = saved.filter(({ cut }) => cut).map(({ id }) => id);
	return ids.length === 0
		? ""
		: `Too long to hand over whole: ${ids.join(", ")}. The next worker gets the beginning; the whole is in the record of the run.`;
}

/** The entries that had to make room. */
function explainDropped(before: Snapshot, after: Snapshot): string {
	const gone = (["findings", "pendingTasks"] as const).flatMap((kind) => {
		const count = after.dropped[kind] - before.dropped[kind];
		return count === 0 ? [] : [`${count} older ${kind === "findings" ? "findings" : "pending tasks"}`];
	});
	return gone.length === 0
		? ""
		: `No longer handed over, because there is too much: ${gone.join(" and ")}. Resolve what is not needed.`;
}

/** The pending tasks, shortened, as a sentence for an agent; empty without one. */
export function openTasksText({ pendingTasks }: Snapshot): string {
	if (pendingTasks.length === 0) return "";
	const shown = pendingTasks.slice(0, shownTasks).map((task) => `${task.id} (${titleOf(task)})`);
	const more = pendingTasks.length - shown.length;
	return `Open tasks: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

/** The beginning of an entry, by which an agent recognizes it. */
function titleOf(entry: Entry): string {
	const words = entry.key ?? entryForPeople(entry);
	return cutText(words, titleBytes).text;
}

/** Those of `names` that match no entry, as written. */
export function unknownNames(snapshot: Snapshot, names: readonly string[]): string[] {
	const entries = [...snapshot.findings, ...snapshot.pendingTasks];
	return names.filter((name) => !entries.some((entry) => answersTo(entry, new Set([plain(name)]))));
}

function isSame(entry: Finding, given: Entry): boolean {
	if (given.key !== undefined) return entry.key !== undefined && plain(entry.key) === plain(given.key);
	const { text, fields } = shorten(given);
	return plain(entry.text) === plain(text) && JSON.stringify(entry.fields) === JSON.stringify(fields);
}

function enter(same: Finding | undefined, id: string, given: Entry, where: SavedBy): Finding {
	const { cut, ...entry } = shorten(given);
	const key = given.key ?? same?.key;
	const isOther = same && (same.text !== entry.text || JSON.stringify(same.fields) !== JSON.stringify(entry.fields));
	const earlier =
		isOther && given.key !== undefined
			? [cutText(wordsOf(same), earlierBytes).text, ...(same.earlier ?? [])].slice(0, earlierTexts)
			: same?.earlier;
	return {
		id,
		...(key === undefined ? {} : { key }),
		...entry,
		...where,
		...(cut ? { cut } : {}),
		...(earlier ? { earlier } : {}),
	};
}

/** Text and fields of an entry within the limit: the text first, then the fields that still fit, in order. */
function shorten({ text, fields }: Entry): Omit<Entry, "key"> & { readonly cut?: true } {
	const short = cutText(text, entryBytes);
	if (fields === undefined) return short;
	let left = entryBytes - Buffer.byteLength(short.text);
	const kept = Object.entries(fields).filter(([name, value]) => {
		left -= Buffer.byteLength(JSON.stringify([name, value]));
		return left >= 0;
	});
	const cut = short.cut || kept.length < Object.keys(fields).length;
	return {
		text: short.text,
		...(kept.length > 0 ? { fields: Object.fromEntries(kept) } : {}),
		...(cut ? { cut: true } : {}),
	};
}

/** Text and fields without the key, on one line; the text alone is verbatim. */
function wordsOf({ text, fields }: Entry): string {
	return fields === undefined ? text : entryForPeople({ text, fields });
}

function answersTo({ id, key, text }: Finding, names: ReadonlySet<string>): boolean {
	return names.has(id) || (key !== undefined && names.has(plain(key))) || (text !== "" && names.has(plain(text)));
}

/** Normalizes a text for comparison: ignores case, extra whitespace and final punctuation. */
function plain(words: string): string {
	return words
		.toLowerCase()
		.replace(/\s+/g, " ")
		.trim()
		.replace(/[.!;:]+$/, "");
}
