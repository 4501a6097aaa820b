// What can go wrong with the files of a run, in words for the person; and the names of files, which git has as bytes.
import type { WorkspaceFailure } from "../supervisor/index.ts";
import type { GitResult } from "./git.ts";

/** The name of a file for the system, from git's bytes. */
export function fromRaw(name: string): string {
	return Buffer.from(name, "latin1").toString("utf8");
}

export function noGit(cwd: string): { ok: false; failure: WorkspaceFailure } {
	return {
		ok: false,
		failure: {
			reason: "no_git",
			message: `The files of ${cwd} cannot be kept: the program git was not found.`,
			remedy: "Install git and put it on the PATH; without it there are no diffs and no rewind.",
		},
	};
}

export function tooBig(message: string): { ok: false; failure: WorkspaceFailure } {
	return {
		ok: false,
		failure: {
			reason: "too_big",
			message,
			remedy: "Name what is generated in a .gitignore, or run in a smaller folder.",
		},
	};
}

export function isFull(message: string): boolean {
	return /no space left|disk quota/i.test(message);
}

export function gitFailure(result: Exclude<GitResult, { kind: "done" }>): { ok: false; failure: WorkspaceFailure } {
	if (result.kind === "missing") return noGit("the run");
	const [first = "git failed"] = result.message.split("\n");
	return {
		ok: false,
		failure: isFull(result.message)
			? {
					reason: "no_space",
					message: "There is no space left to keep the files.",
					remedy: "Free some space and resume the run.",
				}
			: {
					reason: "io",
					message: `git could not keep or read the files: ${first}`,
					remedy: "Check the folder and its rights.",
				},
	};
}

export function ioFailure(error: unknown): { ok: false; failure: WorkspaceFailure } {
	const { code, message } = error as NodeJS.ErrnoException;
	return gitFailure({ kind: "failed", code: -1, message: code === "ENOSPC" ? "no space left" : message });
}
