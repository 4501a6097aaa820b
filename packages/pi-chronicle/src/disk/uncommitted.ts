// What git reports as not committed, to tell work that is already there from the work of a run.
import { gitOutput } from "./git-output.ts";

interface Uncommitted {
	/** Relative to the folder that was asked about. git quotes unusual ones. A folder with only new files ends with `/`. */
	readonly paths: readonly string[];
	/** Those of `paths` that are new files. */
	readonly added: readonly string[];
}

/** Milliseconds after which git is stopped: a run must not wait for it. */
const maxMs = 2_000;
const args = [
	...["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"],
	...["-c", "color.ui=false", "-c", "status.relativePaths=true"],
	...["status", "--short", "--no-branch", "--no-renames", "--untracked-files=normal"],
];

/** The uncommitted changes in the repository that contains `folder`; none if git is missing or slow, or there is no repository. */
export async function readUncommitted(folder: string): Promise<Uncommitted> {
	return uncommittedIn((await gitOutput(folder, args, { timeout: maxMs })) ?? "");
}

/** Reads the output of `git status --short`: two letters, a space, and the path. */
function uncommittedIn(output: string): Uncommitted {
	const lines = output.split("\n").filter((line) => line.length > 3);
	return { paths: lines.map(statusPath), added: lines.filter((line) => /^(\?\?|A)/.test(line)).map(statusPath) };
}

function statusPath(line: string): string {
	return line.slice(3);
}
