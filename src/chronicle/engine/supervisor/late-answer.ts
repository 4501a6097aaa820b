// The user's answer as the model of the worker that asked reads it. Pure.
import type { LateAnswer, LaunchReason, Run } from "../../core/index.ts";

/** The result of the call. */
export function answerText(words: string): string {
	return `The user answered: ${words}`;
}

/** The answer for the launch of a worker whose conversation may lack it. */
export function lateAnswer(run: Run, because: LaunchReason): { readonly answer?: LateAnswer } {
	const { question, outbox, calls } = run;
	if (!question?.answer) return {};
	const { call, text, answer } = question;
	const result = answerText(answer.words);
	const isPlain = because === "answered" || because === "interrupted" || because === "resumed";
	return {
		answer: {
			call,
			result,
			text: `You asked the user: ${text}\n\nThe user answered:\n<user>${answer.words}</user>`,
			alone: isPlain && outbox.length === 0 && calls.interrupted.calls.length === 0,
		},
	};
}
