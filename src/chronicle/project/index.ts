export type { CleanupStanding } from "./cleanup-approvals.ts";
export { type Difference, differenceOf, looking, patchBetween } from "./difference.ts";
export { exitCodeOf, exitCodeOfEnd, exitCodes } from "./exit-code.ts";
export { runLines, templateLines, templatePlace, waits } from "./list-lines.ts";
export { attend, type LiveRun } from "./live-run.ts";
export { progressLine } from "./progress.ts";
export { openProject, type Project, sessionsFolder } from "./project.ts";
export { changeLine, changeLines, questionLines, questionTitle, spendText } from "./question-lines.ts";
export { findRun, namesRun, splitRun } from "./run-name.ts";
export { type Spoken, speak } from "./speak.ts";
export {
	type CleanupTexts,
	createRun,
	isLoaded,
	type Preparation,
	prepareStart,
} from "./start.ts";
export { isInterrupted, statusLines, waitingLines } from "./status-lines.ts";
export { type FoundTemplate, readTemplateFile, readTemplates, type TemplateShelf, templateFolders } from "./templates.ts";
export { startOfVisit } from "./visit-start.ts";
export {
	abortWord,
	approveWord,
	pauseWord,
	type Raise,
	rejectWord,
	releaseWord,
	reopenWord,
	resumeWord,
	rewindWord,
	statesOf,
	tellWord,
	type Word,
} from "./word.ts";
