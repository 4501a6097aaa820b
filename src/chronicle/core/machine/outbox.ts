// Messages queued for the run's worker. Only this file selects the messages that a launch includes: the worker's first message and the
// record of its delivery must agree, or a message is lost or delivered twice.
import type { Message, Run } from "./run.ts";

/** The messages in the first message of the pending launch: those queued before its intent was recorded. */
export function outboxOfLaunch({ stage, outbox }: Run): readonly Message[] {
	return stage.kind === "launching" ? outbox.filter(({ id }) => id < stage.since) : outbox;
}
