// Marks texts that this program writes into a worker's conversation, so that none looks like the user's.

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
