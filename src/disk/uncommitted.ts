// What git reports as not committed, to tell work that is already there from the work of a run.
import { execFile } from "node:child_process";

/** The first paths, relative to the folder that was asked about, and how many there are in all. */
interface UncommittedPaths {
	/** git quotes unusual ones. A folder with only new files ends with `/`. */
	readonly paths: readonly string[];
	readonly count: number;
}

/** Maximum number of paths that are kept. */
const maxPaths = 10;
/** Milliseconds after which git is stopped: a run must not wait for it. */
const maxMs = 2_000;
const args = [
	...["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"],
	...["-c", "color.ui=false", "-c", "status.relativePaths=true"],
	...["status", "--short", "--no-branch", "--no-renames", "--untracked-files=normal"],
];

/** The uncommitted changes of the repository that contains `folder`; `undefined` if there are none, git is missing or slow, or there is no repository. */
export function readUncommitted(folder: string): Promise<UncommittedPaths | undefined> {
	return new Promise((resolve) => {
		const options = { cwd: folder, timeout: maxMs, maxBuffer: 16 * 1024 * 1024 };
		execFile("git", args, options, (error, stdout) => resolve(error ? undefined : uncommittedIn(stdout)));
	});
}

/** Reads the output of `git status --short`: two letters, a space, and the path. */
function uncommittedIn(output: string): UncommittedPaths | undefined {
	const paths = output.split("\n").flatMap((line) => (line.length > 3 ? [line.slice(3)] : []));
	return paths.length === 0 ? undefined : { paths: paths.slice(0, maxPaths), count: paths.length };
}

/** The paths as a list: `a.js, b.js and 12 more`. */
export function uncommittedList({ paths, count }: UncommittedPaths): string {
	const more = count - paths.length;
	return `${paths.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
