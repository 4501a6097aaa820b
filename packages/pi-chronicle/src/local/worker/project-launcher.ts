// Assembles the launcher of a project on this machine: its agents, its current rules, its pi, its models.
// Everything is read once, when the launcher is opened or first used: changes by a worker on disk don't affect the run.
import { join } from "node:path";
import type { SandboxChoice } from "@pi-chronicle/core/definition";
import type { WorkerLauncher } from "@pi-chronicle/core/ports";
import { loadAgentRegistry, type Model, projectFolders, skillPlaces } from "../../persona/index.ts";
import { listModels, type PiCommand, packageRoot } from "../../pi/index.ts";
import { openLauncher } from "./launcher.ts";
import { freezeRunRules } from "./rules.ts";
import type { StandbyLimits } from "./standby.ts";
import { boundWorkers } from "./worker-bound.ts";
import { workerSettings } from "./worker-settings.ts";

export interface ProjectEnvironment {
	/** Absolute: the folder that the run works in. */
	readonly cwd: string;
	readonly home: string;
	/** pi's agent folder. */
	readonly agentFolder: string;
	/** Whether the user trusts the project: its agents, skills and pi settings count only then. */
	readonly trust: "trusted" | "untrusted";
	readonly pi: PiCommand;
	/** Available models. Default: queried from a pi once, when a state names a model. */
	readonly models?: (signal?: AbortSignal) => Promise<readonly Model[]>;
	/** Loaded by every worker before its own extensions, such as the understudy of a rehearsal. */
	readonly extensions?: readonly string[];
	readonly env?: NodeJS.ProcessEnv;
	/** How workers' shell commands are contained. Default: `required` by the variable `PI_CHRONICLE_SANDBOX=shell`, else as the settings say. */
	readonly sandbox?: SandboxChoice;
	/** Default: as the settings say, and none in a rehearsal, whose report would show it. */
	readonly standby?: StandbyLimits;
	/** The extension that each worker loads. Default: this package's. */
	readonly workerEntry?: string;
	/** Precedes the commands that a failure names, with the options that choose project and engine. Default: `pi-chronicle `. */
	readonly shell?: string;
}

/** How shell commands are contained; `sandbox`: as the settings say. */
export function sandboxOf(place: ProjectEnvironment, sandbox: SandboxChoice | undefined): SandboxChoice | undefined {
	const { env = process.env } = place;
	return place.sandbox ?? (env.PI_CHRONICLE_SANDBOX === "shell" ? { ...sandbox, use: "required" } : sandbox);
}

/** Opens the launcher of a project. */
export function openProjectLauncher(place: ProjectEnvironment): WorkerLauncher {
	const { cwd, home, agentFolder, trust, pi, extensions = [], env = process.env } = place;
	let listed: Promise<readonly Model[]> | undefined;
	const forget = (): void => {
		listed = undefined;
	};
	const models =
		place.models ??
		((signal?: AbortSignal) => {
			listed ??= listModels(pi, cwd, env, extensions, signal);
			// A canceled query has no result: the next launch repeats it.
			signal?.addEventListener("abort", forget, { once: true });
			return listed;
		});
	const { standby, maxWorkers, fallback, roles, sandbox } = workerSettings(place);
	const launcher = openLauncher({
		pi,
		workerEntry: place.workerEntry ?? join(packageRoot(), "worker.ts"),
		resources: {
			agents: loadAgentRegistry({ cwd, project: trust, agentFolder, home }),
			skills: skillPlaces(trust === "trusted" ? projectFolders(cwd) : [], agentFolder, home),
			models,
			fallback,
			roles,
			cwd,
			extensions: { home, agentFolder, trust },
			platform: process.platform,
		},
		rules: freezeRunRules(cwd, home, agentFolder),
		trust,
		standby: place.standby ?? (env.PI_CHRONICLE_REHEARSAL ? { max: 0, waitMs: 0 } : standby),
		extensions,
		env,
		sandbox: sandboxOf(place, sandbox),
		agentFolder,
	});
	return boundWorkers(launcher, { folder: join(agentFolder, "chronicle", "workers"), max: maxWorkers });
}
