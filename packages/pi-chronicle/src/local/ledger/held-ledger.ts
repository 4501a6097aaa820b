// A run's ledger under its lease: events are appended and checkpoints written one after another, until the lease is released.
import { dirname } from "node:path";
import type { Run } from "@pi-chronicle/core/machine";
import type { Clock, HeldLedger, Result, StoreFailure } from "@pi-chronicle/core/ports";
import { type Disk, inheritOwners, replaceFile, syncFolder } from "../../disk/index.ts";
import type { Redact } from "../../safety/index.ts";
import { checkpointText } from "./checkpoint.ts";
import { diskFailure, storeFailure } from "./failures.ts";
import { type Inbox, openInbox } from "./inbox.ts";
import type { RunPaths } from "./layout.ts";
import type { Lease } from "./lease.ts";
import { type CopiesPlace, savedFilesPath } from "./log-copy.ts";
import type { LogFile } from "./log-file.ts";
import { openEvents } from "./read-events.ts";
import { redactEvent } from "./redaction.ts";

export interface StoreDependencies {
	readonly clock: Pick<Clock, "now">;
	readonly disk: Disk;
	readonly redact: Redact;
	/** Where copies of the logs are kept; `undefined`: nowhere. */
	readonly copies: CopiesPlace | undefined;
}

/** The checkpoint on disk: its position in the log, and its length in bytes. */
interface WrittenCheckpoint {
	readonly offset: number;
	readonly bytes: number;
}

export interface HeldParts extends StoreDependencies {
	readonly paths: RunPaths;
	readonly run: Run;
	readonly log: LogFile;
	readonly lease: Lease;
	readonly repairs: readonly string[];
	/** Absent: the next checkpoint is due at once. */
	readonly kept?: WrittenCheckpoint | undefined;
}

/** Milliseconds after which a checkpoint is due regardless of activity, because other processes also read it. */
const checkpointMs = 30_000;

interface HeldState extends Omit<HeldParts, "kept"> {
	kept: WrittenCheckpoint | undefined;
	/** When it was written, by `performance.now`. */
	keptAt: number;
	released: boolean;
}

const gone = storeFailure("fenced", "The run's lease has been released.", "Open it again.");

/** Opens the ledger for its holder. */
export function holdLedger(parts: HeldParts): HeldLedger {
	const state: HeldState = { ...parts, kept: parts.kept, keptAt: performance.now(), released: false };
	const { paths, run, log, lease, repairs, clock, redact, copies } = state;
	let queue: Promise<unknown> = Promise.resolve();
	let inbox: Promise<Inbox> | undefined;
	/** Writes are sequential, in call order. */
	const enqueue = <T>(write: () => Promise<T>): Promise<T> => {
		const done = queue.then(write);
		queue = done.catch(() => {});
		return done;
	};
	return {
		run,
		repairs,
		place: paths.log,
		folder: paths.folder,
		events: openEvents(paths.log),
		fence: lease.fence,
		holdsLease: async () => !state.released && lease.holds(),
		leaseLoss: async () => (state.released ? gone.failure : lease.loss()),
		get holder() {
			return state.released ? undefined : lease.owner;
		},
		append: (bodies, durability) =>
			enqueue(async () => {
				if (state.released) return gone;
				const clean = bodies.map((body) => redactEvent(body, redact));
				return log.append(clean, new Date(clock.now()).toISOString(), durability === "durable");
			}),
		checkpoint: (now, when = "now") => enqueue(() => writeCheckpoint(state, now, when)),
		async onPosted(listener) {
			inbox ??= openInbox(paths.inbox, listener);
			await (await inbox).emptied;
		},
		async releaseLease() {
			if (state.released) return;
			await (await inbox)?.close();
			await enqueue(async () => {
				state.released = true;
				await log.close();
				await lease.release();
				await syncFolder(dirname(paths.log)).catch(() => {});
				for (const folder of [paths.folder, ...(copies ? [savedFilesPath(copies, paths)] : [])])
					await inheritOwners(folder).catch(() => {});
			});
		},
	};
}

async function writeCheckpoint(
	state: HeldState,
	now: Run,
	when: "now" | "if due",
): Promise<Result<void, StoreFailure>> {
	const { paths, log, lease, disk } = state;
	if (state.released) return gone;
	if (when === "if due" && !isCheckpointDue(state)) return { ok: true, value: undefined };
	if (now.seq !== log.lastSeq)
		return storeFailure("io", "The checkpoint is not at the end of the log.", "Fold the appended events first.");
	if (!lease.holds()) return { ok: false, failure: await lease.loss() };
	const synced = await log.sync();
	if (!synced.ok) return synced;
	try {
		const text = checkpointText(now, { seq: now.seq, offset: log.size, fence: lease.fence });
		await replaceFile(paths.checkpoint, text, disk);
		state.kept = { offset: log.size, bytes: Buffer.byteLength(text) };
		state.keptAt = performance.now();
		return { ok: true, value: undefined };
	} catch (error) {
		return { ok: false, failure: diskFailure(error, paths.checkpoint) };
	}
}

/** Whether the log has grown by the size of the last checkpoint, so that checkpoints cost no more than the log. */
function isCheckpointDue({ kept, keptAt, log }: HeldState): boolean {
	return kept === undefined || log.size - kept.offset >= kept.bytes || performance.now() - keptAt >= checkpointMs;
}
