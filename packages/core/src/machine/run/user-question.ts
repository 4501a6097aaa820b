// The question that a worker has asked the user with `ask_user`.
// There is one at a time; it outlives its worker: the run waits, and the next worker continues the conversation with the answer; it
// ends with its visit, or once the model has used the answer.
import type { Run, UserQuestion } from "./run.ts";

/** The question that nobody has answered yet. */
export function unansweredQuestion({ question }: Run): UserQuestion | undefined {
	return question && question.answer === null ? question : undefined;
}

/** The unanswered question, unless the run waits for something else first, such as the end of a pause. */
export function dueQuestion(run: Run): UserQuestion | undefined {
	const { stage, hold } = run;
	if (hold !== null && hold.cause !== "question") return undefined;
	const isAsked =
		stage.kind === "working" || stage.kind === "waiting" || (stage.kind === "stopping" && stage.after.kind === "again");
	return isAsked ? unansweredQuestion(run) : undefined;
}

/** The run after a request of its model: an answer that was given is part of the conversation now. */
export function closeQuestion(run: Run): Run {
	const { question, calls } = run;
	if (!question?.answer) return run;
	return { ...run, question: null, calls: { ...calls, open: calls.open.filter(({ call }) => call !== question.call) } };
}
