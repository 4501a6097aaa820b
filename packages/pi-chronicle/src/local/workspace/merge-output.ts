// Runs `git merge-tree` on three trees and parses its output.
// It writes only objects of the store; attributes, drivers and settings of the user and the project have no effect.

import type { MergeSides } from "@pi-chronicle/core/ports";
import { listChanges } from "./compare.ts";
import { oldGit, WorkspaceError } from "./failures.ts";
import { identity } from "./git-place.ts";
import type { Store, StoreGitOptions } from "./store.ts";

/** One version of a conflicted path: 1 the base, 2 ours, 3 theirs. */
export interface MergeStage {
	/** Bytes as latin1. */
	readonly path: string;
	readonly stage: 1 | 2 | 3;
	readonly mode: string;
	readonly object: string;
}

interface MergeMessage {
	readonly type: string;
	/** Bytes as latin1; the first is the main one. */
	readonly paths: readonly string[];
}

export interface MergeOutput {
	readonly tree: string;
	readonly stages: readonly MergeStage[];
	/** Messages of conflicts only. */
	readonly messages: readonly MergeMessage[];
	/** Commits that represent the sides; their names appear in markers and in the names of files that were moved aside. */
	readonly commits: { readonly base: string; readonly ours: string; readonly theirs: string };
}

/** Author of commits that only wrap a tree: the same tree gives the same commit. */
export const commitAuthor = {
	...identity,
	GIT_AUTHOR_DATE: "1000000000 +0000",
	GIT_COMMITTER_DATE: "1000000000 +0000",
};

const settings = [
	"merge.conflictStyle=diff3",
	// A file keeps the path of its side.
	"merge.directoryRenames=false",
	"merge.renames=true",
	"merge.renameLimit=2000",
	"merge.renormalize=false",
].flatMap((setting) => ["-c", setting]);

/** Merges two trees. */
export async function mergeTrees(store: Store, sides: Omit<MergeSides, "names">): Promise<MergeOutput> {
	try {
		return await mergeCommits(store, sides);
	} catch (error) {
		if (!(error instanceof WorkspaceError) || error.failure.reason !== "io") throw error;
		await checkVersion(store);
		// Throws `unknown_tree` if that is the reason.
		for (const side of [sides.ours, sides.theirs]) await listChanges(store, sides.base, side, "apart");
		throw error;
	}
}

async function mergeCommits(store: Store, sides: Omit<MergeSides, "names">): Promise<MergeOutput> {
	// Before 2.40, git accepts no base for a merge of trees, so each tree becomes a commit without a ref.
	const base = await commitTree(store, sides.base, "base");
	const ours = await commitTree(store, sides.ours, "ours", base.commit);
	const theirs = await commitTree(store, sides.theirs, "theirs", base.commit);
	const commits = { base: base.commit, ours: ours.commit, theirs: theirs.commit };
	const args = [...settings, "merge-tree", "--write-tree", "-z", "--messages", commits.ours, commits.theirs];
	// Git before 2.44 takes a tree that it does not find for an empty one; for a commit, it ends as with conflicts, but prints nothing.
	const isFound = base.isOwn && ours.isOwn && theirs.isOwn;
	const merged = isFound
		? (await writeObjects(store, args, { accept: [1] })).result
		: await store.git(args, { accept: [1] });
	return { ...parseMergeOutput(merged.output.toString("latin1")), commits };
}

/** Wraps a tree in a commit. `isOwn`: the store itself has the tree. */
async function commitTree(store: Store, tree: string, message: string, parent?: string) {
	const args = ["commit-tree", tree, "-m", message, ...(parent === undefined ? [] : ["-p", parent])];
	const { result, isOwn } = await writeObjects(store, args, { env: commitAuthor });
	return { commit: result.output.toString("latin1").trim(), isOwn };
}

/** Runs a command of git that writes objects, if possible without those of the user's repository, whose times it would set (`isOwn`). */
async function writeObjects(store: Store, args: readonly string[], more: StoreGitOptions) {
	const tried = await store.tryGit(args, { ...more, where: "own" });
	// What was too large to copy, and what another store of the run has already, are only there.
	return tried.kind === "done" ? { result: tried, isOwn: true } : { result: await store.git(args, more), isOwn: false };
}

async function checkVersion(store: Store): Promise<void> {
	const asked = await store.git(["version"]);
	const [, version = "unknown", major, minor] = /(?:version )((\d+)\.(\d+)\S*)/.exec(asked.output.toString()) ?? [];
	const isOld = Number(major) < 2 || (Number(major) === 2 && Number(minor) < 38);
	if (isOld) throw oldGit(version);
}

/** `tree`, stages until an empty field, then messages: number of paths, the paths, type, sentence. Every field ends in NUL. */
function parseMergeOutput(text: string): Omit<MergeOutput, "commits"> {
	const fields = text.split("\0");
	const stages: MergeStage[] = [];
	let at = 1;
	for (; fields[at]; at += 1) {
		const [, mode = "", object = "", stage, path = ""] =
			/^(\d+) ([0-9a-f]+) ([123])\t([\s\S]*)$/.exec(fields[at] ?? "") ?? [];
		stages.push({ path, mode, object, stage: Number(stage) as MergeStage["stage"] });
	}
	const messages: MergeMessage[] = [];
	for (at += 1; fields[at]; ) {
		const count = Number(fields[at]);
		const type = fields[at + count + 1] ?? "";
		if (type.startsWith("CONFLICT")) messages.push({ type, paths: fields.slice(at + 1, at + 1 + count) });
		at += count + 3;
	}
	return { tree: fields[0] ?? "", stages, messages };
}
