// Selects runs and removes them. A run of a living process is never removed. Child runs are removed with their parent, never alone.
import { join } from "node:path";
import type { LedgerEntry, StoreFailure } from "@pi-chronicle/core/ports";
import { usedBytes } from "../../disk/index.ts";
import { ALL_RUNS, resolveRunId, storeFailure } from "../ledger/index.ts";
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
	return written !== undefined && /^\d+(?:\.\d+)?$/.test(written) ? Number(written) : undefined;
}

/** All runs, or why their folder cannot be read. */
async function listTrees(store: Project["store"]): Promise<readonly RunTree[] | StoreFailure> {
	const entries = await store.list();
	const [only] = entries;
	return only?.kind === "unreadable" && only.id === ALL_RUNS ? only.failure : runTrees(entries);
}

/** Runs without a new event for `days` days, including waiting ones, with their child runs. */
export async function runsOlderThan(
	{ store, clock }: Pick<Project, "store" | "clock">,
	days: number,
): Promise<Removable | StoreFailure> {
	const before = clock.now() - days * dayMs;
	const runs: RunEntry[] = [];
	const staying: { id: string; why: string }[] = [];
	const trees = await listTrees(store);
	if ("reason" in trees) return trees;
	for (const tree of trees) {
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
		else if (isUntaken(entry)) staying.push({ id: entry.id, why: "has files in its copy: join or discard them first" });
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
	const trees = await listTrees(store);
	if ("reason" in trees) return trees;
	const runs = trees.flatMap(ownRuns);
	const found = resolveRunId(
		name.trim().toLowerCase(),
		runs.map(({ id }) => id),
	);
	return found.ok ? withChildren(runs.find(({ id }) => id === found.value) as RunEntry, trees) : found.failure;
}

/** Whether only the copy of the project that the run works in has its files, and nobody has taken or discarded them. */
function isUntaken(entry: LedgerEntry): boolean {
	return entry.kind === "run" && ["waiting", "working"].includes(entry.summary.apart ?? "");
}

function withChildren(entry: RunEntry, trees: readonly RunTree[]): readonly RunEntry[] | StoreFailure {
	const id = entry.id.slice(0, 8);
	if (isUntaken(entry))
		return storeFailure(
			"held",
			`Only its copy has the files of the run ${id}.`,
			"When it is over, join or discard them.",
		).failure;
	const tree = trees.find((one) => one.entry.id === entry.id);
	if (tree) return ownRuns(tree);
	const parent = parentOf(entry)?.slice(0, 8);
	return storeFailure("held", `${id} is a child of the run ${parent} and is removed with it.`, `Remove ${parent}.`)
		.failure;
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
		const result = kept
			? storeFailure("held", `Its parent ${parent.slice(0, 8)} could not be removed.`, "Remove the parent first.")
			: await store.remove(id);
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
