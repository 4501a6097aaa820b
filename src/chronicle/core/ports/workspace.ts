// The files of a run: kept, compared and restored.
import type { FileChange, FileLeft } from "../snapshot/index.ts";
import type { Failure, Result } from "./result.ts";

export interface WorkspaceFailure extends Failure {
	readonly reason:
		| "no_git"
		| "too_big"
		| "no_space"
		| "unknown_tree"
		/** A file that cannot be kept is where one would be restored; nothing was changed. */
		| "in_the_way"
		/** The files are not in the expected state; nothing, or not everything, was changed. */
		| "changed"
		/** The caller's signal has aborted it. */
		| "stopped"
		| "timed_out"
		| "io";
}

/** A snapshot of the files. */
export interface KeptFiles {
	/** Name of the snapshot; equal files have equal names. */
	readonly tree: string;
	/** Files that could not be read: the snapshot does not have them as they are now. */
	readonly unkept: readonly FileLeft[];
	/** Notices, such as that a damaged store was replaced. */
	readonly notes: readonly string[];
}

/** Every operation is bounded in time (`timed_out`); one with a signal ends within 3 s after it aborts. */
export interface Workspace {
	/** Prepares the folder that attempt `attempt` works in, with the files of `tree` (`undefined`: as they are). */
	open(tree: string | undefined, attempt: string): Promise<Result<{ readonly cwd: string }, WorkspaceFailure>>;
	/**
	 * Takes a snapshot of all files. `towards`: including what else `restore` to that tree would overwrite, such as ignored files; fails with
	 * `in_the_way` if that cannot be kept.
	 */
	snapshot(options?: {
		readonly towards?: string;
		readonly signal?: AbortSignal;
	}): Promise<Result<KeptFiles, WorkspaceFailure>>;
	/** The differences between two snapshots, sorted by path; at most `limit` of them. */
	changes(
		from: string,
		to: string,
		limit: number,
		signal?: AbortSignal,
	): Promise<Result<{ readonly changes: FileChange[]; readonly more: number }, WorkspaceFailure>>;
	/** The same as a unified diff of at most `bytes` bytes, optionally of one path. */
	patch(from: string, to: string, bytes: number, path?: string): Promise<Result<string, WorkspaceFailure>>;
	/** What `restore` would do to the current files; changes nothing. */
	preview(
		tree: string,
		limit: number,
		signal?: AbortSignal,
	): Promise<
		Result<
			{
				readonly changes: readonly FileChange[];
				readonly more: number;
				readonly left: readonly FileLeft[];
				/** Files in the way that cannot be kept: `restore` would refuse. */
				readonly blocked: readonly FileLeft[];
			},
			WorkspaceFailure
		>
	>;
	/**
	 * Restores the files of `tree`; ignored files stay. `expected`: the last snapshot; if the files differ from it by now, nothing is changed
	 * (`changed`). `before`: the snapshot at the start of a rewind that was interrupted; files that are not in it are not deleted. `left` is
	 * what was not restored; `tree` names the files afterwards.
	 */
	restore(
		tree: string,
		options?: { readonly expected?: string; readonly before?: string; readonly signal?: AbortSignal },
	): Promise<Result<{ readonly tree: string; readonly left: readonly FileLeft[] }, WorkspaceFailure>>;
	/** Publishes `tree` as the files of the run after event `seq`, for other hosts. Idempotent. */
	publish(tree: string, seq: number): Promise<Result<void, WorkspaceFailure>>;
}
