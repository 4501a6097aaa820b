// Custom entries of the current branch. Reading state from them must stay cheap in a session of 100,000 entries, also where there is
// none: what is near is found by walking; before the walk gets long, the flat list is searched once for all who ask, and the walk goes on
// only when something of the type exists at all.
import type { CustomEntry, ExtensionAPI, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";
import { openInstances } from "./instances.ts";

type Session = ExtensionContext["sessionManager"];

/** Entries of the current branch from the leaf to the root. Stop early: every step is one lookup. */
export function* newestFirst(session: Session): Generator<SessionEntry> {
	let id: string | null | undefined = session.getLeafId();
	// A damaged file may lead in a circle: then an entry that was kept as a mark comes again.
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

/** Steps that cost less than looking at the flat list. */
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

interface Counts {
	readonly leaf: string | null;
	readonly byType: ReadonlyMap<string, number>;
}

const counted = openInstances<Counts>("custom-entries");

/** How many custom entries of these types the session has, on any branch. Counted once for as long as the leaf stays where it is. */
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
