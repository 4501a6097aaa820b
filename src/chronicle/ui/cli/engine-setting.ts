// Selects the engine of a command: `--engine`, otherwise the variable PI_CHRONICLE_ENGINE, otherwise `chronicle.engine` in pi's settings files.
// S1 an untrusted project names no engine; S2 without an engine, none of its code is loaded.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectEnvironment } from "../../engine/index.ts";
import type { ParsedArguments } from "../commands/index.ts";

export interface EngineSetting {
	readonly url: string;
	readonly project?: string | undefined;
	readonly queue?: string | undefined;
	readonly labels?: readonly string[];
	readonly priority?: number;
}

/** The engine of a command; `undefined`: none, the run is supervised on this machine. */
export function engineSetting({ values }: ParsedArguments, place: ProjectEnvironment): EngineSetting | undefined {
	const { env = process.env } = place;
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
function savedSetting({ cwd, agentFolder, trust }: ProjectEnvironment): EngineSetting | undefined {
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
	try {
		const settings = JSON.parse(readFileSync(file, "utf8")) as { chronicle?: { engine?: unknown } };
		const engine = settings.chronicle?.engine;
		if (typeof engine === "string") return { url: engine };
		if (typeof engine !== "object" || engine === null) return undefined;
		const { url, project, queue } = engine as Readonly<Record<string, unknown>>;
		if (typeof url !== "string") return undefined;
		return {
			url,
			...(typeof project === "string" ? { project } : {}),
			...(typeof queue === "string" ? { queue } : {}),
		};
	} catch {
		// Missing, or not JSON: pi reports it.
		return undefined;
	}
}
