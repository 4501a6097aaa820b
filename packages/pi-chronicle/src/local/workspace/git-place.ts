// Git on a repository by its own folder, with the settings of the user: a bare one, or a private store of snapshots.
import { type GitCall, type GitResult, runGit } from "./git.ts";

export interface GitPlace {
	/** The repository's own folder (`--git-dir`). */
	readonly gitDir: string;
	/** An existing folder. */
	readonly cwd: string;
	/** Object folders whose objects can be named too. */
	readonly alternates?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	readonly signal?: AbortSignal | undefined;
	/** Called with a sentence when a remote keeps a caller waiting. */
	readonly report?: ((text: string) => void) | undefined;
}

/** Runs git on a repository. */
export function gitAt(
	{ gitDir, cwd, alternates = [], env = {}, signal }: GitPlace,
	args: readonly string[],
	more: Pick<GitCall, "input" | "enough"> = {},
): Promise<GitResult> {
	return runGit({
		args: [`--git-dir=${gitDir}`, ...args],
		cwd,
		// The user's credentials and URL rewrites count for the remote.
		settings: "users",
		env: {
			GIT_DIR: gitDir,
			...(alternates.length > 0 ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates.join(":") } : {}),
			...env,
		},
		...more,
		signal,
	});
}

/** The output of a git call without its last line break; throws with git's error text. */
export async function gitText(place: GitPlace, args: readonly string[], input?: Buffer): Promise<string> {
	const done = await gitAt(place, args, { input });
	if (done.kind === "done") return done.output.toString("utf8").trimEnd();
	throw new Error(explainGit(done));
}

export const committerEmail = "pi-chronicle@localhost";

/** Author and committer of every commit that this package makes, as variables of git. */
export const identity = {
	GIT_AUTHOR_NAME: "pi-chronicle",
	GIT_AUTHOR_EMAIL: committerEmail,
	GIT_COMMITTER_NAME: "pi-chronicle",
	GIT_COMMITTER_EMAIL: committerEmail,
};

/** Makes a commit by this package. `dates`: variables that set its dates; default: now. */
export function commitTree(
	place: GitPlace,
	tree: string,
	parents: readonly string[],
	message: string,
	dates: Readonly<Record<string, string>> = {},
): Promise<string> {
	const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent])];
	return gitText({ ...place, env: { ...place.env, ...identity, ...dates } }, args, Buffer.from(message));
}

/** Describes the failure for users. */
export function explainGit(result: Exclude<GitResult, { kind: "done" }>): string {
	if (result.kind === "failed")
		return result.message.split("\n").slice(-3).join(" ").trim().replace(/\.$/, "") || `git failed (${result.code})`;
	return result.kind === "missing" ? "git was not found" : "git was stopped";
}
