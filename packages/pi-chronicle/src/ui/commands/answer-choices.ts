// The values of `approve --choice`: who resolves the conflicts of a join, or which child is taken. Pure.
import { type ConflictChoice, candidatesIn, explainWinner, openQuestion, type Run } from "@pi-chronicle/core/machine";
import { changedText } from "../phrases/index.ts";

export interface AnswerChoice {
	/** Without blanks, so that no surface needs quotes for it. */
	readonly word: string;
	readonly about: string;
}

const resolutions: Readonly<Record<ConflictChoice, string>> = {
	ours: "the earlier side: your files, or the child before",
	theirs: "the later child",
	worker: "a worker resolves them",
	hand: "you have resolved them in the folder that status names",
};

export function isResolution(word: string): word is ConflictChoice {
	return Object.hasOwn(resolutions, word);
}

/** The values that the run's question accepts; empty if it accepts none. */
export function answerChoices(run: Run): readonly AnswerChoice[] {
	const question = openQuestion(run);
	if (!question) return [];
	if (question.side === "conflict") return Object.entries(resolutions).map(([word, about]) => ({ word, about }));
	return candidatesIn(run, question.state)
		.filter(({ name }) => explainWinner(run, question.target, name) === undefined)
		.map(({ id, name, changed }) => {
			const files = changed ? changedText(changed) : "";
			return /^[\w.-]+$/.test(name)
				? { word: name, about: files }
				: { word: id.slice(0, 8), about: [name, files].filter((part) => part !== "").join(", ") };
		});
}
