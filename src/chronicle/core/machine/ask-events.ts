// Applies the events of a worker's questions: asked, answered.
// A1 an answer names the event that raised the question, and applies once; A2 an answer ends no pause: a run that waits for something else
// keeps waiting, and its next worker gets the answer.

import { advance } from "./advance.ts";
import { addDecision } from "./decision-record.ts";
import type { AskOpened, LedgerEvent } from "./event.ts";
import { type Reduced, refuse } from "./refusal.ts";
import type { Run, UserQuestion } from "./run.ts";
import { countQuestions } from "./totals.ts";
import type { AskAnswered } from "./user-event.ts";
import { unansweredQuestion } from "./user-question.ts";

const titleLength = 200;

export function onAskOpened(run: Run, event: LedgerEvent & AskOpened): Reduced {
	const { seq, title, at, call, visit, attempt, text, choices = [] } = event;
	if (call === undefined) {
		const questions = [...run.questions, { id: seq, title: title.slice(0, titleLength) }].slice(-5);
		return countQuestions({ ...run, questions }, at);
	}
	const { stage } = run;
	if (stage.kind !== "working" || stage.launch.visit !== visit || stage.launch.attempt !== attempt)
		return refuse("stale", "The run is being stopped, so the user was not asked. Ask again when you continue.");
	if (unansweredQuestion(run)) return refuse("unexpected", "The user has not answered the question before this one.");
	const question: UserQuestion = { seq, visit, call, text, choices, answer: null };
	return countQuestions({ ...run, status: "asks", question }, at);
}

export function onAskAnswered(run: Run, event: LedgerEvent & AskAnswered): Reduced {
	const { question, stage, hold } = run;
	const { answers, words, at, seq } = event;
	if (words === undefined)
		return countQuestions({ ...run, questions: run.questions.filter(({ id }) => id !== answers) }, at);
	if (stage.kind === "over") return refuse("over", "The run is over.");
	if (question?.seq !== answers || question.answer !== null) return refuse("answered", explainOther(run, answers));
	const decided = addDecision(run, event, { did: "answered", about: question.text, words });
	const answered: Run = { ...decided, question: { ...question, answer: { seq, words } } };
	if (stage.kind === "waiting")
		return hold?.cause === "question" ? advance({ ...answered, status: "running", hold: null }, "answered") : answered;
	return countQuestions(run.status === "asks" ? { ...answered, status: "running" } : answered, at);
}

/** Why an answer to the event `answers` does not apply. */
function explainOther({ question, state }: Run, answers: number): string {
	if (question?.seq === answers && question.answer)
		return `This question has already been answered: "${question.answer.words.replace(/\s+/g, " ").slice(0, 200)}".`;
	return question && question.answer === null
		? `The run no longer asks this: it asks something else now (event ${question.seq}).`
		: `The run no longer asks this: it was answered, or the run has moved on; it is in "${state}" now.`;
}
