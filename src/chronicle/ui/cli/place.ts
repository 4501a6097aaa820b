// The project that a command works on: its folder, pi, the user's own folders, and whether the project is trusted.
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { agentFolder, findPi, isPiCommand, ownPiSearch, type PiCommand, projectTrust } from "../../../pi/index.ts";
import type { ProjectEnvironment } from "../../engine/index.ts";
import { openProject, type Project } from "../../engine/index.ts";
import type { Complaint, ParsedArguments } from "../commands/index.ts";

export interface PlaceOptions {
	readonly cwd: string;
	readonly trust: "trusted" | "untrusted" | "as saved";
	/** The value of `--pi`. */
	readonly pi: string | undefined;
	/** Precedes the commands that failures name. */
	readonly shell?: string;
}

export function placeOptions({ flags, values }: ParsedArguments): PlaceOptions {
	return {
		cwd: resolve(values.cwd ?? "."),
		trust: flags.has("approve") ? "trusted" : flags.has("no-approve") ? "untrusted" : "as saved",
		pi: values.pi,
	};
}

/** Whether pi trusts the project in `cwd` without an option. */
export function savedTrust(cwd: string): "trusted" | "untrusted" {
	return projectTrust({ cwd, home: homedir(), agentFolder: agentFolder() });
}

/** Opens the project; read-only commands need no pi. */
export function openPlace({ cwd, trust, pi, shell }: PlaceOptions, needs: "pi" | "nothing"): Project | Complaint {
	if (!isFolder(cwd))
		return {
			code: "no-folder",
			message: `The folder ${cwd} does not exist.`,
			remedy: "Pass the project's folder with --cwd.",
		};
	const found = findPi(ownPiSearch(pi));
	if (!isPiCommand(found) && needs === "pi") return { code: found.code, message: found.message, remedy: found.remedy };
	const home = homedir();
	const agents = agentFolder();
	const place: ProjectEnvironment = {
		cwd,
		home,
		agentFolder: agents,
		trust: trust === "as saved" ? savedTrust(cwd) : trust,
		pi: isPiCommand(found) ? found : noPi,
		env: process.env,
		shell,
	};
	return openProject(place);
}

function isFolder(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch {
		// Missing, a link loop, or not accessible.
		return false;
	}
}

/** A placeholder for commands that start no pi. */
const noPi: PiCommand = { command: "pi-was-not-found", args: [], version: undefined };

export function isComplaint(value: Project | Complaint): value is Complaint {
	return "code" in value;
}
