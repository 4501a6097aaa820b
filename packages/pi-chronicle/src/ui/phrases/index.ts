export { bar, exactTime, percent, shortCost, shortCount, shortTime } from "../../pi/index.ts";
export * from "./check-lines.ts";
export {
	type ChildCells,
	type ChildLine,
	changedText,
	childLines,
	childrenText,
	choiceText,
	needsText,
	statusWords,
	takenOf,
	visitChildCells,
} from "./children.ts";
export * from "./conversation.ts";
export { type Crumb, crumbSeparator, crumbsOf, crumbText, currentMark } from "./crumbs.ts";
export * from "./events.ts";
export {
	activityText,
	callText,
	endingText,
	type Figure,
	keptLine,
	runFigures,
	type Undone,
	uncountedText,
	undoneOf,
} from "./figures.ts";
export { type FilmFrame, framesOf, layFilm } from "./film-strip.ts";
export { runLines, templateLines, waitingFirst, waits } from "./list-lines.ts";
export {
	clockTime,
	commandTitle,
	commandWord,
	type Mark,
	marks,
	markWords,
	runTitle,
	templateNameOf,
	titleOf,
	typedWords,
} from "./names.ts";
export { asksUser, commandAbout, interruptedStep, nextStep } from "./next-step.ts";
export { undeliveredLines } from "./notice-lines.ts";
export { progressLine } from "./progress.ts";
export {
	askedLines,
	conflictFiles,
	differenceLines,
	headLine,
	otherCandidates,
	questionLines,
	questionTitle,
	subjectLines,
	takingTitle,
} from "./question-lines.ts";
export { endLines, resultLines, resultMessage } from "./result-lines.ts";
export { runData } from "./run-data.ts";
export { apartLines, handLine, isInterrupted, statusLines, waitingLines } from "./status-lines.ts";
export * from "./story-lines.ts";
export { templateDiagram, templateNotes } from "./template-diagram.ts";
export { ways, whichLines } from "./which-lines.ts";
export { childrenWait, currentNotices, haltReason, providerText, runStatusText, waitsForProvider } from "./why.ts";
