// Git on the remote that the hosts of an engine share. Every call that talks to it is repeated while the remote is out of reach.
import { setTimeout as sleep } from "node:timers/promises";
import type { Result, WorkspaceFailure } from "@pi-chronicle/core/ports";
import { explainGit, type GitPlace, type GitResult, gitAt, isDiskFull } from "../workspace/index.ts";

/** Milliseconds for which a remote that cannot be reached is tried again. */
const outageMs = 60_000;
const longestPauseMs = 5000;
/** Milliseconds after which a caller is told what it waits for. */
const silentMs = 4000;

/** A remote that answers, and does not do what was asked: trying again changes nothing. */
const answered = /stale info|rejected|couldn't find remote ref|not our ref|permission|denied|authentication/i;

/** Runs git against the remote, for up to a minute while it cannot be reached. */
export async function gitRemote(place: GitPlace, args: readonly string[]): Promise<GitResult> {
	const until = performance.now() + outageMs;
	let failure: string | undefined;
	const timer = setTimeout(() => place.report?.(explainDelay(failure)), silentMs);
	try {
		for (let pause = 250; ; pause = Math.min(pause * 2, longestPauseMs)) {
			const done = await gitAt(place, args);
			if (done.kind !== "failed" || answered.test(done.message) || performance.now() + pause > until) return done;
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
		: `The project's git remote cannot be reached: ${failure}. Trying again for ${outageMs / 1000} seconds.`;
}

/** Begins what is said of a remote that could not be reached for as long as it was tried. */
const away = "the project's git remote cannot be reached";

/** Describes the failure of a call of {@link gitRemote} for users. */
export function explainRemote(result: Exclude<GitResult, { kind: "done" }>): string {
	const isAway = result.kind === "failed" && !answered.test(result.message) && !isFullHere(result.message);
	return isAway ? `${away}: ${explainGit(result)}` : explainGit(result);
}

/** Whether a failure says that the remote was out of reach, so that the run can continue later, on any host. */
export function isRemoteAway({ message }: { readonly message: string }): boolean {
	return message.includes(away);
}

/** git says `remote:` before what the other side has said. */
function isFullHere(message: string): boolean {
	return isDiskFull(message.replace(/^remote:.*$/gm, ""));
}

/** The failure of the workspace for a remote that did not take or give something. `why`: in words. */
export function remoteFailure(
	result: Exclude<GitResult, { kind: "done" }>,
	why = explainRemote(result),
): Result<never, WorkspaceFailure> {
	if (result.kind === "failed" && isFullHere(result.message))
		return {
			ok: false,
			failure: {
				reason: "no_space",
				message: `There is no space left for the files of the run: ${explainGit(result)}.`,
				remedy: "Free some space on that host.",
			},
		};
	return {
		ok: false,
		failure: {
			reason: result.kind === "aborted" ? "stopped" : "io",
			message: `The files could not be pushed to or fetched from the project's git remote: ${why}.`,
			remedy: "Check the remote and this host's permissions there; engine doctor tests both.",
		},
	};
}

/** The same for an error that was thrown. */
export function thrownFailure(error: unknown): Result<never, WorkspaceFailure> {
	const { message } = error as Error;
	return remoteFailure({ kind: "failed", code: -1, message, raw: "" }, message);
}
