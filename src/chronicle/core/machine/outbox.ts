// Words that wait for the run's worker. Which of them belong to a launch is said here alone: whoever writes its first message and whoever
// notes that the message was given must mean the same ones, or a word is lost or heard twice.
import type { Message, Run } from "./run.ts";

/** What goes into the first message of the launch that is due: the words that were there when it was intended. */
export function outboxOfLaunch({ stage, outbox }: Run): readonly Message[] {
	return stage.kind === "launching" ? outbox.filter(({ id }) => id < stage.since) : outbox;
}
