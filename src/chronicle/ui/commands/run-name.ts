// Resolves a run's name: its id, a unique prefix of one, `last`, or no name. An argument that could start a sentence names a run only if it is the
// prefix of an id, or can only be an id.

import type { LedgerEntry, Result, StoreFailure } from "../../core/index.ts";
import { firstRuns, type Project } from "../../engine/index.ts";
import type { ForeignEntry } from "../text/index.ts";

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
	return failure(
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
	const running = name === undefined ? await onlyRunning(store, live) : undefined;
	if (running !== undefined) return run(running);
	const wanted = name === undefined ? "last" : name.trim().toLowerCase();
	if (wanted === "last") {
		// An unreadable newest run must not be replaced by an older one.
		const [newest] = firstRuns(await store.list());
		if (newest?.kind === "unreadable") return { ok: false, failure: newest.failure };
	}
	const found = await store.find(wanted);
	if (found.ok) return run(found.value);
	if (wanted === "last" || wanted === "") return found;
	return resolvePrefix(await store.list(), wanted, name ?? wanted);
}

/** The only run of this process, otherwise the only one that any process supervises. */
async function onlyRunning(store: Project["store"], live: readonly string[]): Promise<string | undefined> {
	const [only, second] = live;
	if (only !== undefined && second === undefined) return only;
	const held = firstRuns(await store.list()).filter((entry) => entry.kind === "run" && entry.holder?.alive === "yes");
	return held.length === 1 ? held[0]?.id : undefined;
}

/** Resolves a prefix that does not identify exactly one readable run. */
function resolvePrefix(entries: readonly LedgerEntry[], prefix: string, written: string): Result<Named, StoreFailure> {
	const matches = entries.filter(({ id }) => id.startsWith(prefix));
	const [entry] = matches;
	if (matches.length > 1) {
		const ids = matches.map(({ id }) => id.slice(0, Math.max(8, prefix.length + 2)));
		const message = `${matches.length} runs start with "${written}": ${ids.join(", ")}.`;
		return failure("ambiguous", message, "Use more characters of the id.");
	}
	if (entry?.kind === "foreign") return { ok: true, value: entry };
	if (entry?.kind === "unreadable") return { ok: false, failure: entry.failure };
	return failure("unknown", `No run matches "${written}".`, "list shows all runs.");
}

/** The runs other than `id` that wait for what the command `verb` gives, as the end of a message; empty if there are none. */
export async function askingElsewhere({ store }: Pick<Project, "store">, id: string, verb: string): Promise<string> {
	const status = verb === "answer" ? "asks" : "awaiting_approval";
	const asking = firstRuns(await store.list()).filter(
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
export function namesRun(word: string, entries: readonly LedgerEntry[]): boolean {
	if (!mayNameRun(word) || word === "last") return word === "last";
	const lower = word.toLowerCase();
	// A mistyped id must not become a message to another run.
	return entries.some(({ id }) => id.startsWith(lower)) || (/[0-9]/.test(lower) && /[a-f]/.test(lower));
}

function run(id: string): { readonly ok: true; readonly value: Named } {
	return { ok: true, value: { kind: "run", id } };
}

function failure(reason: StoreFailure["reason"], message: string, remedy: string) {
	return { ok: false as const, failure: { reason, message, remedy } };
}
