// Failures of the workspace, with messages for the user. Inside the workspace they are thrown; its operations return them.

import { errorMessage, FailureError } from "@pi-chronicle/core/definition";
import type { Result, WorkspaceFailure } from "@pi-chronicle/core/ports";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { freeBytes } from "../../disk/index.ts";
import { setTime } from "../../pi/index.ts";
import { diskFailure } from "../ledger/index.ts";
import type { GitResult } from "./git.ts";

export class WorkspaceError extends FailureError<WorkspaceFailure> {}

/** The result of `work`. Disk errors, and files that cannot be parsed, are failures too; other exceptions are bugs. */
export async function toResult<T>(work: () => Promise<T>): Promise<Result<T, WorkspaceFailure>> {
	try {
		return { ok: true, value: await work() };
	} catch (error) {
		return { ok: false, failure: failureOf(error) };
	}
}

/** The value of `work`; `undefined` if the files have changed meanwhile. */
export async function unlessChanged<T>(work: () => Promise<T>): Promise<T | undefined> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof WorkspaceError && error.failure.reason === "changed") return undefined;
		throw error;
	}
}

function failureOf(error: unknown): WorkspaceFailure {
	if (error instanceof WorkspaceError) return error.failure;
	if (!(error instanceof Error) || !("code" in error || error instanceof SyntaxError)) throw error;
	const { path } = error as NodeJS.ErrnoException;
	if (path === undefined)
		return gitFailure({ kind: "failed", code: -1, message: errorMessage(error), raw: "" }).failure;
	const { reason, message, remedy } = diskFailure(error, path);
	return reason === "no_space" ? noSpace().failure : { reason: "io", message, remedy };
}

export function ioFailure(message: string, remedy = "Check the folder and its permissions."): WorkspaceError {
	return new WorkspaceError({ reason: "io", message, remedy });
}

export function noGit(cwd: string): WorkspaceError {
	const message = `No snapshots of ${cwd} can be taken: the program git was not found.`;
	const remedy = "Install git and put it on the PATH; without it there are no diffs and no rewind.";
	return new WorkspaceError({ reason: "no_git", message, remedy });
}

/** `version`: of the git that was found. */
export function oldGit(version: string): WorkspaceError {
	const message = `Files cannot be merged: git is version ${version}, but merges need 2.38 or newer.`;
	return new WorkspaceError({ reason: "old_git", message, remedy: "Install a newer git." });
}

const smaller = "Add generated files to a .gitignore, or run in a smaller folder.";

export function tooBig(message: string): WorkspaceError {
	return new WorkspaceError({ reason: "too_big", message, remedy: smaller });
}

/** The caller aborted the operation. */
export function stopped(): WorkspaceError {
	const message = "The operation was stopped before it finished.";
	return new WorkspaceError({ reason: "stopped", message, remedy: "Resume the run." });
}

export function timedOut(ms: number): WorkspaceError {
	const message = `git did not finish within ${setTime(ms)}.`;
	return new WorkspaceError({ reason: "timed_out", message, remedy: smaller });
}

/** The files have changed since their inspection: the caller has to start over. */
export function changedMeanwhile(): WorkspaceError {
	const message = "The files changed while they were being restored.";
	return new WorkspaceError({
		reason: "changed",
		message,
		remedy: "Wait until nothing writes to them, and try again.",
	});
}

export function unknownTree(): WorkspaceError {
	const message = "The snapshot of these files no longer exists.";
	return new WorkspaceError({ reason: "unknown_tree", message, remedy: "Choose another place to return to." });
}

const maxListed = 20;

/** Files that would be overwritten but cannot be saved first: nothing was changed. */
export function inTheWay(blocked: readonly FileLeft[]): WorkspaceError {
	const listed = blocked.slice(0, maxListed).map(({ path, why }) => `${path} (${why})`);
	const more = blocked.length > maxListed ? `, and ${blocked.length - maxListed} more` : "";
	const message = `Nothing changed. Restoring would overwrite files that cannot be saved first: ${listed.join(", ")}${more}.`;
	return new WorkspaceError({ reason: "in_the_way", message, remedy: "Move them away and try again." });
}

export function noSpace(): WorkspaceError {
	const message = "There is no space left for the files or a snapshot of them.";
	return new WorkspaceError({ reason: "no_space", message, remedy: "Free some space and resume the run." });
}

export function isDiskFull(message: string): boolean {
	return /no space left|disk quota|out of diskspace/i.test(message);
}

/** The failure of a git that wrote files to `folder`. Git does not report a full disk itself. `largest`: bytes of one file. */
export async function writeFailure(
	result: Exclude<GitResult, { kind: "done" }>,
	folder: string,
	largest: number,
): Promise<WorkspaceError> {
	const cannotWrite = result.kind === "failed" && /unable to (write|create)|write error/i.test(result.message);
	return cannotWrite && (await roomIn(folder)) < largest + blockBytes ? noSpace() : gitFailure(result);
}

const blockBytes = 65_536;

/** Free bytes on the disk of `folder`; unlimited if unknown. */
export async function roomIn(folder: string): Promise<number> {
	return freeBytes(folder).catch(() => Number.POSITIVE_INFINITY);
}

export function gitFailure(result: Exclude<GitResult, { kind: "done" }>): WorkspaceError {
	if (result.kind === "missing") return noGit("the run's files");
	if (result.kind === "aborted") return stopped();
	const [first = "git failed"] = result.message.split("\n").filter((line) => !line.startsWith("warning:"));
	if (isDiskFull(result.message)) return noSpace();
	if (/read-only file system/i.test(result.message))
		return ioFailure(
			"The files cannot be stored: their file system is read-only.",
			"Mount it writable, then resume the run.",
		);
	const what = result.killed === undefined ? first || "git failed" : `git was killed by ${result.killed}`;
	return ioFailure(`git could not read or store the files: ${what.replace(/\.?$/, ".")}`);
}
