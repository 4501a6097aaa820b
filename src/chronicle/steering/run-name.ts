// Which run a person means: by its id, the unique beginning of one, `last`, or by saying nothing.
// I1 a word that could be the first of a sentence is a run only if it begins the id of one in a way that words do not.

import type { Project } from "../project/index.ts";
import type { LedgerEntry, Result, StoreFailure } from "../supervisor/index.ts";

/** Letters of an id that no word is likely to begin with. */
const leastOfId = 4;

/** The run that `name` means, or the one that is meant without a name: `live` (runs of this process), else one that is at work, else the last. */
export async function findRun(
	{ store }: Pick<Project, "store">,
	name: string | undefined,
	live: readonly string[] = [],
): Promise<Result<string, StoreFailure>> {
	if (name !== undefined && name !== "last") return store.find(name);
	if (name === undefined) {
		const [only, second] = live;
		if (only !== undefined && second === undefined) return { ok: true, value: only };
		const held = (await store.list()).filter((entry) => entry.kind === "run" && entry.holder?.alive === "yes");
		const [one, other] = held;
		if (one && !other) return { ok: true, value: one.id };
	}
	return store.find("last");
}

/** Whether a word names a run, among other words. */
export function namesRun(word: string, entries: readonly LedgerEntry[]): boolean {
	if (word === "last") return true;
	if (word.length < leastOfId || !/^[0-9a-f-]+$/.test(word)) return false;
	return entries.some(({ id }) => id.startsWith(word)) || /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(word);
}
