// Git on the remote that the hosts of an engine share. Every call that talks to it is repeated while the remote is out of reach.

import { setTimeout as sleep } from "node:timers/promises";
import type { WorkspaceFailure } from "@pi-chronicle/core/ports";
import { setTime } from "../../pi/index.ts";
import { explainGit, type GitPlace, type GitResult, gitAt, WorkspaceError } from "../workspace/index.ts";
import { remoteOutcome } from "./remote-outcome.ts";

/** Milliseconds for which a remote that cannot be reached is tried again. */
const outageMs = 60_000;
const longestPauseMs = 5000;
/** Milliseconds after which a caller is told what it waits for. */
const silentMs = 4000;

/** Runs git against the remote, for up to a minute while it cannot be reached. */
export async function gitRemote(place: GitPlace, args: readonly string[]): Promise<GitResult> {
	const until = performance.now() + outageMs;
	let failure: string | undefined;
	const timer = setTimeout(() => place.report?.(explainDelay(failure)), silentMs);
	try {
		for (let pause = 250; ; pause = Math.min(pause * 2, longestPauseMs)) {
			const done = await gitAt(place, args);
			if (done.kind !== "failed" || remoteOutcome(done) !== "away" || performance.now() + pause > until) return done;
			failure = explainGit(done);
			await sleep(pause, undefined, { signal: place.signal }).catch(() => {});
			if (place.signal?.aborted) return { kind: "aborted" };
		}
	} finally {
		clearTimeout(timer);
	}
}

/** Fetches refspecs from a remote into the repository, without its tags. */
export function gitFetch(place: GitPlace, remote: string, specs: readonly string[]): Promise<GitResult> {
	return gitRemote(place, ["fetch", "-q", "--no-write-fetch-head", "--no-tags", remote, ...specs]);
}

/** Deletes the refs of a remote that match one of `patterns`, except those that `isKept` names. What the remote refuses stays. */
export async function deleteRefs(
	place: GitPlace,
	remote: string,
	patterns: readonly string[],
	isKept: (ref: string, object: string) => boolean = () => false,
): Promise<void> {
	const listed = await gitRemote(place, ["ls-remote", remote, ...patterns]);
	if (listed.kind !== "done") return;
	const refs = listed.output
		.toString("utf8")
		.split("\n")
		.map((line) => line.split("\t"))
		.flatMap(([object = "", ref = ""]) => (ref === "" || isKept(ref, object) ? [] : [ref]));
	if (refs.length > 0) await gitRemote(place, ["push", "-q", "--no-verify", remote, ...refs.map((ref) => `:${ref}`)]);
}

/** Why a call takes long. `failure`: of the last try; without one, git is still at the first. */
function explainDelay(failure: string | undefined): string {
	return failure === undefined
		? "Waiting for the project's git remote."
		: `The project's git remote cannot be reached: ${failure}. Trying again for ${setTime(outageMs)}.`;
}

type NotDone = Exclude<GitResult, { kind: "done" }>;

const notMoved = "The files could not be pushed to or fetched from the project's git remote";

/** The failure of the workspace for a remote that did not take or give something; `what`: that could not be done, as a sentence without its end. */
export function remoteFailure(result: NotDone, what = notMoved): Failed {
	const outcome = result.kind === "failed" ? remoteOutcome(result) : "refused";
	const why = explainGit(result);
	if (result.kind === "aborted") return failed("stopped", `${what}: ${why}.`);
	if (outcome === "away") return failed("remote_away", `${what}: the project's git remote cannot be reached: ${why}.`);
	return outcome === "damaged"
		? failed("io", `${what}: the project's git remote is damaged: ${why}.`, repair)
		: hereOrThere(outcome === "no_space", what, why);
}

const repair = "Run git fsck there, put back what it names from a backup or a clone, then resume the run.";

/** The same as an error. */
export function remoteError(what: string, result: NotDone): WorkspaceError {
	return new WorkspaceError(remoteFailure(result, what).failure);
}

/** The failure of an error that was thrown. */
export function thrownFailure(error: unknown): Failed {
	if (error instanceof WorkspaceError) return { ok: false, failure: error.failure };
	const { message } = error as Error;
	return hereOrThere(remoteOutcome({ message }) === "no_space", notMoved, message);
}

interface Failed {
	readonly ok: false;
	readonly failure: WorkspaceFailure;
}

function hereOrThere(isFull: boolean, what: string, why: string): Failed {
	return isFull
		? failed("no_space", `There is no space left for the files of the run: ${why}.`, "Free some space on that host.")
		: failed("io", `${what}: ${why}.`);
}

function failed(
	reason: WorkspaceFailure["reason"],
	message: string,
	remedy = "Check the remote and this host's permissions there; engine doctor tests both.",
): Failed {
	return { ok: false, failure: { reason, message, remedy } };
}
