// What is said where a text of the person's held a secret.
import { openRedaction } from "../../../safety/index.ts";

/** What is kept and passed on is the text without its secrets. */
export function explainRedaction(text: "task" | "words"): string {
	const which = text === "task" ? "The task holds" : "The message holds";
	return `${which} what looks like a secret. It is stored, and given to workers, as •••. Name a variable or a file that holds it instead.`;
}

/** Whether the store would take something out of `text`. */
export function holdsSecret(text: string, env: NodeJS.ProcessEnv = process.env): boolean {
	return openRedaction(env)(text) !== text;
}
