// The event log of one run as an append-only file.
// A batch is in the log completely or not at all; the remains of a failed write are truncated before the next one; nothing is written once
// the lease is lost.
import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { EventBody, LedgerEvent } from "@pi-chronicle/core/machine";
import type { Result, StoreFailure } from "@pi-chronicle/core/ports";
import { type Disk, inheritOwner } from "../../disk/index.ts";
import { diskFailure } from "./failures.ts";
import type { Lease } from "./lease.ts";
import { encodeLine, stampEvent } from "./line.ts";
import type { LogCopy } from "./log-copy.ts";

export interface LogFile {
	readonly size: number;
	readonly lastSeq: number;
	append(
		bodies: readonly EventBody[],
		at: string,
		durable: boolean,
	): Promise<Result<readonly LedgerEvent[], StoreFailure>>;
	/** Makes everything appended so far durable. */
	sync(): Promise<Result<void, StoreFailure>>;
	close(): Promise<void>;
}

export interface LogStart {
	readonly path: string;
	readonly disk: Disk;
	readonly lease: Lease;
	/** The copy outside the project; `undefined`: none is kept. */
	readonly copy: LogCopy | undefined;
	/** Valid bytes: the rest is truncated now. */
	readonly size: number;
	readonly lastSeq: number;
}

/** Opens the log for appending and truncates it to its valid bytes. Throws disk errors. */
export async function openLog({ path, disk, lease, copy, ...start }: LogStart): Promise<LogFile> {
	const file = await disk.open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
	let { size, lastSeq } = start;
	let dirty = false;
	let unsynced = false;
	try {
		await inheritOwner(path);
		const { size: found } = await file.stat();
		if (found > size) {
			await file.truncate(size);
			await file.sync();
		}
	} catch (error) {
		await file.close();
		throw error;
	}

	return {
		get size() {
			return size;
		},
		get lastSeq() {
			return lastSeq;
		},
		async append(bodies, at, durable) {
			if (!lease.holds()) return { ok: false, failure: await lease.loss() };
			const events = bodies.map((body, index) =>
				stampEvent(body, { seq: lastSeq + index + 1, at, fence: lease.fence }),
			);
			const bytes = Buffer.from(events.map(encodeLine).join(""));
			try {
				if (dirty) await file.truncate(size);
				// A process that lost the run during a write may have left a line: it stays, and readers ignore it.
				else size = Math.max(size, (await file.stat()).size);
				if (size > 0) await copy?.precede(size, bytes);
				dirty = true;
				await writeAll(file, bytes);
				if (durable) await file.sync();
			} catch (error) {
				await copy?.withdraw(size);
				// Truncates the partial write now if possible, otherwise before the next write.
				await file.truncate(size).then(
					() => {
						dirty = false;
					},
					() => {},
				);
				return { ok: false, failure: diskFailure(error, path) };
			}
			dirty = false;
			unsynced = !durable;
			// A run that never began has no copy.
			if (size === 0) await copy?.follow(bytes.length);
			size += bytes.length;
			lastSeq += events.length;
			return { ok: true, value: events };
		},
		async sync() {
			if (!unsynced) return { ok: true, value: undefined };
			try {
				await file.sync();
				unsynced = false;
				return { ok: true, value: undefined };
			} catch (error) {
				return { ok: false, failure: diskFailure(error, path) };
			}
		},
		async close() {
			if (unsynced) await file.sync().catch(() => {});
			await copy?.close();
			await file.close();
		},
	};
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
	for (let from = 0; from < bytes.length; ) {
		const { bytesWritten } = await file.write(bytes, from, bytes.length - from);
		from += bytesWritten;
	}
}
