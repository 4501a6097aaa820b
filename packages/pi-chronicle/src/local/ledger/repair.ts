// Opens the log of a loaded run, and repairs its damage. Damaged files are copied under another name first.
import { copyFile, open, stat, writeFile } from "node:fs/promises";
import { encodeRun, type Run, startRun } from "@pi-chronicle/core/machine";
import { inheritOwner } from "../../disk/index.ts";
import type { HeldParts, StoreDependencies } from "./held-ledger.ts";
import type { RunPaths } from "./layout.ts";
import type { Lease } from "./lease.ts";
import { countDamaged, type LoadedRun } from "./load.ts";
import { type LogCopy, openLogCopy } from "./log-copy.ts";
import { type LogFile, openLog } from "./log-file.ts";

/** On resume, a longer log is not searched for damaged lines before its checkpoint: a log of this size takes some tens of milliseconds. */
const maxSearched = 8_000_000;

/** Maximum bytes of a torn end that are kept. */
const maxTail = 1 << 20;

/** Opens the log under `lease` and repairs the run's files. Throws disk errors. */
export async function openRepaired(
	paths: RunPaths,
	read: LoadedRun,
	lease: Lease,
	dependencies: StoreDependencies,
): Promise<HeldParts> {
	const { clock, disk, copies } = dependencies;
	const stamp = new Date(clock.now()).toISOString().replaceAll(":", "-");
	if (read.checkpointDamaged) await copyFile(paths.checkpoint, `${paths.checkpoint}.corrupt-${stamp}`);
	if (read.tornBytes > 0) await keepTail(paths.log, read.size, `${paths.log}.corrupt-${stamp}`);
	const damaged = read.size <= maxSearched ? await countDamaged(paths.log, read.size) : 0;
	const repairs = [...read.repairs];
	if (damaged > 0 && !read.logDamaged)
		repairs.push(
			`${damaged === 1 ? "A line" : `${damaged} lines`} of ${paths.log} ${damaged === 1 ? "is" : "are"} damaged and ignored; the run continues from its checkpoint.`,
		);
	const held = { paths, lease, repairs, ...dependencies };
	const { run } = read;
	const copy = copies && openLogCopy(copies, paths);
	const start = { path: paths.log, disk, lease, copy, lastSeq: run.seq };
	if (damaged === 0 && !read.logDamaged) {
		const kept = read.log && { offset: read.log.offset, bytes: (await stat(paths.checkpoint)).size };
		const log = await openLog({ ...start, size: read.size });
		repairs.push(...(await followLog(copies, copy, log)));
		return { ...held, run, log, kept };
	}
	const damagedLog = `${paths.log}.damaged-${stamp}`;
	const size = await sealDamaged(paths.log, read.size, damagedLog);
	repairs.push(`The damaged log is kept as ${damagedLog}.`);
	const log = await openLog({ ...start, size });
	repairs.push(...(await followLog(copies, copy, log)));
	return { ...held, run: await recover(log, run, clock), log };
}

/** Brings the copy of the log up to date; a sentence if there can be none. */
async function followLog(
	copies: StoreDependencies["copies"],
	copy: LogCopy | undefined,
	{ size }: LogFile,
): Promise<readonly string[]> {
	const why = await copy?.follow(size);
	if (why === undefined || !copies) return [];
	return [
		`No copy of the events can be kept in ${copies.folder} (${why}): what deletes ignored files, such as git clean -x, deletes the run.`,
	];
}

/** Appends the whole run after damaged events, so that the log is self-contained again. */
async function recover(log: LogFile, before: Run, clock: StoreDependencies["clock"]): Promise<Run> {
	const written = await log.append(
		[{ kind: "recovered", run: encodeRun(before) }],
		new Date(clock.now()).toISOString(),
		true,
	);
	if (!written.ok) {
		await log.close();
		const code = written.failure.reason === "no_space" ? { code: "ENOSPC" } : {};
		throw Object.assign(new Error(written.failure.message), code);
	}
	const [event] = written.value;
	return (event && startRun(event)) ?? before;
}

/** Copies a damaged log and ends its valid bytes with a line break, so that nothing is appended to a damaged line. Returns their number. */
async function sealDamaged(path: string, size: number, copy: string): Promise<number> {
	await copyFile(path, copy);
	await inheritOwner(copy);
	const file = await open(path, "r+");
	try {
		await file.truncate(size);
		const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
		if (buffer[0] !== 10) await file.write("\n", size);
		return (await file.stat()).size;
	} finally {
		await file.close();
	}
}

/** Copies the bytes after the valid part of the log before they are truncated. */
async function keepTail(log: string, from: number, copy: string): Promise<void> {
	const file = await open(log, "r");
	try {
		const { bytesRead, buffer } = await file.read(Buffer.alloc(maxTail), 0, maxTail, from);
		await writeFile(copy, buffer.subarray(0, bytesRead), { mode: 0o600 });
	} finally {
		await file.close();
	}
}
