// The files of a run's branch: those of its snapshot, and from the commit below what snapshots leave out or change.
// A merge of the branch changes nothing that the run's snapshots leave out: it is as in the commit below; an entry of a repository names a
// commit, never a snapshot; a file that git converts when it is committed is as git would commit it.
import { inTemporaryFolder } from "../../disk/index.ts";
import { readBlobs } from "./blobs.ts";
import { type ConvertedObjects, committedFiles } from "./committed-files.ts";
import { parseRawChanges, type RawChange } from "./compare.ts";
import { isNothing, modes, type TreeEntry } from "./git.ts";
import { explainGit, type GitPlace, gitAt, gitText } from "./git-place.ts";
import { parseNested } from "./nested-repository.ts";
import { readPlaceholders } from "./placeholders.ts";
import { editTree } from "./private-index.ts";

export interface BranchFiles {
	/** The snapshot. */
	readonly tree: string;
	/** The commit that the working folder was at; undefined: none. */
	readonly base: string | undefined;
	/** Whether a path (bytes as latin1, below the root) can be one of the run's files. */
	readonly contains: (path: string) => boolean;
	/** Paths that a sparse checkout leaves out: one that the snapshot lacks is as in the commit. Default: none. */
	readonly absent?: ReadonlySet<string>;
	/** What was converted for the branch before. */
	readonly converted: ConvertedObjects;
}

/** Git on a repository, in the form of a workspace's store. */
type TreeGit = Parameters<typeof editTree>[0];

/** Writes the tree of the branch and returns its name. Throws git's error text. */
export async function branchTree(
	place: GitPlace,
	{ tree, base, contains, absent, converted }: BranchFiles,
): Promise<string> {
	const store = storeAt(place);
	const below = base ?? (await gitText(place, ["mktree"], Buffer.alloc(0)));
	const placeholders = new Set((await readPlaceholders(place.gitDir)).map((line) => line.split(" ", 1)[0]));
	const changes = await listChanges(store, below, tree);
	const isHeld = ({ path, after }: RawChange): boolean =>
		contains(path) && !placeholders.has(after.object) && !(isNothing(after.object) && absent?.has(path));
	const held = changes.filter(isHeld);
	const modules = contains(".gitmodules") ? tree : below;
	const repositories = held.some(isRepository) ? await repositoryEdits(place, held, { below, modules }) : [];
	const files = await committedFiles(place, store, held, converted);
	return writeTree(store, tree, [
		...changes.filter((change) => !isHeld(change)).map(asBefore),
		...repositories,
		...files,
	]);
}

/** Writes `tree` with what is not in `contains` as it is in the commit `base`, and returns its name. Throws git's error text. */
export async function treeOver(
	place: GitPlace,
	{ tree, base, contains }: Omit<BranchFiles, "converted"> & { readonly base: string },
): Promise<string> {
	const store = storeAt(place);
	const changes = await listChanges(store, base, tree);
	return writeTree(store, tree, changes.filter(({ path }) => !contains(path)).map(asBefore));
}

/** Writes `tree` with what has no contents in a snapshot, such as a repository or a file that is too large, as it is in the tree `from`. Throws git's error text. */
export async function withoutUnstored(place: GitPlace, from: string, tree: string): Promise<string> {
	const store = storeAt(place);
	const placeholders = new Set((await readPlaceholders(place.gitDir)).map((line) => line.split(" ", 1)[0]));
	const isUnstored = (change: RawChange): boolean =>
		isRepository(change) || placeholders.has(change.after.object) || placeholders.has(change.before.object);
	return writeTree(store, tree, (await listChanges(store, from, tree)).filter(isUnstored).map(asBefore));
}

async function writeTree(store: TreeGit, tree: string, edits: readonly TreeEntry[]): Promise<string> {
	return inTemporaryFolder((folder) => editTree(store, tree, edits, folder));
}

function storeAt(place: GitPlace): TreeGit {
	return {
		async git(args, { input, index } = {}) {
			const at = index === undefined ? place : { ...place, env: { ...place.env, GIT_INDEX_FILE: index } };
			const done = await gitAt(at, args, { input });
			if (done.kind === "done") return done;
			throw new Error(explainGit(done));
		},
	};
}

async function listChanges({ git }: TreeGit, from: string, to: string): Promise<readonly RawChange[]> {
	const how = ["-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none", "--abbrev=64"];
	const listed = await git(["diff-tree", ...how, from, to]);
	return parseRawChanges(listed.output.toString("latin1"));
}

/** The edit that undoes a change. */
function asBefore({ path, before }: RawChange): TreeEntry {
	return { path, ...before };
}

/** The commit that an embedded repository was at, by what the snapshot recorded of it. */
function recordedHead(recorded: Buffer | undefined): string | undefined {
	const head = recorded && parseNested(recorded)?.head;
	return head && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(head) ? head : undefined;
}

function isRepository({ before, after }: RawChange): boolean {
	return before.mode === modes.repository || after.mode === modes.repository;
}

/**
 * The edits of entries for repositories: a submodule is at the commit of its HEAD; what another repository covers stays as it was. A submodule without
 * files is in no snapshot: it stays until `.gitmodules` no longer names it.
 */
async function repositoryEdits(
	place: GitPlace,
	changes: readonly RawChange[],
	{ below, modules }: { readonly below: string; readonly modules: string },
): Promise<readonly TreeEntry[]> {
	const [namedThen, named] = await Promise.all([submodulesIn(place, below), submodulesIn(place, modules)]);
	const repositories = changes.filter(isRepository);
	const recorded = await readBlobs(
		storeAt(place),
		repositories.map(({ after }) => after.object).filter((object) => !isNothing(object)),
	);
	const inside = (folder: string) => changes.filter(({ path }) => path.startsWith(`${folder}/`));
	return repositories.flatMap((change): readonly TreeEntry[] => {
		const { path, before, after } = change;
		if (after.mode === modes.repository) {
			if (before.mode !== modes.repository && !named(path)) return [change, ...inside(path)].map(asBefore);
			const head = recordedHead(recorded.get(after.object));
			return [head === undefined ? asBefore(change) : { path, mode: modes.repository, object: head }];
		}
		const isReplaced = !isNothing(after.object) || inside(path).length > 0;
		const isRemoved = namedThen(path) && !named(path);
		return isReplaced || isRemoved ? [] : [asBefore(change)];
	});
}

/** A test for the paths that `.gitmodules` of a tree names. One that git cannot read names all. */
async function submodulesIn(place: GitPlace, tree: string): Promise<(path: string) => boolean> {
	const blob = await gitText(place, ["rev-parse", "-q", "--verify", `${tree}:.gitmodules`]).catch(() => undefined);
	if (blob === undefined) return () => false;
	const asked = await gitAt(place, ["config", "-z", "--blob", blob, "--get-regexp", "^submodule\\..*\\.path$"]);
	if (asked.kind === "failed" && asked.code === 1 && asked.message === "") return () => false;
	if (asked.kind !== "done") return () => true;
	const entries = asked.output.toString("latin1").split("\0");
	const paths = new Set(entries.map((entry) => entry.slice(entry.indexOf("\n") + 1).replace(/\/$/, "")));
	return (path) => paths.has(path);
}
