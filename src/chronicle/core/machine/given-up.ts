// A run that the hosts of an engine have given up: it waits for its user, and nothing of what was in progress is lost.
import { changeConditions } from "./condition.ts";
import type { GivenUp, LedgerEvent } from "./event.ts";
import { isParked } from "./pending-actions.ts";
import { type Reduced, refuse } from "./refusal.ts";
import type { Run } from "./run.ts";
import { interrupt } from "./takeover.ts";

export function onGivenUp(run: Run, { detail }: LedgerEvent & GivenUp): Reduced {
	if (run.stage.kind === "over") return refuse("over", "The run is over.");
	if (isParked(run)) return refuse("unexpected", "The run is already waiting.");
	const { stage, ...interrupted } = interrupt(run);
	// A resumed run tries its provider at once, as after a pause.
	const left = stage.kind === "awaiting_provider" ? {} : { left: stage };
	const hold = { status: "paused", cause: "given_up", detail } as const;
	// `detail` names why the last host gave it back.
	const conditions = changeConditions(run.conditions, { condition: "host" });
	return { ...interrupted, conditions, status: "paused", hold, stage: { kind: "waiting", since: run.seq, ...left } };
}
