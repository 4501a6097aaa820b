// Runs the set-up command of a project, once in every new working folder of a host, in its own process group.
import { readFile, writeFile } from "node:fs/promises";
import { RUN_TAG, runShellCommand } from "../../../process/index.ts";
import { redactText } from "../../../safety/index.ts";

const setupMs = 30 * 60_000;
const outputLength = 600;

export interface SetupOptions {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	readonly run: string;
	/** File that records which command prepared the folder. */
	readonly prepared: string;
}

/** Runs the command unless it has prepared the folder. Throws a sentence with the end of its output if it fails. */
export async function runSetup(command: string, { cwd, env, run, prepared }: SetupOptions): Promise<void> {
	if ((await readFile(prepared, "utf8").catch(() => "")) === command) return;
	const { exit, output } = await runShellCommand(command, { cwd, env: { ...env, [RUN_TAG]: run }, timeoutMs: setupMs });
	if (exit.kind === "exited" && exit.code === 0) return writeFile(prepared, command, { mode: 0o600 });
	const how = exit.kind === "exited" ? `exit code ${exit.code}` : exit.kind;
	const said = redactText(output.slice(-outputLength), outputLength);
	throw new Error(`The project's set-up command failed (${how}): ${said}`);
}
