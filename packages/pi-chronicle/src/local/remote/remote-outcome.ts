// What a failed call of git to the shared remote means, by what git, ssh, curl and the code hosts say. Git has one exit code for all of it, so
// their messages are the only source; this is the only place that reads them.
import type { GitResult } from "../workspace/index.ts";
import { isDiskFull } from "../workspace/index.ts";

/**
 * `refused`: the remote answers, and does not do what was asked; trying again changes nothing. `damaged`: an object there is, until somebody
 * repairs it. `no_space`: this host's disk is full. `away`: the remote cannot be reached, or fails, for now.
 */
export type RemoteOutcome = "refused" | "damaged" | "no_space" | "away";

/** Messages of git there about an object, or of git here about one that it got. */
const damage =
	/repository corruption|\bis corrupt|corrupted|corrupt loose object|data stream error|bad (?:tree )?object|does not match index|(?:sha1|hash) mismatch/i;

/** Messages of a remote that answers, or of git here about what it was asked. Any other failure may pass. */
const refusals: readonly RegExp[] = [
	// A push or a ref that the remote does not take or have.
	/stale info|\[(?:remote )?rejected\]|non-fast-forward|fetch first|hook declined|shallow update not allowed/i,
	/couldn't find remote ref|not our ref|no such ref|src refspec .* does not match|invalid refspec|exceeds .*(?:limit|size)/i,
	// Who may.
	/permission|denied|authentication failed|could not read (?:username|password)|terminal prompts disabled/i,
	/host key verification failed|dubious ownership|returned error: 40[0-7]\b/i,
	/repository .*not found|certificate (?:verif|problem)|certificate verification failed/i,
	// The address.
	/unable to find remote helper|transport '.*' not allowed|unsupported protocol|protocol '.*' is not supported/i,
];

/** What the failure of a call to the remote means. */
export function remoteOutcome({ message }: Pick<Extract<GitResult, { kind: "failed" }>, "message">): RemoteOutcome {
	// Git begins with `remote:` what the other side has said.
	if (isDiskFull(message.replace(/^remote:.*$/gm, ""))) return "no_space";
	if (damage.test(message)) return "damaged";
	return refusals.some((refusal) => refusal.test(message)) ? "refused" : "away";
}
