// The ledger as files: `<uuid>.json` (folded state), `<uuid>.events.jsonl` (the truth) and `<uuid>/` below one folder.
// F1 a run is on disk, whole, before `create` resolves; F2 everything is written under the lease and nothing after it is lost; F3 a
// checkpoint never knows more than the log; F4 what is damaged is kept under another name before anything is written in its place.
import { copyFile, open, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { openRedaction, type Redact } from "../../../safety/index.ts";
import type {
	Clock,
	EventBody,
	HeldLedger,
	LedgerStore,
	ReadLedger,
	Result,
	Run,
	StoreFailure,
} from "../../core/index.ts";
import { beginRun, startRun, storeRun } from "../../core/index.ts";
import { checkpointText } from "./checkpoint.ts";
import { type Disk, diskFailure, realDisk, replaceFile, syncFolder, undefinedIfMissing } from "./disk.ts";
import { type Inbox, openInbox, postEvent } from "./inbox.ts";
import { isRunId, pathsOf, prepareSessions, type RunPaths } from "./layout.ts";
import { type Lease, leaseHolder, takeLease } from "./lease.ts";
import { listRuns, resolveRunId } from "./list-runs.ts";
import { countDamaged, type Loaded, loadRun, readEvents, storeFailure } from "./load.ts";
import { type LogFile, openLog } from "./log-file.ts";
import { inheritOwner, inheritOwners } from "./owner.ts";
import { redactEvent } from "./redaction.ts";
import { removeRun } from "./remove.ts";

export interface FileStoreOptions {
	/** Folder of all runs, such as `.pi/chronicle/sessions` of a project; it is made when the first run is. */
	readonly sessions: string;
	readonly clock: Pick<Clock, "now">;
	/** Default: the real one. */
	readonly disk?: Disk;
	/** Takes secrets out of what is written; default: known shapes, and the secrets of this process's environment. */
	readonly redact?: Redact;
}

/** Opens the store. Nothing is read or written before it is asked for something. */
export function openFileStore({
	sessions,
	clock,
	disk = realDisk,
	redact = openRedaction(process.env),
}: FileStoreOptions): LedgerStore {
	const means: Means = { clock, disk, redact };
	const ids = async (): Promise<string[]> =>
		(await listRuns(sessions)).flatMap((entry) => (entry.kind === "run" ? [entry.id] : []));
	return {
		async create(first) {
			const paths = pathsOf(sessions, first.id);
			if (!isRunId(first.id))
				return storeFailure("unknown", `"${first.id}" is no id for a run.`, "Use a UUID of version 4.");
			try {
				await prepareSessions(sessions);
				return await create(paths, first, means);
			} catch (error) {
				return { ok: false, failure: diskFailure(error, paths.log) };
			}
		},
		async open(id) {
			if (!isRunId(id)) return storeFailure("unknown", `"${id}" is no id of a run.`, "Look at the list of runs.");
			const paths = pathsOf(sessions, id);
			try {
				return await hold(paths, means);
			} catch (error) {
				return { ok: false, failure: diskFailure(error, paths.log) };
			}
		},
		async read(id) {
			if (!isRunId(id)) return storeFailure("unknown", `"${id}" is no id of a run.`, "Look at the list of runs.");
			const paths = pathsOf(sessions, id);
			const read = await loadRun(paths);
			if (!read.ok) return read;
			const holder = await leaseHolder(paths.folder);
			// Whoever writes at this moment may have written half a line: that is no damage.
			const repairs = holder && holder.alive !== "no" ? [] : read.value.repairs;
			return { ok: true, value: { ...reading(paths), run: read.value.run, repairs, holder } };
		},
		list: () => listRuns(sessions),
		async remove(id) {
			if (!isRunId(id)) return storeFailure("unknown", `"${id}" is no id of a run.`, "Look at the list of runs.");
			try {
				return await removeRun(sessions, id);
			} catch (error) {
				return { ok: false, failure: diskFailure(error, pathsOf(sessions, id).folder) };
			}
		},
		async find(name) {
			return isRunId(name) ? resolveRunId(name, [name]) : resolveRunId(name, await ids());
		},
		async post(id, event) {
			if (!isRunId(id)) return storeFailure("unknown", `"${id}" is no id of a run.`, "Look at the list of runs.");
			const { inbox, log } = pathsOf(sessions, id);
			try {
				if ((await stat(log).catch(undefinedIfMissing)) === undefined)
					return storeFailure("unknown", `No run has the id "${id}".`, "Look at the list of runs.");
				const post = await postEvent(inbox, redactEvent(event, redact), clock.now());
				if (post !== "too_long") return { ok: true, value: post };
				return storeFailure(
					"too_long",
					"The message is too long to be left for the run.",
					"Put the long part into a file, and name it.",
				);
			} catch (error) {
				return { ok: false, failure: diskFailure(error, inbox) };
			}
		},
	};
}

function reading(paths: RunPaths): Pick<ReadLedger, "place" | "folder" | "events"> {
	return { place: paths.log, folder: paths.folder, events: (after = 0) => readEvents(paths.log, after) };
}

async function create(
	paths: RunPaths,
	first: EventBody & { readonly kind: "created" },
	means: Means,
): Promise<Result<HeldLedger, StoreFailure>> {
	const { clock, disk } = means;
	const known = await loadRun(paths);
	if (known.ok || known.failure.reason !== "unknown")
		return storeFailure("exists", `The run ${first.id} exists already.`, "Take another id.");
	const lease = await takeLease(paths.folder, 0);
	if (!lease.ok) return lease;
	const log = await openLog({ path: paths.log, disk, lease: lease.value, size: 0, lastSeq: 0 }).catch(
		async (error: unknown) => {
			await lease.value.release();
			throw error;
		},
	);
	const give = async (failed: StoreFailure): Promise<{ ok: false; failure: StoreFailure }> => {
		await log.close();
		// Nothing was begun, so nothing of it shall show in a list.
		await rm(paths.log, { force: true });
		await lease.value.release();
		return { ok: false, failure: failed };
	};
	const written = await log.append([redactEvent(first, means.redact)], new Date(clock.now()).toISOString(), true);
	if (!written.ok) return give(written.failure);
	const [event] = written.value;
	const run = event?.kind === "created" ? beginRun(event) : undefined;
	if (!run)
		return give({
			reason: "corrupt",
			message: "The template's definition cannot be read.",
			remedy: "Check the template.",
		});
	const ledger = holdLedger({ paths, run, log, lease: lease.value, repairs: [], ...means });
	const saved = await ledger.checkpoint(run);
	if (!saved.ok) {
		await ledger.releaseLease();
		return saved;
	}
	return { ok: true, value: ledger };
}

async function hold(paths: RunPaths, means: Means): Promise<Result<HeldLedger, StoreFailure>> {
	const before = await loadRun(paths);
	if (!before.ok) return before;
	if (!before.value.hasLog)
		return storeFailure(
			"corrupt",
			`${paths.log} is gone, and without the events the run cannot go on.`,
			"Restore the file from a copy.",
		);
	const lease = await takeLease(paths.folder, before.value.lastFence);
	if (!lease.ok) return lease;
	// Whoever held it before us may have written until a moment ago: only now the log stands still.
	const read = await loadRun(paths);
	if (!read.ok || read.value.lastFence >= lease.value.fence) {
		await lease.value.release();
		return read.ok ? storeFailure("held", "Another pi took the run at the same moment.", "Try again.") : read;
	}
	try {
		return { ok: true, value: await takeUp(paths, read.value, lease.value, means) };
	} catch (error) {
		await lease.value.release();
		throw error;
	}
}

/** Bytes of a log that is looked through when its run is taken up: some tens of milliseconds. */
const lookedThrough = 8_000_000;

async function takeUp(paths: RunPaths, read: Loaded, lease: Lease, means: Means): Promise<HeldLedger> {
	const { clock, disk } = means;
	const stamp = stampOf(clock.now());
	if (read.checkpointDamaged) await copyFile(paths.checkpoint, `${paths.checkpoint}.corrupt-${stamp}`);
	if (read.tornBytes > 0) await keepTail(paths.log, read.size, `${paths.log}.corrupt-${stamp}`);
	const damaged = read.size <= lookedThrough ? await countDamaged(paths.log, read.size) : 0;
	const repairs = [...read.repairs];
	if (damaged > 0 && !read.logDamaged)
		repairs.push(
			`In ${paths.log} ${damaged === 1 ? "a line is" : `${damaged} lines are`} damaged and passed over; the run goes on from its checkpoint.`,
		);
	const mend = damaged > 0 || read.logDamaged;
	const size = mend ? await setApart(paths.log, read.size, `${paths.log}.damaged-${stamp}`) : read.size;
	if (mend) repairs.push(`The log as it was is kept as ${paths.log}.damaged-${stamp}.`);
	const log = await openLog({ path: paths.log, disk, lease, size, lastSeq: read.run.seq });
	const position = mend ? undefined : read.log;
	const kept = position && { offset: position.offset, bytes: (await stat(paths.checkpoint)).size };
	const held = { paths, run: read.run, log, lease, repairs, kept, ...means };
	return holdLedger(mend ? { ...held, run: await recover(log, read.run, clock) } : held);
}

/** Writes the whole run behind damaged events, so that the log tells it by itself again. */
async function recover(log: LogFile, before: Run, clock: Means["clock"]): Promise<Run> {
	const written = await log.append(
		[{ kind: "recovered", run: storeRun(before) }],
		new Date(clock.now()).toISOString(),
		true,
	);
	if (!written.ok) {
		await log.close();
		throw Object.assign(
			new Error(written.failure.message),
			written.failure.reason === "no_space" ? { code: "ENOSPC" } : {},
		);
	}
	const [event] = written.value;
	return (event && startRun(event)) ?? before;
}

/** Keeps a copy of a damaged log, and ends its sound bytes with a line break, so that nothing is written into a damaged line. Gives their number. */
async function setApart(path: string, size: number, copy: string): Promise<number> {
	await copyFile(path, copy);
	await inheritOwner(copy);
	const file = await open(path, "r+");
	try {
		await file.truncate(size);
		const last = Buffer.alloc(1);
		await file.read(last, 0, 1, Math.max(0, size - 1));
		if (size === 0 || last[0] === 10) return size;
		await file.write("\n", size);
		return size + 1;
	} finally {
		await file.close();
	}
}

/** Keeps what is behind the sound bytes of the log, at most 1 MB of it, before it is cut. */
async function keepTail(log: string, from: number, copy: string): Promise<void> {
	const file = await open(log, "r");
	try {
		const { bytesRead, buffer } = await file.read(Buffer.alloc(1 << 20), 0, 1 << 20, from);
		await writeFile(copy, buffer.subarray(0, bytesRead), { mode: 0o600 });
	} finally {
		await file.close();
	}
}

function stampOf(ms: number): string {
	return new Date(ms).toISOString().replaceAll(":", "-");
}

interface Means {
	readonly clock: Pick<Clock, "now">;
	readonly disk: Disk;
	readonly redact: Redact;
}

interface Held extends Means {
	readonly paths: RunPaths;
	readonly run: Run;
	readonly log: LogFile;
	readonly lease: Lease;
	readonly repairs: readonly string[];
	/** The checkpoint on disk: where in the log it stands, and its bytes; absent where the next one is due at once. */
	readonly kept?: { readonly offset: number; readonly bytes: number } | undefined;
}

/** Milliseconds after which a checkpoint is due however little has happened: others read it too. */
const checkpointMs = 30_000;

function holdLedger({ paths, run, log, lease, repairs, clock, disk, redact, ...held }: Held): HeldLedger {
	let { kept } = held;
	let keptAt = performance.now();
	/** As many bytes have been logged since the last checkpoint as it has: so checkpoints cost no more than the log does. */
	const isDue = (): boolean =>
		kept === undefined || log.size - kept.offset >= kept.bytes || performance.now() - keptAt >= checkpointMs;
	let queue: Promise<unknown> = Promise.resolve();
	let inbox: Promise<Inbox> | undefined;
	let released = false;
	/** One write after another, in the order in which they were asked for. */
	const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
		const done = queue.then(work);
		queue = done.catch(() => {});
		return done;
	};
	const gone = storeFailure("fenced", "The run has been given back.", "Open it again.");

	return {
		...reading(paths),
		run,
		repairs,
		fence: lease.fence,
		holdsLease: async () => !released && lease.holds(),
		leaseLoss: async () => (released ? gone.failure : lease.loss()),
		get holder() {
			return released ? undefined : lease.owner;
		},
		append: (bodies, durability) =>
			inTurn(async () =>
				released
					? gone
					: log.append(
							bodies.map((body) => redactEvent(body, redact)),
							new Date(clock.now()).toISOString(),
							durability === "durable",
						),
			),
		checkpoint: (now, when = "now") =>
			inTurn(async (): Promise<Result<void, StoreFailure>> => {
				if (released) return gone;
				if (when === "if due" && !isDue()) return { ok: true, value: undefined };
				if (now.seq !== log.lastSeq)
					return storeFailure(
						"io",
						"The checkpoint does not stand at the end of the log.",
						"Take the events in first.",
					);
				if (!lease.holds()) return { ok: false, failure: await lease.loss() };
				const synced = await log.sync();
				if (!synced.ok) return synced;
				try {
					const text = checkpointText(now, { seq: now.seq, offset: log.size, fence: lease.fence });
					await replaceFile(disk, paths.checkpoint, text);
					kept = { offset: log.size, bytes: Buffer.byteLength(text) };
					keptAt = performance.now();
					return { ok: true, value: undefined };
				} catch (error) {
					return { ok: false, failure: diskFailure(error, paths.checkpoint) };
				}
			}),
		async onPosted(listener) {
			inbox ??= openInbox(paths.inbox, listener);
			await (await inbox).emptied;
		},
		async releaseLease() {
			if (released) return;
			await (await inbox)?.close();
			await inTurn(async () => {
				released = true;
				await log.close();
				await lease.release();
				await syncFolder(dirname(paths.log)).catch(() => {});
				await inheritOwners(paths.folder).catch(() => {});
			});
		},
	};
}
