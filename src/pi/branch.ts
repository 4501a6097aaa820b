// Custom entries of the current branch. Reading state from them must stay cheap in a session of 100,000 entries, also where there is
// none: the flat list is searched first, and the branch is walked only when something of the type exists at all.
import type { CustomEntry, ExtensionAPI, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";

type Session = ExtensionContext["sessionManager"];

/** Entries of the current branch from the leaf to the root. Stop early: every step is one lookup. */
export function* newestFirst(session: Session): Generator<SessionEntry> {
	const seen = new Set<string>();
	let id: string | null | undefined = session.getLeafId();
	while (id && !seen.has(id)) {
		seen.add(id);
		const entry: SessionEntry | undefined = session.getEntry(id);
		if (entry === undefined) return;
		yield entry;
		id = entry.parentId;
	}
}

/** Custom entries of the given types on the current branch, newest first. */
export function* customEntries(session: Session, types: readonly string[]): Generator<CustomEntry> {
	const wanted = (entry: SessionEntry): entry is CustomEntry =>
		entry.type === "custom" && types.includes(entry.customType);
	let left = 0;
	for (const entry of session.getEntries()) if (wanted(entry)) left++;
	if (left === 0) return;
	for (const entry of newestFirst(session)) {
		if (!wanted(entry)) continue;
		yield entry;
		if (--left === 0) return;
	}
}

/** Appends an entry that no model sees. `data` must be plain JSON of bounded size. */
export function writeEntry(pi: ExtensionAPI, type: string, data: unknown): void {
	pi.appendEntry(type, data);
}
