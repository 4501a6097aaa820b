// The table of the settings of workers and children in the documentation.

import {
	apartChoices,
	numberSettings,
	type Setting,
} from "../packages/pi-chronicle/src/local/worker/worker-settings.ts";
import { modelRoles } from "../packages/pi-chronicle/src/persona/model-choice.ts";

/** What each number means (Markdown). */
const meanings: Readonly<Record<keyof typeof numberSettings, string>> = {
	maxWorkers: "Maximum number of concurrent workers of all runs on this machine. Others wait until one ends.",
	standby: "Maximum number of standby workers of all runs on this machine; `0` turns standby off.",
	standbySeconds: "Seconds that a run waits for you before its standby is stopped.",
	questionSeconds:
		"Seconds that a worker's process is kept while its [question](workers.md#questions) waits for you. Then it is stopped, and your answer continues its conversation.",
};

const durationValues = "`90s`, `30m`, `1h30m` …";

/** The other settings: default, values, meaning. */
const others: Readonly<Record<string, readonly [usual: string, values: string, meaning: string]>> = {
	providerWait: [
		"`12h`",
		durationValues,
		"How long a run waits for a [provider that fails](workers.md#a-provider-that-fails), in all; `0` pauses it at once. `provider_wait` of a template replaces it.",
	],
	providerRetry: [
		"`1m`",
		durationValues,
		"The first of these waits, where the provider names no time. Each further one is twice as long, up to 30m.",
	],
	models: [
		"none",
		`an object of ${modelRoles.map((role) => `\`${role}\``).join(" and ")}`,
		'The models that `model: cheap` and `model: strong` stand for in templates and agent files, each a model or a list: `{ "cheap": "haiku", "strong": ["opus:high", "gpt-5"] }`. A role that is not set is the session\'s model.',
	],
	fallback: [
		"none",
		"a model or models",
		"The model, or a list of models, that takes over if a provider fails and the state, its persona and the template name no other.",
	],
	sandbox: [
		"`default`",
		"`default`, `off`, `required`, or an object",
		"Whether, and how, shell commands run in a [sandbox](workers.md#sandbox). What a template requires, the settings cannot turn off, and the other way round.",
	],
	apart: [
		`\`${apartChoices[0]}\``,
		`\`${apartChoices.join("`, `")}\``,
		"Whether new runs work in [a copy of the project](chronicle.md#runs-apart). `ask` offers it while another run is active in the project's folder; `--apart` and `--here` decide for one run.",
	],
	keepChildFolders: [
		"`false`",
		"`true`, `false`",
		"Whether the folders of child runs stay after their files are joined, until `remove` or `prune` deletes the run; on an engine, only until the run ends, because a host's copy of a run is temporary. [`status`](children.md#files) shows how much they use.",
	],
	childFolders: [
		"chronicle/work in pi's agent folder",
		"a path",
		"The folder for the folders of child runs, absolute or beginning with `~/`. It must not be in the project. A run that has such folders keeps them where they are.",
	],
};

/** The settings as a Markdown table. */
export function workerSettingsTable(): readonly string[] {
	const rows = Object.entries<Setting>(numberSettings).map(([name, { standard, min = 0, max }]) => {
		const meaning = meanings[name as keyof typeof numberSettings];
		return `| \`${name}\` | ${standard} | ${min} to ${max.toLocaleString("en-US")} | ${meaning} |`;
	});
	return [
		"| setting | default | values | meaning |",
		"|---|---|---|---|",
		...rows,
		...Object.entries(others).map(([name, cells]) => `| \`${name}\` | ${cells.join(" | ")} |`),
	];
}
