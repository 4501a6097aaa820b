// Selects the engine of a command: `--engine`, otherwise the variable PI_CHRONICLE_ENGINE, otherwise `chronicle.engine` in pi's settings files.
// An untrusted project names no engine; without an engine, none of its code is loaded; a rehearsal uses none, whatever the settings are;
// an address is never shown with its secrets.
import { join } from "node:path";
import { userSettings } from "../../pi/index.ts";
import type { ProjectEnvironment } from "../worker/index.ts";

export interface EngineSetting {
	readonly url: string;
	/** Default: the name of the repository on its remote. */
	readonly project?: string | undefined;
	/** Default: `runs`. */
	readonly queue?: string | undefined;
	/** What a host must offer for a new run. */
	readonly labels?: readonly string[];
	/** Of a new run: a higher one is taken first. */
	readonly priority?: number;
	/** The options that name it in another command, if this command named it. */
	readonly args?: readonly string[];
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
	const args = engineArgs(values);
	const priority = Number(values.priority ?? 0);
	return {
		url,
		project: values.project ?? env.PI_CHRONICLE_PROJECT ?? saved?.project,
		queue: values.queue ?? saved?.queue,
		...(labels.length > 0 ? { labels } : {}),
		...(Number.isInteger(priority) ? { priority } : {}),
		...(args.length > 0 ? { args } : {}),
	};
}

/** The options that name an engine and a project again, without what is secret in the address. */
export function engineArgs({
	engine,
	project,
}: {
	readonly engine?: string;
	readonly project?: string;
}): readonly string[] {
	return [
		...(engine === undefined ? [] : ["--engine", withoutSecrets(engine)]),
		...(project === undefined ? [] : ["--project", project]),
	];
}

/** The address of an engine without passwords, in the form in which it was written if it has none. */
export function withoutSecrets(url: string): string {
	if (!URL.canParse(url)) return url === "none" ? url : "<url>";
	const parsed = new URL(url);
	const secrets = [...parsed.searchParams.keys()].filter((name) => /password/i.test(name));
	if (parsed.password === "" && secrets.length === 0) return url;
	parsed.password = "";
	for (const name of secrets) parsed.searchParams.delete(name);
	return parsed.href;
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
