// The private file by which the launcher tells a worker's extension what it may do. Written before the process starts, read once.
// B1 only the person's account can read it; B2 the worker holds what it read, so that changing the file changes nothing;
// B3 a worker without a readable brief does not work.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { LaunchId } from "../../core/index.ts";
import type { ToolOrder } from "./tool-order.ts";

/** Names the file. It is meant for pi alone and is taken out of the environment once read. */
export const BRIEF_VARIABLE = "PI_CHRONICLE_BRIEF";

export interface WorkerBrief {
	readonly version: 1;
	readonly run: string;
	readonly state: string;
	readonly launch: LaunchId;
	/** What `workflow_transition` may name. */
	readonly targets: readonly string[];
	/** What this process may spend; absent: no ceiling. */
	readonly allowance: ProcessAllowance;
	/** Which tools of the state's extensions are given; absent where it loads none: then pi's list of tools decides. */
	readonly tools?: ToolOrder;
	readonly rules: FrozenRules;
	/** `shell`: shell commands run in the machine's sandbox, and the worker does not work where there is none. */
	readonly sandbox: "shell" | "off";
}

export interface ProcessAllowance {
	readonly costUsd?: number;
	readonly tokens?: number;
	/** Of the visit. */
	readonly requests?: number;
	readonly calls?: number;
	readonly countCacheReads: boolean;
}

/** The guard's rules as they were when the supervisor read them. */
export interface FrozenRules {
	readonly hash: string;
	/** Plain text that the guard wrote and reads again. */
	readonly text: string;
	/** Rule files behind it; with none only the built-in protections hold. */
	readonly files: number;
}

/** Writes a brief to a new file at `path`. Throws what the disk says. */
export function writeBrief(path: string, brief: WorkerBrief): void {
	rmSync(path, { force: true });
	writeFileSync(path, JSON.stringify(brief), { mode: 0o600, flag: "wx" });
}

/** Reads the brief that the environment names and forgets its name. Throws a sentence where there is none. */
export function readBrief(env: NodeJS.ProcessEnv): WorkerBrief {
	const path = env[BRIEF_VARIABLE];
	if (!path) throw new Error("This extension works only in a process that a chronicle has started.");
	delete env[BRIEF_VARIABLE];
	const brief: unknown = JSON.parse(readFileSync(path, "utf8"));
	if (typeof brief !== "object" || brief === null || (brief as { version?: unknown }).version !== 1)
		throw new Error(`${path} was written by another version of this package.`);
	return brief as WorkerBrief;
}
