// Custom entries of the current branch. Reading state from them must stay cheap in a session of 100,000 entries, even if no such entry
// exists. Near entries are found by walking. Before the walk gets long, the flat list is counted once for all callers, and the walk
// continues only if an entry of the type exists.
import type { CustomEntry, ExtensionAPI, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { openInstances } from "./instances.ts";

/** The session of a context, as it is read. */
export type Session = ExtensionContext["sessionManager"];

/** Entries of the current branch from the leaf to the root. Stop early: every step is one lookup. */
export function* newestFirst(session: Session): Generator<SessionEntry> {
	let id: string | null | undefined = session.getLeafId();
	// A damaged file may contain a cycle; then an entry that was kept as a mark appears again.
	let mark: string | undefined;
	for (let step = 1, next = 2; id && id !== mark; step++) {
		if (step === next) {
			mark = id;
			next *= 2;
		}
		const entry: SessionEntry | undefined = session.getEntry(id);
		if (entry === undefined) return;
		yield entry;
		id = entry.parentId;
	}
}

/** Number of steps that cost less than scanning the flat list. */
const near = 1_000;

/** Custom entries of the given types on the current branch, newest first. */
export function* customEntries(session: Session, types: readonly string[]): Generator<CustomEntry> {
	let steps = 0;
	let found = 0;
	let all = Number.POSITIVE_INFINITY;
	for (const entry of newestFirst(session)) {
		if (++steps === near) all = countEntries(session, types);
		if (found >= all) return;
		if (entry.type !== "custom" || !types.includes(entry.customType)) continue;
		found++;
		yield entry;
	}
}

interface EntryCounts {
	readonly leaf: string | null;
	readonly byType: ReadonlyMap<string, number>;
}

const counted = openInstances<EntryCounts>("custom-entries");

/** The number of custom entries of these types in the session, on any branch. Counted once per leaf. */
function countEntries(session: Session, types: readonly string[]): number {
	const leaf = session.getLeafId();
	let counts = counted.of(session);
	if (counts?.leaf !== leaf) {
		const byType = new Map<string, number>();
		for (const entry of session.getEntries())
			if (entry.type === "custom") byType.set(entry.customType, (byType.get(entry.customType) ?? 0) + 1);
		counts = { leaf, byType };
		counted.put(session, counts);
	}
	return types.reduce((sum, type) => sum + (counts.byType.get(type) ?? 0), 0);
}

/** Appends an entry that no model sees. `data` must be plain JSON of bounded size. */
export function writeEntry(pi: ExtensionAPI, type: string, data: unknown): void {
	pi.appendEntry(type, data);
}
