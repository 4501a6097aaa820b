// Where a run that the hosts of an engine have given up was then: it continues there once its user wants it to.
import type { AfterStop, Run, Stopping } from "./run.ts";

/** The run where it was when it was given up; any other run is unchanged. */
export function takeUp(run: Run): Run {
	const { stage } = run;
	return stage.kind === "waiting" && stage.left ? { ...run, status: "running", hold: null, stage: stage.left } : run;
}

/** What is left of the shutdown during which the run was given up, then `after`; `null`: nothing. */
export function shutdownLeft(run: Run, after: AfterStop): Stopping | null {
	const { stage } = run;
	if (stage.kind !== "waiting" || stage.left?.kind !== "stopping") return null;
	return { ...stage.left, how: "now", after };
}
