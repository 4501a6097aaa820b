// The process that sends the notices of a project: `pi-chronicle notify deliver`, started when there is something to send and apart from every run,
// so that no run waits for a receiver and a retry outlives its supervisor. There is one at a time: it holds the lease of the folder of notices.
// What wakes it is written before the lease is looked at, and the sender reads it again after it has given the lease back: no wake is lost.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder, replaceFile, undefinedIfMissing, watchFolder } from "../../disk/index.ts";
import { findPi, isPiCommand, ownPiSearch, packageRoot } from "../../pi/index.ts";
import { unlessAborted } from "../../process/index.ts";
import { leaseHolder, takeLease } from "../ledger/index.ts";
import type { ProjectEnvironment } from "../worker/index.ts";

type SenderPlace = Pick<ProjectEnvironment, "cwd" | "trust" | "env">;

/** Whether a run of the project has notices, so that a sender may have something to do. */
export function hasNotices(place: Pick<SenderPlace, "cwd">): boolean {
	return existsSync(folderOf(place));
}

/** The folder of the sender of a project. */
export function folderOf({ cwd }: Pick<SenderPlace, "cwd">): string {
	return join(cwd, ".pi", "chronicle", "notices");
}

function wakeFile(place: Pick<SenderPlace, "cwd">): string {
	return join(folderOf(place), "wake");
}

/** Lets a process send what is due, and returns at once. */
export async function wakeSender(place: SenderPlace): Promise<void> {
	const folder = folderOf(place);
	await makePrivateFolder(folder);
	await replaceFile(wakeFile(place), `${randomUUID()}\n`);
	const holder = await leaseHolder(folder);
	if (holder && holder.alive !== "no") return;
	startSender(place);
}

function startSender({ cwd, trust, env = process.env }: SenderPlace): void {
	const trusts = trust === "trusted" ? "--approve" : "--no-approve";
	const script = join(packageRoot(), "bin", "pi-chronicle.mjs");
	const pi = findPi(ownPiSearch());
	const named = isPiCommand(pi) ? { PI_CHRONICLE_PI: pi.args.at(-1) ?? pi.command } : {};
	const child = spawn(process.execPath, [script, "notify", "deliver", "--cwd", cwd, trusts, "--engine", "none"], {
		cwd,
		detached: true,
		stdio: "ignore",
		windowsHide: true,
		// A pi that is one program runs scripts, too.
		env: { ...env, ...named, ...("bun" in process.versions ? { BUN_BE_BUN: "1" } : {}) },
	});
	child.on("error", () => {});
	child.unref();
}

/**
 * Calls `send` while this process is the only sender, again whenever it was woken meanwhile. Resolves to `false` if another process sends.
 */
export async function asOnlySender(place: Pick<SenderPlace, "cwd">, send: () => Promise<void>): Promise<boolean> {
	const folder = folderOf(place);
	for (;;) {
		const lease = await takeLease(folder, 0);
		if (!lease.ok) return false;
		const woken = await readWake(place);
		try {
			await send();
		} finally {
			await lease.value.release();
		}
		if ((await readWake(place)) === woken) return true;
	}
}

/** Resolves once the sender is woken, or `signal` aborts. Keeps no process alive. */
export async function wakeOf(place: Pick<SenderPlace, "cwd">, signal: AbortSignal): Promise<void> {
	const { promise: woken, resolve } = Promise.withResolvers<void>();
	const stop = watchFolder(folderOf(place), (name) => {
		if (name === null || name === "wake") resolve();
	});
	await unlessAborted(woken, signal);
	stop();
}

/** Changes with every wake. */
export async function readWake(place: Pick<SenderPlace, "cwd">): Promise<string | undefined> {
	return readFile(wakeFile(place), "utf8").catch(undefinedIfMissing);
}
