// Lists the files of an import: one file, or the files below a folder; in a project, only the folders that tools use for definitions.
// The walk is bounded and follows no links; in a project, only folders with definitions are read, and files elsewhere that lie in a folder of
// agents or commands are named; a marketplace of plugins is read as a whole.
import { existsSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { attempt, walkFiles } from "../../disk/index.ts";

const depth = 12;
const maxFiles = 20_000;
/** Folders of a project in which tools keep definitions. */
const kept =
	".pi .claude .specify .agents .opencode .github/prompts .github/agents .github/chatmodes plugins agents skills commands workflows".split(
		" ",
	);
/** Such folders, but they make no project: collections of definitions have them too. */
const keptAnywhere = ".codex .cursor .gemini .roo .windsurf".split(" ");
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
const isKept = /[\\/](?:agents|chatmodes|commands)[\\/].*\.md$/;
const endings = new Set([".yaml", ".yml", ".json", ".jsonc", ".md", ".mdc"]);
/** Elsewhere, a TOML file configures programs. */
const isKeptToml = /[\\/](?:\.codex|\.gemini|agents|commands)[\\/].*\.toml$/;
/** Files with definitions in the root of a project. */
const inRoot = [".roomodes", "opencode.json", "opencode.jsonc"];

export interface ImportSources {
	/** Absolute, sorted. */
	readonly files: readonly string[];
	/** Further Markdown files of a project, absolute: they lie in folders of agents or commands, but not where tools look for them. */
	readonly elsewhere: readonly string[];
	/** The folder of the import, absolute. */
	readonly folder: string;
	readonly kind: "file" | "folder";
}

/** The files of `path` (absolute); `undefined` if nothing can be found there. */
export function findSources(path: string): ImportSources | undefined {
	const stats = attempt(() => statSync(path));
	if (!stats) return undefined;
	if (!stats.isDirectory()) return { files: [path], elsewhere: [], folder: join(path, ".."), kind: "file" };
	const folders = kept.filter((name) => existsSync(join(path, name)));
	const isMarketplace = existsSync(join(path, ".claude-plugin"));
	const isProject = folders.some((name) => name.startsWith(".")) && !isMarketplace;
	const starts = [...folders.filter((name) => isProject || name.startsWith(".")), ...keptAnywhere];
	const below = [...starts.map((name) => join(path, name)), ...(isProject ? [] : [path])].flatMap(sourcesBelow);
	const read = new Set([...below, ...inRoot.map((name) => join(path, name)).filter((file) => existsSync(file))]);
	const elsewhere = isProject ? sourcesBelow(path).filter((file) => !read.has(file) && isKept.test(file)) : [];
	return { files: [...read], elsewhere, folder: path, kind: "folder" };
}

function sourcesBelow(start: string): readonly string[] {
	const found: string[] = [];
	for (const { path, entry } of walkFiles(start, depth, (below) => !without.includes(below))) {
		if (!entry.isFile() || entry.name.startsWith(".")) continue;
		const file = join(start, path);
		if (endings.has(extname(file).toLowerCase()) || isKeptToml.test(file)) found.push(file);
		if (found.length === maxFiles) break;
	}
	return found;
}

/** A file's name without its extensions: `work.agent.md` is `work`; a `workflow.yml` or `SKILL.md` has the name of its folder. */
export function stemOf(file: string): string {
	const stem = basename(file, extname(file)).replace(/\.(?:workflow|agent|chatmode|prompt)$/i, "");
	return /^(?:workflow|skill)$/i.test(stem) ? basename(join(file, "..")) : stem;
}
