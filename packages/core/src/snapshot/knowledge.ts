// Findings and pending tasks: adds what an agent saves, resolves what is done or wrong, and tells the agent what became of it. Pure.
// Ids are never reused; a later entry with the same key replaces the earlier one, whose text and origin are kept with it; an entry
// that equals a known one is that entry; entries keep the order in which they were first saved; the answer names everything that is
// shortened or dropped; a name that fits several entries resolves none; the entries of two children are never the same.
import { counted, didYouMean, quoted } from "../definition/index.ts";
import { type Entry, entryForPeople } from "./entry.ts";
import {
	cutText,
	type EntryOrigin,
	type Finding,
	keepNewest,
	type ResolvedEntry,
	type SavedBy,
	type SavedEntry,
	type Snapshot,
	type SnapshotData,
} from "./snapshot.ts";

/** Maximum bytes of JSON of tasks and findings together, of the tasks, which come first, of the findings, and of what is resolved. */
const room = { all: 28_000, pendingTasks: 24_000, findings: 20_000, resolved: 1500 };
/** Maximum bytes of the text and the fields of an entry, and of an entry that is resolved; the event log has the rest. */
const entryBytes = 8000;
const resolvedBytes = 200;
/** Maximum length of the beginning of an entry, and number of tasks, in an answer. */
const titleBytes = 60;
const shownTasks = 20;
const shownIds = 12;
const earlierTexts = 3;
const earlierBytes = 200;

/**
 * The data as it is recorded, bound to what is known now: with the ids of what it resolves, replaces and opens again. An entry may name another
 * by its id as the key. `own`: without what the run has inherited, which only an id replaces.
 */
export function bindToKnown(snapshot: Snapshot, data: SnapshotData, own = snapshot): SnapshotData {
	const known = openEntries(snapshot);
	const { findings, pendingTasks } = data;
	const resolve = data.resolve?.flatMap((name) =>
		entriesNamed(known, name).length > 0 ? [name] : (idsShown(name) ?? [name]),
	);
	return {
		...(findings ? { findings: findings.map((given) => bindEntry(given, known, own.findings, closed("f"))) } : {}),
		...(pendingTasks
			? { pendingTasks: pendingTasks.map((given) => bindEntry(given, known, own.pendingTasks, closed("t"))) }
			: {}),
		...(resolve ? { resolve, resolved: [...new Set(resolve.flatMap((name) => resolvedAs(known, name)))] } : {}),
	};

	function closed(kind: "f" | "t"): readonly ResolvedEntry[] {
		return (own.resolved ?? []).filter(({ id }) => id.startsWith(kind));
	}
}

/** The entry with the id of what it replaces or opens again, and with the key of that if it names an id. */
function bindEntry(
	given: Entry,
	known: readonly Finding[],
	own: readonly Finding[],
	closed: readonly ResolvedEntry[],
): SavedEntry {
	const { key: name, ...entry } = given;
	const byId = [...known, ...closed].find(({ id }) => id === name);
	const key = byId ? byId.key : name;
	const bound = key === undefined ? entry : { key, ...entry };
	const open = known.find(({ id }) => id === byId?.id) ?? findSame(own, bound);
	if (open) return { ...bound, replaces: open.id };
	const again = byId ?? (key === undefined ? undefined : closed.findLast((one) => isSameEntry(one, bound)));
	return again ? { ...bound, reopens: again.id } : bound;
}

