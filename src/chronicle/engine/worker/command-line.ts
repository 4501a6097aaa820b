// The command line and environment of a worker's pi. Nothing that a person or a model wrote is on it: texts go by file or over the pipe.
// L1 only what is named is loaded: no discovered extensions, skills, prompts or themes; L2 the environment carries the run's tag, which
// every process below inherits.
import type { PiCommand } from "../../../pi/index.ts";
import { RUN_TAG } from "../../../process/index.ts";
import { BRIEF_VARIABLE } from "./brief.ts";
import { SNAPSHOT_TOOL, TRANSITION_TOOL } from "./extension/index.ts";
import type { WorkerSpec } from "./worker-spec.ts";

export interface WorkerFiles {
	/** pi's session file. */
	readonly conversation: string;
	readonly brief: string;
	/** Text of the persona. */
	readonly persona: string;
}

/** Arguments after `pi.command`. `extensions` come before the plan's own; `trust` is the person's word on the project's own pi files. */
export function workerArguments(
	pi: PiCommand,
	plan: WorkerSpec,
	files: WorkerFiles,
	extensions: readonly string[],
	trust: "trusted" | "untrusted",
): string[] {
	return [
		...extensionArguments(pi, [...extensions, ...plan.extensions], trust),
		...plan.skills.flatMap((path) => ["--skill", path]),
		"--tools",
		// The names that extensions register are not known yet, so pi registers all and the worker chooses.
		[...expectedTools(plan), ...(plan.order ? ["*"] : [])].join(","),
		"--append-system-prompt",
		files.persona,
		...(plan.model === undefined ? [] : ["--model", plan.model]),
		...(plan.thinking === undefined ? [] : ["--thinking", plan.thinking]),
		"--session",
		files.conversation,
	];
}

/** How a worker's pi begins that loads `extensions` and nothing that it would discover. */
export function extensionArguments(
	pi: PiCommand,
	extensions: readonly string[],
	trust: "trusted" | "untrusted",
): readonly string[] {
	return [
		...pi.args,
		"--mode",
		"rpc",
		"--no-extensions",
		"--no-skills",
		"--no-prompt-templates",
		"--no-themes",
		trust === "trusted" ? "--approve" : "--no-approve",
		...extensions.flatMap((path) => ["--extension", path]),
	];
}

/** Tools that the worker must report, patterns among them. */
export function expectedTools(plan: WorkerSpec): readonly string[] {
	return [...new Set([...plan.tools, TRANSITION_TOOL, SNAPSHOT_TOOL])];
}

/** What shells of another pi's session left in the environment says nothing about this one. */
const foreign = ["PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL"];

/** The environment of a worker: the supervisor's, the tag of the run, the place of the brief. */
export function workerEnvironment(env: NodeJS.ProcessEnv, run: string, brief: string): NodeJS.ProcessEnv {
	const own: NodeJS.ProcessEnv = { ...env, [RUN_TAG]: run, [BRIEF_VARIABLE]: brief };
	for (const name of foreign) delete own[name];
	return own;
}
