export { askedLines } from "./ask-lines.ts";
export { type ComplaintText, complaintLines, templateCheckLines } from "./check-lines.ts";
export { cleanupLines } from "./cleanup-lines.ts";
export { endLines } from "./end-lines.ts";
export { type ForeignEntry, foreignData, foreignLines, foreignStoryLines } from "./foreign-lines.ts";
export { askingFirst, runLines, templateLines, waits } from "./list-lines.ts";
export { progressLine } from "./progress.ts";
export {
	differenceLines,
	otherCandidates,
	questionLines,
	questionTitle,
	rewindLines,
	takingTitle,
} from "./question-lines.ts";
export { keptFolderLines, removalLines, removedLines } from "./removal-lines.ts";
export { resultMessage } from "./result-lines.ts";
export { runData } from "./run-data.ts";
export { handLine, isInterrupted, statusLines, waitingLines } from "./status-lines.ts";
export { storyLines } from "./story-lines.ts";
export { templateDiagram, templateNotes } from "./template-diagram.ts";
export { ways, whichLines } from "./which-lines.ts";
