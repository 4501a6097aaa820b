// Finds the skills that an agent file names: by path, or by name in the skill folders of pi.
// Only existing skills are returned; project folders are searched only if the caller passes them.
import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { attempt } from "../disk/index.ts";

export interface SkillPlaces {
	/** Folders that contain the skill `name` as `<name>/SKILL.md` or `<name>.md`, in order of precedence. */
	readonly folders: readonly string[];
	readonly home: string;
}

/**
 * The skill folders of a project, pi's agent folder, and the home directory, in this order. `projects` are the project's folders, nearest
 * first; empty if the project is not trusted.
 */
export function skillPlaces(projects: readonly string[], agentFolder: string, home: string): SkillPlaces {
	const within = (root: string): string[] => [
		join(root, ".pi", "skills"),
		join(root, ".agents", "skills"),
		join(root, ".claude", "skills"),
	];
	return {
		folders: [
			...projects.flatMap(within),
			join(agentFolder, "skills"),
			join(home, ".agents", "skills"),
			join(home, ".claude", "skills"),
		],
		home,
	};
}

/** The absolute path for pi's `--skill`, or `undefined`. A relative path resolves against `from`, the folder of the file that names it. */
export function findSkill(name: string, from: string, places: SkillPlaces): string | undefined {
	const word = name.trim();
	if (word === "") return undefined;
	const path = word.startsWith("~/") ? join(places.home, word.slice(2)) : word;
	if (isAbsolute(path) || /^\.\.?[\\/]/.test(path) || /[\\/]/.test(path) || /\.md$/i.test(path)) {
		const found = asSkill(isAbsolute(path) ? path : resolve(from, path));
		if (found) return found;
	}
	if (isAbsolute(path) || word.includes("..")) return undefined;
	for (const folder of places.folders) {
		const found = asSkill(join(folder, path)) ?? asSkill(join(folder, `${path}.md`));
		if (found) return found;
	}
	return undefined;
}

/** The path of a skill: a folder with a `SKILL.md`, or a Markdown file; else `undefined`. */
function asSkill(path: string): string | undefined {
	const kind = attempt(() => statSync(path));
	if (kind?.isDirectory()) return existsSync(join(path, "SKILL.md")) ? path : undefined;
	if (!kind?.isFile() || !/\.md$/i.test(path)) return undefined;
	return /(^|[\\/])SKILL\.md$/.test(path) ? dirname(path) : path;
}
