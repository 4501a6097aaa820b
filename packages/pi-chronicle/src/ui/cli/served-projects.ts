// The projects that the page shows: those named, the one here, or all that pi or this package knows on this machine.
import { basename, join, resolve } from "node:path";
import { folderNames, jsonObject, readSmallFile } from "../../disk/index.ts";
import { logCopiesRoot } from "../../local/index.ts";
import { agentFolder } from "../../pi/index.ts";
import type { Complaint } from "../commands/index.ts";
import type { ShownProject } from "../serve/index.ts";
import { onEngine } from "./on-engine.ts";
import { isComplaint, openPlace } from "./place.ts";

export interface ProjectChoice {
	/** Folders; empty: the one here. */
	readonly folders: readonly string[];
	readonly all: boolean;
	readonly engine: string | undefined;
	readonly trust: "trusted" | "untrusted" | "as saved";
	readonly pi: string | undefined;
	readonly report: (text: string) => void;
}

export async function openServedProjects(choice: ProjectChoice): Promise<readonly ShownProject[] | Complaint> {
	const { folders, all, engine, trust, pi, report } = choice;
	const known = all ? knownProjects(agentFolder()) : [];
	const named = folders.length > 0 || all ? folders : ["."];
	const paths = [...new Set([...named, ...known].map((folder) => resolve(folder)))];
	const served: ShownProject[] = [];
	for (const cwd of paths) {
		const opened = openPlace({ cwd, trust, pi, shell: "pi-chronicle " }, "nothing");
		if (isComplaint(opened)) {
			// One of all may be gone; one that was named must be there.
			if (known.includes(cwd)) continue;
			return opened;
		}
		const project = await onEngine(opened, engine === undefined ? {} : { engine }, report);
		if (isComplaint(project)) return project;
		served.push({ key: projectKey(cwd, served), project });
	}
	if (served.length > 0) return served;
	return {
		code: "no-projects",
		message: "No project on this machine has runs.",
		remedy: "Name one: --project <folder>.",
	};
}

function projectKey(cwd: string, others: readonly ShownProject[]): string {
	const name =
		basename(cwd)
			.replaceAll(/[^\w-]+/g, "-")
			.slice(0, 40) || "project";
	for (let number = 1; ; number += 1) {
		const key = number === 1 ? name : `${name}-${number}`;
		if (!others.some((other) => other.key === key)) return key;
	}
}

/** Folders of projects that have had a run, and those that the user has told pi to trust. */
function knownProjects(agents: string): readonly string[] {
	const root = logCopiesRoot(agents);
	const withRuns = folderNames(root).map((name) => (readSmallFile(join(root, name, "project")) ?? "").trim());
	const trusted = Object.entries(jsonObject(join(agents, "trust.json")) ?? {})
		.filter(([folder, trusts]) => trusts === true && folderNames(join(folder, ".pi", "chronicle")).length > 0)
		.map(([folder]) => folder);
	return [...new Set([...withRuns, ...trusted].filter((folder) => folder !== ""))].sort();
}
