// What can go wrong with the files of a run, in words for the person.
import type { FileLeft, WorkspaceFailure } from "../../core/index.ts";
import type { GitResult } from "./git.ts";

type Failed = { ok: false; failure: WorkspaceFailure };

export function noGit(cwd: string): Failed {
	return {
		ok: false,
		failure: {
			reason: "no_git",
			message: `The files of ${cwd} cannot be kept: the program git was not found.`,
			remedy: "Install git and put it on the PATH; without it there are no diffs and no rewind.",
		},
	};
}

export function tooBig(message: string): Failed {
	return {
		ok: false,
		failure: {
			reason: "too_big",
			message,
			remedy: "Name what is generated in a .gitignore, or run in a smaller folder.",
		},
	};
}

/** The operation was aborted by whoever asked for it. */
export const stopped: Failed = {
	ok: false,
	failure: { reason: "stopped", message: "It was stopped before it was finished.", remedy: "Resume the run." },
};

export function timedOut(ms: number): Failed {
	return {
		ok: false,
		failure: {
			reason: "timed_out",
			message: `git took longer than ${Math.round(ms / 6000) / 10} min over the files.`,
			remedy: "Name what is generated in a .gitignore, or run in a smaller folder.",
		},
	};
}

/** The files are not the ones that were looked at: it is to be begun again. */
export const changedMeanwhile: Failed = {
	ok: false,
	failure: {
		reason: "changed",
		message: "The files were changed while they were being brought back.",
		remedy: "Wait until nothing writes to them, and try again.",
	},
};

const mostListed = 20;

/** What lies in the way and cannot be kept: nothing is touched. */
export function inTheWay(blocked: readonly FileLeft[]): Failed {
	const listed = blocked.slice(0, mostListed).map(({ path, why }) => `${path} (${why})`);
	const more = blocked.length > mostListed ? `, and ${blocked.length - mostListed} more` : "";
	return {
		ok: false,
		failure: {
			reason: "in_the_way",
			message: `Nothing was changed: where files would come back there is what cannot be kept first: ${listed.join(", ")}${more}.`,
			remedy: "Move it away, and try again.",
		},
	};
}

export function isFull(message: string): boolean {
	return /no space left|disk quota/i.test(message);
}

export function gitFailure(result: Exclude<GitResult, { kind: "done" }>): Failed {
	if (result.kind === "missing") return noGit("the run");
	if (result.kind === "aborted") return stopped;
	const [first = "git failed"] = result.message.split("\n").filter((line) => !line.startsWith("warning:"));
	if (isFull(result.message))
		return {
			ok: false,
			failure: {
				reason: "no_space",
				message: "There is no space left to keep the files.",
				remedy: "Free some space and resume the run.",
			},
		};
	const what = result.killed === undefined ? first || "git failed" : `git was killed by ${result.killed}`;
	return {
		ok: false,
		failure: {
			reason: "io",
			message: `git could not keep or read the files: ${what}`,
			remedy: "Check the folder and its rights.",
		},
	};
}

export function ioFailure(error: unknown): Failed {
	const { code, message } = error as NodeJS.ErrnoException;
	return gitFailure({ kind: "failed", code: -1, message: code === "ENOSPC" ? "no space left" : message, raw: "" });
}
