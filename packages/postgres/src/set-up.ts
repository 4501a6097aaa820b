// Prepares new working folders: by the set-up command of the project, and for a child by the commands that its parent's state names.
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommandRunner, Result } from "@pi-chronicle/core/ports";
import { RUN_TAG, redactText, runShellCommand, setUpChild } from "pi-chronicle/local";
import { outageMs, untilReached } from "./database-failure.ts";
import type { PostgresLedger } from "./held.ts";
import type { Leftovers } from "./leftovers.ts";
import type { PostgresStore } from "./store.ts";

const setupMs = 30 * 60_000;
const outputLength = 600;

export interface SetupOptions {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	readonly run: string;
	/** File that records which command prepared the folder. */
	readonly prepared: string;
}

/** Runs the project's command unless it has prepared the folder. Throws a sentence with the end of its output if it fails. */
export async function runSetup(command: string, { cwd, env, run, prepared }: SetupOptions): Promise<void> {
	if ((await readFile(prepared, "utf8").catch(() => "")) === command) return;
	const { exit, output } = await runShellCommand(command, { cwd, env: { ...env, [RUN_TAG]: run }, timeoutMs: setupMs });
	if (exit.kind === "exited" && exit.code === 0) return writeFile(prepared, command, { mode: 0o600 });
	const how = exit.kind === "exited" ? `exit code ${exit.code}` : exit.kind;
	const said = redactText(output.slice(-outputLength), outputLength);
	throw new Error(`The project's set-up command failed (${how}): ${said}`);
}

interface SetUpOptions {
	readonly cwd: string;
	/** Whether the working folder was made now. */
	readonly isNew: boolean;
	readonly commands: CommandRunner;
	readonly store: PostgresStore;
	readonly leftovers: Pick<Leftovers, "noteStart">;
}

/**
 * What is to be done before each worker: once in a working folder, the commands for a child; in a new one, the ignored files that are there then are
 * noted.
 */
export function openSetUp(
	{ run, folder }: PostgresLedger,
	{ cwd, isNew, commands, store, leftovers }: SetUpOptions,
): (signal: AbortSignal) => Promise<Result<void>> {
	const file = join(folder, "set-up");
	const done = { ok: true, value: undefined } as const;
	let mustForget = isNew;
	let mustNote = isNew;
	const setUpOnce = async (signal: AbortSignal): Promise<Result<void>> => {
		if (mustForget) await rm(file, { force: true });
		mustForget = false;
		if (run.parent?.files !== "own" || existsSync(file)) return done;
		const { run: above } = run.parent;
		const read = await untilReached(outageMs, () => store.read(above));
		if (!read.ok) return read;
		const parent = read.value.run;
		const isMerge = parent.children?.children.some(({ id, merges }) => id === run.id && merges !== undefined);
		const set = isMerge ? done : await setUpChild({ parent, commands, cwd, signal });
		if (set?.ok === false) return set;
		if (!signal.aborted) await writeFile(file, "", { mode: 0o600 });
		return done;
	};
	return async (signal) => {
		const set = await setUpOnce(signal);
		if (set.ok && mustNote && !signal.aborted) await leftovers.noteStart();
		if (set.ok) mustNote = false;
		return set;
	};
}
