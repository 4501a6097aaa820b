// Selects the engine of a command: `--engine`, otherwise the variable PI_CHRONICLE_ENGINE, otherwise `chronicle.engine` in pi's settings files.
// S1 an untrusted project names no engine; S2 without an engine, none of its code is loaded; S3 a rehearsal uses none, whatever the settings are.

import { join } from "node:path";
import { userSettings } from "../../../pi/index.ts";
import type { ProjectEnvironment } from "../worker/index.ts";

export interface EngineSetting {
	readonly url: string;
	readonly project?: string | undefined;
	readonly queue?: string | undefined;
	readonly labels?: readonly string[];
	readonly priority?: number;
}

type EnginePlace = Pick<ProjectEnvironment, "cwd" | "agentFolder" | "trust" | "env">;

/** Options that name an engine, for every command on runs. */
export const engineOptions = { engine: "value", project: "value" } as const;

/** Options of a new run on an engine. */
export const submitOptions = { queue: "value", labels: "value", priority: "value" } as const;

/** The engine of a command with the options `values`; `undefined`: none, the run is supervised on this machine. */
export function engineSetting(values: Readonly<Record<string, string>>, place: EnginePlace): EngineSetting | undefined {
	const { env = process.env } = place;
	if (env.PI_CHRONICLE_REHEARSAL) return undefined;
	const saved = savedSetting(place);
	const url = values.engine ?? env.PI_CHRONICLE_ENGINE ?? saved?.url;
	if (url === undefined || url === "" || url === "none") return undefined;
	const labels = namesIn(values.labels);
	const priority = Number(values.priority ?? 0);
	return {
		url,
		project: values.project ?? env.PI_CHRONICLE_PROJECT ?? saved?.project,
		queue: values.queue ?? saved?.queue,
		...(labels.length > 0 ? { labels } : {}),
		...(Number.isInteger(priority) ? { priority } : {}),
	};
}

/** Names separated by commas. */
export function namesIn(written: string | undefined): string[] {
	return (written ?? "")
		.split(",")
		.map((name) => name.trim())
		.filter((name) => name !== "");
}

/** `chronicle.engine` is an address, or an object with `url`, `project` and `queue`. */
function savedSetting({ cwd, agentFolder, trust }: EnginePlace): EngineSetting | undefined {
	const files = [
		...(trust === "trusted" ? [join(cwd, ".pi", "settings.json")] : []),
		join(agentFolder, "settings.json"),
	];
	for (const file of files) {
		const found = readSetting(file);
		if (found) return found;
	}
	return undefined;
}

function readSetting(file: string): EngineSetting | undefined {
	const { engine } = userSettings(file);
	if (typeof engine === "string") return { url: engine };
	if (typeof engine !== "object" || engine === null) return undefined;
	const { url, project, queue } = engine as Readonly<Record<string, unknown>>;
	if (typeof url !== "string") return undefined;
	return {
		url,
		...(typeof project === "string" ? { project } : {}),
		...(typeof queue === "string" ? { queue } : {}),
	};
}
