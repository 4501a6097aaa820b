import { existsSync, readlinkSync, statSync } from "node:fs";
import { access, link, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { isNumber, isText, object } from "@pi-chronicle/core/definition";
import type { LeaseHolder, Result, StoreFailure } from "@pi-chronicle/core/ports";
import { inheritOwner, makePrivateFolder, undefinedIfMissing } from "../../disk/index.ts";
import { processStart } from "../../process/index.ts";
import { diskFailure, OWN_COMMAND } from "./failures.ts";

export interface Lease {
	readonly fence: number;
	/** Identity of this process for others. */
	readonly owner: LeaseHolder;
	/** Whether this process still holds it. */
	holds(): boolean;
	/** Why not. */
	loss(): Promise<StoreFailure>;
	release(): Promise<void>;
}

interface LeaseText {
	readonly host: string;
	readonly pid: number;
	readonly started: string;
}

const isLease = object<LeaseText>({ host: isText, pid: isNumber, started: isText });

const prefix = "lease.";

/** The machine, and its namespace of process numbers: containers on one machine number their processes separately. */
export function thisHost(): string {
	try {
		return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
	} catch {
		return hostname();
	}
}

/** The process that holds the lease of the run in `folder`; `undefined` if none does. */
export async function leaseHolder(folder: string): Promise<LeaseHolder | undefined> {
	const [highest] = await leases(folder);
	if (highest === undefined) return undefined;
	const owner = await readLease(folder, highest);
	return owner && { ...owner, fence: highest, alive: aliveness(owner) };
}

/** Takes the lease with a number above `atLeast`, the highest one in the log. */
export async function takeLease(folder: string, atLeast: number): Promise<Result<Lease, StoreFailure>> {
	await makePrivateFolder(folder);
	const before = await leaseHolder(folder);
	if (before && before.alive !== "no") return { ok: false, failure: heldBy(before, folder) };
	const [highest = 0] = await leases(folder);
	const fence = Math.max(highest, atLeast) + 1;
	const path = join(folder, `${prefix}${fence}`);
	const mine: LeaseText = { host: thisHost(), pid: process.pid, started: processStart(process.pid) ?? "unknown" };
	try {
		await makeExclusively(path, `${JSON.stringify(mine)}\n`);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		const winner = await leaseHolder(folder);
		return { ok: false, failure: winner ? heldBy(winner, folder) : raced };
	}
	// Another process that saw the same dead owner may have taken another number in the meantime: then neither holds it, and one tries again.
	const others = (await leases(folder)).filter((other) => other !== fence);
	for (const other of others) {
		const owner = await readLease(folder, other);
		if (!owner || aliveness(owner) === "no") continue;
		await rm(path, { force: true });
		return { ok: false, failure: raced };
	}
	for (const other of others) await rm(join(folder, `${prefix}${other}`), { force: true });
	await removeOwnDrafts(folder);
	return { ok: true, value: openLease(folder, { ...mine, fence, alive: "yes" }) };
}

/** Creates `path` with its complete text, or throws `EEXIST`. */
async function makeExclusively(path: string, content: string): Promise<void> {
	const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
	try {
		await writeFile(draft, content, { mode: 0o600, flush: true });
		await inheritOwner(draft);
		await link(draft, path);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "EEXIST" || code === "ENOSPC" || code === "EDQUOT") throw error;
		// A file system without links: the name exists a moment before its text.
		await writeFile(path, content, { flag: "wx", mode: 0o600, flush: true });
		await inheritOwner(path);
	} finally {
		await rm(draft, { force: true });
	}
}

function openLease(folder: string, owner: LeaseHolder): Lease {
	const { fence } = owner;
	const path = join(folder, `${prefix}${fence}`);
	const next = join(folder, `${prefix}${fence + 1}`);
	const exists = (file: string): boolean => {
		try {
			return statSync(file, { throwIfNoEntry: false }) !== undefined;
		} catch {
			// No permission or no file descriptor: without the current lease, nothing may be written.
			return false;
		}
	};
	return {
		fence,
		owner,
		holds: () => exists(path) && !exists(next),
		loss: () => explainLoss(folder),
		release: () => rm(path, { force: true }),
	};
}

