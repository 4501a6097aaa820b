// Which run a person means: by its id, the unique beginning of one, `last`, or by saying nothing.
// I1 a word that could be the first of a sentence is a run only if it begins the id of one, or looks like nothing but an id.

import type { LedgerEntry, Result, StoreFailure } from "../../core/index.ts";
import type { Project } from "../../engine/index.ts";
import type { ForeignEntry } from "../text/index.ts";

/** Letters of an id that no word is likely to begin with. */
const leastOfId = 4;

/** What a name stands for: a run, or another program's ledger, which can be looked at. */
export type Named = { readonly kind: "run"; readonly id: string } | ForeignEntry;

/** The run that `name` means, or the one that is meant without a name: `live` (runs of this process), else one that is at work, else the last. */
export async function resolveRun(
	project: Pick<Project, "store">,
	name: string | undefined,
	live: readonly string[] = [],
): Promise<Result<string, StoreFailure>> {
	const found = await resolveLedger(project, name, live);
	if (!found.ok) return found;
	if (found.value.kind === "run") return { ok: true, value: found.value.id };
	const { id, format } = found.value;
	return failure(
		"foreign",
		`${id} is a ledger of ${format}, which cannot continue here.`,
		"Look at it with status and view.",
	);
}

/** The same, for looking: other programs' ledgers are found too. */
export async function resolveLedger(
	{ store }: Pick<Project, "store">,
	name: string | undefined,
	live: readonly string[] = [],
): Promise<Result<Named, StoreFailure>> {
	if (name === undefined) {
		const [only, second] = live;
		if (only !== undefined && second === undefined) return run(only);
		const held = (await store.list()).filter((entry) => entry.kind === "run" && entry.holder?.alive === "yes");
		const [one, other] = held;
		if (one && !other) return run(one.id);
	}
	const wanted = name === undefined || name === "last" ? "last" : name.trim().toLowerCase();
	if (wanted === "last") {
		// What was done last may be what cannot be read: an older run is not what is meant then.
		const [newest] = await store.list();
		if (newest?.kind === "unreadable") return { ok: false, failure: newest.failure };
	}
	const found = await store.find(wanted);
	if (found.ok) return run(found.value);
	if (wanted === "last" || wanted === "") return found;
	const fitting = (await store.list()).filter(({ id }) => id.startsWith(wanted));
	const [entry] = fitting;
	if (fitting.length > 1) {
		const ids = fitting.map(({ id }) => id.slice(0, Math.max(8, wanted.length + 2)));
		return failure(
			"ambiguous",
			`${fitting.length} runs begin with "${name}": ${ids.join(", ")}.`,
			"Write more of the id.",
		);
	}
	if (entry?.kind === "foreign") return { ok: true, value: entry };
	if (entry?.kind === "unreadable") return { ok: false, failure: entry.failure };
	return failure("unknown", `No run has the id "${name}".`, "See all runs with list.");
}

/** Behind a refused answer to run `id`, which nobody named: which other runs wait for one. Empty where none does. */
export async function askingElsewhere({ store }: Pick<Project, "store">, id: string): Promise<string> {
	const asking = (await store.list()).filter(
		(entry) => entry.kind === "run" && entry.id !== id && entry.summary.status === "awaiting_approval",
	);
	const ids = asking.slice(0, 3).map((entry) => entry.id.slice(0, 8));
	if (ids.length === 0) return "";
	return ` Waiting for approval: ${ids.join(", ")}${asking.length > ids.length ? " and others" : ""}. Name the run.`;
}

/** Whether a word may name a run, where the runs are not known. */
export function mayNameRun(word: string): boolean {
	return word === "last" || (word.length >= leastOfId && /^[0-9a-f][0-9a-f-]*$/i.test(word));
}

/** Whether a word names a run, among other words. */
export function namesRun(word: string, entries: readonly LedgerEntry[]): boolean {
	if (!mayNameRun(word) || word === "last") return word === "last";
	const lower = word.toLowerCase();
	// A slip in an id must not become what is said to another run.
	return entries.some(({ id }) => id.startsWith(lower)) || (/[0-9]/.test(lower) && /[a-f]/.test(lower));
}

function run(id: string): { readonly ok: true; readonly value: Named } {
	return { ok: true, value: { kind: "run", id } };
}

function failure(reason: StoreFailure["reason"], message: string, remedy: string) {
	return { ok: false as const, failure: { reason, message, remedy } };
}
