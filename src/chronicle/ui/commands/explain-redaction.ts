// Secrets in text that the user wrote.
import { openRedaction } from "../../../safety/index.ts";

/** Explains that the text is stored and passed on without its secrets. */
export function explainRedaction(text: "task" | "words"): string {
	const which = text === "task" ? "The task contains" : "The message contains";
	return `${which} what looks like a secret. It is stored, and passed to workers, as •••. Name a variable or a file that contains it instead.`;
}

/** Whether the store would redact something in `text`. */
export function holdsSecret(text: string, env: NodeJS.ProcessEnv = process.env): boolean {
	return openRedaction(env)(text) !== text;
}
