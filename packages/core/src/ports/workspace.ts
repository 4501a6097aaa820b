// The files of a run: kept, compared and restored.
import type { PathList } from "../definition/index.ts";
import type { KeptChildFolder } from "../machine/index.ts";
import type { ChangeTotals, CheckedOut, FileChange, FileLeft, MeasuredChanges } from "../snapshot/index.ts";
import type { Failure, Result } from "./result.ts";

export interface WorkspaceFailure extends Failure {
	readonly reason:
		| "no_git"
		/** git is installed, but too old for a merge. */
		| "old_git"
		| "too_big"
		| "no_space"
		| "unknown_tree"
		/** A file that cannot be kept occupies a path to restore; nothing was changed. */
		| "in_the_way"
		/** The files are not in the expected state; nothing, or not everything, was changed. */
		| "changed"
		/** Aborted by the caller's signal. */
		| "stopped"
		| "timed_out"
		/** The git remote that hosts share cannot be reached for now. */
		| "remote_away"
		/** The database of the engine cannot be reached, or takes nothing, for now. */
		| "database_away"
		| "io";
}

/** A snapshot of the files. */
export interface KeptFiles {
	/** Name of the snapshot; equal files have equal names. */
	readonly tree: string;
	/** Files that could not be read: the snapshot lacks their current contents. */
	readonly unkept: readonly FileLeft[];
	/** Notices, for example that a damaged store was replaced. */
	readonly notes: readonly string[];
}

/** Three snapshots to merge; `ours` and `theirs` both come from `base`. */
export interface MergeSides {
	readonly base: string;
	readonly ours: string;
	readonly theirs: string;
	readonly names: SideNames;
}

/** What the two sides of a merge are called in conflict markers and messages. */
export interface SideNames {
	readonly ours: string;
	readonly theirs: string;
}

export type ConflictKind =
	/** The same lines of a text were changed. */
	| "content"
	| "add/add"
	| "modify/delete"
	| "rename/delete"
	| "rename/rename"
	/** A file on one side, a folder on the other. */
	| "file/folder"
	| "binary"
	/** Different permissions. */
	| "mode"
	/** Different targets of a symbolic link, or a link on one side and a file on the other. */
	| "link"
	/** A repository of its own. */
	| "repository"
	/** A file whose contents are not kept. */
	| "unkept";

export interface MergeConflict {
	/** As in `FileChange`. */
	readonly path: string;
	/** Every path that is part of the conflict, `path` among them: more than one for renames. */
	readonly paths: readonly string[];
	readonly kind: ConflictKind;
	/** What both sides did, as a sentence without its end. */
	readonly why: string;
	/** The conflicting lines with markers and context, cut to some kilobytes; empty if there are none. */
	readonly hunks: string;
}

export interface MergedFiles {
	/**
	 * The merged files. In a text with a conflict both sides' lines are there between markers; of any other conflict it has one side, or
	 * both under different names.
	 */
	readonly tree: string;
	/** Sorted by path. */
	readonly conflicts: readonly MergeConflict[];
}

export interface JoinedFiles {
	/** Names the files afterward. */
	readonly tree: string;
	/** Files that were not brought to `to`. */
	readonly left: readonly FileLeft[];
	readonly conflicts: readonly MergeConflict[];
}

/** A copy of the project's files that a worker works in instead of the project: its changes reach the project later, by a join. Real paths. */
export interface WorkingCopy {
	/** Folder of all files of the copy. */
	readonly root: string;
	/** The folder that the files end up in; `root` itself where the copy is all that there is of the project on this machine. */
	readonly project: string;
	/** Folders that the worker must not change besides `project`: the copies of the runs above its own. */
	readonly closed: readonly string[];
}

/** The folder of a child run. */
export interface ChildFolder {
	/** Where the child works; a real path. */
	readonly cwd: string;
	/** Folder of all its files; a real path. */
	readonly root: string;
	/** The folder of the parent's files that it is a copy of; a real path. */
	readonly source: string;
	/** Whether this call has created it. */
	readonly isNew: boolean;
	/** Snapshot that the folder starts with: the base of the child's changes. It lacks what could not be copied. */
	readonly tree: string;
	/** What could not be copied or linked, as sentences. */
	readonly notes: readonly string[];
	/** Ignored dependencies of the project that are missing in the folder, relative to `cwd`; absent: none. */
	readonly lacks?: readonly string[];
}

/** The first changes of a comparison, and the totals of all of them. */
export interface ListedChanges extends MeasuredChanges {
	readonly changes: readonly FileChange[];
	readonly more: number;
	readonly total: ChangeTotals;
}

/** The folder of a child that is not removed, with all files that are nowhere else; at least one. */
export type KeptFolder = Omit<KeptChildFolder, "more">;

/** A child whose files are joined. */
export interface JoinedChild {
	readonly child: string;
	/** The snapshot of its files. */
	readonly tree: string;
}

/** Those of the changes that must not be made, because a rule forbids it, with the reason. Fails if the rules cannot be applied. */
export type ForbiddenChanges = (changes: readonly FileChange[]) => Promise<Result<readonly FileLeft[]>>;

/** What the end of a child leaves in its folder besides its snapshot. */
export interface ChildLeftovers {
	/** Files that no snapshot hands over: too large, secret by their names, unreadable, repositories. */
	readonly files: readonly FileLeft[];
	/** The ignored files that it has made, as a clause; absent: none. */
	readonly ignored?: string;
}

