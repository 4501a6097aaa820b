// Where the skills that an agent file names are: by path, or by name in the places that pi looks in.
// K1 only what exists is returned; K2 project places are looked in only where the caller says so.
import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

export interface SkillPlaces {
	/** Folders whose `<name>/SKILL.md` or `<name>.md` is the skill `name`, in order of precedence. */
	readonly folders: readonly string[];
	readonly home: string;
}

/**
 * The places for a project (its folders, nearest first; none where it is not trusted), pi's agent folder and the home. Project folders come
 * first.
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

/** Absolute path for pi's `--skill`, or `undefined`. A path is relative to `from`, the folder of the file that names it. */
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

/** The folder that holds a `SKILL.md`, a Markdown file, or nothing. */
function asSkill(path: string): string | undefined {
	const kind = statSync(path, { throwIfNoEntry: false });
	if (kind?.isDirectory()) return existsSync(join(path, "SKILL.md")) ? path : undefined;
	if (!kind?.isFile() || !/\.md$/i.test(path)) return undefined;
	return /(^|[\\/])SKILL\.md$/.test(path) ? dirname(path) : path;
}
