// The files that pi reads at startup: a process started before one of them changed differs from a new one.
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { locateRules } from "../../../safety/index.ts";
import type { WorkerSpec } from "./worker-spec.ts";

export interface InputPlace {
	readonly cwd: string;
	readonly home: string;
	readonly agentFolder: string;
	/** The extension that each worker loads. */
	readonly workerEntry: string;
}

/** Source: pi's resource-loader. */
const contextFiles = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];
const piFiles = ["settings.json", "SYSTEM.md", "APPEND_SYSTEM.md", "mcp.json"];

/** The state of all these files as one string: it changes when a file is written, created, removed or replaced. */
export function startInputs({ cwd, home, agentFolder, workerEntry }: InputPlace, spec: WorkerSpec): string {
	const { origin } = spec.persona;
	const paths = [
		workerEntry,
		...(origin.kind === "file" ? [origin.file] : []),
		...locateRules({ cwd, home, agentDir: agentFolder }).map(({ file }) => file),
		...spec.skills.flatMap((path) => [path, join(path, "SKILL.md")]),
		...[...piFiles, "models.json", "auth.json"].map((name) => join(agentFolder, name)),
		...piFiles.map((name) => join(cwd, ".pi", name)),
		...[agentFolder, ...foldersFrom(cwd)].flatMap((folder) => contextFiles.map((name) => join(folder, name))),
	];
	return paths.map((path) => `${path}\0${markOf(path)}`).join("\n");
}

function foldersFrom(folder: string): string[] {
	const parent = dirname(folder);
	return parent === folder ? [folder] : [folder, ...foldersFrom(parent)];
}

function markOf(path: string): string {
	try {
		const found = statSync(path, { bigint: true, throwIfNoEntry: false });
		return found ? `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : "";
	} catch (error) {
		return (error as NodeJS.ErrnoException).code ?? "";
	}
}
