// Selects runs to remove, and removes them. A run of a living process is never removed.
import type { LedgerEntry, StoreFailure } from "../../core/index.ts";
import { ALL_RUNS } from "../ledger/index.ts";
import type { Project } from "./project.ts";

export type RunEntry = Extract<LedgerEntry, { kind: "run" | "unreadable" }>;

export interface Removable {
	readonly runs: readonly RunEntry[];
	/** Runs that were selected and stay, with the reason. */
	readonly staying: readonly { readonly id: string; readonly why: string }[];
}

const dayMs = 86_400_000;

/** A number of days, 0 or more; `undefined` for anything else. */
export function daysOf(written: string | undefined): number | undefined {
	const days = written === undefined || !/^\d+(?:\.\d+)?$/.test(written) ? Number.NaN : Number(written);
	return Number.isFinite(days) ? days : undefined;
}

/** Why the folder of all runs cannot be read; `undefined` if it can. */
function closedFolder(entries: readonly LedgerEntry[]): StoreFailure | undefined {
	const [only] = entries;
	return only?.kind === "unreadable" && only.id === ALL_RUNS ? only.failure : undefined;
}

/** Runs without a new event for `days` days, whatever they wait for. */
export async function runsOlderThan(
	{ store, clock }: Pick<Project, "store" | "clock">,
	days: number,
): Promise<Removable | StoreFailure> {
	const before = clock.now() - days * dayMs;
	const runs: RunEntry[] = [];
	const staying: { id: string; why: string }[] = [];
	const entries = await store.list();
	const closed = closedFolder(entries);
	if (closed) return closed;
	for (const entry of entries) {
		if (entry.kind === "unreadable")
			staying.push({ id: entry.id, why: "cannot be read, so its age is not known; remove it by its id" });
		else if (entry.kind === "run" && Date.parse(entry.summary.updatedAt) < before) {
			if (entry.holder && entry.holder.alive !== "no")
				staying.push({ id: entry.id, why: `belongs to process ${entry.holder.pid}` });
			else runs.push(entry);
		}
	}
	return { runs, staying };
}

/** The run whose id begins with `name`, readable or not. */
export async function runNamed({ store }: Pick<Project, "store">, name: string): Promise<RunEntry | StoreFailure> {
	const entries = await store.list();
	const closed = closedFolder(entries);
	if (closed) return closed;
	const runs = entries.filter((entry) => entry.kind !== "foreign");
	const wanted = name.trim().toLowerCase();
	const found = wanted === "last" ? runs.slice(0, 1) : runs.filter(({ id }) => wanted !== "" && id.startsWith(wanted));
	const [only, second] = found;
	if (only && !second) return only;
	return {
		reason: second ? "ambiguous" : "unknown",
		message: second ? `${found.length} runs begin with "${name}".` : `No run has the id "${name}".`,
		remedy: second ? "Write more of the id." : "list shows them.",
	};
}

export interface Removed {
	readonly id: string;
	/** Bytes that it used. */
	readonly bytes: number;
	/** Why it was not removed. */
	readonly failure?: StoreFailure;
}

/** Removes runs one after another; a failure does not stop the others. */
export async function removeRuns({ store }: Pick<Project, "store">, ids: readonly string[]): Promise<Removed[]> {
	const removed: Removed[] = [];
	for (const id of ids) {
		const result = await store.remove(id);
		removed.push(result.ok ? { id, bytes: result.value.bytes } : { id, bytes: 0, failure: result.failure });
	}
	return removed;
}
