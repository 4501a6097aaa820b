export {
	abandonedText,
	blockReason,
	duration,
	endText,
	initialMessage,
	pauseLine,
	phaseName,
	refusalText,
	reminderText,
	resumeText,
	sessionName,
	staleReason,
} from "./messages.ts";
export { laterText, wholeText } from "./phase.ts";
export { countText, phaseTitle, placeLine, statusLine } from "./place.ts";
export { askCancelText, cancelledText, doneText, movedByPersonText, movedText, statusText } from "./results.ts";
export { breadcrumb, expand, instructionsOf, nextName, variablesOf } from "./template.ts";
