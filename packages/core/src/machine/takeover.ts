// A run that loses its supervisor, or is taken over by another one.

import { isParked } from "./pending-actions.ts";
import { changeConditions } from "./run/condition.ts";
import type { GivenUp, LedgerEvent, Opened } from "./run/event.ts";
import { takeUp } from "./run/left-stage.ts";
import { type Reduced, refuse } from "./run/refusal.ts";
import type { Run } from "./run/run.ts";
import { pauseWorker, stopWorker } from "./shutdown.ts";

/** The files were set back to the last snapshot: what the calls since then changed is gone. */
function undoCalls(run: Run): Run {
	const { calls } = run;
	const { stage } = takeUp(run);
	const isWorking = stage.kind === "working" || (stage.kind === "stopping" && stage.launch !== null);
	if (!isWorking && stage.kind !== "launching") return run;
	const undo = <Call extends object>(call: Call) => ({ ...call, undone: true as const });
	const recent = calls.recent.map((call) => (call.saved ? call : undo(call)));
	return { ...run, calls: { ...calls, setBack: true, open: calls.open.map(undo), recent } };
}

/** The run without the activities of its children: their new supervisors report them again. */
function forgetActivity(run: Run): Run {
	const { children: group } = run;
	if (!group) return run;
	return { ...run, children: { ...group, children: group.children.map(({ activity: _, ...child }) => child) } };
}

/** Another supervisor took over the run. */
export function onOpened(before: Run, { setBack }: LedgerEvent & Opened): Run {
	const conditions = changeConditions(before.conditions, { condition: "host" });
	const taken = { ...before, conditions };
	return interrupt(setBack ? undoCalls(taken) : taken);
}

/** The run after its supervisor is gone: the outcome of anything that it left unfinished is unknown. */
function interrupt(run: Run): Run {
	const { stage } = run;
	switch (stage.kind) {
		case "launching":
		case "working":
			return pauseWorker(run, "now", "interrupted");
		case "stopping":
			return stage.launch ? { ...run, stage: { ...stage, how: "now" } } : run;
		case "asking": {
			const { question } = stage;
			if (question.side === "conflict") return run;
			if (question.side === "entry" && question.target === run.state) return run;
			// The answer is bound to the files: measure them again, and ask again if they have changed.
			const left = stopWorker(run, "now", {
				kind: "ask",
				target: question.target,
				summary: question.summary,
				earlier: question,
			});
			return { ...left, status: run.status };
		}
		case "baselining":
			return stage.awaits ? { ...run, stage: { kind: "baselining", because: stage.because } } : run;
		case "children":
			return forgetActivity(run);
		case "deciding":
		case "awaiting_provider":
		case "restoring":
		case "waiting":
		case "over":
			return run;
	}
}

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
