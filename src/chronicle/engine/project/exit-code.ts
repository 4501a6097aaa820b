// The exit code for the state of a run or for a failure, the same on the command line and in a pi without a screen.
import { exitCodes } from "../../../pi/index.ts";
import type { Failure, RunStatus } from "../../core/index.ts";
import type { SupervisionEnd } from "../supervisor/index.ts";

/** The exit code for a run that has ended or waits. */
function exitCodeOf(status: RunStatus): number {
	switch (status) {
		case "done":
			return exitCodes.done;
		case "failed":
		case "aborted":
			return exitCodes.failed;
		case "asks":
		case "awaiting_provider":
		case "awaiting_approval":
		case "paused":
			return exitCodes.waits;
		case "budget_exceeded":
			return exitCodes.budget;
		case "human_intervention":
			return exitCodes.intervention;
		case "running":
			return exitCodes.interrupted;
	}
}

/** The code for a command that failed: 2 if the request does not apply to the run, 1 for any other failure. */
export function exitCodeOfFailure({ reason }: Failure): number {
	const refusals = ["exists", "unknown", "ambiguous", "held", "newer", "foreign", "too_long"];
	return refusals.includes(reason) ? exitCodes.usage : exitCodes.failed;
}

/** The code for the end of a supervision. */
export function exitCodeOfEnd(end: SupervisionEnd): number {
	switch (end.kind) {
		case "parked":
			return exitCodeOf(end.run.status);
		case "released":
			return exitCodes.interrupted;
		case "failed":
			return exitCodes.failed;
	}
}
