// Which branch and commit are checked out in a folder's repository.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
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
	const known = await checkedOutBranch(join(folder, ".git")).catch(() => undefined);
	return known ?? parseCheckedOut((await gitOutput(folder, checkedOutQuery, { timeout: maxMs })) ?? "");
}

/** The branch that the repository in `git` is at; `undefined`: only git can tell. */
async function checkedOutBranch(git: string): Promise<CheckedOutCommit | undefined> {
	const [, ref = ""] = /^ref: (refs\/heads\/\S+)\n$/.exec(await readFile(join(git, "HEAD"), "utf8")) ?? [];
	if (ref === "" || ref.includes("..")) return undefined;
	const [, commit] = /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(await readFile(join(git, ref), "utf8")) ?? [];
	return commit === undefined ? undefined : { branch: branchOfRef(ref), commit };
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
