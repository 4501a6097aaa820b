export {
	abandonedText,
	blockAdvice,
	blockReason,
	endText,
	initialMessage,
	pauseLine,
	personLine,
	phaseName,
	resumeText,
	sessionName,
	staleReason,
	workflowRefusalText,
	workflowReminderText,
} from "./messages.ts";
export { laterText, wholeText } from "./phase.ts";
export { phaseNameById, phaseTitle, placeLine, statusLine } from "./place.ts";
export { askCancelText, cancelledText, doneText, movedByPersonText, movedText, statusText } from "./results.ts";
export { expand, isLongTask, nextName, variablesOf } from "./template.ts";
