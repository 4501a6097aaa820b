// Locates rule files: the user's own, and the project's from the folder that pi works in up to the repository's root.
// Invariants: a project's file is read even if the project is not trusted, because it can only forbid more; every file found counts, none hides
// another; the search costs two stat calls per folder and reads nothing.
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";

export interface RuleFileLocation {
	readonly file: string;
	readonly tier: "global" | "project";
	/** The folder that `./` patterns start from. */
	readonly base: string;
}

export interface RuleSearchRoots {
	readonly cwd: string;
	readonly home: string;
	/** pi's agent folder, `~/.pi/agent` unless set otherwise. */
	readonly agentDir: string | undefined;
}

const names = ["damage-control-rules.yaml", "damage-control-rules.yml"];
const folder = ".pi";

/** The rule files, or anything else with their name: global first, then from the outermost folder inwards. */
export function locateRules({ cwd, home, agentDir }: RuleSearchRoots): RuleFileLocation[] {
	const found: RuleFileLocation[] = [];
	const seen = new Set<string>();
	const look = (directory: string, tier: RuleFileLocation["tier"], base: string) => {
		for (const name of names) {
			const file = join(directory, name);
			if (seen.has(file) || !pathExists(file)) continue;
			seen.add(file);
			found.push({ file, tier, base });
		}
	};
	look(join(home, folder), "global", cwd);
	if (agentDir) look(agentDir, "global", cwd);
	for (const directory of projectFolders(cwd, home)) look(join(directory, folder), "project", directory);
	return found;
}

/** From the repository's root to `cwd`; without a repository from the outermost folder below the home directory, or the root. */
function projectFolders(cwd: string, home: string): string[] {
	const folders: string[] = [];
	for (let directory = cwd; ; ) {
		if (directory !== home) folders.unshift(directory);
		const parent = dirname(directory);
		if (parent === directory || directory === home || pathExists(join(directory, ".git"))) return folders;
		directory = parent;
	}
}

function pathExists(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch (error) {
		// A path that cannot be examined counts as existing: the reader reports the problem.
		return (error as NodeJS.ErrnoException).code === "EACCES" || (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
