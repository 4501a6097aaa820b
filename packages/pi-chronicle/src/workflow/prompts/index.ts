export {
	abandonedText,
	answerLine,
	askLine,
	blockAdvice,
	blockReason,
	endText,
	inheritedAdvice,
	inheritedReason,
	initialMessage,
	pauseLine,
	personLine,
	phaseName,
	progressReminderText,
	questionReminderText,
	resumeText,
	sessionName,
	spokenLine,
	staleReason,
	workflowRefusalText,
	workflowReminderText,
} from "./messages.ts";
export { type FinishedVisit, phaseFrame, type UserWord } from "./phase.ts";
export { phaseNameById, phaseTitle, placeLine } from "./place.ts";
export {
	afterStepText,
	askCancelText,
	askedText,
	cancelledText,
	doneText,
	movedByPersonText,
	movedText,
	noQuestionText,
	noRunText,
	pendingMessageText,
	type StepAction,
	secondStepText,
	statusText,
	stepActions,
	stepToolTexts,
} from "./results.ts";
export { statusLine } from "./status-line.ts";
export { expand, isLongTask, nextName, variablesOf } from "./template.ts";
