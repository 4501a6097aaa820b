// What git reports as not committed, to tell work that is already there from the work of a run.
import { execFile } from "node:child_process";

/** Milliseconds after which git is stopped: a run must not wait for it. */
const maxMs = 2_000;
const args = [
	...["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"],
	...["-c", "color.ui=false", "-c", "status.relativePaths=true"],
	...["status", "--short", "--no-branch", "--no-renames", "--untracked-files=normal"],
];

/**
 * The paths with uncommitted changes in the repository that contains `folder`, relative to it; none if git is missing or slow, or there is no
 * repository. git quotes unusual ones. A folder with only new files ends with `/`.
 */
export function readUncommitted(folder: string): Promise<readonly string[]> {
	return new Promise((resolve) => {
		const options = { cwd: folder, timeout: maxMs, maxBuffer: 16 * 1024 * 1024 };
		execFile("git", args, options, (error, stdout) => resolve(error ? [] : pathsIn(stdout)));
	});
}

/** Reads the output of `git status --short`: two letters, a space, and the path. */
function pathsIn(output: string): readonly string[] {
	return output.split("\n").flatMap((line) => (line.length > 3 ? [line.slice(3)] : []));
}
