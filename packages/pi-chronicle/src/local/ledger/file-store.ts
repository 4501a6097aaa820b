// The ledger as files: `<uuid>.json` (folded state), `<uuid>.events.jsonl` (source of truth) and `<uuid>/` in one folder.
// A run is completely on disk before `create` resolves; every write happens under the lease, and no later write is lost; a
// checkpoint never contains more than the log; a damaged file is copied under another name before it is overwritten.
import { lstat, readdir, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { EventBody, Run } from "@pi-chronicle/core/machine";
import { startRun } from "@pi-chronicle/core/machine";
import type { Clock, HeldLedger, LedgerStore, ReadLedger, Result, StoreFailure } from "@pi-chronicle/core/ports";
import { type Disk, makePrivateFolder, realDisk, undefinedIfMissing, usedBytes } from "../../disk/index.ts";
import { openRedaction, type Redact } from "../../safety/index.ts";
import { diskFailure, OWN_COMMAND, storeFailure } from "./failures.ts";
import { holdLedger, type StoreDependencies } from "./held-ledger.ts";
import { postEvent } from "./inbox.ts";
import { isRunId, pathsOf, prepareSessions, type RunPaths } from "./layout.ts";
import { takeLease } from "./lease.ts";
import {
	describeRun,
	listRuns,
	loadWithHolder,
	namedIds,
	type RunsPlace,
	recentRuns,
	resolveRunId,
	runIds,
} from "./list-runs.ts";
import { loadRun } from "./load.ts";
import { type CopiesPlace, completeLog, openLogCopy, readablePaths, removeCopy, savedFilesPath } from "./log-copy.ts";
import { openLog } from "./log-file.ts";
import { openEvents } from "./read-events.ts";
import { redactEvent } from "./redaction.ts";
import { openRepaired } from "./repair.ts";

export interface FileStoreOptions {
	/** Folder of all runs, such as `.pi/chronicle/sessions` of a project; created with the first run. */
	readonly sessions: string;
	readonly clock: Pick<Clock, "now">;
	/** Default: the real one. */
	readonly disk?: Disk;
	/** Redacts secrets before writing; default: known shapes, and the secrets of this process's environment. */
	readonly redact?: Redact;
	/** Where copies of the logs are kept, outside the project; default: nowhere. */
	readonly copies?: CopiesPlace | undefined;
	/** Precedes the commands that a failure names; default: `pi-chronicle `. */
	readonly shell?: string | undefined;
}

const seeList = "See the list of runs.";

/** A message that is too long for any holder. */
export const postTooLong = storeFailure(
	"too_long",
	"The message is too long for the run's inbox.",
	"Put the long part in a file and name the file.",
);

/** Opens the store. Reads and writes nothing before the first call. */
export function openFileStore({
	sessions,
	clock,
	disk = realDisk,
	redact = openRedaction(process.env),
	copies,
	shell,
}: FileStoreOptions): LedgerStore {
	const dependencies: StoreDependencies = { clock, disk, redact, copies };
	const place: RunsPlace = { sessions, copies };
	const post: LedgerStore["post"] = async (id, event) => {
		const { inbox, log } = await readablePaths(pathsOf(sessions, id), copies);
		if ((await stat(log).catch(undefinedIfMissing)) === undefined)
			return storeFailure("unknown", `No run has the id "${id}".`, seeList);
		const posted = await postEvent(inbox, redactEvent(event, redact), clock.now());
		return posted === "too_long" ? postTooLong : { ok: true, value: posted };
	};
	return {
		async create(first) {
			if (!isRunId(first.id))
				return storeFailure("unknown", `"${first.id}" is not a valid run id.`, "Use a UUID of version 4.");
			const paths = pathsOf(sessions, first.id);
			return withDisk(paths.log, async () => {
				await prepareSessions(sessions);
				return createRun(paths, first, dependencies);
			});
		},
		open: (id) => withRunPaths(sessions, id, "log", (paths) => takeRun(paths, dependencies)),
		read: (id) => withRunPaths(sessions, id, "log", async (paths) => readRunFiles(await readablePaths(paths, copies))),
		list: () => listRuns(place),
		recent: (count) => recentRuns(place, count),
		ids: () => runIds(place).catch(() => []),
		entry: (id) => describeRun(place, id),
		remove: (id) => withRunPaths(sessions, id, "folder", () => removeRunFiles(place, id)),
		async find(name) {
			if (isRunId(name)) return resolveRunId(name, [name]);
			if (name === "last") return resolveRunId(name, namedIds(await recentRuns(place, 1)), shell);
			return withDisk(sessions, async () => resolveRunId(name, (await runIds(place, name)).filter(isRunId)));
		},
		post: (id, event) => withRunPaths(sessions, id, "inbox", () => post(id, event)),
	};
}

/** Performs `work` on run `id`. A disk error becomes a failure that names `at`. */
async function withRunPaths<T>(
	sessions: string,
	id: string,
	at: keyof RunPaths,
	work: (paths: RunPaths) => Promise<Result<T, StoreFailure>>,
): Promise<Result<T, StoreFailure>> {
	// Only ids become paths.
	if (!isRunId(id)) return storeFailure("unknown", `"${id}" is not a run id.`, seeList);
	const paths = pathsOf(sessions, id);
	return withDisk(paths[at], () => work(paths));
}

async function withDisk<T>(
	path: string,
	work: () => Promise<Result<T, StoreFailure>>,
): Promise<Result<T, StoreFailure>> {
	try {
		return await work();
	} catch (error) {
		return { ok: false, failure: diskFailure(error, path) };
	}
}

async function readRunFiles(paths: RunPaths): Promise<Result<ReadLedger, StoreFailure>> {
	const { read, holder } = await loadWithHolder(paths);
	if (!read.ok) return read;
	// A supervisor may be in the middle of a write: a partial line is not damage then.
	const repairs = holder && holder.alive !== "no" ? [] : read.value.repairs;
	return {
		ok: true,
		value: {
			run: read.value.run,
			repairs,
			holder,
			place: paths.log,
			folder: paths.folder,
			events: openEvents(paths.log),
		},
	};
}

async function createRun(
	paths: RunPaths,
	first: EventBody & { readonly kind: "created" },
	dependencies: StoreDependencies,
): Promise<Result<HeldLedger, StoreFailure>> {
	const { clock, disk, redact, copies } = dependencies;
	const known = await loadRun(paths);
	if (known.ok || known.failure.reason !== "unknown")
		return storeFailure("exists", `The run ${first.id} already exists.`, "Use another id.");
	const lease = await takeLease(paths.folder, 0);
	if (!lease.ok) return lease;
	const copy = copies && openLogCopy(copies, paths);
	const log = await openLog({ path: paths.log, disk, lease: lease.value, copy, size: 0, lastSeq: 0 }).catch(
		async (error: unknown) => {
			await lease.value.release();
			throw error;
		},
	);
	const undo = async (failure: StoreFailure): Promise<{ ok: false; failure: StoreFailure }> => {
		await log.close();
		// The run did not start, so no list may show it.
		await rm(paths.log, { force: true });
		await lease.value.release();
		return { ok: false, failure };
	};
	const written = await log.append([redactEvent(first, redact)], new Date(clock.now()).toISOString(), true);
	if (!written.ok) return undo(written.failure);
	const [event] = written.value;
	const run = event && startRun(event);
	if (!run) {
		const message = "The template's definition cannot be read.";
		return undo({ reason: "corrupt", message, remedy: "Check the template." });
	}
	await linkSavedFiles(paths, copies, run);
	const ledger = holdLedger({ paths, run, log, lease: lease.value, repairs: [], ...dependencies });
	const saved = await ledger.checkpoint(run);
	if (saved.ok) return { ok: true, value: ledger };
	await ledger.releaseLease();
	return saved;
}

async function takeRun(paths: RunPaths, dependencies: StoreDependencies): Promise<Result<HeldLedger, StoreFailure>> {
	const { copies } = dependencies;
	const before = await loadRun(await readablePaths(paths, copies));
	if (!before.ok) return before;
	if (!before.value.hasLog)
		return storeFailure(
			"corrupt",
			`${paths.log} is missing; without its events the run cannot continue.`,
			`Put the file back from a backup, or continue from the last state with ${OWN_COMMAND}repair ${basename(paths.folder).slice(0, 8)}.`,
		);
	const lease = await takeLease(paths.folder, before.value.lastFence);
	if (!lease.ok) return lease;
	try {
		// The previous holder may just have written: only now is the log stable.
		await prepareSessions(dirname(paths.log));
		await completeLog(paths, copies);
		const read = await loadRun(paths);
		if (read.ok && read.value.lastFence < lease.value.fence) {
			await linkSavedFiles(paths, copies, read.value.run);
			return { ok: true, value: holdLedger(await openRepaired(paths, read.value, lease.value, dependencies)) };
		}
		await lease.value.release();
		return read.ok ? storeFailure("held", "Another pi process took the run at the same time.", "Try again.") : read;
	} catch (error) {
		await lease.value.release();
		throw error;
	}
}

/** Links the private folder of a run to its saved files, if it works in a copy of the project or can have children. Without the link, the files are saved in the private folder. */
async function linkSavedFiles(
	paths: RunPaths,
	copies: CopiesPlace | undefined,
	{ plan, parent, apart }: Pick<Run, "plan" | "parent" | "apart">,
): Promise<void> {
	// A child uses the saved files of the first run.
	const hasCopies = apart !== undefined || [...plan.states.values()].some(({ children }) => children);
	if (!copies || parent !== null || !hasCopies) return;
	const link = join(paths.folder, "files");
	if (await stat(link).catch(undefinedIfMissing)) return;
	const outside = savedFilesPath(copies, paths);
	try {
		await makePrivateFolder(outside);
		if (await lstat(link).catch(undefinedIfMissing)) await rm(link);
		await symlink(outside, link, "junction");
	} catch {
		// A file system without links, or no room outside the project.
	}
}

/** Removes run `id` and the copy of its events; returns the bytes that it used. */
async function removeRunFiles(
	{ sessions, copies }: RunsPlace,
	id: string,
): Promise<Result<{ readonly bytes: number }, StoreFailure>> {
	const paths = pathsOf(sessions, id);
	const { folder, log, checkpoint } = paths;
	const moved = join(sessions, `.removed-${id}`);
	const names = await filesOfRun(sessions, id);
	if (names.length === 0 && (await readablePaths(paths, copies)) === paths)
		return storeFailure("unknown", `No run has the id "${id}".`, "See the list of runs.");
	const lease = await takeLease(folder, 0);
	if (!lease.ok) return lease;
	const places = (await filesOfRun(sessions, id)).map((name) => join(sessions, name));
	const own = (await Promise.all(places.map(usedBytes))).reduce((sum, size) => sum + size, 0);
	// The copy would bring the run back.
	const bytes = own + (copies ? await removeCopy(copies, paths) : 0);
	// The events first and the folded state last: until then the list shows the run, so that its removal can be repeated.
	await rm(log, { force: true });
	for (const place of places)
		if (place !== checkpoint && place !== folder) await rm(place, { recursive: true, force: true });
	await rename(folder, moved);
	await rm(moved, { recursive: true, force: true });
	await rm(checkpoint, { force: true });
	return { ok: true, value: { bytes } };
}

/** Names of the run's files and folders. */
async function filesOfRun(sessions: string, id: string): Promise<string[]> {
	const names = await readdir(sessions).catch((): string[] => []);
	return names.filter((name) => name === id || name.startsWith(`${id}.`) || name === `.removed-${id}`);
}
