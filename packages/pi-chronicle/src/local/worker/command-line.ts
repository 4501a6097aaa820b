// The command line and environment of a worker's pi. They contain no text from a user or a model: such text goes through files or the pipe.
// Only named resources are loaded: no discovered extensions, skills, prompts or themes; the environment carries the run's tag, which
// every descendant inherits.
import type { PiCommand } from "../../pi/index.ts";
import { RUN_TAG } from "../../process/index.ts";
import { BRIEF_VARIABLE } from "./brief.ts";
import { ASK_TOOL, OWN_TOOLS } from "./extension/index.ts";
import type { WorkerSpec } from "./worker-spec.ts";

export interface WorkerFiles {
	/** pi's session file. */
	readonly session: string;
	readonly brief: string;
	/** The persona's text. */
	readonly persona: string;
}

/** Arguments after `pi.command`. `extensions` come before the spec's own; `trust`: whether the user trusts the project's pi files. */
export function workerArguments(
	pi: PiCommand,
	spec: WorkerSpec,
	files: WorkerFiles,
	extensions: readonly string[],
	trust: "trusted" | "untrusted",
): string[] {
	return [
		...extensionArguments(pi, [...extensions, ...spec.extensions], trust),
		...spec.skills.flatMap((path) => ["--skill", path]),
		"--tools",
		// The names that extensions register are unknown yet: pi registers all, and the worker chooses.
		[...expectedTools(spec), ...(spec.order ? ["*"] : [])].join(","),
		"--append-system-prompt",
		files.persona,
		...(spec.model === undefined ? [] : ["--model", spec.model]),
		...(spec.thinking === undefined ? [] : ["--thinking", spec.thinking]),
		"--session",
		files.session,
	];
}

/** The start of a worker's command line: pi loads `extensions` and discovers nothing. */
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

/** Tools that the worker must report; names and patterns. */
export function expectedTools({ tools, questions }: WorkerSpec): readonly string[] {
	return [...new Set([...tools, ...ownTools(questions)])];
}

/** The tools that only a worker has. */
function ownTools(questions: WorkerSpec["questions"]): readonly string[] {
	return questions === "none" ? OWN_TOOLS.filter((tool) => tool !== ASK_TOOL) : OWN_TOOLS;
}

/** Variables of another pi's session, which do not apply to this one, and the address of an engine, which may hold a password. */
const foreign = [
	...["PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL"],
	"PI_CHRONICLE_ENGINE",
];

/** The environment of a worker: the supervisor's, with the run's tag and the path of the brief. */
export function workerEnvironment(env: NodeJS.ProcessEnv, run: string, brief: string): NodeJS.ProcessEnv {
	const own: NodeJS.ProcessEnv = { ...env, [RUN_TAG]: run, [BRIEF_VARIABLE]: brief };
	for (const name of foreign) delete own[name];
	return own;
}
