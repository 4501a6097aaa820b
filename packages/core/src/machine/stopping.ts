// The stage in which a worker is shut down: made here, carried out by `shutdown.ts`.
import type { AfterStop, Run, Stopping } from "./run/run.ts";

/** The fields of a stopped worker that are needed to count its time. */
type StoppedWorker = Pick<Stopping, "launch" | "startedAt" | "seenAt" | "uncountedMs" | "askedAt">;

/** Nothing is to be stopped. */
export const NO_WORKER: StoppedWorker = { launch: null, startedAt: "", seenAt: "" };

/** The shutdown of `worker` in the current visit; `closing` is the conversation that its last reports belong to. */
export function shutdownOf(
	run: Run,
	how: Stopping["how"],
	after: AfterStop,
	worker: StoppedWorker,
	closing = run.conversation,
): Stopping {
	const { launch, startedAt, seenAt, uncountedMs, askedAt } = worker;
	return {
		kind: "stopping",
		state: run.state,
		visit: run.visit,
		launch,
		how,
		startedAt,
		seenAt,
		uncountedMs,
		askedAt,
		closing,
		index: 0,
		since: run.baseline?.tree ?? null,
		after,
	};
}
