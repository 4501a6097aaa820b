// The files of a run: kept, compared and restored.
import type { FileChange, FileLeft } from "../snapshot/index.ts";
import type { Failure, Result } from "./result.ts";

export interface WorkspaceFailure extends Failure {
	readonly reason:
		| "no_git"
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

/** Every operation has a time limit (`timed_out`). An operation with a signal ends within 3 s after an abort. */
export interface Workspace {
	/** Prepares the working folder of attempt `attempt` with the files of `tree` (`undefined`: the current files). */
	open(tree: string | undefined, attempt: string): Promise<Result<{ readonly cwd: string }, WorkspaceFailure>>;
	/**
	 * Takes a snapshot of all files. `towards`: also include everything else that a `restore` to that tree would overwrite, such as ignored
	 * files; fails with `in_the_way` if such a file cannot be kept, and with `changed` if such files keep changing.
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
	/** The differences as a unified diff of at most `bytes` bytes, optionally for one path. */
	patch(from: string, to: string, bytes: number, path?: string): Promise<Result<string, WorkspaceFailure>>;
	/** Previews the effect of `restore` on the current files; changes nothing. */
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
	/** Publishes `tree` as the files of the run after event `seq`, for other hosts. Idempotent. */
	publish(tree: string, seq: number): Promise<Result<void, WorkspaceFailure>>;
}
