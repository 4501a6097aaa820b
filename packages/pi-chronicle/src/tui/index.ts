// Full-screen views and lines of styled text, with which every feature draws. It needs pi's terminal library, so code that also runs
// without pi (`../pi/index.ts`) loads it only to show something.

export { type AnswerKey, answerKeys } from "./answer-keys.ts";
export { frame, frameRows } from "./frame.ts";
export { openInputSheet, showInputSheet } from "./input-sheet.ts";
export {
	dim,
	fitLine,
	flat,
	type Line,
	lineWidth,
	type Paint,
	paintLine,
	paintRows,
	plain,
	type StyledText,
	type Tone,
	themed,
	unpainted,
	wrapParts,
	wrapText,
} from "./line.ts";
export { openListSheet, showListSheet } from "./list-sheet.ts";
export {
	openSheet,
	questionSheet,
	type SheetOption,
	type SheetSpec,
	showSheet,
	textBody,
	type WordedQuestion,
	wholeScreen,
} from "./sheet.ts";
export { showInTerminal, terminalPaint } from "./terminal-screen.ts";
export { closes, jumpByKey, moveByKey, openWindow } from "./window.ts";
