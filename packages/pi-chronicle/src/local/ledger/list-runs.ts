// Lists runs: this program's, those of another implementation, and unreadable ones with their problems.

import { statSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { propertiesOf } from "@pi-chronicle/core/definition";
import type { Run, RunParent } from "@pi-chronicle/core/machine";
import { apartState, continuesAlone } from "@pi-chronicle/core/machine";
import type {
	ForeignStory,
	LeaseHolder,
	LedgerEntry,
	Result,
	RunSummary,
	StoreFailure,
} from "@pi-chronicle/core/ports";
import { attempt, undefinedIfMissing } from "../../disk/index.ts";
import { redactSecrets } from "../../safety/index.ts";
import { diskFailure, OWN_COMMAND, storeFailure } from "./failures.ts";
import { isRunId, LOG_ENDING, pathsOf, type RunPaths } from "./layout.ts";
import { leaseHolder } from "./lease.ts";
import { loadRun } from "./load.ts";
import { type CopiesPlace, copiedRuns, readablePaths } from "./log-copy.ts";

/** Milliseconds after which a folder without a lease is none that a process is about to take. */
const unleasedMs = 60 * 60 * 1000;

/** Ids of the runs below `sessions` that never began and whose process is dead. */
export async function unstartedRuns(sessions: string): Promise<readonly string[]> {
	const names = new Set(await readdir(sessions).catch((): string[] => []));
	const found: string[] = [];
	for (const id of names) {
		if (!isRunId(id) || names.has(`${id}${LOG_ENDING}`) || names.has(`${id}.json`)) continue;
		const { folder } = pathsOf(sessions, id);
		const holder = await leaseHolder(folder);
		if (holder ? holder.alive === "no" : await isOld(folder)) found.push(id);
	}
	return found;
}

/** Its process may have been killed before it took the lease. */
async function isOld(folder: string): Promise<boolean> {
	const { mtimeMs } = await stat(folder);
	return Date.now() - mtimeMs > unleasedMs;
}

/** A larger file is not a ledger of another implementation. */
const maxBytes = 4_000_000;

/** Placeholder for the id if the folder of the runs cannot be read. */
export const ALL_RUNS = "all runs";

/** Where the runs of a project are. */
export interface RunsPlace {
	/** Folder of all runs. */
	readonly sessions: string;
	/** Where copies of their logs are kept; `undefined`: nowhere. */
	readonly copies: CopiesPlace | undefined;
}

interface RunNames {
	readonly ids: readonly string[];
	/** Names, without `.json`, of files that may be ledgers of another implementation. */
	readonly others: readonly string[];
}

/** The names of all runs that start with `prefix`, in no order. Reads no run. */
async function runNamesIn({ sessions, copies }: RunsPlace, prefix = ""): Promise<RunNames> {
	const names = (await readdir(sessions).catch(undefinedIfMissing)) ?? [];
	const copied = copies ? await copiedRuns(copies) : [];
	const ids = new Set(copied.filter((id) => id.startsWith(prefix)));
	const others: string[] = [];
	for (const name of names) {
		if (!name.startsWith(prefix)) continue;
		const ending = name.endsWith(LOG_ENDING) ? LOG_ENDING : ".json";
		const id = name.endsWith(ending) ? name.slice(0, -ending.length) : name;
		if (id !== name && isRunId(id)) ids.add(id);
		else if (name.endsWith(".json") && !name.startsWith(".")) others.push(id);
	}
	return { ids: [...ids], others };
}

/** The ids of all runs that start with `prefix`, in no order. Reads no run, and throws if the folder cannot be read. */
export async function runIds(place: RunsPlace, prefix = ""): Promise<readonly string[]> {
	const { ids, others } = await runNamesIn(place, prefix);
	return [...ids, ...others];
}

/** All runs, newest first. Other files (contexts, answers, sessions) are ignored. */
export async function listRuns(place: RunsPlace): Promise<readonly LedgerEntry[]> {
	return orUnreadable(place, async () => {
		const { ids, others } = await runNamesIn(place);
		return newestFirst(place, await describeAll(place, [...ids, ...others]));
	});
}

/** Runs that are read before `recentRuns` stops looking for first runs. */
const maxRead = 150;

/** Runs that are read at the same time. */
const together = 16;

/**
 * The first runs that changed last, at most `count`, with the child runs found on the way; newest first. Reads few runs, however many there are.
 */
export async function recentRuns(place: RunsPlace, count: number): Promise<readonly LedgerEntry[]> {
	return orUnreadable(place, async () => {
		const { ids, others } = await runNamesIn(place);
		const known = new Set(ids);
		const names = [...ids, ...others].map((name) => ({ name, at: changedAt(place, name) }));
		const newest = names.sort((one, other) => other.at - one.at).slice(0, maxRead);
		const entries: LedgerEntry[] = [];
		let missing = count;
		while (missing > 0 && newest.length > 0) {
			const next = newest.splice(0, missing).map(({ name }) => name);
			entries.push(...(await describeAll(place, next)));
			missing = count - entries.filter((entry) => !isChildOf(entry, known)).length;
		}
		const found = new Set(entries.map(({ id }) => id));
		return newestFirst(
			place,
			entries.filter((entry) => !isChildOf(entry, known) || isChildOf(entry, found)),
		);
	});
}

function isChildOf(entry: LedgerEntry, runs: ReadonlySet<string>): boolean {
	return entry.kind === "run" && entry.summary.parent !== undefined && runs.has(entry.summary.parent.run);
}

async function orUnreadable(
	{ sessions }: RunsPlace,
	read: () => Promise<readonly LedgerEntry[]>,
): Promise<readonly LedgerEntry[]> {
	try {
		return await read();
	} catch (error) {
		// An unreadable folder must not look empty.
		return [{ kind: "unreadable", id: ALL_RUNS, failure: diskFailure(error, sessions) }];
	}
}

async function describeAll(place: RunsPlace, names: readonly string[]): Promise<LedgerEntry[]> {
	const entries: LedgerEntry[] = [];
	for (let at = 0; at < names.length; at += together) {
		const described = await Promise.all(names.slice(at, at + together).map((name) => describeRun(place, name)));
		entries.push(...described.filter((entry) => entry !== undefined));
	}
	return entries;
}

function newestFirst(place: RunsPlace, entries: readonly LedgerEntry[]): LedgerEntry[] {
	const dated = entries.map((entry) => ({ entry, at: updatedAt(place, entry) }));
	return dated.sort((one, other) => other.at - one.at).map(({ entry }) => entry);
}

const orNone = { throwIfNoEntry: false } as const;

/**
 * When the log of a run changed last, in milliseconds since the epoch. Synchronous, and without joined paths, because it is called for
 * every run of a project, which may have thousands.
 */
function changedAt({ sessions }: RunsPlace, name: string): number {
	const path = `${sessions}${sep}${name}`;
	return (statSync(`${path}${LOG_ENDING}`, orNone) ?? statSync(`${path}.json`, orNone))?.mtimeMs ?? 0;
}

/** The list's entry of one run or of a ledger of another implementation. `undefined`: it was removed, never started, or is no ledger. */
export async function describeRun(place: RunsPlace, id: string): Promise<LedgerEntry | undefined> {
	if (!isRunId(id)) return describeForeign(join(place.sessions, `${id}.json`), id);
	const paths = await readablePaths(pathsOf(place.sessions, id), place.copies);
	const { read, holder } = await loadWithHolder(paths);
	if (!read.ok) {
		if (read.failure.reason === "unknown") return undefined;
		const foreign = read.failure.reason === "foreign" ? await describeForeign(paths.checkpoint, id) : undefined;
		return foreign ?? { kind: "unreadable", id, failure: read.failure };
	}
	return { kind: "run", id, summary: summarizeRun(read.value.run, holder), holder };
}

/** Loads a run with the holder of its lease. */
export async function loadWithHolder(paths: RunPaths) {
	const read = await loadRun(paths);
	const holder = await leaseHolder(paths.folder);
	// Its supervisor may have recorded what the run waits for, and released it, after it was read.
	const isOld =
		read.ok &&
		isInterrupted(read.value.run, holder) &&
		(await stat(paths.log).catch(undefinedIfMissing))?.size !== read.value.size + read.value.tornBytes;
	return { read: isOld ? await loadRun(paths) : read, holder };
}

/** Whether a run would continue without its user, and has no supervisor to do so. */
function isInterrupted({ status }: Run, holder: LeaseHolder | undefined): boolean {
	return continuesAlone(status) && (holder === undefined || holder.alive === "no");
}

/** A list entry. */
export function summarizeRun(run: Run, holder: LeaseHolder | undefined): RunSummary {
	return {
		template: run.template.name,
		// Ledgers of earlier versions contain it unredacted.
		task: redactSecrets(run.task),
		status: isInterrupted(run, holder) ? "interrupted" : run.status,
		state: run.state,
		updatedAt: run.updatedAt,
		costUsd: run.totals.costUsd,
		tokens: run.totals.tokens,
		...(run.apart ? { apart: apartState(run) } : {}),
		...(run.parent ? { parent: summarizeParent(run.parent) } : {}),
	};
}

function summarizeParent({ run, visit, index, name }: RunParent): NonNullable<RunSummary["parent"]> {
	return { run, visit, index, name };
}

/** `undefined` for a file that is not a ledger. */
async function describeForeign(path: string, id: string): Promise<LedgerEntry | undefined> {
	try {
		if ((await stat(path)).size > maxBytes) return undefined;
		const text = await readFile(path, "utf8");
		let data: unknown;
		try {
			data = JSON.parse(text);
		} catch {
			// Only a torn ledger is reported: sessions and answers with the same extension belong to other programs.
			if (!/^\s*\{\s*"id"/.test(text) || !text.includes('"workflowName"')) return undefined;
			const message = `${path} is a ledger of another program, and its end is torn.`;
			return { kind: "unreadable", id, failure: storeFailure("corrupt", message, "Nothing changed.").failure };
		}
		const ledger = readForeign(data);
		return ledger && { kind: "foreign", ...ledger, format: "AE" };
	} catch {
		return undefined;
	}
}

/** In milliseconds since the epoch; 0 if unknown. */
function updatedAt(place: RunsPlace, entry: LedgerEntry): number {
	if (entry.kind !== "unreadable") return Date.parse(entry.summary.updatedAt) || 0;
	return isRunId(entry.id) ? (attempt(() => changedAt(place, entry.id)) ?? 0) : 0;
}

/** The ids that a name can stand for: those of first runs before those of child runs, so that `last` is a first run. */
export function namedIds(entries: readonly LedgerEntry[]): string[] {
	const runs = entries.filter((entry) => entry.kind === "run");
	return [false, true].flatMap((child) =>
		runs.flatMap(({ id, summary }) => ((summary.parent !== undefined) === child ? [id] : [])),
	);
}

/**
 * The id among `ids` that `name` refers to: an id, a unique prefix, or `last` (the first of them). `shell` precedes the command that a
 * failure names.
 */
export function resolveRunId(name: string, ids: readonly string[], shell = OWN_COMMAND): Result<string, StoreFailure> {
	const [last] = ids;
	if (name === "last") {
		const howToStart = `Start one: /chronicle <template> <task> in pi, ${shell}run <template> <task> in a shell.`;
		return last ? { ok: true, value: last } : storeFailure("unknown", "There are no runs yet.", howToStart);
	}
	if (ids.includes(name)) return { ok: true, value: name };
	const found = name === "" ? [] : ids.filter((id) => id.startsWith(name));
	const [only, second] = found;
	if (only !== undefined && second === undefined) return { ok: true, value: only };
	if (second !== undefined)
		return storeFailure("ambiguous", `${found.length} runs start with "${name}".`, "Use more characters of the id.");
	return storeFailure("unknown", `No run matches "${name}".`, "See the list of runs.");
}

interface ForeignLedger {
	readonly id: string;
	readonly summary: RunSummary;
	readonly story: ForeignStory;
}

/** Reads an AE ledger: an object with `workflowName`, `workflowDef` and `currentState`; times are milliseconds. */
export function readForeign(data: unknown): ForeignLedger | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	const ledger = data as Record<string, unknown>;
	const { id, workflowName, currentState, history, totalTokens, status, lastUpdated } = ledger;
	if (typeof id !== "string" || typeof workflowName !== "string" || typeof currentState !== "string") return undefined;
	if (typeof ledger.workflowDef !== "object" || ledger.workflowDef === null) return undefined;
	return {
		id,
		summary: {
			template: workflowName,
			task: foreignTask(ledger, history),
			status: typeof status === "string" ? status : "unknown",
			state: currentState,
			updatedAt: typeof lastUpdated === "number" && Number.isFinite(lastUpdated) ? isoOf(lastUpdated) : "",
			costUsd: 0,
			tokens: typeof totalTokens === "number" ? totalTokens : 0,
		},
		story: storyOf(ledger),
	};
}

function storyOf({ history, snapshot }: Record<string, unknown>): ForeignStory {
	const rows = Array.isArray(history) ? history.filter((row) => typeof row === "object" && row !== null) : [];
	const kept = propertiesOf(snapshot);
	return {
		history: rows.map(({ state, agentName, completedAt, tokensUsed, summary }: Record<string, unknown>) => ({
			state: stringOrEmpty(state),
			who: stringOrEmpty(agentName),
			at: typeof completedAt === "number" ? isoOf(completedAt) : "",
			tokens: typeof tokensUsed === "number" ? tokensUsed : 0,
			summary: stringOrEmpty(summary),
		})),
		findings: stringsOf(kept.keyFindings),
		pendingTasks: stringsOf(kept.pendingTasks),
		files: stringsOf(kept.modifiedFiles),
	};
}

function stringOrEmpty(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function stringsOf(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function isoOf(ms: number): string {
	const date = new Date(ms);
	return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

/** Its `initialTask` is usually empty; the first entry of the history with a task has it. */
function foreignTask({ initialTask }: Record<string, unknown>, history: unknown): string {
	if (typeof initialTask === "string" && initialTask.trim() !== "") return initialTask;
	const entries: readonly unknown[] = Array.isArray(history) ? history : [];
	for (const entry of entries) {
		const given = propertiesOf(entry).taskGiven;
		if (typeof given === "string" && given.trim() !== "") return given.trim();
	}
	return "";
}