/** Every operation has a time limit (`timed_out`). An operation with a signal ends within 3 s after an abort. */
export interface Workspace {
	/** Prepares the working folder. */
	open(): Promise<Result<{ readonly cwd: string }, WorkspaceFailure>>;
	/**
	 * Takes a snapshot of all files. `towards`: also include everything else that a `restore` to that tree would overwrite, such as ignored
	 * files; fails with `in_the_way` if such a file cannot be kept, and with `changed` if such files keep changing.
	 * `keep`: patterns of paths, relative to the run's folder; ignored files that fit one are part of the files from now on.
	 */
	snapshot(options?: {
		readonly towards?: string;
		readonly keep?: readonly string[];
		readonly signal?: AbortSignal;
	}): Promise<Result<KeptFiles, WorkspaceFailure>>;
	/** What git reports as uncommitted in the repository that contains the run's folder; nothing without one. Never fails; absent: unknown. */
	uncommitted?(): Promise<PathList | undefined>;
	/** What is checked out in the repository that contains the run's folder; `undefined` without one. Never fails; absent: unknown. */
	checkedOut?(): Promise<CheckedOut | undefined>;
	/** The differences between two snapshots, sorted by path; at most `limit` of them. `total` counts all. */
	changes(
		from: string,
		to: string,
		limit: number,
		signal?: AbortSignal,
	): Promise<Result<ListedChanges, WorkspaceFailure>>;
	/** The differences as a unified diff of at most `bytes` bytes, optionally for one path. */
	patch(from: string, to: string, bytes: number, path?: string): Promise<Result<string, WorkspaceFailure>>;
	/** Previews the effect of `restore` on the current files; changes nothing. */
	preview(
		tree: string,
		limit: number,
		signal?: AbortSignal,
	): Promise<
		Result<
			ListedChanges & {
				readonly left: readonly FileLeft[];
				/** Conflicting files that cannot be kept: `restore` would refuse. */
				readonly blocked: readonly FileLeft[];
			},
			WorkspaceFailure
		>
	>;
	/**
	 * Restores the files of `tree`; ignored files stay. `expected`: the last snapshot; if the files now differ from it, nothing is changed
	 * (`changed`). `before`: the snapshot at the start of a rewind that was interrupted; files that are not in it are not deleted. `left` lists
	 * files that were not restored; `tree` names the files afterward.
	 */
	restore(
		tree: string,
		options?: { readonly expected?: string; readonly before?: string; readonly signal?: AbortSignal },
	): Promise<Result<{ readonly tree: string; readonly left: readonly FileLeft[] }, WorkspaceFailure>>;
	/**
	 * Creates the folder of the child run `child`, which starts with the files of `tree`. It is created completely or not at all; an
	 * existing one is returned unchanged. It contains a separate git repository, so git commands there never reach the user's. `links`:
	 * ignored paths, relative to the run's folder, that the child gets as well (`node_modules`, `.env`): cheap copies if possible,
	 * otherwise symbolic links. `missing`: all those that are known as dependencies.
	 */
	openChild(
		child: string,
		tree: string,
		options?: {
			readonly links?: readonly string[] | "missing";
			/** Set-up commands will create what git ignores: its absence is not noted. */
			readonly hasSetup?: boolean;
			readonly signal?: AbortSignal;
		},
	): Promise<Result<ChildFolder, WorkspaceFailure>>;
	/** Call after the set-up of a child's folder: the ignored files that exist now are not the child's. */
	noteSetUp(child: string): Promise<Result<void, WorkspaceFailure>>;
	/**
	 * Notes what the end of a child leaves in its folder. `kept`: the snapshot of its files; default: one is taken. Nothing is left where the folder
	 * does not exist here.
	 */
	endChild(
		child: string,
		kept?: Pick<KeptFiles, "tree" | "unkept">,
		signal?: AbortSignal,
	): Promise<Result<ChildLeftovers, WorkspaceFailure>>;
	/**
	 * Removes the folders of all children but `except`, half-made ones too. One with files that are neither in a snapshot nor joined stays, and is
	 * returned, every time. Idempotent.
	 */
	removeChildren(except: readonly string[]): Promise<Result<readonly KeptFolder[], WorkspaceFailure>>;
	/**
	 * Merges two snapshots; changes no files. `take` settles conflicts: all by one side, or each by the side given for its path; those that are
	 * settled are not listed.
	 */
	merge(
		sides: MergeSides,
		options?: {
			readonly take?: "ours" | "theirs" | ReadonlyMap<string, "ours" | "theirs">;
			readonly signal?: AbortSignal;
		},
	): Promise<Result<MergedFiles, WorkspaceFailure>>;
	/**
	 * Brings the files from snapshot `from` to `to` and keeps whatever else changed since `from`. If that conflicts with `to`, nothing is changed
	 * and `conflicts` lists why. Idempotent: after a crash at any point it is repeated with the same snapshots. `changed`: the files kept
	 * changing. Files of `children` that no snapshot hands over are copied from their folders where nothing is in the way; `kept` has the others.
	 * What is `forbidden` stays as it is in `from`, and counts as such files too.
	 */
	join(
		change: {
			readonly from: string;
			readonly to: string;
			readonly names: SideNames;
			readonly children?: readonly JoinedChild[];
			readonly forbidden?: ForbiddenChanges;
		},
		signal?: AbortSignal,
	): Promise<Result<JoinedFiles & { readonly kept?: readonly KeptFolder[] }, WorkspaceFailure>>;
	/** Takes a snapshot of the folder of a child. */
	keepChild(child: string, signal?: AbortSignal): Promise<Result<KeptFiles, WorkspaceFailure>>;
	/** Those of `paths` whose contents in `tree` have conflict markers. */
	conflictMarkers(tree: string, paths: readonly string[]): Promise<Result<readonly string[], WorkspaceFailure>>;
}
