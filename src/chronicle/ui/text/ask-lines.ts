// A worker's question as text: the question, and its proposed answers with their numbers. Pure.
import type { UserQuestion } from "../../core/index.ts";

/** Its lines. */
export function askedLines({ text, choices }: Pick<UserQuestion, "text" | "choices">): string[] {
	return [...text.split("\n"), ...choices.map((choice, index) => `  ${index + 1}  ${choice}`)];
}
