// The private file that configures a worker's extension. Written before the process starts, read once; values that only the launch
// determines arrive over the pipe.
// Only the user's account can read it; the worker reads it once, so later changes to the file have no effect; a worker without a valid
// brief does no work.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import {
	anyObject,
	eitherOf,
	isFlag,
	isNumber,
	isRecord,
	isText,
	listOf,
	object,
	oneOf,
	optional,
	parseUntrusted,
	type SandboxNetwork,
	type Shape,
} from "@pi-chronicle/core/definition";
import type { LaunchId } from "@pi-chronicle/core/machine";
import type { LaunchOrder, WorkerLimits, WorkingCopy } from "@pi-chronicle/core/ports";
import type { SandboxProbe } from "../../safety/index.ts";
import type { RequestedTool, ToolOrder } from "./tool-order.ts";

/** Names the file. Only for pi; removed from the environment once read. */
export const BRIEF_VARIABLE = "PI_CHRONICLE_BRIEF";

type Ordered = "run" | "launch" | "copy" | "targets" | "meanings" | "lists" | "output" | "withoutOutput";

export interface WorkerBrief extends Pick<LaunchOrder, Ordered> {
	readonly version: 2;
	readonly state: string;
	/** The tools of the state's extensions that it gets; absent if it loads none: then pi's list of tools decides. */
	readonly tools?: ToolOrder;
	/** `none`: the worker cannot ask the user. */
	readonly questions?: "none";
	/** Absent if the worker may change the project. */
	readonly unchanged?: UnchangedProject;
	readonly rules: FrozenRules;
	/** `off`: shell commands are not contained. */
	readonly sandbox: WorkerBox | "off";
}

/** The sandbox of a worker's shell commands. Paths are absolute. */
export interface WorkerBox {
	readonly probe: NonNullable<SandboxProbe>;
	/** The folder of the files that commands may change. */
	readonly root: string;
	/** The run's private folder. */
	readonly folder: string;
	readonly network?: SandboxNetwork;
	/** Further paths that may be written, as the user wrote them. */
	readonly write?: readonly string[];
	/** Paths that stay readable. */
	readonly read: readonly string[];
}

/** Limits of a worker that is not meant to change the project. */
export interface UnchangedProject {
	/** `judged`: calls that are known to change it are refused; `strict`: also those with unknown effects. */
	readonly shell: "judged" | "strict";
	/** Names and patterns of its tools. */
	readonly tools: readonly string[];
}

/** Sent to a worker once its launch is recorded; until then it does nothing. */
export interface Adoption {
	readonly launch: LaunchId;
	readonly allowance: ProcessAllowance;
}

/** Maximum spend of a process; absent: no ceiling. */
export type ProcessAllowance = Pick<WorkerLimits, "costUsd" | "tokens" | "requests" | "calls" | "countCacheReads">;

/** The guard's rules as they were when the supervisor read them. */
export interface FrozenRules {
	readonly hash: string;
	/** Written and read by the guard. */
	readonly text: string;
	/** Number of rule files; with none only the built-in protections apply. */
	readonly files: number;
}

export const isLaunchId: Shape<LaunchId> = object<LaunchId>({ visit: isNumber, attempt: isNumber, launch: isNumber });

const isTextByName: Shape<Readonly<Record<string, string>>> = (value): value is Readonly<Record<string, string>> =>
	anyObject(value) && Object.values(value).every(isText);

const isToolOrder: Shape<ToolOrder> = object<ToolOrder>({
	tools: listOf(isText),
	requested: listOf(object<RequestedTool>({ written: isText, otherwise: optional(isText) })),
	extensionTools: oneOf("all", "named"),
	hoped: listOf(isText),
	restrictions: object<ToolOrder["restrictions"]>({ denied: listOf(isText), only: optional(listOf(isText)) }),
});

const isProbe: Shape<WorkerBox["probe"]> = eitherOf(
	object<Extract<WorkerBox["probe"], { kind: "bwrap" }>>({
		kind: oneOf("bwrap"),
		bwrap: isText,
		options: listOf(isText),
	}),
	object<Extract<WorkerBox["probe"], { kind: "seatbelt" }>>({ kind: oneOf("seatbelt"), program: isText }),
);

const isWorkerBox: Shape<WorkerBox> = object<WorkerBox>({
	probe: isProbe,
	root: isText,
	folder: isText,
	network: optional(eitherOf(oneOf("open", "off"), listOf(isText))),
	write: optional(listOf(isText)),
	read: listOf(isText),
});

const isBrief: Shape<WorkerBrief> = object<WorkerBrief>({
	version: oneOf(2),
	run: isText,
	state: isText,
	launch: isLaunchId,
	targets: listOf(isText),
	meanings: optional(isTextByName),
	lists: optional(isTextByName),
	output: optional(isRecord),
	withoutOutput: optional(listOf(isText)),
	tools: optional(isToolOrder),
	questions: optional(oneOf("none")),
	unchanged: optional(object<UnchangedProject>({ shell: oneOf("judged", "strict"), tools: listOf(isText) })),
	rules: object<FrozenRules>({ hash: isText, text: isText, files: isNumber }),
	copy: optional(object<WorkingCopy>({ root: isText, project: isText, closed: listOf(isText) })),
	sandbox: eitherOf(oneOf("off"), isWorkerBox),
});

const isAdoption = object<Adoption>({
	launch: isLaunchId,
	allowance: object<ProcessAllowance>({
		costUsd: optional(isNumber),
		tokens: optional(isNumber),
		requests: optional(isNumber),
		calls: optional(isNumber),
		countCacheReads: isFlag,
	}),
});

/** Reads an adoption from JSON; `undefined` for anything else. */
export function readAdoption(json: string): Adoption | undefined {
	return parseUntrusted(json, isAdoption);
}

/** Writes a brief to a new file at `path`. Throws disk errors. */
export function writeBrief(path: string, brief: WorkerBrief): void {
	rmSync(path, { force: true });
	writeFileSync(path, JSON.stringify(brief), { mode: 0o600, flag: "wx" });
}

/** Reads the brief that the environment names, and removes the name. Throws a sentence if there is no valid brief. */
export function readBrief(env: NodeJS.ProcessEnv): WorkerBrief {
	const path = env[BRIEF_VARIABLE];
	if (!path) throw new Error("This extension works only in a process started by a chronicle.");
	delete env[BRIEF_VARIABLE];
	const brief: unknown = JSON.parse(readFileSync(path, "utf8"));
	if (!isBrief(brief)) throw new Error(`${path} is damaged or was written by another version of this package.`);
	return brief;
}
