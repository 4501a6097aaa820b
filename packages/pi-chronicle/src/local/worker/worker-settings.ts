// The settings of workers and children: `"chronicle": { "maxWorkers": 8, "standby": 2 }` in pi's settings files; a trusted project's override the user's.

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { readDuration, readSandboxChoice, type SandboxChoice } from "@pi-chronicle/core/definition";
import { PROVIDER_DEFAULTS } from "@pi-chronicle/core/machine";
import { type ModelRoles, readModelNames, readModelRoles } from "../../persona/index.ts";
import { userSettings } from "../../pi/index.ts";
import type { StandbyLimits } from "./standby.ts";

/** A setting that is a number. */
export interface Setting {
	readonly standard: number;
	/** A smaller number is ignored; default: 0. */
	readonly min?: number;
	/** A greater number, or any other value, is ignored. */
	readonly max: number;
}

/** The settings that are numbers. */
export const numberSettings = {
	maxWorkers: { standard: 8, min: 1, max: 1000 },
	standby: { standard: 2, max: 100 },
	standbySeconds: { standard: 60, max: 86_400 },
	questionSeconds: { standard: 300, max: 86_400 },
} as const satisfies Readonly<Record<string, Setting>>;

/** Where a new run works: `ask`: in a copy of the project if the user chooses that, while another run is active in its folder. */
export const apartChoices = ["ask", "always", "never"] as const;

export interface WorkerSettings {
	readonly standby: StandbyLimits;
	/** Of all runs on this machine together. */
	readonly maxWorkers: number;
	/** Milliseconds that the process of a worker is kept while its question waits for the user. */
	readonly questionMs: number;
	/** The first wait for a provider that fails, and all together, in ms. */
	readonly providerWait: { readonly firstMs: number; readonly maxMs: number };
	/** Models that take over where a state's own fail, as the user names them. */
	readonly fallback: readonly string[];
	readonly roles: ModelRoles;
	/** How workers' commands are contained; `undefined`: where it works. */
	readonly sandbox: SandboxChoice | undefined;
	/** Whether new runs work in a copy of the project. */
	readonly apart: (typeof apartChoices)[number];
	/** Whether the folders of children stay after the join. */
	readonly keepChildFolders: boolean;
	/** The folder for the folders of children, absolute; `undefined`: the default. */
	readonly childFolders: string | undefined;
}

/** The current settings. */
export function workerSettings(place: {
	readonly cwd: string;
	readonly agentFolder: string;
	readonly trust: "trusted" | "untrusted";
}): WorkerSettings {
	const written = {
		...userSettings(join(place.agentFolder, "settings.json")),
		...(place.trust === "trusted" ? userSettings(join(place.cwd, ".pi", "settings.json")) : {}),
	};
	const numberOf = (name: keyof typeof numberSettings): number => {
		const value = written[name];
		const { standard, min = 0, max }: Setting = numberSettings[name];
		return typeof value === "number" && value >= min && value <= max ? value : standard;
	};
	return {
		standby: { max: Math.floor(numberOf("standby")), waitMs: numberOf("standbySeconds") * 1000 },
		maxWorkers: Math.floor(numberOf("maxWorkers")),
		questionMs: numberOf("questionSeconds") * 1000,
		providerWait: {
			firstMs: readDuration(written.providerRetry) ?? PROVIDER_DEFAULTS.firstMs,
			maxMs: readDuration(written.providerWait) ?? PROVIDER_DEFAULTS.maxMs,
		},
		fallback: readModelNames(written.fallback),
		roles: readModelRoles(written.models),
		sandbox: writtenSandbox(written.sandbox),
		apart: apartChoices.find((value) => value === written.apart) ?? "ask",
		keepChildFolders: written.keepChildFolders === true,
		childFolders: absoluteFolder(written.childFolders),
	};
}

function writtenSandbox(written: unknown): SandboxChoice | undefined {
	const read = readSandboxChoice(written);
	return "choice" in read ? read.choice : undefined;
}

function absoluteFolder(written: unknown): string | undefined {
	if (typeof written !== "string") return undefined;
	const path = /^~(?=[\\/])/.test(written) ? join(homedir(), written.slice(1)) : written;
	return isAbsolute(path) ? path : undefined;
}