/** The ids that a text names in a form in which entries are shown: `[f1] (from a) port: 80`, `t2: …`, `f1, f2`; `undefined`: none. */
function idsShown(name: string): readonly string[] | undefined {
	const words = name.split(/[\s,;&]+/).map((word) => word.replace(/^\W+|\W+$/g, "").toLowerCase());
	const ids = words.filter((word) => word !== "" && word !== "and");
	if (ids.length > 0 && ids.every((word) => /^[ft]\d+$/.test(word))) return ids;
	const [, first] = /^[^\p{L}\d]*([ft]\d+)[`"'*]*\s?[\])(:–—-]/iu.exec(name) ?? [];
	return first === undefined ? undefined : [first.toLowerCase()];
}

/** Ids of the entry that `name` names; empty if none or several do. */
function resolvedAs(known: readonly Finding[], name: string): readonly string[] {
	const found = entriesNamed(known, name);
	return found.length === 1 ? found.map(({ id }) => id) : [];
}

/** The entries that answer to a name: to an id first. */
function entriesNamed(known: readonly Finding[], name: string): readonly Finding[] {
	const byId = known.filter(({ id }) => id === comparable(name));
	return byId.length > 0 ? byId : known.filter((entry) => hasName(entry, new Set([comparable(name)])));
}

function openEntries({ findings, pendingTasks }: Snapshot): readonly Finding[] {
	return [...findings, ...pendingTasks];
}

/** Adds the data that an agent or the user saves. */
export function updateSnapshot(snapshot: Snapshot, data: SnapshotData, where: SavedBy): Snapshot {
	const names = new Set([...(data.resolved ?? data.resolve ?? []), ...changedKind(data)].map(comparable));
	const done = names.size === 0 ? [] : openEntries(snapshot).filter((entry) => hasName(entry, names));
	let { nextId } = snapshot;
	const takeIn = (kind: "findings" | "pendingTasks"): readonly Finding[] => {
		let list = snapshot[kind].filter((entry) => !done.includes(entry));
		for (const given of data[kind] ?? []) {
			const same = findSame(list, given);
			const again = snapshot.resolved?.find((entry) => entry.id === given.reopens);
			const id = same?.id ?? again?.id ?? `${kind === "findings" ? "f" : "t"}${nextId++}`;
			const entry = entryAfter(same ?? again, id, given, where);
			list =
				same && (kind === "pendingTasks" || isBound(given))
					? list.map((other) => (other === same ? entry : other))
					: [...list.filter((other) => other !== same), entry];
		}
		return list;
	};
	const taken = { findings: takeIn("findings"), pendingTasks: takeIn("pendingTasks") };
	const pendingTasks = keepNewest(taken.pendingTasks, room.pendingTasks);
	const left = Math.min(room.findings, room.all - Buffer.byteLength(JSON.stringify(pendingTasks.kept)));
	const findings = keepLastSaved(taken.findings, left);
	const now = { findings, pendingTasks };
	return {
		...snapshot,
		findings: findings.kept,
		pendingTasks: pendingTasks.kept,
		...missingAfter(snapshot, done, now),
		...resolvedAfter(
			snapshot,
			done.filter(({ id }) => data.resolved?.includes(id)),
			{ open: new Set([...taken.findings, ...taken.pendingTasks].map(({ id }) => id)), visit: where.visit },
		),
		nextId,
		dropped: {
			...snapshot.dropped,
			findings: snapshot.dropped.findings + findings.dropped,
			pendingTasks: snapshot.dropped.pendingTasks + pendingTasks.dropped,
		},
	};
}

/** How many entries of each list are missing: a list whose entries have all been resolved begins again. */
function missingAfter(
	{ findings, pendingTasks, missing, dropped }: Snapshot,
	done: readonly Finding[],
	now: Readonly<Record<"findings" | "pendingTasks", { readonly dropped: number }>>,
): Pick<Snapshot, "missing"> {
	const before = missing ?? dropped;
	const isOver = (list: readonly Finding[]): boolean => list.every((entry) => done.includes(entry));
	const counts = {
		findings: (isOver(findings) ? 0 : before.findings) + now.findings.dropped,
		pendingTasks: (isOver(pendingTasks) ? 0 : before.pendingTasks) + now.pendingTasks.dropped,
	};
	return missing || counts.findings + counts.pendingTasks > 0 ? { missing: counts } : {};
}

/** Why a worker cannot save `data`, for it: there is no room for all tasks. `undefined`: there is. */
export function explainNoRoom(before: Snapshot, after: Snapshot): string | undefined {
	if (after.dropped.pendingTasks === before.dropped.pendingTasks) return undefined;
	return `Nothing was saved: all pending tasks together can have at most ${room.pendingTasks / 1000} KB. Shorten them, resolve what is done, or save the details as findings.`;
}

/** Ids of tasks that became findings, and of findings that became tasks. */
function changedKind({ findings = [], pendingTasks = [] }: SnapshotData): readonly string[] {
	return [
		...findings.flatMap(({ replaces = "" }) => (replaces.startsWith("t") ? [replaces] : [])),
		...pendingTasks.flatMap(({ replaces = "" }) => (replaces.startsWith("f") ? [replaces] : [])),
	];
}

/** The entries that were saved last, as many as fit, in their order. */
function keepLastSaved(entries: readonly Finding[], bytes: number): ReturnType<typeof keepNewest<Finding>> {
	const { kept, dropped } = keepNewest(
		entries.toSorted((one, other) => one.visit - other.visit),
		bytes,
	);
	return { kept: dropped === 0 ? entries : entries.filter((entry) => kept.includes(entry)), dropped };
}

/** What is resolved, with what is `done` now and without what is `open` again. */
function resolvedAfter(
	{ resolved }: Snapshot,
	done: readonly Finding[],
	{ open, visit }: { readonly open: ReadonlySet<string>; readonly visit: number },
): Pick<Snapshot, "resolved"> {
	if (!resolved && done.length === 0) return {};
	const closed = (resolved ?? []).filter(({ id }) => !open.has(id));
	const short = done.map((entry): ResolvedEntry => {
		const { id, key, state, child, first } = entry;
		const text = cutText(entryWords(entry), resolvedBytes);
		return {
			id,
			key,
			...text,
			...{ visit: entry.visit, state },
			...(child === undefined ? {} : { child }),
			...(first ? { first } : {}),
			resolvedIn: visit,
		};
	});
	return { resolved: keepNewest([...closed, ...short], room.resolved).kept };
}

/** The result of saving, in sentences for the agent. `short`: ids of entries that the next reader will not get whole. */
export function explainSaved(
	before: Snapshot,
	after: Snapshot,
	{ data, empty = 0 }: { readonly data: SnapshotData; readonly empty?: number },
	short: readonly string[] = [],
): string {
	const known = new Map(openEntries(before).map((entry) => [entry.id, entry]));
	const now = openEntries(after);
	const saved = now.filter((entry) => known.get(entry.id) !== entry);
	const resolved = (data.resolved ?? []).map((id) => shortEntry(id, known.get(id)));
	return sentences([
		saved.length > 0 ? `Saved ${saved.map((entry) => savedPhrase(entry, known.get(entry.id))).join(", ")}.` : "",
		resolved.length > 0 ? `Resolved ${resolved.join(", ")}.` : "",
		...(data.resolve ?? []).map((name) => explainUnresolved(before, name)),
		empty > 0 ? `Left out: ${counted(empty, "entry", "entries")} without content.` : "",
		explainMerged(now, data),
		explainShort([...new Set([...saved.filter(({ cut }) => cut).map(({ id }) => id), ...short])]),
		explainDropped(before, after),
		openTasksText(after) || "This run has no open task.",
	]);
}

function sentences(parts: readonly string[]): string {
	return parts.filter(Boolean).join(" ");
}

function savedPhrase({ id }: Finding, earlier: Finding | undefined): string {
	return earlier ? `${id} (replaces what it was)` : id;
}

/** Why `name` resolved nothing; empty if it did. */
function explainUnresolved(before: Snapshot, name: string): string {
	const entries = openEntries(before);
	const found = entriesNamed(entries, name);
	const shown = quoted(name, 80);
	if (found.length === 1) return "";
	if (found.length > 1)
		return `Not resolved: ${shown} fits ${found.map((entry) => shortEntry(entry.id, entry)).join(", ")}. Name the id.`;
	const gone = (before.resolved ?? []).find((entry) => hasName(entry, new Set([comparable(name)])));
	if (gone) return `${shown} was resolved before (${gone.id}).`;
	const names = new Map(
		entries.flatMap(({ id, key, text }) =>
			[id, key, text].flatMap((one) => (one ? [[comparable(one), one] as const] : [])),
		),
	);
	return `Nothing is known as ${shown}.${didYouMean(comparable(name), names.keys())}`;
}

/** The id, with the beginning of the entry. */
function shortEntry(id: string, entry: Entry | undefined): string {
	return entry ? `${id} (${cutText(entryForPeople(entry), titleBytes).text})` : id;
}

/** Entries that were given and are known only in another wording. */
function explainMerged(now: readonly Finding[], { findings = [], pendingTasks = [] }: SnapshotData): string {
	const merged = [...findings, ...pendingTasks].flatMap((given) => {
		const found = given.key === undefined ? findSame(now, given) : undefined;
		return !found ||
			found.cut ||
			(found.text === given.text && JSON.stringify(found.fields) === JSON.stringify(given.fields))
			? []
			: [`${`"${entryTitle(given)}"`} (${found.id})`];
	});
	return merged.length === 0
		? ""
		: `Not kept separately, because an entry differs only in case, spaces or final punctuation: ${merged.join(", ")}.`;
}

function explainShort(ids: readonly string[]): string {
	const more = ids.length - shownIds;
	const shown = `${ids.slice(0, shownIds).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
	return ids.length === 0
		? ""
		: `Too much for the next worker's first message: ${shown}. It may get only the beginning there; the whole is in handover.md.`;
}

/** The entries that had to make room. */
function explainDropped(before: Snapshot, after: Snapshot): string {
	const gone = (["findings", "pendingTasks"] as const).flatMap((kind) => {
		const count = after.dropped[kind] - before.dropped[kind];
		return count === 0 ? [] : [`${count} older ${kind === "findings" ? "findings" : "pending tasks"}`];
	});
	return gone.length === 0
		? ""
		: `Only in handover.md from now on, because there is too much: ${gone.join(" and ")}. Resolve what is not needed.`;
}

/** The pending tasks, shortened, as a sentence for an agent; empty without one. */
export function openTasksText({ pendingTasks }: Snapshot): string {
	if (pendingTasks.length === 0) return "";
	const shown = pendingTasks.slice(0, shownTasks).map((task) => `${task.id} (${entryTitle(task)})`);
	const more = pendingTasks.length - shown.length;
	return `Open tasks: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

/** The beginning of an entry, by which an agent recognizes it. */
function entryTitle(entry: Entry): string {
	const words = entry.key ?? entryForPeople(entry);
	return cutText(words, titleBytes).text;
}

/** The entry of `list` that `given` replaces or equals: of the same child, or of the worker's own state, or else the only one. */
function findSame(list: readonly Finding[], given: SavedEntry): Finding | undefined {
	const { replaces, from } = given;
	if (replaces !== undefined) return list.find(({ id }) => id === replaces);
	const found = list.filter((entry) => isSameEntry(entry, given));
	const own = found.find((entry) => entry.child === from);
	return own ?? (from === undefined && found.length === 1 ? found[0] : undefined);
}

function isSameEntry(entry: Finding, given: Entry): boolean {
	if (given.key !== undefined) return entry.key !== undefined && comparable(entry.key) === comparable(given.key);
	const { text, fields } = withinLimit(given);
	return comparable(entry.text) === comparable(text) && JSON.stringify(entry.fields) === JSON.stringify(fields);
}

function entryAfter(same: Finding | undefined, id: string, given: SavedEntry, { visit, state }: SavedBy): Finding {
	const { cut, ...entry } = withinLimit(given);
	const key = given.key ?? same?.key;
	const isOther = same && (same.text !== entry.text || JSON.stringify(same.fields) !== JSON.stringify(entry.fields));
	const isReplaced = given.key !== undefined || isBound(given);
	const earlier =
		isOther && isReplaced
			? [cutText(entryWords(same), earlierBytes).text, ...(same.earlier ?? [])].slice(0, earlierTexts)
			: same?.earlier;
	const child = given.from;
	const first = same && isBound(given) ? firstOrigin(same, { state, child }) : undefined;
	return {
		id,
		key,
		...entry,
		...{ visit, state },
		...(child === undefined ? {} : { child }),
		...(first ? { first } : {}),
		...(cut ? { cut } : {}),
		...(earlier ? { earlier } : {}),
	};
}

/** Whether the entry keeps the place and the origin of the one that it replaces. In events of earlier versions, none does. */
function isBound({ replaces, reopens, from }: SavedEntry): boolean {
	return (replaces ?? reopens ?? from) !== undefined;
}

/** The first origin of an entry that is saved again by `by`; `undefined` if that is the same. */
function firstOrigin(
	same: Finding,
	by: { readonly state: string; readonly child: string | undefined },
): EntryOrigin | undefined {
	return same.first ?? (same.state === by.state && same.child === by.child ? undefined : entryOrigin(same));
}

function entryOrigin({ visit, state, child }: Finding): EntryOrigin {
	return { visit, state, child };
}

/** Text and fields of an entry within the limit: the text first, then the fields that still fit, in order. */
function withinLimit({ text, fields }: Entry): Omit<Entry, "key"> & { readonly cut?: true } {
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
function entryWords({ text, fields }: Entry): string {
	return fields === undefined ? text : entryForPeople({ text, fields });
}

function hasName({ id, key, text }: Finding, names: ReadonlySet<string>): boolean {
	return (
		names.has(id) || (key !== undefined && names.has(comparable(key))) || (text !== "" && names.has(comparable(text)))
	);
}

/** Normalizes a text for comparison: ignores case, extra whitespace and final punctuation. */
function comparable(words: string): string {
	return words
		.toLowerCase()
		.replace(/\s+/g, " ")
		.trim()
		.replace(/[.!;:]+$/, "");
}
