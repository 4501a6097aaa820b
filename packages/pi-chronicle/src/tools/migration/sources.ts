// Lists the files of an import: one file, or the files below a folder; in a project, only the folders that tools use for definitions.
// C1 the walk is bounded and follows no links; C2 in a project, only folders with definitions are read.
import { existsSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { walkFiles } from "../../disk/index.ts";

const depth = 6;
const maxFiles = 2000;
/** Folders of a project in which tools keep definitions. */
const kept =
	".pi .claude .specify .agents .opencode .github/prompts .github/agents .github/chatmodes plugins agents skills commands workflows".split(
		" ",
	);
/** Subfolders without definitions. */
const without = [
	"extensions",
	"npm",
	"git",
	"themes",
	"chronicle/sessions",
	"sessions",
	"taskflows/runs",
	"memory",
	"scripts",
];
const endings = new Set([".yaml", ".yml", ".json", ".jsonc", ".md"]);

export interface ImportSources {
	/** Absolute, sorted. */
	readonly files: readonly string[];
	/** The folder of the import, absolute. */
	readonly folder: string;
	readonly kind: "file" | "folder";
}

/** The files of `path` (absolute); `undefined` if it does not exist. */
export function findSources(path: string): ImportSources | undefined {
	const stats = statSync(path, { throwIfNoEntry: false });
	if (!stats) return undefined;
	if (!stats.isDirectory()) return { files: [path], folder: join(path, ".."), kind: "file" };
	const folders = kept.filter((name) => existsSync(join(path, name)));
	const isProject = folders.some((name) => name.startsWith("."));
	const starts = isProject ? folders.map((name) => join(path, name)) : [path];
	const files = starts.flatMap((start) => filesBelow(start));
	return { files: [...new Set(files)].slice(0, maxFiles), folder: path, kind: "folder" };
}

function filesBelow(start: string): readonly string[] {
	const found: string[] = [];
	for (const { path, entry } of walkFiles(start, depth, (below) => !without.includes(below))) {
		const isWanted = entry.isFile() && !entry.name.startsWith(".") && endings.has(extname(entry.name).toLowerCase());
		if (isWanted) found.push(join(start, path));
		if (found.length === maxFiles) break;
	}
	return found;
}

/** A file's name without its extensions: `work.agent.md` is `work`; a `workflow.yml` or `SKILL.md` has the name of its folder. */
export function stemOf(file: string): string {
	const stem = basename(file, extname(file)).replace(/\.(?:workflow|agent|chatmode|prompt)$/i, "");
	return /^(?:workflow|skill)$/i.test(stem) ? basename(join(file, "..")) : stem;
}
