// Creates the git repository of a rehearsal's copy, so that a run's git commands work: with the copied files in one commit, or with the
// project's last commits and its uncommitted changes.
// No hook, remote or setting of the machine applies. The same files always give the same commit.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Fixed, so that the commit depends only on the files. */
const commitDate = "2000-01-01T00:00:00Z";
const author = { name: "Rehearsal", email: "rehearsal@localhost.invalid" };

/** Settings of the copy; they override the system's. */
const settings = {
	"user.name": author.name,
	"user.email": author.email,
	"commit.gpgSign": "false",
	"tag.gpgSign": "false",
	"core.hooksPath": ".git/no-hooks",
	"core.fsmonitor": "false",
	// No background process in a folder that is about to be removed.
	"gc.auto": "0",
	"maintenance.auto": "false",
};

/** Number of commits that a copy gets of the project's history. */
const maxCommits = 50;

/**
 * Turns `folder` into a repository with one commit. `tracked`: the paths in it, relative with `/`, ignored ones included; `undefined`: everything
 * that is not ignored. `history`: absolute path of a repository with the same files; its last commits are taken over instead, if it has any.
 * Resolves to `false` if git is missing or fails; the folder has no repository then.
 */
export async function makeRepository(
	folder: string,
	tracked: readonly string[] | undefined,
	env: NodeJS.ProcessEnv,
	history?: string,
): Promise<boolean> {
	const git = (args: readonly string[], input = "") => runGit(folder, args, env, input);
	if (!(await git(["init", "--quiet", "--template=", "--initial-branch=main"]))) return false;
	for (const [name, value] of Object.entries(settings)) if (!(await git(["config", name, value]))) return false;
	if (history !== undefined && existsSync(join(history, ".git"))) {
		const fetched = await git([
			"fetch",
			"--quiet",
			"--no-tags",
			`--depth=${maxCommits}`,
			pathToFileURL(history).href,
			"HEAD",
		]);
		if (fetched && (await git(["reset", "--quiet", "--mixed", "FETCH_HEAD"]))) return true;
	}
	const paths = ["--pathspec-from-file=-", "--pathspec-file-nul"];
	const added =
		tracked === undefined
			? await git(["add", "--all"])
			: tracked.length === 0 || (await git(["add", "--force", ...paths], tracked.join("\0")));
	return added && git(["commit", "--quiet", "--allow-empty", "--no-verify", "-m", "The copied project"]);
}

/** Runs git in `folder`; whether it succeeded. */
function runGit(folder: string, args: readonly string[], env: NodeJS.ProcessEnv, input: string): Promise<boolean> {
	const dates = { GIT_AUTHOR_DATE: commitDate, GIT_COMMITTER_DATE: commitDate };
	const own = { GIT_CONFIG_NOSYSTEM: "1", GIT_LITERAL_PATHSPECS: "1", GIT_TERMINAL_PROMPT: "0" };
	return new Promise((resolve) => {
		const options = { cwd: folder, env: { ...env, ...dates, ...own }, maxBuffer: 64 * 1024 * 1024 };
		const child = execFile("git", [...args], options, (error) => resolve(error === null));
		// If git exits before it has read everything, its exit code reports it.
		child.stdin?.on("error", () => {});
		child.stdin?.end(input);
	});
}
