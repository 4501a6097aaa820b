// Resolves a run's name: its id, a unique prefix of one, `last`, or no name. An argument that could start a sentence names a run only if it is the
// prefix of an id, or can only be an id.

import type { LedgerEntry, Result, StoreFailure } from "@pi-chronicle/core/ports";
import { firstRuns, type Project } from "../../local/index.ts";
import type { ForeignEntry } from "../phrases/index.ts";

/** First runs that commands without a run's name, completions and notices look at: those that changed last. */
export const RECENT_RUNS = 20;

/** A shorter prefix could be a word. */
const minIdLength = 4;

/** A run, or a ledger of another program, which is read-only. */
export type Named = { readonly kind: "run"; readonly id: string } | ForeignEntry;

/** Resolves `name`; without a name, the only one of `live` (runs of this process), otherwise the only running one, otherwise the last. */
export async function resolveRun(
	project: Pick<Project, "store">,
	name: string | undefined,
	live: readonly string[] = [],
): Promise<Result<string, StoreFailure>> {
	const found = await resolveLedger(project, name, live);
	if (!found.ok) return found;
	if (found.value.kind === "run") return { ok: true, value: found.value.id };
	const { id, format } = found.value;
	return failedName(
		"foreign",
		`${id} is a ledger of ${format}, which cannot continue here.`,
		"Inspect it with status and view.",
	);
}

/** The same for read-only commands: also finds other programs' ledgers. */
export async function resolveLedger(
	{ store }: Pick<Project, "store">,
	name: string | undefined,
	live: readonly string[] = [],
): Promise<Result<Named, StoreFailure>> {
	if (name === undefined) return resolveUnnamed(store, live);
	const wanted = name.trim().toLowerCase();
	if (wanted === "last") return resolveLast(store, await store.recent(1));
	const found = await store.find(wanted);
	if (found.ok) return readable(await store.entry(found.value), found.value);
	const { reason } = found.failure;
	if (wanted === "" || (reason !== "unknown" && reason !== "ambiguous")) return found;
	return resolvePrefix(store, wanted, name);
}

/** The only run of this process, otherwise the only one that any process supervises, otherwise the last. */
async function resolveUnnamed(store: Project["store"], live: readonly string[]): Promise<Result<Named, StoreFailure>> {
	const [only, second] = live;
	if (only !== undefined && second === undefined) return run(only);
	const recent = await store.recent(RECENT_RUNS);
	const held = firstRuns(recent).filter((entry) => entry.kind === "run" && entry.holder?.alive === "yes");
	const [running] = held;
	return running && held.length === 1 ? run(running.id) : resolveLast(store, recent);
}

/** The newest run of `recent`. An unreadable one is not replaced by an older one. */
async function resolveLast(
	store: Project["store"],
	recent: readonly LedgerEntry[],
): Promise<Result<Named, StoreFailure>> {
	const newest = firstRuns(recent).find((entry) => entry.kind !== "foreign");
	if (newest) return readable(newest, newest.id);
	const found = await store.find("last");
	return found.ok ? run(found.value) : found;
}

/** A run or a foreign ledger; the failure of one that cannot be read. */
function readable(entry: LedgerEntry | undefined, id: string): Result<Named, StoreFailure> {
	if (entry?.kind === "foreign") return { ok: true, value: entry };
	return entry?.kind === "unreadable" ? { ok: false, failure: entry.failure } : run(id);
}

/** Resolves a prefix that does not identify exactly one run of this program. */
async function resolvePrefix(
	store: Project["store"],
	prefix: string,
	written: string,
): Promise<Result<Named, StoreFailure>> {
	const matches: LedgerEntry[] = [];
	for (const id of (await store.ids()).filter((one) => one.toLowerCase().startsWith(prefix))) {
		const entry = await store.entry(id);
		if (entry) matches.push(entry);
	}
	const [entry] = matches;
	if (entry && matches.length === 1) return readable(entry, entry.id);
	if (!entry) return failedName("unknown", `No run matches "${written}".`, "list shows all runs.");
	const ids = matches.map(({ id }) => id.slice(0, Math.max(8, prefix.length + 2)));
	const message = `${matches.length} runs start with "${written}": ${ids.join(", ")}.`;
	return failedName("ambiguous", message, "Use more characters of the id.");
}

/** The runs other than `id` that wait for what the command `verb` gives, as the end of a message; empty if there are none. */
export async function askingElsewhere({ store }: Pick<Project, "store">, id: string, verb: string): Promise<string> {
	const status = verb === "answer" ? "asks" : "awaiting_approval";
	const asking = firstRuns(await store.recent(RECENT_RUNS)).filter(
		(entry) => entry.kind === "run" && entry.id !== id && entry.summary.status === status,
	);
	const ids = asking.slice(0, 3).map((entry) => entry.id.slice(0, 8));
	if (ids.length === 0) return "";
	return ` Waiting for ${verb === "answer" ? "an answer" : "approval"}: ${ids.join(", ")}${asking.length > ids.length ? " and others" : ""}. Name the run.`;
}

/** Whether an argument may name a run, without knowing the runs. */
export function mayNameRun(word: string): boolean {
	return word === "last" || (word.length >= minIdLength && /^[0-9a-f][0-9a-f-]*$/i.test(word));
}

/** Whether an argument names a run. */
export function namesRun(word: string, ids: readonly string[]): boolean {
	if (!mayNameRun(word) || word === "last") return word === "last";
	const lower = word.toLowerCase();
	// A mistyped id must not become a message to another run.
	return ids.some((id) => id.startsWith(lower)) || (/[0-9]/.test(lower) && /[a-f]/.test(lower));
}

function run(id: string): { readonly ok: true; readonly value: Named } {
	return { ok: true, value: { kind: "run", id } };
}

function failedName(reason: StoreFailure["reason"], message: string, remedy: string) {
	return { ok: false as const, failure: { reason, message, remedy } };
}
