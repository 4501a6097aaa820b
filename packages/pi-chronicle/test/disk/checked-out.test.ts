// What is checked out: read from the repository where its files say so, otherwise asked of git. Both have the same answer.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkedOutQuery, gitOutput, parseCheckedOut, readCheckedOut } from "../../src/disk/index.ts";
import { openFolder } from "../harness/folder.ts";

const author = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
const commit = [...author, "commit", "-q", "--allow-empty", "-m", "one"];

it.each<[string, readonly (readonly string[])[], string?]>([
	["a branch", [commit]],
	["a branch with a slash", [commit, ["checkout", "-q", "-b", "a/b"]]],
	["a branch whose ref is packed", [commit, ["pack-refs", "--all"]]],
	[
		"a branch whose ref is that of another one",
		[commit, ["symbolic-ref", "refs/heads/x", "HEAD"], ["symbolic-ref", "HEAD", "refs/heads/x"]],
	],
	["a commit", [commit, ["checkout", "-q", "--detach"]]],
	["no commit yet", []],
	["a worktree", [commit, ["worktree", "add", "-q", "-b", "other", "tree"]], "tree"],
	["a folder below the root", [commit], ".git/refs"],
])("%s is known as git knows it", async (_, steps, below = ".") => {
	const folder = openFolder();
	for (const args of [["init", "-q"], ...steps]) expect(spawnSync("git", args, { cwd: folder }).status).toBe(0);
	const cwd = join(folder, below);
	expect(await readCheckedOut(cwd)).toEqual(parseCheckedOut((await gitOutput(cwd, checkedOutQuery)) ?? ""));
});
