// The settings of workers and children: `"chronicle": { "maxWorkers": 8, "standby": 2 }` in pi's settings files; a trusted project's override the user's.

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { readDuration, readSandboxChoice, type SandboxChoice } from "@pi-chronicle/core/definition";
import { PROVIDER_DEFAULTS } from "@pi-chronicle/core/machine";
import { type ModelRoles, modelRoles } from "../../persona/index.ts";
import { userSettings } from "../../pi/index.ts";
import type { StandbyLimits } from "./standby.ts";

/** A setting that is a number. */
interface Setting {
	readonly standard: number;
	/** A smaller number is ignored; default: 0. */
	readonly min?: number;
	/** A greater number, or any other value, is ignored. */
	readonly max: number;
	/** Markdown. */
	readonly about: string;
}

const settings = {
	maxWorkers: {
		standard: 8,
		min: 1,
		max: 1000,
		about: "Maximum number of concurrent workers of all runs on this machine. Others wait until one ends.",
	},
	standby: {
		standard: 2,
		max: 100,
		about: "Maximum number of standby workers of all runs on this machine; `0` turns standby off.",
	},
	standbySeconds: {
		standard: 60,
		max: 86_400,
		about: "Seconds that a run waits for you before its standby is stopped.",
	},
	questionSeconds: {
		standard: 300,
		max: 86_400,
		about:
			"Seconds that a worker's process is kept while its [question](workers.md#questions) waits for you. Then it is stopped, and your answer continues its conversation.",
	},
} as const satisfies Readonly<Record<string, Setting>>;

/** Settings that are durations, in ms. */
const durations = {
	providerWait: {
		standard: PROVIDER_DEFAULTS.maxMs,
		shown: "`12h`",
		about:
			"How long a run waits for a [provider that fails](workers.md#a-provider-that-fails), in all; `0` pauses it at once. `provider_wait` of a template replaces it.",
	},
	providerRetry: {
		standard: PROVIDER_DEFAULTS.firstMs,
		shown: "`1m`",
		about: "The first of these waits, where the provider names no time. Each further one is twice as long, up to 30m.",
	},
} as const;

const keepChildFolders = {
	standard: false,
	about:
		"Whether the folders of child runs stay after their files are joined, until `remove` or `prune` deletes the run; on an engine, only until the run ends, because a host's copy of a run is temporary. [`status`](children.md#files) shows how much they use.",
};

const fallback = {
	about:
		"The model, or a list of models, that takes over if a provider fails and the state, its persona and the template name no other.",
};

const models = {
	about:
		'The models that `model: cheap` and `model: strong` stand for in templates and agent files, each a model or a list: `{ "cheap": "haiku", "strong": ["opus:high", "gpt-5"] }`. A role that is not set is the session\'s model.',
};

const sandbox = {
	about:
		"Whether, and how, shell commands run in a [sandbox](workers.md#sandbox). What a template requires, the settings cannot turn off, and the other way round.",
};

/** Where a new run works: `ask`: in a copy of the project if the user chooses that, while another run is active in its folder. */
type ApartChoice = (typeof apart.values)[number];

const apart = {
	standard: "ask",
	values: ["ask", "always", "never"],
	about:
		"Whether new runs work in [a copy of the project](chronicle.md#runs-apart). `ask` offers it while another run is active in the project's folder; `--apart` and `--here` decide for one run.",
} as const;

const childFolders = {
	standard: "chronicle/work in pi's agent folder",
	about:
		"The folder for the folders of child runs, absolute or beginning with `~/`. It must not be in the project. A run that has such folders keeps them where they are.",
};

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
	readonly apart: ApartChoice;
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
	const numberOf = (name: keyof typeof settings): number => {
		const value = written[name];
		const { standard, min = 0, max }: Setting = settings[name];
		return typeof value === "number" && value >= min && value <= max ? value : standard;
	};
	return {
		standby: { max: Math.floor(numberOf("standby")), waitMs: numberOf("standbySeconds") * 1000 },
		maxWorkers: Math.floor(numberOf("maxWorkers")),
		questionMs: numberOf("questionSeconds") * 1000,
		providerWait: {
			firstMs: readDuration(written.providerRetry) ?? durations.providerRetry.standard,
			maxMs: readDuration(written.providerWait) ?? durations.providerWait.standard,
		},
		fallback: listedNames(written.fallback),
		roles: rolesIn(written.models),
		sandbox: writtenSandbox(written.sandbox),
		apart: apart.values.find((value) => value === written.apart) ?? apart.standard,
		keepChildFolders: written.keepChildFolders === true,
		childFolders: absoluteFolder(written.childFolders),
	};
}

function writtenSandbox(written: unknown): SandboxChoice | undefined {
	const read = readSandboxChoice(written);
	return "choice" in read ? read.choice : undefined;
}

/** A name, or a list of names. */
function listedNames(written: unknown): readonly string[] {
	const names = Array.isArray(written) ? written : [written];
	return names.filter((name): name is string => typeof name === "string" && name.trim() !== "");
}

function rolesIn(written: unknown): ModelRoles {
	const { cheap, strong } = (typeof written === "object" && written !== null ? written : {}) as Record<string, unknown>;
	return { cheap: listedNames(cheap), strong: listedNames(strong) };
}

function absoluteFolder(written: unknown): string | undefined {
	if (typeof written !== "string") return undefined;
	const path = /^~(?=[\\/])/.test(written) ? join(homedir(), written.slice(1)) : written;
	return isAbsolute(path) ? path : undefined;
}

/** The settings as a Markdown table. */
export function workerSettingsTable(): readonly string[] {
	const rows = Object.entries<Setting>(settings).map(([name, { standard, min = 0, max, about }]) => {
		return `| \`${name}\` | ${standard} | ${min} to ${max.toLocaleString("en-US")} | ${about} |`;
	});
	const { standard, about } = keepChildFolders;
	const flag = `| \`keepChildFolders\` | \`${standard}\` | \`true\`, \`false\` | ${about} |`;
	const where = `| \`apart\` | \`${apart.standard}\` | \`${apart.values.join("`, `")}\` | ${apart.about} |`;
	const folder = `| \`childFolders\` | ${childFolders.standard} | a path | ${childFolders.about} |`;
	const waits = Object.entries(durations).map(
		([name, { shown, about }]) => `| \`${name}\` | ${shown} | \`90s\`, \`30m\`, \`1h30m\` … | ${about} |`,
	);
	const roles = `| \`models\` | none | an object of ${modelRoles.map((role) => `\`${role}\``).join(" and ")} | ${models.about} |`;
	const others = `| \`fallback\` | none | a model or models | ${fallback.about} |`;
	const box = `| \`sandbox\` | \`default\` | \`default\`, \`off\`, \`required\`, or an object | ${sandbox.about} |`;
	return [
		"| setting | default | values | meaning |",
		"|---|---|---|---|",
		...rows,
		...waits,
		roles,
		others,
		box,
		where,
		flag,
		folder,
	];
}
