// Selects runs and removes them. A run of a living process is never removed. Child runs are removed with their parent, never alone.
import { join } from "node:path";
import type { LedgerEntry, StoreFailure } from "@pi-chronicle/core/ports";
import { usedBytes } from "../../disk/index.ts";
import { ALL_RUNS } from "../ledger/index.ts";
import { outsideFolder } from "../workspace/index.ts";
import type { Project } from "./project.ts";
import { parentOf, type RunTree, runsOf, runTrees } from "./run-tree.ts";

export type RunEntry = Extract<LedgerEntry, { kind: "run" | "unreadable" }>;

export interface Removable {
	readonly runs: readonly RunEntry[];
	/** Selected runs that stay, with the reason. */
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

/** Runs without a new event for `days` days, including waiting ones, with their child runs. */
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
	for (const tree of runTrees(entries)) {
		const { entry } = tree;
		const all = ownRuns(tree);
		const holder = all
			.map((one) => (one.kind === "run" ? one.holder : undefined))
			.find((one) => one && one.alive !== "no");
		if (entry.kind === "unreadable")
			staying.push({ id: entry.id, why: "cannot be read, so its age is unknown; remove it by its id" });
		else if (all.length === 0 || !all.every((one) => one.kind === "run" && Date.parse(one.summary.updatedAt) < before))
			continue;
		else if (holder) staying.push({ id: entry.id, why: `belongs to process ${holder.pid}` });
		else runs.push(...all);
	}
	return { runs, staying };
}

/** This program's runs of a tree, each before its children. */
function ownRuns(tree: RunTree): RunEntry[] {
	return runsOf(tree).filter((entry) => entry.kind !== "foreign");
}

/** The run whose id begins with `name`, readable or not, and its child runs. Refused for a child run of a run that exists. */
export async function runNamed(
	{ store }: Pick<Project, "store">,
	name: string,
): Promise<readonly RunEntry[] | StoreFailure> {
	const entries = await store.list();
	const closed = closedFolder(entries);
	if (closed) return closed;
	const trees = runTrees(entries);
	const runs = trees.flatMap(ownRuns);
	const wanted = name.trim().toLowerCase();
	const found = wanted === "last" ? runs.slice(0, 1) : runs.filter(({ id }) => wanted !== "" && id.startsWith(wanted));
	const [only, second] = found;
	if (only && !second) return withChildren(only, trees);
	return {
		reason: second ? "ambiguous" : "unknown",
		message: second ? `${found.length} runs start with "${name}".` : `No run matches "${name}".`,
		remedy: second ? "Use more characters of the id." : "list shows them.",
	};
}

function withChildren(entry: RunEntry, trees: readonly RunTree[]): readonly RunEntry[] | StoreFailure {
	const tree = trees.find((one) => one.entry.id === entry.id);
	if (tree) return ownRuns(tree);
	const parent = parentOf(entry)?.slice(0, 8);
	return {
		reason: "held",
		message: `${entry.id.slice(0, 8)} is a child of the run ${parent} and is removed with it.`,
		remedy: `Remove ${parent}.`,
	};
}

export interface Removed {
	readonly id: string;
	/** Bytes that it used. */
	readonly bytes: number;
	/** Why it was not removed. */
	readonly failure?: StoreFailure;
}

/** Removes runs one after another. A failure does not stop the others, but child runs stay with their parent. */
export async function removeRuns({ store }: Pick<Project, "store">, entries: readonly RunEntry[]): Promise<Removed[]> {
	const removed: Removed[] = [];
	const staying = new Set<string>();
	for (const entry of entries) {
		const { id } = entry;
		const parent = parentOf(entry);
		const kept = parent !== undefined && staying.has(parent);
		const result = kept ? parentStays(parent) : await store.remove(id);
		if (!result.ok) staying.add(id);
		removed.push(result.ok ? { id, bytes: result.value.bytes } : { id, bytes: 0, failure: result.failure });
	}
	return removed;
}

/** Bytes of the folders of runs, by id. */
export async function runSizes(
	{ sessions }: Pick<Project, "sessions">,
	ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
	const sizes = new Map<string, number>();
	for (const id of ids) {
		const folder = join(sessions, id);
		const outside = outsideFolder(folder);
		sizes.set(id, (await usedBytes(folder)) + (outside === undefined ? 0 : await usedBytes(outside)));
	}
	return sizes;
}

function parentStays(parent: string): { readonly ok: false; readonly failure: StoreFailure } {
	const message = `Its parent ${parent.slice(0, 8)} could not be removed.`;
	return { ok: false, failure: { reason: "held", message, remedy: "Remove the parent first." } };
}
