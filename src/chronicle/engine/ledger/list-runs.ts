// Which runs are there: ours, those of another implementation, and those that cannot be read, with what is wrong with them.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { redactSecrets } from "../../../safety/index.ts";
import type { LeaseHolder, LedgerEntry, Result, Run, RunSummary, StoreFailure } from "../../core/index.ts";
import { diskFailure, undefinedIfMissing } from "./disk.ts";
import { readForeign } from "./foreign.ts";
import { isRunId, pathsOf } from "./layout.ts";
import { leaseHolder } from "./lease.ts";
import { loadRun, storeFailure } from "./load.ts";

/** Larger files of that name are no ledgers of anyone. */
const mostBytes = 4_000_000;

/** What stands for the id where not even the folder of the runs can be read. */
export const ALL_RUNS = "all runs";

/** All runs below `sessions`, newest first. Files that are no ledgers (contexts, answers, conversations) are passed over. */
export async function listRuns(sessions: string): Promise<readonly LedgerEntry[]> {
	let names: readonly string[];
	try {
		names = (await readdir(sessions).catch(undefinedIfMissing)) ?? [];
	} catch (error) {
		// A folder that may not be read is not an empty one.
		return [{ kind: "unreadable", id: ALL_RUNS, failure: diskFailure(error, sessions) }];
	}
	const ids = new Set<string>();
	const others: string[] = [];
	for (const name of names) {
		const id = name.replace(/(?:\.events\.jsonl|\.json)$/, "");
		if (id !== name && isRunId(id)) ids.add(id);
		else if (name.endsWith(".json") && !name.startsWith(".")) others.push(name);
	}
	const entries: { readonly entry: LedgerEntry; readonly at: number }[] = [];
	for (const id of ids) {
		const entry = await describeRun(sessions, id);
		if (!entry) continue;
		entries.push({
			entry,
			at: entry.kind === "unreadable" ? await changedAt(sessions, id) : Date.parse(entry.summary.updatedAt) || 0,
		});
	}
	for (const name of others) {
		const entry = await describeForeign(join(sessions, name), name.slice(0, -".json".length));
		if (entry) entries.push({ entry, at: entry.kind === "foreign" ? Date.parse(entry.summary.updatedAt) || 0 : 0 });
	}
	return entries.sort((one, other) => other.at - one.at).map(({ entry }) => entry);
}

/** `undefined`: it went away meanwhile, or never began. */
async function describeRun(sessions: string, id: string): Promise<LedgerEntry | undefined> {
	const paths = pathsOf(sessions, id);
	const read = await loadRun(paths);
	if (!read.ok) {
		if (read.failure.reason === "unknown") return undefined;
		const foreign = read.failure.reason === "foreign" ? await describeForeign(paths.checkpoint, id) : undefined;
		return foreign ?? { kind: "unreadable", id, failure: read.failure };
	}
	const holder = await leaseHolder(paths.folder);
	return { kind: "run", id, summary: summarizeRun(read.value.run, holder), holder };
}

/** What a list shows of a run. One that was going on under a supervisor that is gone is `interrupted`. */
export function summarizeRun(run: Run, holder: LeaseHolder | undefined): RunSummary {
	const interrupted = run.status === "running" && (holder === undefined || holder.alive === "no");
	return {
		template: run.template.name,
		// Ledgers of earlier versions hold it as it was written.
		task: redactSecrets(run.task),
		status: interrupted ? "interrupted" : run.status,
		state: run.state,
		updatedAt: run.updatedAt,
		costUsd: run.totals.costUsd,
		tokens: run.totals.tokens,
	};
}

async function describeForeign(path: string, id: string): Promise<LedgerEntry | undefined> {
	try {
		if ((await stat(path)).size > mostBytes) return undefined;
		const text = await readFile(path, "utf8");
		let data: unknown;
		try {
			data = JSON.parse(text);
		} catch {
			// A torn ledger is said to be one; conversations and answers under the same ending are not ours to judge.
			if (!/^\s*\{\s*"id"/.test(text) || !text.includes('"workflowName"')) return undefined;
			return {
				kind: "unreadable",
				id,
				...storeFailure("corrupt", `${path} is a ledger of another program, and it is torn.`, "It is left as it is."),
			};
		}
		const ledger = readForeign(data);
		return ledger && { kind: "foreign", ...ledger, format: "AE" };
	} catch {
		return undefined;
	}
}

async function changedAt(sessions: string, id: string): Promise<number> {
	const { checkpoint, log } = pathsOf(sessions, id);
	const times = await Promise.all(
		[checkpoint, log].map((path) =>
			stat(path).then(
				({ mtimeMs }) => mtimeMs,
				() => 0,
			),
		),
	);
	return Math.max(...times);
}

/** The id that `name` stands for among `ids`: an id, a unique beginning, or `last` (the first of them). */
export function resolveRunId(name: string, ids: readonly string[]): Result<string, StoreFailure> {
	const [last] = ids;
	const look = "Look at the list of runs.";
	if (name === "last")
		return last ? { ok: true, value: last } : storeFailure("unknown", "There are no runs here yet.", "Start one.");
	if (ids.includes(name)) return { ok: true, value: name };
	const found = name === "" ? [] : ids.filter((id) => id.startsWith(name));
	const [only, second] = found;
	if (only !== undefined && second === undefined) return { ok: true, value: only };
	if (second !== undefined)
		return storeFailure("ambiguous", `${found.length} runs begin with "${name}".`, "Write more of the id.");
	return storeFailure("unknown", `No run has the id "${name}".`, look);
}