async function explainLoss(folder: string): Promise<StoreFailure> {
	const seen = await access(folder).then(
		() => undefined,
		(error: NodeJS.ErrnoException) => error,
	);
	if (seen?.code === "ENOENT" && hasProject(folder)) return deleted(folder);
	if (seen) return diskFailure(seen, folder);
	const holder = await leaseHolder(folder).catch(() => undefined);
	return holder
		? { reason: "fenced", message: `Process ${holder.pid} has taken over the run.`, remedy: "Continue there." }
		: {
				reason: "fenced",
				message: "The run's lease was removed, and no process holds the run now.",
				remedy: `Resume it with ${OWN_COMMAND}resume ${shortId(folder)}: no recorded event is lost.`,
			};
}

/** Whether the project of a run's folder, `.pi/chronicle/sessions/<id>` in it, exists. */
function hasProject(folder: string): boolean {
	return existsSync(dirname(dirname(dirname(dirname(folder)))));
}

function deleted(folder: string): StoreFailure {
	return {
		reason: "fenced",
		message: `The run's folder ${folder} was deleted, for instance by git clean -x.`,
		remedy: `Continue with ${OWN_COMMAND}resume ${shortId(folder)}: the recorded events are kept outside the project. Conversations are lost, and saved files unless the run has children.`,
	};
}

function shortId(folder: string): string {
	return basename(folder).slice(0, 8);
}

/** Numbers of the leases in `folder`, highest first. */
async function leases(folder: string): Promise<number[]> {
	const names = await readdir(folder).catch((error: unknown): string[] => undefinedIfMissing(error) ?? []);
	return names
		.filter((name) => /^lease\.\d{1,9}$/.test(name))
		.map((name) => Number(name.slice(prefix.length)))
		.sort((a, b) => b - a);
}

async function readLease(folder: string, fence: number): Promise<LeaseText | undefined> {
	try {
		const read: unknown = JSON.parse(await readFile(join(folder, `${prefix}${fence}`), "utf8"));
		if (isLease(read)) return { host: read.host, pid: read.pid, started: read.started };
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") return undefined;
		// Another user's file, or no descriptor: a read error proves nothing about the holder.
		if (code !== "" && code !== "EISDIR") throw error;
	}
	// Created but not yet written, or torn: its owner is not proven dead.
	return { host: "", pid: 0, started: "" };
}

function aliveness({ host, pid, started }: LeaseText): LeaseHolder["alive"] {
	if (host !== thisHost()) return "unknown";
	const now = processStart(pid);
	if (now === undefined) return "no";
	if (now === started && now !== "unknown") return "yes";
	// Without a readable start mark, a living process of that number may be the owner.
	return started === "unknown" || now === "unknown" ? "unknown" : "no";
}

const raced: StoreFailure = {
	reason: "held",
	message: "Another pi process took the run at the same time.",
	remedy: "Check its status, or try again.",
};

function heldBy({ host, pid, fence, alive }: LeaseHolder, folder: string): StoreFailure {
	const where = host === "" ? "an unknown process" : `process ${pid} on ${host.split(" ")[0]}`;
	return alive === "yes"
		? {
				reason: "held",
				message: `The run belongs to ${where}.`,
				remedy: "Use the commands there; status, diff, tell, pause and abort work from here too.",
			}
		: {
				reason: "held",
				message: `The run belonged to ${where}, which cannot be checked from here.`,
				remedy: `If that process has certainly ended, remove ${join(folder, `${prefix}${fence}`)} and try again.`,
			};
}

/** Folders below the private folder of a run in which files are replaced. */
const written = ["", "workers", "files", "apart/files"];

/** Removes dead drafts of the run with the private folder `folder`. */
async function removeOwnDrafts(folder: string): Promise<void> {
	for (const name of written) await removeDeadDrafts(join(folder, name), ".");
	await removeDeadDrafts(dirname(folder), `.${basename(folder)}.`);
}

/**
 * Removes the drafts in `folder` that dead processes left and whose names begin with `prefix`. A draft is named after its file or folder and the
 * process that writes it. Only for the holder of the lease of the run that they belong to: that process may have been on another machine.
 */
export async function removeDeadDrafts(folder: string, prefix: string): Promise<void> {
	const names = await readdir(folder).catch((): string[] => []);
	for (const name of names.filter((one) => one.startsWith(prefix))) {
		const [, pid] = /\.(\d+)(?:\.tmp)?$/.exec(name) ?? [];
		if (pid !== undefined && processStart(Number(pid)) === undefined)
			await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
	}
}
