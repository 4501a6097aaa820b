// Failures of the workspace, with messages for the user.
import { freeBytes } from "../../../disk/index.ts";
import type { FileLeft, Result, WorkspaceFailure } from "../../core/index.ts";
import type { GitResult } from "./git.ts";

type Failed = { readonly ok: false; readonly failure: WorkspaceFailure };

/** The result of an operation without a value. */
export const done: Result<void, WorkspaceFailure> = { ok: true, value: undefined };

export function noGit(cwd: string): Failed {
	return {
		ok: false,
		failure: {
			reason: "no_git",
			message: `No snapshots of ${cwd} can be taken: the program git was not found.`,
			remedy: "Install git and put it on the PATH; without it there are no diffs and no rewind.",
		},
	};
}

/** `version`: of the git that was found. */
export function oldGit(version: string): Failed {
	return {
		ok: false,
		failure: {
			reason: "old_git",
			message: `Files cannot be merged: git is version ${version}, but merges need 2.38 or newer.`,
			remedy: "Install a newer git.",
		},
	};
}

export function tooBig(message: string): Failed {
	return {
		ok: false,
		failure: {
			reason: "too_big",
			message,
			remedy: "Add generated files to a .gitignore, or run in a smaller folder.",
		},
	};
}

/** The caller aborted the operation. */
export const stopped: Failed = {
	ok: false,
	failure: { reason: "stopped", message: "The operation was stopped before it finished.", remedy: "Resume the run." },
};

export function timedOut(ms: number): Failed {
	return {
		ok: false,
		failure: {
			reason: "timed_out",
			message: `git did not finish within ${Math.round(ms / 6000) / 10} min.`,
			remedy: "Add generated files to a .gitignore, or run in a smaller folder.",
		},
	};
}

/** The files have changed since their inspection: the caller has to start over. */
export const changedMeanwhile: Failed = {
	ok: false,
	failure: {
		reason: "changed",
		message: "The files changed while they were being restored.",
		remedy: "Wait until nothing writes to them, and try again.",
	},
};

const maxListed = 20;

/** Files that would be overwritten but cannot be saved first: nothing was changed. */
export function inTheWay(blocked: readonly FileLeft[]): Failed {
	const listed = blocked.slice(0, maxListed).map(({ path, why }) => `${path} (${why})`);
	const more = blocked.length > maxListed ? `, and ${blocked.length - maxListed} more` : "";
	return {
		ok: false,
		failure: {
			reason: "in_the_way",
			message: `Nothing changed. Restoring would overwrite files that cannot be saved first: ${listed.join(", ")}${more}.`,
			remedy: "Move them away and try again.",
		},
	};
}

export const noSpace: Failed = {
	ok: false,
	failure: {
		reason: "no_space",
		message: "There is no space left for the files or a snapshot of them.",
		remedy: "Free some space and resume the run.",
	},
};

export function isFull(message: string): boolean {
	return /no space left|disk quota|out of diskspace/i.test(message);
}

/** The failure of a git that wrote files to `folder`. Git does not report a full disk itself. `largest`: bytes of one file. */
export async function writeFailure(
	result: Exclude<GitResult, { kind: "done" }>,
	folder: string,
	largest: number,
): Promise<Failed> {
	const cannotWrite = result.kind === "failed" && /unable to (write|create)|write error/i.test(result.message);
	return cannotWrite && (await roomIn(folder)) < largest + blockBytes ? noSpace : gitFailure(result);
}

const blockBytes = 65_536;

/** Free bytes on the disk of `folder`; unlimited if unknown. */
export async function roomIn(folder: string): Promise<number> {
	return freeBytes(folder).catch(() => Number.POSITIVE_INFINITY);
}

export function gitFailure(result: Exclude<GitResult, { kind: "done" }>): Failed {
	if (result.kind === "missing") return noGit("the run's files");
	if (result.kind === "aborted") return stopped;
	const [first = "git failed"] = result.message.split("\n").filter((line) => !line.startsWith("warning:"));
	if (isFull(result.message)) return noSpace;
	const what = result.killed === undefined ? first || "git failed" : `git was killed by ${result.killed}`;
	return {
		ok: false,
		failure: {
			reason: "io",
			message: `git could not read or store the files: ${what}`,
			remedy: "Check the folder and its permissions.",
		},
	};
}

export function ioFailure(error: unknown): Failed {
	const { code, message } = error as NodeJS.ErrnoException;
	return gitFailure({ kind: "failed", code: -1, message: code === "ENOSPC" ? "no space left" : message, raw: "" });
}
