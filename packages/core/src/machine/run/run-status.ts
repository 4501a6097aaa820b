// What the status of a run says about who has to act next. Pure.

/** Whether the run continues without its user, as long as a process supervises it. */
export function continuesAlone(status: string): boolean {
	return status === "running" || status === "awaiting_provider";
}

/** Whether the run is over: it changes no more files. */
export function isFinished(status: string): boolean {
	return status === "done" || status === "failed" || status === "aborted";
}
