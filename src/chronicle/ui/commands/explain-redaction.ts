// Detects secrets in the user's text.
import { openRedaction } from "../../../safety/index.ts";

/** Explains that the text is stored and passed on without its secrets. */
export function explainRedaction(text: "task" | "words"): string {
	const which = text === "task" ? "The task contains" : "The message contains";
	return `${which} something that looks like a secret. It is stored and passed to workers as •••. Instead, name a variable or a file that contains it.`;
}

/** Whether the store would redact something in `text`. */
export function holdsSecret(text: string, env: NodeJS.ProcessEnv = process.env): boolean {
	return openRedaction(env)(text) !== text;
}
