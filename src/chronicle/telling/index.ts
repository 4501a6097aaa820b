export { checkLines, problemLine } from "./check-lines.ts";
export { cleanupLines } from "./cleanup-lines.ts";
export { foreignData, foreignLines, foreignStoryLines } from "./foreign-lines.ts";
export { runLines, templateLines, templatePlace, waits } from "./list-lines.ts";
export { progressLine } from "./progress.ts";
export { changeLines, questionLines, questionTitle, spendText } from "./question-lines.ts";
export { runData } from "./run-data.ts";
export { isInterrupted, statusLines, waitingLines } from "./status-lines.ts";
export { storyLines } from "./story-lines.ts";
