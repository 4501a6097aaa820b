// Messages queued for the run's worker. Only this file selects the messages that a launch includes: the worker's first message and the
// record of its delivery must agree, or a message is lost or delivered twice.
import type { Message, Run } from "./run/run.ts";

/** Begins every message that the program composes. */
const mark = "[From pi-chronicle, not from the user]";
/** Begins a reminder, which the program sends on its own. */
const reminderMark = "[Automatic reminder from pi-chronicle, not from the user]";

export function markMessage(text: string): string {
	return `${mark}\n${text}`;
}

/** A message to a worker that begins with `text`, marked once. */
export function beginMessage(text: string, message: string): string {
	const start = `${mark}\n`;
	return markMessage(`${text}\n\n${message.startsWith(start) ? message.slice(start.length) : message}`);
}

export function markReminder(text: string): string {
	return `${reminderMark} ${text}`;
}

/** Maximum queued messages. */
export const OUTBOX_LENGTH = 20;
/** Maximum characters of one message; commands refuse longer ones. */
export const MESSAGE_LENGTH = 8000;

/** Queues the user's message `words` for the current or next worker; `id` is the `seq` of the event with it. */
export function queueMessage(run: Run, id: number, words: string | undefined): Run {
	const text = words?.trim() ?? "";
	return text === ""
		? run
		: { ...run, outbox: [...run.outbox, { id, text, from: "person" as const, given: false }].slice(-OUTBOX_LENGTH) };
}

/** Queues a reminder from the supervisor; `id` is the `seq` of the event that led to it. */
export function queueReminder(run: Run, id: number, text: string): Run {
	return { ...run, outbox: [...run.outbox, { id, text, from: "supervisor", given: false }] };
}

/** The message as the worker reads it. */
export function messageWords({ from, text }: Message): string {
	return from === "person" ? text : markReminder(text);
}

/** The messages in the first message of the pending launch: those queued before its intent was recorded. */
export function outboxOfLaunch({ stage, outbox }: Run): readonly Message[] {
	return stage.kind === "launching" ? outbox.filter(({ id }) => id < stage.since) : outbox;
}
