// The files of a run: kept, compared and restored.
import type { FileChange, FileLeft } from "../snapshot/index.ts";
import type { Failure, Result } from "./result.ts";

export interface WorkspaceFailure extends Failure {
	readonly reason:
		| "no_git"
		| "too_big"
		| "no_space"
		| "unknown_tree"
		/** Something lies where files would come back and cannot be kept; nothing was changed. */
		| "in_the_way"
		/** The files are not in the state that was expected; nothing was changed, or not all. */
		| "changed"
		/** The caller's signal has aborted it. */
		| "stopped"
		| "timed_out"
		| "io";
}

/** A kept state of the files. */
export interface KeptFiles {
	/** Its name; equal files have equal names. */
	readonly tree: string;
	/** What is not in it as it is now, because it could not be read: nothing is known of it. */
	readonly unkept: readonly FileLeft[];
	/** What the person should know, such as that a damaged store was begun anew. */
	readonly notes: readonly string[];
}

/** Every operation is bounded in time (`timed_out`); one with a signal ends within 3 s after it aborts. */
export interface Workspace {
	/** Readies the folder that attempt `attempt` works in, with the files of `tree` (`undefined`: as they are). */
	open(tree: string | undefined, attempt: string): Promise<Result<{ readonly cwd: string }, WorkspaceFailure>>;
	/**
	 * Keeps all files as they are now. `towards`: also whatever else `restore` to that state would overwrite, such as ignored files; it fails
	 * with `in_the_way` where that cannot be kept.
	 */
	snapshot(options?: {
		readonly towards?: string;
		readonly signal?: AbortSignal;
	}): Promise<Result<KeptFiles, WorkspaceFailure>>;
	/** What differs between two kept states, sorted by path; at most `limit` of them. */
	changes(
		from: string,
		to: string,
		limit: number,
		signal?: AbortSignal,
	): Promise<Result<{ readonly changes: FileChange[]; readonly more: number }, WorkspaceFailure>>;
	/** The same as a unified diff of at most `bytes` bytes, of one path if named. */
	patch(from: string, to: string, bytes: number, path?: string): Promise<Result<string, WorkspaceFailure>>;
	/** What `restore` would do to the files as they are now; nothing is changed. */
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
				/** What lies in the way and cannot be kept: `restore` would refuse. */
				readonly blocked: readonly FileLeft[];
			},
			WorkspaceFailure
		>
	>;
	/**
	 * Brings the files back to `tree`; what is ignored stays. `expected`: the last kept state; where the files are in another one by now,
	 * nothing is changed (`changed`). `before`: the state in which a rewind began that was cut off; what was no part of it is not deleted.
	 * `left` is what is not back; `tree` names the files as they are then.
	 */
	restore(
		tree: string,
		options?: { readonly expected?: string; readonly before?: string; readonly signal?: AbortSignal },
	): Promise<Result<{ readonly tree: string; readonly left: readonly FileLeft[] }, WorkspaceFailure>>;
	/** Makes `tree` known outside as the state of the run after event `seq`. Repeating it changes nothing. */
	publish(tree: string, seq: number): Promise<Result<void, WorkspaceFailure>>;
}
