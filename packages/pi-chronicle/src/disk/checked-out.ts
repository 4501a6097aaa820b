// Which branch and commit are checked out in a folder's repository.
import { gitOutput } from "./git-output.ts";

/** Milliseconds after which git is stopped: a run must not wait for it. */
const maxMs = 2_000;

interface CheckedOutCommit {
	/** `null`: a commit is checked out, no branch. */
	readonly branch: string | null;
	/** The commit's id. */
	readonly commit: string;
}

/** What is checked out in the repository that contains `folder`; `undefined` without a repository or a commit, and if git is missing or slow. */
export async function readCheckedOut(folder: string): Promise<CheckedOutCommit | undefined> {
	return parseCheckedOut((await gitOutput(folder, checkedOutQuery, { timeout: maxMs })) ?? "");
}

/** Arguments for git, whose output {@link parseCheckedOut} reads. */
export const checkedOutQuery: readonly string[] = ["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"];

/** `undefined`: there is no commit. */
export function parseCheckedOut(output: string): CheckedOutCommit | undefined {
	const [commit = "", name = ""] = output.split("\n");
	return commit === "" ? undefined : { branch: branchOfRef(name), commit };
}

/** The branch that a ref is; `null`: it is none. */
export function branchOfRef(ref: string): string | null {
	return ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null;
}
