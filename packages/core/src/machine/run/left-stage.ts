// The stage in which the hosts of an engine gave a run up: it continues there once its user resumes it.
import type { AfterStop, Run, Stopping } from "./run.ts";

/** The run, back in the stage in which it was given up; any other run is unchanged. */
export function takeUp(run: Run): Run {
	const { stage } = run;
	return stage.kind === "waiting" && stage.left ? { ...run, status: "running", hold: null, stage: stage.left } : run;
}

/** The rest of the shutdown during which the run was given up, followed by `after`; `null`: it was not given up during one. */
export function shutdownLeft(run: Run, after: AfterStop): Stopping | null {
	const { stage } = run;
	if (stage.kind !== "waiting" || stage.left?.kind !== "stopping") return null;
	return { ...stage.left, how: "now", after };
}
