export { bar, shortCost, shortCount, shortTime } from "../../../pi/index.ts";
export { activityText, callText } from "./activity.ts";
export {
	type ChildCells,
	type ChildLine,
	changedText,
	childLines,
	childrenText,
	choiceText,
	takenOf,
	visitChildCells,
} from "./children.ts";
export { commandWord, typedWords } from "./command-word.ts";
export { type Crumb, crumbSeparator, crumbsOf, crumbText, currentMark } from "./crumbs.ts";
export { endingText } from "./ending.ts";
export { keptLine } from "./kept.ts";
export { type Mark, marks, runTitle, templateNameOf, titleOf } from "./marks.ts";
export { clockTime, dayTime, timeOf } from "./moment.ts";
export { asksUser, childStep, commandAbout, interruptedStep, type NextStep, nextStep } from "./next-step.ts";
export { childrenWait, providerText, runStatusText, waitsForProvider } from "./provider-wait.ts";
export { uncountedText } from "./uncounted.ts";
export { type Undone, undoneOf, undoneText } from "./undone.ts";
export { currentNotices, haltReason } from "./why.ts";
